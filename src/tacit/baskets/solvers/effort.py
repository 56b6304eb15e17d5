"""How much a search may do, in counts and not in seconds: the same input gives the same outcome on every machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

UNLIMITED = 2**62


class Exhausted(Exception):
    """A search has done all that it may do. Who gave it the effort goes on with what there was before."""


@dataclass
class Effort:
    """What may be looked at, and what was: baskets by mining, entries of rows by swaps.

    `space` is how many nodes the threats may have that are found, all together: these are remembered; of sets of items,
    those that are rare at one time.
    """

    most: int = UNLIMITED
    spent: int = 0
    space: int = UNLIMITED

    @property
    def left(self) -> int:
        return max(self.most - self.spent, 0)

    def spend(self, amount: int, found: int = 0) -> None:
        self.spent += int(amount)
        self.space -= int(found)
        if self.spent > self.most or self.space < 0:
            raise Exhausted


class Pace(NamedTuple):
    """How much to do for a bound. Whatever is left undone, the bound is valid, only less tight."""

    longest: int  # threats that rows are made of
    levels: int  # below the cut, for the first rows
    threats: int  # and nodes of which x keeps a part: from so many of each to grow rows in a round
    parts: int
    parts_for_long: int  # threats of more than 3 nodes, whose rows take longer
    seeds_a_basket: int  # and of each size
    tops: tuple[int, ...]  # chains of a row at most, for threats of 2 nodes and more
    rows: int  # in a round
    mining: int  # baskets looked at when a choice's threats are looked for
    rounds: tuple[int, int]  # at least and at most
    rounds_times_columns: int  # solving takes longer with more columns, so it is done less often
    patience: int  # rounds without much gain
    branching: int  # columns at most, for programs of whole choices
    steps: int = 0  # towards a solution, in each round; 0: the simplex method finds it


THOROUGH = Pace(
    longest=5, levels=3, threats=2_000, parts=100_000, parts_for_long=100_000, seeds_a_basket=8,
    tops=(20, 16, 18, 20), rows=20_000, mining=100_000_000, rounds=(6, 60), rounds_times_columns=120_000, patience=8,
    branching=1_000,
)  # fmt: skip
QUICK = Pace(
    longest=3, levels=1, threats=500, parts=2_000, parts_for_long=2_000, seeds_a_basket=2, tops=(16, 9), rows=4_000,
    mining=10_000_000, rounds=(3, 8), rounds_times_columns=16_000, patience=4, branching=0,
)  # fmt: skip
STEPWISE = THOROUGH._replace(
    levels=5, parts_for_long=20_000, tops=(20, 16, 12, 10), rounds=(40, 40), patience=6, branching=0, steps=1_000
)  # fmt: skip
"""The thorough one for many columns, where the simplex method takes minutes. Solving is not what takes time then, but
making rows."""

_MANY_COLUMNS = 40_000  # times the nodes of the longest threat: the longer these are, the more rows there are


def for_program(pace: Pace, columns: int, m: int | float) -> Pace:
    """The pace for a program of so many columns."""
    is_large = columns * min(m, THOROUGH.longest) > _MANY_COLUMNS
    return STEPWISE if pace == THOROUGH and is_large else pace
