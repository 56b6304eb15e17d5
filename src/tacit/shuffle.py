"""What hides people: the order of what is published, and the numbers that stand for groups and buckets.

All of it is drawn here, whatever the kind of data, from a key of 256 bits that every published file has for itself. A
draw is words of SHAKE-256 over the key, a label that says what the draw is for, and digests of the input and of the
job as run; the order of the words is what is drawn. So no two uses have anything in common, nor have releases of
changed data, or with another k, be it with the same key; and nothing of it follows from the seed of a search.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

Words = Callable[[str, int], np.ndarray]
"""So many random words of 64 bits for a label."""

EQUAL_RECORDS = "order of equal records in a search"
RECORDS = "order of the records"
GROUPS = "numbers of the groups"
SENSITIVE_ITEMS = "whose sensitive items are whose in a group"
EQUAL_NEIGHBOURS = "order of rows with equal known items in a band"
TOKENS = "who has which of equal sensitive sets"
EQUAL_QUASI = "order of records with equal quasi-identifiers"
SET_ASIDE = "records set aside at level {}, draw {}"
BUCKETS = "numbers of the buckets"
SLICE = "order inside the buckets of slice {}"
HELD_OUT = "people held out as a control"
BUCKETIZED = "order in which records are dealt into buckets"
"""The uses there are; some have a label for each slice, level or draw."""

KEY_BYTES = 32
PLACE_BYTES = 16


def digest(key: bytes, label: str, *circumstances: str) -> Any:
    """What all draws of a key for a label in some circumstances come from."""
    hasher = hashlib.shake_256()
    for part in (key, label.encode(), *(each.encode() for each in circumstances)):
        hasher.update(len(part).to_bytes(8, "little") + part)
    return hasher


def places(key: bytes, contents: Iterable[bytes]) -> list[bytes]:
    """Where rows stand whose order is drawn from their content: sorted by these, they are in random order.

    Whoever has not the key cannot tell them from chance, and the same rows get the same ones on any machine.
    """
    return [hashlib.blake2b(content, key=key, digest_size=PLACE_BYTES).digest() for content in contents]


def fresh_key() -> bytes:
    """A key from the operating system."""
    return secrets.token_bytes(KEY_BYTES)


class Shuffle:
    """The one place that draws what hides people."""

    def __init__(self, words: Words) -> None:
        self._words = words

    @classmethod
    def keyed(cls, key: bytes, *circumstances: str) -> Shuffle:
        """What follows from a key in some circumstances: the digests of what is published, and how.

        >>> Shuffle.keyed(bytes(32), "input", "job").order(5, RECORDS).tolist()
        [2, 4, 3, 0, 1]
        """

        def words(label: str, count: int) -> np.ndarray:
            return np.frombuffer(digest(key, label, *circumstances).digest(8 * count), "<u8")

        return cls(words)

    def order(self, n: int, label: str) -> np.ndarray:
        """The numbers from 0 to n − 1 in random order: that of random words, drawn again should two be the same."""
        for turn in range(1 << 10):
            words = self._words(label if turn == 0 else f"{label}, turn {turn}", n)
            order = np.argsort(words)
            if not (words[order[1:]] == words[order[:-1]]).any():
                return order
        raise ValueError("this source of random words repeats itself")

    def ids(self, n: int, label: str) -> np.ndarray:
        """Fresh ids for n things: the numbers from 1 to n, in random order."""
        return self.order(n, label) + 1

    def within(self, group: np.ndarray, label: str) -> np.ndarray:
        """The places of all members, group by group in the order of the groups' numbers, at random inside each."""
        order = self.order(group.size, label)
        return order[np.argsort(group[order], kind="stable")]
