"""The columns of a sliced table that is made in parts: found once, from a sample of the records, for all parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from tacit.engines import frames
from tacit.engines.order import contents, keyed_numbers
from tacit.errors import PromiseError
from tacit.io import FileFormat
from tacit.job import Job, Method
from tacit.kinds import check_reachable
from tacit.methods import METHODS, method_for
from tacit.shuffle import Shuffle
from tacit.slices import kind
from tacit.taxonomy import Taxonomy

SAMPLE = 100_000
_MOST = 4_000_000
"""Records that may come to this process, where fewer do not tell."""
Slices = tuple[tuple[str, ...], ...]


def found_slices(
    frame: Any, job: Job, hierarchies: Mapping[str, Taxonomy], output: FileFormat, records: int, key: bytes
) -> list[tuple[Slices, Job]]:
    """Which attributes stand together in all parts, and the job as a part does it; first what keeps most.

    A known attribute beside a sensitive one may be safe in a sample, and not in a part. Then the sensitive ones stand
    apart, unless the user says where they stand.
    """
    method = method_for(job.promise.name, job.method.name)
    if not method.takes_columns:
        return [(_all_known_together(job), job)]
    found = _of_a_sample(frame, job, hierarchies, output, records, key)
    columns = job.method.options.get("columns")
    ways = [found] if isinstance(columns, list | tuple) else dict.fromkeys((found, sensitive_apart(found, job)))
    kept = {name: value for name, value in job.method.options.items() if name in ("bins", "discretize")}
    return [(each, replace(job, method=_with_columns(job.method, {**kept, "columns": each}))) for each in ways]


def _with_columns(method: Method, options: Mapping[str, Any]) -> Method:
    return replace(method, name=METHODS["slicing"].name, options=options)


def sensitive_apart(slices: Slices, job: Job) -> Slices:
    """The same with no quasi-identifier beside a sensitive attribute; those that stand nowhere else stay together."""
    quasi, sensitive = ({column.name for column in job.columns_with(role)} for role in ("quasi", "sensitive"))
    leaving = [tuple(name for name in one if name in quasi) if sensitive & set(one) else () for one in slices]
    kept = [tuple(name for name in one if name not in left) for one, left in zip(slices, leaving, strict=True)]
    for left in leaving:
        shown = {name for one in kept for name in one}
        kept.append(tuple(name for name in left if name not in shown))
    return tuple(filter(None, kept))


def _all_known_together(job: Job) -> Slices:
    """Those of bucketization: all quasi-identifiers, then each sensitive column, then each plain one."""
    others = [column.name for role in ("sensitive", "plain") for column in job.columns_with(role)]
    return (tuple(column.name for column in job.columns_with("quasi")), *((name,) for name in others))


def _of_a_sample(
    frame: Any, job: Job, hierarchies: Mapping[str, Taxonomy], output: FileFormat, records: int, key: bytes
) -> Slices:
    """What one machine does with a sample; where the promise is out of reach for that, with a larger one."""
    names = [column.name for column in job.columns if column.role in ("quasi", "sensitive", "plain")]
    asked = replace(job, columns=tuple(column for column in job.columns if column.name in names))
    one_in = max(1, records // SAMPLE)
    while True:
        draw = partial(drawn, key=key, one_in=one_in)
        chosen = frame.select(*map(frames.quoted, names))
        table = (frames.mapped(chosen, draw, chosen.schema) if one_in > 1 else chosen).toArrow()
        order = sorted(range(len(table)), key=list(contents(table)).__getitem__)
        try:
            return _searched(table.take(pa.array(order, pa.int64())), asked, hierarchies, output)
        except PromiseError:
            if one_in == 1 or len(table) * 4 > _MOST:
                raise
            one_in = max(1, one_in // 4)


def _searched(table: pa.Table, job: Job, hierarchies: Mapping[str, Taxonomy], output: FileFormat) -> Slices:
    method, data = method_for(job.promise.name, job.method.name), kind.encode(table, job, hierarchies, output).data
    check_reachable(data, job)
    hidden = Shuffle.keyed(bytes(32), "columns of slices")
    search = method.search(job.promise)
    found = search(data, job.promise, seed=job.method.seed or 0, hidden=hidden, progress=None, **job.method.options)
    return tuple(map(tuple, found.slices))


def drawn(batches: Iterator[pa.RecordBatch], *, key: bytes, one_in: int) -> Iterator[pa.RecordBatch]:
    """On an executor: a sample of the records, drawn by a keyed hash of them."""
    for batch in batches:
        hashes = keyed_numbers(key, contents(pa.Table.from_batches([batch])))
        yield batch.take(pa.array(np.flatnonzero(hashes % one_in == 0)))
