"""Somebody who knows a person's values, exactly or roughly, takes the closest published row."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tacit.attack.base import BEST, SINGLING_OUT, Attacker, Outcome, nothing

if TYPE_CHECKING:
    from tacit.attack.scene import Scene

_ALWAYS = "no control: some row is the closest to anybody; the scoreboard of ratings takes it only if it stands out"
_SMALL = 400
"""Files of so many records are linked one-to-one, too."""
_MOST_COMPARED = 200_000_000
"""Unless they have so many issues that more ratings would have to be compared."""


def play(scene: Scene) -> Iterator[Outcome]:
    yield from {"ratings": _ratings, "records": _records, "baskets": _baskets, "slices": _buckets}[scene.kind](scene)


def _ratings(scene: Scene) -> Iterator[Outcome]:
    from tacit.attack.nearest import KNOWN, apart, found_in, ground_of
    from tacit.attack.rating_rows import rows_of
    from tacit.attack.scene import NO_ROWS, surest, tally

    if scene.people is None:
        yield nothing("ratings, each roughly", NO_ROWS)
        return
    rows, scales = rows_of(scene.original, scene.view), scene.original.scales
    ground = ground_of(*rows, scene.people, scales)
    given = scene.memo.get("nearest row")
    for known in KNOWN:
        words = "all ratings" if known is None else f"{known} ratings"
        if given is not None and not scene.exact:  # as utility.json has it already
            if known in given:
                yield Outcome(f"{words}, each roughly", given[known], scene.nobody, no_control=_ALWAYS)
            continue
        targets, chances = found_in(ground, known, seed=scene.seed)
        if targets.size:
            found = surest(targets, chances)
            yield Outcome(
                f"{words}, each roughly", tally(chances), scene.nobody, no_control=_ALWAYS, witnesses=found
            )  # fmt: skip
    for known in (4, None):
        words = "all ratings" if known is None else f"{known} ratings"
        targets, chances = found_in(ground, known, seed=scene.seed, blurred=False)
        if targets.size:
            bound = scene.promised("finds", items=known or math.inf, absent=known is None)
            yield Outcome(
                f"{words}, exactly",
                tally(chances),
                scene.nobody,
                bound=bound,
                no_control=_ALWAYS,
                witnesses=surest(targets, chances),
            )
    if _is_small(scene, len(scales)):
        yield _one_to_one(scene, "the ratings", apart(*rows, scales))


def _records(scene: Scene) -> Iterator[Outcome]:
    import numpy as np

    from tacit.attack.distances import apart_from
    from tacit.attack.records_known import control_chances
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
        control = None
        if not off and scene.control is not None:
            fits = control_chances(scene, measure.matcher, "nearest-row")
            control = None if fits is None else tally(fits)
        yield Outcome(
            f"{words}; takes the closest record", tally(np.array(chances)), scene.nobody, control, bound,
            no_control=_ALWAYS, witnesses=surest(targets, np.array(chances)),
        )  # fmt: skip
    if _is_small(scene):
        far = np.stack([measure.records(person, 0.0, scene.rng("same")) for person in range(len(scene.original))])
        yield _one_to_one(scene, "the quasi-identifiers", far)


def _is_small(scene: Scene, columns: int = 1) -> bool:
    """Whether all rows can be linked to all people, each to one."""
    people = len(scene.original)
    return len(scene.view) == people <= _SMALL and people**2 * columns <= _MOST_COMPARED


def _one_to_one(scene: Scene, known: str, far: Any) -> Outcome:
    """All rows linked to all people at least distance; of links that are as good, any."""
    import numpy as np

    from tacit.attack.distances import one_to_one
    from tacit.attack.scene import tally

    assert scene.people is not None
    order = scene.rng("one to one").permutation(len(scene.view))
    linked = order[one_to_one(far[:, order])]
    right = (scene.people[linked] == np.arange(len(far))).astype(float)
    return Outcome(f"{known} of everybody; links one-to-one", tally(right), scene.nobody, no_control=_ALWAYS)


def _baskets(scene: Scene) -> Iterator[Outcome]:
    """The basket that has most in common with a known one; roughly: of five items one is forgotten, one is made up."""
    import numpy as np

    from tacit.attack.baskets_known import basket_chances, baskets_of, control_of
    from tacit.attack.nearness import Nearness
    from tacit.attack.scene import NO_ROWS, claims, surest, tally

    if scene.people is None:
        yield nothing("the basket, roughly", NO_ROWS)
        return
    matcher, strangers = baskets_of(scene), control_of(scene)
    near = Nearness(matcher)
    eligible = np.flatnonzero(matcher.lengths() >= 1)
    most = near.most(eligible)
    every = np.flatnonzero(~matcher.is_sensitive_unit)
    for rough in (False, True):
        rng = scene.rng("nearest basket", int(rough))
        targets = scene.sample(eligible, "nearest-row", most=most, parts=2)
        known = [_roughly(matcher.person(t), every, rng) if rough else matcher.person(t) for t in targets.tolist()]
        if not known:
            continue
        chances = basket_chances(scene, targets, [near.closest(units)[0] for units in known])
        control = None
        if strangers is not None and not rough:
            others = Nearness(strangers)
            some = scene.sample(np.flatnonzero(strangers.lengths() >= 1), "nearest-row control", most=most, parts=2)
            found = [others.closest(strangers.person(each)) for each in some.tolist()]
            control = claims(best if top >= 1 - 1e-9 else best[:0] for best, top in found)
        bound = None if rough else scene.promised("finds", items=math.inf, absent=True)
        yield Outcome(
            f"the basket{', of five items one forgotten and one made up' * rough}; takes the closest basket",
            tally(chances), scene.nobody, control, bound, no_control=_ALWAYS, witnesses=surest(targets, chances),
        )  # fmt: skip
    if _is_small(scene):
        far = np.stack([1.0 - near.near(matcher.person(person)) for person in range(len(scene.original))])
        yield _one_to_one(scene, "the baskets", far)


def _roughly(units: Any, every: Any, rng: Any) -> Any:
    """Items of which a fifth is forgotten, and as many are made up; of few items perhaps none."""
    import numpy as np

    wrong = int(rng.binomial(units.size, 0.2))
    return np.union1d(rng.permutation(units)[wrong:], rng.choice(every, wrong) if every.size else units[:0])


def _buckets(scene: Scene) -> Iterator[Outcome]:
    """The bucket that matches best, by all that is known."""
    import numpy as np

    from tacit.attack.scene import NO_ROWS, tally
    from tacit.attack.slices_known import slices_of

    words = "the quasi-identifiers; takes the bucket that matches best"
    if scene.people is None:
        yield nothing(words, NO_ROWS)
        return
    matcher = slices_of(scene)
    chances = []
    for target in scene.sample(len(scene.original), "people", most=matcher.most, parts=2).tolist():
        weight = matcher.weights(target)
        own = scene.view.bucket[scene.place[target]]  # type: ignore[index]
        best = np.flatnonzero(weight >= weight.max() * (1 - 1e-12))
        chances.append(float(weight.any() and (best == own).any()) / best.size)
    largest = float(matcher.sizes.max(initial=0) / max(len(scene.view), 1))
    yield Outcome(words, tally(np.array(chances)), largest, no_control=_ALWAYS)


ATTACKER = Attacker(
    name="nearest-row",
    heading=SINGLING_OUT,
    story="The attacker knows values of a person, exactly or only roughly, and how far each published row is "
    "from them. The closest row is taken for the person's; in small files, all rows are linked to all people at "
    "least distance.",
    kinds=("baskets", "records", "slices", "ratings"),
    play=play,
    rule=BEST,
    advice="For ratings eps = 0, or fewer issues; for records raise k.",
    needs="rows",
)
