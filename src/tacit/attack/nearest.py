"""The nearest-row attack: somebody knows ratings of a person, each roughly, and takes the closest published row.

The attacker knows some of the ratings that a person gave and that are not sensitive, drawn at random, or all of them;
each is off by chance, by up to as much as `blur` says: 1 on a scale from 1 to 5. Every row is as far away as the known
ratings and its own are apart, in all. A known rating that the row does not have may have been blanked: it counts a
third of the scale, as far as two ratings are apart on average. Who knows all ratings also knows what the person did
not rate: each further rating of the row counts as much. Scales of different lengths count alike. The closest row is
taken; of several that are equally close, any.

It takes what a stranger reads, and who was who only to count how often the attacker is right.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from tacit.attack import _nearest_kernels as _kernels
from tacit.attack._nearest_kernels import Board, Facts
from tacit.attack.rating_rows import Rows, taken
from tacit.audits.views.scales import Scale

KNOWN = (2, 4, 8, 20, None)
"""How many ratings the attacker knows; None: all."""
MOST_PEOPLE = 2_000
_FEWEST_PEOPLE = 100
_STEPS = 400_000_000
"""Fewer people are attacked where more ratings than that would have to be compared."""
_LEVELS = 2**30
"""A scale is about so many levels long: ratings are compared in whole numbers."""
_AT_ONCE = 1_000_000
"""So many ratings are computed with at once: the largest logs have a hundred times as many."""
_SIGMAS = 1.959963984540054
"""95 % of a normal distribution lie within."""


class Success(NamedTuple):
    """The share of people whom the attacker finds, with its 95 % interval (Wilson)."""

    share: float
    interval: tuple[float, float]


class Duel(NamedTuple):
    """The same attack on the original, as if it were published, and on the release."""

    known: int | None
    people: int
    before: Success
    after: Success


class Rulers(NamedTuple):
    """How the ratings of each issue are counted, all from 0 to `top`; known ones are off by up to `most` strides."""

    low: np.ndarray
    per_unit: np.ndarray
    stride: np.ndarray  # int64
    most: np.ndarray  # int64
    top: int


def nearest_row(
    true: Rows,
    shown: Rows,
    people: np.ndarray,
    scales: Sequence[Scale],
    *,
    seed: int,
    known: Sequence[int | None] = KNOWN,
) -> list[Duel]:
    """How the attack fares before and after, for each number of known ratings; none where nobody gave so many.

    `people[i]` is who published row i was, `scales` are those of the issues.
    """  # fmt: skip
    rulers = rulers_of(scales)
    levels = leveled(true, rulers)
    (before, row_before), (after, row_after) = (
        board_of(rows, len(scales)) for rows in (levels, leveled(shown, rulers))
    )
    own_row = np.empty_like(row_after)
    own_row[people] = row_after
    return [*_duels(levels, rulers, (before, after), (row_before, own_row), seed, known)]


class Ground(NamedTuple):
    """A file that the attack is played on, and what is known of people: made once for all that may be known."""

    true: Rows  # as levels
    board: Board
    own_row: np.ndarray  # the row of the board that each person has, −1 for nobody's
    rulers: Rulers


def ground_of(true: Rows, shown: Rows, people: np.ndarray, scales: Sequence[Scale]) -> Ground:
    """The ground of a file; `people[i]` is who published row i was, `scales` are those of the issues."""
    rulers = rulers_of(scales)
    board, row = board_of(leveled(shown, rulers), len(scales))
    own_row = np.full(true.starts.size - 1, -1, row.dtype)
    own_row[people] = row
    return Ground(leveled(true, rulers), board, own_row, rulers)


def found_in(
    ground: Ground, known: int | None, *, seed: int, blurred: bool = True
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Whom the attack is played on, and the chance to find each, in one file; `blurred`: what is known is off."""
    true, board, own_row, rulers = ground
    if not blurred:
        rulers = rulers._replace(most=np.zeros_like(rulers.most))
    rng = np.random.default_rng((seed, known or 0))
    drawn = drawn_people(true, known, board, rng)
    drawn = drawn[own_row[drawn] >= 0]
    facts = facts_about(true, drawn, known, rulers, rng)
    absent = rulers.top // 3
    gain, cost = (2 * absent, absent) if known is None else (absent, 0)
    return drawn, _kernels.chances(board, facts._replace(row=own_row[drawn]), gain, cost)


