"""Somebody who knows a few ratings of a person exactly looks for the rows that fit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tacit.attack.attackers.known_items import sizes
from tacit.attack.base import SINGLING_OUT, UNIFORM, Attacker, Outcome

if TYPE_CHECKING:
    from tacit.attack.scene import Scene

_STEPS = 200_000_000


def play(scene: Scene) -> Iterator[Outcome]:
    import numpy as np

    from tacit.attack.rating_matching import control_ratings, ratings_of
    from tacit.attack.scene import claims, counted, surest, tally

    matcher, control = ratings_of(scene), control_ratings(scene)
    most = max(_STEPS // max(20 * matcher.records, 1), 100)
    for known in sizes(scene, matcher.lengths()):
        for rare in (True, False):
            what = ("known-ratings", known, rare)
            targets = scene.sample(np.flatnonzero(matcher.lengths() >= known), *what, most=most, parts=6)
            if not targets.size:
                continue
            rng = scene.rng("draw", *what)
            found = [matcher.candidates(*matcher.drawn(t, known, rare, rng)) for t in targets.tolist()]
            own = None
            if scene.place is not None:
                places = scene.place[targets].tolist()
                own = np.array([(some == place).any() for some, place in zip(found, places, strict=True)])
            chances = counted(np.array([some.size for some in found]), own)
            held = None
            if control is not None:
                others = scene.sample(np.flatnonzero(control.lengths() >= known), "control", *what, most=most, parts=6)
                held = claims(control.candidates(*control.drawn(t, known, rare, rng)) for t in others.tolist())
            yield Outcome(
                f"{known} rating{'s' * (known != 1)} exactly, {'the rarest' if rare else 'at random'}",
                tally(chances), scene.nobody, held, scene.promised("finds", items=known),
                witnesses=surest(targets, chances),
            )  # fmt: skip


ATTACKER = Attacker(
    name="known-ratings",
    heading=SINGLING_OUT,
    story="The attacker knows a few ratings of a person who is in the file, which issues and exactly how high. Of "
    "the rows whose published ratings cover all of them, or were blanked there, one is taken for the person's.",
    kinds=("ratings",),
    play=play,
    rule=UNIFORM,
    advice="Raise k, or m to as many ratings as somebody may know.",
    fits=lambda scene: scene.promise is None or scene.promise.shows_ranges,
)
