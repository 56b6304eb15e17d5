"""How much an unknown word is spelled like somebody's name, and how much like a word of a language.

No list has all names, nor all words that categories have. But names are spelled otherwise than words are, in most
languages: rows of two to four letters, weighed by `tools/spelling.py`, tell four of five words that no list has, and
three of five names. One word tells little; what all values of a column say together tells much.
"""

from __future__ import annotations

import lzma
from functools import cache
from importlib.resources import files
from zlib import crc32

import numpy as np

BUCKETS = 1 << 15
"""Rows of letters are numbered by a hash, and share a weight where their numbers are equal."""
_LENGTHS = (2, 3, 4)


def buckets_of(word: str) -> list[int]:
    """The numbers of the different rows of letters of a plain word, with its ends."""
    ended = f"^{word}$"
    rows = {ended[at : at + length] for length in _LENGTHS for at in range(len(ended) + 1 - length)}
    return sorted({crc32(row.encode()) % BUCKETS for row in rows})


def like_a_name(word: str) -> float:
    """How a plain word is spelled: above 0 like names of people, below 0 like words (logarithm of the odds).

    >>> [like_a_name(word) > 0 for word in ("hagedorn", "lindqvist", "aanmaning", "insatisfecho", "szkolenie")]
    [True, True, False, False, False]
    """
    weights, before = _weights()
    places = buckets_of(word)
    return float(weights[places].sum() * len(places) ** -0.5 + before)


@cache
def _weights() -> tuple[np.ndarray, float]:
    packed = lzma.decompress((files("tacit") / "init" / "words" / "spelling.xz").read_bytes())
    scale, before = np.frombuffer(packed[:8], np.float32)
    return np.frombuffer(packed[8:], np.int8) / scale, float(before)
