"""Somebody who knows some items of a person's basket looks for the baskets that have them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tacit.attack.base import SINGLING_OUT, UNIFORM, Attacker, Outcome

if TYPE_CHECKING:
    import numpy as np

    from tacit.attack.basket_matching import BasketMatcher
    from tacit.attack.scene import Scene

_FURTHER = 2
"""So many more items than the promise is about."""
_USUAL = 2


def promised(scene: Scene) -> int:
    """How many items the promise is about."""
    m = None if scene.promise is None else scene.promise.items_known
    return _USUAL if m is None or m == math.inf else int(m)


def sizes(scene: Scene, lengths: np.ndarray) -> list[int]:
    """How many items are known: as many as the promise is about, and some more; of short baskets as many as they have.

    `lengths` says how many may be known of each person.
    """
    first = max(min(promised(scene), int(lengths.max(initial=0))), 1)
    return list(range(first, first + _FURTHER + 1))


def draw(matcher: BasketMatcher, person: int, known: int, rare: bool, rng: np.random.Generator) -> np.ndarray:
    """So many units of a person: those that fewest have, or any."""
    units = rng.permutation(matcher.person(person))
    if rare:
        units = units[matcher.frequency(units).argsort(kind="stable")]
    return units[:known]


def play(scene: Scene) -> Iterator[Outcome]:
    import numpy as np

    from tacit.attack.baskets_known import basket_chances, baskets_of, control_of
    from tacit.attack.scene import claims, surest, tally

    matcher = baskets_of(scene)
    control = control_of(scene)
    for known in sizes(scene, matcher.lengths()):
        for rare in (True, False):
            what = ("known-items", known, rare)
            eligible = np.flatnonzero(matcher.lengths() >= known)
            targets = scene.sample(eligible, *what, parts=6)
            if not targets.size:
                continue
            rng = scene.rng("draw", *what)
            chances = basket_chances(
                scene, targets, [matcher.candidates(draw(matcher, t, known, rare, rng)) for t in targets.tolist()]
            )
            held = None
            if control is not None:
                others = scene.sample(np.flatnonzero(control.lengths() >= known), "control", *what, parts=6).tolist()
                held = claims(control.candidates(draw(control, each, known, rare, rng)) for each in others)
            yield Outcome(
                f"{known} item{'s' * (known != 1)}, {'the rarest' if rare else 'at random'}",
                tally(chances),
                scene.nobody,
                held,
                scene.promised("finds", items=known),
                witnesses=surest(targets, chances),
            )


def has_baskets(scene: Scene) -> bool:
    return scene.kind == "baskets" or (scene.kind == "records" and scene.view.baskets is not None)


ATTACKER = Attacker(
    name="known-items",
    heading=SINGLING_OUT,
    story="The attacker knows a few items of a person who is in the file, none of them sensitive. Of the baskets "
    "that have names for all of them one is taken for the person's.",
    kinds=("baskets", "records"),
    play=play,
    rule=UNIFORM,
    advice="Raise k, or m to as many items as somebody may know.",
    fits=has_baskets,
)
