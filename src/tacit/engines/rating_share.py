"""What an executor does with a share of the people who rated: recode or search, publish, and audit its own share."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from tacit import audits
from tacit.engines.levels import Levels, numbered
from tacit.engines.order import ORIGINAL, PLACE, contents
from tacit.engines.shares import AT, BUCKET, bucket_of
from tacit.errors import InputError, PromiseError
from tacit.io import FileFormat
from tacit.job import Job
from tacit.kinds import Published, check_reachable
from tacit.methods import is_local, method_for
from tacit.ratings.applied import Released, apply
from tacit.ratings.data import Ratings
from tacit.ratings.kind import asks_and_keeps
from tacit.ratings.measures import measure_ratings
from tacit.ratings.publish import publish_ratings
from tacit.ratings.ranges import Ranged, RangeRecoding
from tacit.shuffle import Shuffle, places

META = "tacit_meta"
"""A row of each share has nobody's rating, but what the share came to, as JSON."""


@dataclass(frozen=True, eq=False)
class Task:
    """All that an executor needs to know."""

    levels: Levels
    recoding: RangeRecoding | None
    """The decision about everybody; None: each share is searched by itself."""
    output: FileFormat
    key: bytes
    buckets: int
    schema: pa.Schema

    @property
    def job(self) -> Job:
        return self.levels.job

    @property
    def person(self) -> str | None:
        """The column of the persons' numbers, if there is one."""
        named = self.job.columns_with("person")
        return named[0].name if named else None


def made(table: pa.Table, *, task: Task, part: int = 0) -> pa.Table:
    """A share as it is published, audited and compared with the original; or why that cannot be."""
    beside = table[ORIGINAL] if ORIGINAL in table.column_names else None
    table = table.drop_columns([ORIGINAL]) if beside is not None else table
    try:
        data, applied, told = _decided(table, task, part)
        shown = publish_ratings(
            data, applied, task.levels.joined(table), task.job, task.output, Shuffle.keyed(task.key, "share")
        )
        shown = _without_strangers(shown, task)
        told |= _judged(shown, table, task)
    except (PromiseError, InputError) as error:
        problem = error.problem.partition("; the first stands")[0] if isinstance(error, InputError) else str(error)
        return _with_meta({}, {"error": type(error).__name__, "message": problem, "people": 0}, task)
    columns, buckets = _placed(shown, data, applied, table, beside, task)
    return _with_meta(columns, {**told, "buckets": buckets}, task)


def _decided(table: pa.Table, task: Task, part: int) -> tuple[Ratings, Released | Ranged, dict[str, Any]]:
    """The ratings of a share, strangers first; what becomes of them; and what that costs."""
    data = task.levels.coded(table)
    own = data.at(np.arange(task.levels.strangers, len(data)))
    if task.recoding is not None:
        applied = apply(data, task.recoding)
        known = ~data.is_sensitive
        counts = [
            np.diff(np.concatenate(([0], np.cumsum(known[issues])))[indptr])[task.levels.strangers :]
            for indptr, issues in ((data.indptr, data.issues), (applied.indptr, applied.issues))
        ]
        emptied = int(np.count_nonzero((counts[0] > 0) & (counts[1] == 0)))
        return data, applied, {"people": len(own), "emptied_people": emptied}
    job = task.job
    check_reachable(own, job)
    method = method_for(job.promise.name, job.method.name)
    hidden = Shuffle.keyed(task.key, "part", str(part))
    recoding = method.search(job.promise)(
        own, job.promise, seed=job.method.seed or 0, hidden=hidden, progress=_silent, **job.method.options
    )
    applied = apply(own, recoding)
    asks, keeps = asks_and_keeps(own, applied)  # type: ignore[arg-type]
    utility = measure_ratings(own, applied, seed=job.method.seed or 0)  # type: ignore[arg-type]
    ratings = int(np.count_nonzero(own.is_known[own.issues]))
    strangers = np.full(task.levels.strangers, -1, np.int32)
    cells = recoding.cells._replace(cell=np.concatenate((strangers, recoding.cells.cell)))
    measures = {name: value for name, value in utility.items() if isinstance(value, int | float)}
    told = {"people": len(own), "ratings": ratings, "asks": asks, "keeps": keeps, "utility": measures}
    return data, apply(data, replace(recoding, cells=cells)), told


