"""Records on an engine, with and without baskets: in parts, each of which is made, audited and compared by itself.

What this process holds are the different values of each column and a sample of the records, never the records.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from tacit.arrays.attributes import Attribute
from tacit.baskets.checks import check_sensitive
from tacit.engines import frames
from tacit.engines.audits.buckets import shares_of_values
from tacit.engines.columns import (
    Quasi,
    as_text_column,
    check_asked_of_all,
    counted_alike,
    fixed,
    items_in,
    read_quasi,
    read_sensitive,
    read_spellings,
)
from tacit.engines.made import Keep
from tacit.engines.order import ORIGINAL, PLACE
from tacit.engines.part import META, PART, PERSON, Task, made, refuse, routed, sampled
from tacit.engines.parts import SAMPLE, Splits, split
from tacit.engines.united import refuse_nobody
from tacit.errors import AuditFailure, InputError
from tacit.io import FileFormat
from tacit.job import Job
from tacit.job.checks import check_population
from tacit.records.checks import check_attribute
from tacit.taxonomy import Taxonomy, read_hierarchy

PART_ROWS = 250_000
"""Records of a part: what an executor of 2 GiB works on at once."""
_MOST_PARTS = 1 << 32
_RANK = "tacit_rank"
_SUMS = ("records", "emptied_baskets", "buckets")
_ALIKE = ("columns",)
_NOT_OF_PARTS = (
    "groups", "group_sizes", "average_class_size", "discernability", "records_sampled", "items_before", "items_after",
)  # fmt: skip


def check(job: Job) -> None:
    """Refuses what records have no form for on an engine."""
    for role in ("household", "weight", *(["person"] if job.promise.measures_distances else [])):
        for column in job.columns_with(role):
            raise InputError(
                f"the role {role!r} has no form on an engine for {job.promise.name!r} yet",
                file=job.file,
                column=column.name,
                hint="Leave the column out if every row is another person, or use --engine local.",
            )
    if job.columns_with("person") and job.engine.key is not None:
        raise InputError(
            "engine.key has no place where persons tell whose records they are", file=job.file, hint="Leave it out."
        )
    for column in job.columns:
        if column.decimal or column.thousands is not None or column.date_format:
            raise InputError(
                "decimal, thousands and date_format have no form on an engine yet",
                file=job.file,
                column=column.name,
                hint="Write numbers with a point and days as 2024-03-05.",
            )


@dataclass(frozen=True)
class Parts:
    """What the parts came to."""

    frame: Any  # rows with their places, and META
    utility: dict[str, Any]
    count: int
    splits: tuple[tuple[str, int, int, int], ...]
    attributes: tuple[Attribute, ...]


def make(
    frame: Any,
    job: Job,
    output: FileFormat,
    hierarchies: Mapping[str, Taxonomy],
    order: bytes,
    keep: Keep,
    progress: Any,
) -> Parts:
    """The records as they are published, part by part; `keep` keeps a frame that is used more than once.

    A part that cannot keep the promise by itself makes all of them larger; one of them all is what one machine does.
    Records go where they belong, whosever they are, unless somebody then is in one published group by two parts.
    """
    records = frame.count()
    if not records:
        raise InputError("the data has no record, so there is nothing to publish", file=job.input.source)
    if job.input.population is not None:
        persons = [frames.quoted(column.name) for column in job.columns_with("person")]
        check_population(frame.select(*persons).distinct().count() if persons else records, job)
    for column in job.columns_with("person"):
        refuse_nobody(frame, frame[frames.quoted(column.name)], column.name, job)
    task = _task(frame, job, output, hierarchies, order)
    for each in task.quasi:
        check_attribute(each.attribute, records, job)
    most, unites = PART_ROWS, False
    for _ in range(64):
        splits = _splits(frame, task, records, most, unites=unites)
        count = int(splits.pieces.sum())
        progress(f"parts: {count:,}")
        kept = keep(_made(frame, task, splits, job, unites=unites))
        told = [json.loads(row[META]) for row in kept.filter(kept[META].isNotNull()).select(META).collect()]
        failed = [each for each in told if "error" in each]
        names = [each.attribute.name for each in task.quasi]
        rows = kept.filter(kept[META].isNull()).drop(META)
        if failed:
            refuse(failed, count)
            most *= 4
        elif not unites and meet(rows, names):
            unites = True
        else:
            check_told(told, records)
            attributes = tuple(each.attribute for each in task.quasi)
            return Parts(rows.drop(PART), utility_of(told), count, splits.told(names), attributes)
    raise AssertionError("one part comes before so many attempts")


def _task(frame: Any, job: Job, output: FileFormat, hierarchies: Mapping[str, Taxonomy], order: bytes) -> Task:
    quasi: dict[str, Quasi] = {}
    trees = dict(hierarchies)
    for column in job.columns_with("quasi"):
        quasi[column.name] = found = read_quasi(frame, job, column, hierarchies)
        if found.attribute.tree is not None:
            trees[column.name] = found.attribute.tree
    for column in job.columns_with("items"):
        if column.hierarchy is not None and column.name not in trees:
            trees[column.name] = read_hierarchy(column.hierarchy)
    sensitive = []
    for column in job.columns_with("sensitive") if job.promise.measures_distances else ():
        sensitive.append(found := read_sensitive(frame, job, column, hierarchies))
        if found.attribute.tree is not None:
            trees[column.name] = found.attribute.tree
    named = [column for column in job.columns_with("items") if column.sensitive_items]
    held = {row["name"] for column in named for row in items_in(frame, column).collect()}
    check_sensitive(named, held, job)
    for column in job.columns_with("sensitive") if job.promise.by_column else ():
        check_asked_of_all(frame, job, column, hierarchies)
    columns = tuple(fixed(column, quasi.get(column.name)) for column in job.columns)
    shown = tuple(column for column in columns if column.role not in ("identifier",))
    small = replace(job, columns=shown, file=None)
    schema = _schema(frame, small, job, output)
    spellings, words = read_spellings(frame, job, hierarchies)
    small = replace(small, columns=tuple(as_text_column(column, words) for column in small.columns))
    of_all = counted_alike(shares_of_values(frame, small), spellings)
    return Task(small, tuple(quasi.values()), trees, output, order, schema, tuple(sensitive), of_all, spellings)


def _schema(frame: Any, job: Job, whole: Job, output: FileFormat) -> pa.Schema:
    """The columns that are published, in the order of the data, and what goes beside them."""
    types = {field.name: field.type for field in frames.arrow_schema(frame)}
    columns = {column.name: column for column in job.columns}
    fields = []
    for name in (name for name in types if name in columns and columns[name].role != "person"):
        column = columns[name]
        if column.role == "items":
            as_list = pa.types.is_list(types[name]) and output.has_lists
            fields.append((name, pa.list_(pa.string()) if as_list else pa.string()))
        elif column.role == "quasi" or column.missing == "suppress":
            fields.append((name, pa.string()))
        else:
            fields.append((name, pa.string() if pa.types.is_large_string(types[name]) else types[name]))
    beside = [(ORIGINAL, types[name]) for name in told_apart_by(whole)]
    if whole.columns_with("person") and not whole.promise.asks_enough_people:
        beside.append((PART, pa.int64()))  # which tells whether persons of several parts meet
    return pa.schema([*fields, *beside, (PLACE, pa.binary()), (META, pa.string())])


def _columns(frame: Any, task: Task, job: Job) -> Any:
    from pyspark.sql import functions as F

    beside = [F.col(frames.quoted(name)).alias(ORIGINAL) for name in told_apart_by(job)]
    return frame.select(*map(frames.quoted, task.names()), *beside)


def told_apart_by(job: Job) -> list[str]:
    """The column that says whose record is whose, to the data's owner alone: persons, or else the key column."""
    persons = [column.name for column in job.columns_with("person")]
    return persons or ([] if job.engine.key is None else [job.engine.key])


