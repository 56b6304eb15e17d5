"""Identifiers that were left over, and columns that say whose record it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tacit.attack.base import BEST, SINGLING_OUT, Attacker, Outcome

if TYPE_CHECKING:
    from tacit.attack.scene import Scene


def play(scene: Scene) -> Iterator[Outcome]:
    import numpy as np

    from tacit.attack.scene import tally
    from tacit.attack.statistics import Share

    records = max(len(scene.view), 1)
    named = np.zeros(records)
    where: dict[str, int] = {}
    for cells in scene.cells:
        for identifier, values in scene.identifiers.items():
            is_one = np.array([text in values for text in cells.texts] or [False])
            hits = is_one[cells.codes] if len(cells) else np.zeros(0, bool)
            if len(values) > 0.5 * records and hits.mean() > 0.5:  # a column of identifiers, not a word that is one
                alike = np.bincount(cells.codes, minlength=len(cells.texts))[cells.codes]
                found = hits * np.minimum(1, records / len(values) / np.maximum(alike, 1))  # one of all who show it
                named[: hits.size] = np.maximum(named[: hits.size], found)
                where[f"{identifier} in {cells.name}"] = int(hits.sum())
    telling = scene.view.beside.telling
    if telling:
        named[:] = 1.0
    yield Outcome(
        "names or numbers of people",
        tally(named) if len(scene.view) else Share(0.0, 1),
        0.0,
        facts={"columns": [name for name, _ in telling], "values": where},
    )


ATTACKER = Attacker(
    name="leftovers",
    heading=SINGLING_OUT,
    story="The attacker knows names or numbers of people. Where the file has them, in whatever column, the "
    "record is found.",
    kinds=("baskets", "records", "slices", "ratings"),
    play=play,
    rule=BEST,
    no_control="no control: it is about the record that is published of a person",
    advice="Take the column out: identifiers, and columns that tell nearly everybody apart, are never published.",
)
