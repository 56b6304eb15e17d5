"""Whether published baskets are true: every published item covers an original one, and no one's item is left out alone.

A release by a global recoding publishes each leaf as the one published name that covers it, in every basket, or
nowhere. Other releases have their own checks: local ones, and those that move sensitive items inside groups.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tacit.audits._sets import mixed
from tacit.audits.truth import not_shown
from tacit.audits.truth.names import Names, read_names
from tacit.audits.views.baskets import BasketOriginal, BasketView
from tacit.taxonomy import Taxonomy

_AT_ONCE = 1 << 20
"""Baskets that are compared at once: more would need more memory, not less time."""


def false_values(before: BasketOriginal, after: BasketView, rows: np.ndarray | None = None) -> list[str]:
    """What is not true in published baskets, in sentences; none if all is.

    `rows[i]` is the original record of published record i; without it the records are compared as a whole.
    """
    if after.records != before.held.records:
        return [f"{after.records:,} records are shown out of {before.held.records:,}"]
    names = read_names(before, after)
    if names.strays:
        return list(names.strays)
    if before.is_local and after.group is None:
        from tacit.audits.truth.parts import false_in_parts

        return false_in_parts(before.held, after, names, rows, leaves_out=before.leaves_out)
    missing = [] if rows is None else not_shown(len(before), rows)
    if after.group is not None:
        return [*missing, *_false_in_groups(before.held, after, names, after.group, rows)]
    return [*missing, *_false_everywhere(before, after, names, rows)]


def _false_everywhere(before: BasketOriginal, after: BasketView, names: Names, rows: np.ndarray | None) -> list[str]:
    """For a global recoding: an item has one name, and every basket is what its items become."""
    problems, becomes = what_items_become(before, after, names)
    if problems:
        return problems
    expected = fingerprints(before.held, becomes)
    found = fingerprints(after, np.arange(len(after.labels)))
    if rows is None:
        return different(_surplus(found, expected, after.people, before.held.people))
    return different(_mismatches(found, expected, rows))


def what_items_become(before: BasketOriginal, after: BasketView, names: Names) -> tuple[list[str], np.ndarray]:
    """What is not true of the names by themselves; and for each original item the one name that covers it, or -1."""
    problems = [
        problem for tree, nodes in zip(before.trees, names.nodes, strict=True) for problem in _nested(tree, nodes)
    ]
    owner = np.full(names.is_sensitive.size + 1, -1, np.int64)
    for name in sorted(names.units, key=names.sets.__contains__):  # sets after all others
        taken = owner[names.units[name]]
        if name in names.sets and not problems and taken.max(initial=-1) >= 0:
            problems.append(f"{names.sets[name]!r} is shown beside {after.labels[taken.max()]!r}, which it overlaps")
        owner[names.units[name]] = name
    return problems, owner[names.unit_of_item]


def _false_in_groups(
    before: BasketView, after: BasketView, names: Names, group: np.ndarray, rows: np.ndarray | None
) -> list[str]:
    """For groups: items that are not sensitive stay where they are, sensitive ones stay in their group.

    Where it is not known which record is which, sensitive items are compared in all groups together.
    """
    owner = np.full(names.is_sensitive.size + 1, -1, np.int64)
    for name, units in names.units.items():
        if units.size > 1:
            return [f"{after.labels[name]!r} is shown, which is no item"]
        owner[units] = name
    becomes, sensitive = owner[names.unit_of_item], names.is_sensitive[names.unit_of_item]
    name_is_sensitive = np.zeros(len(after.labels), bool)
    name_is_sensitive[[name for name, units in names.units.items() if names.is_sensitive[units[0]]]] = True

    code = np.arange(len(after.labels))
    expected = fingerprints(before, np.where(sensitive, -1, becomes))
    found = fingerprints(after, np.where(name_is_sensitive, -1, code))
    problems = different(_mismatches(found, expected, rows))

    group_now = np.zeros(len(after), np.int64)
    group_then = group_now.copy()
    if rows is not None:
        group_now = np.unique(group, return_inverse=True)[1]
        group_then[rows] = group_now
    then = _pairs(before, group_then, becomes, sensitive)
    now = _pairs(after, group_now, code, name_is_sensitive)
    if wrong := _surplus(now, then) + _surplus(then, now):
        problems.append(f"sensitive items that are not those of their group: {wrong:,}")
    return problems


def _pairs(baskets: BasketView, group: np.ndarray, becomes: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """A code for (group, name) of every wanted occurrence."""
    stays = wanted[baskets.items]
    return (np.repeat(group, np.diff(baskets.starts))[stays] << 32) + becomes[baskets.items[stays]]


def _mismatches(found: np.ndarray, expected: np.ndarray, rows: np.ndarray | None) -> int:
    return _surplus(found, expected) if rows is None else int(np.count_nonzero(found != expected[rows]))


def different(wrong: int) -> list[str]:
    """That so many records are not what they should be."""
    return [f"records that are not what their original becomes: {wrong:,}"] if wrong else []


def _surplus(
    found: np.ndarray,
    expected: np.ndarray,
    often: np.ndarray | None = None,
    expected_often: np.ndarray | None = None,
) -> int:
    """How many of the numbers found are left when each is matched with one expected, in whatever order.

    `often` says how often each one was found, `expected_often` how often it was expected: once, if it is left out.
    """
    _, which = np.unique(np.concatenate((found, expected)), return_inverse=True)
    balance = np.zeros(which.max(initial=0) + 1, np.int64)
    np.add.at(balance, which[: found.size], 1 if often is None else often)
    np.subtract.at(balance, which[found.size :], 1 if expected_often is None else expected_often)
    return int(balance[balance > 0].sum())


def _nested(tree: Taxonomy, nodes: Mapping[int, int]) -> list[str]:
    """No published node may lie below another: an item would have two names."""
    for node in sorted(nodes):
        for above in tree.path(node).tolist()[1:]:
            if above in nodes:
                return [f"{tree.names[above]!r} is shown beside {tree.names[node]!r}, which is below it"]
    return []


def fingerprints(baskets: BasketView, shown_as: np.ndarray) -> np.ndarray:
    """A number for each basket of items as they are shown (-1: not at all), the same for equal sets.

    It is the sum of the basket's items, each well mixed, so that two different baskets have the same number with a
    chance of about 2^-64.
    """
    prints = np.zeros(len(baskets), np.uint64)
    mixed_names = mixed(np.arange(1 + shown_as.max(initial=-1)))
    for start in range(0, len(baskets), _AT_ONCE):
        bounds = baskets.starts[start : start + _AT_ONCE + 1]
        shown = shown_as[baskets.items[bounds[0] : bounds[-1]]]
        pairs = (np.repeat(np.arange(bounds.size - 1) << 32, np.diff(bounds)) | shown)[shown >= 0]
        pairs.sort()
        pairs = pairs[np.diff(pairs, prepend=-1) > 0]  # a basket is a set
        sums = np.concatenate((np.zeros(1, np.uint64), np.cumsum(mixed_names[pairs & 0xFFFFFFFF], dtype=np.uint64)))
        ends = np.searchsorted(pairs, np.arange(bounds.size) << 32)
        prints[start : start + _AT_ONCE] = sums[ends[1:]] - sums[ends[:-1]]
    return prints
