"""Checks published data: whether it keeps its promise, and whether it is true to the original.

Own code down to the readers; it imports no method, none of their kernels, and nothing that they read. A promise says
which module checks it, and which kind of data it is about; nothing else is asked. What is unknown is an error, never
a promise that holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.audits.result import AuditResult, with_identifiers

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

__all__ = ["AuditResult", "audit", "false_values", "prove", "read_original", "read_view", "together"]


def read_view(table: pa.Table, job: Job, source: str | Path | None = None) -> View:
    """A published table as a stranger reads it, for whom values are labels: no original and no hierarchy is opened.

    `source` is what errors call it.
    """
    return _reader(job.promise).read_view(table, job, source)


def read_original(
    table: pa.Table, job: Job, hierarchies: Mapping[str, Taxonomy], *, is_local: bool = False
) -> Original:
    """The job's input, to compare with; the hierarchy of a column is the one given, or the file that the job names.

    `is_local` if an item may be published by different names in different records.
    """
    return _reader(job.promise).read_original(table, job, hierarchies, is_local=is_local)


def audit(view: View, job: Job) -> AuditResult:
    """The verdict from what was published alone."""
    return _answer(view, job.promise, _audit_of(job.promise).audit(_of_its_kind(view, job.promise), job.promise))


def prove(view: View, job: Job, original: Original) -> AuditResult:
    """The verdict with the original at hand: exact where the published file alone cannot tell."""
    module = _audit_of(job.promise)
    if not hasattr(module, "prove"):
        return audit(view, job)
    return _answer(view, job.promise, module.prove(_of_its_kind(view, job.promise), job.promise, original))


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


def _audit_of(promise: Promise) -> ModuleType:
    """The module that checks a promise, as it says itself."""
    return import_module(promise.audit)


def _of_its_kind(view: Any, promise: Promise) -> Any:
    if view.kind_of_data != promise.kind_of_data:
        raise ValueError(f"{promise.name!r} is about {promise.kind_of_data}, not about {view.kind_of_data}")
    return view


def _answer(view: View, promise: Promise, result: AuditResult) -> AuditResult:
    """The verdict, if it is about this promise; none holds beside columns that say whose record is whose."""
    if (result.model, result.parameters) != (promise.name, promise.parameters()):
        raise ValueError(f"{promise.audit} answered for {result.model!r}, not for {promise!r}")
    return with_identifiers(result, view.identifiers)
