"""Every method takes the exam with every promise that it makes. It is judged by what it publishes."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from exams.cases import DIFFERENT_FIRST, PAIRS, case_for, promises_of, usual_release, weakest
from support.definitions import definition_holds
from support.seeds import each_seed
from tacit import InputError, Release, recoding
from tacit.delivery import apply_release
from tacit.methods import METHODS

every_pair = pytest.mark.parametrize(("method", "model"), PAIRS)


def rows_of(table: pa.Table) -> Counter[str]:
    """The rows of a table, however they are ordered; baskets as sets, and numbers as they are written."""

    def plain(value: Any) -> str:
        return str(sorted(value)) if isinstance(value, list) else str(value)

    return Counter(repr({name: plain(value) for name, value in row.items()}) for row in table.to_pylist())


@pytest.mark.parametrize(("method", "model"), DIFFERENT_FIRST)
@each_seed(range(12), fast=1)
def test_what_is_released_keeps_the_promise(method: str, model: str, seed: int) -> None:
    """By the audit, and by the definition. That it is true to the original was checked when it was made."""
    for promise in promises_of(model):
        case = case_for(promise, seed)
        made = case.release(promise, method)
        assert made.audit.satisfied is True
        assert definition_holds(made.data, promise, case.roles, case.frame), promise


@every_pair
def test_what_is_broken_is_found(method: str, model: str) -> None:
    """The original itself seldom keeps a promise; where the definition says so, the audit must, too."""
    promise = promises_of(model)[0]
    case = case_for(promise)
    if promise.kind_of_data == "slices" or promise.shows_groups:
        return  # the original is no such table
    assert case.audit(case.frame, promise).satisfied is definition_holds(case.frame, promise, case.roles)


@every_pair
def test_the_same_seed_makes_the_same_release(method: str, model: str) -> None:
    promise = promises_of(model)[0]
    one, other = usual_release(method, model), case_for(promise).release(promise, method)
    assert one.recoding == other.recoding
    assert one.data.equals(other.data)


@every_pair
def test_the_decision_survives_json(method: str, model: str) -> None:
    made = usual_release(method, model).recoding
    text = recoding.to_json(made)
    assert json.loads(text)["kind"] == made.kind
    assert recoding.from_json(text) == made
    assert str(recoding.from_json(text)) == str(made)


@every_pair
def test_the_weakest_promise_changes_nothing(method: str, model: str) -> None:
    promise = weakest(model)
    if promise is None:
        return  # with no parameters all data keep it, as with ℓ above 1
    case = case_for(promise)
    made = case.release(promise, method)
    shown = made.data.drop_columns(["group"]) if promise.shows_groups else made.data
    assert rows_of(shown) == rows_of(case.frame)


@every_pair
def test_a_decision_can_be_used_again_if_it_is_global_and_only_then(method: str, model: str, tmp_path: Path) -> None:
    """The same people in another delivery are published as they were."""
    promise = promises_of(model)[0]
    case, made = case_for(promise), usual_release(method, model)
    made.save(tmp_path / "first", report=False)
    pq.write_table(case.frame, tmp_path / "next.parquet")

    def again() -> Release:
        return apply_release(tmp_path / "first", tmp_path / "next.parquet", tmp_path / "second", report=False)

    if METHODS[method].is_global:
        assert rows_of(again().data) == rows_of(made.data)
    else:
        with pytest.raises(InputError, match="cannot be reused"):
            again()


@every_pair
def test_no_rows_at_all(method: str, model: str) -> None:
    promise = promises_of(model)[0]
    made = case_for(promise).of([]).release(promise, method)
    assert made.data.num_rows == 0 and made.audit.satisfied


@every_pair
def test_one_record(method: str, model: str) -> None:
    promise = weakest(model)
    if promise is None or promise.about_sensitive_items:
        return  # one record cannot hide anything
    case = case_for(promise).of([0])
    made = case.release(promise, method)
    assert rows_of(made.data) == rows_of(case.frame)


@every_pair
def test_all_records_alike(method: str, model: str) -> None:
    """Nobody can be told from others: what is known of them stays as it is."""
    promise = promises_of(model)[0]
    whole = case_for(promise)
    if "sensitive" in promise.roles or promise.about_sensitive_items:
        return  # then they differ in what is sensitive, or everybody has it
    somebody = 0 if promise.kind_of_data == "ratings" else 7  # who rated every issue, or has a basket that is not empty
    case = whole.of([somebody] * 20)
    made = case.release(promise, method)
    assert rows_of(made.data) == rows_of(case.frame)
