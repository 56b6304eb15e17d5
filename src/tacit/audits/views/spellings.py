"""Spellings of one value: `flu`, `Flu` and `flu ` hide nothing from anybody, so that they count as one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from unicodedata import category, normalize

import numpy as np


def meaning(text: str) -> str:
    """What is left of a text without case, outer blanks, forms of characters, and those that nobody sees.

    >>> meaning("Flu\\u200b "), meaning("\\uff26lu")
    ('flu', 'flu')
    """
    seen = "".join(sign for sign in normalize("NFKC", text) if category(sign) != "Cf")
    return normalize("NFKC", seen.strip().casefold())


def as_one(texts: Sequence[str], missing: int = -1) -> np.ndarray:
    """For each text the first one with the same meaning; the one at `missing` means nothing, as blanks do."""
    first: dict[str, int] = {}
    meanings = ("" if code == missing else meaning(text) for code, text in enumerate(texts))
    return np.array([first.setdefault(each, code) for code, each in enumerate(meanings)], np.int32)


def declared(texts: Sequence[str], wanted: Iterable[str], *, fold: bool) -> np.ndarray:
    """Whether each text is one of those wanted, in whatever spelling if they are folded.

    >>> declared(["hiv ", "flu"], ["HIV"], fold=True).tolist()
    [True, False]
    """
    read = meaning if fold else str
    listed = {read(text) for text in wanted}
    return np.array([bool(listed) and read(text) in listed for text in texts], bool)
