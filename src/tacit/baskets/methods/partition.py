"""LG: equal baskets, by generalizing each part of the records on its own (He & Naughton, PVLDB 2009)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tacit.baskets.options import LOSS, reach
from tacit.methods import Method, flag

if TYPE_CHECKING:
    from tacit.baskets.data import BasketData
    from tacit.baskets.local_recodings import LocalRecoding
    from tacit.promises import TransactionalK


def search(
    data: BasketData,
    promise: TransactionalK,
    *,
    seed: int,
    progress: Any,
    loss: str,
    item_weights: Mapping[str, float] | None = None,
    reallocate: bool = False,
) -> LocalRecoding:
    """It has no random step."""
    from tacit.baskets.solvers.partition import partition
    from tacit.baskets.solvers.posing import countable, leaves_in_no_order, local_recoding
    from tacit.baskets.solvers.problem import pose_costs

    costs, k = pose_costs(data, loss, item_weights), countable(promise, data).k
    rows = leaves_in_no_order(data, costs)
    return local_recoding(data, costs, partition(*rows, costs.tree, k, progress, reallocate=reallocate))


METHOD = Method(
    "partition",
    "LG: equal baskets, by generalizing each part of the records on its own (He, Naughton 2009)",
    {"transactional-k": search},
    {
        **LOSS,
        "reallocate": flag(
            "whether baskets go to other parts afterwards, where they lose less, and leave out items that do not fit",
            False,
            more="LGR, [from LG's parts on](methods/partition.md#reallocation)",
        ),
    },
    publishes="nodes of the hierarchy; an item may have another name in another record, or with `reallocate` none",
    reach=reach("by_equal_parts"),
    on_engines=True,
)
