"""Rfirst: values first, so that small clusters lose much in their items (Poulis et al., ECML/PKDD 2013)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacit.methods import Method
from tacit.records.options import BASKETS, RELATIONAL

if TYPE_CHECKING:
    from tacit.promises import KKmAnonymity, KLmDiversity
    from tacit.records.data import RecordData
    from tacit.records.recoding import RecordRecoding


def search(
    data: RecordData,
    promise: KKmAnonymity | KLmDiversity,
    *,
    seed: int,
    progress: Any,
    relational: str,
    baskets: str,
) -> RecordRecoding:
    from tacit.records.items import left_alone, recoding_of, record_problem
    from tacit.records.solvers.first import rfirst
    from tacit.records.solvers.posing import asks_nothing, first_clusters

    if asks_nothing(promise):
        return left_alone(data)
    problem = record_problem(data, promise)
    problem.check()
    return recoding_of(data, rfirst(problem, first_clusters(problem, relational, seed), baskets, progress))


METHOD = Method(
    "rfirst",
    "values first: small clusters, whose items lose much (Poulis et al. 2013)",
    {"k-km": search, "k-lm": search},
    {**RELATIONAL, **BASKETS},
    publishes="groups of records with equal values; items as sets or nodes, in each group by names of its own; small "
    "groups",
    on_engines=True,
)
