"""Cuts for somebody who knows more than two ratings: sets of groups that few people are in are found, and undone.

Pairs are cut first, with a larger k, so that few larger sets are rare. What is still rare is undone by making cuts
coarser: of all issues in rare sets the one with the most such sets for its ratings takes the cheapest cut that undoes
all of them, and so on. Ranges that are joined make nothing rare; only that somebody shows nothing may be something new
to know. So it ends, and all sets are looked at only once: then those alone with something new.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tacit.arrays.blocks import side_by_side, spans, tell
from tacit.ratings.solvers import _cut_kernels, _rare_kernels
from tacit.ratings.solvers._cut_kernels import Terms
from tacit.ratings.solvers._rare_kernels import BLOCK, Room
from tacit.ratings.solvers.cuts import WHOLE, Cutting, Table, cut_scales

_LAST_PRICE = 1 << 40
_MOST_FOUND = 100_000
"""So many rare sets are looked for at once."""
_MANY = 20
"""Cuts with more rare sets than that for each group are not worth undoing them, if there are others."""
_AT_FIRST = 4
"""So many times as many people as two ratings have in common if m have k, pairs are cut with at first."""
_BETWEEN = ((7, 5), (6, 5))
"""Then so much more and less than with the best of them, one after the other."""
_LATER_BLOCKS = 31
"""So many times 512 people are looked at behind the first ones, before all are looked at anew."""
_WORTH_TWO_JOBS = 256
"""Groups."""
_GOLDEN = (5**0.5 - 1) / 2


class Groups(NamedTuple):
    """What is published alike, the rarest first, and who is in it. People are in an order of their own."""

    issue: np.ndarray  # int64 per group
    order: np.ndarray  # int64: the people by their bits
    rows: np.ndarray  # uint64 [person, word]: a bit for each group
    bits: np.ndarray  # uint64 [group, word]: a bit for each person


class Rare(NamedTuple):
    """Sets of groups that some but fewer than k people are in."""

    sets: np.ndarray  # int64, a row each, filled up with −1
    are_more: bool  # than were asked for
    is_all: bool  # there is no other one, be it that a part of it is rare


class _Undone(NamedTuple):
    """Cuts in which nothing is rare, and how they were found."""

    cuts: Cutting
    of_pairs: int  # the k that pairs were cut with
    loss: int


def most_counted(k: int, people: int) -> int:
    """Up to how many people pairs have to be counted."""
    return max(k, min(people, 2**16 - 1))


def cut_for_many(table: Table, k: int, m: float) -> Cutting:
    """The cheapest of the cuts that are found with different k for pairs, once nothing is rare in them.

    Too small a k leaves much to undo, too large a one needs no undoing and loses more. It is doubled as long as there
    is too much to undo; or else halved, until there is, or two were in vain. Then it is looked for beside the best.
    """
    highest = most_counted(k, table.rated.people)
    doubled, tried = _at_first(table, k, m, highest), set[int]()

    def undone(of_pairs: int, best: _Undone | None) -> _Undone | None:
        tried.add(of_pairs)
        return _undone(table, of_pairs, k, m, best, whatever=best is None and 2 * of_pairs > highest)

    best = undone(k << doubled, None)
    lower = -1 if best is None else doubled - 1
    while best is None:
        doubled += 1
        best = undone(k << doubled, None)
    in_vain = 0
    while lower >= 0 and in_vain < 2 and (found := undone(k << lower, best)) is not None:
        best, in_vain, lower = found, in_vain + 1 if found is best else 0, lower - 1
    for up, down in _BETWEEN:
        for of_pairs in (best.of_pairs * down // up, best.of_pairs * up // down):
            if k < of_pairs <= highest and of_pairs not in tried:
                best = undone(of_pairs, best) or best
    return best.cuts


def _at_first(table: Table, k: int, m: float, highest: int) -> int:
    """How often k is doubled for pairs at first.

    If n of N people rated each of m issues, and did so independently, N (n/N)^m = k rated all of them, and N (n/N)^2
    any two.
    """
    raters = table.rated.people - table.scales.counts[table.scales.first[1:] - 1]
    most = int(raters.max())
    wanted = _AT_FIRST * most * (k / most) ** (2 / min(m, raters.size))
    return max(0, min(round(math.log2(wanted / k)), int(math.log2(highest / k))))


def _undone(table: Table, of_pairs: int, k: int, m: float, best: _Undone | None, *, whatever: bool) -> _Undone | None:
    """Cuts for pairs in which nothing is rare any more; the best so far, if they lose no less.

    None if there is too much to undo, unless it is done whatever it takes. Coarser cuts lose more, so it is seen on the
    way that they lose no less.
    """
    now = cut_scales(table, of_pairs)
    if best is not None and table.loss(now.cut) >= best.loss:
        return best
    groups = grouped(table, now)
    rare = rare_sets(groups, k, m, _MOST_FOUND if whatever else _MANY * groups.issue.size)
    if rare.are_more and not whatever:
        return None
    turn = 0
    while len(rare.sets):
        turn += 1
        tell(f"rare sets of ratings, turn {turn}", 0.0)
        is_new = _undo(table, now, groups, rare.sets, k)
        if best is not None and table.loss(now.cut) >= best.loss:
            return best
        # if these were all, what is rare now is so beside something new
        groups = grouped(table, now, is_new if rare.is_all else None)
        rare = rare_sets(groups, k, m, _MOST_FOUND, int(is_new.sum()) if rare.is_all else None)
    return _Undone(now, of_pairs, table.loss(now.cut))


def _undo(table: Table, now: Cutting, groups: Groups, rare: np.ndarray, k: int) -> np.ndarray:
    """Makes cuts coarser so that none of these sets is rare; returns of which issues showing nothing is known anew."""
    nones = table.scales.first[1:] - 1
    raters = table.rated.people - table.scales.counts[nones]
    was_open = now.group[nones] >= 0
    of = np.where(rare >= 0, groups.issue[rare], -1)
    left = np.ones(len(rare), bool)
    while left.any():
        held = of[left].ravel()
        times = np.bincount(held[held >= 0], minlength=raters.size)
        issue = max(np.flatnonzero(times).tolist(), key=lambda each: (times[each] / raters[each], -each))
        mine = left & (of == issue).any(axis=1)
        beside = np.unique(np.where(of[mine] == issue, -1, rare[mine]), axis=0)
        _coarser(table, now, groups, issue, beside, k)
        left &= ~mine
    return (now.group[nones] >= 0) & ~was_open


def _coarser(table: Table, now: Cutting, groups: Groups, issue: int, beside: np.ndarray, k: int) -> None:
    """The cheapest coarser cut of an issue in which nothing is rare beside these sets of other groups."""
    first, (indptr, cells) = table.scales.first, table.rated
    low, none = int(first[issue]), int(first[issue + 1]) - 1
    extra = np.zeros((none - low + 1, len(beside)), np.int32)
    for start, stop in spans(len(beside), first=64):
        part = np.zeros((none - low + 1, stop - start), np.int32)
        _rare_kernels.count_beside(
            beside[start:stop], low, none, indptr, cells, groups.order, groups.bits, int(k), part
        )
        extra[:, start:stop] = part
    terms = Terms(int(k), _LAST_PRICE, WHOLE, True)
    one = np.array([issue])
    room = table.room
    wanted = table.scales.counts.size + len(beside)
    if room.sums.shape[1] < wanted:
        room = room._replace(sums=np.zeros((room.sums.shape[0], wanted), np.int32))
    _cut_kernels.sweep(one, table.scales, table.near, now.group, extra, terms, room, now.cut)


def grouped(table: Table, now: Cutting, is_new: np.ndarray | None = None) -> Groups:
    """The groups of cuts, with everybody in them; those who show nothing of some issues come first."""
    (indptr, cells), first = table.rated, table.scales.first
    widths = np.diff(first)
    heads = np.flatnonzero(now.group == np.arange(now.group.size))
    sizes = np.bincount(now.group + 1, table.scales.counts, minlength=now.group.size + 1)[1:][heads]
    issue = np.repeat(np.arange(widths.size), widths)[heads]
    is_none = heads == first[issue + 1] - 1
    comes_later = np.ones(heads.size, bool) if is_new is None else ~(is_none & is_new[issue])
    by_size = np.lexsort((heads, sizes, comes_later))
    heads, issue, is_none = heads[by_size], issue[by_size], is_none[by_size]
    place = np.full(now.group.size + 1, -1, np.int64)
    place[heads] = np.arange(heads.size)
    number = place[now.group]
    order = _mixed(np.diff(indptr))
    words = -(-heads.size // 64)
    everything = np.packbits(np.pad(is_none, (0, 64 * words - heads.size)), bitorder="little").view(np.uint64)
    rows = np.empty((order.size, words), np.uint64)
    bits = np.empty((heads.size, -(-order.size // 64)), np.uint64)
    _rare_kernels.fill_rows(indptr, cells, order, number, np.repeat(number[first[1:] - 1], widths), everything, rows)
    _rare_kernels.turn_all(rows, np.empty(64, np.uint64), bits)
    return Groups(issue, order, rows, bits)


def _mixed(rated: np.ndarray) -> np.ndarray:
    """Everybody, in turns whoever rated most of those left, and anybody.

    A count ends at k. Who rated much is in most sets, but in few of those that somebody shows nothing of.
    """
    most = np.argsort(-rated, kind="stable")
    anybody = most[np.argsort(np.arange(most.size) * _GOLDEN % 1, kind="stable")]
    turns = np.stack((most, anybody), axis=1).ravel()
    return turns[np.sort(np.unique(turns, return_index=True)[1])]


def rare_sets(groups: Groups, k: int, m: float, limit: int, tops: int | None = None) -> Rare:
    """Sets of groups that some but fewer than k people are in, so many at most; of the first groups, if so many count.

    Sets of which a beginning is rare are left out.
    """
    if m >= np.unique(groups.issue).size:
        return _rare_people(groups, k, limit)
    size, number = int(m), groups.issue.size if tops is None else tops
    jobs = 2 if number > _WORTH_TWO_JOBS else 1  # whoever counts, each finds the same: up to its part of the limit
    padded, (people, words) = 64 * groups.rows.shape[1], (groups.order.size, groups.bits.shape[1])
    found = [np.full((-(-limit // jobs), size), -1, np.int64) for _ in range(jobs)]
    states = [np.zeros(1, np.int64) for _ in range(jobs)]

    def job(at: int) -> Callable[[], None]:
        def search() -> None:
            room = Room(
                np.zeros((size, words), np.uint64), np.zeros(size + 1, np.int64), np.zeros(people, np.int64),
                np.zeros(padded, bool), np.zeros((BLOCK, padded), np.uint64),
                np.zeros((min(_LATER_BLOCKS, people // (64 * BLOCK)), padded, BLOCK), np.uint64),
                np.zeros(64, np.uint64), np.zeros(64, np.int64), np.zeros((2, padded), np.int64),
            )  # fmt: skip
            for start, stop in spans(-(-(number - at) // jobs), "sets of ratings", first=4):
                _rare_kernels.rare_sets(
                    at + start * jobs, min(at + stop * jobs, number), jobs, size, int(k), groups.rows, groups.bits,
                    groups.issue, room, found[at], states[at],
                )  # fmt: skip
                if states[at][0] > len(found[at]):
                    return

        return search

    side_by_side([job(at) for at in range(jobs)])
    are_more = any(state[0] > len(own) for state, own in zip(states, found, strict=True))
    sets = np.concatenate([own[: state[0]] for state, own in zip(states, found, strict=True)])
    return Rare(sets, are_more, not are_more and bool((sets >= 0).all()))


def _rare_people(groups: Groups, k: int, limit: int) -> Rare:
    """The same where all ratings may be known: of everybody the rarest groups that few people are in together."""
    bits = np.unpackbits(groups.bits.view(np.uint8), axis=1, bitorder="little")[:, : groups.order.size]
    person, lists = np.nonzero(bits.T)
    starts = np.searchsorted(person, np.arange(groups.order.size + 1))
    ends, row = np.empty(groups.order.size, np.int64), np.empty(groups.bits.shape[1], np.uint64)
    for start, stop in spans(groups.order.size, "people", first=64):
        _rare_kernels.rare_people(start, stop, int(k), lists, starts, groups.bits, row, ends)
    found = {tuple(lists[starts[p] : starts[p] + ends[p]].tolist()) for p in np.flatnonzero(ends > 0).tolist()}
    longest = max(map(len, found), default=0)
    sets = [[*each, *([-1] * (longest - len(each)))] for each in sorted(found)[:limit]]
    return Rare(np.array(sets, np.int64).reshape(len(sets), longest), len(found) > limit, False)
