"""best: HgHs and mHgHs, improved by linear programs over the neighbourhood of what they find."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacit.baskets.options import LOSS, reach
from tacit.methods import Method, flag

if TYPE_CHECKING:
    from tacit.baskets.data import BasketData
    from tacit.baskets.recoding import CutRecoding
    from tacit.promises import KmAnonymity


def search(data: BasketData, promise: KmAnonymity, *, bound: bool | None = None, **options: Any) -> CutRecoding:
    """With the bound that can be had quickly, unless a thorough one is asked for, or none."""
    from tacit.baskets.solvers.best import best
    from tacit.baskets.solvers.effort import QUICK, THOROUGH
    from tacit.baskets.solvers.posing import solved

    pace = {None: QUICK, True: THOROUGH, False: None}[bound]
    return solved(lambda *problem: best(*problem, bound=pace), data, promise, **options)


METHOD = Method(
    "best",
    "HgHs and mHgHs, improved by linear programs over the neighbourhood of what they find",
    {"km": search},
    {
        **LOSS,
        "bound": flag(
            "a thorough lower bound on the loss (NCP) of any cut and suppression, or none; left out: a quick one",
            more="`true`: as tight as can be had, which can take minutes; `false`: none. It is `ncp_lower_bound` in "
            "`utility.json`",
        ),
    },
    publishes="nodes of the hierarchy, the same in every record; some items not at all",
    is_global=True,
    reach=reach("by_merging_or_suppressing"),
)
