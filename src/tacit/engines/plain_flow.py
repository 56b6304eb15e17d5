"""Baskets in groups or with equals, and slices, on an engine: parts are made and audited there, then put in order."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa

from tacit.baskets.data import joined_by
from tacit.baskets.publish import group_column
from tacit.engines import cuts, frames
from tacit.engines.columns import as_text_column, items_in, read_spellings
from tacit.engines.made import Keep, Made
from tacit.engines.order import ORIGINAL, PLACE
from tacit.engines.part import META, PART, Task, refuse
from tacit.engines.plain_parts import Alike, Division, alike_in, digits_of, division_of, made, plain_names, routed
from tacit.engines.recoding_parts import PartsRecoding
from tacit.engines.records import check_told, utility_of
from tacit.engines.slice_columns import Slices, found_slices
from tacit.errors import InputError
from tacit.io import FileFormat
from tacit.job import Job
from tacit.job.checks import check_output
from tacit.kinds import kind_for
from tacit.methods import method_for
from tacit.release import Release
from tacit.sliced import BUCKET
from tacit.taxonomy import Taxonomy, read_hierarchy
from tacit.taxonomy.nodes import ROOT, free_name

PART_ROWS = 250_000
"""Rows of a part: what an executor of 2 GiB works on at once."""
_MOST_TEXTS = 100_000
_MOST_LOST = 0.02
"""Of all occurrences those in parts that keep nothing, beyond which parts become larger."""
_Found = tuple[Any, list[dict[str, Any]], int]


def check(job: Job) -> None:
    """Refuses what has no form in parts."""
    method = method_for(job.promise.name, job.method.name).name
    for role in ("person", "household", "weight"):
        for column in job.columns_with(role):
            raise InputError(
                f"the role {role!r} has no form on an engine for {job.promise.name!r} by {method!r} yet",
                file=job.file, column=column.name, hint="Leave the column out if every row is another person.",
            )  # fmt: skip
    for column in job.columns:
        if column.decimal or column.thousands is not None or column.date_format:
            raise InputError(
                "decimal, thousands and date_format have no form on an engine yet",
                file=job.file, column=column.name, hint="Write numbers with a point and days as 2024-03-05.",
            )  # fmt: skip
    if job.method.options.get("generalize_k") is not None:
        raise InputError(
            "method.generalize_k has no form on an engine: its ranges and nodes would differ from part to part",
            file=job.file, hint="Leave it out, or use --engine local.",
        )  # fmt: skip
    _refuse_linked_slices(job)
    if job.engine.key is not None and job.promise.kind_of_data == "slices":
        raise InputError(
            "engine.key has no place in a sliced table, whose rows are nobody's", file=job.file, hint="Leave it out."
        )


def _refuse_linked_slices(job: Job) -> None:
    """Slices that share what nobody knows are joined by it: then a bucket is not safe by itself."""
    columns = job.method.options.get("columns")
    lists = [] if columns is None or isinstance(columns, int | str) else [name for names in columns for name in names]
    for column in job.columns:
        if column.role != "quasi" and lists.count(column.name) > 1:
            raise InputError(
                "method.columns has this column in two slices, which has no form on an engine for what is no quasi",
                file=job.file, column=column.name, hint="Take it out of one of them, or use --engine local.",
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
    """The release without its audit, and its rows with their places."""
    records = frame.count()
    if not records:
        raise InputError("the data has no record, so there is nothing to publish", file=job.input.source)
    empty = frames.arrow_schema(frame).empty_table()
    check_output(empty, job, output)
    before = kind_for(job.promise).encode(empty, job, hierarchies, output)
    is_sliced = job.promise.kind_of_data == "slices"
    trees = dict(hierarchies) if is_sliced else _trees(job, hierarchies)
    alike = None if is_sliced else alike_in(frame, replace(job, columns=job.columns_with("items"), file=None), trees)
    method = method_for(job.promise.name, job.method.name)
    if alike is not None and method.uses_hierarchy:
        trees |= _flat_trees(job, alike, trees)
        if method.in_gray_order:
            alike = replace(alike, places=digits_of(job.columns_with("items"), trees))
    roles = ("quasi", "sensitive", "plain") if is_sliced else ("plain",)
    spellings, words = read_spellings(frame, job, hierarchies, roles)
    columns = tuple(
        as_text_column(replace(column, hierarchy=None), dict.fromkeys(words, "category"))
        for column in job.columns
        if column.role != "identifier"
    )
    numbered = BUCKET if is_sliced else group_column(job) if job.promise.shows_groups else None

    def in_parts(slices: Slices, asked: Job, *, may_grow: bool) -> tuple[list[str], _Found | None]:
        """The columns that are published, and what parts come to with these slices."""
        names, schema = _schema(empty, job, output, slices)
        task = Task(
            replace(asked, columns=columns, file=None), (), trees, output, order, schema, numbered=numbered,
            spellings=spellings, shown=tuple(names), leads=None if numbered is None else f"c{names.index(numbered)}",
        )  # fmt: skip
        rows = _columns(frame, task, job)
        return names, _parts(rows, task, alike, records, keep, progress, may_grow=may_grow)

    ways: list[tuple[Slices, Job]] = [((), job)]
    if is_sliced:
        ways = found_slices(frame, job, hierarchies, output, records, order)
    for place, (slices, asked) in enumerate(ways, start=1):
        names, found = in_parts(slices, asked, may_grow=place == len(ways))
        if found is not None:
            break
    assert found is not None  # the last way ends with a release, or by an exception
    rows, told, count = found
    rows = rows.toDF(*names, *rows.columns[len(names) :])
    recoding = _recoding(rows, job, trees, count, slices)
    sample = rows.select(*map(frames.quoted, names)).limit(1000).toArrow()
    release = Release(
        job, sample, None, SimpleNamespace(recoding=recoding), utility_of(told), output, before.data, empty,
        hierarchies, before.notes, {}, key, on_engine=True,
    )  # fmt: skip
    return Made(release, rows)


def _parts(
    frame: Any,
    task: Task,
    alike: Alike | None,
    records: int,
    keep: Keep,
    progress: Callable[[str], None],
    *,
    may_grow: bool,
) -> _Found | None:
    """The rows of all parts, kept; what they came to; and how many there are.

    A part that cannot keep the promise by itself makes all of them larger, or None of it, if they may not grow; numbers
    that two groups have are drawn anew.
    """
    most, turn = PART_ROWS, 0
    for _ in range(64):
        if alike is None or records <= most:
            division = Division((), np.array([-(-records // most)], np.int64))
        else:
            division = division_of(frame, alike, records, most)
        count = int(division.pieces.sum())
        progress(f"parts: {count:,}")
        kept = keep(_made(frame, task, alike, division, turn))
        told = [json.loads(row[META]) for row in kept.filter(kept[META].isNotNull()).select(META).collect()]
        failed = [each for each in told if "error" in each]
        if failed and not may_grow:
            return None
        refuse(failed, count)
        if failed or (count > 1 and _lost(told) > _MOST_LOST):
            most *= 4
            continue
        check_told(told, records)
        rows = kept.filter(kept[META].isNull()).drop(META)
        groups = sum(each["groups"] for each in told)
        if task.leads is None or rows.select(task.leads).distinct().count() == groups:
            return rows, told, len(told)
        turn += 1
    raise AssertionError("one part comes before so many attempts")


def _lost(told: Sequence[Mapping[str, Any]]) -> float:
    """The share of what is in parts of which nothing is told: with more people around, more can be kept."""
    return sum(each["weight"] for each in told if each["is_lost"]) / sum(each["weight"] for each in told)


def _made(frame: Any, task: Task, alike: Alike | None, division: Division, turn: int) -> Any:
    from pyspark.sql.pandas.types import from_arrow_schema
    from pyspark.sql.types import LongType, StructField, StructType

    schema = StructType([*frame.schema.fields, StructField(PART, LongType())])
    route = partial(routed, alike=alike, division=division, task=task)
    parts = frames.mapped(frame, route, schema)
    return frames.by_group(parts, PART, partial(made, task=task, turn=turn), from_arrow_schema(task.schema))


def _columns(frame: Any, task: Task, job: Job) -> Any:
    from pyspark.sql import functions as F

    beside = [] if job.engine.key is None else [F.col(frames.quoted(job.engine.key)).alias(ORIGINAL)]
    return frame.select(*map(frames.quoted, task.names()), *beside)


def _trees(job: Job, hierarchies: Mapping[str, Taxonomy]) -> dict[str, Taxonomy]:
    """The hierarchies of items, read here: executors have not the files."""
    files = {column.name: column.hierarchy for column in job.columns_with("items") if column.hierarchy is not None}
    return {**{name: read_hierarchy(file) for name, file in files.items()}, **hierarchies}


def _flat_trees(job: Job, alike: Alike, trees: Mapping[str, Taxonomy]) -> dict[str, Taxonomy]:
    """Of columns without a hierarchy one of all items, so that losses are the same in all parts."""
    found = {}
    for index, column in enumerate(job.columns_with("items")):
        if column.name not in trees:
            prefix = f"{index} "
            items = sorted(node.removeprefix(prefix) for node in alike.rank if node.startswith(prefix))
            found[column.name] = Taxonomy.flat(items, root=free_name(ROOT, {*items, *column.sensitive_items}))
    return found


def _schema(
    empty: pa.Table, job: Job, output: FileFormat, slices: Sequence[Sequence[str]]
) -> tuple[list[str], pa.Schema]:
    """The columns that are published, and the schema of what executors give back, where they have plain names."""
    columns = {column.name: column for column in job.columns}
    fields: list[tuple[str, pa.DataType]] = []
    if job.promise.kind_of_data == "slices":
        fields.append((BUCKET, pa.int64()))
        for index, names in enumerate(slices, start=1):
            fields += [(f"{index}.{name}", pa.string()) for name in names]
    else:
        for name in (name for name in empty.column_names if name in columns):
            kind = empty.schema.field(name).type
            if columns[name].role == "items":
                as_list = joined_by(columns[name], empty, output) is None
                fields.append((name, pa.list_(pa.string()) if as_list else pa.string()))
            elif columns[name].role == "plain":
                fields.append((name, pa.string() if pa.types.is_large_string(kind) else kind))
        if job.promise.shows_groups:
            fields.append((group_column(job), pa.int64()))
    beside = [] if job.engine.key is None else [(ORIGINAL, empty.schema.field(job.engine.key).type)]
    plain = zip(plain_names(len(fields)), (kind for _, kind in fields), strict=True)
    return [name for name, _ in fields], pa.schema([*plain, *beside, (PLACE, pa.binary()), (META, pa.string())])


def _recoding(rows: Any, job: Job, trees: Mapping[str, Taxonomy], count: int, slices: Slices) -> PartsRecoding:
    if job.promise.kind_of_data == "slices":
        return PartsRecoding(count, (), slices=slices)
    shown, nodes = {}, {}
    for column in job.columns_with("items"):
        shown[column.name] = frozenset(items_in(rows, column).limit(_MOST_TEXTS).toArrow()["name"].to_pylist())
        tree = trees.get(column.name)
        nodes[column.name] = {} if tree is None or job.promise.shows_groups else _leaves_of(tree, shown[column.name])
    return PartsRecoding(count, (), shown=shown, nodes=nodes)


def _leaves_of(tree: Taxonomy, names: frozenset[str]) -> dict[str, list[str]]:
    """The groups of a hierarchy that are shown, with the items that each stands for."""
    groups = [node for node, name in enumerate(tree.names) if name in names and not tree.is_leaf[node]]
    return {
        tree.names[node]: [tree.names[leaf] for leaf in range(node, int(tree.end[node])) if tree.is_leaf[leaf]]
        for node in groups
    }


def to_publish(made: Made, *, is_sorted: bool = True) -> Any:
    """The rows as they are published; in their order, unless that does not matter."""
    rows = _in_order(made) if is_sorted else made.rows
    return rows.select(*map(frames.quoted, _published_names(made)))


def _in_order(made: Made) -> Any:
    """The rows by their places; where numbers of groups or buckets are published, these come first."""
    release = made.release
    is_led = release.job.promise.kind_of_data == "slices" or release.job.promise.shows_groups
    return cuts.by_place(made.rows, cuts.files_for(release.utility["records"]), led=is_led)


def _published_names(made: Made) -> list[str]:
    return [name for name in made.rows.columns if name not in (PLACE, ORIGINAL)]


def whose(made: Made) -> Any | None:
    """The rows with the key column as `original`, if the job names one."""
    if ORIGINAL not in made.rows.columns:
        return None
    names = _published_names(made)
    rows = _in_order(made).select(ORIGINAL, *map(frames.quoted, names))
    return rows.withColumnRenamed(ORIGINAL, free_name("original", set(names)))
