"""Whether published records are true to their original, on an engine, when nobody knows which record is which.

Of as many as one share has, all is compared as on one machine. Of more, each column by itself, from its different
values and how many records have each; that is what one machine does with as many, where pairing whole records would
take too much room.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from tacit import audits
from tacit.audits.truth.record_baskets import uncounted_items
from tacit.audits.truth.records import false_in_column
from tacit.audits.views.records import RecordOriginal, RecordView
from tacit.engines import frames
from tacit.engines.audits.baskets import counted, people_of
from tacit.engines.audits.buckets import FILE, MOST_VALUES
from tacit.engines.frames import ROWS
from tacit.job.model import Column, Job
from tacit.taxonomy import Taxonomy

AT_ONCE = 250_000
"""Records that are compared as a whole."""


def false_values(
    written: Any, original: Any, job: Job, hierarchies: Mapping[str, Taxonomy], *, is_local: bool
) -> list[str]:
    """What is not true in published records, in sentences; none if all is."""
    frames.require_columns(original, [column.name for column in job.columns], job.input.source)
    shown, held = written.count(), original.count()
    if shown != held:
        return [f"{shown:,} records are shown out of {held:,}"]
    if held <= AT_ONCE:
        before = audits.read_original(original.toArrow(), job, hierarchies, is_local=is_local)
        return audits.false_values(before, audits.read_view(written.toArrow(), job), None)
    columns = [column for column in job.columns if column.role == "quasi"]
    columns += [column for column in job.columns_with("sensitive") if column.name in written.columns]
    problems = [each for column in columns for each in _of_column(written, original, job, column, hierarchies)]
    if job.columns_with("items"):
        problems += _of_items(written, original, job, hierarchies, is_local=is_local)
    return problems


def _of_column(written: Any, original: Any, job: Job, column: Column, hierarchies: Mapping[str, Taxonomy]) -> list[str]:
    """The same of a column, by its different values."""
    what = f"different values of {column.name!r}"
    was, now = (
        frames.collected(frames.distinct(frame, [column.name]), MOST_VALUES, what) for frame in (original, written)
    )
    alone = replace(job, columns=(column,))
    before, after = _read(was, now, alone, hierarchies, is_local=False)
    is_exact = column.role == "sensitive"
    known, cells = (before.sensitive[0], after.shown[0]) if is_exact else (before.quasi[0], after.quasi[0])
    return false_in_column(known, cells, (people_of(was), people_of(now)), is_exact=is_exact)


def _of_items(
    written: Any, original: Any, job: Job, hierarchies: Mapping[str, Taxonomy], *, is_local: bool
) -> list[str]:
    """The same of baskets: a name is in no more records than hold an item of it."""
    was, now = counted(original, job, job.input.source, unites=False), counted(written, job, FILE, unites=False)
    alone = replace(job, columns=job.columns_with("items"))
    before, after = _read(was, now, alone, hierarchies, is_local=is_local)
    assert before.baskets is not None and after.baskets is not None
    held = replace(before.baskets, held=_with_people(before.baskets.held, people_of(was)))
    return uncounted_items(
        replace(before, baskets=held), replace(after, baskets=_with_people(after.baskets, people_of(now)))
    )


def _read(
    was: pa.Table, now: pa.Table, job: Job, hierarchies: Mapping[str, Taxonomy], *, is_local: bool
) -> tuple[RecordOriginal, RecordView]:
    """Different records, before and after, by the audits' own readers."""
    before: Any = audits.read_original(was.drop_columns([ROWS]), job, hierarchies, is_local=is_local)
    after: Any = audits.read_view(now.drop_columns([ROWS]), job)
    return before, after


def _with_people(view: Any, people: np.ndarray) -> Any:
    return replace(view, people=people)
