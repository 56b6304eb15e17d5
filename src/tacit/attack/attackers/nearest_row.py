"""Somebody who knows a person's values, exactly or roughly, takes the closest published row."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tacit.attack.base import BEST, SINGLING_OUT, Attacker, Outcome, nothing

if TYPE_CHECKING:
    from tacit.attack.scene import Scene

_SMALL = 400
"""Files of so many records are linked one-to-one, too."""


def play(scene: Scene) -> Iterator[Outcome]:
    yield from _ratings(scene) if scene.kind == "ratings" else _records(scene)


def _ratings(scene: Scene) -> Iterator[Outcome]:
    from tacit.attack.nearest import KNOWN, found_in
    from tacit.attack.rating_rows import rows_of
    from tacit.attack.scene import NO_ROWS, surest, tally

    if scene.people is None:
        yield nothing("ratings, each roughly", NO_ROWS)
        return
    true, shown = rows_of(scene.original, scene.view)
    given = scene.memo.get("nearest row")
    scales = scene.original.scales
    for known in KNOWN:
        words = "all ratings" if known is None else f"{known} ratings"
        if given is not None and not scene.exact:  # as utility.json has it already
            if known in given:
                yield Outcome(f"{words}, each roughly", given[known], scene.nobody)
            continue
        targets, chances = found_in(true, shown, scene.people, scales, known, seed=scene.seed)
        if targets.size:
            found = surest(targets, chances)
            yield Outcome(f"{words}, each roughly", tally(chances), scene.nobody, witnesses=found)
    for known in (4, None):
        words = "all ratings" if known is None else f"{known} ratings"
        targets, chances = found_in(true, shown, scene.people, scales, known, seed=scene.seed, blurred=False)
        if targets.size:
            bound = scene.promised("finds", items=known or math.inf, absent=known is None)
            yield Outcome(
                f"{words}, exactly", tally(chances), scene.nobody, bound=bound, witnesses=surest(targets, chances)
            )


def _records(scene: Scene) -> Iterator[Outcome]:
    import numpy as np

    from tacit.attack.distances import apart_from, one_to_one
    from tacit.attack.scene import NO_ROWS, surest, tally

    if scene.people is None:
        yield nothing("the quasi-identifiers, roughly", NO_ROWS)
        return
    measure = apart_from(scene)
    if measure is None:
        return
    targets = scene.sample(len(scene.original), "nearest-row", most=measure.most, parts=2)
    for off, words in (
        (0.0, "the quasi-identifiers"),
        (0.05, "the quasi-identifiers, numbers to within 5 % of their range"),
    ):
        if off and not measure.has_numbers:
            continue  # names are known or not: nothing is rough
        rng, chances = scene.rng("nearest-row", words), []
        for target in targets.tolist():
            best = measure.closest(target, off, rng)
            own = measure.matcher.group[scene.place[target]]  # type: ignore[index]
            chances.append(float((best == own).any()) / int(measure.matcher.sizes[best].sum()))
        bound = scene.promised("finds", quasi=True) if not off and scene.known is None and measure.is_all else None
        yield Outcome(
            f"{words}; takes the closest record", tally(np.array(chances)), scene.nobody, bound=bound,
            witnesses=surest(targets, np.array(chances)),
        )  # fmt: skip
    if len(scene.original) <= _SMALL:
        order = scene.rng("one to one").permutation(len(scene.view))
        far = np.stack(
            [measure.records(person, 0.0, scene.rng("same"))[order] for person in range(len(scene.original))]
        )
        linked = order[one_to_one(far)]
        right = (scene.people[linked] == np.arange(len(scene.original))).astype(float)
        yield Outcome("the quasi-identifiers of everybody; links one-to-one", tally(right), scene.nobody)


ATTACKER = Attacker(
    name="nearest-row",
    heading=SINGLING_OUT,
    story="The attacker knows values of a person, exactly or only roughly, and how far each published row is "
    "from them. The closest row is taken for the person's; in small files, all rows are linked to all people at "
    "least distance.",
    kinds=("records", "ratings"),
    play=play,
    rule=BEST,
    advice="For ratings eps = 0, or fewer issues; for records raise k.",
    needs="rows",
)
