"""The report and the public note of records, slices and ratings: the records of their charts, and hostile names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest
from test_report_page import EVIL, SCRIPT, Tags

import tacit as package
from support.commands import tacit as run
from tacit.arrays.attributes import Attribute, spans
from tacit.baskets.data import published_items
from tacit.ratings import report as ratings
from tacit.ratings.measures import Sparse
from tacit.records.distributions import distribution_records, expected_counts
from tacit.records.report import group_records, shown_names
from tacit.report.blocks import Chart, Section
from tacit.slices import report as slices
from tacit.steps import judging

LONG = "y" * 300


def evil_records() -> package.Release:
    """Twelve people; every name of a column and every value is an attack."""
    rng = np.random.default_rng(1)
    frame = pa.table(
        {
            SCRIPT: [EVIL[i % 6] for i in range(12)],
            "age": [str(20 + i) for i in range(12)],
            '"items" <i>': [[EVIL[i] for i in rng.permutation(6)[:3]] + [LONG] for _ in range(12)],
        }
    )
    promise = package.KKmAnonymity(k=3, m=1)
    return package.anonymize(frame, promise, quasi=[SCRIPT, "age"], items='"items" <i>', seed=1)


def evil_slices() -> package.Release:
    frame = pa.table(
        {
            SCRIPT: [EVIL[i % 3] for i in range(24)],
            "<b>": [EVIL[i % 4] for i in range(24)],
            LONG: [EVIL[i % 6] + str(i % 2) for i in range(24)],
        }
    )
    return package.anonymize(frame, package.SlicedDiversity(l=2), quasi=[SCRIPT, "<b>"], sensitive=[LONG], seed=1)


def evil_ratings() -> package.Release:
    rng = np.random.default_rng(2)
    frame = pa.table({name: rng.integers(1, 6, 20) for name in (*EVIL, LONG)})
    return package.anonymize(frame, package.KEpsAnonymity(k=3, eps=1), rating=[*EVIL, LONG], seed=1)


RELEASES = {"records": evil_records, "slices": evil_slices, "ratings": evil_ratings}


@pytest.mark.parametrize("make", RELEASES.values(), ids=list(RELEASES))
def test_hostile_names_do_nothing(make: Callable[[], package.Release], tmp_path: Path) -> None:
    release = make()
    page = Tags(release.report(tmp_path / "report.html").read_text(encoding="utf-8"))
    assert not {"script", "img", "i", "b", "u", "iframe", "link"} & {tag for tag, _ in page.tags}
    assert not any(key.startswith("on") or key in ("src", "href") for _, found in page.tags for key in found)
    assert "alert(1)" in page.text, "shown, as text"
    assert [tag for tag, _ in page.tags].count("svg") >= 1
    assert "The promise holds." in page.text
    for heading in ("What it cost", "before and after", "How it was made", "What it does not stop"):
        assert heading in page.text


@pytest.mark.parametrize("make", RELEASES.values(), ids=list(RELEASES))
def test_a_failed_audit_is_red_on_top_and_nothing_is_called_published(
    make: Callable[[], package.Release], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    from tacit.audits.result import AuditResult
    from tacit.release import Verdict

    release = make()
    failed: AuditResult = replace(release.audit, satisfied=False)
    monkeypatch.setattr(judging, "verdict_on", lambda release, published: Verdict(failed))
    page = release.report(tmp_path / "report.html").read_text(encoding="utf-8")
    tags = Tags(page)
    assert next(found.get("class") for tag, found in tags.tags if tag == "div") == "verdict bad"
    assert tags.text.index("NOT SAFE") < tags.text.index("What it would have cost")
    assert "What it cost" not in tags.text
    assert tags.text.count("not on the data that failed the check") == 1
    assert "publish" not in tags.text.lower()
    assert "svg" not in {tag for tag, _ in tags.tags}


def charts_of(sections: list[Section]) -> dict[str, Chart]:
    return {block.title: block for section in sections for block in section.blocks if isinstance(block, Chart)}


def test_values_are_spread_over_what_they_may_be() -> None:
    group, sizes = np.array([0, 0, 1, 1, 2], np.int32), np.array([2, 2, 1])
    numbers = Attribute(
        "n", np.array([0, 1, 1, 2, 3], np.int32), ("1", "2", "5", ""), 3, np.array([1.0, 2.0, 5.0, np.nan])
    )
    found = expected_counts(numbers, spans(numbers, group, 3), sizes)
    assert found.tolist() == [1, 2, 1, 1], "[1:2] twice, [2:5] twice, and a missing one"
    flat = Attribute("f", np.array([0, 2, 1, 1, 0], np.int32), ("a", "b", "c"))
    assert expected_counts(flat, spans(flat, group, 3), sizes).tolist() == [2, 2, 1], "(a,c) twice, b twice, a"
    tree = package.Taxonomy.from_paths([["a", "A", "*"], ["b", "A", "*"], ["c", "*"]])
    leaves = np.array([tree.names.index(name) for name in "abc"], np.int32)
    nodes = Attribute("t", np.array([0, 1, 2, 2, 0], np.int32), ("a", "b", "c"), tree=tree, leaf_of_code=leaves)
    assert expected_counts(nodes, spans(nodes, group, 3), sizes).tolist() == [2, 1, 2], "A twice, c twice, a"


def test_a_suppressed_value_may_be_any() -> None:
    attribute = Attribute("n", np.array([0, 2, 1, 1], np.int32), ("1", "2", ""), 2, np.array([1.0, 2.0, np.nan]))
    found = expected_counts(attribute, spans(attribute, np.array([0, 0, 1, 1], np.int32), 2), np.array([2, 2]))
    assert found == pytest.approx([2 / 3, 2 + 2 / 3, 2 / 3])


def test_many_values_are_drawn_in_classes() -> None:
    numbers = Attribute("n", np.arange(100, dtype=np.int32), tuple(map(str, range(100))), -1, np.arange(100.0))
    records = distribution_records(numbers, np.ones(100), np.full(100, 0.5))
    assert len(records) == 24
    assert records[0] == {"value": "0 – 8", "records": 9.0, "when": "before"}
    assert sum(record["records"] for record in records if record["when"] == "after") == pytest.approx(50)
    counts = np.arange(1.0, 31.0)
    words = Attribute("w", np.arange(30, dtype=np.int32), (*(f"w{i}" for i in range(29)), ""), 29)
    named = distribution_records(words, counts, counts)
    assert [record["value"] for record in named[:13]] == [*(f"w{i}" for i in range(18, 29)), "18 others", "(missing)"]
    assert named[11]["records"] == sum(range(1, 19))


def test_the_charts_of_records() -> None:
    release = evil_records()
    drawn = charts_of(list(release.kind.sections(release)))
    assert {SCRIPT, "age", "How many records look alike", "How frequent the items are"} <= set(drawn)
    for name in (SCRIPT, "age"):
        for when in ("before", "after"):
            total = sum(record["records"] for record in drawn[name].records if record["when"] == when)
            assert total == pytest.approx(12, abs=0.1)
    alike = group_records(release.before, release.recoding)
    assert [record for record in alike if record["when"] == "before" and record["records"]] == [
        {"size": "1", "records": 12, "when": "before"}
    ]
    assert sum(record["records"] for record in alike if record["when"] == "after" and record["size"] == "1") == 0


def test_the_most_frequent_names_of_items() -> None:
    frame = pa.table({"age": ["1", "1", "2", "2"], "items": [["a", "b"], ["a"], ["b", "a"], ["a"]]})
    tree = package.Taxonomy.from_paths([["a", "*"], ["b", "B", "*"], ["c", "B", "*"]])
    release = package.anonymize(
        frame, package.KKmAnonymity(k=2, m=1), quasi=["age"], items="items", hierarchy={"items": tree}, seed=1
    )
    after = published_items(release.view.items)
    found = shown_names(release.recoding, after, 0)
    assert found[0][1] == 4, "the most frequent first"
    for name, records, leaves in found:
        holders = sum(name in basket for basket in release.table["items"].to_pylist())
        assert (records, leaves) == (holders, {"a": 1, "b": 1, "B": 2, "*": 3, "(a,b)": 2}[name])


def test_the_charts_of_ratings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ratings, "_AT_ONCE", 2)
    before = Sparse(np.array([0, 2, 3]), np.array([0, 1, 0]), np.array([1.0, 4.0, 5.0]))
    after = Sparse(np.array([0, 1, 3]), np.array([0, 0, 1]), np.array([1.0, 4.0, 2.0]))
    assert ratings.fates(before, after, 2).tolist() == [[1, 0], [1, 0], [0, 1], [0, 1]], "same, moved, blanked, filled"
    assert ratings.rating_records(before.numbers, after.numbers) == [
        {"rating": rating, "ratings": count, "when": when}
        for when, counts in (("before", (1, 0, 1, 1)), ("after", (1, 1, 1, 0)))
        for rating, count in zip(("1", "2", "4", "5"), counts, strict=True)
    ]
    many = ratings.rating_records(np.arange(100.0), np.arange(50.0))
    assert [len(many), sum(record["ratings"] for record in many)] == [24, 150]
    release = evil_ratings()
    drawn = charts_of(ratings.rating_sections(release))
    kept = {record["what"]: record["ratings"] for record in drawn["All ratings"].records}
    assert sum(kept.values()) == 7 * 20
    assert kept["as it was"] / 140 == pytest.approx(release.utility["unchanged"])
    assert len(drawn["Mean of each issue"].records) == 7
    by_issue = [record["ratings"] for record in drawn["Issue by issue"].records]
    assert sum(by_issue) == 140


def test_a_bucket_before_and_after() -> None:
    release = evil_slices()
    grids = slices.slice_sections(release)[-1].blocks
    before, after = grids[1], grids[3]
    assert before.head == release.before.names  # type: ignore[union-attr]
    rows = len(before.rows)  # type: ignore[union-attr]
    assert rows == len(after.rows) >= 2  # type: ignore[union-attr]
    shown = {SCRIPT: [], "<b>": [], LONG: []}  # type: dict[str, list[str]]
    for row in after.rows:  # type: ignore[union-attr]
        for head, cell in zip(release.table.column_names[1:], row[1:], strict=True):
            shown[head.split(".", 1)[1]].append(cell)
    for at, name in enumerate(release.before.names):
        column = [row[at] for row in before.rows]  # type: ignore[union-attr]
        assert sorted(column) == sorted(shown[name]), "the same values, perhaps of other people"
    drawn = charts_of(slices.slice_sections(release))
    assert len(next(iter(drawn.values())).records) == 6


def note_of(release: package.Release, folder: Path) -> str:
    release.save(folder / "out", report=False)
    return (folder / "out/public/README.md").read_text(encoding="utf-8")


def test_the_note_on_records_names_no_value(tmp_path: Path) -> None:
    towns = [f"town{i}" for i in range(12)]
    ages = [str(7_031 + i) for i in range(12)]
    items = [[f"item{i}", "frequent"] for i in range(12)]
    frame = pa.table({"town": towns, "age": ages, "illness": ["flu", "cold"] * 6, "items": items})
    note = note_of(
        package.anonymize(
            frame, package.KKmAnonymity(k=3, m=1), quasi=["town", "age"], sensitive=["illness"], items="items", seed=1
        ),
        tmp_path,
    )
    for value in (*towns, *ages, *(name for basket in items for name in basket), "flu", "cold"):
        assert value not in note
    for part in ("`(B,D)`", "`[15:25]`", "Both ends", "`illness`: as in the original", "at least one of them"):
        assert part in note


def test_the_note_tells_of_missing_values_in_sets(tmp_path: Path) -> None:
    frame = pa.table({"town": ["", "a", "", "b", "c", "d"], "sex": ["f", "f", "f", "m", "m", "m"]})
    release = package.anonymize(frame, package.KAnonymity(k=3), quasi=["town", "sex"], seed=1)
    assert "(,a)" in release.table["town"].to_pylist()
    assert "Nothing before a comma, as in `(,B)`, is a missing value" in note_of(release, tmp_path)


def test_the_note_on_ratings_hides_the_scale_that_was_only_found(tmp_path: Path) -> None:
    """One person's rating of 97 is moved: the note must not tell of it."""
    frame = pa.table({"film": [1, 2, 1, 2, 3, 97], "book": [2, 2, 2, 2, 2, 2]})
    release = package.anonymize(frame, package.KEpsAnonymity(k=3, eps=1), rating=["film", "book"], seed=1)
    assert 97 not in release.table["film"].to_pylist()
    note = note_of(release, tmp_path)
    assert "97" not in note
    assert "An empty cell means that the person did not rate the issue, or that the rating was blanked" in note


