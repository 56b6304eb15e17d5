"""best: HgHs and mHgHs, improved by linear programs over the neighbourhood of what they find; or sets of items,
whichever lose less."""

from __future__ import annotations

from collections.abc import Mapping
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
    """With the bound that can be had quickly, unless a thorough one is asked for, or none.

    A thorough one is about names: who asks for it, and not for sets, gets names.
    """
    from tacit.baskets.solvers.effort import QUICK, THOROUGH
    from tacit.baskets.solvers.losses import LOSSES_OF_SETS
    from tacit.taxonomy import tells_nothing

    if _in_sets({**options, "sets": sets}, all(map(tells_nothing, data.trees))):
        from tacit.baskets.solvers.best_sets import cuts_or_sets

        return cuts_or_sets(data, promise, bound=bound is not False, related=sets == RELATED, **options)
    pace = {None: QUICK, True: THOROUGH, False: None}[bound]
    if sets is None and not bound and options["loss"] in LOSSES_OF_SETS and data.of_all is None:
        from tacit.baskets.solvers.best_sets import names_or_sets

        return names_or_sets(data, promise, pace=pace, **options)
    from tacit.baskets.solvers.best import best
    from tacit.baskets.solvers.posing import solved

    return solved(lambda *problem: best(*problem, bound=pace), data, promise, **options)


def _in_sets(options: Mapping[str, Any], is_nameless: bool) -> bool:
    """Whether it needs every basket: for sets that are asked for, or where no hierarchy names anything."""
    from tacit.baskets.solvers.losses import LOSSES_OF_SETS

    asked = options.get("sets")
    return options["loss"] in LOSSES_OF_SETS and (is_nameless if asked is None else bool(asked))


METHOD = Method(
    "best",
    "HgHs and mHgHs, improved by linear programs; sets of items where they lose less",
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
            f'"{RELATED}": as sets of items that lie together in it; left out: they may',
            lambda value: isinstance(value, bool) or value == RELATED,
            f'true, false or "{RELATED}"',
            more="With `false` names of the hierarchy alone are published, which costs several times as much; with "
            f'`"{RELATED}"` all items of a set are in one of its top groups. A set that is a whole group has the '
            "group's name. Left out, a hierarchy with names keeps them above a million different baskets, and with "
            "`bound = true`; with `true` sets are looked for there, too",
        ),
    },
    publishes="nodes of the hierarchy, or sets of items where these lose less, the same in every record; some items "
    "not at all",
    is_global=True,
    reach=reach("by_merging_or_suppressing"),
    on_engines=True,
    asks_supports=True,
    in_sets=_in_sets,
)
