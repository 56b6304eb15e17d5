"""Two releases of the same people: who fits both?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tacit.attack.base import SINGLING_OUT, UNIFORM, Attacker, Outcome, nothing

if TYPE_CHECKING:
    from tacit.attack.scene import Scene


def play(scene: Scene) -> Iterator[Outcome]:
    from dataclasses import replace

    words = "what the promise is about, and another release of the same people"
    if not scene.earlier:
        yield nothing(words, "no other release of the same people was given (--earlier DIR)")
        return
    for other in scene.earlier:
        there = replace(scene, view=other.view, people=other.people, earlier=())
        yield _both(scene, there, f"the same, and the release {other.name!r}")


def _both(here: Scene, there: Any, words: str) -> Outcome:
    import numpy as np

    from tacit.attack.scene import NO_ROWS, surest, tally

    if here.people is None or there.people is None:
        return nothing(words, NO_ROWS)
    one, two = _candidates(here), _candidates(there)
    targets = here.sample(len(here.original), "composition", most=_most(here))
    known_here, known_there = here.people, there.people
    chances = []
    for target in targets.tolist():
        first, second = known_here[one(target)], known_there[two(target)]
        both = np.intersect1d(first, second)  # the same people, whose two records the attacker holds together
        own = (first == target).any() and (second == target).any()
        chances.append(1.0 / max(both.size, 1) if own else 0.0)
    found = np.array(chances)
    return Outcome(words, tally(found), here.nobody, witnesses=surest(targets, found), facts={"people_in_both": int(
        np.intersect1d(known_here, known_there).size)})  # fmt: skip


def _candidates(scene: Any) -> Any:
    """The published records that may be a person's, by all that the promise's attacker knows."""
    if scene.kind == "records":
        from tacit.attack.records_known import matcher_of

        matcher = matcher_of(scene)
        return lambda person: matcher.records(matcher.candidates(person))
    from tacit.attack.attackers.known_items import draw, sizes
    from tacit.attack.baskets_known import baskets_of

    baskets = baskets_of(scene)
    known = sizes(scene)[0]

    def found(person: int) -> Any:
        rng = scene.rng("composition", person)
        return baskets.candidates(draw(baskets, person, known, False, rng))

    return found


def _most(scene: Scene) -> int:
    return max(200_000_000 // max(20 * len(scene.view), 1), 100)


ATTACKER = Attacker(
    name="composition",
    heading=SINGLING_OUT,
    story="The attacker holds another release of the same people, with another method, another k, or of another "
    "month, and knows what the promise is about. A person who fits both is one of the few who do, of whom one is "
    "taken.",
    kinds=("records", "baskets"),
    play=play,
    rule=UNIFORM,
    advice="Publish once, or recode new deliveries as the first one (`tacit apply --union`).",
    needs="another release, and rows of both",
)
