"""Mondrian cuts tell who is near; groups of near records are improved record by record (LeFevre et al., ICDE 2006)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tacit.methods import Method, flag

if TYPE_CHECKING:
    import numpy as np

    from tacit.promises import KAnonymity, LDiversity, TCloseness
    from tacit.records.data import RecordData
    from tacit.records.recoding import RecordRecoding


def search_k(data: RecordData, promise: KAnonymity, *, bound: bool = False, **options: Any) -> RecordRecoding:
    from tacit.records.solvers.mondrian import mondrian

    group = mondrian(data.attributes, promise.k, persons=data.persons, **options)
    return _bounded(data, promise.k, group, may_be_another=data.persons is None) if bound else data.recoding(group)


def search_l(data: RecordData, promise: LDiversity, *, bound: bool = False, **options: Any) -> RecordRecoding:
    from tacit.records.solvers.mondrian import mondrian

    wanted: Any = {"kind": promise.kind, "asked": data.asked(promise.l), "persons": data.persons}
    group = mondrian(data.attributes, promise.k, **wanted, **options)
    return _bounded(data, promise.k, group) if bound else data.recoding(group)


def search_t(data: RecordData, promise: TCloseness, *, bound: bool = False, **options: Any) -> RecordRecoding:
    from tacit.records.solvers.closeness import closeness_of
    from tacit.records.solvers.mondrian import mondrian

    sensitive, close = closeness_of(data.sensitive, promise.t, data.persons)
    wanted: Any = {"sensitive": sensitive, "close": close, "persons": data.persons}
    group = mondrian(data.attributes, promise.k, **wanted, **options)
    return _bounded(data, promise.k, group) if bound else data.recoding(group)


def _bounded(data: RecordData, k: int, group: np.ndarray, may_be_another: bool = False) -> RecordRecoding:
    """A grouping with the bound of k-anonymity, which every promise has; or the best that the proof begins with."""
    from tacit.records.solvers.least import least_loss, ncp_of
    from tacit.records.solvers.units import merged_equal

    least = least_loss(data.attributes, k)
    if may_be_another and least.group is not None:
        other = merged_equal(data.attributes, least.group)
        group = min(group, other, key=lambda each: ncp_of(data.attributes, each))
    return replace(data.recoding(group), lower_bound=least.bound)


METHOD = Method(
    "mondrian",
    "Mondrian cuts tell who is near; groups of near records, improved record by record (LeFevre et al. 2006)",
    {"k": search_k, "l": search_l, "t": search_t},
    {
        "bound": flag(
            "a lower bound on the loss (NCP) of any grouping of at least k records",
            default=False,
            more="It is `ncp_lower_bound` in `utility.json`. Up to 2,000 records it is tight, can take minutes, and "
            "may find a better grouping; up to 100,000 it is quick and rough; of more there is none",
        ),
    },
    publishes="groups of records with equal quasi-identifiers: values as they are, ranges, nodes of the hierarchy or "
    "sets",
    on_engines=True,
)
