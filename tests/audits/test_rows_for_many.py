"""A row may stand for many records: the audits of records find what they find where each record has its row."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tacit import audits
from tacit.audits import t
from tacit.job import Column, Input, Job, Output
from tacit.promises import KAnonymity, KKmAnonymity, KLmDiversity, LDiversity, Promise, TCloseness

_PROMISES: list[Promise] = [
    KAnonymity(4), LDiversity(k=3, l=1.7), LDiversity(k=3, l=3, kind="distinct"),
    LDiversity(k=3, l=2.2, kind="entropy"),
    TCloseness(k=3, t=0.3), KKmAnonymity(k=3, m=2), KLmDiversity(k=3, l=1.5, m=2),
]  # fmt: skip


def _job(promise: Promise) -> Job:
    of_items = ("items",) if "items" in promise.roles else ()
    columns = [Column("q", "quasi"), *(Column(name, "sensitive") for name in ("word", "number") if not of_items)]
    columns += [Column(name, "items", sensitive_items=("s",)) for name in of_items]
    return Job(Input("test"), tuple(columns), promise, Output(Path("out")))


def _rows(rng: np.random.Generator, rows: int = 25) -> pa.Table:
    items = np.array(list("abcs"))
    return pa.table({
        "q": [f"q{each}" for each in rng.integers(0, 4, rows)],
        "word": [f"w{each}" for each in rng.integers(0, 4, rows)],
        "number": rng.integers(0, 6, rows), "items": [" ".join(items[rng.random(4) < 0.7]) for _ in range(rows)],
    })  # fmt: skip


def _told(result: Any) -> dict[str, Any]:
    return json.loads(json.dumps(result.to_dict()))


@pytest.mark.parametrize("promise", _PROMISES, ids=str)
@pytest.mark.parametrize("seed", range(6))
def test_what_is_found_is_that_of_single_records(promise: Promise, seed: int) -> None:
    rng, job = np.random.default_rng(seed), _job(promise)
    table = _rows(rng)
    times = rng.integers(1, 4, table.num_rows)
    each = audits.read_view(table.take(pa.array(np.repeat(np.arange(times.size), times))), job, None)
    few: Any = audits.read_view(table, job, None)
    assert _told(audits.audit(replace(few, times=times), job)) == _told(audits.audit(each, job))


@pytest.mark.parametrize("seed", range(4))
def test_distances_do_not_hang_on_how_many_records_there_are(seed: int) -> None:
    """Products of counts may be longer than the machine's whole numbers."""
    rng, job = np.random.default_rng(seed), _job(TCloseness(k=1, t=0.4))
    view: Any = audits.read_view(_rows(rng), job, None)
    times = rng.integers(1, 9, len(view))
    few, many = (audits.audit(replace(view, times=times * often), job) for often in (1, 10**10))
    assert 6 * (int(times.sum()) * 10**10) ** 2 > t._MOST
    assert few.facts["level"]["t"] == many.facts["level"]["t"]
    assert [each["distance"] for each in few.violations] == [each["distance"] for each in many.violations]


def test_an_audit_that_counts_rows_refuses_them() -> None:
    job = _job(KAnonymity(2))
    view: Any = audits.read_view(_rows(np.random.default_rng(0)), job, None)
    object.__setattr__(job.promise, "audit", "tacit.audits.cahd")
    with pytest.raises(ValueError, match="counts rows"):
        audits.audit(replace(view, times=np.ones(len(view), np.int64)), job)
