"""What is unknown, missing or does not fit ends in an error, and never in a promise that holds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pytest

import tacit
from support.commands import tacit as command
from support.views import basket_original, basket_view, cells, list_job, lists, record_view
from tacit import audits
from tacit.audits import cahd, k_km, k_lm, l, lm
from tacit.audits.result import AuditResult
from tacit.audits.truth.baskets import false_values
from tacit.errors import InputError
from tacit.job import Column, Input, Job, Output
from tacit.promises import (
    Cahd,
    Coherence,
    KAnonymity,
    KEpsAnonymity,
    KKmAnonymity,
    KLmDiversity,
    KmAnonymity,
    LDiversity,
    LmDiversity,
    Promise,
    SlicedDiversity,
)
from tacit.steps.judging import audit_file

PEOPLE = pa.table({"age": ["1", "1", "1"], "illness": ["flu", "flu", "cold"]})


def people_job(promise: Promise, *columns: Column, layout: str = "wide") -> Job:
    quasi = Column("age", "quasi")
    return Job(Input("test", layout=layout), (quasi, *columns), promise, Output(Path("out")))


@dataclass(frozen=True)
class Forgetful(LDiversity):
    """A promise about sensitive columns that does not say so."""

    roles: ClassVar[tuple[str, ...]] = ("quasi",)


@dataclass(frozen=True)
class Nameless(KmAnonymity):
    """A promise whose audit nobody wrote."""

    name: ClassVar[str] = "nameless"
    audit: ClassVar[str] = "tacit.audits.nameless"


@dataclass(frozen=True)
class Borrowed(KAnonymity):
    """A promise that names another one's audit."""

    name: ClassVar[str] = "borrowed"
    audit: ClassVar[str] = "tacit.audits.borrowed"


def test_a_result_cannot_hold_where_something_breaks_it() -> None:
    with pytest.raises(ValueError, match="cannot hold"):
        AuditResult("km", {}, True, None, [{"itemset": ["a"], "support": 1}])
    held = AuditResult("km", {}, True, None, [])
    with pytest.raises(ValueError, match="cannot hold"):
        replace(held, violations=[{"itemset": ["a"], "support": 1}])


def test_a_promise_without_an_audit() -> None:
    job = list_job(Column("x", "items"), promise=Nameless(2, 2))
    with pytest.raises(ModuleNotFoundError):
        audits.audit(audits.read_view(lists([["a"], ["a"]]), job), job)


def test_an_audit_that_answers_for_another_promise(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys
    from types import SimpleNamespace

    other = SimpleNamespace(audit=lambda view, promise: AuditResult("k", {"k": 1}, True, None, []))
    monkeypatch.setitem(sys.modules, "tacit.audits.borrowed", other)
    job = people_job(Borrowed(2))
    with pytest.raises(ValueError, match="answered for 'k'"):
        audits.audit(audits.read_view(PEOPLE, job), job)


@pytest.mark.parametrize("promise", [KAnonymity(1), SlicedDiversity(2), KEpsAnonymity(1, 1)])
def test_a_view_of_another_kind(promise: Promise) -> None:
    with pytest.raises(ValueError, match="not about baskets"):
        audits.audit(basket_view([["a"]]), list_job(Column("x", "items"), promise=promise))


# A sensitive column that is not there


def test_a_file_without_its_sensitive_column() -> None:
    job = people_job(LDiversity(2, 1.1), Column("illness", "sensitive"))
    assert audits.audit(audits.read_view(PEOPLE, job), job).satisfied
    with pytest.raises(InputError, match="the data has no such column"):
        audits.read_view(PEOPLE.drop_columns(["illness"]), job)


def test_a_file_without_its_sensitive_column_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("age\n1\n1\n")
    columns = '[columns.age]\nrole = "quasi"\n[columns.illness]\nrole = "sensitive"\n'
    job = tmp_path / "job.toml"
    job.write_text(f'[input]\nsource = "people.csv"\n{columns}[privacy]\nmodel = "l"\nk = 2\nl = 2\n')
    ended = command("audit", job, tmp_path / "people.csv")
    assert ended.code == 2
    assert "holds" not in ended.out


def test_a_promise_that_forgot_to_say_that_it_is_about_sensitive_columns() -> None:
    job = people_job(Forgetful(2, 1.1), Column("illness", "sensitive"))
    view = audits.read_view(PEOPLE.drop_columns(["illness"]), job)
    with pytest.raises(InputError, match="the data lacks it"):
        audits.audit(view, job)
    undeclared = people_job(Forgetful(2, 1.1))
    with pytest.raises(InputError, match="none is declared"):
        audits.audit(audits.read_view(PEOPLE, undeclared), undeclared)


def test_other_promises_need_no_sensitive_column() -> None:
    job = people_job(KAnonymity(2), Column("illness", "sensitive"))
    assert audits.audit(audits.read_view(PEOPLE.drop_columns(["illness"]), job), job).satisfied


def test_a_slice_without_its_sensitive_attribute() -> None:
    table = pa.table({"bucket": [1, 1], "1.age": ["1", "2"]})
    with pytest.raises(InputError, match="no slice of the table has this attribute"):
        tacit.audit(table, SlicedDiversity(2), quasi="age", sensitive="illness")


# Sensitive items that are not declared


@pytest.mark.parametrize("promise", [LmDiversity(2, 2), Coherence(0.5, 2, 2), Cahd(2)])
def test_baskets_without_sensitive_items(promise: Promise) -> None:
    with pytest.raises(InputError, match="about sensitive items, and none is declared"):
        tacit.audit(lists([["a"], ["a"]]), promise, items="x")


def test_records_without_sensitive_items() -> None:
    table = PEOPLE.append_column("items", pa.array([["a"], ["a"], ["a"]]))
    with pytest.raises(InputError, match="about sensitive items, and none is declared"):
        tacit.audit(table, KLmDiversity(2, 2, 2), quasi="age", items="items")
    assert tacit.audit(table, KLmDiversity(2, 2, 2), quasi="age", items="items", sensitive_items=["H"]).satisfied


@pytest.mark.parametrize("check", [lambda view: lm.audit(view, LmDiversity(2, 2)), lambda view: view.sensitive()])
def test_a_view_does_not_tell_of_sensitive_items_that_nobody_declared(check: object) -> None:
    with pytest.raises(InputError, match="none is declared"):
        check(basket_view([["a"], ["a"]]))  # type: ignore[operator]


def test_the_audits_of_records_ask_the_view() -> None:
    quasi = [cells("q", ["x", "x"])]
    for view, audit in ((record_view(quasi), l.audit), (record_view(quasi, held=basket_view(["a", "a"])), k_lm.audit)):
        with pytest.raises(InputError, match="none is declared"):
            audit(view, LDiversity(2, 2) if audit is l.audit else KLmDiversity(2, 2, 2))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="no column holds any"):
        k_km.audit(record_view(quasi), KKmAnonymity(2, 2))


