"""Kernels of CAHD that deal tokens out into groups: sensitive sets, and never who holds them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.jit import inner, kernel


class Sets(NamedTuple):
    """Row r holds items[start[r]:start[r + 1]]."""

    start: np.ndarray
    items: np.ndarray


class Table(NamedTuple):
    """Groups that are being dealt: group g has its tokens in members[g · width:], so many as `held` says."""

    members: np.ndarray  # int64
    held: np.ndarray  # int64


@inner
def _times(item, sensitive, members, first, stop):
    """In how many of some tokens an item is."""
    times = 0
    for i in range(first, stop):
        row = members[i]
        for j in range(sensitive.start[row], sensitive.start[row + 1]):
            times += sensitive.items[j] == item
    return times


@inner
def _fits(sensitive, row, most, members, first, stop):
    """Whether each item of a token is in fewer than so many of some others."""
    for j in range(sensitive.start[row], sensitive.start[row + 1]):
        if _times(sensitive.items[j], sensitive, members, first, stop) >= most:
            return False
    return True


@inner
def _deal(rows, sensitive, n_groups, most, table, group):
    """Deals tokens into groups of one size, give or take one: each to the next group that has room and where it fits.

    Those without any item come last, and fill up what has room. False if a token fits nowhere.
    """
    members, held, size = table.members, table.held, rows.size // n_groups
    width, larger = size + 1, rows.size % n_groups  # so many groups have a token more
    held[:n_groups] = 0
    g, i = 0, 0
    while i < rows.size and sensitive.start[rows[i]] < sensitive.start[rows[i] + 1]:
        tried = 0
        while held[g] == size + (g < larger) or not _fits(
            sensitive, rows[i], most, members, g * width, g * width + held[g]
        ):
            g, tried = (g + 1) % n_groups, tried + 1
            if tried == n_groups:
                return False
        members[g * width + held[g]] = rows[i]
        held[g] += 1
        group[i] = g
        g, i = (g + 1) % n_groups, i + 1
    g = 0
    for rest in range(i, rows.size):
        while held[g] == size + (g < larger):
            g += 1
        group[rest] = g
        held[g] += 1
    return True


@kernel
def deal_leaves(start, stop, bounds, rows, sensitive, p, attempts, table, group, n_groups):
    """Puts the rows of some leaves into groups behind so many; gives how many there are then.

    Leaf i has rows[bounds[i]:bounds[i + 1]], in the order of their tokens, and group[i] is that of rows[i]. Groups of
    about p rows are tried first, then of about 2p with each item twice at most, and so on, and then the whole leaf.
    """
    for leaf in range(start, stop):
        low, high = bounds[leaf], bounds[leaf + 1]
        here, wanted = group[low:high], (high - low) // p
        if sensitive.start[rows[low]] == sensitive.start[rows[low] + 1]:
            wanted = 1  # nothing to hide
        for turn in range(attempts + 1):
            if wanted <= 1 or turn == attempts:
                wanted = 1
                here[:] = 0
                break
            if _deal(rows[low:high], sensitive, wanted, (high - low) // wanted // p, table, here):
                break
            wanted //= 2
        here += n_groups
        n_groups += wanted
    return n_groups
