"""PCTA: items as sets, the cheapest merge first, within constraints (Gkoulalas-Divanis & Loukides, TDP 2012)."""

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
    from tacit.baskets.solvers.pcta import pcta
    from tacit.baskets.solvers.posing import in_sets

    return in_sets(pcta, data, promise, constraints, progress)


METHOD = Method(
    "pcta",
    "PCTA: items as sets, the cheapest merge first, within constraints (Gkoulalas-Divanis, Loukides 2011)",
    {"km": search},
    CONSTRAINTS,
    publishes="sets of items, `(beer,wine)`, the same in every record",
    is_global=True,
    uses_hierarchy=False,
    reach=reach("by_merging_in_sets"),
    on_engines=True,
)
