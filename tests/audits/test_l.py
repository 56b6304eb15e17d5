"""The audit of ℓ-diversity, against its definitions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from test_k import column, columns, random_rows

import tacit
from naive.relational import reached
from support.definitions import definition_holds
from support.seeds import in_parts
from support.views import record_view
from tacit import InputError, PromiseError, SlicedDiversity, TCloseness
from tacit.audits import l as audited
from tacit.audits.result import AuditResult
from tacit.audits.views.cells import Cells
from tacit.promises import LDiversity
from tacit.report.words import promised


def audit_l(quasi: list[Cells], sensitive: list[Cells], promise: LDiversity) -> AuditResult:
    return audited.audit(record_view(quasi, sensitive), promise)


@pytest.mark.parametrize("kind", ["frequency", "distinct", "entropy"])
def test_agrees_with_the_definition_on_random_tables(kind: str) -> None:
    verdicts = []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        rows, k = random_rows(rng), int(rng.integers(1, 3))
        l = int(rng.integers(2, 4)) if kind == "distinct" else float(rng.choice([1.2, 1.5, 2, 7 / 3]))  # noqa: E741
        drawn = [[f"s{n}" for n in rng.integers(0, 4, len(rows))] for _ in range(rng.integers(1, 3))]
        groups = defaultdict(list)
        for record, row in enumerate(rows):
            groups[row].append(record)
        broken = {(row, "size") for row, held in groups.items() if len(held) < k}
        levels = []
        for index, values in enumerate(drawn):
            for row, held in groups.items():
                levels.append(reached([values[r] for r in held], kind))
                if levels[-1] < l - 1e-9:
                    broken.add((row, f"s{index}"))
        sensitive = [column(f"s{index}", values, rng) for index, values in enumerate(drawn)]
        result = audit_l(columns(rows, rng), sensitive, LDiversity(k, l, kind))
        verdicts.append(result.satisfied)
        assert result.satisfied == (not broken)
        assert {(tuple(v["group"].values()), v.get("column", "size")) for v in result.violations} == broken
        assert result.facts["violation_count"] == len(broken)
        hit = {row for row, _ in broken}
        assert result.facts["records_affected"] == sum(len(groups[row]) for row in hit)
        assert result.facts["level"]["l"] == pytest.approx(min(levels), abs=2e-6)
        assert result.facts["level"]["l"] <= min(levels) + 1e-9
    assert 10 < sum(verdicts) < 190


def test_the_worst_is_the_best_guess_of_an_attacker() -> None:
    rows = [("young",)] * 4 + [("old",)] * 3
    sick = column("illness", ["flu", "flu", "flu", "cold", "flu", "cold", "cold"])
    result = audit_l(columns(rows), [sick], LDiversity(2, 2))
    assert result.worst is not None
    assert (result.worst["group"], result.worst["value"], result.worst["share"]) == ({"q0": "young"}, "flu", 0.75)
    assert "q0 young: 3 of 4 records have illness flu" in str(result)
    assert result.facts["level"] == {"k": 3, "k_is_exact": True, "l": 1.333333, "l_is_exact": True}
    assert audit_l(columns(rows), [sick], LDiversity(2, 4 / 3)).satisfied
    assert audit_l(columns(rows), [sick], LDiversity(3, 2, "distinct")).satisfied
    assert not audit_l(columns(rows), [sick], LDiversity(4, 2, "distinct")).satisfied


def test_a_missing_value_is_a_value() -> None:
    sick = column("illness", ["flu", ""])
    assert audit_l(columns([("x",), ("x",)]), [sick], LDiversity(2, 2)).satisfied


def test_no_record_breaks_no_promise() -> None:
    empty = Cells("q", np.empty(0, np.int32), ())
    result = audit_l([empty], [empty], LDiversity(2, 2))
    assert result.satisfied
    assert result.worst is None


SOME = ["10", "11", "12.5", "14", "20", "none", "NA", None]
ROLES: dict[str, Any] = {"quasi": ["age"], "sensitive": ["pay"]}


def asked_otherwise(rng: np.random.Generator, kind: str) -> dict[str, Any]:
    """Some of an own ℓ, harmless values and a width; a number too close to a bound to be told from it among them."""
    own = [{"l": 3}, {"l": 1.5 if kind == "frequency" else 2}, {}][rng.integers(3)]
    harmless = [{"harmless": ["none"]}, {"harmless": ["none", "10"]}, {}][rng.integers(3)]
    width = [{"width": 1.5}, {"width": 2.5}, {"width": 1}, {}][rng.integers(4)]
    return {**own, **harmless, **width}


@in_parts(range(300), 30)
@pytest.mark.parametrize("kind", ["frequency", "distinct"])
def test_what_columns_ask_otherwise_is_what_the_definition_says(kind: str, seeds: Sequence[int]) -> None:
    verdicts = []
    for seed in seeds:
        rng = np.random.default_rng([seed, 7])
        n, values = int(rng.integers(1, 9)), [SOME[:6], SOME[:7]][rng.integers(2)]
        pay = [values[i] for i in rng.integers(0, len(values), n)]
        table = pa.table({"age": [str(a) for a in rng.integers(0, 2, n)], "pay": pay})
        promise = LDiversity(1, 2 if kind == "distinct" else float(rng.choice([1.2, 1.5, 2, 3])), kind)
        roles = {**ROLES, "column_settings": {"pay": asked_otherwise(rng, kind)}}
        if "width" in roles["column_settings"]["pay"] and not {"10", "11", "12.5", "14", "20"} & set(pay):
            continue
        result = tacit.audit(table, promise, **roles)
        verdicts.append(result.satisfied)
        assert result.satisfied is definition_holds(table, promise, roles), (seed, roles, pay)
    assert len(seeds) // 6 < sum(verdicts) < 5 * len(seeds) // 6


@in_parts(range(12), 4)
@pytest.mark.parametrize("method", ["mondrian", "cluster", "guarded"])
@pytest.mark.parametrize("kind", ["frequency", "distinct"])
def test_methods_keep_what_columns_ask_otherwise(kind: str, method: str, seeds: Sequence[int]) -> None:
    made = 0
    for seed in seeds:
        rng = np.random.default_rng([seed, 8])
        pay = [SOME[i] for i in rng.integers(0, 6, 40)]
        table = pa.table({"age": rng.integers(20, 60, 40), "pay": pay})
        roles = {**ROLES, "column_settings": {"pay": asked_otherwise(rng, kind)}}
        promise = LDiversity(2, 2, kind)
        try:
            release = tacit.anonymize(table, promise, **roles, method=method, seed=seed)
        except PromiseError:
            continue
        made += 1
        assert definition_holds(release.table, promise, roles)
        assert sorted(map(str, release.table["pay"].to_pylist())) == sorted(map(str, pay))
    assert made >= len(seeds) // 2


def people_of(values: list[str | None]) -> pa.Table:
    return pa.table({"age": ["1"] * len(values), "pay": values})


def test_close_salaries_are_one_if_the_column_has_a_width() -> None:
    close = people_of(["1000.57", "1001.2", "1003", "1004.4", "1005.93"])
    promise = LDiversity(k=5, l=5)
    assert tacit.audit(close, promise, **ROLES).satisfied
    result = tacit.audit(close, promise, **ROLES, column_settings={"pay": {"width": 100}})
    assert not result.satisfied
    assert "5 of 5 records have pay from 1000.57 to less than 100 above it" in str(result)
    with pytest.raises(PromiseError, match="values less than its width apart in 5 of 5 records"):
        tacit.anonymize(close, promise, **ROLES, column_settings={"pay": {"width": 100}})


def test_a_window_lies_anywhere_and_its_width_is_exact() -> None:
    """Cells of a grid would part 0.99 from 1.01; floating-point numbers would take 0.3 − 0.1 for less than 0.2."""
    settings = {"pay": {"width": 1}}
    assert not tacit.audit(people_of(["0.99", "1.01"]), LDiversity(2, 2), **ROLES, column_settings=settings).satisfied
    exact = {"pay": {"width": 0.2}}
    assert tacit.audit(people_of(["0.1", "0.3"]), LDiversity(2, 2), **ROLES, column_settings=exact).satisfied
    assert tacit.anonymize(people_of(["0.1", "0.3"]), LDiversity(2, 2), **ROLES, column_settings=exact).audit.satisfied


def test_days_have_a_width_in_days() -> None:
    days = people_of(["2024-02-28", "2024-03-01"])
    for width, holds in ((2, True), (3, False)):
        assert (
            tacit.audit(days, LDiversity(2, 2), **ROLES, column_settings={"pay": {"width": width}}).satisfied is holds
        )


def test_harmless_values_may_be_learnt_in_any_spelling_and_missing_ones_by_a_marker() -> None:
    for value, listed in (("none", "None "), (None, ""), ("", "")):
        table = people_of([value] * 3)
        assert not tacit.audit(table, LDiversity(2, 2), **ROLES).satisfied
        result = tacit.audit(table, LDiversity(2, 2), **ROLES, column_settings={"pay": {"harmless": [listed]}})
        assert result.satisfied and result.facts["level"]["l"] is None
        release = tacit.anonymize(table, LDiversity(2, 2), **ROLES, column_settings={"pay": {"harmless": [listed]}})
        assert release.audit.satisfied and "1 declared harmless may be learnt" in promised(release)
    with pytest.raises(InputError, match="1 value that no record has"):
        tacit.anonymize(people_of(["a", "b"]), LDiversity(2, 2), **ROLES, column_settings={"pay": {"harmless": ["c"]}})


@pytest.mark.parametrize(
    ("promise", "settings", "problem"),
    [
        (LDiversity(2, 2, "entropy"), {"width": 1}, "an entropy .* says nothing of single values"),
        (LDiversity(2, 2, "entropy"), {"harmless": ["1"]}, "an entropy .* says nothing of single values"),
        (LDiversity(2, 2, "distinct"), {"l": 2.5}, "must be a whole number"),
        (LDiversity(2, 2), {"l": 1}, "must be a number above 1"),
        (LDiversity(2, 2), {"width": 0}, "must be a number above 0"),
        (TCloseness(2, 0.5), {"l": 3}, "l cannot be set for a column by the promise 't'"),
        (SlicedDiversity(2), {"width": 3}, "width cannot be set for a column by the promise 'sliced-l'"),
    ],
)
def test_what_cannot_be_asked_is_refused(promise: Any, settings: dict[str, Any], problem: str) -> None:
    table = people_of(["1", "2", "3", "4"])
    with pytest.raises(InputError, match=problem):
        tacit.anonymize(table, promise, **ROLES, column_settings={"pay": settings})
    if promise.kind_of_data == "records":
        with pytest.raises(InputError, match=problem):
            tacit.audit(table, promise, **ROLES, column_settings={"pay": settings})


@pytest.mark.parametrize(
    ("kind", "near", "others"),
    [("date", ["2024-02-28", "2024-03-01"], ["28", "29"]), ("number", ["28", "29"], ["2024-02-28", "2024-03-01"])],
)
def test_a_column_of_one_type_has_no_numbers_of_the_other(kind: str, near: list[str], others: list[str]) -> None:
    settings = {"pay": {"type": kind, "width": 3}}
    assert not tacit.audit(people_of(near), LDiversity(2, 2), **ROLES, column_settings=settings).satisfied
    assert tacit.audit(people_of([*near, *others]), LDiversity(2, 2), **ROLES, column_settings=settings).satisfied


def test_a_width_is_for_numbers() -> None:
    for run in (tacit.anonymize, tacit.audit):
        with pytest.raises(InputError, match="no value is a number or a date"):
            run(people_of(["a", "b"]), LDiversity(2, 2), **ROLES, column_settings={"pay": {"width": 1}})
