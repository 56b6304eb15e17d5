"""Who holds what, in a group in which persons have several records.

Somebody holds a set of items if one record of the person in the group has all of them, and a sensitive item if any of
the person's records in the group has it. All sets that a record has are gone through, one item more at a time, with all
records at once for each. A set that breaks the promise is not looked at further: it would be no news that larger ones
do, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from tacit.audits._sets import Sets, some


class Holding(NamedTuple):
    """A set of items, the records that have it, how many persons that is, and how many of them a sensitive item has."""

    itemset: tuple[int, ...]
    rows: np.ndarray
    people: int
    sensitive: int = -1  # the one that most of them have; −1: none
    with_sensitive: int = 0


class Members(NamedTuple):
    """The records of a group: known items (rising) and sensitive ones, each by codes from 0, and whose they are."""

    known: Sets
    sensitive: Sets
    person: np.ndarray  # codes from 0 without gaps

    def has(self) -> np.ndarray:
        """bool [person, sensitive item]."""
        starts, items = self.sensitive
        has = np.zeros((int(self.person.max(initial=-1)) + 1, int(items.max(initial=-1)) + 1), bool)
        has[np.repeat(self.person, np.diff(starts)), items] = True
        return has


def holdings(members: Members, k: int, m: int | float, bound: Fraction | None) -> Iterator[Holding]:
    """Every set of 1 to m items that some record has, unless a part of it breaks the promise.

    That is what fewer than k persons hold, if no bound is given; else what tells a sensitive item of more than 1/bound
    of those who hold it. Without a bound, sets are left out that k persons hold as part of a whole basket.
    """
    has = members.has()
    sources = np.ones(members.person.size, bool) if bound is not None else _held_by_few(members, k)
    return _extended(members, (), np.arange(members.person.size), sources, has, (k, m, bound))


def _extended(
    members: Members,
    itemset: tuple[int, ...],
    rows: np.ndarray,
    sources: np.ndarray,
    has: np.ndarray,
    wanted: tuple[int, int | float, Fraction | None],
) -> Iterator[Holding]:
    """The sets with one item or more behind those of a set, which these rows have."""
    k, m, bound = wanted
    starts, items = some(*members.known, rows)
    row = np.repeat(rows, np.diff(starts))
    later = items > (itemset[-1] if itemset else -1)
    row, items = row[later], items[later]
    for item in np.unique(items[sources[row]]).tolist():
        here = row[items == item]
        people = np.unique(members.person[here])
        found = _with_sensitive(Holding((*itemset, item), here, people.size), has[people])
        yield found
        breaks = people.size < k if bound is None else found.with_sensitive * bound > people.size
        if not breaks and len(found.itemset) < m:
            yield from _extended(members, found.itemset, here, sources, has, wanted)


def everybody(members: Members) -> Holding:
    """The set of no item, which all persons of the group hold."""
    people = int(members.person.max(initial=-1)) + 1
    return _with_sensitive(Holding((), np.arange(members.person.size), people), members.has())


def _with_sensitive(found: Holding, has: np.ndarray) -> Holding:
    if not has.size:
        return found
    counts = has.sum(axis=0)
    most = int(counts.argmax())
    return found._replace(sensitive=most, with_sensitive=int(counts[most])) if counts[most] else found


def _held_by_few(members: Members, k: int) -> np.ndarray:
    """Which records have a basket that, as a whole, fewer than k persons hold: only parts of it may be held by few."""
    starts, items = members.known
    holders: dict[tuple[int, ...], bool] = {}
    rows_of = [set(np.repeat(np.arange(starts.size - 1), np.diff(starts))[items == item].tolist())
               for item in range(int(items.max(initial=-1)) + 1)]  # fmt: skip
    person, few = members.person.tolist(), np.zeros(starts.size - 1, bool)
    for record in range(few.size):
        basket = tuple(items[starts[record] : starts[record + 1]].tolist())
        if basket not in holders:
            rows = set.intersection(*(rows_of[item] for item in basket)) if basket else set()
            holders[basket] = bool(basket) and len({person[row] for row in rows}) < k
        few[record] = holders[basket]
    return few
