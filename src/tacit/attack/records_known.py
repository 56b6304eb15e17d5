"""What attackers on records have in common: columns that are known, and how often a guess among candidates is right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tacit.attack.record_matching import RecordMatcher
from tacit.attack.scene import Scene
from tacit.audits.views.cells import Cells
from tacit.audits.views.columns import KnownColumn

Candidates = Callable[[int], np.ndarray]
"""The published records that may be those of a person."""


def known_columns(scene: Scene, original: Any = None) -> tuple[list[KnownColumn], list[Cells]]:
    """The columns that the attacker knows, of the original (or of a control) and as they are published."""
    before = scene.original if original is None else original
    was = {column.name: column for column in (*before.quasi, *before.sensitive)}
    shown = {cells.name: cells for cells in (*scene.view.quasi, *scene.view.shown)}
    names = [cells.name for cells in scene.view.quasi] if scene.known is None else scene.known
    wanted = [name for name in names if name in shown and name in was]
    return [was[name] for name in wanted], [shown[name] for name in wanted]


def matcher_of(scene: Scene) -> RecordMatcher:
    """Shared by all attackers who know the same columns."""
    return scene.once("records", lambda: RecordMatcher(*known_columns(scene), len(scene.view)))


def chances(scene: Scene, targets: np.ndarray, candidates: Candidates) -> np.ndarray:
    """For each person the chance that a guess among the candidates is right; persons are counted, not records.

    Where nobody knows who is who, people without any candidate are left out.
    """
    persons = getattr(scene.original, "persons", None)
    found = []
    for person in targets.tolist():
        some = candidates(person)
        if scene.people is None:
            found += [1.0 / some.size] if some.size else []
        elif persons is None:
            place = scene.place[person]  # type: ignore[index]
            found.append(1.0 / some.size if (some == place).any() else 0.0)
        else:
            there = np.unique(persons[scene.people[some]])
            found.append(1.0 / there.size if (there == persons[person]).any() else 0.0)
    return np.array(found)


def group_chances(scene: Scene, matcher: RecordMatcher, targets: np.ndarray) -> np.ndarray:
    """The same if candidates are whole groups of a matcher, which need not be taken apart."""
    if getattr(scene.original, "persons", None) is not None and scene.people is not None:
        return chances(scene, targets, lambda person: matcher.records(matcher.candidates(person)))
    found = []
    for person in targets.tolist():
        groups = matcher.candidates(person)
        count = int(matcher.sizes[groups].sum())
        if scene.people is None:
            found += [1.0 / count] if count else []
        else:
            own = matcher.group[scene.place[person]]  # type: ignore[index]
            found.append(1.0 / count if (groups == own).any() else 0.0)
    return np.array(found)


def control_chances(scene: Scene, matcher: RecordMatcher, *what: str | int) -> np.ndarray | None:
    """How often the same guess names a record for somebody who is not in the file; None without such people."""
    if scene.control is None:
        return None
    known, _ = known_columns(scene, scene.control)
    found = []
    for person in scene.sample(len(scene.control), "control", *what).tolist():
        count = int(matcher.sizes[matcher.candidates(person, known)].sum())
        found.append(1.0 / count if count else 0.0)
    return np.array(found)


def in_order(columns: Sequence[KnownColumn]) -> list[str]:
    return [column.name for column in columns]
