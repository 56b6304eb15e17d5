"""Ratings in parts, each searched by itself: people are divided along the order in which one machine divides them.

Whoever has k − 1 close others in a part has them in the file, so parts keep (k, ε) for the whole (docs/cluster.md). The
share of a sensitive rating among those close does not follow from parts: with ℓ there is one part.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from tacit.engines.frames import by_group, collected
from tacit.engines.levels import Levels, numbered
from tacit.engines.order import ORIGINAL, contents, keyed_numbers
from tacit.engines.part import refuse
from tacit.engines.rating_share import Task, made
from tacit.engines.shares import of_people, refuse_second_ratings
from tacit.errors import InputError
from tacit.ratings.data import Ratings
from tacit.ratings.kind import refuse_blank

PART = "tacit_part"
PART_RATINGS = 2_000_000
"""Ratings of a part: what an executor of 2 GiB searches at once."""
_MOST_AT_ONCE = 40_000_000
"""Ratings of a part that cannot be divided."""
_MOST_KEYS = 2_000_000
_FIRST_ISSUES = 3
_PLACES = 1023


@dataclass(frozen=True, eq=False)
class Division:
    """Where parts end: people with a key up to limits[p] are in part p, which is divided into pieces[p]."""

    limits: np.ndarray
    pieces: np.ndarray

    def part_of(self, keys: np.ndarray, hashes: np.ndarray) -> np.ndarray:
        at = np.searchsorted(self.limits, keys)
        first = np.cumsum(self.pieces) - self.pieces
        return first[at] + hashes % self.pieces[at]


def make(
    frame: Any,
    task: Task,
    rows: int,
    keep: Callable[[Any], Any],
    tell: Callable[[Any], list[dict[str, Any]]],
    progress: Callable[[str], None],
) -> tuple[Any, list[dict[str, Any]], int]:
    """The parts as they are published, kept aside; what they came to; and how many they are.

    A part that cannot keep the promise by itself makes all of them larger; parts that keep no rating do so, too.
    """
    from pyspark.sql.pandas.types import from_arrow_schema
    from pyspark.sql.types import LongType, StructField, StructType

    promise: Any = task.job.promise
    if task.job.input.layout == "long":
        refuse_second_ratings(frame, task.job)
    frequent = _frequent(task.levels)
    keyed = partial(counted_keys, levels=task.levels, frequent=frequent)
    met = of_people(frame, task.job, rows, keyed, "key long, people long, ratings long")
    found = _summed(met)
    most = PART_RATINGS if promise.l is None else _MOST_AT_ONCE
    if promise.l is not None and int(found[2].sum()) > most:
        raise InputError(
            f"l has no form on an engine for more than {most:,} ratings: they cannot be divided",
            file=task.job.file, hint="Leave l out, or make releases of fewer people.",
        )  # fmt: skip
    schema = StructType([*frame.schema.fields, StructField(PART, LongType())])
    for _ in range(64):
        division = divided(*found, most)
        count = int(division.pieces.sum())
        progress(f"parts: {count:,}")
        route = partial(routed, levels=task.levels, frequent=frequent, division=division, secret=task.key)
        in_parts = of_people(frame, task.job, rows, route, schema)
        search, announced = partial(searched_part, task=task), from_arrow_schema(task.schema)
        kept = keep(by_group(in_parts, PART, search, announced))
        told = tell(kept)
        failed = [each for each in told if "error" in each]
        is_blank = any(each.get("asks") for each in told) and not any(each.get("keeps") for each in told)
        if not failed and not is_blank:
            return kept, told, count
        refuse(failed, count, file=task.job.input.source)
        if is_blank and count == 1:
            refuse_blank(task.job.method.name or "", fill=task.levels.data.fill)
        most *= 4
    raise AssertionError("one part comes before so many attempts")


def searched_part(table: pa.Table, *, task: Task) -> pa.Table:
    """On an executor: a part as it is published. Its rows come in any order, on which nothing may depend."""
    part, table = table[PART][0].as_py(), table.drop_columns([PART])
    order = [(name, "ascending") for name in table.column_names]
    return made(table.sort_by(order), task=task, part=part)


def _frequent(levels: Levels) -> np.ndarray:
    """The issues that most people rated."""
    data = levels.data
    raters = np.bincount(data.issues, levels.times, minlength=len(data.names)) * data.is_known
    return np.argsort(-raters, kind="stable")[:_FIRST_ISSUES]


def _keys(data: Ratings, frequent: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What people are ordered by: who rated most comes first, equals by how they rated the most frequent issues.

    And how many ratings each has.
    """
    problem = data.problem(1, False)
    lengths = np.diff(problem.indptr)
    keys = (np.int64(1 << 31) - lengths) << 30
    person = np.repeat(np.arange(problem.people), lengths)
    for place, issue in enumerate(frequent.tolist()):
        rating = np.zeros(problem.people, np.int64)
        here = problem.issues == issue
        rating[person[here]] = 1 + problem.values[here].astype(np.int64) * (_PLACES - 1) // max(int(data.top[issue]), 1)
        keys |= (_PLACES - rating) << (10 * (_FIRST_ISSUES - 1 - place))
    return keys, lengths


def _own(table: pa.Table, levels: Levels) -> Ratings:
    beside = [ORIGINAL] if ORIGINAL in table.column_names else []
    data = levels.coded(table.drop_columns(beside))
    return data.at(np.arange(levels.strangers, len(data)))


def counted_keys(table: pa.Table, *, levels: Levels, frequent: np.ndarray) -> pa.Table:
    """On an executor: how many people of a share have each key, and how many ratings they have."""
    keys, lengths = _keys(_own(table, levels), frequent)
    different, which = np.unique(keys, return_inverse=True)
    ratings = np.bincount(which, lengths, minlength=different.size).astype(np.int64)
    people = np.bincount(which, minlength=different.size)
    return pa.table({"key": different, "people": people, "ratings": ratings})


def routed(table: pa.Table, *, levels: Levels, frequent: np.ndarray, division: Division, secret: bytes) -> pa.Table:
    """On an executor: the rows of a share, each with the part of its person."""
    keys, _ = _keys(_own(table, levels), frequent)
    if levels.job.input.layout == "long":
        who, names = numbered(table[levels.job.columns_with("person")[0].name])
        hashes = keyed_numbers(secret, (repr(name).encode() for name in names.to_pylist()))
        part = division.part_of(keys, hashes)[who]
    else:
        hashes = keyed_numbers(secret, contents(table))
        part = division.part_of(keys, hashes)
    return table.append_column(PART, pa.array(part, pa.int64()))


def _summed(met: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    from pyspark.sql import functions as F

    summed = met.groupBy("key").agg(F.sum("people").alias("people"), F.sum("ratings").alias("ratings"))
    table = collected(summed, _MOST_KEYS, "sorts of people").sort_by("key")
    return table["key"].to_numpy(), table["people"].to_numpy(), table["ratings"].to_numpy()


def divided(keys: np.ndarray, people: np.ndarray, ratings: np.ndarray, most: int) -> Division:
    """Parts of about so many ratings; people with one key are together, unless they are too many for one part."""
    weight = ratings + people
    part = (np.cumsum(weight) - weight) // max(most, 1)
    last = np.append(part[1:] != part[:-1], True)
    sums = np.bincount(np.cumsum(last) - last, weight)
    pieces = np.maximum(1, np.rint(sums / most)).astype(np.int64)
    return Division(keys[last], pieces)
