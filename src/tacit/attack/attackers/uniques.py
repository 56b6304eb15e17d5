"""Somebody who knows all that is published of a person, be it sensitive: who is alone?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tacit.attack.base import SINGLING_OUT, UNIFORM, Attacker, Outcome

if TYPE_CHECKING:
    from tacit.attack.scene import Scene


def play(scene: Scene) -> Iterator[Outcome]:
    from tacit.attack.risk.classes import classes_of
    from tacit.attack.scene import in_words, surest, tally
    from tacit.attack.stage import everything_in

    columns = everything_in(scene)
    classes = classes_of([codes for _, codes in columns], len(scene.view), scene.whose)
    chances = 1.0 / classes.of_record
    found = None
    if scene.people is not None and scene.people.ndim == 1:
        found = surest(scene.people, chances)
    yield Outcome(
        f"all that is published of a person: {in_words([name for name, _ in columns])}",
        tally(chances),
        scene.nobody,
        facts={"uniques": classes.uniques, "share": classes.uniques / max(len(scene.view), 1)},
        witnesses=found,
    )


ATTACKER = Attacker(
    name="uniques",
    heading=SINGLING_OUT,
    story="The attacker knows all published columns of a person as they are published, sensitive ones and those "
    "that no promise is about, too. Of the records that are like that one is taken for the person's.",
    kinds=("baskets", "records", "slices", "ratings"),
    play=play,
    rule=UNIFORM,
    no_control="no control: it is about the record that is published of a person",
    advice="Leave out or generalize the columns of the smallest sets that single people out (risk: all_columns).",
)
