"""What a condition asks of an attribute of a sliced table: how much of each published value meets it."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

import numpy as np

from tacit.errors import InputError
from tacit.queries import Condition
from tacit.queries.conditions import alternatives, as_range
from tacit.taxonomy import Taxonomy
from tacit.values.reading import numbers_in, range_ends, set_members
from tacit.values.writing import SUPPRESSED


class _Ends(NamedTuple):
    """Both ends of pieces that are numbers or ranges of them, in steps; NaN for others."""

    low: np.ndarray
    high: np.ndarray
    steps: float  # how many there are in 1

    @property
    def are_there(self) -> bool:
        return not bool(np.isnan(self.low).all())


class PublishedValues(NamedTuple):
    """What is published of an attribute, in pieces: a set `(B,D)` has one for each of its values, others are one."""

    name: str
    texts: tuple[str, ...]
    pieces: tuple[str, ...]
    start: np.ndarray  # of each text: the index of its first piece
    numbers: _Ends
    days: _Ends

    def ends(self, days: bool) -> _Ends:
        return self.days if days else self.numbers


class _Asked(NamedTuple):
    """The texts that a condition names, and its ranges."""

    texts: set[str]
    ranges: dict[bool, list[tuple[float, float]]]  # of numbers (False) and of dates as days since 1970 (True)


def published_values(name: str, texts: Sequence[str]) -> PublishedValues:
    """The values of an attribute, read once for many conditions."""
    members = [set_members(text) or (text,) for text in texts]
    pieces = [piece for one in members for piece in one]
    start = np.cumsum([0, *map(len, members)])[:-1].astype(np.int64)
    return PublishedValues(name, tuple(texts), tuple(pieces), start, _ends(pieces, False), _ends(pieces, True))


def shares(
    values: PublishedValues, condition: Condition, tree: Taxonomy | None = None, *, strict: bool = True
) -> np.ndarray:
    """For each published value the probability that it stands for one that meets the condition.

    A range is each of its numbers or days as likely, an open one as far as anything is shown; a set each of its
    values, a group of the hierarchy each of its leaves, and `*` each value that is published of the attribute. What
    the table could not hold is an `InputError` if `strict`, and else met by nobody.
    """
    asked = _asked(values, condition)
    if strict:
        _check(values, asked, tree)
    texts = {piece for text in asked.texts for piece in set_members(text) or (text,)} | asked.texts
    met = np.array([piece in texts for piece in values.pieces], float)
    for days in (False, True):
        ends = values.ends(days)
        met = np.maximum(met, _shares_of_ranges(ends, asked.ranges[days], ends.low <= ends.high))
        named = [(one, one) for one in numbers_in(sorted(texts), days).tolist() if not np.isnan(one)]
        met = np.maximum(met, _shares_of_ranges(ends, [*asked.ranges[days], *named], ends.low < ends.high))
    if tree is not None:
        met = np.maximum(met, _shares_of_groups(values.pieces, tree, texts, asked.ranges))
    found = np.add.reduceat(met, values.start) / np.diff([*values.start, len(values.pieces)]) if met.size else met
    hidden = np.array([text == SUPPRESSED and SUPPRESSED not in asked.texts for text in values.texts], bool)
    if hidden.any() and not hidden.all():
        found[hidden] = found[~hidden].mean()
    return found


def _asked(values: PublishedValues, condition: Condition) -> _Asked:
    texts: set[str] = set()
    ranges: dict[bool, list[tuple[float, float]]] = {False: [], True: []}
    for single in alternatives(condition):
        if isinstance(single, str):
            texts.add(single)
        else:
            days, low, high = as_range(single, values.name)
            ranges[days].append((low, high))
    return _Asked(texts, ranges)


def _check(values: PublishedValues, asked: _Asked, tree: Taxonomy | None) -> None:
    """Whether the attribute could have what is asked for."""
    known = {*values.texts, *values.pieces, *(() if tree is None else tree.names), ""}
    for text in asked.texts - known:
        if not any(values.ends(days).are_there and not np.isnan(numbers_in([text], days))[0] for days in (False, True)):
            raise InputError(
                "a query asks for a value that the sliced table does not show",
                column=values.name,
                hint="Write values as they are published. If it may be one of a published group, give `hierarchies`.",
            )
    leaves = [] if tree is None else [tree.names[node] for node in tree.leaves]
    for days, ranges in asked.ranges.items():
        if ranges and not values.ends(days).are_there and np.isnan(numbers_in(leaves, days)).all():
            raise InputError(
                f"a query asks for a {'date' if days else 'number'}, but the attribute has none",
                column=values.name,
                hint="Give dates for an attribute of dates, numbers for one of numbers, and texts for others.",
            )
    if all(text == SUPPRESSED for text in values.texts) and values.texts and asked.texts != {SUPPRESSED}:
        raise InputError("no value of the attribute is shown, so that nothing can be counted", column=values.name)


def _ends(pieces: Sequence[str], days: bool) -> _Ends:
    parts = [range_ends(piece) or (piece, piece) for piece in pieces]
    ends = np.array([numbers_in(part, days) for part in parts], float).reshape(-1, 2)
    _close(parts, ends)
    ends[~np.isfinite(ends).all(axis=1)] = np.nan
    decimals = 0
    if not days:
        shown = [text for part, one in zip(parts, ends, strict=True) for text in part if not np.isnan(one[0])]
        decimals = max(map(_decimals, shown), default=0)
    low, high = np.rint(ends.T * 10.0**decimals)
    return _Ends(low, high, 10.0**decimals)


def _close(parts: Sequence[tuple[str, str]], ends: np.ndarray) -> None:
    """Open ranges go as far as anything that is shown."""
    known = ends[np.isfinite(ends)]
    for part, one in zip(parts, ends, strict=True):
        if "" in part and part != ("", "") and known.size:
            one[:] = np.where(np.isnan(one), (known.min(), known.max()), one)


def _decimals(text: str) -> int:
    try:
        exponent = Decimal(text.strip()).normalize().as_tuple().exponent
    except InvalidOperation:
        return 0
    return min(max(-exponent, 0), 12) if isinstance(exponent, int) else 0


def _shares_of_ranges(ends: _Ends, ranges: Sequence[tuple[float, float]], which: np.ndarray) -> np.ndarray:
    """How much of each piece lies in any of the ranges, step by step; 0 for those that are not meant."""
    inside = np.zeros(ends.low.size)
    reached = -np.inf
    for low, high in sorted(ranges):
        first = max(np.ceil(np.round(low * ends.steps, 6)), reached + 1)
        last = np.floor(np.round(high * ends.steps, 6))
        if first <= last:
            inside += np.maximum(np.minimum(last, ends.high) - np.maximum(first, ends.low) + 1, 0)
            reached = last
    return np.where(which, inside / (ends.high - ends.low + 1), 0.0)


def _shares_of_groups(
    pieces: Sequence[str], tree: Taxonomy, texts: set[str], ranges: dict[bool, list[tuple[float, float]]]
) -> np.ndarray:
    """How many of its leaves are asked for, of each piece that is a node of the hierarchy."""
    leaf = np.zeros(len(tree), bool)
    names = [tree.names[node] for node in tree.leaves]
    for node in (tree.node(text) for text in texts if text in tree.names):
        leaf[node : tree.end[node]] |= tree.is_leaf[node : tree.end[node]]
    for days, wanted in ranges.items():
        numbers = numbers_in(names, days) if wanted else np.empty(0)
        for low, high in wanted:
            leaf[tree.leaves[(numbers >= low) & (numbers <= high)]] = True
    before = np.concatenate(([0], np.cumsum(leaf)))
    nodes = [tree.node(piece) if piece in tree.names else -1 for piece in pieces]
    return np.array(
        [0.0 if node < 0 else (before[tree.end[node]] - before[node]) / tree.leaf_count[node] for node in nodes]
    )
