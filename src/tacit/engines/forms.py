"""What has a form on an engine; all else is refused before any work."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyarrow as pa

from tacit.engines import baskets, frames, plain_flow, rating_flow, record_flow, records
from tacit.engines.audits.whole import can_judge
from tacit.engines.made import Form
from tacit.errors import InputError
from tacit.io import FileFormat
from tacit.io.text import no_text
from tacit.job import Job
from tacit.job.checks import check_columns
from tacit.job.model import Column
from tacit.methods import METHODS, method_for
from tacit.promises import MODELS


def form_of(job: Job) -> Form | None:
    """How a promise is made in shares; None for baskets of which equal ones are counted."""
    if _is_made_whole(job):
        return plain_flow
    return {"records": record_flow, "ratings": rating_flow}.get(job.promise.kind_of_data)


def _is_made_whole(job: Job) -> bool:
    """Whether a part is made as one machine makes a table: slices, and baskets that are decided one by one."""
    kind, method = job.promise.kind_of_data, method_for(job.promise.name, job.method.name)
    return kind == "slices" or (kind == "baskets" and not method.is_global)


def _fitting(promise: str) -> list[str]:
    """The methods for a promise that have a form on an engine, if what they make can be judged there."""
    if not can_judge(MODELS[promise]):
        return []
    return [name for name, method in METHODS.items() if method.on_engines and promise in method.makes]


def check_form(job: Job) -> None:
    """Refuses what has no form on an engine, before any work."""
    promise, method = job.promise.name, method_for(job.promise.name, job.method.name)
    fitting = _fitting(promise)
    if not fitting:
        raise InputError(
            f"the promise {promise!r} has no form on the engine {job.engine.name!r}",
            file=job.file,
            hint=f"These have one: {', '.join(filter(_fitting, MODELS))}. On this machine: --engine local.",
        )
    if method.name not in fitting:
        raise InputError(
            f"the method {method.name!r} has no form on the engine {job.engine.name!r}",
            file=job.file,
            hint=f"For {promise!r} these have one: {', '.join(fitting)}. On this machine: --engine local.",
        )
    by_kind = {"records": records, "ratings": rating_flow, "baskets": baskets}
    (plain_flow if _is_made_whole(job) else by_kind[job.promise.kind_of_data]).check(job)
    for key, asked in (
        ("output.escape_formulas", job.output.escape_formulas),
        ("output.database", job.output.database),
        ("input.join", job.input.join),
    ):
        if asked:
            raise InputError(
                f"{key} has no form on an engine", file=job.file, hint="Leave it out, or use --engine local."
            )


def of_engine(output: FileFormat, job: Job) -> FileFormat:
    """The format as an engine writes it: text is not packed."""
    output = replace(output, gzipped=False) if output.is_text else output
    if output.name not in ("parquet", "csv", "tsv", "dat") or output.gzipped:
        raise InputError(
            f"the engine does not write {output.extension} files",
            file=job.file,
            hint='Choose format = "parquet" or "csv" under [output].',
        )
    if output.delimited and _published_columns(job) == 1:
        raise InputError(
            "engines leave out empty lines of text files with one column, which are records",
            file=job.file,
            hint='Choose format = "parquet" or "dat" under [output].',
        )
    return output


def _published_columns(job: Job) -> int:
    """How many columns the published files have, at least."""
    shown = [column for column in job.columns if column.role in ("items", "quasi", "sensitive", "rating", "plain")]
    has_ids = job.columns_with("person") and (job.input.layout == "long" or job.promise.kind_of_data == "ratings")
    has_numbers = job.promise.shows_groups or job.promise.kind_of_data == "slices"
    return len(shown) + bool(has_ids) + bool(has_numbers)


def check_frame(frame: Any, job: Job) -> pa.Table:
    """Refuses a schema that does not fit the job; gives back the frame's columns without a row."""
    empty = frames.arrow_schema(frame).empty_table()
    check_columns(empty, job)
    for column in job.columns:
        _check_type(empty.schema.field(column.name).type, column, job)
    if job.engine.key is not None:
        frames.require_columns(frame, [job.engine.key], job.input.source)
        _check_key(empty, job, job.engine.key)
    return empty


def _check_type(kind: pa.DataType, column: Column, job: Job) -> None:
    """Refuses what no cell can be: a struct or a map, and a list unless it is one of items."""
    is_list = pa.types.is_list(kind) or pa.types.is_large_list(kind)
    fits = is_list and column.role == "items" and not pa.types.is_nested(kind.value_type)
    if pa.types.is_nested(kind) and not fits:
        error = no_text(kind)
        raise InputError(error.problem, file=job.input.source, column=column.name, hint=error.hint)


def _check_key(empty: pa.Table, job: Job, key: str) -> None:
    """Refuses a key column by which no engine can tell rows apart, or deal them out."""
    kind = empty.schema.field(key).type
    if pa.types.is_nested(kind) or pa.types.is_floating(kind) or pa.types.is_null(kind):
        raise InputError(
            f"engine.key names a column of the type {kind}, which cannot tell records apart",
            file=job.input.source, column=key, hint="Name a column of texts, whole numbers or days, or leave it out.",
        )  # fmt: skip