@pytest.mark.parametrize(
    ("markers", "said", "unsaid"),
    [
        (["5", "6", "7"], [], ["missing"]),
        (["", "", "5"], ["An empty cell is a missing value."], ["`NA`"]),
        (["NA", "NA", "5"], ["`NA` is a missing value."], ["empty cell"]),
    ],
)
def test_the_notes_name_what_is_published_for_missing_values(
    markers: list[str], said: list[str], unsaid: list[str], tmp_path: Path
) -> None:
    frame = pa.table({"age": ["1", "2", "3"] * 4, "illness": markers * 4, "other": ["x", "y", "z"] * 4})
    roles = {"quasi": ["age"], "sensitive": ["illness"], "missing": ("", "NA"), "seed": 1}
    slices = package.anonymize(frame, package.SlicedDiversity(1.5), **roles)  # type: ignore[arg-type]
    records = package.anonymize(frame, package.KAnonymity(k=2), **roles)  # type: ignore[arg-type]
    for name, release in (("slices", slices), ("records", records)):
        note = note_of(release, tmp_path / name)
        how = note[note.index("## How to read") : note.index("## What it cost")]
        assert all(line in how for line in said)
        assert not any(line in how for line in unsaid)


def test_the_note_says_that_missing_sensitive_values_are_hidden(tmp_path: Path) -> None:
    pa_csv.write_csv(pa.table({"age": ["1", "NA"] * 6, "illness": ["flu", "NA", "cold"] * 4}), tmp_path / "people.csv")
    job = """[input]
source = "people.csv"
missing = ["NA"]
[columns.age]
role = "quasi"
type = "category"
[columns.illness]
role = "sensitive"
missing = "suppress"
[privacy]
model = "k"
k = 2
"""
    (tmp_path / "job.toml").write_text(job)
    assert run("anonymize", str(tmp_path / "job.toml"), "-o", str(tmp_path / "out"), "--no-report").code == 0
    note = (tmp_path / "out/public/README.md").read_text(encoding="utf-8")
    assert "- `illness`: as in the original, except that a missing value is `*`." in note
    assert "  - `NA` is a missing value: the value is missing in the original, too." in note


def test_the_note_on_slices_says_that_a_row_is_no_person(tmp_path: Path) -> None:
    note = note_of(evil_slices(), tmp_path)
    for part in ("A row of this file is no person", "`bucket`", "slice 1", "l = 2, joint = false"):
        assert part in note
    for value in EVIL[1:4]:
        assert value not in note
