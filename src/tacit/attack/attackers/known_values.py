"""Somebody who knows the quasi-identifiers of a person looks for the records that fit."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from tacit.attack.base import SINGLING_OUT, UNIFORM, Attacker, Outcome

if TYPE_CHECKING:
    from tacit.attack.scene import Scene


def play(scene: Scene) -> Iterator[Outcome]:
    from tacit.attack.records_known import control_chances, group_chances, in_order, known_columns, matcher_of
    from tacit.attack.scene import in_words, surest, tally

    matcher = matcher_of(scene)
    targets = scene.sample(len(scene.original), "people")
    chances = group_chances(scene, matcher, targets)
    control = control_chances(scene, matcher, "known-values")
    names = in_order(known_columns(scene)[0])
    yield Outcome(
        f"{len(names)} columns: {in_words(names)}",
        tally(chances),
        scene.nobody,
        None if control is None else tally(control),
        _bound(scene, names),
        witnesses=surest(targets, chances),
    )


def _bound(scene: Scene, names: list[str]) -> Fraction | None:
    """1/k, if it is promised to whoever knows quasi-identifiers and no more."""
    quasi = {cells.name for cells in scene.view.quasi}
    return scene.promised("finds", quasi=True) if quasi.issuperset(names) else None


ATTACKER = Attacker(
    name="known-values",
    heading=SINGLING_OUT,
    story="The attacker knows the quasi-identifiers of a person who is in the file. Of the records whose "
    "published values cover all of them one is taken for the person's.",
    kinds=("records",),
    play=play,
    rule=UNIFORM,
    advice="Raise k, or generalize or leave out the columns that tell most (risk by number of columns known).",
)