def _without_strangers(shown: Published, task: Task) -> Published:
    """What is published of the share alone; `original` counts its people from 0."""
    is_own = shown.original >= task.levels.strangers
    if task.job.input.layout == "long":
        assert task.person is not None
        who = shown.table[task.person].to_numpy() - 1
        table = shown.table.filter(pa.array(is_own[who]))
    else:
        table = shown.table.filter(pa.array(is_own))
    return Published(table, shown.original[is_own] - task.levels.strangers)


def _judged(shown: Published, table: pa.Table, task: Task) -> dict[str, Any]:
    """What the audits say of a share: of a decision about everybody, whether it is true; else the promise, too."""
    job = task.job
    original = audits.read_original(table, job, {}, is_local=is_local(job.promise.name, job.method.name))
    view = audits.read_view(shown.table, job)
    if task.recoding is not None:
        return {"problems": len(audits.false_values(original, view, shown.original)), "satisfied": True}
    verdict, problems = audits.judge(view, job, original, shown.original)
    return {"problems": len(problems), "satisfied": verdict.satisfied}


def _placed(
    shown: Published,
    data: Ratings,
    applied: Released | Ranged,
    table: pa.Table,
    beside: pa.ChunkedArray | None,
    task: Task,
) -> tuple[dict[str, pa.Array | pa.ChunkedArray], list[int]]:
    """The columns with the place of each person; and how many people each bucket of places has."""
    columns = {name: shown.table[name] for name in shown.table.column_names if name != task.person}
    if task.job.input.layout != "long":
        own = beside if task.person is None else table[task.person]
        told = None if own is None else own.take(pa.array(shown.original))
        place = places(task.key, contents(shown.table.select(list(columns)), told))
        if told is not None:
            columns[ORIGINAL] = told
        bucket, at = bucket_of(place, task.buckets), np.zeros(len(place), np.int64)
        columns |= {PLACE: pa.array(place, pa.binary()), BUCKET: pa.array(bucket), AT: pa.array(at)}
        return columns, np.bincount(bucket, minlength=task.buckets).tolist()
    assert task.person is not None
    _, people = numbered(table[task.person])
    place = places(task.key, _ratings_of(shown.original, applied, people, task.levels.strangers))
    bucket = bucket_of(place, task.buckets)
    who = shown.table[task.person].to_numpy()
    is_first = np.append(True, who[1:] != who[:-1])[: who.size]
    person = np.cumsum(is_first) - 1
    starts = np.flatnonzero(is_first)
    columns |= {
        PLACE: pa.array(place, pa.binary()).take(pa.array(person)),
        BUCKET: pa.array(bucket[person]),
        AT: pa.array(np.arange(who.size) - starts[person]),
        ORIGINAL: people.take(pa.array(shown.original[person])),
    }
    return columns, np.bincount(bucket, minlength=task.buckets).tolist()


def _ratings_of(original: np.ndarray, applied: Released | Ranged, people: pa.Array, strangers: int) -> Any:
    """Of each person the name, and all ratings as they are published: bytes that no other person has."""
    arrays = [applied.issues.astype(np.int64), applied.values.astype(np.int64)]
    if isinstance(applied, Ranged):
        arrays.append(applied.tops.astype(np.int64))
    names = people.to_pylist()
    for person in original.tolist():
        start, stop = applied.indptr[person + strangers], applied.indptr[person + strangers + 1]
        name = repr(names[person]).encode("utf-8", "surrogatepass")
        yield len(name).to_bytes(4, "little") + name + b"".join(each[start:stop].tobytes() for each in arrays)


def _with_meta(columns: Mapping[str, Any], meta: Mapping[str, Any], task: Task) -> pa.Table:
    last = pa.Table.from_pylist([{META: json.dumps(meta)}], schema=task.schema)
    if not columns:
        return last
    size = len(columns[PLACE])
    held = {**columns, META: pa.nulls(size, pa.string())}
    rows = pa.table([held[name].cast(task.schema.field(name).type) for name in task.schema.names], schema=task.schema)
    if task.buckets > 1:  # so that whoever wants the rows of some buckets finds them together
        rows = rows.take(pa.array(np.argsort(columns[BUCKET].to_numpy(), kind="stable")))
    return pa.concat_tables([rows, last]).combine_chunks()


def _silent(message: str) -> None:
    """Nobody watches an executor."""
