"""What stands in published records, one by one, and in whose original record it is true: to try conditions on both."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tacit.arrays.order import each_once
from tacit.attack.baskets_known import baskets_in
from tacit.attack.rating_rows import different_numbers, given_by_issue, shown_by_issue
from tacit.attack.record_matching import one_code_a_text
from tacit.attack.scene import Scene
from tacit.audits.coverage import covers, equals
from tacit.audits.truth.names import read_names
from tacit.audits.views.cells import Cells
from tacit.audits.views.columns import KnownColumn

Truth = Callable[[int], np.ndarray]
"""The original records, ascending, of which something published is true."""
_FREQUENT, _MOST_MARKED = 50, 10_000_000
_MOST_KEPT = 2_500_000
"""So many people of whom something is true are kept for later; those of further facts are looked up again."""


class Postings(ABC):
    """Facts of published records, by number, and who has them."""

    def __init__(self, records: int, people: int) -> None:
        self.records, self.people = records, people
        self._true: dict[int, np.ndarray] = {}
        self._room_for_true = _MOST_KEPT
        self._marks: dict[tuple[bool, int], np.ndarray] = {}
        self._room_for_marks = _MOST_MARKED

    @abstractmethod
    def telling(self) -> np.ndarray:
        """The records that have any fact."""

    @abstractmethod
    def of(self, record: int) -> np.ndarray:
        """The facts of a record."""

    @abstractmethod
    def published(self, fact: int) -> np.ndarray:
        """The published records, ascending, that have a fact."""

    @abstractmethod
    def _truth(self, fact: int) -> np.ndarray:
        """The original records, ascending, of which it is true."""

    def true(self, fact: int) -> np.ndarray:
        if fact in self._true:
            return self._true[fact]
        found = self._truth(fact).astype(np.int32)
        if found.size <= self._room_for_true:
            self._true[fact] = found
            self._room_for_true -= found.size
        return found

    def holding(self, found: np.ndarray, fact: int) -> np.ndarray:
        """Those of some published records (ascending) that have a fact, too."""
        return self._both(found, self.published(fact), (True, fact), self.records)

    def holding_truly(self, found: np.ndarray, fact: int) -> np.ndarray:
        """Those of some original records (ascending) of which it is true."""
        return self._both(found, self.true(fact), (False, fact), self.people)

    def _both(self, found: np.ndarray, held: np.ndarray, which: tuple[bool, int], rows: int) -> np.ndarray:
        """Facts of many rows are marked row by row, as far as there is room: to look there takes no search."""
        if which not in self._marks:
            if held.size * _FREQUENT < rows or self._room_for_marks < rows:
                return within(found, held)
            self._marks[which] = np.zeros(rows, bool)
            self._marks[which][held] = True
            self._room_for_marks -= rows
        return found[self._marks[which][found]]


class Part(NamedTuple):
    """Facts of one column, or of baskets: record r has facts[starts[r]:starts[r + 1]], or facts[r] without `starts`."""

    starts: np.ndarray | None
    facts: np.ndarray
    different: int
    """How many facts there can be, numbered from 0 up."""
    truth: Truth


class _ByFact:
    """Which published records have each fact of a part; sorted when somebody asks."""

    def __init__(self, part: Part) -> None:
        self._part = part

    @cached_property
    def _sorted(self) -> tuple[np.ndarray, np.ndarray]:
        starts, facts, count, _ = self._part
        rows = np.argsort(facts, kind="stable").astype(np.int32)
        rows = rows if starts is None else _rows(starts)[rows]
        return rows, np.concatenate(([0], np.cumsum(np.bincount(facts, minlength=count))))

    def __getitem__(self, fact: int) -> np.ndarray:
        rows, begin = self._sorted
        return rows[begin[fact] : begin[fact + 1]]


class _Listed(Postings):
    """Facts that are listed, numbered part by part."""

    def __init__(self, parts: Sequence[Part], records: int, people: int) -> None:
        super().__init__(records, people)
        self._parts, self._published = parts, [_ByFact(part) for part in parts]
        self._first = np.concatenate(([0], np.cumsum([part.different for part in parts]))).astype(np.int64)

    def telling(self) -> np.ndarray:
        if any(part.starts is None for part in self._parts):
            return np.arange(self.records)
        counts = [np.diff(part.starts) for part in self._parts if part.starts is not None]
        return np.flatnonzero(np.sum(counts, axis=0)) if counts else np.empty(0, np.int64)

    def of(self, record: int) -> np.ndarray:
        found = [
            (facts[record : record + 1] if starts is None else facts[starts[record] : starts[record + 1]]) + first
            for (starts, facts, *_), first in zip(self._parts, self._first.tolist(), strict=False)
        ]
        return np.concatenate(found)

    def published(self, fact: int) -> np.ndarray:
        part, own = self._place(fact)
        return self._published[part][own]

    def _truth(self, fact: int) -> np.ndarray:
        part, own = self._place(fact)
        return self._parts[part].truth(own)

    def _place(self, fact: int) -> tuple[int, int]:
        """The part of a fact, and its number there."""
        part = int(np.searchsorted(self._first, fact, side="right")) - 1
        return part, int(fact - self._first[part])


class _Rated(Postings):
    """A fact is a published issue with its very rating. There are too many to list, and few are looked at."""

    def __init__(self, scene: Scene) -> None:
        before, self._view = scene.original, scene.view
        super().__init__(len(self._view), len(before))
        self._numbers = different_numbers(self._view)
        self._shown, self._before, self._was = shown_by_issue(scene), before, given_by_issue(scene)
        issue_of = {name: issue for issue, name in enumerate(before.names)}
        self._issue = [issue_of.get(name, -1) for name in self._view.names]

    def telling(self) -> np.ndarray:
        return np.flatnonzero(np.diff(self._view.starts))

    def of(self, record: int) -> np.ndarray:
        own = slice(self._view.starts[record], self._view.starts[record + 1])
        place = np.searchsorted(self._numbers, self._view.numbers(own))
        return self._view.issues[own].astype(np.int64) * self._numbers.size + place

    def published(self, fact: int) -> np.ndarray:
        issue, number = divmod(fact, self._numbers.size)
        here = self._shown.of(issue)
        return self._shown.rows[here][self._view.numbers(self._shown.places[here]) == self._numbers[number]]

    def _truth(self, fact: int) -> np.ndarray:
        issue, number = divmod(fact, self._numbers.size)
        here = self._was.of(self._issue[issue]) if self._issue[issue] >= 0 else slice(0, 0)
        return self._was.rows[here][self._before.numbers[self._was.places[here]] == self._numbers[number]]


def postings_of(scene: Scene) -> Postings:
    """All that is published of each record, by the kind of data."""
    people = len(scene.original)
    if scene.kind == "ratings":
        return _Rated(scene)
    if scene.kind == "slices":
        first = [_of_slice(scene, index) for index in range(min(len(scene.view.slices), 1))]
        return _Listed(first, len(scene.view), people)
    parts = []
    if scene.kind == "records":
        view, before = scene.view, scene.original
        pairs = [*zip(before.quasi, view.quasi, strict=True)]
        by_name = {column.name: column for column in before.sensitive}
        pairs += [(by_name[cells.name], cells) for cells in view.shown]
        parts = [_of_column(was, cells, is_quasi=was in before.quasi) for was, cells in pairs]
    if scene.kind == "baskets" or scene.view.baskets is not None:
        parts.append(_of_baskets(scene))
    return _Listed(parts, len(scene.view), people)


def _of_column(was: KnownColumn, cells: Cells, *, is_quasi: bool) -> Part:
    codes, texts = one_code_a_text(cells)
    coverage = (covers if is_quasi else equals)(was, texts)
    every = np.arange(len(was.cells.texts))

    def truth(fact: int) -> np.ndarray:
        return np.flatnonzero(coverage.holds(every, np.full(every.size, fact))[was.codes])

    return Part(None, codes, len(texts), truth)


def _of_slice(scene: Scene, index: int) -> Part:
    view, before = scene.view, scene.original
    names, columns = view.slices[index], view.codes[index]
    sizes = [len(view.texts[name]) for name in names]
    first = np.concatenate(([0], np.cumsum(sizes)))
    facts = _side_by_side([codes + first[i] for i, codes in enumerate(columns)])
    coverage = [
        (covers if name in before.known else equals)(before.column(name), view.texts[name]) for name in names
    ]  # fmt: skip

    def truth(fact: int) -> np.ndarray:
        i = int(np.searchsorted(first, fact, side="right")) - 1
        was = before.column(names[i])
        every = np.arange(len(was.cells.texts))
        return np.flatnonzero(coverage[i].holds(every, np.full(every.size, fact - first[i]))[was.codes])

    return Part(np.arange(len(view) + 1) * len(names), facts, int(first[-1]), truth)


def _of_baskets(scene: Scene) -> Part:
    before, after = baskets_in(scene)
    names = read_names(before, after)
    units = names.unit_of_item[before.held.items]
    order = np.argsort(units, kind="stable")
    row = np.repeat(np.arange(len(before.held)), np.diff(before.held.starts))[order]
    begin = np.searchsorted(units[order], np.arange(names.is_sensitive.size + 1))

    def truth(name: int) -> np.ndarray:
        own = names.units.get(name, np.empty(0, np.int64)).tolist()
        return each_once(np.concatenate([np.empty(0, np.int64), *(row[begin[u] : begin[u + 1]] for u in own)]))

    return Part(after.starts, after.items, len(after.labels), truth)


def _rows(starts: np.ndarray) -> np.ndarray:
    """The record of each fact."""
    return np.repeat(np.arange(starts.size - 1, dtype=np.int32), np.diff(starts))


def _side_by_side(columns: Sequence[np.ndarray]) -> np.ndarray:
    """Columns with one fact a record, record by record."""
    return np.stack(columns, axis=1, dtype=np.int32, casting="unsafe").ravel()


def within(found: np.ndarray, ascending: np.ndarray) -> np.ndarray:
    """Those of some rows that are among others; both ascend."""
    if found.size > ascending.size:  # fewer searches
        found, ascending = ascending, found
    if not ascending.size:
        return found[:0]
    place = np.minimum(np.searchsorted(ascending, found), ascending.size - 1)
    return found[ascending[place] == found]
