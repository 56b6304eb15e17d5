"""Is somebody in the file at all? By how well its buckets, or records, match."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tacit.attack.base import BEST, INFERENCE, Attacker, Outcome, nothing

if TYPE_CHECKING:
    import numpy as np

    from tacit.attack.scene import Scene


def play(scene: Scene) -> Iterator[Outcome]:
    from tacit.attack.scene import NO_CONTROL
    from tacit.attack.statistics import Share

    what = "the baskets" if scene.kind == "baskets" else "the quasi-identifiers"
    words = f"{what}; guesses who of a pair is in the file"
    if scene.control is None:
        yield nothing(words, NO_CONTROL)
        return
    inside = _scores(scene, None, scene.sample(len(scene.original), "membership"))
    outside = _scores(scene, scene.control, scene.sample(len(scene.control), "membership control"))
    area = _area(inside, outside)
    pairs = min(inside.size, outside.size)
    yield Outcome(words, Share(area * pairs, pairs), 0.5, facts={"auc": area})


def _area(inside: np.ndarray, outside: np.ndarray) -> float:
    """The area under the curve: how often somebody inside matches better than somebody outside, ties by half."""
    import numpy as np

    ascending = np.sort(outside)
    below = np.searchsorted(ascending, inside, side="left")
    ties = np.searchsorted(ascending, inside, side="right") - below
    return float((below + ties / 2).sum() / (inside.size * outside.size))


def _scores(scene: Scene, others: Any, people: np.ndarray) -> np.ndarray:
    """How well the file matches each person: the records that fit, or the weight of the buckets that do."""
    import numpy as np

    if scene.kind == "slices":
        from tacit.attack.slices_known import slices_of

        matcher = slices_of(scene, others)
        people = people[: matcher.most]
        return np.array([_weight(matcher, person) for person in people.tolist()])
    if scene.kind == "baskets":
        from tacit.attack.baskets_known import baskets_of, control_of
        from tacit.attack.nearness import Nearness

        whose = baskets_of(scene) if others is None else control_of(scene)
        assert whose is not None
        near = Nearness(whose)
        people = people[: near.most(people)]
        return np.array([near.closest(whose.person(person))[1] for person in people.tolist()])
    from tacit.attack.records_known import known_columns, matcher_of

    records = matcher_of(scene)
    known = None if others is None else known_columns(scene, others)[0]
    return np.array([float(records.sizes[records.candidates(p, known)].sum() > 0) for p in people.tolist()])


def _weight(matcher: Any, person: int) -> float:
    """The largest share of rows of one bucket, in all slices, that fit a person."""
    import numpy as np

    view = matcher.view
    sizes = matcher.sizes
    weight = np.ones(sizes.size)
    for index, names in enumerate(view.slices):
        known = [name for name in names if name in view.known]
        if known:
            fits = np.bincount(matcher.buckets(person, known, index), minlength=sizes.size)
            weight *= fits / np.maximum(sizes, 1)
    return float(weight.max(initial=0.0))


ATTACKER = Attacker(
    name="membership",
    heading=INFERENCE,
    story="The attacker knows the quasi-identifiers, or the baskets, of two people, of whom one is in the "
    "file. The one whom records, or buckets, match better is taken for it.",
    kinds=("baskets", "records", "slices"),
    play=play,
    rule=BEST,
    no_control="no control: the guess itself is between people inside and outside",
    advice="Generalize the quasi-identifiers or items, or publish a sample.",
    needs="control",
)
