"""VPA: AA on parts of the hierarchy, then on all of it (Terrovitis, Mamoulis & Kalnis, VLDB Journal 2011)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from tacit.baskets.options import LOSS, reach
from tacit.methods import Method, whole

if TYPE_CHECKING:
    from tacit.baskets.data import BasketData
    from tacit.baskets.recoding import CutRecoding
    from tacit.promises import KmAnonymity, LmDiversity


def search_km(data: BasketData, promise: KmAnonymity, *, parts: int, **options: Any) -> CutRecoding:
    from tacit.baskets.solvers.posing import solved
    from tacit.baskets.solvers.vpa import vpa

    return solved(partial(vpa, parts=parts), data, promise, **options)


def search_lm(data: BasketData, promise: LmDiversity, *, parts: int, **options: Any) -> CutRecoding:
    from tacit.baskets.solvers.posing import solved_with_sensitive
    from tacit.baskets.solvers.vpa import vpa_lm

    return solved_with_sensitive(partial(vpa_lm, parts=parts), data, promise, **options)


METHOD = Method(
    "vpa",
    "AA on parts of the hierarchy, then on all of it (Terrovitis, Mamoulis, Kalnis 2011)",
    {"km": search_km, "lm": search_lm},
    {**LOSS, "parts": whole(1, "about how many parts of the hierarchy", 8)},
    publishes="nodes of the hierarchy, the same in every record",
    is_global=True,
    reach=reach("by_merging"),
    on_engines=True,
    asks_supports=True,
)
