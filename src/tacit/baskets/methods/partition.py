"""LG: equal baskets, by generalizing each part of the records on its own (He & Naughton, PVLDB 2009)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tacit.baskets.options import LOSS, reach
from tacit.methods import Method

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
) -> LocalRecoding:
    """It has no random step."""
    from tacit.baskets.solvers.partition import partition
    from tacit.baskets.solvers.posing import countable, leaves_in_no_order, local_recoding
    from tacit.baskets.solvers.problem import pose_costs

    costs, k = pose_costs(data, loss, item_weights), countable(promise, data).k
    return local_recoding(data, costs, partition(*leaves_in_no_order(data, costs), costs.tree, k, progress))


METHOD = Method(
    "partition",
    "LG: equal baskets, by generalizing each part of the records on its own (He, Naughton 2009)",
    {"transactional-k": search},
    LOSS,
    publishes="nodes of the hierarchy; an item may have another name in another record",
    reach=reach("by_equal_parts"),
)
