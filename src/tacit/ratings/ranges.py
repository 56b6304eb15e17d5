"""The decision to publish ratings as ranges of their scales, the same for everybody; and what it makes of ratings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar

import numpy as np

from tacit.arrays.sparse import keep_where
from tacit.ratings.data import Ratings
from tacit.ratings.scale import PARTS, Scale, plain, ticks
from tacit.recoding import Recoding, text

SHOWN = ("range", "middle")
"""How a range is published."""
_MOST_LISTED = 1 << 24
Range = tuple[Decimal, Decimal]


@dataclass(frozen=True, eq=False)
class RangeRecoding(Recoding):
    """A global recoding: each issue with the ranges of its scale that are published; other ratings are blanked."""

    kind: ClassVar[str] = "ranges"
    issues: Mapping[str, tuple[Range, ...]]
    """By name, ascending; both ends are part of a range. An issue that is not there is unknown to it."""
    shown: str = "range"
    as_is: bool = False
    """Every rating is published as it is, whatever it is."""

    def to_dict(self) -> dict[str, Any]:
        cuts = {name: " ".join(f"{plain(a)}:{plain(b)}" for a, b in ranges) for name, ranges in self.issues.items()}
        return {"shown": self.shown, "as_is": self.as_is, "issues": cuts}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> RangeRecoding:
        cuts = {text(name): tuple(map(_range, ranges.split())) for name, ranges in content["issues"].items()}
        return cls(cuts, SHOWN[SHOWN.index(content["shown"])], bool(content["as_is"]))

    def __str__(self) -> str:
        if self.as_is:
            return "all ratings are published as they are"
        kept = [ranges for ranges in self.issues.values() if ranges]
        many = f"{len(kept):,} of {len(self.issues):,} issues are published"
        pieces = sum(map(len, kept))
        return f"{many}, in {pieces / len(kept):.3g} ranges each on average" if kept else many

    def applied(self, data: Ratings) -> Ranged:
        """What it makes of ratings; those of issues that it does not know are blanked, sensitive ones stay."""
        if self.as_is:
            return Ranged(self, data.indptr, data.issues, data.values, data.values, np.ones(data.issues.size, bool))
        starts, lows, highs = self._in_units(data)
        at = _places(data, starts, lows, highs)
        hidden = data.is_sensitive[data.issues]
        stays = (at >= 0) | hidden
        indptr, issues = keep_where(data.indptr, data.issues, stays)
        kept = at[stays]
        values, hidden = data.values[stays], hidden[stays]
        low, high = np.append(lows, 0).astype(values.dtype)[kept], np.append(highs, 0).astype(values.dtype)[kept]
        if hidden.any():
            low, high = np.where(hidden, values, low), np.where(hidden, values, high)
        return Ranged(self, indptr, issues, low, high, stays)

    def _in_units(self, data: Ratings) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Where the ranges of each issue begin among all of them, and both ends of those."""
        counts, lows, highs = [0], list[int](), list[int]()
        for issue, name in enumerate(data.names):
            ranges = () if data.is_sensitive[issue] else self.issues.get(name, ())
            for low, high in ranges:
                lows.append(-(-(ticks(low, data.decimals) - int(data.low[issue])) // data.unit))
                highs.append((ticks(high, data.decimals) - int(data.low[issue])) // data.unit)
            counts.append(len(ranges))
        return np.cumsum(counts), np.array(lows, np.int64), np.array(highs, np.int64)


def is_misread(ranges: tuple[Range, ...], scale: Scale) -> bool:
    """Whether middles would be read as other ranges, which fill all of a scale of which these leave a part out.

    From the lowest rating on, a middle tells where its range ends; the next one begins a step after that, or at the
    next twentieth where there are no steps. If the last one ends with the scale, that is how middles are read.

    >>> scale = Scale(Decimal(1), Decimal(5), Decimal(1))
    >>> one, two, three, four, five = map(Decimal, range(1, 6))
    >>> is_misread(((one, two), (four, four)), scale), is_misread(((one, two), (three, five)), scale)
    (True, False)
    """
    part = (scale.high - scale.low) / PARTS if scale.step is None else scale.step
    low, read = scale.low, list[Range]()
    for begin, end in ranges:
        high = begin + end - low
        read.append((low, high))
        if high < low:
            return False
        low = high + part if scale.step is not None else scale.low + ((high - scale.low) // part + 1) * part
    return bool(ranges) and read[-1][1] == scale.high and tuple(read) != ranges


def _range(written: str) -> Range:
    low, _, high = written.partition(":")
    return Decimal(low), Decimal(high)


def _places(data: Ratings, starts: np.ndarray, lows: np.ndarray, highs: np.ndarray) -> np.ndarray:
    """The range that each rating is in, −1 if it is in none."""
    tops = np.concatenate(([0], np.cumsum(np.maximum(data.top, 0) + 1)))
    if int(tops[-1]) <= _MOST_LISTED and not data.given:
        table = np.full(int(tops[-1]), -1, np.int32)
        for issue in range(len(data.names)):
            for at in range(starts[issue], starts[issue + 1]):
                table[tops[issue] + max(lows[at], 0) : tops[issue] + min(highs[at], data.top[issue]) + 1] = at
        return table[tops[:-1][data.issues] + data.values]
    places = np.full(data.issues.size, -1, np.int32)
    order = np.argsort(data.issues, kind="stable")
    bounds = np.searchsorted(data.issues[order], np.arange(len(data.names) + 1))
    for issue in range(len(data.names)):
        begin, end = starts[issue], starts[issue + 1]
        if begin == end:
            continue
        here = order[bounds[issue] : bounds[issue + 1]]
        values = data.values[here].astype(np.int64)
        at = begin + np.searchsorted(lows[begin:end], values, side="right") - 1
        places[here] = np.where((at >= begin) & (values <= highs[np.maximum(at, begin)]), at, -1)
    return places


@dataclass(frozen=True, eq=False)
class Ranged:
    """All ratings as published, sensitive ones too: issues[indptr[p]:indptr[p + 1]] of person p, each in a range."""

    recoding: RangeRecoding
    indptr: np.ndarray
    issues: np.ndarray
    values: np.ndarray  # the lower end, in units
    tops: np.ndarray  # the upper end
    stays: np.ndarray  # bool per original rating: it is published

    @property
    def people(self) -> np.ndarray:
        return np.repeat(np.arange(self.indptr.size - 1), np.diff(self.indptr))

    def numbers(self, data: Ratings) -> np.ndarray:
        """Every rating as a plain number: the middle of its range."""
        middle = data.numbers(self.issues, self.values)
        if self.tops is not self.values:  # in place: the largest logs have a hundred million
            middle += data.numbers(self.issues, self.tops)
            middle /= 2
        return middle
