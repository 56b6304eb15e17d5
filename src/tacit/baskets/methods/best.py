"""best: HgHs and mHgHs, improved by linear programs over the neighbourhood of what they find; or sets of items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tacit.baskets.options import LOSS, reach
from tacit.methods import Method, Option, flag

if TYPE_CHECKING:
    from tacit.baskets.data import BasketData
    from tacit.baskets.recoding import CutRecoding
    from tacit.promises import KmAnonymity


RELATED = "related"
"""Sets of items that are in one top group of the hierarchy."""


def search(
    data: BasketData, promise: KmAnonymity, *, bound: bool | None = None, sets: bool | str | None = None, **options: Any
) -> CutRecoding:
    """With the bound that can be had quickly, unless a thorough one is asked for, or none."""
    from tacit.taxonomy import tells_nothing

    if _in_sets({**options, "sets": sets}, all(map(tells_nothing, data.trees))):
        from tacit.baskets.solvers.best_sets import cuts_or_sets

        return cuts_or_sets(data, promise, bound=bound is not False, related=sets == RELATED, **options)
    from tacit.baskets.solvers.best import best
    from tacit.baskets.solvers.effort import QUICK, THOROUGH
    from tacit.baskets.solvers.posing import solved

    pace = {None: QUICK, True: THOROUGH, False: None}[bound]
    found = solved(lambda *problem: best(*problem, bound=pace), data, promise, **options)
    is_ncp = options["loss"] == "lm" and options.get("item_weights") is None
    if sets is None and is_ncp and data.of_all is None:
        from tacit.baskets.solvers.best_sets import ncp_of_related

        return replace(found, in_related_sets=ncp_of_related(data, promise, options.get("progress")))
    return found


def _in_sets(options: Mapping[str, Any], is_nameless: bool) -> bool:
    """Left to us, wherever no name of a hierarchy would be lost."""
    from tacit.baskets.solvers.losses import LOSSES_OF_SETS

    asked = options.get("sets")
    return options["loss"] in LOSSES_OF_SETS and (is_nameless if asked is None else bool(asked))


METHOD = Method(
    "best",
    "HgHs and mHgHs, improved by linear programs; sets of items where the hierarchy names nothing",
    {"km": search},
    {
        **LOSS,
        "bound": flag(
            "a thorough lower bound on the loss (NCP) of any cut and suppression, or none; left out: a quick one",
            more="`true`: as tight as can be had, which can take minutes; `false`: none. It is `ncp_lower_bound` in "
            "`utility.json`. Where sets are looked at, there is one bound, on the loss of any groups of items",
        ),
        "sets": Option(
            "whether items may be published as sets, `(beer,wine)`, where these lose less than nodes of the hierarchy; "
            f'"{RELATED}": as sets of items that lie together in it; left out: if no group of the hierarchy has a name',
            lambda value: isinstance(value, bool) or value == RELATED,
            f'true, false or "{RELATED}"',
            more="A hierarchy that `tacit` built over sorted items has numbers for names, `group-1.2`. With `true` "
            f'hardly any name of your own hierarchy is published; with `"{RELATED}"` all items of a set are in one of '
            "its top groups, and a set that is a whole group has the group's name",
        ),
    },
    publishes="nodes of the hierarchy, or sets of items where it names nothing, the same in every record; some items "
    "not at all",
    is_global=True,
    reach=reach("by_merging_or_suppressing"),
    on_engines=True,
    asks_supports=True,
    in_sets=_in_sets,
)
