"""Ranges that are as tight as the method can make them tell what a finer one would have lacked (Cohen 2022)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tacit.attack.base import BEST, INFERENCE, Attacker, Outcome, nothing

if TYPE_CHECKING:
    from tacit.attack.scene import Scene


def play(scene: Scene) -> Iterator[Outcome]:
    import numpy as np

    from tacit.attack.distances import _numbers
    from tacit.attack.record_matching import one_code_a_text
    from tacit.attack.records_known import known_columns, matcher_of
    from tacit.attack.scene import NO_ROWS, tally

    words = "the method, which makes ranges no wider than people need; guesses that somebody has their very ends"
    if scene.people is None:
        yield nothing(words, NO_ROWS)
        return
    yield from _nodes(scene)
    groups = matcher_of(scene).group
    right, by_chance = [], []
    for column, cells in zip(*known_columns(scene), strict=True):
        if column.numbers is None or column.tree is not None:
            continue
        codes, texts = one_code_a_text(cells)
        ends = _numbers(column, texts)
        is_range = np.isfinite(ends.low) & np.isfinite(ends.high) & (ends.low < ends.high)
        order = np.sort(ends.known[np.isfinite(ends.known)])
        rows = np.flatnonzero(is_range[codes])
        for group, label in np.unique(np.stack((groups[rows], codes[rows])), axis=1).T[: scene.guesses].tolist():
            members = ends.known[scene.people[(groups == group) & (codes == label)]]
            low, high = float(ends.low[label]), float(ends.high[label])
            inside = max(_between(order, low, high), 1)
            for end in (low, high):
                right.append(float((members == end).any()))
                share = _between(order, end, end) / inside
                by_chance.append(1 - (1 - min(share, 1.0)) ** members.size)
    if right:
        yield Outcome(words, tally(np.array(right)), float(np.mean(by_chance)))
    else:
        yield nothing(words, "no number is published as a range with two ends")


def _nodes(scene: Scene) -> Iterator[Outcome]:
    """Nodes of hierarchies that are no higher than people need: then no child of the node has the whole group."""
    import numpy as np

    from tacit.attack.record_matching import one_code_a_text
    from tacit.attack.records_known import known_columns, matcher_of
    from tacit.attack.scene import tally

    groups, people = matcher_of(scene).group, scene.people
    right, by_chance = [], []
    known = known_columns(scene)
    for column, cells in zip(*known, strict=True):
        tree = column.tree
        if tree is None or people is None:
            continue
        codes, texts = one_code_a_text(cells)
        node_of = {name: node for node, name in enumerate(tree.names)}
        nodes = np.array([node_of.get(text, -1) for text in texts], np.int64)
        inner = (nodes >= 0) & ~tree.is_leaf[np.maximum(nodes, 0)]
        own = np.array([node_of.get(text, -1) for text in column.cells.texts], np.int64)[column.codes]
        rows = np.flatnonzero(inner[codes])
        pairs, place = np.unique(np.stack((groups[rows], codes[rows])), axis=1, return_inverse=True)
        order = np.argsort(place.ravel(), kind="stable")
        starts = np.searchsorted(place.ravel()[order], np.arange(pairs.shape[1] + 1))
        shares: dict[int, np.ndarray] = {}
        for which in scene.sample(pairs.shape[1], "downcoding", column.name, parts=len(known[0])).tolist():
            node = int(nodes[pairs[1, which]])
            if node not in shares:
                children = _child_of(tree, node, own)
                below = children[children >= 0]
                shares[node] = np.bincount(below) / max(below.size, 1)
            members = own[people[rows[order[starts[which] : starts[which + 1]]]]]
            beneath = _child_of(tree, node, members)
            right.append(float(np.unique(beneath).size > 1))
            by_chance.append(1.0 - float((shares[node] ** members.size).sum()))
    if right:
        yield Outcome(
            "the method, which climbs no higher in a hierarchy than people need; guesses that no finer node has all",
            tally(np.array(right)), float(np.mean(by_chance)),
        )  # fmt: skip


def _child_of(tree: Any, node: int, values: Any) -> Any:
    """Under which child of a node each value is; −1 if it is not below it."""
    import numpy as np

    found = np.full(values.size, -1, np.int64)
    for leaf in np.unique(values[values >= 0]).tolist():
        at = leaf
        while at >= 0 and int(tree.parent[at]) != node:
            at = int(tree.parent[at])
        if at >= 0:
            found[values == leaf] = at
    return found


def _between(ascending: object, low: float, high: float) -> int:
    import numpy as np

    found = np.searchsorted(ascending, [low, high], side="left")  # type: ignore[call-overload]
    return int(np.searchsorted(ascending, high, side="right") - found[0])  # type: ignore[call-overload]


ATTACKER = Attacker(
    name="downcoding",
    heading=INFERENCE,
    story="The attacker knows that the method publishes the tightest ranges, and the lowest nodes of hierarchies, that "
    "its promise allows, so that finer ones are refuted. Of each range it is guessed that some person of the group "
    "has exactly its end, of each node that no child of it has the whole group.",
    kinds=("records",),
    play=play,
    rule=BEST,
    no_control="no control: it is about who is in a group, and others are in none",
    advice='Let ends of ranges be multiples of a public width (`round`, which is the default), not "exact".',
    needs="rows",
)
