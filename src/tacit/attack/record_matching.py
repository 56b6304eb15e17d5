"""Which published records may be a person's, by some known values: those whose cells cover all of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from tacit.attack.risk.classes import classes_of
from tacit.audits.coverage import Coverage, covers, equals
from tacit.audits.views.cells import Cells
from tacit.audits.views.columns import KnownColumn

_MOST_KEPT = 2_000_000
"""So many candidates are kept for attackers who ask for the same people."""
_MOST_LABELS = 1_000_000
"""So many labels of a column are kept that cover a value; those of further values are looked up again."""


class RecordMatcher:
    """Published records, those with equal cells as one group, and what is known of people in the same columns."""

    def __init__(self, known: Sequence[KnownColumn], shown: Sequence[Cells], records: int) -> None:
        labels = [one_code_a_text(cells) for cells in shown]
        groups = classes_of([codes for codes, _ in labels], records)
        self.group, self.sizes = groups.of, groups.sizes.astype(np.int32)
        some = np.zeros(groups.sizes.size, np.int32)
        some[groups.of] = np.arange(records, dtype=np.int32)
        self._kept: dict[int, np.ndarray] = {}
        self._room = _MOST_KEPT
        self._marked: np.ndarray | None = None
        self._columns = [_Column(was, codes[some], texts) for was, (codes, texts) in zip(known, labels, strict=True)]

    @property
    def labels(self) -> list[np.ndarray]:
        """Of each column the label of each group."""
        return [column.labels for column in self._columns]

    @cached_property
    def members(self) -> tuple[np.ndarray, np.ndarray]:
        """The records in the order of their groups, and where each group begins."""
        order = np.argsort(self.group, kind="stable").astype(np.int32)
        return order, np.concatenate((np.zeros(1, np.int32), np.cumsum(self.sizes, dtype=np.int32)))

    def candidates(self, person: int, known: Sequence[KnownColumn] | None = None) -> np.ndarray:
        """The groups that may be those of a person of the original (or of `known`, such as people of a control)."""
        if known is not None:
            return self._found(person, self._foreign(known))
        if person not in self._kept:
            found = self._found(person, self._columns)
            if self._room < found.size:
                return found
            self._kept[person] = found
            self._room -= found.size
        return self._kept[person]

    def _found(self, person: int, columns: list[_Column]) -> np.ndarray:
        if not columns:
            return np.arange(self.sizes.size)
        fits = [column.fitting(person) for column in columns]
        order = sorted(range(len(columns)), key=lambda i: columns[i].count(person))
        found = columns[order[0]].groups(fits[order[0]])
        for i in order[1:]:
            if not found.size:
                break
            found = columns[i].only(found, fits[i])
        return found

    def among(self, records: np.ndarray, groups: np.ndarray) -> int:
        """How many of some records are of these groups."""
        if self._marked is None:
            self._marked = np.zeros(self.sizes.size, bool)
        self._marked[groups] = True
        found = int(np.count_nonzero(self._marked[self.group[records]]))
        self._marked[groups] = False
        return found

    def records(self, groups: np.ndarray) -> np.ndarray:
        """The published records of some groups."""
        order, starts = self.members
        return np.concatenate([np.empty(0, np.int32), *(order[starts[g] : starts[g + 1]] for g in groups.tolist())])

    def _foreign(self, known: Sequence[KnownColumn]) -> list[_Column]:
        if getattr(self, "_of_others", None) is None or self._of_others[0] is not known:
            made = [own.of(was) for own, was in zip(self._columns, known, strict=True)]
            self._of_others: Any = (known, made)
        return self._of_others[1]


class _Column:
    """A published column: the label of each group, and which labels cover a known value."""

    def __init__(self, known: KnownColumn, labels: np.ndarray, texts: Sequence[str]) -> None:
        self.known, self.labels, self.texts = known, labels, texts
        may_be_wider = known.said is not None or known.tree is not None
        self._covers: Coverage = (covers if may_be_wider else equals)(known, texts)
        self._starts = np.concatenate(([0], np.cumsum(np.bincount(labels, minlength=len(texts)))))
        self._is_exact = self._covers.is_exact()
        self._label_of = np.full(len(known.cells.texts) + 1, -1, np.int64)
        same = self._covers.same
        self._label_of[same[same >= 0]] = np.flatnonzero(same >= 0)
        self._seen: dict[int, np.ndarray] = {}
        self._room = _MOST_LABELS
        self._counts: dict[int, int] = {}
        self._marks = np.zeros(len(texts), bool)

    @cached_property
    def _order(self) -> np.ndarray:
        """The groups in the order of their labels: only columns that tell much are asked for it."""
        return np.argsort(self.labels, kind="stable").astype(np.int32)

    def of(self, known: KnownColumn) -> _Column:
        """The same labels, for people of another file."""
        return _Column(known, self.labels, self.texts)

    def fitting(self, person: int) -> np.ndarray:
        """The labels that cover what is known of a person."""
        code = int(self.known.codes[person])
        if code in self._seen:
            return self._seen[code]
        if self._is_exact:
            label = self._label_of[code]
            found = np.array([label] if label >= 0 else [], np.int32)
        else:
            labels = np.arange(len(self.texts))
            found = np.flatnonzero(self._covers.holds(np.full(labels.size, code), labels)).astype(np.int32)
        if found.size <= self._room:
            self._seen[code] = found
            self._room -= found.size
        return found

    def count(self, person: int) -> int:
        """How many groups have a label that covers what is known of a person."""
        code = int(self.known.codes[person])
        if code not in self._counts:
            labels = self.fitting(person)
            self._counts[code] = int((self._starts[labels + 1] - self._starts[labels]).sum())
        return self._counts[code]

    def groups(self, labels: np.ndarray) -> np.ndarray:
        pieces = [self._order[self._starts[label] : self._starts[label + 1]] for label in labels.tolist()]
        return np.concatenate([np.empty(0, np.int32), *pieces])

    def only(self, groups: np.ndarray, labels: np.ndarray) -> np.ndarray:
        self._marks[labels] = True
        kept = groups[self._marks[self.labels[groups]]]
        self._marks[labels] = False
        return kept


def one_code_a_text(cells: Cells) -> tuple[np.ndarray, tuple[str, ...]]:
    """The codes of a column with one code for equal texts, and the texts; its own, if no text is there twice."""
    if len(set(cells.texts)) == len(cells.texts):
        return cells.codes, tuple(cells.texts)
    place: dict[str, int] = {}
    codes = np.array([place.setdefault(text, len(place)) for text in cells.texts] or [0], np.int64)
    return codes[cells.codes], tuple(place)
