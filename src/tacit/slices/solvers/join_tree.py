"""How the slices of a table hang together by the attributes that they share."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import NamedTuple


class JoinTree(NamedTuple):
    """Slices in an order in which each one shares with all earlier ones just what it shares with its parent."""

    order: tuple[int, ...]  # parents before children
    parent: tuple[int, ...]  # of each slice; −1 for the root
    separator: tuple[frozenset[int], ...]  # of each slice: the attributes that it shares with its parent


def join_tree(slices: Sequence[Sequence[int]], root: int = 0) -> JoinTree | None:
    """The join tree of the slices; None if they overlap in a cycle.

    A spanning tree whose neighbours share as many attributes as possible is a join tree if there is one: then each
    attribute is shared along one edge less than it has slices.

    >>> join_tree([[0, 1], [1, 2], [3]]).parent
    (-1, 0, 0)
    >>> join_tree([[0, 1], [1, 2], [2, 0]]) is None
    True
    """
    sets = [frozenset(one) for one in slices]
    parent, separator = [-1] * len(sets), [frozenset[int]()] * len(sets)
    order, left = [root], [i for i in range(len(sets)) if i != root]
    while left:
        here, above = max(((i, j) for i in left for j in order), key=lambda pair: len(sets[pair[0]] & sets[pair[1]]))
        parent[here], separator[here] = above, sets[here] & sets[above]
        order.append(here)
        left.remove(here)
    everything: Set[int] = frozenset().union(*sets)
    if sum(map(len, separator)) != sum(map(len, sets)) - len(everything):
        return None
    return JoinTree(tuple(order), tuple(parent), tuple(separator))


def linked_by(tree: JoinTree, hidden: Set[int]) -> list[int]:
    """The slices that hang together with the root by attributes of `hidden`, parents first."""
    root = tree.order[0]
    linked = [root]
    for here in tree.order[1:]:
        if tree.parent[here] in linked and tree.separator[here] & hidden:
            linked.append(here)
    return linked


def cycle_in(slices: Sequence[Sequence[int]]) -> list[int]:
    """The slices of a smallest overlap that is a cycle: what is left when slices that end in one other are cut off."""
    left = dict(enumerate(map(frozenset, slices)))
    changed = True
    while changed and len(left) > 1:
        changed = False
        for here, attributes in list(left.items()):
            others = [other for i, other in left.items() if i != here]
            shared = attributes & frozenset().union(*others)
            if any(shared <= other for other in others):
                del left[here]
                changed = True
                break
    return sorted(left)
