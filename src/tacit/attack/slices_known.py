"""What attackers on sliced tables have in common: which rows of a slice fit a person, and in which buckets."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from tacit.attack.scene import Scene
from tacit.audits.coverage import covers, equals

_STEPS = 300_000_000


class SliceMatcher:
    """A sliced table, and what is known of the people (those of a control, if `original` is one)."""

    def __init__(self, scene: Scene, original: Any = None) -> None:
        self.view, self.before = scene.view, scene.original if original is None else original
        self._fits: dict[tuple[str, int], np.ndarray] = {}
        self._codes: dict[str, np.ndarray] = {}
        self._counts: dict[tuple[int, str, int], int] = {}
        self._by_label: dict[tuple[int, str], tuple[np.ndarray, np.ndarray]] = {}
        self.believed: dict[tuple[int, str, int], np.ndarray] = {}
        """What was found out about somebody already: several attackers ask for the same people."""
        cells = len(self.view) * sum(map(len, self.view.slices))
        self.most = max(_STEPS // max(cells, 1), 100)
        """So many people can be looked up in seconds."""

    def fitting(self, person: int, name: str) -> np.ndarray:
        """Which texts of an attribute fit a person (bool)."""
        code = self._code(person, name)
        if (name, code) not in self._fits:
            texts = self.view.texts[name]
            coverage = self._coverage(name)
            self._fits[name, code] = coverage.holds(np.full(len(texts), code), np.arange(len(texts)))
        return self._fits[name, code]

    def _code(self, person: int, name: str) -> int:
        """What the original has of somebody in an attribute."""
        if name not in self._codes:
            self._codes[name] = self.before.column(name).codes
        return int(self._codes[name][person])

    def _coverage(self, name: str) -> Any:
        made = self.__dict__.setdefault("_made", {})
        if name not in made:
            was = self.before.column(name)
            made[name] = (covers if name in self.before.known else equals)(was, self.view.texts[name])
        return made[name]

    def rows(self, person: int, names: Sequence[str], index: int) -> np.ndarray:
        """The rows of a slice that fit a person in these attributes, ascending: those of the rarest value first."""
        if not names:
            return np.arange(len(self.view))
        first, *others = sorted(names, key=lambda name: self._count(index, name, person))
        order, starts = self._rows_by_label(index, first)
        labels = np.flatnonzero(self.fitting(person, first)).tolist()
        pieces = [order[starts[label] : starts[label + 1]] for label in labels]
        found = np.concatenate([np.empty(0, np.int64), *pieces])
        for name in others:
            found = found[self.fitting(person, name)[self.view.column(index, name)[found]]]
        return found if len(pieces) == 1 else np.sort(found)

    def _count(self, index: int, name: str, person: int) -> int:
        """How many rows of a slice fit a person in an attribute."""
        which = (index, name, self._code(person, name))
        if which not in self._counts:
            self._counts[which] = int(np.diff(self._rows_by_label(index, name)[1])[self.fitting(person, name)].sum())
        return self._counts[which]

    def _rows_by_label(self, index: int, name: str) -> tuple[np.ndarray, np.ndarray]:
        """The rows of a slice in the order of an attribute's texts, and where each text begins."""
        if (index, name) not in self._by_label:
            codes = self.view.column(index, name)
            order = np.argsort(codes, kind="stable")
            starts = np.searchsorted(codes[order], np.arange(len(self.view.texts[name]) + 1))
            self._by_label[index, name] = order, starts
        return self._by_label[index, name]

    @cached_property
    def _members(self) -> tuple[np.ndarray, np.ndarray]:
        order = np.argsort(self.view.bucket, kind="stable")
        return order, np.searchsorted(self.view.bucket[order], np.arange(len(self.view.buckets) + 1))

    @cached_property
    def sizes(self) -> np.ndarray:
        """How many rows each bucket has."""
        return np.diff(self._members[1])

    def members(self, bucket: int) -> np.ndarray:
        """The rows of a bucket, ascending."""
        order, starts = self._members
        return order[starts[bucket] : starts[bucket + 1]]

    def buckets(self, person: int, names: Sequence[str], index: int) -> np.ndarray:
        """The bucket of each of them."""
        return self.view.bucket[self.rows(person, names, index)]

    def weights(self, person: int) -> np.ndarray:
        """For each bucket how likely it is the person's, by all that is known: Li et al. 2012, section 3."""
        sizes = self.sizes
        weight = np.ones(sizes.size)
        for index, names in enumerate(self.view.slices):
            known = [name for name in names if name in self.view.known]
            if known:
                fits = np.bincount(self.buckets(person, known, index), minlength=sizes.size)
                weight *= fits / np.maximum(sizes, 1)
        total = weight.sum()
        return weight / total if total else weight


def slices_of(scene: Scene, original: Any = None) -> SliceMatcher:
    """Shared by all attackers; with `original`, for people of a control."""
    which = "slices" if original is None else "control slices"
    return scene.once(which, lambda: SliceMatcher(scene, original))
