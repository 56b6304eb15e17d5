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


def play(scene: Scene) -> Iterator[Outcome]:
    import numpy as np

    from tacit.attack.records_known import matcher_of
    from tacit.attack.scene import tally

    knows = "the quasi-identifiers; whose own record says something else"
    if scene.people is None and len(scene.view) < len(scene.original):
        yield nothing(knows, _FEWER)
        return
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
        knows,
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
