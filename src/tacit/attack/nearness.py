"""How much published baskets have in common with what is known of a person's: items that a name covers, of all."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tacit.attack.basket_matching import BasketMatcher

_STEPS = 30_000_000


class Nearness:
    """Published baskets by how near they are to items that somebody knows."""

    def __init__(self, matcher: BasketMatcher) -> None:
        self.matcher = matcher
        self._length = matcher.known_names

    def most(self, people: np.ndarray) -> int:
        """So many people can be compared with all baskets in seconds."""
        sample = people[:: max(people.size // 200, 1)].tolist()
        steps = np.mean([self._steps(self.matcher.person(each)) for each in sample]) if sample else 1.0
        return max(int(_STEPS / max(float(steps) + self.matcher.records, 1.0)), 100)

    def _steps(self, units: np.ndarray) -> int:
        return sum(held.size for unit in units.tolist() if (held := self.matcher.holders(unit)) is not None)

    def closest(self, units: Iterable[int]) -> tuple[np.ndarray, float]:
        """The baskets that have most in common with these items, and how much."""
        near = self.near(units)
        top = float(near.max(initial=0.0))
        return np.flatnonzero(near >= top - 1e-12), top

    def near(self, units: Iterable[int]) -> np.ndarray:
        """For each basket what it and these items have in common ÷ what either has."""
        lists = [held for unit in units if (held := self.matcher.holders(int(unit))) is not None]
        known = len(lists)
        hits = np.bincount(np.concatenate([np.empty(0, np.int64), *lists]), minlength=self.matcher.records)
        either = np.maximum(known + self._length - np.minimum(hits, self._length), 1)
        found: np.ndarray = np.minimum(hits, known) / either
        return found
