"""How the input writes its ratings, so that what is not changed keeps its exact text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from tacit.ratings.scale import ticks
from tacit.ratings.solvers.grid import is_on_grid


class Style(NamedTuple):
    """How the ratings of a column are written: its type, a text of each rating met, and the fewest decimals met."""

    kind: pa.DataType
    known: Mapping[int, str]  # by ticks
    decimals: int
    texts: tuple[str, ...]  # all that were met
    is_exact: tuple[bool, ...]  # of each text, whether it says what the rating counts as: it was not rounded
    is_unique: bool  # no number has two texts


def style_of(texts: tuple[str, ...], numbers: Sequence[Decimal], kind: pa.DataType, decimals: int) -> Style:
    """The style of a column with these different texts, which are these numbers; ratings count 10^-decimals."""
    is_exact = tuple(is_on_grid(number, decimals) for number in numbers)
    known: dict[int, str] = {}
    for text, number, exact in zip(texts, numbers, is_exact, strict=True):
        if exact:
            known.setdefault(ticks(number, decimals), text)
    shown = [len(text.strip().partition(".")[2]) for text in texts if "e" not in text.lower()]
    is_unique = len(known) == sum(is_exact)
    return Style(kind, known, min((*shown, decimals)) if shown else 0, texts, is_exact, is_unique)


def spelled(styles: Sequence[Style], issues: np.ndarray, codes: np.ndarray) -> np.ndarray | None:
    """For each rating the number of its text, −1 if it was rounded; None if no number has two texts.

    `codes` are numbers of texts in the column of the issue; of a long layout, all issues are in one column.
    """
    if all(style.is_unique for style in styles):
        return None
    starts = np.cumsum([0, *(len(style.texts) for style in styles)])
    is_exact = np.array([exact for style in styles for exact in style.is_exact], bool)
    at = codes + starts[issues] if len(styles) > 1 else codes
    return np.where(is_exact[at], codes, np.int32(-1))
