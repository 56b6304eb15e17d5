"""Somebody who knows all quasi-identifiers of a person and some items of the basket."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tacit.attack.attackers.known_items import draw, sizes
from tacit.attack.base import SINGLING_OUT, UNIFORM, Attacker, Outcome

if TYPE_CHECKING:
    from tacit.attack.scene import Scene


def play(scene: Scene) -> Iterator[Outcome]:
    import numpy as np

    from tacit.attack.baskets_known import basket_chances, baskets_of, control_of
    from tacit.attack.records_known import known_columns, matcher_of
    from tacit.attack.scene import claims, surest, tally

    records, baskets, control = matcher_of(scene), baskets_of(scene), control_of(scene)
    for known in sizes(scene, baskets.lengths()):
        for rare in (True, False):
            what = ("relational-and-items", known, rare)
            targets = scene.sample(np.flatnonzero(baskets.lengths() >= known), *what, parts=6)
            if not targets.size:
                continue
            rng, found = scene.rng("draw", *what), []
            for target in targets.tolist():
                among = np.sort(records.records(records.candidates(target)))
                found.append(baskets.candidates(draw(baskets, target, known, rare, rng), among))
            chances = basket_chances(scene, targets, found)
            items = f"{known} item{'s' * (known != 1)}, {'the rarest' if rare else 'at random'}"
            held = None
            if control is not None:
                others = known_columns(scene, scene.control)[0]
                eligible = np.flatnonzero(control.lengths() >= known)
                held = claims(
                    control.candidates(
                        draw(control, each, known, rare, rng),
                        np.sort(records.records(records.candidates(each, others))),
                    )
                    for each in scene.sample(eligible, "control", *what, parts=6).tolist()
                )
            promised = scene.promised("finds", quasi=True, items=known)
            yield Outcome(
                f"all quasi-identifiers and {items}", tally(chances), scene.nobody, held, promised,
                witnesses=surest(targets, chances),
            )  # fmt: skip


ATTACKER = Attacker(
    name="relational-and-items",
    heading=SINGLING_OUT,
    story="The attacker knows all quasi-identifiers of a person who is in the file, and some items of the "
    "basket. Of the records that fit both one is taken for the person's.",
    kinds=("records",),
    play=play,
    rule=UNIFORM,
    advice="Raise k, or m to as many items as somebody may know; (k, k^m)-anonymity is about exactly this.",
    fits=lambda scene: scene.view.baskets is not None,
)
