"""The report and the public note: what they tell, and that no value of the data can do harm in them."""

from __future__ import annotations

import ast
import hashlib
import json
import platform
import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from importlib.metadata import version
from pathlib import Path

import pyarrow as pa
import pytest

import tacit as package
from support.commands import JOB, make_shop, tacit
from tacit.baskets.data import read_items
from tacit.baskets.report import samples, shown_items
from tacit.job import read_job
from tacit.report.blocks import Bars, Section
from tacit.report.html import document
from tacit.report.meanings import MEASURES
from tacit.report.page import measures
from tacit.taxonomy import Taxonomy

AUDITS = Path(package.__file__).parent / "audits"
SCRIPT = "<script>alert(1)</script>"
EVIL = [SCRIPT, "</td></table><img src=x onerror=alert(1)>", '" onload="alert(1)', "&amp;", "`code`", "a\nb"]


class Tags(HTMLParser):
    """All tags of a page with their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data: str) -> None:
        self.text += data


def evil_release(**options: object) -> package.Release:
    """Every name is an attack: of the column, of items kept, generalized, suppressed and sensitive, and of groups."""
    baskets = [[*EVIL], [*EVIL], ["x1"], ["x2"], ["y<i>"], ["s<b>"]]
    paths = [[item, "*"] for item in (*EVIL, "y<i>", "s<b>")] + [[item, "group <u>", "*"] for item in ("x1", "x2")]
    frame = pa.table({SCRIPT: baskets})
    tree = package.Taxonomy.from_paths(paths)
    promise = package.KmAnonymity(k=2, m=2)
    asked = {"sets": False, **options}  # so that a group is published by its name
    return package.anonymize(frame, promise, items=SCRIPT, hierarchy=tree, sensitive_items=["s<b>"], **asked)


def test_values_are_inert(tmp_path: Path) -> None:
    release = evil_release()
    assert "group <u>" in release.recoding.columns[SCRIPT].published
    assert release.recoding.columns[SCRIPT].suppressed == ("y<i>",)
    page = Tags(release.report(tmp_path / "report.html").read_text(encoding="utf-8"))
    plain = (
        "html head meta title style body h1 h2 p div table thead tbody tr th td span figure figcaption details summary "
        "ul li small br"
    )
    drawn = "svg g path rect line text"
    assert {tag for tag, _ in page.tags} <= {*plain.split(), *drawn.split()}
    attributes = {name for _, attributes in page.tags for name in attributes}
    assert not {name for name in attributes if name.startswith("on") or name in ("src", "href", "xlink:href", "srcdoc")}
    for value in (*EVIL, "group <u>", "y<i>", "s<b>"):
        assert value in page.text


def test_the_page_stands_alone(tmp_path: Path) -> None:
    assert tacit("anonymize", make_shop(tmp_path)).code == 0
    page = (tmp_path / "out/private/report.html").read_text(encoding="utf-8")
    assert not re.search(r"https?://|src=|href=|@import|url\(", page)
    assert page.startswith("<!doctype html>")


def test_what_the_page_tells(tmp_path: Path) -> None:
    assert tacit("anonymize", make_shop(tmp_path)).code == 0
    text = Tags((tmp_path / "out/private/report.html").read_text(encoding="utf-8")).text
    told = ("The promise holds.", "km (k = 2, m = 2)", "0.1205", "mhghs", "Suppressed everywhere: 1", "caviar")
    for part in told:
        assert part in text
    assert hashlib.sha256((tmp_path / "out/public/data.csv").read_bytes()).hexdigest() in text


def test_the_page_has_what_it_takes_to_make_the_release_again(tmp_path: Path) -> None:
    """The same public bytes from the job that was kept, and every figure of how they were made in the page."""
    assert tacit("anonymize", make_shop(tmp_path, JOB.replace("seed = 5\n", ""))).code == 0
    again = ("--key", tmp_path / "out/private/key", "-o", tmp_path / "again")
    assert tacit("anonymize", tmp_path / "out/private/job.toml", *again).code == 0
    for name in ("data.csv", "README.md"):
        assert (tmp_path / "again/public" / name).read_bytes() == (tmp_path / "out/public" / name).read_bytes()
    text = Tags((tmp_path / "out/private/report.html").read_text(encoding="utf-8")).text
    for file in ("out/public/data.csv", "shop.csv", "hierarchy.csv"):
        assert hashlib.sha256((tmp_path / file).read_bytes()).hexdigest() in text
    seed = read_job(tmp_path / "out/private/job.toml").method.seed
    for part in (f"seed{seed}", "tacit" + version("tacit"), "numpy" + version("numpy"), platform.python_version()):
        assert part in text
    assert (tmp_path / "out/private/key").read_text().strip() not in text


def failed_release() -> package.Release:
    """A release that does not keep its promise: a record was added to it behind the method's back."""
    release = evil_release()
    lone = pa.table({SCRIPT: pa.array([["x1", "published <i>"]], release.table[SCRIPT].type)})
    return replace(release, table=pa.concat_tables([release.table, lone]))


