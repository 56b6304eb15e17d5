"""Identifiers that were left over, and columns that say whose record it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tacit.attack.base import BEST, SINGLING_OUT, Attacker, Outcome

if TYPE_CHECKING:
    import numpy as np

    from tacit.attack.scene import Scene


def play(scene: Scene) -> Iterator[Outcome]:
    import numpy as np

    from tacit.attack.scene import tally
    from tacit.attack.statistics import Share

    records = max(len(scene.view), 1)
    named = np.zeros(records)
    where: dict[str, int] = {}
    for name, rows, codes, texts in _texts(scene) if scene.identifiers else ():
        holders = np.bincount(codes, minlength=len(texts))
        for identifier, values in scene.identifiers.items():
            is_one = np.array([text in values for text in texts] or [False])
            hits = is_one[codes]
            has = np.zeros(records, bool)
            has[rows[hits]] = True
            if len(values) > 0.5 * records and has.mean() > 0.5:  # a column of identifiers, not a word that is one
                found = np.minimum(1, records / len(values) / holders[codes[hits]])  # one of all who show it
                np.maximum.at(named, rows[hits], found)
                where[f"{identifier} in {name}"] = int(has.sum())
    own = _own_ids(scene)
    if own is not None:
        named[: own.size] = np.maximum(named[: own.size], own)
    telling = scene.view.beside.telling
    if telling:
        named[:] = 1.0
    yield Outcome(
        "names or numbers of people",
        tally(named) if len(scene.view) else Share(0.0, 1),
        0.0 if own is None else _by_chance(scene),
        facts={"columns": [name for name, _ in telling], "values": where},
    )


def _texts(scene: Scene) -> Iterator[tuple[str, np.ndarray, np.ndarray, Sequence[str]]]:
    """All that is published as text: of each column the rows, the codes that they have, and what codes stand for."""
    import numpy as np

    from tacit.attack.baskets_known import baskets_in

    for cells in scene.cells:
        yield cells.name, np.arange(len(cells)), cells.codes, cells.texts
    if scene.kind == "slices":
        for index, names in enumerate(scene.view.slices):
            for name in names:
                yield name, np.arange(len(scene.view)), scene.view.column(index, name), scene.view.texts[name]
    view = baskets_in(scene)[1] if scene.kind in ("baskets", "records") else None
    if view is not None:
        yield "the baskets", np.repeat(np.arange(len(view)), np.diff(view.starts)), view.items, view.labels


def _own_ids(scene: Scene) -> np.ndarray | None:
    """Which published people have their own id; if nobody knows who they are, those with an id of the original."""
    import numpy as np

    if scene.ids is None:
        return None
    shown, own = scene.ids
    if scene.people is not None:
        both = ((shown[i], own[person]) for i, person in enumerate(scene.people.tolist()))
        return np.array([there == here != "" for there, here in both], float)
    if set(shown) == {str(number) for number in range(1, len(shown) + 1)}:
        return None  # as fresh ids are, whatever the original's are
    return np.isin(np.array(shown, object), np.array(own, object)).astype(float)


def _by_chance(scene: Scene) -> float:
    """How many have their own id if ids are dealt out by lot: fresh ones may be those of the original."""
    shown, own = scene.ids or ([], [])
    return len({*shown} & {*own}) / max(len(shown), 1) / max(len(own), 1)


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
