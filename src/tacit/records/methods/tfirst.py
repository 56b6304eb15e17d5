"""Tfirst: baskets first, so that parts alike in items lose much in their values (Poulis et al., ECML/PKDD 2013)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacit.methods import Method, whole
from tacit.records.options import BASKETS

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
    baskets: str,
    partition_size: int,
) -> RecordRecoding:
    """It has no random step."""
    from tacit.records.items import left_alone, recoding_of, record_problem
    from tacit.records.solvers.first import tfirst
    from tacit.records.solvers.posing import asks_nothing

    if asks_nothing(promise):
        return left_alone(data)
    return recoding_of(data, tfirst(record_problem(data, promise), baskets, progress, partition_size))


METHOD = Method(
    "tfirst",
    "baskets first: parts alike in items, whose values lose much (Poulis et al. 2013)",
    {"k-km": search, "k-lm": search},
    {**BASKETS, "partition_size": whole(1, "about how many records a part has", 10_000)},
    publishes="groups of records with equal values; items as sets or nodes, in each group by names of its own; large "
    "groups",
    on_engines=True,
)
