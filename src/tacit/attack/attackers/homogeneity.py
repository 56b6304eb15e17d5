"""All records that fit a person have one sensitive value: then it is the person's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from tacit.attack.base import BEST, INFERENCE, Attacker, Outcome

if TYPE_CHECKING:
    import numpy as np

    from tacit.attack.scene import Scene
    from tacit.attack.statistics import Share


def play(scene: Scene) -> Iterator[Outcome]:
    import numpy as np

    from tacit.attack.learning import (
        beliefs_about_records,
        beliefs_about_slices,
        sensitive_columns_of,
        sliced_sensitive_columns,
    )
    from tacit.attack.scene import surest, tally
    from tacit.attack.slices_known import slices_of

    if scene.kind == "slices":
        columns = sliced_sensitive_columns(scene)
        most: int | None = slices_of(scene).most
    else:
        columns, most = [(0, sensitive) for sensitive in sensitive_columns_of(scene)], None
    for index, sensitive in columns:
        targets = scene.sample(len(scene.original), "people", most=most, parts=len(columns))
        beliefs = (
            beliefs_about_slices(scene, index, sensitive, targets)
            if scene.kind == "slices"
            else beliefs_about_records(scene, sensitive, targets)
        )
        certain = _certain(beliefs, sensitive.true[targets].tolist())
        yield Outcome(
            f"the quasi-identifiers; is certain of {sensitive.name}",
            tally(certain),
            float(np.count_nonzero(sensitive.prior()) == 1),
            _outside(scene, index, sensitive.name, most, len(columns)),
            witnesses=surest(targets, certain),
        )


def _certain(beliefs: Iterable[Any], values: Iterable[int]) -> np.ndarray:
    """Who has the one value that is left."""
    import numpy as np

    both = zip(beliefs, values, strict=True)
    return np.array([float(np.count_nonzero(belief) == 1 and belief[value] > 0) for belief, value in both])


def _outside(scene: Scene, index: int, name: str, most: int | None, parts: int) -> Share | None:
    """The same for people who are not in the file."""
    from dataclasses import replace

    from tacit.attack.learning import (
        beliefs_about_records,
        beliefs_about_slices,
        control_columns,
        sensitive_columns_of,
        sliced_sensitive_columns,
    )  # fmt: skip
    from tacit.attack.scene import tally

    if scene.control is None:
        return None
    some = scene.sample(len(scene.control), "homogeneity control", most=most, parts=parts)
    if scene.kind == "slices":
        theirs = next(one for _, one in sliced_sensitive_columns(scene, scene.control) if one.name == name)
        beliefs = beliefs_about_slices(scene, index, theirs, some, scene.control)
    else:
        theirs = next(one for one in sensitive_columns_of(replace(scene, original=scene.control)) if one.name == name)
        beliefs = beliefs_about_records(scene, theirs, some, control_columns(scene))
    return tally(_certain(beliefs, theirs.true[some].tolist()))


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
