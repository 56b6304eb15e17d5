"""Whether published baskets are true: every published item covers an original one, and no one's item is left out alone.

Own code, from what was published and the hierarchy alone; the decision of the method is not consulted. A release by a
global recoding publishes each leaf as the one published name that covers it, in every basket, or nowhere. Other
releases have their own checks: local ones, and those that move sensitive items inside groups.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from tacit.audits._published_names import Names, read_names
from tacit.audits._sets import mixed

if TYPE_CHECKING:
    from tacit.arrays.encode import Baskets
    from tacit.baskets.data import BasketData, ItemColumns
    from tacit.baskets.publish import PublishedBaskets
    from tacit.taxonomy import Taxonomy

_AT_ONCE = 1 << 20
"""Baskets that are compared at once: more would need more memory, not less time."""


def false_values(
    before: BasketData, after: ItemColumns | PublishedBaskets, original: np.ndarray | None = None
) -> list[str]:
    """What is not true in published baskets, in sentences; none if all is.

    `original[i]` is the original record of published record i; without it the records are compared as a whole.
    """
    if len(after.baskets) != len(before.items.baskets):
        return [f"{len(after.baskets):,} records are shown out of {len(before.items.baskets):,}"]
    names = read_names(before, after)
    if names.strays:
        return list(names.strays)
    group = getattr(after, "group", None)
    if group is not None:
        return _false_in_groups(before, after, names, group, original)
    if getattr(after, "is_local", False):
        from tacit.audits.truth_local import false_in_parts

        return false_in_parts(before.items.baskets, after.baskets, names, original)
    return _false_everywhere(before, after, names, original)


def _false_everywhere(before: BasketData, after: ItemColumns, names: Names, original: np.ndarray | None) -> list[str]:
    """For a global recoding: an item has one name, and every basket is what its items become."""
    problems = [
        problem for tree, nodes in zip(before.trees, names.nodes, strict=True) for problem in _nested(tree, nodes)
    ]
    owner = np.full(names.is_secret.size + 1, -1, np.int64)
    vocabulary = after.baskets.vocabulary
    for name in sorted(names.units, key=names.sets.__contains__):  # sets after all others
        taken = owner[names.units[name]]
        if name in names.sets and not problems and taken.max(initial=-1) >= 0:
            problems.append(f"{names.sets[name]!r} is shown beside {vocabulary[taken.max()]!r}, which it overlaps")
        owner[names.units[name]] = name
    if problems:
        return problems
    expected = fingerprints(before.items.baskets, owner[names.unit_of_item])
    found = fingerprints(after.baskets, np.arange(len(vocabulary)))
    return _different(_mismatches(found, expected, original))


def _false_in_groups(
    before: BasketData, after: ItemColumns, names: Names, group: np.ndarray, original: np.ndarray | None
) -> list[str]:
    """For groups: items that are not sensitive stay where they are, sensitive ones stay in their group.

    Where it is not known which record is which, sensitive items are compared in all groups together.
    """
    owner = np.full(names.is_secret.size + 1, -1, np.int64)
    for name, units in names.units.items():
        if units.size > 1:
            return [f"{after.baskets.vocabulary[name]!r} is shown, which is no item"]
        owner[units] = name
    becomes, secret = owner[names.unit_of_item], names.is_secret[names.unit_of_item]
    name_is_secret = np.zeros(len(after.baskets.vocabulary), bool)
    name_is_secret[[name for name, units in names.units.items() if names.is_secret[units[0]]]] = True

    number = np.arange(len(after.baskets.vocabulary))
    expected = fingerprints(before.items.baskets, np.where(secret, -1, becomes))
    found = fingerprints(after.baskets, np.where(name_is_secret, -1, number))
    problems = _different(_mismatches(found, expected, original))

    group_now = np.zeros(len(after.baskets), np.int64)
    group_then = group_now.copy()
    if original is not None:
        group_now = np.unique(group, return_inverse=True)[1]
        group_then[original] = group_now
    then = _pairs(before.items.baskets, group_then, becomes, secret)
    now = _pairs(after.baskets, group_now, number, name_is_secret)
    if wrong := _surplus(now, then) + _surplus(then, now):
        problems.append(f"sensitive items that are not those of their group: {wrong:,}")
    return problems


def _pairs(baskets: Baskets, group: np.ndarray, becomes: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """A number for (group, name) of every wanted occurrence."""
    stays = wanted[baskets.items]
    return (np.repeat(group, baskets.lengths)[stays] << 32) + becomes[baskets.items[stays]]


def _mismatches(found: np.ndarray, expected: np.ndarray, original: np.ndarray | None) -> int:
    return _surplus(found, expected) if original is None else int(np.count_nonzero(found != expected[original]))


def _different(wrong: int) -> list[str]:
    return [f"records that are not what their original becomes: {wrong:,}"] if wrong else []


def _surplus(found: np.ndarray, expected: np.ndarray) -> int:
    """How many of the numbers found are left when each is matched with one expected, in whatever order."""
    _, which = np.unique(np.concatenate((found, expected)), return_inverse=True)
    balance = np.bincount(which[: found.size], minlength=which.max(initial=0) + 1)
    balance -= np.bincount(which[found.size :], minlength=balance.size)
    return int(balance[balance > 0].sum())


def _nested(tree: Taxonomy, nodes: Mapping[int, int]) -> list[str]:
    """No published node may lie below another: an item would have two names."""
    for node in sorted(nodes):
        for above in tree.path(node).tolist()[1:]:
            if above in nodes:
                return [f"{tree.names[above]!r} is shown beside {tree.names[node]!r}, which is below it"]
    return []


def fingerprints(baskets: Baskets, shown_as: np.ndarray) -> np.ndarray:
    """A number for each basket of items as they are shown (-1: not at all), the same for equal sets.

    It is the sum of the basket's items, each well mixed, so that two different baskets have the same number with a
    chance of about 2^-64.
    """
    numbers = np.zeros(len(baskets), np.uint64)
    mixed_names = mixed(np.arange(1 + shown_as.max(initial=-1)))
    for start in range(0, len(baskets), _AT_ONCE):
        bounds = baskets.indptr[start : start + _AT_ONCE + 1]
        shown = shown_as[baskets.items[bounds[0] : bounds[-1]]]
        pairs = (np.repeat(np.arange(bounds.size - 1) << 32, np.diff(bounds)) | shown)[shown >= 0]
        pairs.sort()
        pairs = pairs[np.diff(pairs, prepend=-1) > 0]  # a basket is a set
        sums = np.concatenate((np.zeros(1, np.uint64), np.cumsum(mixed_names[pairs & 0xFFFFFFFF], dtype=np.uint64)))
        ends = np.searchsorted(pairs, np.arange(bounds.size) << 32)
        numbers[start : start + _AT_ONCE] = sums[ends[1:]] - sums[ends[:-1]]
    return numbers
