"""mHgHs: generalization and suppression together, in m rounds (Liu & Wang, PAKDD 2010)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacit.baskets.options import LOSS, reach
from tacit.methods import Method

if TYPE_CHECKING:
    from tacit.baskets.data import BasketData
    from tacit.baskets.recoding import CutRecoding
    from tacit.promises import KmAnonymity


def search(data: BasketData, promise: KmAnonymity, **options: Any) -> CutRecoding:
    from tacit.baskets.solvers.hghs import mhghs
    from tacit.baskets.solvers.posing import solved

    return solved(mhghs, data, promise, **options)


METHOD = Method(
    "mhghs",
    "generalization and suppression together, in m rounds (Liu & Wang 2010)",
    {"km": search},
    LOSS,
    publishes="nodes of the hierarchy, the same in every record; some items not at all",
    is_global=True,
    reach=reach("by_merging_or_suppressing"),
    on_engines=True,
    asks_supports=True,
)
