"""CAHD: groups of like records, in which sensitive items are rare (Ghinita, Tao & Kalnis, ICDE 2008)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacit.methods import Method, whole

if TYPE_CHECKING:
    from tacit.baskets.data import BasketData
    from tacit.baskets.local_recodings import GroupRecoding
    from tacit.promises import Cahd


def search(data: BasketData, promise: Cahd, *, seed: int, progress: Any, alpha: int) -> GroupRecoding:
    """Groups; their numbers and whose sensitive items are whose is drawn later, with all else that hides people."""
    from tacit.baskets.local_recodings import GroupRecoding
    from tacit.baskets.solvers.cahd import cahd
    from tacit.baskets.solvers.posing import countable

    indptr, items, _ = data.attackable()
    return GroupRecoding.undrawn(cahd(indptr, items, *data.sensitive(), countable(promise, data).p, alpha, progress))


METHOD = Method(
    "cahd",
    "CAHD: groups of like records, in which sensitive items are rare (Ghinita, Tao, Kalnis 2008)",
    {"cahd": search},
    {"alpha": whole(1, "alpha · p records on either side are looked at for a group", 3)},
    publishes="items as they are, with a column `group`; in a group the sensitive items are dealt out at random",
    uses_hierarchy=False,
)
