"""Cuts of scales on an engine: who is in two cells at once is counted there, share by share, by the kernel that one
machine counts all people with. Counts up to k add up, so the sums are those of one machine, and so are the cuts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from tacit.engines.frames import by_group, quoted
from tacit.engines.levels import Levels
from tacit.engines.shares import in_turn, of_people
from tacit.errors import InputError
from tacit.ratings.checks import most_rated
from tacit.ratings.ranges import RangeRecoding
from tacit.ratings.solvers.cells import Parted, Plan, parted_as, planned, smallest_cells, with_unrated
from tacit.ratings.solvers.cuts import Rated, Scales, count_type, counted_near, cut_scales, table_of
from tacit.ratings.solvers.ranging import as_it_is, found_cuts, named

BLOCK = "tacit_block"
_SCHEMA = f"{BLOCK} long, counts binary, told string"
_BLOCK_CELLS = 1 << 22
"""Counts that are moved at once."""
_CODEC = "zstd"
_NOBODY: dict[str, Any] = {"people": 0, "most": 0, "error": None, "hint": ""}


class Known(NamedTuple):
    """What all shares came to."""

    people: int
    most: int  # issues that somebody rated
    near: np.ndarray


def plan_for(levels: Levels, k: int, m: float) -> Plan:
    """The cells of the whole data."""
    problem = levels.data.problem(k, False)
    known = levels.data.is_known[levels.data.issues]
    return planned(problem, k, m, smallest_cells(problem), levels.times[known])


def count(frame: Any, levels: Levels, rows: int, plan: Plan | None, k: int) -> Known:
    """How many people two cells have in common, up to k, in all shares; and who is asked at all."""
    job = levels.job
    names = [column.name for column in job.columns if column.role != "plain"]
    in_share, chosen = partial(counted, levels=levels, plan=plan, most=k), frame.select(*map(quoted, names))
    cells = 0 if plan is None else int(plan.first[-1])
    known = Known(0, 0, np.zeros((cells, cells), count_type(k)))
    for shares in in_turn(chosen, job, rows, in_share, _SCHEMA):
        found = by_group(shares, BLOCK, partial(summed, most=k), _SCHEMA).toArrow().to_pylist()
        told = next((json.loads(each["told"]) for each in found if each[BLOCK] < 0), _NOBODY)
        if told["error"] is not None:
            raise InputError(told["error"], file=job.input.source, hint=told["hint"])
        for each in found:
            if each[BLOCK] >= 0:
                start = each[BLOCK] * _rows_of_block(cells)
                here = known.near[start : start + _rows_of_block(cells)]
                here[:] = np.minimum(here + _unpacked(each["counts"], k).reshape(-1, cells).astype(np.int32), k)
        known = known._replace(people=known.people + told["people"], most=max(known.most, told["most"]))
    return known


def counted(table: pa.Table, *, levels: Levels, plan: Plan | None, most: int) -> pa.Table:
    """On an executor: the counts of a share, in blocks of rows; and behind them how many people it has."""
    rows: list[dict[str, Any]] = []
    told = dict(_NOBODY)
    try:
        data = levels.coded(table)
        data = data.at(np.arange(levels.strangers, len(data)))
        told |= {"people": len(data), "most": most_rated(data)}
        if plan is not None and plan.issues.size:
            cells = parted_as(plan, data.problem(most, False))
            rows += _blocks(counted_near(cells.rated, cells.scales, most))
    except InputError as error:
        told |= {"error": error.problem.partition("; the first stands")[0], "hint": error.hint or ""}
    rows.append({BLOCK: -1, "counts": None, "told": json.dumps(told)})
    return _table(rows)


def summed(table: pa.Table, *, most: int) -> pa.Table:
    """On an executor: a block of all shares."""
    rows = table.to_pylist()
    if rows[0][BLOCK] < 0:
        each = [json.loads(row["told"]) for row in rows]
        wrong = min((one for one in each if one["error"] is not None), key=lambda one: one["error"], default=each[0])
        told = {"people": sum(one["people"] for one in each), "most": max(one["most"] for one in each)}
        return _table([{BLOCK: -1, "counts": None, "told": json.dumps({**wrong, **told})}])
    whole = None
    for row in rows:
        part = _unpacked(row["counts"], most)
        whole = part.astype(np.int32) if whole is None else np.minimum(whole + part, most)
    assert whole is not None
    return _table([{BLOCK: rows[0][BLOCK], "counts": _packed(whole.astype(count_type(most))), "told": None}])


def everybody(frame: Any, levels: Levels, rows: int, plan: Plan) -> Parted:
    """Who is in which cells, of all shares: for those who know more than two ratings, of whom no counts tell enough."""
    from pyspark.sql.types import ArrayType, IntegerType, StructField, StructType

    job = levels.job
    names = [column.name for column in job.columns if column.role != "plain"]
    schema = StructType([StructField("cells", ArrayType(IntegerType()))])
    found = of_people(frame.select(*map(quoted, names)), job, rows, partial(in_cells, levels=levels, plan=plan), schema)
    lists = pa.chunked_array(found.toArrow()["cells"]).combine_chunks().cast(pa.large_list(pa.int32()))
    indptr, cells = lists.offsets.to_numpy().astype(np.int64), lists.values.to_numpy()
    people = with_unrated(np.bincount(cells, minlength=int(plan.first[-1])), plan.first, len(lists))
    scales = Scales(plan.first, people, plan.left, plan.right)
    return Parted(Rated(indptr, cells), scales, plan.issues, plan.low, plan.high)


def in_cells(table: pa.Table, *, levels: Levels, plan: Plan) -> pa.Table:
    """On an executor: the cells that each person of a share is in."""
    data = levels.coded(table)
    data = data.at(np.arange(levels.strangers, len(data)))
    rated = parted_as(plan, data.problem(1, False)).rated
    ends = pa.array(rated.indptr, pa.int32())
    return pa.table({"cells": pa.ListArray.from_arrays(ends, pa.array(rated.cells, pa.int32()))})


def searched_in_all(frame: Any, levels: Levels, rows: int, plan: Plan, promise: Any, shown: str) -> RangeRecoding:
    """The decision where more than two ratings may be known: that of one machine, on the cells of everybody."""
    if promise.k == 1:
        return as_it_is(levels.data, shown)
    cells = everybody(frame, levels, rows, plan)
    cut = found_cuts(cells, promise.k, promise.m) if plan.issues.size else np.empty(0, np.int64)
    return named(levels.data, plan, cut, shown)


def searched(levels: Levels, plan: Plan | None, known: Known, k: int, shown: str) -> RangeRecoding:
    """The decision about all people, from what was counted of them."""
    if plan is None or k == 1:
        return as_it_is(levels.data, shown)
    place = plan.cell_of[smallest_cells(levels.data.problem(k, False))]
    times = levels.times[levels.data.is_known[levels.data.issues]]
    counts = np.bincount(place[place >= 0], times[place >= 0], minlength=int(plan.first[-1])).astype(np.int64)
    scales = Scales(plan.first, with_unrated(counts, plan.first, known.people), plan.left, plan.right)
    nobody = Rated(np.zeros(1, np.int64), np.empty(0, np.int32))
    cut = cut_scales(table_of(nobody, scales, known.near), k).cut if plan.issues.size else np.empty(0, np.int64)
    return named(levels.data, plan, cut, shown)


def _blocks(near: np.ndarray) -> Iterator[dict[str, Any]]:
    size = _rows_of_block(len(near))
    for block, start in enumerate(range(0, len(near), size)):
        yield {BLOCK: block, "counts": _packed(near[start : start + size]), "told": None}


def _rows_of_block(cells: int) -> int:
    return max(1, _BLOCK_CELLS // max(cells, 1))


def _packed(counts: np.ndarray) -> bytes:
    raw = np.ascontiguousarray(counts).tobytes()
    return len(raw).to_bytes(8, "little") + pa.compress(raw, _CODEC, asbytes=True)


def _unpacked(packed: bytes, most: int) -> np.ndarray:
    length = int.from_bytes(packed[:8], "little")
    return np.frombuffer(pa.decompress(packed[8:], length, _CODEC, asbytes=True), count_type(most))


def _table(rows: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(
        rows, schema=pa.schema([(BLOCK, pa.int64()), ("counts", pa.binary()), ("told", pa.string())])
    )
