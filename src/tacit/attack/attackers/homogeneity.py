"""All records that fit a person have one sensitive value: then it is the person's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tacit.attack.base import BEST, INFERENCE, Attacker, Outcome

if TYPE_CHECKING:
    from tacit.attack.scene import Scene


def play(scene: Scene) -> Iterator[Outcome]:
    import numpy as np

    from tacit.attack.learning import beliefs_about_records, beliefs_about_slices, secrets_of, sliced_secrets
    from tacit.attack.scene import surest, tally
    from tacit.attack.slices_known import slices_of

    if scene.kind == "slices":
        secrets = sliced_secrets(scene)
        most: int | None = slices_of(scene).most
    else:
        secrets, most = [(0, secret) for secret in secrets_of(scene)], None
    for index, secret in secrets:
        targets = scene.sample(len(scene.original), "people", most=most, parts=len(secrets))
        beliefs = (
            beliefs_about_slices(scene, index, secret, targets)
            if scene.kind == "slices"
            else beliefs_about_records(scene, secret, targets)
        )
        certain = [
            float(np.count_nonzero(belief) == 1 and belief[value] > 0)
            for belief, value in zip(beliefs, secret.true[targets].tolist(), strict=True)
        ]
        yield Outcome(
            f"the quasi-identifiers; is certain of {secret.name}",
            tally(np.array(certain)),
            float(np.count_nonzero(secret.prior()) == 1),
            bound=None,
            witnesses=surest(targets, np.array(certain)),
        )


def _fits(scene: Scene) -> bool:
    return bool(scene.view.shown) if scene.kind == "records" else bool(scene.view.sensitive)


ATTACKER = Attacker(
    name="homogeneity",
    heading=INFERENCE,
    story="The attacker knows the quasi-identifiers of a person. Only where all records that fit have the same "
    "sensitive value it is taken for the person's, and it is certain.",
    kinds=("records", "slices"),
    play=play,
    rule=BEST,
    advice="Promise l-diversity of that column: then no value is certain.",
    fits=_fits,
)
