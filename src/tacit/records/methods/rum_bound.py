"""Rum-bound: clusters merged as far as a bound on the loss in values permits (Poulis et al., ECML/PKDD 2013)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacit.methods import Method
from tacit.records.options import BOUND

if TYPE_CHECKING:
    from tacit.promises import KKmAnonymity, KLmDiversity
    from tacit.records.data import RecordData
    from tacit.records.recoding import RecordRecoding


def search(data: RecordData, promise: KKmAnonymity | KLmDiversity, **options: Any) -> RecordRecoding:
    from tacit.records.solvers.posing import bounded_search

    return bounded_search("rum", data, promise, **options)


METHOD = Method(
    "rum-bound",
    "clusters merged as far as a bound on the loss in values permits (Poulis et al. 2013)",
    {"k-km": search, "k-lm": search},
    BOUND,
    publishes="groups of records with equal values; items as sets or nodes, in each group by names of its own",
    on_engines=True,
)
