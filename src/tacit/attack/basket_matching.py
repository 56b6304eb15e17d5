"""Which published baskets may be a person's, by some known items: those with names that cover all of them.

An item that no name of the file covers is published of nobody: to know it says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np

from tacit.arrays.order import each_once
from tacit.audits._sets import only, some
from tacit.audits.truth.names import read_names
from tacit.audits.views.baskets import BasketOriginal, BasketView


class BasketMatcher:
    """Published baskets by name, and what each name stands for; items are units: leaves and sensitive items."""

    def __init__(self, before: BasketOriginal, after: BasketView) -> None:
        self.after, self.records = after, len(after)
        names = read_names(before, after)
        self.unit_of_item, self.is_sensitive_unit = names.unit_of_item, names.is_sensitive
        self.units, self.counts_as = names.units, names.counts_as
        row = np.repeat(np.arange(len(after)), np.diff(after.starts))
        order = np.argsort(after.items, kind="stable")
        self._row = row[order]
        self._starts = np.searchsorted(after.items[order], np.arange(len(after.labels) + 1))
        self._names_of: dict[int, list[int]] = {}
        for name, units in names.units.items():
            for unit in units.tolist():
                self._names_of.setdefault(unit, []).append(name)
        self._lists: dict[int, np.ndarray] = {}
        held = before.held
        sensitive = names.is_sensitive[self.unit_of_item]
        self.known_starts, known_items = only(held.starts, held.items, ~sensitive[held.items])
        self.known_units = self.unit_of_item[known_items]

    def person(self, person: int) -> np.ndarray:
        """The units that may be known of a person of the original."""
        return self.known_units[self.known_starts[person] : self.known_starts[person + 1]]

    def lengths(self) -> np.ndarray:
        """How many units may be known of each person."""
        return np.diff(self.known_starts)

    def holders(self, unit: int) -> np.ndarray | None:
        """The baskets with a name that covers a unit, ascending; None if no name of the file does."""
        if unit not in self._names_of:
            return None
        if unit not in self._lists:
            names = self._names_of[unit]
            pieces = [self._row[self._starts[name] : self._starts[name + 1]] for name in names]
            self._lists[unit] = pieces[0] if len(pieces) == 1 else each_once(np.concatenate(pieces))
        return self._lists[unit]

    def frequency(self, units: np.ndarray) -> np.ndarray:
        """How many baskets may hold each unit; more than there are if no name covers it."""
        lists = [self.holders(unit) for unit in units.tolist()]
        return np.array([self.records + 1 if each is None else each.size for each in lists], np.int64)

    def candidates(self, units: Iterable[int], among: np.ndarray | None = None) -> np.ndarray:
        """The baskets that may hold all these units, among some (ascending), or all."""
        lists = [held for unit in units if (held := self.holders(int(unit))) is not None]
        found = among
        for held in sorted(lists, key=len):
            found = held if found is None else found[_is_in(found, held)]
        return np.arange(self.records) if found is None else found

    def without(self, found: np.ndarray, absent: Iterable[int]) -> np.ndarray:
        """Those of some baskets that hold no name that stands for nothing but units that a person does not have."""
        gone = set(map(int, absent))
        for name in {name for unit in gone for name in self._names_of.get(unit, ())}:
            if gone.issuperset(self.units[name].tolist()):
                held = self._row[self._starts[name] : self._starts[name + 1]]
                found = found[~_is_in(found, held)]
        return found

    def exact(self, found: np.ndarray, units: np.ndarray) -> np.ndarray:
        """Those of some baskets all of whose names, but sensitive ones, cover a unit of exactly this set."""
        covers = np.zeros(len(self.after.labels), bool)
        covers[[name for unit in units.tolist() for name in self._names_of.get(unit, ())]] = True
        starts, names = some(self.after.starts, self.after.items, found)
        covered = np.concatenate(([0], np.cumsum(covers[names])))
        return found[covered[starts[1:]] - covered[starts[:-1]] == self.known_names[found]]

    @cached_property
    def known_names(self) -> np.ndarray:
        """How many names of each published basket are not those of sensitive items."""
        is_free = np.zeros(len(self.after.labels), bool)
        for name, units in self.units.items():
            is_free[name] = bool(self.is_sensitive_unit[units].all())
        kept = ~is_free[self.after.items]
        return np.diff(np.concatenate(([0], np.cumsum(kept)))[self.after.starts])


def _is_in(values: np.ndarray, ascending: np.ndarray) -> np.ndarray:
    if not ascending.size:
        return np.zeros(values.size, bool)
    return ascending.take(ascending.searchsorted(values), mode="clip") == values
