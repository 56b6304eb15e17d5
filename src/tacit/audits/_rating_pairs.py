"""The audit of k^m-anonymity of ratings, m up to 2, of files that no machine holds: from counts that add up.

What may be known is a published range of an issue, or that nothing of it is shown. How many people show two things is
counted share by share, and summed; how many show one thing and nothing of an issue, or nothing of two, follows from
that. So all pairs are judged, exactly, a block of issues at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from tacit.audits import _rating_km_kernels as _kernels
from tacit.audits._sets import only
from tacit.audits.rating_km import COUNTED, Found, Published, leaves_out, nothing_known, told
from tacit.audits.result import AuditResult
from tacit.audits.views.ratings import RatingView
from tacit.errors import InputError
from tacit.promises import RatingKm

_BLOCK_COUNTS = 1 << 23
"""Counts of a block."""
Label = tuple[str, Decimal, Decimal]


class Things(NamedTuple):
    """All that may be known of somebody by what is shown, issue by issue."""

    labels: list[Label]  # the issue, and both ends of the range
    names: list[str]  # of the issues
    first: np.ndarray  # int64 per issue and one more: where its things begin
    counts: np.ndarray  # int64 per thing: who shows it
    is_open: np.ndarray  # bool per issue: showing nothing of it is something to know
    people: int

    def blocks(self) -> list[tuple[int, int]]:
        """Issues (from, up to) whose things are counted at once with all others."""
        most = max(1, _BLOCK_COUNTS // max(len(self.labels), 1))
        found, start = [], 0
        for issue in range(len(self.names)):
            if issue > start and self.first[issue + 1] - self.first[start] > most:
                found.append((start, issue))
                start = issue
        return [*found, (start, len(self.names))]

    def raters(self) -> np.ndarray:
        return np.add.reduceat(self.counts, self.first[:-1]) if self.names else np.empty(0, np.int64)


class Rare(NamedTuple):
    """The fewest who fit in a block, by what; pairs that too few fit; and how many there are of those."""

    least: int
    worst: list[int]
    pairs: list[tuple[int, int, int]]  # how many fit, and the two things; −1 − issue is showing nothing of it
    many: int


def things_of(view: RatingView, times: np.ndarray, people: int) -> Things:
    """What may be known, from a view of all different published ratings, each of which was given so many times."""
    known = ~view.is_sensitive[view.issues]
    found: dict[int, dict[tuple[int, int], int]] = {}
    highs = view.values if view.tops is None else view.tops
    asked = (view.issues[known], view.values[known], highs[known], times[known])
    for issue, low, high, often in zip(*(each.tolist() for each in asked), strict=True):
        own = found.setdefault(issue, {})
        own[low, high] = own.get((low, high), 0) + often
    scale, labels, counts, first, names, is_open = 10**view.decimals, list[Label](), list[int](), [0], [], []
    for issue in sorted(found):
        spans = sorted(found[issue])
        if any(later[0] <= earlier[1] for earlier, later in pairwise(spans)):
            raise InputError("ranges of an issue overlap, which has no audit on an engine", hint="Use --engine local.")
        labels += [(view.names[issue], Decimal(low) / scale, Decimal(high) / scale) for low, high in spans]
        counts += [found[issue][span] for span in spans]
        first.append(len(labels))
        names.append(view.names[issue])
        is_open.append(leaves_out(view, issue, spans))
    return Things(labels, names, np.array(first), np.array(counts, np.int64), np.array(is_open, bool), people)


def shown_in(view: RatingView, things: Things) -> tuple[np.ndarray, np.ndarray]:
    """Who shows what in a share: things[starts[p]:starts[p + 1]] of person p, rising."""
    place = {label: at for at, label in enumerate(things.labels)}
    known = ~view.is_sensitive[view.issues]
    starts, issues = only(view.starts, view.issues, known)
    lows = view.values[known].astype(np.int64)
    highs = lows if view.tops is None else view.tops[known].astype(np.int64)
    (low, low_of), (high, high_of) = (np.unique(each, return_inverse=True) for each in (lows, highs))
    words, which = np.unique((issues.astype(np.int64) * low.size + low_of) * high.size + high_of, return_inverse=True)
    scale = 10**view.decimals
    number = np.empty(words.size, np.int64)
    for at, word in enumerate(words.tolist()):
        rest, top = divmod(word, high.size)
        issue, bottom = divmod(rest, low.size)
        ends = (Decimal(int(each)) / scale for each in (low[bottom], high[top]))
        number[at] = place[view.names[issue], *ends]
    person = np.repeat(np.arange(starts.size - 1), np.diff(starts))
    return starts, (np.sort(person * len(place) + number[which]) - person * len(place)).astype(np.int32)


def pairs_in(starts: np.ndarray, shown: np.ndarray, things: Things) -> Iterator[np.ndarray]:
    """Block by block, how many people of a share show each thing of the block and each thing at all."""
    size = len(things.labels)
    ends = np.concatenate(([0], np.cumsum(np.bincount(shown, minlength=size))))
    holders = np.empty(shown.size, np.int32)
    _kernels.turned(starts, shown, ends[:-1].copy(), holders)
    for begin, end in things.blocks():
        low, high = int(things.first[begin]), int(things.first[end])
        counts = np.zeros((high - low, size), np.int32)
        _kernels.count_pairs(low, high, starts, shown, ends, holders, counts)
        yield counts


def judge_block(both: np.ndarray, begin: int, end: int, things: Things, k: int) -> Rare:
    """What is rare of an issue of a block with anything of a later issue, and of its things beside absences.

    both[a, b] is how many people show thing a of the block and thing b.
    """
    first, raters, people = things.first, things.raters(), things.people
    issue_of = np.repeat(np.arange(len(things.names)), np.diff(first))
    is_rare = things.counts < k
    lone = people - raters
    is_rare_alone = lone < k
    low = int(first[begin])
    beside = np.add.reduceat(both, first[:-1], axis=1, dtype=np.int64)  # who shows a, and any rating of an issue
    best = _Weakest(people)
    for issue in range(begin, end):
        rows = slice(int(first[issue]) - low, int(first[issue + 1]) - low)
        named = np.arange(first[issue], first[issue + 1])
        later = issue_of > issue
        pairs = np.where(later & ~is_rare & ~is_rare[named, None], both[rows], 0)
        best.see(pairs, named, np.arange(later.size), k)
        absent = np.where(things.is_open & ~is_rare_alone, things.counts[named, None] - beside[rows], 0)
        absent[:, issue] = 0
        absent[is_rare[named]] = 0
        best.see(absent, named, -1 - np.arange(raters.size), k)
        if things.is_open[issue] and not is_rare_alone[issue]:
            neither = people - raters[issue] - raters + beside[rows].sum(axis=0)
            after = things.is_open & ~is_rare_alone & (np.arange(raters.size) > issue)
            best.see(np.where(after, neither, 0)[None], np.array([-1 - issue]), -1 - np.arange(raters.size), k)
    return Rare(best.least, best.worst, best.pairs, best.count)


class _Weakest:
    """The weakest of all pairs that were seen, and those that too few people fit."""

    def __init__(self, people: int) -> None:
        self.least, self.worst, self.pairs, self.count = people, list[int](), list[tuple[int, int, int]](), 0

    def see(self, counts: np.ndarray, rows: np.ndarray, columns: np.ndarray, k: int) -> None:
        """Counts of pairs of a row's thing and a column's; 0 is nobody's."""
        met = np.where(counts > 0, counts, np.iinfo(np.int64).max)
        if not met.size:
            return
        at = np.unravel_index(int(met.argmin()), met.shape)
        if met[at] < self.least:
            self.least, self.worst = int(met[at]), [int(rows[at[0]]), int(columns[at[1]])]
        few = np.argwhere((counts > 0) & (counts < k))
        self.count += len(few)
        for row, column in few[: COUNTED + 1 - len(self.pairs)].tolist():
            self.pairs.append((int(counts[row, column]), int(rows[row]), int(columns[column])))


