"""The report and the public note: what they tell, and that no value of the data can do harm in them."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pyarrow as pa
import pytest

import tacit as package
from commands import make_shop, tacit
from tacit.baskets import read_items
from tacit.report.baskets import samples, shown_items

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
    return package.anonymize(frame, promise, items=SCRIPT, hierarchy=tree, sensitive_items=["s<b>"], **options)


def test_values_are_inert(tmp_path: Path) -> None:
    release = evil_release()
    assert "group <u>" in release.recoding.columns[SCRIPT].published
    assert release.recoding.columns[SCRIPT].suppressed == ("y<i>",)
    page = Tags(release.report(tmp_path / "report.html").read_text(encoding="utf-8"))
    known = "html head meta title style body h1 h2 p div table tr th td span"
    assert {tag for tag, _ in page.tags} == set(known.split())
    allowed = {"lang", "charset", "name", "content", "class", "style"}
    assert {name for _, attributes in page.tags for name in attributes} <= allowed
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
    told = ("The promise holds.", "km (k = 2, m = 2)", "0.1205", "mhghs", "Suppressed everywhere: caviar", "alcohol")
    for part in told:
        assert part in text
    assert hashlib.sha256((tmp_path / "out/public/data.csv").read_bytes()).hexdigest() in text


def test_no_password_in_the_page(tmp_path: Path) -> None:
    release = evil_release()
    source = replace(release.job.input, source="postgresql://me:s3cret@host/shop")
    release.job = replace(release.job, input=source)
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
