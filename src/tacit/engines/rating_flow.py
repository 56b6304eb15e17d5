"""Ratings on an engine: counted there, decided here or in parts, published and audited there."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from tacit.engines import cuts, frames, rating_cuts, rating_parts
from tacit.engines.audits.ratings import MOST_AT_ONCE
from tacit.engines.levels import Levels, read_levels
from tacit.engines.made import Keep, Made
from tacit.engines.order import ORIGINAL, PLACE
from tacit.engines.passes import AT_ONCE
from tacit.engines.rating_measures import measured, united
from tacit.engines.rating_share import META, Task, made
from tacit.engines.recoding_parts import PartsRecoding
from tacit.engines.shares import AT, BUCKET, RANK, in_turn, numbered_in_order, ranked
from tacit.errors import AuditFailure, InputError, PromiseError
from tacit.io import FileFormat
from tacit.job import Job
from tacit.ratings import kind
from tacit.ratings.checks import check_enough_known
from tacit.ratings.publish import publish_ratings
from tacit.ratings.ranges import RangeRecoding
from tacit.ratings.reach import check_people
from tacit.ratings.recoding import IntervalRecoding
from tacit.ratings.solvers.problem import left_alone
from tacit.release import Release
from tacit.shuffle import Shuffle
from tacit.taxonomy.nodes import free_name

_SHOWN = ("person", "items", "rating", "plain")
_RANKED = 1_000_000
"""Rows that are put into their order at once."""


def check(job: Job) -> None:
    """Refuses what ratings have no form for on an engine."""
    if str(job.method.options.get("duplicates", "error")) != "error":
        raise InputError(
            "duplicates has no form on an engine, where rows have no order",
            file=job.file, hint="Leave one rating for a person and an issue, and duplicates out.",
        )  # fmt: skip
    for column in job.columns:
        if column.decimal or column.thousands is not None or column.date_format:
            raise InputError(
                "decimal, thousands and date_format have no form on an engine yet",
                file=job.file, column=column.name, hint="Write numbers with a point.",
            )  # fmt: skip
    if job.input.layout == "long" and job.engine.key is not None:
        raise InputError(
            "engine.key has no place in a long layout, where persons tell records apart",
            file=job.file, hint="Leave it out.",
        )  # fmt: skip


def make(
    frame: Any,
    job: Job,
    output: FileFormat,
    hierarchies: Mapping[str, Any],
    key: bytes,
    order: bytes,
    keep: Keep,
    progress: Callable[[str], None],
) -> Made:
    """The release of ratings without its audit, and its rows with their places."""
    rows = _people(frame, job)
    progress("counting ratings")
    levels = read_levels(frame, job, output, rows)
    promise: Any = job.promise
    job = replace(job, columns=tuple(_scaled(column, levels) for column in job.columns))
    recoding: RangeRecoding | None = None
    if promise.shows_ranges:
        _check_at_once(job, rows)
        plan = rating_cuts.plan_for(levels, promise.k, promise.m) if promise.m > 1 and promise.k > 1 else None
        known = rating_cuts.count(frame, levels, rows, plan if promise.m <= 2 else None, promise.k)
        check_people(known.people, promise.k)
        check_enough_known(known.most, promise, job)
        progress("searching")
        shown = str(job.method.options.get("shown", "range"))
        plan = plan or rating_cuts.plan_for(levels, promise.k, promise.m)
        if promise.m > 2:
            recoding = rating_cuts.searched_in_all(frame, levels, rows, plan, promise, shown)
        else:
            recoding = rating_cuts.searched(levels, plan, known, promise.k, shown)
        kind.judge(levels.data, recoding.applied(levels.data), job.method.name or "")
    task = _task(frame, levels, recoding, output, order, rows, job)
    if recoding is not None:
        kept = keep(*in_turn(_columns(frame, task, job), levels.job, rows, partial(made, task=task), _schema(task)))
        told = _told(kept)
        _refuse_failed(told)
        applied: Any = recoding.applied(levels.data)
        utility = measured(levels, recoding, told)
    else:
        kept, told, parts = rating_parts.make(_columns(frame, task, job), task, rows, keep, _told, progress)
        applied = SimpleNamespace(recoding=PartsRecoding(parts, ()))
        utility = united(told)
    _check(told)
    numbered = _numbered(kept, told, task)
    sample = numbered.sample.drop(*_beside(numbered.sample)).limit(1000).toArrow()
    source = frames.arrow_schema(frame).empty_table()
    release = Release(
        job, sample, None, applied, utility, output, levels.data, source, hierarchies, levels.notes,
        {}, key, on_engine=True,
    )  # fmt: skip
    return Made(release, numbered.rows, numbered.pieces, numbered.firsts, numbered.ordered)


def _check_at_once(job: Job, rows: int) -> None:
    """Refuses more ratings than this process, and the executor that audits them, take at once for m above 2."""
    promise: Any = job.promise
    ratings = rows * (1 if job.input.layout == "long" else len(job.columns_with("rating")))
    if promise.m > 2 and ratings > MOST_AT_ONCE:
        raise InputError(
            f"m = {promise.parameters()['m']} takes all ratings at once, up to {MOST_AT_ONCE:,}",
            file=job.file, hint="Set m = 2, which is counted in shares, or publish fewer people.",
        )  # fmt: skip


def _people(frame: Any, job: Job) -> int:
    """How many rows there are; refuses persons without a name, and of a survey those with two rows."""
    from pyspark.sql import functions as F

    named = job.columns_with("person")
    asked = [F.count(F.lit(1)).alias("rows")]
    if named:
        person = F.col(frames.quoted(named[0].name))
        is_none = person.isNull() | person.cast("string").isin("", *job.input.missing)
        asked += [F.sum(is_none.cast("long")).alias("none")]
        if job.input.layout != "long":
            known = F.when(~is_none, person)
            asked += [F.count(known).alias("known"), F.countDistinct(known).alias("different")]
    found = frame.agg(*asked).collect()[0]
    if not found["rows"]:
        raise InputError("the data has no record, so there is nothing to publish", file=job.input.source)
    if named and job.input.layout == "long" and found["none"]:
        hint = "Every row of the long layout belongs to a person: fill the id in, or take the row out."
        problem = f"rows without a person id: {found['none']:,}"
        raise InputError(problem, file=job.input.source, column=named[0].name, hint=hint)
    if named and job.input.layout != "long" and found["different"] < found["known"]:
        problem = f"a person has two rows (there are {found['known'] - found['different']:,} such rows)"
        hint = "A row of the wide layout is a person: join the rows of a person, or take one of them out."
        raise InputError(problem, file=job.input.source, column=named[0].name, hint=hint)
    return int(found["rows"])


def _scaled(column: Any, levels: Levels) -> Any:
    """A column of the job with the scale that was found."""
    return next((each for each in levels.job.columns if each.name == column.name), column)


def _task(
    frame: Any, levels: Levels, recoding: RangeRecoding | None, output: FileFormat, key: bytes, rows: int, job: Job
) -> Task:
    """What executors are told, with the schema of what they give back: that of the strangers' ratings."""
    data = levels.data
    if recoding is None:
        nothing = IntervalRecoding(left_alone(data.problem(1, False)), data.names, {}, len(data))
        applied: Any = kind.apply(data, nothing)
    else:
        applied = recoding.applied(data)
    shown = publish_ratings(data, applied, levels.table, levels.job, output, Shuffle.keyed(key, "levels")).table
    person = levels.job.columns_with("person")
    types = {field.name: field.type for field in frames.arrow_schema(frame)}
    fields = [(name, _fitting(shown[name].type, data, recoding)) for name in shown.column_names]
    if person:
        fields = [each for each in fields if each[0] != person[0].name]
        fields.append((ORIGINAL, types[person[0].name]))
    elif job.engine.key is not None:
        fields.append((ORIGINAL, types[job.engine.key]))
    schema = pa.schema([*fields, (PLACE, pa.binary()), (AT, pa.int64()), (BUCKET, pa.int64()), (META, pa.string())])
    return Task(levels, recoding, output, key, max(1, -(-rows // _RANKED)), schema)


def _fitting(shown: pa.DataType, data: Any, recoding: RangeRecoding | None) -> pa.DataType:
    """A type that holds all of a column, whatever a share of it moves ratings to."""
    if pa.types.is_large_string(shown):
        return pa.string()
    if recoding is None and pa.types.is_floating(shown):
        return pa.float64()
    if recoding is None and pa.types.is_integer(shown) and (data.unit % 10**data.decimals):
        return pa.float64()
    return shown


def _columns(frame: Any, task: Task, job: Job) -> Any:
    from pyspark.sql import functions as F

    named = [column.name for column in task.job.columns]
    beside = [] if job.engine.key is None or task.person else [F.col(frames.quoted(job.engine.key)).alias(ORIGINAL)]
    return frame.select(*map(frames.quoted, named), *beside)


def _schema(task: Task) -> Any:
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(task.schema)


def _told(kept: Any) -> list[dict[str, Any]]:
    return [json.loads(row[META]) for row in kept.filter(kept[META].isNotNull()).select(META).collect()]


def _refuse_failed(told: list[dict[str, Any]]) -> None:
    failed = [each for each in told if "error" in each]
    if failed:
        raise (PromiseError if failed[0]["error"] == "PromiseError" else InputError)(failed[0]["message"])


def _check(told: list[dict[str, Any]]) -> None:
    """Raises unless every share passed its audit and is true to its original."""
    failed = [each for each in told if each["satisfied"] is not True]
    if failed:
        raise AuditFailure(f"The audit did not pass in {len(failed):,} of {len(told):,} shares: nothing was published.")
    if any(each["problems"] for each in told):
        raise AuditFailure("This is not true to the original, so nothing was published.")


class _Numbered(NamedTuple):
    """Rows with the number of each person in place of the name, if persons are shown, and their place."""

    rows: Any
    sample: Any  # some of them
    pieces: tuple[Any, ...] = ()
    firsts: Any = None
    ordered: Any = None


def _numbered(kept: Any, told: list[dict[str, Any]], task: Task) -> _Numbered:
    rows = kept.filter(kept[META].isNull()).drop(META)
    if task.person is None:
        rows = rows.drop(AT, BUCKET)
        return _Numbered(rows, rows)
    from pyspark.sql.types import LongType, StructField, StructType

    counts = np.sum([each["buckets"] for each in told], axis=0)
    before = np.cumsum(counts) - counts
    kept_fields = [field for field in rows.schema.fields if field.name not in (PLACE, BUCKET)]
    schema = StructType([*kept_fields, StructField(RANK, LongType())])

    def those(chosen: Any) -> Any:
        return frames.by_group(chosen, BUCKET, partial(ranked, before=before), schema)

    return _Numbered(
        those(rows),
        those(rows.filter(rows[BUCKET] == int(np.argmax(counts > 0)))),
        tuple(those(rows.filter((rows[BUCKET] >= low) & (rows[BUCKET] < high))) for low, high in _passes(kept, task)),
        those(rows.filter(rows[AT] == 0)),
        _in_order(rows, before, schema),
    )


def _in_order(rows: Any, before: np.ndarray, schema: Any) -> Any | None:
    """The rows with their numbers, in their order, where the engine sorts all of them at once and keeps it.

    Numbers are given to sorted rows, so that nothing is sorted twice.
    """
    if not frames.keeps_order(rows):
        return None
    placed = cuts.by_number(rows, before.size, BUCKET, PLACE, AT)
    return frames.mapped(placed, partial(numbered_in_order, before=before), schema)


def _passes(kept: Any, task: Task) -> list[tuple[int, int]]:
    """The buckets that are sorted at a time (from, up to); none if the engine sorts all of them at once."""
    if frames.at_once(kept) is None:
        return []
    step = max(1, AT_ONCE // _RANKED)
    return [(low, low + step) for low in range(0, task.buckets, step)]


def _beside(rows: Any) -> list[str]:
    return [name for name in (ORIGINAL, PLACE, AT, RANK) if name in rows.columns]


def to_publish(made: Made, *, is_sorted: bool = True) -> Any:
    """The rows as they are published; in their order, unless that does not matter."""
    rows = made.rows
    if is_sorted and made.ordered is not None:
        rows = made.ordered
    elif is_sorted:
        people = made.release.utility["records"]
        count = cuts.files_for(people)
        has_ranks = RANK in rows.columns
        rows = cuts.by_rank(rows, count, people, RANK, AT) if has_ranks else cuts.by_place(rows, count)
    return _with_persons(rows, made.release.job).select(*map(frames.quoted, _published_names(made)))


def _published_names(made: Made) -> list[str]:
    """The columns that are published, in the order of the data."""
    held = {column.name for column in made.release.job.columns if column.role in _SHOWN}
    return [name for name in made.release.source.column_names if name in held]


def _with_persons(rows: Any, job: Job) -> Any:
    """The rows with the numbers of persons under the name of their column."""
    return rows.withColumnRenamed(RANK, job.columns_with("person")[0].name) if RANK in rows.columns else rows


def whose(made: Made) -> Any | None:
    """Which published person, or record, is whose; None where nothing tells people apart."""
    if ORIGINAL not in made.rows.columns:
        return None
    people = made.release.utility["records"]
    if made.firsts is not None:
        rows = cuts.by_rank(made.firsts, cuts.files_for(people), people, RANK).select(RANK, ORIGINAL)
        return rows.withColumnRenamed(RANK, "published").withColumnRenamed(ORIGINAL, "original")
    names = _published_names(made)
    rows = cuts.by_place(made.rows, cuts.files_for(people)).select(ORIGINAL, *map(frames.quoted, names))
    return rows.withColumnRenamed(ORIGINAL, free_name("original", set(names)))