def alone(things: Things, k: int) -> Rare:
    """The same of single things and absences."""
    absent = np.where(things.is_open, things.people - things.raters(), 0)
    counts = np.concatenate((things.counts, absent))
    named = np.concatenate((np.arange(things.counts.size), -1 - np.arange(absent.size)))
    met = np.where(counts > 0, counts, things.people)
    at = int(met.argmin())
    few = np.flatnonzero((counts > 0) & (counts < k))
    listed = [(int(counts[i]), int(named[i]), int(named[i])) for i in few[: COUNTED + 1].tolist()]
    return Rare(int(met[at]), [int(named[at])], listed, int(few.size))


def affected_in(starts: np.ndarray, shown: np.ndarray, things: Things, rare: Sequence[Sequence[int]]) -> int:
    """How many people of a share have one of the rare sets."""
    people = starts.size - 1
    person = np.repeat(np.arange(people), np.diff(starts))
    issue_of = np.repeat(np.arange(len(things.names)), np.diff(things.first))
    is_hit = np.zeros(people, bool)
    held: dict[int, np.ndarray] = {}
    for one in {thing for each in rare for thing in each}:
        has = np.zeros(people, bool)
        has[person[shown == one if one >= 0 else issue_of[shown] == -1 - one]] = True
        held[one] = has if one >= 0 else ~has
    for each in rare:
        is_hit |= np.logical_and.reduce([held[thing] for thing in each])
    return int(is_hit.sum())


def verdict(
    view: RatingView, things: Things, promise: RatingKm, found: Sequence[Rare], affected: int, limit: int = 1000
) -> AuditResult:
    """One verdict from single things and all blocks."""
    if not things.names or not things.people:
        return nothing_known(view, promise, things.people)
    worst = min(found, key=lambda each: each.least)
    rare = [(count, sorted({one, other})) for each in found for count, one, other in each.pairs][:COUNTED]
    everything = sum(each.many for each in found) <= COUNTED
    smallest = min((len(each) for _, each in rare), default=None)
    known = min(promise.m, len(things.names))
    level: dict[str, Any] = {"k_for_this_m": worst.least, "k_is_exact": worst.least >= promise.k or worst.least == 1}
    if smallest is not None:
        level |= {"m_for_this_k": smallest - 1, "m_is_exact": True}
    else:
        is_all = promise.m >= len(things.names)
        level |= {"m_for_this_k": "inf" if is_all else int(known), "m_is_exact": is_all}
    issue = {name: at for at, name in enumerate(things.names)}
    labels = [(issue[name], low, high) for name, low, high in things.labels]
    known_things: Any = SimpleNamespace(is_open=things.is_open)
    published = Published(known_things, things.names, labels, things.counts, False, things.people)
    summary = Found(worst.least, worst.worst, rare, everything, affected, smallest)
    return told(view, published, promise, summary, level, limit)
