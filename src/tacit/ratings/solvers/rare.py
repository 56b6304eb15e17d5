"""Cuts for somebody who knows more than two ratings: sets of groups that few people are in are found, and undone.

Pairs are cut first, with a larger k, so that few larger sets are rare. What is still rare is undone by making cuts
coarser: of all issues in rare sets the one with the most such sets for its ratings takes the cheapest cut that undoes
all of them, and so on. Ranges that are joined make nothing rare; only that somebody shows nothing may be something new
to know. So it ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tacit.arrays.blocks import spans, tell
from tacit.ratings.solvers import _cut_kernels, _rare_kernels
from tacit.ratings.solvers._cut_kernels import Terms
from tacit.ratings.solvers.cuts import WHOLE, Cutting, Table, cut_scales

_LAST_PRICE = 1 << 40
_MOST_FOUND = 100_000
"""So many rare sets are looked for at once."""
_MANY = 20
"""Cuts with more rare sets than that for each group are not worth undoing them, if there are others."""
_TIMES = (1, 2, 4, 8, 16, 32, 64)
"""How many times k pairs are cut with."""
_BETWEEN = ((7, 5), (6, 5))
"""Then so much more and less than with the best of them, one after the other."""


class Groups(NamedTuple):
    """What is published alike, by numbers in the order of cells, and who is in it."""

    number: np.ndarray  # int64 per cell, −1 if it is in none
    issue: np.ndarray  # int64 per group
    order: np.ndarray  # int64: the people by their bits
    bits: np.ndarray  # uint64 [group, word]


class _Undone(NamedTuple):
    """Cuts in which nothing is rare, and how they were found."""

    cuts: Cutting
    of_pairs: int  # the k that pairs were cut with
    rare: int  # how many sets were to be undone
    loss: int


def most_counted(k: int, people: int) -> int:
    """Up to how many people pairs have to be counted."""
    return max(k, min(k * _TIMES[-1], people, 2**16 - 1))


def cut_for_many(table: Table, k: int, m: float) -> Cutting:
    """The cheapest of the cuts that are found with different k for pairs, once nothing is rare in them.

    Too small a k leaves much to undo, too large a one needs no undoing and loses more: it is doubled until two were in
    vain or nothing was rare, and then looked for between those beside the best.
    """
    highest = most_counted(k, table.rated.people)
    wider = [times * k for times in _TIMES if times == 1 or times * k <= highest]
    best: _Undone | None = None
    worse = 0
    for of_pairs in wider:
        found = _undone(table, of_pairs, k, m, whatever=best is not None or of_pairs == wider[-1])
        if found is None:
            continue
        best, worse = (found, 0) if best is None or found.loss < best.loss else (best, worse + 1)
        if worse == 2 or not found.rare:
            break
    assert best is not None
    tried = {*wider}
    for up, down in _BETWEEN:
        for of_pairs in (best.of_pairs * down // up, best.of_pairs * up // down):
            if k < of_pairs <= highest and of_pairs not in tried:
                tried.add(of_pairs)
                found = _undone(table, of_pairs, k, m, whatever=False)
                best = best if found is None or found.loss >= best.loss else found
    return best.cuts


def _undone(table: Table, of_pairs: int, k: int, m: float, *, whatever: bool) -> _Undone | None:
    """Cuts for pairs in which nothing is rare any more; None if that is not worth it, unless it is done whatever."""
    now = cut_scales(table, of_pairs)
    groups = grouped(table, now)
    many = sum(1 for _ in rare_sets(table, groups, k, m))
    if many > _MANY * groups.issue.size and not whatever:
        return None
    undo(table, now, k, m)
    return _Undone(now, of_pairs, many, table.loss(now.cut))


def undo(table: Table, now: Cutting, k: int, m: float) -> None:
    """Makes cuts coarser until no set of up to m groups is rare."""
    first = table.scales.first
    raters = table.rated.people - table.scales.counts[first[1:] - 1]
    turn = 0
    while True:
        groups = grouped(table, now)
        rare = np.array([*rare_sets(table, groups, k, m)], np.int64)
        if not rare.size:
            return
        turn += 1
        tell(f"rare sets of ratings, turn {turn}", 0.0)
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


def grouped(table: Table, now: Cutting) -> Groups:
    """The groups of cuts, with everybody in them."""
    (indptr, cells), first = table.rated, table.scales.first
    people = indptr.size - 1
    heads = np.flatnonzero(now.group == np.arange(now.group.size))
    place = np.full(now.group.size + 1, -1, np.int64)
    place[heads] = np.arange(heads.size)
    number = place[now.group]
    issue = np.searchsorted(first, heads, side="right") - 1
    order = np.argsort(-np.diff(indptr), kind="stable")
    bits = np.zeros((heads.size, -(-people // 64)), np.uint64)
    _rare_kernels.mark(indptr, cells, order, number, bits)
    everybody = np.full(bits.shape[1], ~np.uint64(0))
    if people % 64:
        everybody[-1] = np.uint64(2 ** (people % 64) - 1)
    nones = first[1:] - 1
    for group in np.flatnonzero(np.isin(heads, nones)).tolist():  # who shows nothing: who is in no range
        ranges = np.flatnonzero((issue == issue[group]) & (heads != heads[group]))
        bits[group] = everybody & ~np.bitwise_or.reduce(bits[ranges], axis=0)
    return Groups(number, issue, order, bits)


def rare_sets(table: Table, groups: Groups, k: int, m: float) -> Iterator[list[int]]:
    """Sets of groups that some but fewer than k people are in, a row each, filled up with −1; not all, if many."""
    issues = np.unique(groups.issue).size
    if m >= issues:
        yield from _rare_people(table, groups, k)
        return
    size, words = int(m), groups.bits.shape[1]
    found, state = np.full((_MOST_FOUND, size), -1, np.int64), np.zeros(1, np.int64)
    rows, chosen = np.zeros((size, words), np.uint64), np.zeros(size + 1, np.int64)
    for start, stop in spans(groups.issue.size, "sets of ratings", first=4):
        _rare_kernels.rare_sets(start, stop, size, int(k), groups.bits, groups.issue, rows, chosen, found, state)
        if state[0] == _MOST_FOUND:
            break
    yield from found[: state[0]].tolist()


def _rare_people(table: Table, groups: Groups, k: int) -> Iterator[list[int]]:
    """The same where all ratings may be known: of everybody the rarest groups that few people are in together."""
    sizes = np.array([sum(map(int.bit_count, row.tolist())) for row in groups.bits], np.int64)
    bits = np.unpackbits(groups.bits.view(np.uint8), axis=1, bitorder="little")[:, : groups.order.size]
    by_size = np.lexsort((np.arange(sizes.size), sizes))
    person, place = np.nonzero(bits[by_size].T)
    lists = by_size[place]
    starts = np.searchsorted(person, np.arange(groups.order.size + 1))
    ends, row = np.empty(groups.order.size, np.int64), np.empty(groups.bits.shape[1], np.uint64)
    for start, stop in spans(groups.order.size, "people", first=64):
        _rare_kernels.rare_people(start, stop, int(k), lists, starts, groups.bits, row, ends)
    found = {tuple(sorted(lists[starts[p] : starts[p] + ends[p]].tolist())) for p in np.flatnonzero(ends > 0).tolist()}
    longest = max(map(len, found), default=0)
    yield from ([*each, *([-1] * (longest - len(each)))] for each in sorted(found)[:_MOST_FOUND])
