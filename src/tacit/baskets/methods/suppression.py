"""MM: suppression alone, the item with the most minimal moles per loss first (Xu, Wang, Fu & Yu, KDD 2008)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacit.baskets.options import LOSS, reach
from tacit.methods import Method

if TYPE_CHECKING:
    from tacit.baskets.data import BasketData
    from tacit.baskets.recoding import CutRecoding
    from tacit.promises import Coherence, KmAnonymity


def search_km(data: BasketData, promise: KmAnonymity, **options: Any) -> CutRecoding:
    """On the leaves of the taxonomy: the lowest cut, with the items that make it safe suppressed."""
    from tacit.baskets.solvers.posing import solved
    from tacit.baskets.solvers.suppression import suppress_leaves

    return solved(suppress_leaves, data, promise, **options)


def search_coherence(data: BasketData, promise: Coherence, **options: Any) -> CutRecoding:
    from tacit.baskets.solvers.posing import without_moles

    return without_moles(data, promise, **options)


METHOD = Method(
    "suppression",
    "MM: suppression alone, the item with the most minimal moles per loss first (Xu, Wang, Fu, Yu 2008)",
    {"coherence": search_coherence, "km": search_km},
    LOSS,
    publishes="items as they are; some not at all",
    is_global=True,
    uses_hierarchy=False,
    reach=reach("by_suppressing"),
    on_engines=True,
)