@pytest.mark.parametrize("rating", [["1", "1", "1"], ["1", "5", "3"]])
def test_diversity_of_ratings_of_which_none_is_sensitive(rating: list[str]) -> None:
    frame = pa.table({"i": rating})
    with pytest.raises(InputError, match="no issue is declared sensitive"):
        tacit.audit(frame, KEpsAnonymity(2, 1, l=2), rating="i", scale=(1, 5))
    assert tacit.audit(frame, KEpsAnonymity(1, 1), rating="i", scale=(1, 5)).satisfied


# Groups, layouts, identifiers


def test_groups_that_the_file_does_not_tell() -> None:
    with pytest.raises(InputError, match="no column of groups"):
        tacit.audit(lists([["a"], ["s"]]), Cahd(2), items="x", sensitive_items=["s"])
    view = basket_view([["s"], []], ["s"], groups=[1, 1])
    assert cahd.audit(view, Cahd(2)).satisfied
    with pytest.raises(InputError, match="does not tell them"):
        cahd.audit(audits.together((view, view)), Cahd(2))


def test_records_in_a_long_layout() -> None:
    job = people_job(KAnonymity(1), Column("who", "person"), layout="long")
    with pytest.raises(InputError, match="needs one row per person"):
        audits.read_view(PEOPLE, job)


IDENTIFIED = [
    (list_job(Column("x", "items"), Column("name", "identifier"), promise=KmAnonymity(1, 1)), {"x": [["a"], ["a"]]}),
    (people_job(KAnonymity(1), Column("name", "identifier")), {"age": ["1", "2"]}),
    (
        Job(
            Input("test"),
            (Column("i", "rating", scale=(1, 5)), Column("name", "identifier")),
            KEpsAnonymity(1, 1),
            Output(Path("out")),
        ),
        {"i": [1, 1]},
    ),
]


@pytest.mark.parametrize(("job", "columns"), IDENTIFIED, ids=["baskets", "records", "ratings"])
def test_no_promise_holds_beside_an_identifier(job: Job, columns: dict[str, list[object]]) -> None:
    table = pa.table(columns)
    assert audits.audit(audits.read_view(table, job), job).satisfied
    named = audits.audit(audits.read_view(table.append_column("name", pa.array(["Ann", "Bob"])), job), job)
    assert named.satisfied is False
    assert named.violations[0]["column"] == "name"


def test_no_sliced_table_keeps_its_promise_beside_an_identifier() -> None:
    columns = (Column("age", "quasi"), Column("illness", "sensitive"), Column("name", "identifier"))
    job = Job(Input("test"), columns, SlicedDiversity(2), Output(Path("out")))
    table = pa.table({"bucket": [1, 1], "1.age": ["1", "2"], "2.illness": ["flu", "cold"]})
    assert audits.audit(audits.read_view(table, job), job).satisfied
    named = table.append_column("1.name", pa.array(["Ann", "Bob"]))
    assert audits.audit(audits.read_view(named, job), job).satisfied is False


# Labels that reading could mix up


@pytest.mark.parametrize(("ages", "holds"), [("'=1 '=1", True), ("'=1 =1", False), ("=1 =1", True), ("'-9 -9", False)])
def test_formulas_that_are_escaped_and_others_stay_apart(tmp_path: Path, ages: str, holds: bool) -> None:
    """Whoever wrote `=1` and `'=1` wrote two values: taken for one, they would hide each other."""
    job = replace(people_job(KAnonymity(2)), output=Output(tmp_path, escape_formulas=True))
    for text in ("age\n" + ages.replace(" ", "\n") + "\n", "age,x\n" + ages.replace(" ", ",1\n") + ",1\n"):
        (tmp_path / "data.csv").write_text(text)
        assert audit_file(job, tmp_path / "data.csv")[0].satisfied is holds


def test_null_and_an_empty_text_are_two_values() -> None:
    job = people_job(KAnonymity(2))
    assert audits.audit(audits.read_view(pa.table({"age": ["", None]}), job), job).satisfied is False
    assert audits.audit(audits.read_view(pa.table({"age": pa.array([None, None], pa.string())}), job), job).satisfied


# The comparison with the original


def test_a_record_that_is_shown_instead_of_another_one() -> None:
    job = list_job(Column("x", "items"))
    before = basket_original(lists([["a"], ["b"], ["a"]]), job, {})
    after = audits.read_view(lists([["a"], ["b"], ["a"]]), job)
    assert false_values(before, after, np.array([2, 1, 0])) == []
    assert false_values(before, after, np.array([0, 1, 0])) == ["original records that are not shown: 1"]
