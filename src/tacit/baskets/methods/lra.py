"""LRA: AA on parts of the records, similar ones together (Terrovitis, Mamoulis & Kalnis, VLDB Journal 2011)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacit.baskets.options import LOSS, reach
from tacit.methods import Method, whole

if TYPE_CHECKING:
    from tacit.baskets.data import BasketData
    from tacit.baskets.local_recodings import LocalRecoding
    from tacit.promises import KmAnonymity, LmDiversity


def search_km(
    data: BasketData, promise: KmAnonymity, *, progress: Any, partition_size: int, **options: Any
) -> LocalRecoding:
    from tacit.baskets.solvers.lra import lra
    from tacit.baskets.solvers.posing import countable, leaves_of, local_recoding, posed

    problem, promise = posed(data, **options), countable(promise, data)
    found = lra(*leaves_of(data, problem), problem, promise.k, promise.m, progress, partition_size)
    return local_recoding(data, problem, found)


def search_lm(
    data: BasketData, promise: LmDiversity, *, progress: Any, partition_size: int, **options: Any
) -> LocalRecoding:
    from tacit.baskets.solvers.lra import lra_lm
    from tacit.baskets.solvers.posing import local_recoding, posed, rows_of

    problem = posed(data, **options)
    found = lra_lm(rows_of(data, problem), problem, promise.l, promise.m, progress, partition_size)
    return local_recoding(data, problem, found)


METHOD = Method(
    "lra",
    "AA on parts of the records, similar ones together (Terrovitis, Mamoulis, Kalnis 2011)",
    {"km": search_km, "lm": search_lm},
    {**LOSS, "partition_size": whole(1, "about how many records a part has", 10_000)},
    publishes="nodes of the hierarchy; an item may have another name in another record",
    reach=reach("by_merging"),
    on_engines=True,
    in_gray_order=True,
)
