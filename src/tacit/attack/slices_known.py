"""What attackers on sliced tables have in common: which rows of a slice fit a person, and in which buckets."""

from __future__ import annotations

from collections.abc import Sequence
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
        cells = len(self.view) * sum(map(len, self.view.slices))
        self.most = max(_STEPS // max(cells, 1), 100)
        """So many people can be looked up in seconds."""

    def fitting(self, person: int, name: str) -> np.ndarray:
        """Which texts of an attribute fit a person (bool)."""
        column = self.before.column(name)
        code = int(column.codes[person])
        if (name, code) not in self._fits:
            texts = self.view.texts[name]
            coverage = self._coverage(name)
            self._fits[name, code] = coverage.holds(np.full(len(texts), code), np.arange(len(texts)))
        return self._fits[name, code]

    def _coverage(self, name: str) -> Any:
        made = self.__dict__.setdefault("_made", {})
        if name not in made:
            was = self.before.column(name)
            made[name] = (covers if name in self.before.known else equals)(was, self.view.texts[name])
        return made[name]

    def rows(self, person: int, names: Sequence[str], index: int) -> np.ndarray:
        """The rows of a slice that fit a person in these attributes."""
        found = np.arange(len(self.view))
        for name in names:
            found = found[self.fitting(person, name)[self.view.column(index, name)[found]]]
        return found

    def buckets(self, person: int, names: Sequence[str], index: int) -> np.ndarray:
        """The bucket of each of them."""
        return self.view.bucket[self.rows(person, names, index)]

    def weights(self, person: int) -> np.ndarray:
        """For each bucket how likely it is the person's, by all that is known: Li et al. 2012, section 3."""
        sizes = np.bincount(self.view.bucket, minlength=len(self.view.buckets)).astype(float)
        weight = np.ones(sizes.size)
        for index, names in enumerate(self.view.slices):
            known = [name for name in names if name in self.view.known]
            if known:
                fits = np.bincount(self.buckets(person, known, index), minlength=sizes.size)
                weight *= fits / np.maximum(sizes, 1)
        total = weight.sum()
        return weight / total if total else weight
