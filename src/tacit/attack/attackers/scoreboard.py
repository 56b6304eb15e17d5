"""Scoreboard-RH (Narayanan & Shmatikov 2008): a few noisy ratings, and a record that stands out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tacit.attack.base import BEST, SINGLING_OUT, Attacker, Outcome, nothing

if TYPE_CHECKING:
    from tacit.attack.scene import Scene

_OFF = 0.1
"""What is known is off by up to this share of the scale."""
_STEPS = 200_000_000


def play(scene: Scene) -> Iterator[Outcome]:
    import numpy as np

    from tacit.attack.rating_rows import known_rows, published_by_issue, view_rows_of_control
    from tacit.attack.scene import NO_ROWS
    from tacit.attack.scoreboard import KNOWN, Board, attack, drawn
    from tacit.attack.statistics import Share

    true = known_rows(scene.original)
    span = max((float(scale.high) - float(scale.low) for scale in scene.original.scales), default=1.0)
    board = Board(len(scene.view), published_by_issue(scene), scene.view.numbers, span)
    wanted = len(scene.original) if scene.exact else scene.guesses // (len(KNOWN) if scene.shared else 1)
    most = max(min(wanted, _STEPS // (4 * max(board.people, 1))), 100)
    for known in KNOWN:
        words = f"{known} ratings, each off by up to a tenth of the scale"
        if scene.people is None:
            yield nothing(words, NO_ROWS)
            continue
        victims, facts = drawn(true, known, _OFF * span, most, scene.rng("scoreboard", known))
        if not facts:
            continue
        own = np.full(len(scene.original), -1)
        own[scene.people] = np.arange(scene.people.size)
        found = attack(board, own[victims], facts, known)
        control = None
        if scene.control is not None:
            others = view_rows_of_control(scene.control, scene.original)
            strangers, theirs = drawn(others, known, _OFF * span, most, scene.rng("scoreboard control", known))
            taken = attack(board, np.full(strangers.size, -1), theirs, known)
            control = Share(taken.mistaken * len(theirs), len(theirs)) if theirs else None
        yield Outcome(
            words, Share(found.identified * len(facts), len(facts)), scene.nobody, control,
            facts=_facts(found),
        )  # fmt: skip


def _facts(found: Any) -> dict[str, float]:
    return {"mistaken": found.mistaken, "best_guess": found.best_guess}


ATTACKER = Attacker(
    name="scoreboard",
    heading=SINGLING_OUT,
    story="The attacker knows a few ratings of a person, each with an error, and scores every row by how near "
    "its ratings of these issues are, rare issues counting more. If one row stands out it is taken for the "
    "person's.",
    kinds=("ratings",),
    play=play,
    rule=BEST,
    advice="Raise k, or leave out issues that few people rated.",
    needs="rows",
)
