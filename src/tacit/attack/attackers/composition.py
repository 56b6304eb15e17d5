"""Several releases of the same people: who fits all of them?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from tacit.attack.base import COMPOSITION, SINGLING_OUT, UNIFORM, Attacker, Outcome, nothing

if TYPE_CHECKING:
    import numpy as np

    from tacit.attack.scene import Scene

Candidates = Callable[[int], "np.ndarray"]
"""The published records that may be those of a person."""


def play(scene: Scene) -> Iterator[Outcome]:
    from dataclasses import replace

    words = "what the promise is about, and another release of the same people"
    if not scene.earlier:
        yield nothing(words, "no other release of the same people was given (--earlier DIR)")
        return
    usable = []
    for other in scene.earlier:
        there = replace(scene, view=other.view, people=other.people, earlier=())
        words = f"what the promise is about, and the release {other.name!r}"
        if other.people is None and other.why:
            yield nothing(words, other.why)
            continue
        usable.append(there)
        yield _together(scene, [there], words)
    if len(usable) > 1:
        yield _together(scene, usable, f"what the promise is about, and all {len(usable)} other releases")


def _together(here: Scene, others: Sequence[Scene], words: str) -> Outcome:
    """Who fits all of these files: the same people, whose records the attacker holds together."""
    from functools import reduce

    import numpy as np

    from tacit.attack.scene import NO_ROWS, Share, surest, tally

    if any(scene.people is None for scene in (here, *others)):
        return nothing(words, NO_ROWS)
    files = [(_who(scene), _candidates(scene)) for scene in (here, *others)]
    common = reduce(np.intersect1d, (who for who, _ in files))
    common = common[common >= 0]
    if not common.size:
        return nothing(words, "nobody is in both releases")
    targets = here.sample(common, "composition", most=_most(here, *others))
    chances, alone = [], []
    for target in targets.tolist():
        fitting = [np.unique(who[candidates(target)]) for who, candidates in files]
        found = reduce(np.intersect1d, fitting)
        chances.append(1.0 / found.size if (found == target).any() else 0.0)
        alone.append(1.0 / fitting[0].size if (fitting[0] == target).any() else 0.0)
    right = np.array(chances)
    return Outcome(
        words, tally(right), here.nobody, witnesses=surest(targets, right),
        facts={"people_in_both": int(common.size), "this_release_alone": Share(sum(alone), len(alone)).value},
    )  # fmt: skip


def _who(scene: Scene) -> np.ndarray:
    """The person of each published record; of slices, of each row of the first one."""
    assert scene.people is not None
    return scene.people if scene.people.ndim == 1 else scene.people[0]


def _candidates(scene: Scene) -> Candidates:
    """The published records that may be a person's, by what the promise's attacker knows; the same in both files."""
    from tacit.attack.attackers.known_items import draw, promised

    if scene.kind == "slices":
        from tacit.attack.slices_known import slices_of

        slices = slices_of(scene)
        known = [name for name in scene.view.slices[0] if name in scene.view.known]

        def in_buckets(person: int) -> np.ndarray:
            rows = slices.rows(person, known, 0)
            return rows[slices.weights(person)[scene.view.bucket[rows]] > 0]

        return in_buckets
    many = promised(scene)
    if scene.kind == "ratings":
        from tacit.attack.rating_matching import ratings_of

        ratings = ratings_of(scene)
        look = ratings.candidates if scene.promise is None or scene.promise.shows_ranges else ratings.closest
        return lambda person: look(*ratings.drawn(person, many, False, scene.rng("composition", person)))
    if scene.kind == "records":
        from tacit.attack.records_known import matcher_of

        matcher = matcher_of(scene)
        if scene.view.baskets is None:
            return lambda person: matcher.records(matcher.candidates(person))
    from tacit.attack.baskets_known import baskets_of

    baskets = baskets_of(scene)

    def holding(person: int) -> np.ndarray:
        units = draw(baskets, person, many, False, scene.rng("composition", person))
        if scene.kind == "baskets":
            return baskets.candidates(units)
        return baskets.candidates(units, _sorted(matcher.records(matcher.candidates(person))))

    return holding


def _sorted(rows: np.ndarray) -> np.ndarray:
    import numpy as np

    return np.sort(rows)


def _most(*scenes: Scene) -> int:
    return max(200_000_000 // max(20 * sum(len(scene.view) for scene in scenes), 1), 100)


ATTACKER = Attacker(
    name=COMPOSITION,
    heading=SINGLING_OUT,
    story="The attacker holds another release of the same people, with another method, another k, or of another "
    "month, and knows what the promise is about. A person who fits both is one of the few who do, of whom one is "
    "taken.",
    kinds=("baskets", "records", "slices", "ratings"),
    play=play,
    rule=UNIFORM,
    no_control="no control: it is about people who are in both releases",
    advice="Publish once, or recode new deliveries as the first one (`tacit apply --union`).",
    needs="another release, and rows of both",
)
