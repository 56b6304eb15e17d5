"""Inner loops of the search for cuts of scales: who is in two cells at once, and the best cut of one scale.

An issue has cells: parts of its scale, in their order, and last of all the cell of those who did not rate it. `first`
has where the cells of each issue begin. What is counted of two cells is `near`, which stops at k: sums of counts that
stop at k are right below k, and that is all that is asked of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.jit import inner, kernel

INFINITE = 1 << 61
"""No cut costs more."""


class Scales(NamedTuple):
    """The cells of each issue that can be told apart: parts of its scale, and last of all not rated."""

    first: np.ndarray  # int64 per issue and one more: where its cells begin
    counts: np.ndarray  # int64 per cell: how many people are in it
    left: np.ndarray  # int64 per cell: what is left of it on its scale, as a loss
    right: np.ndarray  # int64 per cell: what is left of its end


class Terms(NamedTuple):
    """What a cut must keep, and what it costs: see `sweep`."""

    k: int
    price: int
    whole: int
    coarser: bool  # ranges are only joined and blanked


class Room(NamedTuple):
    """What the search for a cut works in."""

    slot: np.ndarray  # int64 per cell that stands for a group: its place among those of other issues
    runs: np.ndarray  # int64 [3, cells]: see `_runs`
    sums: np.ndarray  # int32
    cost: np.ndarray  # int64
    best: np.ndarray  # int64 [6, ...]
    is_blank: np.ndarray  # bool


@kernel
def fill_holders(indptr, cells, at, holders):
    """Who is in each cell that is rated, cell after cell; `at` has where those of each cell begin, and end after it."""
    for person in range(indptr.size - 1):
        for i in range(indptr[person], indptr[person + 1]):
            cell = cells[i]
            holders[at[cell]] = person
            at[cell] += 1


@kernel
def count_near(start, stop, indptr, cells, starts, holders, first, counts, people, most, met, near):
    """How many people are in each cell of some issues and in each one of a later issue, up to `most`: rows of `near`.

    What a person rated rises, so it is gone over from the end, as far as the issue. `met` is room for the counts of an
    issue's cells.
    """
    width = first[first.size - 1]
    for issue in range(start, stop):
        low, none = first[issue], first[issue + 1] - 1
        met[: (none - low) * width] = 0
        for cell in range(low, none):
            base = (cell - low) * width
            for h in range(starts[cell], starts[cell + 1]):
                person = holders[h]
                i = indptr[person + 1] - 1
                while cells[i] > none:
                    met[base + cells[i]] += 1
                    i -= 1
        raters = people - counts[none]
        for other in range(issue + 1, first.size - 1):
            begin, end = first[other], first[other + 1] - 1
            both = 0
            for cell in range(low, none):
                base, together = (cell - low) * width, 0
                for at in range(begin, end):
                    count = met[base + at]
                    together += count
                    near[cell, at] = min(count, most)
                near[cell, end] = min(counts[cell] - together, most)
                both += together
            for at in range(begin, end):
                count = counts[at]
                for cell in range(low, none):
                    count -= met[(cell - low) * width + at]
                near[none, at] = min(count, most)
            near[none, end] = min(people - raters - (people - counts[end]) + both, most)


@inner
def _threats(sums, low, high, slots, k):
    """How many known things are in few people's ratings beside those between two rows of running sums.

    Places are unsigned: signed ones might count from the end, and the compiler would look them up one by one.
    """
    found = 0
    for slot in range(np.uint64(slots)):
        count = sums[high, slot] - sums[low, slot]
        found += (count > 0) & (count < k)
    return found


@inner
def _absent_threats(sums, blanks, cells, slots, k):
    """The same of those who show nothing: who did not rate, and whose cells are blanked."""
    found = 0
    spare = cells + 2
    for slot in range(np.uint64(slots)):
        sums[spare, slot] = sums[cells + 1, slot] - sums[cells, slot]
    for cell in range(cells):
        if blanks[cell]:
            for slot in range(np.uint64(slots)):
                sums[spare, slot] += sums[cell + 1, slot] - sums[cell, slot]
    for slot in range(np.uint64(slots)):
        found += (sums[spare, slot] > 0) & (sums[spare, slot] < k)
    return found


@inner
def _runs(group, slot, low, none, runs):
    """Cells next to each other that are in one group: where they begin and end, and its slot; returns how many runs.

    Cells in no group, of which there are many in the end, are left out, and those from `low` to `none`.
    """
    many, last = 0, -1
    for cell in range(group.size):
        head = group[cell] if cell < low or cell > none else -1
        if head >= 0 and head == last:
            runs[1, many - 1] = cell + 1
        elif head >= 0:
            runs[0, many], runs[1, many], runs[2, many] = cell, cell + 1, slot[head]
            many += 1
        last = head
    return many


@inner
def _add_runs(many, runs, counts, sums):
    """Adds the counts of cells to their slots."""
    for run in range(np.uint64(many)):
        total = 0
        for cell in range(np.uint64(runs[0, run]), np.uint64(runs[1, run])):
            total += counts[cell]
        sums[np.uint64(runs[2, run])] += total


@inner
def _respond(issue, scales, near, group, extra, terms, room, cut):
    """The cheapest cut of one scale as all others are: what it loses, and a price for each threat. See `sweep`.

    extra[cell, at] is how many people of a cell fit something else that is known; with `coarser`, ranges are joined and
    blanked, and nothing else.
    """
    first, counts, left, right = scales
    k, price, whole, coarser = terms
    slot, runs, sums, cost, best, is_blank = room
    low, none = first[issue], first[issue + 1] - 1
    cells = none - low
    slots = 0
    for cell in range(group.size if near.size else 0):
        if group[cell] == cell and (cell < low or cell > none):
            slot[cell] = slots
            slots += 1
    pairs = slots
    slots += extra.shape[1]
    many = _runs(group, slot, low, none, runs) if pairs else 0
    for at in range(np.uint64(slots)):
        sums[0, at] = 0
    for row in range(cells + 1):
        for at in range(np.uint64(slots)):
            sums[row + 1, at] = 0
        if many:  # where only one rating is known `near` has no rows
            _add_runs(many, runs, near[low + row], sums[row + 1])
        for at in range(pairs, slots):
            sums[row + 1, at] = extra[row, at - pairs]
        for at in range(np.uint64(slots)):
            sums[row + 1, at] += sums[row, at]
    # what each range costs by itself
    for start in range(cells):
        people = 0
        for stop in range(start + 1, cells + 1):
            people += counts[low + stop - 1]
            price_of = INFINITE
            is_one = True
            if coarser:
                is_one = start == 0 or cut[low + start] != cut[low + start - 1]
                is_one &= stop == cells or cut[low + stop] != cut[low + stop - 1]
                for cell in range(low + start, low + stop):
                    is_one &= cut[cell] >= 0
            if is_one and people >= k:
                price_of = people * (right[low + stop - 1] - left[low + start])
                price_of += price * _threats(sums, start, stop, slots, k)
            cost[start, stop] = price_of
    # all is published; or some of it, as if those who show nothing told nothing
    best[0, 0] = best[1, 0] = 0
    for stop in range(1, cells + 1):
        blank = counts[low + stop - 1] * whole
        best[0, stop], best[1, stop] = INFINITE, min(best[1, stop - 1] + blank, INFINITE)
        best[2, stop], best[3, stop] = -1, -1
        for start in range(stop):
            if best[0, start] + cost[start, stop] < best[0, stop]:
                best[0, stop], best[2, stop] = best[0, start] + cost[start, stop], start
            if best[1, start] + cost[start, stop] < best[1, stop]:
                best[1, stop], best[3, stop] = best[1, start] + cost[start, stop], start
    everything = 0
    for cell in range(low, none):
        everything += counts[cell] * whole
    found, kind = everything, 2
    for cell in range(cells):
        is_blank[cell] = False
    absent = counts[none]
    if best[0, cells] < found:
        found, kind = best[0, cells], 0
    if best[1, cells] < found:
        stop = cells
        while stop > 0:
            if best[3, stop] < 0:
                stop -= 1
                is_blank[stop] = True
                absent += counts[low + stop]
            else:
                stop = best[3, stop]
        if absent == 0 or absent >= k:
            lonely = price * _absent_threats(sums, is_blank, cells, slots, k)
            if best[1, cells] + lonely < found:
                found, kind = best[1, cells] + lonely, 1
    # all but one stretch is published
    best[4, cells] = 0
    for start in range(cells - 1, -1, -1):
        best[4, start], best[5, start] = INFINITE, -1
        for stop in range(start + 1, cells + 1):
            if cost[start, stop] + best[4, stop] < best[4, start]:
                best[4, start], best[5, start] = cost[start, stop] + best[4, stop], stop
    from_cell, to_cell = -1, -1
    for start in range(cells):
        people = 0
        for stop in range(start + 1, cells + 1):
            people += counts[low + stop - 1]
            absent = counts[none] + people
            price_of = best[0, start] + people * whole + best[4, stop]
            if stop - start == cells or price_of >= found or 0 < absent < k:
                continue
            for cell in range(cells):
                is_blank[cell] = start <= cell < stop
            price_of += price * _absent_threats(sums, is_blank, cells, slots, k)
            if price_of < found:
                found, kind, from_cell, to_cell = price_of, 3, start, stop
    # the cut, from right to left
    for cell in range(low, none):
        cut[cell] = -1
    stop = cells if kind < 2 else from_cell
    row = 3 if kind == 1 else 2
    while kind != 2 and stop > 0:
        start = best[row, stop]
        if start < 0:
            stop -= 1
            continue
        for cell in range(start, stop):
            cut[low + cell] = low + start
        stop = start
    start = to_cell
    while kind == 3 and start < cells:
        for cell in range(start, best[5, start]):
            cut[low + cell] = low + start
        start = best[5, start]
    return found


@kernel
def regroup(issue, first, cut, group):
    """What each cell of an issue is published as, if its scale is cut so."""
    low, none = first[issue], first[issue + 1] - 1
    shows, blanks = False, False
    for cell in range(low, none):
        shows |= cut[cell] >= 0
        blanks |= cut[cell] < 0
    for cell in range(low, none):
        group[cell] = cut[cell] if cut[cell] >= 0 else none if shows else -1
    group[none] = none if shows and blanks else -1


@kernel
def sweep(order, scales, near, group, extra, terms, room, cut):
    """Cuts the scales of some issues anew, one after the other, each as is cheapest while all others are as they are.

    A rating costs right − left of the range that it is published in, and `whole` if it is blanked; a threat costs
    `price`. `cut[cell]` is the first cell of the range that a cell is published in, −1 where it is blanked;
    `group[cell]` the cell that stands for all that are published alike, −1 if nobody can know it. Those who show
    nothing are a group of their own where a part of the scale is blanked. Returns how many cuts are other ones now.
    """
    first, changed = scales.first, 0
    for i in range(order.size):
        issue = order[i]
        low, none = first[issue], first[issue + 1] - 1
        before = after = 0
        for cell in range(low, none):
            before = before * 31 + cut[cell]
        _respond(issue, scales, near, group, extra, terms, room, cut)
        for cell in range(low, none):
            after = after * 31 + cut[cell]
        changed += before != after
        regroup(issue, first, cut, group)
    return changed


@kernel
def count_threats(start, stop, first, near, group, k, slot, runs, sums):
    """How many pairs of groups few people have in common: one of an issue from `start` to `stop`, one of any."""
    found = 0
    slots = 0
    for cell in range(group.size):
        if group[cell] == cell:
            slot[cell] = slots
            slots += 1
    nothing = np.int64(-1)
    many = _runs(group, slot, nothing, nothing, runs)
    for issue in range(start, stop):
        for head in range(first[issue], first[issue + 1]):
            if group[head] != head:
                continue
            for at in range(np.uint64(slots)):
                sums[0, at] = 0
            for cell in range(first[issue], first[issue + 1]):
                if group[cell] == head:
                    _add_runs(many, runs, near[cell], sums[0])
            for at in range(np.uint64(slots)):
                found += (sums[0, at] > 0) & (sums[0, at] < k)
    return found
