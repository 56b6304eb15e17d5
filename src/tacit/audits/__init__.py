"""Checks published data: whether it keeps its promise, and whether it is true to the original.

Own code down to the readers; it imports no method, none of their kernels, and nothing that they read. A promise says
which module checks it, and which kind of data it is about; nothing else is asked. What is unknown is an error, never
a promise that holds.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.arrays.blocks import threads_for, with_aside
from tacit.audits.result import AuditResult, unproven, with_columns
from tacit.audits.views.beside import beside
from tacit.audits.views.styles import as_written, in_one_spelling

if TYPE_CHECKING:
    from types import ModuleType

    import numpy as np
    import pyarrow as pa

    from tacit.audits.views.baskets import BasketOriginal, BasketView
    from tacit.audits.views.ratings import RatingOriginal, RatingView
    from tacit.audits.views.records import RecordOriginal, RecordView
    from tacit.audits.views.slices import SliceOriginal, SliceView
    from tacit.job.model import Job
    from tacit.promises import Promise
    from tacit.taxonomy import Taxonomy

    View = BasketView | RecordView | SliceView | RatingView
    Original = BasketOriginal | RecordOriginal | SliceOriginal | RatingOriginal

__all__ = [
    "AuditResult", "audit", "audit_persons", "counts_people", "false_values", "judge", "read_original", "read_rows",
    "read_view", "together",
]  # fmt: skip

_FILE_ALONE = (
    "The job says that persons are counted, and the file does not tell whose record is whose: that takes the original "
    "(--original) and the file of rows (--rows)."
)
_NO_ROWS = (
    "Persons have several records, and it is not known which record of the file is whose: that takes the file of rows "
    "(--rows; private/rows.csv of the release)."
)
_FALSE_ROWS = "Persons have several records, and what is said of whose record is whose is not true."


def read_view(
    table: pa.Table, job: Job, source: str | Path | None = None, *, allow_columns: Collection[str] = ()
) -> View:
    """A published table as a stranger reads it, for whom values are labels: no original and no hierarchy is opened.

    `source` is what errors call it; `allow_columns` may be there beside those of the job, even if they tell people
    apart.
    """
    view = _reader(job.promise).read_view(in_one_spelling(table, job), job, source)
    view = replace(view, beside=beside(table, job, allow_columns, source))
    return _told_as_written(view, table, job) if view.kind_of_data == "records" else view


def _told_as_written(view: Any, table: pa.Table, job: Job) -> Any:
    """The view of records, whose values are told as the file has them."""
    written = as_written(table, job)
    quasi = (replace(cells, written=written.get(cells.name, {})) for cells in view.quasi)
    return replace(view, quasi=tuple(quasi)) if written else view


def read_original(
    table: pa.Table, job: Job, hierarchies: Mapping[str, Taxonomy], *, is_local: bool = False
) -> Original:
    """The job's input, to compare with; the hierarchy of a column is the one given, or the file that the job names.

    `is_local` if an item may be published by different names in different records.
    """
    from tacit.job.weights import survey_weights

    survey_weights(table, job)
    return _reader(job.promise).read_original(in_one_spelling(table, job), job, hierarchies, is_local=is_local)


def read_rows(table: pa.Table, view: View, source: str | Path) -> np.ndarray:
    """The original record of each published one, as a file of rows tells it (of slices: [slice, row])."""
    from tacit.audits.views.persons import read_rows

    slices = (len(view.slices),) if view.kind_of_data == "slices" else ()  # type: ignore[union-attr]
    return read_rows(table, (*slices, len(view)), source)


def audit(view: View, job: Job) -> AuditResult:
    """The verdict from what was published alone. It cannot be known from that where persons are to be counted."""
    from tacit.audits.views.persons import counts_persons

    is_unknown = view.kind_of_data in ("records", "slices") and counts_persons(job)
    return _audited(view, job, _FILE_ALONE if is_unknown else None)


def audit_persons(view: RecordView, job: Job, persons: np.ndarray) -> AuditResult:
    """The verdict on records of which it is known, and checked, whose each one is."""
    return _audited(replace(view, persons=persons), job)


def judge(view: View, job: Job, original: Original, rows: np.ndarray | None = None) -> tuple[AuditResult, list[str]]:
    """The verdict with the original at hand, and what is not true to it: exact where the file alone cannot tell.

    Where persons have several records, they are counted by `rows`, see `false_values`, if that is true in all cells.
    """
    persons = getattr(original, "persons", None)
    if persons is None and view.kind_of_data == "records" and threads_for(len(view)) > 1:
        problems, proved = with_aside(
            partial(false_values, original, view, rows), partial(_proved, view, job, original)
        )
        return proved, problems
    problems = false_values(original, view, rows)
    if persons is None:
        return _proved(view, job, original), problems
    if rows is None or problems:
        return _proved(view, job, original, _NO_ROWS if rows is None else _FALSE_ROWS), problems
    known: Any = replace(view, persons=persons[rows if rows.ndim == 1 else rows[0]])
    return _proved(known, job, original), problems


def _audited(view: View, job: Job, doubt: str | None = None) -> AuditResult:
    result = _audit_of(job.promise).audit(_of_its_kind(view, job.promise), job.promise)
    return _answer(view, job.promise, result, doubt)


def _proved(view: View, job: Job, original: Original, doubt: str | None = None) -> AuditResult:
    module = _audit_of(job.promise)
    if not hasattr(module, "prove"):
        return _audited(view, job, doubt)
    return _answer(view, job.promise, module.prove(_of_its_kind(view, job.promise), job.promise, original), doubt)


def false_values(original: Original, view: View, rows: np.ndarray | None) -> list[str]:
    """What is not true to the original, in sentences; none if all is.

    `rows[i]` is the original record of published record i (of slices: [slice, row]); None if it is not known.
    """
    return import_module(f"tacit.audits.truth.{view.kind_of_data}").false_values(original, view, rows)


def together(views: Sequence[BasketView]) -> BasketView:
    """What someone sees who holds several releases of different people; baskets alone can be put together."""
    from tacit.audits.views import baskets

    return baskets.together(views)


def _reader(promise: Promise) -> ModuleType:
    return import_module(f"tacit.audits.views.{promise.kind_of_data}")


def _audit_of(promise: Promise | type[Promise]) -> ModuleType:
    """The module that checks a promise, as it says itself."""
    return import_module(promise.audit)


def counts_people(promise: Promise | type[Promise]) -> bool:
    """Whether its audit reads how many people each row stands for."""
    return getattr(_audit_of(promise), "COUNTS_PEOPLE", False)


def _of_its_kind(view: Any, promise: Promise) -> Any:
    stands_for_many = any(getattr(view, name, None) is not None for name in ("people", "times"))
    if stands_for_many and not counts_people(promise):
        raise ValueError(f"the audit of {promise.name!r} counts rows, and these stand for several records each")
    if view.kind_of_data != promise.kind_of_data:
        raise ValueError(f"{promise.name!r} is about {promise.kind_of_data}, not about {view.kind_of_data}")
    return view


def _answer(view: View, promise: Promise, result: AuditResult, doubt: str | None) -> AuditResult:
    """The verdict, if it is about this promise; none holds beside columns that say whose record is whose.

    `doubt` says why records do not tell what is promised to persons.
    """
    if (result.model, result.parameters) != (promise.name, promise.parameters()):
        raise ValueError(f"{promise.audit} answered for {result.model!r}, not for {promise!r}")
    return with_columns(result if doubt is None else unproven(result, doubt), view.beside)
