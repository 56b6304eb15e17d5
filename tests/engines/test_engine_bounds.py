"""Every promise at its very bound, judged on an engine in small shares: exactly enough holds, one less does not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

import tacit
from exams.test_boundaries import EDGES, bounds_of
from tacit.engines.audits import baskets, people, ratings, records, slices
from tacit.engines.audits.whole import can_judge
from tacit.engines.session import Session
from tacit.promises import MODELS, Promise

_PEOPLE = 7
JUDGED = [name for name, model in MODELS.items() if can_judge(model)]
_QUICK = 2
"""Bounds of each promise that are looked at in the quick tests."""


def _judgements(model: str) -> Iterator[tuple[pa.Table, Promise, dict[str, Any], bool]]:
    """Published tables, what they are judged by, and whether that holds."""
    for edge in EDGES[model](_PEOPLE) if model in EDGES else ():
        rows = [*edge.spare, *edge.needed]
        schema = pa.Table.from_pylist(rows).schema
        yield pa.Table.from_pylist(rows, schema=schema), edge.promise, edge.roles, True
        yield pa.Table.from_pylist(rows[:-1], schema=schema), edge.promise, edge.roles, False
        yield pa.Table.from_pylist(rows, schema=schema), edge.stricter[0], edge.roles, False
    for bound in () if model in EDGES else bounds_of(model):
        yield bound.kept, bound.promise, bound.roles, True
        yield bound.broken, bound.promise, bound.roles, False


@pytest.mark.parametrize("quick", [True, pytest.param(False, marks=pytest.mark.slow)])
@pytest.mark.parametrize("model", JUDGED)
def test_the_bound_is_where_it_is_on_one_machine(
    sail: Session, monkeypatch: pytest.MonkeyPatch, model: str, quick: bool
) -> None:
    for module in (baskets, records, slices):
        monkeypatch.setattr(module, "SHARE", 5)
    monkeypatch.setattr(people, "SHARE", 2_000)
    monkeypatch.setattr(ratings, "_AT_ONCE", 10)
    told = list(_judgements(model))
    for table, promise, roles, holds in told[:_QUICK] if quick else told[_QUICK:]:
        found = tacit.audit(sail.spark.createDataFrame(table), promise, **roles)
        assert found.satisfied is holds, f"{promise}, {table.num_rows} rows"
