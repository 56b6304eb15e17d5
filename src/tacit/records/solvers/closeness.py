"""t-closeness for the kernels that form groups: what all records hold, and where each value lies."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

import numpy as np

from tacit.arrays.attributes import Attribute
from tacit.arrays.persons import once_each
from tacit.records.solvers._closeness_kernels import ON_LINE, ON_TREE, Closeness


class _Space(NamedTuple):
    """A sensitive attribute: where each of its codes lies, and what all records hold there."""

    form: int
    place: np.ndarray  # per code
    size: int
    base: float
    parent: np.ndarray
    climb: np.ndarray
    share: np.ndarray


def closeness_of(
    sensitive: Sequence[Attribute], t: float, persons: np.ndarray | None = None
) -> tuple[list[np.ndarray], Closeness]:
    """For each sensitive attribute the place of each record, and what groups are compared with.

    Where `persons` have several records, each person counts once for each place.
    """
    spaces = [(_on_line if each.numbers is not None else _on_tree)(each, persons) for each in sensitive]
    places = [space.place[each.codes].astype(np.int32) for space, each in zip(spaces, sensitive, strict=True)]
    starts = np.cumsum([0, *(space.parent.size for space in spaces)])[:-1]
    nothing = np.zeros(0)
    return places, Closeness(
        float(t),
        np.array([space.form for space in spaces], np.int64),
        starts.astype(np.int64),
        np.array([space.size for space in spaces], np.int64),
        np.array([space.base for space in spaces], np.float64),
        np.concatenate([nothing, *(space.parent for space in spaces)]).astype(np.int64),
        np.concatenate([nothing, *(space.climb for space in spaces)]),
        np.concatenate([nothing, *(space.share for space in spaces)]),
        np.zeros(max((space.size for space in spaces), default=0) + 1, np.int64),
    )


def _counted(attribute: Attribute, place: np.ndarray, persons: np.ndarray | None, size: int) -> np.ndarray:
    """How many of all records are at each of so many places; `place` has that of each code."""
    if attribute.of_all is not None:
        return np.bincount(place, attribute.of_all, minlength=size).astype(np.int64)
    held = place[attribute.codes]
    return np.bincount(held if persons is None else held[once_each(persons, held)], minlength=size)


def _on_line(attribute: Attribute, persons: np.ndarray | None) -> _Space:
    """Different numbers or days in their order; texts of the same number are one value."""
    known = len(attribute.texts) - (attribute.missing >= 0)
    place = np.cumsum([0, *(_differs(attribute, code) for code in range(1, known))])[:known]
    values = int(place[-1]) + 1 if known else 0
    place = np.append(place, values)[: len(attribute.texts)]
    everyone = _counted(attribute, place, persons, values + 1)
    counts = everyone[:values]
    of_known = np.cumsum(counts) / max(int(counts.sum()), 1)
    base = counts.sum() / max(int(everyone.sum()), 1)
    return _Space(ON_LINE, place, values, base, np.full(values, -1), np.zeros(values), of_known)


def _differs(attribute: Attribute, code: int) -> bool:
    """Whether a number is another one than that before it, of which floating-point numbers may tell nothing."""
    assert attribute.numbers is not None
    if attribute.numbers[code] != attribute.numbers[code - 1]:
        return True
    one, other = (attribute.texts[each].strip() for each in (code - 1, code))
    return one != other and Decimal(one) != Decimal(other)


def _on_tree(attribute: Attribute, persons: np.ndarray | None) -> _Space:
    """The nodes of the hierarchy, and a leaf on its root for missing values; without a hierarchy all hang on a root."""
    if attribute.tree is None or attribute.leaf_of_code is None:
        leaves = len(attribute.texts)
        parent, height, place = (
            np.append(np.full(leaves, leaves), -1),
            np.append(np.zeros(leaves), 1),
            np.arange(leaves),
        )
    else:
        size = len(attribute.tree)
        parent = np.append(attribute.tree.parent, 0).astype(np.int64)
        parent[0], height = -1, np.zeros(size + 1)
        for node in range(size - 1, 0, -1):  # children stand behind their parents
            height[parent[node]] = max(height[parent[node]], height[node] + 1)
        place = attribute.leaf_of_code.astype(np.int64)
        if attribute.missing >= 0:
            place[attribute.missing] = size
    counts = _counted(attribute, place, persons, parent.size)
    below = counts.astype(float)
    for node in np.argsort(height, kind="stable").tolist():  # from the leaves up
        if parent[node] >= 0:
            below[parent[node]] += below[node]
    climb = np.where(parent >= 0, (height[parent] - height) / (2 * max(height.max(), 1)), 0.0)
    share = below / max(int(counts.sum()), 1)
    return _Space(ON_TREE, place, parent.size, float(climb @ share), parent, climb, share)
