"""CAHD: groups of like records, in which sensitive items are rare (after Ghinita, Tao & Kalnis, ICDE 2008)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tacit.methods import Method, flag, whole

if TYPE_CHECKING:
    from tacit.baskets.data import BasketData
    from tacit.baskets.local_recodings import GroupRecoding
    from tacit.promises import Cahd
    from tacit.shuffle import Shuffle


def search(
    data: BasketData, promise: Cahd, *, seed: int, hidden: Shuffle, progress: Any, literal: bool, alpha: int
) -> GroupRecoding:
    """Groups; their numbers and whose sensitive items are whose is drawn later, with all else that hides people."""
    from tacit.baskets.local_recodings import GroupRecoding
    from tacit.baskets.solvers.cahd import Sets, cahd
    from tacit.baskets.solvers.cahd_literal import cahd_literal
    from tacit.baskets.solvers.posing import countable

    indptr, items, _ = data.attackable()
    known, sensitive, p = Sets(indptr, items), Sets(*data.sensitive()), countable(promise, data).p
    if literal:
        return GroupRecoding.undrawn(cahd_literal(known, sensitive, p, alpha, progress))
    return GroupRecoding.undrawn(cahd(known, sensitive, p, hidden, progress))


def caution(options: Mapping[str, Any]) -> str:
    """The paper's choice of groups tells more than the groups."""
    if not options.get("literal"):
        return ""
    return (
        "The groups were chosen as in the paper on CAHD (`literal = true`): by who has a sensitive item. Somebody who "
        "knows that, and all other items, can work out which people of a group cannot have been its sensitive ones, "
        "and may link an item to a person with a probability far above the promised one, up to certainty."
    )


METHOD = Method(
    "cahd",
    "CAHD: groups of like records, in which sensitive items are rare (Ghinita, Tao, Kalnis 2008)",
    {"cahd": search},
    {
        "literal": flag(
            "whether groups are chosen as in the paper: more alike, but who knows the method can tell more", False
        ),
        "alpha": whole(1, "with `literal = true`, alpha · p records on either side are looked at for a group", 3),
    },
    publishes="items as they are, with a column `group`; in a group the sensitive items are dealt out at random",
    draws=True,
    uses_hierarchy=False,
    caution=caution,
    on_engines=True,
)
