"""Two halves of what is known of people, in two hands: does the release say which belong together?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tacit.attack.base import LINKABILITY, UNIFORM, Attacker, Outcome

if TYPE_CHECKING:
    import numpy as np

    from tacit.attack.scene import Scene


def play(scene: Scene) -> Iterator[Outcome]:
    if scene.kind == "slices":
        yield from _slices(scene)
        return
    import numpy as np

    from tacit.attack.baskets_known import baskets_of, control_of
    from tacit.attack.record_matching import RecordMatcher
    from tacit.attack.records_known import known_columns, matcher_of
    from tacit.attack.scene import in_words, tally

    was, shown = known_columns(scene)
    targets = scene.sample(len(scene.original), "linkability", parts=2)
    if len(was) > 1:
        halves = slice(None, None, 2), slice(1, None, 2)
        one, two = (RecordMatcher(was[half], shown[half], len(scene.view)) for half in halves)
        names = [in_words([column.name for column in was[half]]) for half in halves]
        found = [_same(one, two, t, None, None) for t in targets.tolist()]
        control = None
        if scene.control is not None:
            others = known_columns(scene, scene.control)[0]
            parts = [others[half] for half in halves]
            some = scene.sample(len(scene.control), "linkability control").tolist()
            control = tally(np.array([_same(one, two, t, *parts) for t in some]))
        yield Outcome(f"{names[0]} in one hand, {names[1]} in the other", tally(np.array(found)), scene.nobody, control)
    if scene.view.baskets is not None and was:
        records, baskets = matcher_of(scene), baskets_of(scene)
        found = [_basket_too(records, baskets, target, None) for target in targets.tolist()]
        control, strangers = None, control_of(scene)
        if strangers is not None:
            known = known_columns(scene, scene.control)[0]
            some = scene.sample(len(scene.control), "linkability control", parts=2).tolist()
            control = tally(np.array([_basket_too(records, strangers, each, known) for each in some]))
        yield Outcome(
            "the quasi-identifiers in one hand, the basket in the other", tally(np.array(found)), scene.nobody, control
        )


def _basket_too(records: Any, baskets: Any, person: int, known: Any) -> float:
    """The chance that a guess by the quasi-identifiers and one by the basket are the same record."""
    import numpy as np

    fits = np.sort(records.records(records.candidates(person, known)))
    holds = baskets.candidates(baskets.person(person))
    both = baskets.candidates(baskets.person(person), fits).size
    return both / (fits.size * holds.size) if both else 0.0


def _same(one: Any, two: Any, person: int, here: Any, there: Any) -> float:
    """The chance that a guess by either half is the same record."""
    first, second = one.candidates(person, here), two.candidates(person, there)
    sizes = int(one.sizes[first].sum()), int(two.sizes[second].sum())
    if not all(sizes):
        return 0.0
    fewer, more, groups = (first, two, second) if sizes[0] <= sizes[1] else (second, one, first)
    records = (one if fewer is first else two).records(fewer)
    return float(more.among(records, groups) / (sizes[0] * sizes[1]))


def _slices(scene: Scene) -> Iterator[Outcome]:
    """Rows of two slices belong together if they are in one bucket: any such pair is as likely."""
    import numpy as np

    from tacit.attack.scene import in_words, tally
    from tacit.attack.slices_known import slices_of

    view = scene.view
    if len(view.slices) < 2:
        names = view.slices[0] if view.slices else ()
        one, two = (names[::2], 0), (names[1::2], 0)
    else:
        shared = set(view.slices[0]) & set(view.slices[1])
        one = (tuple(name for name in view.slices[0] if name not in shared) or view.slices[0], 0)
        two = (tuple(name for name in view.slices[1] if name not in shared) or view.slices[1], 1)
    if not one[0] or not two[0]:
        return
    matcher = slices_of(scene)
    targets = scene.sample(len(scene.original), "linkability", most=matcher.most)
    found = []
    for target in targets.tolist():
        pairs = _pairs(matcher, target, one, two)
        is_own = scene.place is None or pairs[view.bucket[scene.place[target]]] > 0
        found.append(1.0 / pairs.sum() if pairs.any() and is_own else 0.0)
    control = None
    if scene.control is not None:
        others = slices_of(scene, scene.control)
        some = scene.sample(len(scene.control), "linkability control", most=others.most).tolist()
        counts = np.array([_pairs(others, each, one, two).sum() for each in some])
        control = tally(np.where(counts > 0, 1.0 / np.maximum(counts, 1.0), 0.0))
    yield Outcome(
        f"{in_words(one[0])} in one hand, {in_words(two[0])} in the other", tally(np.array(found)), scene.nobody,
        control,
    )  # fmt: skip


def _pairs(matcher: Any, person: int, one: Any, two: Any) -> np.ndarray:
    """For each bucket how many pairs of rows have both halves of a person."""
    import numpy as np

    buckets = matcher.sizes.size
    first, second = (np.bincount(matcher.buckets(person, *half), minlength=buckets) for half in (one, two))
    return first.astype(float) * second


ATTACKER = Attacker(
    name="linkability",
    heading=LINKABILITY,
    story="Two people hold different columns of the same persons, without names. Each looks for records that "
    "fit, and they take a person's two halves for one if both guesses are the same record, or rows of the same "
    "bucket.",
    kinds=("records", "slices"),
    play=play,
    rule=UNIFORM,
    advice="Raise k or l, or leave out columns that another file has, too.",
)
