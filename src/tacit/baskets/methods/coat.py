"""COAT: items as sets, the rarest first, within constraints (Loukides, Gkoulalas-Divanis & Malin, KAIS 2011)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacit.baskets.options import CONSTRAINTS, reach
from tacit.methods import Method

if TYPE_CHECKING:
    from tacit.baskets.data import BasketData
    from tacit.baskets.recoding import CutRecoding
    from tacit.promises import KmAnonymity


def search(
    data: BasketData, promise: KmAnonymity, *, seed: int, progress: Any, constraints: str | None = None
) -> CutRecoding:
    """It has no random step."""
    from tacit.baskets.solvers.coat import coat
    from tacit.baskets.solvers.posing import in_sets

    return in_sets(coat, data, promise, constraints, progress)


METHOD = Method(
    "coat",
    "COAT: items as sets, the rarest first, within constraints (Loukides, Gkoulalas-Divanis, Malin 2011)",
    {"km": search},
    CONSTRAINTS,
    publishes="sets of items, `(beer,wine)`, the same in every record",
    is_global=True,
    uses_hierarchy=False,
    reach=reach("by_merging_in_sets"),
    on_engines=True,
)
