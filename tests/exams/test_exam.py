"""Every method takes the exam with every promise that it makes. It is judged by what it publishes."""

from __future__ import annotations

import json
from collections import Counter
from importlib import import_module
from typing import Any

import pyarrow as pa
import pytest

from exams.cases import PAIRS, Case, case_for, promises_of, weakest
from support.seeds import each_seed
from tacit import Release, recoding
from tacit.promises import MODELS

every_pair = pytest.mark.parametrize(("method", "model"), PAIRS)


def rows_of(table: pa.Table) -> Counter[str]:
    """The rows of a table, however they are ordered; baskets as sets, and numbers as they are written."""

    def plain(value: Any) -> str:
        return str(sorted(value)) if isinstance(value, list) else str(value)

    return Counter(repr({name: plain(value) for name, value in row.items()}) for row in table.to_pylist())


def definition_holds(case: Case, made: Release, promise: Any) -> bool:
    """What the promise's definition, written out, says of the published table."""
    twin = import_module(f"naive.audits.{type(promise).__module__.rpartition('.')[2]}")
    exactly = {"original": case.frame} if promise.kind_of_data == "slices" else {}
    return twin.holds(made.data, promise, dict(case.roles), **exactly)


@every_pair
@each_seed(range(12), fast=2)
def test_what_is_released_keeps_the_promise(method: str, model: str, seed: int) -> None:
    """By the audit, and by the definition. That it is true to the original was checked when it was made."""
    for promise in promises_of(model):
        case = case_for(promise, seed)
        made = case.release(promise, method)
        assert made.audit.satisfied is True
        assert definition_holds(case, made, promise), promise


@every_pair
def test_what_is_broken_is_found(method: str, model: str) -> None:
    """The original itself seldom keeps a promise; where the definition says so, the audit must, too."""
    promise = promises_of(model)[0]
    case = case_for(promise)
    if promise.kind_of_data == "slices" or promise.shows_groups:
        return  # the original is no such table
    twin = import_module(f"naive.audits.{type(promise).__module__.rpartition('.')[2]}")
    assert case.audit(case.frame, promise).satisfied is twin.holds(case.frame, promise, dict(case.roles))


@every_pair
def test_the_same_seed_makes_the_same_release(method: str, model: str) -> None:
    promise = promises_of(model)[0]
    one, other = (case_for(promise).release(promise, method) for _ in range(2))
    assert one.recoding == other.recoding
    assert one.data.equals(other.data)


@every_pair
def test_the_decision_survives_json(method: str, model: str) -> None:
    promise = promises_of(model)[0]
    made = case_for(promise).release(promise, method).recoding
    text = recoding.to_json(made)
    assert json.loads(text)["kind"] == made.kind
    assert recoding.from_json(text) == made
    assert str(recoding.from_json(text)) == str(made)


@every_pair
def test_the_weakest_promise_changes_nothing(method: str, model: str) -> None:
    promise = weakest(model)
    if promise is None:
        assert any(name in MODELS[model].takes for name in ("l", "t")), "above 1, no ℓ is kept by all data"
        return
    case = case_for(promise)
    made = case.release(promise, method)
    shown = made.data.drop_columns(["group"]) if promise.shows_groups else made.data
    assert rows_of(shown) == rows_of(case.frame)


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
    case = whole.of([7] * 20)
    made = case.release(promise, method)
    assert rows_of(made.data) == rows_of(case.frame)
