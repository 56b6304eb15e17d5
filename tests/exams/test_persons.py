"""Every method takes the exam on data in which persons have several records: promises are about persons then."""

from __future__ import annotations

from collections import Counter
from importlib import import_module
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from exams.cases import DIFFERENT_FIRST, PAIRS, Case, case_for, promises_of, usual_release
from support.seeds import each_seed
from tacit import InputError, Release
from tacit.promises import MODELS, Promise

WITH_ROWS = [(method, model) for method, model in PAIRS if MODELS[model].kind_of_data != "ratings"]
ONE_RECORD_EACH = ("guarded",)
"""Methods that refuse data in which somebody has several records: what hides them is shown for one record each."""
every_pair = pytest.mark.parametrize(
    ("method", "model"),
    [pair for pair in DIFFERENT_FIRST if pair.values in WITH_ROWS and pair.values[0] not in ONE_RECORD_EACH],
)


@pytest.mark.parametrize("method", ONE_RECORD_EACH)
def test_what_takes_one_record_each_refuses_others(method: str) -> None:
    for method, model in [pair for pair in WITH_ROWS if pair[0] == method]:
        promise = promises_of(model)[0]
        plain = case_for(promise)
        with pytest.raises(InputError, match="takes one record of each person"):
            with_persons(plain, several_each(0, len(plain.frame))).release(promise, method)


def with_persons(case: Case, persons: list[int], role: str = "person") -> Case:
    return Case(case.frame.append_column("who", pa.array(persons)), {**case.roles, role: "who"}, case.trees)


def several_each(seed: int, rows: int, persons: int = 25) -> list[int]:
    return np.random.default_rng(seed).integers(0, persons, rows).tolist()


def whose(made: Release, persons: list[int]) -> list[int]:
    """The person of each published record; of slices, of each row of the first one."""
    original = np.atleast_2d(made.original)[0]
    return [persons[row] for row in original.tolist()]


def definition_holds(case: Case, made: Release, promise: Promise, persons: list[int]) -> bool:
    """What the definition says of the published table, to someone who knows whose record is whose."""
    twin = import_module(f"naive.audits.{type(promise).__module__.rpartition('.')[2]}")
    roles = {role: names for role, names in case.roles.items() if role not in ("person", "household")}
    if promise.kind_of_data == "baskets":  # a record is a person
        return made.table.num_rows == len(set(persons)) and twin.holds(made.data, promise, roles)
    if promise.kind_of_data == "slices":
        pairs = Counter(zip(made.table["bucket"].to_pylist(), whose(made, persons), strict=True))
        return max(pairs.values()) == 1 and twin.holds(made.data, promise, roles, original=case.frame)
    known = made.data.append_column("who", pa.array(whose(made, persons)))
    return twin.holds(known, promise, {**roles, "person": "who"})


def sorted_rows(table: pa.Table) -> list[str]:
    rows = table.select([name for name in table.column_names if name not in ("bucket", "group")]).to_pylist()
    return sorted(map(repr, rows))


@every_pair
@each_seed(range(8), fast=1)
def test_what_is_released_keeps_the_promise_for_persons(method: str, model: str, seed: int) -> None:
    for promise in promises_of(model):
        plain = case_for(promise, seed)
        persons = several_each(seed, len(plain.frame))
        case = with_persons(plain, persons)
        made = case.release(promise, method)
        assert made.audit.satisfied is True
        assert definition_holds(case, made, promise, persons), promise
        assert "who" not in " ".join(made.table.column_names)


@every_pair
def test_records_of_one_person_each_are_released_as_ever(method: str, model: str) -> None:
    promise = promises_of(model)[0]
    case = case_for(promise)
    ids = np.random.default_rng(8).permutation(len(case.frame)).tolist()
    named, alone = with_persons(case, ids).release(promise, method), usual_release(method, model)
    assert named.audit.satisfied is True
    if not promise.shows_groups and promise.kind_of_data != "slices":  # there, what is drawn depends on the job
        assert sorted_rows(named.table) == sorted_rows(alone.table)
        assert named.utility == alone.utility


@every_pair
def test_households_are_counted_in_place_of_persons(method: str, model: str) -> None:
    promise = promises_of(model)[0]
    plain = case_for(promise)
    homes = several_each(4, len(plain.frame))
    case = with_persons(plain, homes, "household")
    if len(method) % 2:  # a household alone, or persons of households: one of them with each method
        everyone = pa.array([f"p{row}" for row in range(len(homes))])
        case = Case(case.frame.append_column("person", everyone), {**case.roles, "person": "person"}, case.trees)
    made = case.release(promise, method)
    assert made.audit.satisfied is True
    assert definition_holds(case, made, promise, homes)


def test_whose_records_are_where_changes_nothing_but_places() -> None:
    """The order of the input's rows decides nothing, nor how ids are spelt if that keeps their order."""
    promise = promises_of("k")[0]
    plain = case_for(promise)
    persons = several_each(6, len(plain.frame))
    case: Any = with_persons(plain, persons)
    order = np.random.default_rng(1).permutation(len(persons)).tolist()
    one, other = case.release(promise, "mondrian"), case.of(order).release(promise, "mondrian")
    assert sorted_rows(one.table) == sorted_rows(other.table)
