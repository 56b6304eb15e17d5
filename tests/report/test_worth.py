"""A release that is safe and tells nothing does not look like a good one, wherever it is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import tacit as package
from support.commands import tacit, write_csv
from tacit import KAnonymity, KEpsAnonymity, KKmAnonymity, KmAnonymity, LDiversity, PromiseError, SlicedDiversity
from tacit.baskets.distributions import classes
from tacit.compare.table import as_csv, as_text
from tacit.records.report import group_records
from tacit.report.html import document, verdict
from tacit.report.page import _cost
from tacit.report.public import public_readme

LISTS = pa.list_(pa.string())
TOWNS = [f"t{i}" for i in range(12)]


def people(rows: int = 12) -> pa.Table:
    """Towns are all different, so that nothing of them is left; everybody is of one of two ages."""
    return pa.table({"town": [TOWNS[i % 12] for i in range(rows)], "age": [20 + 30 * (i % 2) for i in range(rows)]})


def worthless() -> package.Release:
    return package.anonymize(people(), KAnonymity(12), quasi=["town", "age"], seed=1)


def test_a_value_that_may_be_any_counts_as_suppressed() -> None:
    found = worthless().utility
    assert found["suppressed_by_attribute"] == {"town": 1.0, "age": 1.0}
    assert (found["suppressed"], found["generalized"], found["unchanged"]) == (1.0, 0.0, 0.0)
    half = package.anonymize(people(), KAnonymity(6), quasi=["town", "age"], seed=1).utility
    assert half["unchanged_by_attribute"]["age"] == 1.0 and half["suppressed_by_attribute"]["age"] == 0.0
    assert half["ncp_by_attribute"] == {"town": 0.5, "age": 0.0} and half["ncp"] == 0.25


def test_the_box_is_amber_and_the_note_says_it() -> None:
    release = worthless()
    (doubt,) = release.kind.tells_nothing(release.utility)
    assert doubt.startswith("'town', 'age' tell nothing any more")
    assert doubt in public_readme(release, "data.csv")
    fine = package.anonymize(people(), KAnonymity(2), quasi=["town", "age"], seed=1)
    assert not fine.kind.tells_nothing(fine.utility)


def test_amber_is_green_with_doubts_and_long_audits_are_folded() -> None:
    assert verdict(["fine"], good=True) == '<div class="verdict">fine</div>'
    amber = verdict(["fine"], good=True, doubts=["<b> tells nothing"], more=["weakest"])
    assert 'class="verdict doubtful"' in amber and "<strong>&lt;b&gt; tells nothing</strong>" in amber
    assert "<details" in amber and amber.index("tells nothing") < amber.index("weakest")
    assert ".verdict.doubtful" in document("t", [], [])


def write_people(folder: Path) -> Path:
    write_csv(
        folder / "people.csv", [{"town": t, "age": str(a)} for t, a in zip(*people().to_pydict().values(), strict=True)]
    )
    job = folder / "job.toml"
    job.write_text(
        '[input]\nsource = "people.csv"\n[columns.town]\nrole = "quasi"\n[columns.age]\nrole = "quasi"\n'
        '[privacy]\nmodel = "k"\nk = 12\n'
    )
    return job


def test_the_command_warns_and_strict_publishes_nothing(tmp_path: Path) -> None:
    job = write_people(tmp_path)
    ended = tacit("anonymize", job)
    assert ended.code == 0 and "note: 'town', 'age' tell nothing any more" in ended.err
    assert 'class="verdict doubtful"' in (tmp_path / "out/private/report.html").read_text(encoding="utf-8")
    strict = tacit("anonymize", job, "-o", tmp_path / "strict", "--strict")
    assert strict.code == 3 and "Nothing was published" in strict.err and not (tmp_path / "strict").exists()
    assert tacit("anonymize", job, "--set", "privacy.k=2", "-o", tmp_path / "two", "--strict", "--no-report").code == 0


BASKETS = pa.table({"basket": pa.array([[f"i{i}"] for i in range(12)] + [["a", "b"]] * 3, LISTS)})
RATINGS = pa.table({"q": [3] * 12, "r": [None, *[4] * 11], "s": [*[2] * 11, None]})
AGED = BASKETS.append_column("age", [["1"] * 15])
CASES: list[tuple[Any, pa.Table, dict[str, Any], str]] = [
    (KAnonymity(12), people(), {"quasi": ["town", "age"]}, "tell nothing"),
    (KmAnonymity(3, 2), BASKETS, {"items": "basket", "method": "mhghs"}, "Most items tell nothing"),
    (KKmAnonymity(15, 2), AGED, {"quasi": "age", "items": "basket"}, "Many items tell nothing"),
    (SlicedDiversity(2), people(4), {"quasi": ["age"], "sensitive": ["town"]}, ""),
    (KEpsAnonymity(12), RATINGS, {"rating": ["q", "r", "s"], "scale": (1, 5), "step": 1}, "Most ratings tell nothing"),
]  # fmt: skip


@pytest.mark.parametrize(("promise", "frame", "roles", "told"), CASES, ids=lambda each: getattr(each, "name", ""))
def test_strict_in_python_refuses_what_the_kind_calls_worthless(
    promise: Any, frame: pa.Table, roles: dict[str, Any], told: str
) -> None:
    try:
        release = package.anonymize(frame, promise, **roles, seed=1)
    except PromiseError:
        pytest.fail("there is a release")
    doubts = release.kind.tells_nothing(release.utility)
    assert told in " ".join(doubts) and bool(doubts) is bool(told)
    if told:
        with pytest.raises(PromiseError, match="tell nothing any more"):
            package.anonymize(frame, promise, **roles, seed=1, strict=True)


def test_a_sliced_release_never_says_that_nothing_was_lost() -> None:
    release = package.anonymize(people(), SlicedDiversity(2), quasi=["age"], sensitive=["town"], seed=1)
    note = public_readme(release, "data.csv")
    assert "0 % is the original" not in note and "NCP" not in note and "belongs together no more" in note
    records = package.anonymize(people(), KAnonymity(2), quasi=["town", "age"], seed=1)
    assert "0 % is the original" in public_readme(records, "data.csv")


def test_what_is_left_is_told_before_the_losses() -> None:
    release = package.anonymize(people(), KAnonymity(2), quasi=["town", "age"], seed=1)
    grid, _, by_attribute, folded = _cost(release.utility)
    names = [row[0] for row in grid.rows]  # type: ignore[union-attr]
    assert names[0] == "values shown as they were"
    assert next(i for i, name in enumerate(names) if "error of counts" in name) < next(
        i for i, name in enumerate(names) if "NCP" in name
    )
    assert [row[0] for row in by_attribute.rows] == ["town", "age"]  # type: ignore[union-attr]
    assert by_attribute.rows[1][1] == "100.0%"  # type: ignore[union-attr]
    assert folded.title.startswith("Measures of papers")  # type: ignore[union-attr]


def test_classes_of_sizes_begin_at_k() -> None:
    release = package.anonymize(people(36), KAnonymity(3), quasi=["town", "age"], seed=1)
    shown = group_records(release.before, release.recoding, 3)
    assert [each["size"] for each in shown if each["when"] == "after"][:1] == ["3"] or "3–4" in {
        e["size"] for e in shown
    }
    sizes = {each["size"] for each in classes(*[pa.array([1, 2, 7]).to_numpy()] * 2, edge=7)}
    assert sizes == {"1", "2–4", "5–6", "7"}


def test_columns_that_tell_everybody_apart_and_close_numbers_are_named() -> None:
    frame = pa.table({"age": [str(i % 4) for i in range(80)], "pay": [f"{1000 + i / 100:.2f}" for i in range(80)]})
    notes = " ".join(package.anonymize(frame, LDiversity(2, 2), quasi="age", sensitive="pay", seed=1).notes)
    assert "'pay' has 80 different values in 80 records" in notes and "'t' compares distributions" in notes
    close = pa.table({"age": [str(i % 4) for i in range(8)], "pay": ["1000", "1001"] * 4})
    told = package.anonymize(close, LDiversity(2, 2), quasi="age", sensitive="pay", seed=1).notes
    assert any("lie within 5% of each other" in note for note in told)
    for promise in (SlicedDiversity(2),):
        assert any("80 different" in n for n in package.anonymize(frame, promise, quasi="age", sensitive="pay").notes)
    far = pa.table({"age": [str(i // 2) for i in range(8)], "pay": ["1", "2", "500", "501", "1", "900", "1", "900"]})
    told = package.anonymize(far, LDiversity(2, 2), quasi="age", sensitive="pay", seed=1).notes
    assert any("in 2 of 4 groups values of 'pay' are within 5% of its range" in note for note in told)
    wide = {"pay": {"width": 100}}
    told = package.anonymize(far, LDiversity(2, 2), quasi="age", sensitive="pay", seed=1, column_settings=wide).notes
    assert not any("within" in note for note in told)
    codes = {"pay": {"type": "category"}}  # of parties, say: none is near to another
    for frame in (far, close):
        told = package.anonymize(frame, LDiversity(2, 2), quasi="age", sensitive="pay", seed=1, column_settings=codes)
        assert not any("within" in note for note in told.notes)


def test_a_comparison_prints_both_losses_and_no_endless_digits() -> None:
    outcome: dict[str, Any] = {
        "method": "rum-bound", "model": "k-km", "parameters": {"k": 2}, "settings": {}, "status": "done",
        "utility": {"ncp": 1 / 6, "ncp_items": 100 / 6, "group_sizes": {"mean": 100 / 6}},
    }  # fmt: skip
    head, row = as_text([outcome]).splitlines()
    assert "ncp  ncp_items" in head and "0.1667       16.7" in row
    assert "16.66666667" in as_csv([{"mean": 100 / 6}]) and "16.666666666666668" not in as_csv([{"mean": 100 / 6}])
