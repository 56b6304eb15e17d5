"""Values that are published falsely: what somebody would believe, and it is not so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tacit.attack.base import INFERENCE, UNIFORM, Attacker, Outcome

if TYPE_CHECKING:
    from tacit.attack.scene import Scene


def play(scene: Scene) -> Iterator[Outcome]:
    import numpy as np

    from tacit.attack.records_known import matcher_of
    from tacit.attack.scene import tally

    matcher = matcher_of(scene)
    targets = scene.sample(len(scene.original), "people")
    lost = []
    for person in targets.tolist():
        groups = matcher.candidates(person)
        if scene.place is None:
            lost.append(float(not groups.size))
        else:
            lost.append(float(not (groups == matcher.group[scene.place[person]]).any()))
    yield Outcome(
        "the quasi-identifiers; whose own record says something else",
        tally(np.array(lost)),
        0.0,
        facts={"people_whose_record_is_false": int(np.sum(lost))},
    )


ATTACKER = Attacker(
    name="false-values",
    heading=INFERENCE,
    story="The attacker knows the quasi-identifiers of a person who is in the file, and believes what it says. "
    "The guess is wrong wherever the person's own record was changed to something that is not true.",
    kinds=("records",),
    play=play,
    rule=UNIFORM,
    no_control="no control: it is about the record that is published of a person",
    advice="Generalize instead of swapping or adding noise, or say in the public note what was changed.",
)
