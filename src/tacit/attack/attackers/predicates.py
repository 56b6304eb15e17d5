"""Conditions made up from the release alone: are they true of exactly one person? (Cohen & Nissim 2020; Anonymeter)"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tacit.attack.base import BEST, SINGLING_OUT, Attacker, Outcome

if TYPE_CHECKING:
    from tacit.attack.scene import Scene

_MOST_FACTS = 6
_STEPS = 200_000_000
"""Fewer conditions are tried where so many rows would have to be looked at."""


def play(scene: Scene) -> Iterator[Outcome]:
    from dataclasses import replace

    import numpy as np

    from tacit.attack.postings import postings_of
    from tacit.attack.scene import tally

    known = postings_of(scene)
    rng = scene.rng("predicates")
    most = max(_STEPS // (8 * max(known.records, 1)), 100)
    records = scene.sample(known.telling(), "predicates", most=most)
    others = None if scene.control is None else postings_of(replace(scene, original=scene.control))
    right, by_chance, outside = [], [], []
    for record in records.tolist():
        facts = rng.permutation(known.of(record))[:_MOST_FACTS].tolist()
        found, true, strangers, weight = None, None, None, 1.0
        for fact in facts:
            held = known.published(fact)
            found = held if found is None else known.holding(found, fact)
            true = known.true(fact) if true is None else known.holding_truly(true, fact)
            if others is not None:
                strangers = others.true(fact) if strangers is None else others.holding_truly(strangers, fact)
            weight *= held.size / known.records
            if found.size <= 1:
                break
        right.append(float(true is not None and true.size == 1))
        if others is not None and strangers is not None:  # as often as one of so many people like these would be alone
            share = strangers.size / max(others.people, 1)
            outside.append(min(known.people * share * (1 - share) ** (known.people - 1), 1.0))
        by_chance.append(known.people * weight * (1 - min(weight, 1.0)) ** (known.people - 1))
    if right:
        yield Outcome(
            f"nothing: conditions of up to {_MOST_FACTS} published values that hold for one record",
            tally(np.array(right)),
            float(np.minimum(by_chance, 1.0).mean()),
            tally(np.array(outside)) if outside else None,
        )


ATTACKER = Attacker(
    name="predicates",
    heading=SINGLING_OUT,
    story="The attacker knows nothing but the file, and takes values that stand side by side in one record until "
    "no other record has them all. The guess is that exactly one person is like that.",
    kinds=("baskets", "records", "slices", "ratings"),
    play=play,
    rule=BEST,
    advice="Leave out, or generalize, columns that are published as they are, sensitive ones among them; raise k.",
)
