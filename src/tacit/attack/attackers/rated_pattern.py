"""What somebody rated, not how: the pattern may be enough."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tacit.attack.base import BEST, SINGLING_OUT, Attacker, Outcome, nothing

if TYPE_CHECKING:
    from tacit.attack.rating_rows import Rows
    from tacit.attack.scene import Scene

_KNOWN = (4, 8, None)
_STEPS = 200_000_000


def play(scene: Scene) -> Iterator[Outcome]:
    import math

    import numpy as np

    from tacit.attack.rating_rows import known_lengths, known_rows, published_by_issue, view_rows_of_control
    from tacit.attack.scene import NO_ROWS, claims, surest, tally

    true, shown = known_rows(scene.original), published_by_issue(scene)
    length = known_lengths(scene.view)
    most = max(_STEPS // max(int(length.sum()), 1), 100)
    others = None if scene.control is None else view_rows_of_control(scene.control, scene.original)

    def closest(whose: Rows, person: int, known: int | None, rng: Any) -> tuple[Any, float]:
        """The rows with most of what a person rated, and how much: issues in common, or their share of all."""
        rated = whose.issues[whose.starts[person] : whose.starts[person + 1]]
        some = rated if known is None else rng.permutation(rated)[:known]
        hits = np.concatenate([np.empty(0, np.int64), *(shown.rows[shown.of(i)] for i in some.tolist())])
        shares = np.bincount(hits, minlength=length.size).astype(float)
        if known is None:  # what both rated ÷ what either did
            shares = np.where(shares + length > 0, shares / np.maximum(length + some.size - shares, 1), 0.0)
        top = float(shares.max(initial=0.0))
        return np.flatnonzero(shares >= top - 1e-12), top

    for known in _KNOWN:
        words = f"which {known or 'issues'} issues a person rated" if known else "all issues that a person rated"
        if scene.people is None:
            yield nothing(words, NO_ROWS)
            continue
        eligible = np.flatnonzero(np.diff(true.starts) >= (known or 1))
        targets = scene.sample(eligible, "rated-pattern", str(known), most=most, parts=len(_KNOWN))
        rng, chances = scene.rng("rated-pattern", str(known)), []
        for target in targets.tolist():
            best, _ = closest(true, target, known, rng)
            place = scene.place[target]  # type: ignore[index]
            chances.append(float((best == place).any()) / best.size)
        control = None
        if others is not None:
            able = np.flatnonzero(np.diff(others.starts) >= (known or 1))
            some = scene.sample(able, "rated-pattern control", str(known), most=most, parts=len(_KNOWN)).tolist()
            claimed = [closest(others, each, known, rng) for each in some]
            control = claims(best if top >= (known or 1) - 1e-9 else best[:0] for best, top in claimed)
        if chances:
            bound = scene.promised("finds", items=known or math.inf, absent=known is None)
            found = np.array(chances)
            yield Outcome(words, tally(found), scene.nobody, control, bound, witnesses=surest(targets, found))


ATTACKER = Attacker(
    name="rated-pattern",
    heading=SINGLING_OUT,
    story="The attacker knows which issues a person rated, and nothing of how. The row that has most of them in "
    "common with the person is taken.",
    kinds=("ratings",),
    play=play,
    rule=BEST,
    advice="Leave out issues that few people rated, or promise eps = 0 with a higher k.",
    needs="rows",
)
