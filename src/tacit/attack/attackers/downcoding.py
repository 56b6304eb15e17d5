"""Ranges that are as tight as the method can make them tell what a finer one would have lacked (Cohen 2022)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

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


def _between(ascending: object, low: float, high: float) -> int:
    import numpy as np

    found = np.searchsorted(ascending, [low, high], side="left")  # type: ignore[call-overload]
    return int(np.searchsorted(ascending, high, side="right") - found[0])  # type: ignore[call-overload]


ATTACKER = Attacker(
    name="downcoding",
    heading=INFERENCE,
    story="The attacker knows that the method publishes the tightest ranges that its promise allows, so that a "
    "finer one is refuted. Of each published range it is guessed that some person of the group has exactly its "
    "end.",
    kinds=("records",),
    play=play,
    rule=BEST,
    no_control="no control: it is about who is in a group, and others are in none",
    advice='Let ends of ranges be multiples of a public width (`round`, which is the default), not "exact".',
    needs="rows",
)
