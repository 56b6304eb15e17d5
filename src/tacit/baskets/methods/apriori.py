"""AA: generalization alone, level by level (Terrovitis, Mamoulis & Kalnis, PVLDB 2008)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacit.baskets.options import LOSS, reach
from tacit.methods import Method

if TYPE_CHECKING:
    from tacit.baskets.data import BasketData
    from tacit.baskets.recoding import CutRecoding
    from tacit.promises import KmAnonymity, LmDiversity


def search_km(data: BasketData, promise: KmAnonymity, **options: Any) -> CutRecoding:
    from tacit.baskets.solvers.apriori import apriori
    from tacit.baskets.solvers.posing import solved

    return solved(apriori, data, promise, **options)


def search_lm(data: BasketData, promise: LmDiversity, **options: Any) -> CutRecoding:
    from tacit.baskets.solvers.apriori_lm import apriori_lm
    from tacit.baskets.solvers.posing import solved_with_sensitive

    return solved_with_sensitive(apriori_lm, data, promise, **options)


METHOD = Method(
    "apriori",
    "AA: generalization alone, level by level (Terrovitis, Mamoulis, Kalnis 2008)",
    {"km": search_km, "lm": search_lm},
    LOSS,
    publishes="nodes of the hierarchy, the same in every record",
    is_global=True,
    reach=reach("by_merging"),
    on_engines=True,
    asks_supports=True,
)
