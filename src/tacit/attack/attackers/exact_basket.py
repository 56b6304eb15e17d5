"""Somebody who knows a whole basket, or also items that a person does not have."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tacit.attack.attackers.known_items import draw, has_baskets, sizes
from tacit.attack.base import SINGLING_OUT, UNIFORM, Attacker, Outcome

if TYPE_CHECKING:
    import numpy as np

    from tacit.attack.scene import Scene


def play(scene: Scene) -> Iterator[Outcome]:
    import numpy as np

    from tacit.attack.baskets_known import basket_chances, baskets_of, control_of
    from tacit.attack.scene import claims, surest, tally

    matcher, control = baskets_of(scene), control_of(scene)
    known = sizes(scene, matcher.lengths())[0]
    targets = scene.sample(np.flatnonzero(matcher.lengths() >= known), "absent", parts=2)
    if targets.size:
        rng = scene.rng("draw", "absent")
        every = np.flatnonzero(~matcher.is_sensitive_unit)
        common = every[np.argsort(-_shown(matcher.frequency(every), matcher.records), kind="stable")][: 8 * known]
        found = []
        for target in targets.tolist():
            has = matcher.person(target)
            absent = rng.permutation(np.setdiff1d(common, has))[:known]
            found.append(matcher.without(matcher.candidates(draw(matcher, target, known, False, rng)), absent))
        chances = basket_chances(scene, targets, found)
        held = None
        if control is not None:
            others = scene.sample(np.flatnonzero(control.lengths() >= known), "control", "absent", parts=2)
            held = claims(
                control.without(
                    control.candidates(draw(control, each, known, False, rng)),
                    rng.permutation(np.setdiff1d(common, control.person(each)))[:known],
                )
                for each in others.tolist()
            )
        promised = scene.promised("finds", items=known, absent=True)
        yield Outcome(
            f"{known} items at random, and {known} common ones that the person does not have",
            tally(chances), scene.nobody, held, promised, witnesses=surest(targets, chances),
        )  # fmt: skip
    targets = scene.sample(matcher.lengths().size, "exact-basket", parts=2)
    found = [matcher.exact(matcher.candidates(matcher.person(t)), matcher.person(t)) for t in targets.tolist()]
    chances = basket_chances(scene, targets, found)
    held = None
    if control is not None:
        others = scene.sample(control.lengths().size, "control", "exact-basket", parts=2).tolist()
        held = claims(control.exact(control.candidates(control.person(t)), control.person(t)) for t in others)
    promised = scene.promised("finds", items=math.inf, absent=True)
    yield Outcome(
        "the exact basket", tally(chances), scene.nobody, held, promised, witnesses=surest(targets, chances)
    )  # fmt: skip


def _shown(frequency: np.ndarray, records: int) -> np.ndarray:
    """How many have an item; none if no name covers it."""
    return frequency * (frequency <= records)


ATTACKER = Attacker(
    name="exact-basket",
    heading=SINGLING_OUT,
    story="The attacker knows all items of a person that are not sensitive, and so which ones the person lacks, "
    "or a few of either. Of the baskets that may be the person's one is taken.",
    kinds=("baskets", "records"),
    play=play,
    rule=UNIFORM,
    advice="Promise transactional-k, which is about whole baskets, or raise m.",
    fits=has_baskets,
)
