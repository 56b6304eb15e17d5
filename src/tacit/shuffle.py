"""What hides people: the order of what is published, and the numbers that stand for groups and buckets.

All of it is drawn here, whatever the kind of data, and every draw says by a label what it is for. Where the random
numbers come from is a parameter: a source gives for each label the generator to draw from.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Source = Callable[[str], np.random.Generator]

EQUAL_RECORDS = "order of equal records in a search"
RECORDS = "order of the records"
GROUPS = "numbers of the groups"
SENSITIVE_ITEMS = "whose sensitive items are whose in a group"
BUCKETS = "numbers of the buckets"
SLICE = "order inside the buckets of slice {}"
BUCKETIZED = "order in which records are dealt into buckets"
"""The uses there are; that of slices has one label a slice."""


class Shuffle:
    """The one place that draws what hides people."""

    def __init__(self, source: Source) -> None:
        self._source = source

    @classmethod
    def seeded(cls, seed: int) -> Shuffle:
        """What follows from a seed: the same one, the same release.

        What a decision holds has a generator of its own, so that it does not change with what is published of it.
        """
        published, decided = np.random.default_rng(seed), np.random.default_rng([seed, 1])
        others = {EQUAL_RECORDS: np.random.default_rng([seed, *b"equal records"]), GROUPS: decided}
        others[SENSITIVE_ITEMS] = decided
        return cls(lambda label: others.get(label, published))

    def order(self, n: int, label: str) -> np.ndarray:
        """The numbers from 0 to n − 1 in random order."""
        return self._source(label).permutation(n)

    def numbers(self, n: int, label: str) -> np.ndarray:
        """Fresh numbers for n things: those from 1 to n, in random order."""
        return self.order(n, label) + 1

    def within(self, group: np.ndarray, label: str) -> np.ndarray:
        """The places of all members, group by group in the order of the groups' numbers, at random inside each."""
        return np.lexsort((self._source(label).random(group.size), group))
