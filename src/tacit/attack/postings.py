"""What stands in published records, one by one, and in whose original record it is true: to try conditions on both."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

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
_FREQUENT, _MOST_MARKED = 50, 30_000_000
_MOST_KEPT = 5_000_000
"""So many people of whom something is true are kept for later; those of further facts are looked up again."""


class Postings:
    """Facts of published records, and who has them."""

    def __init__(self, starts: np.ndarray, truth: Truth, people: int) -> None:
        self.starts, self.records, self.people = starts, starts.size - 1, people
        self._truth, self._true = truth, dict[int, np.ndarray]()
        self._room_for_true = _MOST_KEPT
        self._marks: dict[tuple[bool, int], np.ndarray] = {}
        self._room_for_marks = _MOST_MARKED

    def of(self, record: int) -> np.ndarray:
        """The facts of a record."""
        raise NotImplementedError

    def published(self, fact: int) -> np.ndarray:
        """The published records, ascending, that have a fact."""
        raise NotImplementedError

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


class _Listed(Postings):
    """Facts that are listed: record r has facts[starts[r]:starts[r + 1]]."""

    def __init__(self, starts: np.ndarray, facts: np.ndarray, count: int, truth: Truth, people: int) -> None:
        super().__init__(starts, truth, people)
        self._facts = facts
        self._row = _rows(starts)[np.argsort(facts, kind="stable")]
        self._begin = np.concatenate(([0], np.cumsum(np.bincount(facts, minlength=count))))

    def of(self, record: int) -> np.ndarray:
        return self._facts[self.starts[record] : self.starts[record + 1]]

    def published(self, fact: int) -> np.ndarray:
        return self._row[self._begin[fact] : self._begin[fact + 1]]


class _Rated(Postings):
    """A fact is a published issue with its very rating. There are too many to list, and few are looked at."""

    def __init__(self, scene: Scene) -> None:
        before, self._view = scene.original, scene.view
        super().__init__(self._view.starts, self._given, len(before))
        self._numbers = different_numbers(self._view)
        self._shown, self._before, self._was = shown_by_issue(scene), before, given_by_issue(scene)
        issue_of = {name: issue for issue, name in enumerate(before.names)}
        self._issue = [issue_of.get(name, -1) for name in self._view.names]

    def of(self, record: int) -> np.ndarray:
        own = slice(self.starts[record], self.starts[record + 1])
        place = np.searchsorted(self._numbers, self._view.numbers(own))
        return self._view.issues[own].astype(np.int64) * self._numbers.size + place

    def published(self, fact: int) -> np.ndarray:
        issue, number = divmod(fact, self._numbers.size)
        here = self._shown.of(issue)
        return self._shown.rows[here][self._view.numbers(self._shown.places[here]) == self._numbers[number]]

    def _given(self, fact: int) -> np.ndarray:
        """The people who gave a rating that is published."""
        issue, number = divmod(fact, self._numbers.size)
        here = self._was.of(self._issue[issue]) if self._issue[issue] >= 0 else slice(0, 0)
        return self._was.rows[here][self._before.numbers[self._was.places[here]] == self._numbers[number]]


def postings_of(scene: Scene) -> Postings:
    """All that is published of each record, by the kind of data."""
    people = len(scene.original)
    if scene.kind == "ratings":
        return _Rated(scene)
    if scene.kind == "slices":
        parts = [_of_slice(scene, index) for index in range(min(len(scene.view.slices), 1))]
        return _joined(parts, len(scene.view), people)
    parts = []
    if scene.kind == "records":
        view, before = scene.view, scene.original
        pairs = [*zip(before.quasi, view.quasi, strict=True)]
        by_name = {column.name: column for column in before.sensitive}
        pairs += [(by_name[cells.name], cells) for cells in view.shown]
        parts = [_of_column(was, cells, is_quasi=was in before.quasi) for was, cells in pairs]
    if scene.kind == "baskets" or scene.view.baskets is not None:
        parts.append(_of_baskets(scene))
    return _joined(parts, len(scene.view), people)


_Part = tuple[np.ndarray, np.ndarray, int, Truth]


def _of_column(was: KnownColumn, cells: Cells, *, is_quasi: bool) -> _Part:
    codes, texts = one_code_a_text(cells)
    coverage = (covers if is_quasi else equals)(was, texts)
    every = np.arange(len(was.cells.texts))

    def truth(fact: int) -> np.ndarray:
        return np.flatnonzero(coverage.holds(every, np.full(every.size, fact))[was.codes])

    return np.arange(codes.size + 1), codes, len(texts), truth


def _of_slice(scene: Scene, index: int) -> _Part:
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

    return np.arange(len(view) + 1) * len(names), facts, int(first[-1]), truth


def _of_baskets(scene: Scene) -> _Part:
    before, after = baskets_in(scene)
    names = read_names(before, after)
    units = names.unit_of_item[before.held.items]
    order = np.argsort(units, kind="stable")
    row = np.repeat(np.arange(len(before.held)), np.diff(before.held.starts))[order]
    begin = np.searchsorted(units[order], np.arange(names.is_sensitive.size + 1))

    def truth(name: int) -> np.ndarray:
        own = names.units.get(name, np.empty(0, np.int64)).tolist()
        return np.unique(np.concatenate([np.empty(0, np.int64), *(row[begin[u] : begin[u + 1]] for u in own)]))

    return after.starts, after.items.astype(np.int64), len(after.labels), truth


def _joined(parts: Sequence[_Part], records: int, people: int) -> Postings:
    """Several facts a record, from several columns."""
    if len(parts) == 1:
        return _Listed(*parts[0], people)
    first = np.concatenate(([0], np.cumsum([count for _, _, count, _ in parts]))).astype(np.int64)
    pieces = [(facts + first[i]).astype(np.int32) for i, (_, facts, *_) in enumerate(parts)]
    if all((np.diff(starts) == 1).all() for starts, *_ in parts):
        starts, facts = np.arange(records + 1) * len(parts), _side_by_side(pieces)
    else:
        row = np.concatenate([_rows(starts) for starts, *_ in parts])
        order = np.argsort(row, kind="stable")
        starts, facts = np.searchsorted(row[order], np.arange(records + 1)), np.concatenate(pieces)[order]

    def truth(fact: int) -> np.ndarray:
        i = int(np.searchsorted(first, fact, side="right")) - 1
        return parts[i][3](int(fact - first[i]))

    return _Listed(starts, facts, int(first[-1]), truth, people)


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
