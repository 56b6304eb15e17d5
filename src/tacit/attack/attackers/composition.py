"""Two releases of the same people: who fits both?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

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
    for other in scene.earlier:
        there = replace(scene, view=other.view, people=other.people, earlier=())
        words = f"the same, and the release {other.name!r}"
        yield nothing(words, other.why) if other.people is None and other.why else _both(scene, there, words)


def _both(here: Scene, there: Scene, words: str) -> Outcome:
    import numpy as np

    from tacit.attack.scene import NO_ROWS, Share, surest, tally

    if here.people is None or there.people is None:
        return nothing(words, NO_ROWS)
    now, then = (rows if rows.ndim == 1 else rows[0] for rows in (here.people, there.people))
    common = np.intersect1d(now, then)
    common = common[common >= 0]
    if not common.size:
        return nothing(words, "nobody is in both releases")
    one, two = _candidates(here), _candidates(there)
    targets = here.sample(common, "composition", most=_most(here, there))
    chances, alone = [], []
    for target in targets.tolist():
        first, second = now[one(target)], then[two(target)]
        both = np.intersect1d(first, second)  # the same people, whose two records the attacker holds together
        own = (both == target).any()
        chances.append(1.0 / both.size if own else 0.0)
        alone.append(1.0 / np.unique(first).size if (first == target).any() else 0.0)
    found = np.array(chances)
    return Outcome(
        words, tally(found), here.nobody, witnesses=surest(targets, found),
        facts={"people_in_both": int(common.size), "this_release_alone": Share(sum(alone), len(alone)).value},
    )  # fmt: skip


def _candidates(scene: Scene) -> Candidates:
    """The published records that may be a person's, by what the promise's attacker knows; the same in both files."""
    from tacit.attack.attackers.known_items import draw, sizes

    if scene.kind == "slices":
        from tacit.attack.slices_known import slices_of

        slices = slices_of(scene)
        known = [name for name in scene.view.slices[0] if name in scene.view.known]

        def in_buckets(person: int) -> np.ndarray:
            rows = slices.rows(person, known, 0)
            return rows[slices.weights(person)[scene.view.bucket[rows]] > 0]

        return in_buckets
    many = sizes(scene)[0]
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


def _most(here: Any, there: Any) -> int:
    return max(200_000_000 // max(20 * (len(here.view) + len(there.view)), 1), 100)


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
