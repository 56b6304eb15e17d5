"""Keys for tests: what hides people follows from a number, so that a test comes out the same each time."""

from __future__ import annotations

from tacit.shuffle import Shuffle


def key_of(seed: int) -> bytes:
    return seed.to_bytes(32, "big")


def shuffle_of(seed: int) -> Shuffle:
    return Shuffle.keyed(key_of(seed))