def apart(true: Rows, shown: Rows, scales: Sequence[Scale]) -> np.ndarray:
    """How far each published row is from each person whose ratings are all known, as they are: for small files."""
    rulers = rulers_of(scales)
    known, published = (_side_by_side(leveled(rows, rulers), len(scales)) for rows in (true, shown))
    far, rated = np.empty((len(known), len(published))), ~np.isnan(published)
    for person, own in enumerate(known):
        gaps = np.where(rated & ~np.isnan(own), np.abs(published - own), 0.0)
        far[person] = gaps.sum(axis=1) + np.count_nonzero(rated == np.isnan(own), axis=1) * (rulers.top // 3)
    return far


def _side_by_side(rows: Rows, issues: int) -> np.ndarray:
    """A line a person and a column an issue; NaN where there is no rating."""
    found = np.full((rows.starts.size - 1, issues), np.nan)
    found[np.repeat(np.arange(len(found)), np.diff(rows.starts)), rows.issues] = rows.values
    return found


def _duels(
    true: Rows,
    rulers: Rulers,
    boards: Sequence[Board],
    places: Sequence[np.ndarray],
    seed: int,
    known: Sequence[int | None],
) -> Iterator[Duel]:
    for count in known:
        rng = np.random.default_rng((seed, count or 0))
        people = drawn_people(true, count, boards[0], rng)
        facts = facts_about(true, people, count, rulers, rng)
        absent = rulers.top // 3
        gain, cost = (2 * absent, absent) if count is None else (absent, 0)
        if people.size:
            found = [
                _kernels.chances(board, facts._replace(row=place[people]), gain, cost)
                for board, place in zip(boards, places, strict=True)
            ]
            yield Duel(count, people.size, *(wilson(float(chance.sum()), people.size) for chance in found))


def blur(scale: Scale) -> Fraction:
    """How far off a known rating may be: a twentieth of the scale; if it has steps, 1 and a step at least, in whole
    steps, and at most half of the scale.

    >>> from decimal import Decimal
    >>> one = Decimal(1)
    >>> [str(blur(Scale(Decimal(low), Decimal(high), step))) for low, high, step in
    ...  ((1, 5, one), (1, 3, one), (0, 1, one), (0, 100, one), (0, 1, None))]
    ['1', '1', '0', '5', '1/20']
    """
    length = Fraction(scale.high) - Fraction(scale.low)
    if scale.step is None:
        return length / 20
    step = Fraction(scale.step)
    return min(max(length / 20, step, Fraction(1)), length / 2) // step * step


def rulers_of(scales: Sequence[Scale]) -> Rulers:
    """Levels that are whole for all steps and for a third of the scale, as far as there are enough of them."""
    different = list(dict.fromkeys(scales))
    steps = [int((scale.high - scale.low) / scale.step) for scale in different if scale.step is not None]
    together = 3 * math.lcm(*filter(None, steps))
    top = _LEVELS // together * together or _LEVELS
    found = {scale: _ruler(scale, top) for scale in different}
    low, per_unit, stride, most = zip(*(found[scale] for scale in scales), strict=True) if scales else ((),) * 4
    return Rulers(np.array(low, float), np.array(per_unit, float), _whole(stride), _whole(most), top)


def _whole(numbers: Sequence[int]) -> np.ndarray:
    return np.array(numbers, np.int64)


def _ruler(scale: Scale, top: int) -> tuple[float, float, int, int]:
    """Lowest rating, levels a unit, levels a step, and how many steps a known rating is off at most."""
    length = Fraction(scale.high) - Fraction(scale.low)
    per_unit = top / length if length else Fraction(0)
    stride = max(int(Fraction(scale.step or 0) * per_unit), 1)
    return float(scale.low), float(per_unit), stride, int(blur(scale) * per_unit) // stride


def leveled(rows: Rows, rulers: Rulers) -> Rows:
    """Ratings as levels; one off the scale counts as its end."""
    levels = np.empty(rows.values.size, np.int32)
    for start in range(0, levels.size, _AT_ONCE):
        piece = slice(start, start + _AT_ONCE)
        issues = rows.issues[piece]
        exact = (rows.values[piece] - rulers.low[issues]) * rulers.per_unit[issues]
        levels[piece] = np.clip(np.rint(exact), 0, rulers.top)
    return rows._replace(values=levels)


def board_of(rows: Rows, issues: int) -> tuple[Board, np.ndarray]:
    """The different rows, the shortest first, and which of them each person has."""
    digests = np.array(rows.digests(), "S32")
    _, first, which, weight = np.unique(digests, return_index=True, return_inverse=True, return_counts=True)
    length = np.diff(rows.starts)[first]
    order = np.argsort(length, kind="stable")
    place = np.empty(order.size, np.int32)
    place[order] = np.arange(order.size)
    starts, at, levels = _kernels.by_issue(rows.starts, rows.issues, rows.values, first[order], issues)
    return Board(starts, at, levels, weight[order], length[order]), place[which]


def drawn_people(true: Rows, known: int | None, board: Board, rng: np.random.Generator) -> np.ndarray:
    """People who gave enough ratings, in random order; as many as can be attacked in a few seconds."""
    enough = np.flatnonzero(np.diff(true.starts) >= (known or 1))
    people = rng.permutation(enough)[:MOST_PEOPLE]
    starts, at = taken(true.starts, people)
    raters = np.concatenate(([0], np.cumsum(np.diff(board.starts)[true.issues[at]])))
    share = 1.0 if known is None else known / np.maximum(np.diff(starts), 1)
    steps = np.cumsum(np.diff(raters[starts]) * share)
    return people[: max(int(np.searchsorted(steps, _STEPS)), _FEWEST_PEOPLE)]


def facts_about(true: Rows, people: np.ndarray, known: int | None, rulers: Rulers, rng: np.random.Generator) -> Facts:
    """So many ratings of each of these people, drawn at random and off by chance."""
    starts, at = taken(true.starts, people)
    person = np.repeat(np.arange(people.size), np.diff(starts))
    order = np.lexsort((rng.random(at.size), person))
    drawn = at[order[np.arange(at.size) - starts[person] < (known or at.size)]]
    lengths = np.minimum(np.diff(starts), known or at.size)
    issues = true.issues[drawn]
    off = rng.integers(-rulers.most[issues], rulers.most[issues] + 1) * rulers.stride[issues]
    levels = np.clip(true.values[drawn] + off, 0, rulers.top).astype(np.int32)
    return Facts(np.concatenate(([0], np.cumsum(lengths))), issues, levels, np.empty(0, np.int32))


def wilson(right: float, people: int) -> Success:
    """The share of right guesses, and the interval that holds the true share in 95 of 100 samples.

    >>> wilson(8, 10)
    Success(share=0.8, interval=(0.4901624715, 0.9433178485))
    """
    share, spread = right / people, _SIGMAS**2 / people
    middle = (share + spread / 2) / (1 + spread)
    half = _SIGMAS / (1 + spread) * math.sqrt(share * (1 - share) / people + spread / people / 4)
    return Success(share, (round(max(middle - half, 0.0), 10), round(min(middle + half, 1.0), 10)))
