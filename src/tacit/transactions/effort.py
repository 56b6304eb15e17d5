"""How much a search may do, in counts and not in seconds: the same input gives the same outcome on every machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


class Exhausted(Exception):
    """A search has done all that it may do. Who gave it the effort goes on with what there was before."""


@dataclass
class Effort:
    """What may be looked at, and what was: baskets by mining, entries of rows by swaps."""

    most: int = np.iinfo(np.int64).max
    spent: int = 0

    @property
    def left(self) -> int:
        return max(self.most - self.spent, 0)

    def spend(self, amount: int) -> None:
        self.spent += int(amount)
        if self.spent > self.most:
            raise Exhausted


class Pace(NamedTuple):
    """How much to do for a bound. Whatever is left undone, the bound is valid, only less tight."""

    longest: int  # threats that rows are made of
    levels: int  # below the cut, for the first rows
    threats: int  # and nodes of which x keeps a part: from so many of each to grow rows in a round
    parts: int
    mining: int  # baskets looked at when a choice's threats are looked for
    rounds: tuple[int, int]  # at least and at most
    rounds_times_columns: int  # solving takes longer with more columns, so it is done less often


THOROUGH = Pace(
    longest=5, levels=3, threats=2_000, parts=20_000, mining=100_000_000, rounds=(6, 40), rounds_times_columns=80_000
)
QUICK = Pace(
    longest=3, levels=1, threats=500, parts=2_000, mining=10_000_000, rounds=(3, 8), rounds_times_columns=16_000
)