def meet(rows: Any, quasi: list[str]) -> bool:
    """Whether somebody is in a group of equal published values by records of two parts, if that matters.

    If nobody is, what a group has of each part is of different people, so that the group keeps what they keep.
    """
    from pyspark.sql import functions as F

    if PART not in rows.columns:
        return False
    parts = rows.groupBy(*map(frames.quoted, [*quasi, ORIGINAL])).agg(F.countDistinct(PART).alias("parts"))
    return bool(parts.filter("parts > 1").limit(1).count())


def _splits(frame: Any, task: Task, records: int, most: int, *, unites: bool) -> Splits:
    if records <= most:
        return split(np.empty((0, len(task.quasi)), np.int64), records, max(records, 1))
    names = [each.attribute.name for each in task.quasi]
    persons = [column.name for column in task.job.columns_with("person")]
    schema = ", ".join([*(f"k{index} long" for index in range(len(names))), f"{PERSON} long"])
    drawn = partial(sampled, task=task, one_in=max(1, records // SAMPLE))
    table = frames.mapped(frame.select(*map(frames.quoted, [*names, *persons])), drawn, schema).toArrow()
    *keys, whose = (column.to_numpy() for column in table.columns)
    order = np.lexsort((whose, *keys))
    told_apart = whose[order] if persons and unites else None
    return split(np.stack(keys, axis=1)[order], records, most, told_apart, [each.steps() for each in task.quasi])


def _made(frame: Any, task: Task, splits: Splits, job: Job, *, unites: bool) -> Any:
    from pyspark.sql.pandas.types import from_arrow_schema

    parts = in_parts(frame, task, splits, job, unites=unites)
    return frames.by_group(parts, PART, partial(made, task=task), from_arrow_schema(task.schema))


def in_parts(frame: Any, task: Task, splits: Splits, job: Job, *, unites: bool) -> Any:
    """The records with their parts; `unites` if all of a person are in one (docs/cluster.md says when)."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F
    from pyspark.sql.types import LongType, StructField, StructType

    rows = _columns(frame, task, job)
    schema = StructType([*rows.schema.fields, StructField(PART, LongType())])
    routes = frames.mapped(rows, partial(routed, task=task, splits=splits), schema)
    for column in job.columns_with("person") if unites else ():
        person = frames.quoted(column.name)
        there = F.count(F.lit(1)).over(Window.partitionBy(person, PART))
        routes = routes.withColumn(_RANK, there * F.lit(_MOST_PARTS) - F.col(PART))
        most = F.max(_RANK).over(Window.partitionBy(person))  # where most of them are, of equals the first
        routes = routes.withColumn(PART, F.pmod(-most, F.lit(_MOST_PARTS))).drop(_RANK)
    return routes


def check_told(told: list[dict[str, Any]], records: int) -> None:
    """Raises unless every part passed its audit, is true to its original, and none is missing."""
    failed = [each for each in told if each["satisfied"] is not True]
    if failed:
        raise AuditFailure(f"The audit did not pass in {len(failed):,} of {len(told):,} parts: nothing was published.")
    if any(each["problems"] for each in told):
        raise AuditFailure("This is not true to the original, so nothing was published.")
    shown = sum(each["utility"]["records"] for each in told)
    if shown != records:
        raise AuditFailure(f"{shown:,} records are shown out of {records:,}, so nothing was published.")


def utility_of(told: list[dict[str, Any]]) -> dict[str, Any]:
    """The measures of the whole: sums, and means over the records; of baskets alone, over the occurrences of items."""
    parts = [each["utility"] for each in told]
    weight = np.array([each.get("weight", each["utility"]["records"]) for each in told], float)
    found: dict[str, Any] = {}
    for name in parts[0]:
        values = [each.get(name) for each in parts]
        if name in _NOT_OF_PARTS or any(value is None for value in values):
            continue
        if name in _SUMS:
            found[name] = sum(values)
        elif name in _ALIKE:
            found[name] = values[0]
        elif isinstance(values[0], dict):
            of_all = [key for key in values[0] if all(isinstance(each.get(key), int | float) for each in values)]
            found[name] = {key: _mean([each[key] for each in values], weight) for key in of_all}
        else:
            found[name] = _mean(values, weight)
    return found


def _mean(values: list[float], weight: np.ndarray) -> float:
    return float(np.average(np.array(values, float), weights=weight))
