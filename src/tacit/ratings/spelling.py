"""How the input writes its ratings, so that what is published looks alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

import pyarrow as pa

from tacit.ratings.scale import ticks
from tacit.ratings.solvers.grid import is_on_grid


class Style(NamedTuple):
    """How the ratings of a column are written: its type, the text of each rating met, and the fewest decimals met."""

    kind: pa.DataType
    known: Mapping[int, str]  # by ticks
    decimals: int
    is_exact: bool  # every text says what the rating counts as: none was rounded


def style_of(texts: tuple[str, ...], numbers: Sequence[Decimal], kind: pa.DataType, decimals: int) -> Style:
    """The style of a column with these different texts, which are these numbers; ratings count 10^-decimals."""
    known: dict[int, str] = {}
    for text, number in zip(texts, numbers, strict=True):
        if is_on_grid(number, decimals):
            known.setdefault(ticks(number, decimals), text)
    shown = [len(text.strip().partition(".")[2]) for text in texts if "e" not in text.lower()]
    is_exact = all(is_on_grid(number, decimals) for number in numbers)
    return Style(kind, known, min((*shown, decimals)) if shown else 0, is_exact)
