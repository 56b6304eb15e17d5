"""Values that are published falsely: what somebody would believe, and it is not so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tacit.attack.base import INFERENCE, UNIFORM, Attacker, Outcome, nothing

if TYPE_CHECKING:
    from tacit.attack.scene import Scene

_FEWER = (
    "the file has fewer records than the original, and it is not known whose they are: give private/rows.csv of the "
    "release (--rows FILE)"
)


_KNOWS = {"baskets": "the basket", "ratings": "the ratings"}


def play(scene: Scene) -> Iterator[Outcome]:
    from tacit.arrays.order import each_once
    from tacit.attack.scene import NO_ROWS, tally
    from tacit.attack.truth import is_false, is_found_nowhere

    knows = f"{_KNOWS.get(scene.kind, 'the quasi-identifiers')}; whose own record says something else"
    if scene.people is None and scene.kind in ("slices", "ratings"):
        yield nothing(knows, NO_ROWS)
        return
    if scene.people is None and len(scene.view) < len(scene.original):
        yield nothing(knows, _FEWER)
        return
    people = len(scene.original) if scene.people is None else each_once(scene.people)  # others are not in the file
    targets = scene.sample(people, "people")
    lost = is_found_nowhere(scene, targets) if scene.people is None else is_false(scene, targets)
    yield Outcome(knows, tally(lost.astype(float)), 0.0, facts={"people_whose_record_is_false": int(lost.sum())})


def _is_meant_to_be_true(scene: Scene) -> bool:
    """(k, ε)-anonymity moves ratings on purpose, as the public note says; ranges are to hold the true ones."""
    return scene.kind != "ratings" or scene.promise is None or scene.promise.shows_ranges


ATTACKER = Attacker(
    name="false-values",
    heading=INFERENCE,
    story="The attacker knows what a person who is in the file has, and believes what it says. "
    "The guess is wrong wherever the person's own record was changed to something that is not true.",
    kinds=("baskets", "records", "slices", "ratings"),
    play=play,
    rule=UNIFORM,
    no_control="no control: it is about the record that is published of a person",
    advice="Generalize instead of swapping or adding noise, or say in the public note what was changed.",
    fits=_is_meant_to_be_true,
)