def test_a_release_that_fails_says_so_first_and_nothing_of_publishing(tmp_path: Path) -> None:
    release = failed_release()
    page = release.report(tmp_path / "report.html").read_text(encoding="utf-8")
    tags = Tags(page)
    assert next(attributes.get("class") for tag, attributes in tags.tags if tag == "div") == "verdict bad"
    assert tags.text.index("NOT SAFE") < tags.text.index("The promise")
    for part in ("The promise does NOT hold.", "{x1}: 1 basket", "Not true to the original:", "What it does not stop"):
        assert part in tags.text
    assert "{published <i>}: 1 basket" in tags.text, "a label of the data stays as it is"
    assert "publish" not in tags.text.lower().replace("published <i>", "")
    with pytest.raises(package.AuditFailure):
        release.save(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_labels_that_speak_of_publishing_stay_as_they_are(tmp_path: Path) -> None:
    """On every page: as names of columns, items, attributes of a measure, and of issues."""
    word = "Published & republished"
    frame = pa.table({word: [[word], [word], ["x"], ["x"]]})
    release = package.anonymize(frame, package.KmAnonymity(k=2, m=1), items=word, seed=1)
    good = Tags(release.report(tmp_path / "good.html").read_text(encoding="utf-8")).text
    assert good.count(word) >= 4
    release = replace(release, table=release.table.slice(1))
    release.utility["accuracy"] = {f"majority_{word}_x": 0.5}
    failed = Tags(release.report(tmp_path / "failed.html").read_text(encoding="utf-8")).text
    assert "NOT SAFE" in failed
    assert f"right predictions: always the most frequent value of {word}_x" in failed
    assert "publish" not in failed.replace(word, "").lower()


def test_the_words_of_a_measure_stand_by_themselves() -> None:
    """A comparison and an estimate show one without those before it: "the same" would be the same as nothing."""
    said = [about.meaning for about in MEASURES.values()]
    said += [words for about in MEASURES.values() for _, words in about.parts]
    assert not [words for words in said if words.startswith("the same")]


def test_no_words_of_a_failed_page_speak_of_publishing() -> None:
    """Those of every measure, every promise and every audit."""
    said = [about.in_words() for about in MEASURES.values()]
    said += [words for about in MEASURES.values() for _, words in about.parts]
    promises = [
        package.KmAnonymity(2, 2), package.LmDiversity(2, 2), package.Coherence(0.5, 2, 2), package.TransactionalK(2),
        package.Cahd(2), package.KAnonymity(2), package.LDiversity(2, 2), package.KKmAnonymity(2, 2),
        package.KLmDiversity(2, 2, 2), package.SlicedDiversity(2), package.KEpsAnonymity(2, 1),
    ]  # fmt: skip
    said += [words for promise in promises for words in (promise.title, promise.in_words(), promise.not_stopped)]
    said += [words for file in AUDITS.glob("*.py") for words in written_words(ast.parse(file.read_text("utf-8")))]
    assert not [words for words in said if "publish" in words.lower()]


def written_words(code: ast.AST) -> Iterator[str]:
    """The texts in a program that are no docstrings."""
    for node in ast.walk(code):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            node.value.value = ""


def test_a_release_that_is_not_true_says_so_first(tmp_path: Path) -> None:
    """It keeps the promise, but says of people what is not so."""
    release = evil_release()
    longest = max(range(6), key=lambda row: len(release.table[SCRIPT][row].as_py()))
    release = replace(release, table=release.table.take(pa.array([longest] * 6)))
    page = Tags(release.report(tmp_path / "report.html").read_text(encoding="utf-8"))
    assert "The promise holds." in page.text
    assert page.text.index("NOT TRUE") < page.text.index("The promise holds.")
    assert "Not true to the original:" in page.text
    assert "publish" not in page.text.lower()


def test_every_measure_has_its_range_and_direction() -> None:
    told = list(measures({"ncp": 0.25, "records": 3, "frequent_itemsets_kept": {"0.1": 0.1, "0.2": None}, "new": 1.5}))
    assert told[0] == (MEASURES["ncp"].meaning, 0.25, "0 to 1; lower is better")
    assert told[1] == (MEASURES["records"].meaning, 3, "from 1 up")
    assert [row[1] for row in told[2:4]] == [0.1, None]
    assert [row[0].endswith(part) for row, part in zip(told[2:4], (", support 0.1", ", support 0.2"), strict=True)]
    assert told[4] == ("new", 1.5, "")
    assert all(about.range for about in MEASURES.values())
    assert {about.better for about in MEASURES.values()} == {"", "lower", "higher"}


def test_every_measure_of_a_page_is_known(tmp_path: Path) -> None:
    assert tacit("anonymize", make_shop(tmp_path)).code == 0
    utility = json.loads((tmp_path / "out/private/utility.json").read_text("utf-8"))
    text = Tags((tmp_path / "out/private/report.html").read_text(encoding="utf-8")).text
    assert set(utility) <= set(MEASURES)
    assert all(MEASURES[key].meaning in text for key in utility)


def test_a_measure_of_many_numbers_is_folded(tmp_path: Path) -> None:
    release = evil_release()
    release.utility["pairs"] = {f"<{i}>": i / 7 for i in range(40)}
    page = Tags(release.report(tmp_path / "report.html").read_text(encoding="utf-8"))
    assert "<39>5.5714" in page.text


def test_measures_of_the_same_things_share_a_table(tmp_path: Path) -> None:
    release = evil_release()
    release.utility["correlations_before"] = {f"<{i}>": i / 7 for i in range(40)}
    release.utility["correlations_after"] = {f"<{i}>": i / 9 for i in range(40)}
    page = Tags(release.report(tmp_path / "report.html").read_text(encoding="utf-8"))
    assert "originalrelease<0>00<1>0.14290.1111" in page.text


def test_no_password_in_the_page(tmp_path: Path) -> None:
    release = evil_release()
    source = replace(release.job.input, source="postgresql://me:s3cret@host/shop")
    release = replace(release, job=replace(release.job, input=source))
    page = release.report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert "s3cret" not in page
    assert "postgresql://host/shop" in page


def test_the_records_behind_the_page() -> None:
    frame = pa.table({"basket": [["beer"], ["wine"], ["milk"], ["milk"], ["milk", "gold"], []]})
    tree = package.Taxonomy.from_paths([["beer", "drink", "*"], ["wine", "drink", "*"], ["milk", "*"], ["gold", "*"]])
    release = package.anonymize(frame, package.KmAnonymity(k=2, m=2), items="basket", hierarchy=tree, seed=1)
    after = read_items(release.table, release.job)
    assert shown_items(after, release.recoding, 0) == [("milk", 3, 1), ("drink", 2, 2)]
    pairs = samples(release.before.items, after, release.original)
    assert sorted(pairs) == [
        ("(empty)", "(empty)"), ("beer", "drink"), ("milk", "milk"), ("milk", "milk"), ("milk, gold", "milk"),
        ("wine", "drink"),
    ]  # fmt: skip


def test_the_public_note(tmp_path: Path) -> None:
    release = evil_release()
    release.save(tmp_path / "out")
    note = (tmp_path / "out/public/README.md").read_text(encoding="utf-8")
    assert f"`{SCRIPT}`" in note
    assert "`group <u>`" in note
    assert "y<i>" not in note, "what is suppressed is not named"
    assert "s<b>" not in note
    assert "Items declared sensitive are published as they are (1)" in note
    assert "fewer than 2 baskets" in note


@pytest.mark.parametrize("name", ["a`b", "a\nb"])
def test_names_in_the_public_note_stay_on_their_line(tmp_path: Path, name: str) -> None:
    frame = pa.table({name: [["x"], ["x"]]})
    package.anonymize(frame, package.KmAnonymity(k=2, m=2), items=name).save(tmp_path / "out")
    note = (tmp_path / "out/public/README.md").read_text(encoding="utf-8")
    assert [line for line in note.splitlines() if line.startswith("- ") and ": a list of items" in line]


def test_items_are_counted_in_the_data_and_not_in_the_hierarchy_alone(tmp_path: Path) -> None:
    """`c` is in the hierarchy, and is kept by the cut, but nobody has it."""
    tree = Taxonomy.from_parents(["any", "a", "c", "pair", "b1", "b2"], [-1, 0, 0, 0, 3, 3])
    frame = pa.table({"items": [["a", "b1"], ["a", "b2"], ["a"]]})
    release = package.anonymize(frame, package.KmAnonymity(k=2, m=1), items="items", hierarchy=tree, seed=1)
    text = Tags(release.report(tmp_path / "report.html").read_text(encoding="utf-8")).text
    assert "items of the hierarchy kept: 2 of 4; groups: 1;" in text
    assert "Of the 3 items that occur, 1 are shown by their own name." in text


def test_a_bar_stands_right_after_its_number() -> None:
    drawn = document("t", [], [Section("s", [Bars([("a", 4, 7), ("b", 1, 9)], ("name", "records", "of"), length=1)])])
    cells = re.findall(r"<t[hd](?: [^>]*)?>(.*?)</t[hd]>", drawn)
    assert cells[:4] == ["name", "records", "", "of"]
    assert cells[4:8] == [
        "a",
        "4",
        '<svg width="100.0%" aria-hidden="true"><rect width="100%" height="100%" rx="2"/></svg>',
        "7",
    ]
    assert cells[8:] == [
        "b",
        "1",
        '<svg width="25.0%" aria-hidden="true"><rect width="100%" height="100%" rx="2"/></svg>',
        "9",
    ]
