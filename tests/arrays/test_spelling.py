"""Equal numbers are published in one spelling, and the audits take them for one value."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import tacit
from tacit.arrays.spelling import in_one_spelling
from tacit.audits.views.cells import Cells
from tacit.audits.views.columns import with_numbers_once
from tacit.errors import AuditFailure, PromiseError
from tacit.job import Column, Input, Job, Output
from tacit.promises import KAnonymity, LDiversity


def spelt(values: Sequence[str | None], role: str = "plain", **keys: object) -> list[str | None]:
    table = pa.table({"x": pa.array(values, pa.string())})
    job = Job(Input("x", missing=("", "NA")), (Column("x", role, **keys),), KAnonymity(2), Output(Path("out")))  # type: ignore[arg-type]
    return in_one_spelling(table, job, ())["x"].to_pylist()


@pytest.mark.parametrize("role", ["quasi", "sensitive", "plain", "rating"])
def test_the_most_frequent_spelling(role: str) -> None:
    assert spelt(["1.50", "1.5", "1.50", "2"], role) == ["1.50", "1.50", "1.50", "2"]


def test_ties_are_for_the_shortest_and_then_for_the_first_text() -> None:
    assert spelt(["1.50", "1.5"]) == ["1.5", "1.5"]
    assert spelt(["7.0", "+07", "007"]) == ["+07"] * 3


def test_what_means_no_value_stays() -> None:
    assert spelt(["1.50", "NA", None, "1.5", ""]) == ["1.5", "NA", None, "1.5", ""]
    assert spelt(["3.0", " ", "3"], "rating") == ["3", " ", "3"], "a blank is no rating"


def test_text_keeps_its_characters() -> None:
    assert spelt(["1.50", "1.5", "one"]) == ["1.50", "1.5", "one"]
    assert spelt(["1.50", "1.5"], type="category") == ["1.50", "1.5"]
    assert spelt(["1.50", "1.5"], "quasi", hierarchy=Path("h.csv")) == ["1.50", "1.5"]
    assert spelt(["1.50", "1.5"], "identifier") == ["1.50", "1.5"]


def test_numbers_that_are_only_nearly_equal_stay_different() -> None:
    nearly = ["9007199254740993", "9007199254740992", "9007199254740993.0"]
    assert spelt(nearly) == [nearly[0], nearly[1], nearly[0]]


@pytest.mark.parametrize("odd", [2.0, float("inf")])
def test_zero_has_one_sign_in_columns_of_numbers(odd: float) -> None:
    """Whose zero has another sign would be the only one. With infinity the column has labels, which are no other."""
    zeros = pa.array([0.0, -0.0, -0.0, odd, odd, 0.0])
    table = pa.table({"q": zeros, "p": zeros})
    found = tacit.anonymize(table, KAnonymity(2), quasi="q", plain="p").data
    assert {str(value) for value in found["p"].to_pylist()} == {"0.0", str(odd)}
    assert {str(value) for value in found["q"].to_pylist()} == {"0", f"{odd:g}"}
    alike = pa.table({"q": [1] * 6, "s": zeros})
    result = tacit.audit(alike, LDiversity(k=2, l=2), quasi="q", sensitive="s")
    assert result.satisfied is False and "4 of 6 records" in str(result)
    with pytest.raises(PromiseError, match="one value in 4 of 6 records"):
        tacit.anonymize(alike, LDiversity(k=2, l=2), quasi="q", sensitive="s")


def test_categories_and_chunks() -> None:
    column = pa.chunked_array([["1.50", None], ["1.5", "1.5"]]).dictionary_encode()
    job = Job(Input("x"), (Column("x", "plain"),), KAnonymity(2), Output(Path("out")))
    found = in_one_spelling(pa.table({"x": column}), job, ())["x"]
    assert found.to_pylist() == ["1.5", None, "1.5", "1.5"] and found.type == column.type


def test_a_release_and_its_audit() -> None:
    """A reader sees no spelling of one person, and the sensitive column has one value where it has one number."""
    frame = pa.table(
        {
            "age": ["20", "20.0", "20", "31"] * 2,
            "pay": ["7.50", "7.5", "7.5", "8"] * 2,
            "note": ["1", "1.0", "1", "2"] * 2,
        }
    )
    release = tacit.anonymize(frame, tacit.KAnonymity(k=2), quasi="age", sensitive="pay", plain="note")
    assert sorted(set(release.data["age"].to_pylist())) == ["20", "31"]
    assert sorted(set(release.data["pay"].to_pylist())) == ["7.5", "8"]
    assert sorted(set(release.data["note"].to_pylist())) == ["1", "2"]
    with pytest.raises(tacit.PromiseError):
        one = pa.table({"age": ["20"] * 4, "pay": ["7.50", "7.5"] * 2})
        tacit.anonymize(one, tacit.LDiversity(k=2, l=2, kind="distinct"), quasi="age", sensitive="pay")


def test_the_audit_counts_a_number_once() -> None:
    published = pa.table({"age": ["20"] * 4, "pay": ["7.50", "7.5"] * 2})
    promise = tacit.LDiversity(k=2, l=2, kind="distinct")
    assert tacit.audit(published, promise, quasi="age", sensitive="pay").satisfied is False
    as_text = {"pay": {"type": "category"}}
    assert tacit.audit(published, promise, quasi="age", sensitive="pay", column_settings=as_text).satisfied is True


def test_the_audit_has_code_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """A spelling that changes the number is found."""
    monkeypatch.setattr(
        "tacit.flow.in_one_spelling", lambda table, *_: table.set_column(1, "pay", pa.array(["7.5", "7.05"] * 2))
    )
    frame = pa.table({"age": ["20"] * 4, "pay": ["7.5", "7.50"] * 2})
    with pytest.raises(AuditFailure, match="not true to the original") as failure:
        tacit.anonymize(frame, tacit.KAnonymity(k=2), quasi="age", sensitive="pay")
    assert "not cover" in str(failure.value.in_full)


def test_numbers_once() -> None:
    cells, spellings = with_numbers_once(
        Cells("x", np.array([0, 1, 2, 3, 4]), ("1.50", "2", "1.5", "2.0", ""), 4), Column("x", "sensitive")
    )
    assert cells.codes.tolist() == [0, 1, 0, 1, 2] and cells.texts == ("1.50", "2", "") and cells.missing == 2
    assert spellings == {"1.50": 0, "2": 1, "1.5": 0, "2.0": 1}
