"""The audit of records on an engine: groups of equal published values, as many as fit, are judged at a time.

A group is never divided, so what the audit's own code finds in one bucket of groups is what it would find in the whole:
it is for promises about single groups, and for no other. No code of a method is imported here.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any
from zlib import crc32

import numpy as np
import pyarrow as pa

from tacit import audits
from tacit.audits.result import AuditResult
from tacit.audits.views.beside import NOTHING
from tacit.audits.views.cells import read_cells
from tacit.audits.views.records import markers_of
from tacit.engines import frames
from tacit.engines.frames import ROWS
from tacit.errors import InputError
from tacit.io.text import as_text
from tacit.job.model import Column, Job
from tacit.promises import MODELS
from tacit.taxonomy import Taxonomy, read_hierarchy

BUCKET = "tacit_bucket"
FILE = "the published data"
"""What errors call what is judged."""
MOST_VALUES = 2_000_000
_SHOWN = 1000


def dealt(
    batches: Iterator[pa.RecordBatch], *, by: Sequence[str], count: int, missing: Collection[str] = ()
) -> Iterator[pa.RecordBatch]:
    """On an executor: published records, with the bucket of all that are alike in some columns.

    All that means "no value" is alike.
    """
    nothing = {None, *missing}
    for batch in batches:
        table = pa.Table.from_batches([batch])
        columns = [as_text(table[name]).to_pylist() for name in by]
        rows = (
            repr(tuple("" if text in nothing else text for text in row)).encode() for row in zip(*columns, strict=True)
        )
        bucket = np.fromiter((crc32(row) % count for row in rows), np.int64, table.num_rows)
        yield from table.append_column(BUCKET, pa.array(bucket)).combine_chunks().to_batches()


def as_labels(column: Column, is_text: bool = False) -> Column:
    """A column as executors take it, who have not the file of its hierarchy, whose leaves are names all the same."""
    is_text = is_text or column.hierarchy is not None
    return replace(column, hierarchy=None, type="category" if is_text and column.type is None else column.type)


def shares_of_values(frame: Any, job: Job) -> dict[str, dict[str | None, int]]:
    """How many records of a frame have each text of the sensitive columns, if distances to all are measured."""
    found: dict[str, dict[str | None, int]] = {}
    for column in job.columns_with("sensitive") if job.promise.measures_distances else ():
        met = frames.collected(frames.distinct(frame, [column.name]), MOST_VALUES, f"different {column.name!r}")
        cells = read_cells(column.name, met[column.name], markers_of(column, job), None)
        own = found.setdefault(column.name, {})
        for code, people in zip(cells.codes.tolist(), met[ROWS].to_pylist(), strict=True):
            text = None if code == cells.missing else cells.texts[code]
            own[text] = own.get(text, 0) + people
    return found


def trees_of(job: Job, of_all: Mapping[str, Mapping[str | None, int]]) -> dict[str, Taxonomy]:
    """The hierarchies of sensitive columns that distances are taken from, read here: executors have not the files."""
    named = {column.name: column.hierarchy for column in job.columns_with("sensitive") if column.name in of_all}
    return {
        name: read_hierarchy(file, {text for text in of_all[name] if text is not None})
        for name, file in named.items()
        if file is not None
    }


def judged(
    table: pa.Table,
    *,
    job: Job,
    of_all: Mapping[str, Mapping[str | None, int]] | None = None,
    trees: Mapping[str, Taxonomy] | None = None,
    whose: str | None = None,
) -> pa.Table:
    """On an executor: the verdict on the groups of a bucket, as JSON; `whose` is the column with persons, if known."""
    try:
        shown = table.drop_columns([BUCKET] if whose is None else [BUCKET, whose])
        view: Any = replace(audits.read_view(shown, job), beside=NOTHING)  # told of the whole file, once
        if of_all:
            view = replace(view, of_all=of_all, trees=trees or {})
        result = audits.audit(view, job) if whose is None else audits.audit_persons(view, job, _codes(table[whose]))
        told = result.to_dict()
    except InputError as error:
        told = refused(error)
    return pa.table({"verdict": [json.dumps(told)]})


def _codes(persons: pa.ChunkedArray) -> np.ndarray:
    if persons.null_count:
        raise InputError("records have no person")
    return persons.combine_chunks().dictionary_encode().indices.to_numpy().astype(np.int64)


def refused(error: InputError) -> dict[str, Any]:
    """What a reader refuses, without place and number: those of a share are not those of the file."""
    problem = error.problem.partition("; the first stands")[0].partition(" (there ")[0]
    return {"error": problem, "column": error.column, "hint": error.hint}


def together(found: Sequence[dict[str, Any]], job: Job) -> AuditResult:
    """One verdict from those on all buckets."""
    if found[1:] and not job.promise.holds_by_groups:
        raise ValueError(f"{job.promise.name!r} is not about single groups")
    for each in found:
        if "error" in each:
            raise InputError(each["error"], file=FILE, column=each["column"], hint=each["hint"])
    worst = min(found, key=_strength)
    facts = {name: value for name, value in worst.items() if name not in _OWN}
    facts |= {name: sum(each[name] for each in found) for name in _SUMS if worst.get(name) is not None}
    facts |= {name: min(each[name] for each in found) for name in ("smallest_group",) if name in worst}
    facts |= {name: max(each[name] for each in found) for name in ("largest_group",) if name in worst}
    if found[1:]:
        facts.pop("persons", None)  # some are in several shares
    count = facts["violation_count"]
    facts["violation_count_in_words"] = f"{count:,}"
    facts["level"] = _level([each["level"] for each in found if each["level"] is not None], job.promise.stricter_below)
    said = [each["satisfied"] for each in found]
    satisfied = False if False in said else None if None in said else True
    violations = [each for one in found for each in one["violations"]][:_SHOWN]
    many = f"{facts['records']:,} records" if "records" in facts else f"{facts['people']:,} people"
    for name in ("each", "joint") if found[1:] else ():
        if name in facts:
            facts[name] = _surest([each[name] for each in found])
    if found[1:] and "sensitive" in facts:
        of_all = [each["sensitive"] for each in found if "sensitive" in each]
        facts["sensitive"] = {"highest_share": max(each["highest_share"] for each in of_all)}
    told = f"Checked {many}" + (f" in {len(found):,} shares of the groups." if found[1:] else ".")
    first = worst["explanation"][0]
    if count and found[1:]:
        first = f"In the weakest share of the groups: {first} In all shares: {count:,}."
    return AuditResult(
        worst["model"], worst["parameters"], satisfied, worst["worst"], violations, facts, (first, told)
    )  # fmt: skip


def _surest(found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """How sure somebody can be in any share, of one thing or of each of several."""
    if "probability" in found[0]:
        return max(found, key=lambda each: each["probability"])
    return {name: _surest([each[name] for each in found]) for name in found[0]}


_OWN = ("version", "model", "parameters", "satisfied", "worst", "violations", "explanation")
_SUMS = (
    "records", "people", "people_without_enough_close_others", "groups", "violation_count",
    "records_affected", "empty_baskets", "buckets", "buckets_in_doubt",
)  # fmt: skip


def _strength(found: dict[str, Any]) -> tuple[float, ...]:
    """The weakest verdict has the least."""
    level = [value for value in (found["level"] or {}).values() if _is_number(value)]
    less = [-found["level"][name] for name in MODELS[found["model"]].stricter_below if level and name in found["level"]]
    weakest = min(less or level, default=math.inf)
    return {False: 0.0, None: 1.0, True: 2.0}[found["satisfied"]], weakest


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _level(levels: Sequence[dict[str, Any]], stricter_below: Collection[str]) -> dict[str, Any] | None:
    """Of each parameter what all of them reach."""
    if not levels:
        return None
    found: dict[str, Any] = {}
    for name, value in levels[0].items():
        values = [each.get(name) for each in levels]
        if isinstance(value, bool):
            found[name] = all(values)
        else:
            known: list[float] = [each for each in values if each is not None and _is_number(each)]
            found[name] = (max if name in stricter_below else min)(known) if known else value
    return found
