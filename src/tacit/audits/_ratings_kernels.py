"""Inner loops of the audit of ratings: who is close to whom among people who rated the same issues.

Rows are different from each other and sorted by their first columns, so that rows which agree in some first columns
are neighbours, as in a prefix tree. Where there are many rows, marks say of a whole word of rows at once which may be
close.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.blocks import spans
from tacit.arrays.jit import inner, kernel

_FEW = 16
"""So few rows are compared one by one, where there are no marks."""
_MARKED = 4096
"""So few rows are looked up in the marks."""
_ALL, _NONE, _ONE = np.uint64(2**64 - 1), np.uint64(0), np.uint64(1)
_PAIRS, _FOURS, _EIGHTS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)
_SUM, _TWO, _FOUR, _LAST = np.uint64(0x0101010101010101), np.uint64(2), np.uint64(4), np.uint64(56)


class Rows(NamedTuple):
    """The ratings of some rows. A table is flat: row r, column c is table[r * columns + c].

    Bit r of the word marks[code * words + r // 64], where code is mark[row * columns + c], says whether row r may
    be close to the row in column c; it is, if the column is not in `unsure`. If there are such columns, as many marks
    follow, which hold only what is close for certain. Without marks, all of this is empty.
    """

    table: np.ndarray  # int64
    reach: np.ndarray  # int64 per column
    sorted_columns: int
    tree_columns: int  # the first of those, as far as each has few different ratings
    weight: np.ndarray  # int64: how many people have the row
    marks: np.ndarray  # uint64
    mark: np.ndarray  # int32
    unsure: np.ndarray  # int64: columns
    is_single: np.ndarray  # bool per word: all its rows have weight 1


@inner
def _first_at_least(table, columns, column, start, stop, wanted):
    """The first row from `start` on whose rating in a column, ascending there, is at least `wanted`."""
    while start < stop:
        middle = (start + stop) // 2
        if table[middle * columns + column] < wanted:
            start = middle + 1
        else:
            stop = middle
    return start


@inner
def _bits(word):
    """How many bits of a word are set."""
    word -= (word >> _ONE) & _PAIRS
    word = (word & _FOURS) + ((word >> _TWO) & _FOURS)
    word = (word + (word >> _FOUR)) & _EIGHTS
    return np.int64((word * _SUM) >> _LAST)


@inner
def _marked(rows, row, at, column, start, stop):
    """The bits of word `at` whose rows, from `start` to `stop`, are close to a row, in this column and all behind."""
    columns, words = rows.reach.size, (rows.weight.size + 63) // 64
    word = _ALL
    if start > 64 * at:
        word &= _ALL << np.uint64(start - 64 * at)
    if stop < 64 * at + 64:
        word &= _ALL >> np.uint64(64 * at + 64 - stop)
    for c in range(column, columns):
        word &= rows.marks[rows.mark[row * columns + c] * words + at]
        if word == _NONE:
            return word
    if rows.unsure.size:
        certain, half = word, rows.marks.size // 2
        for c in rows.unsure:
            certain &= rows.marks[half + rows.mark[row * columns + c] * words + at]
        left = word & ~certain
        while left != _NONE:
            lowest = left & (~left + _ONE)
            left ^= lowest
            other = 64 * at + _bits(lowest - _ONE)
            for c in rows.unsure:
                if abs(rows.table[row * columns + c] - rows.table[other * columns + c]) > rows.reach[c]:
                    word ^= lowest
                    break
    return word


@inner
def close_rows(rows, row, enough, stack, found):
    """Fills `found` with the rows close to a row, until their weight is `enough`; returns how many, and the weight.

    An empty `found` stays empty. Walks down the prefix tree along all ratings within reach; few rows are looked up in
    the marks, or compared.
    """
    table, columns = rows.table, rows.reach.size
    few = _MARKED if rows.marks.size else _FEW
    count = total = 0
    stack[0], stack[1], stack[2] = 0, 0, rows.weight.size
    depth = 3
    while depth > 0 and total < enough:
        depth -= 3
        column, start, stop = stack[depth], stack[depth + 1], stack[depth + 2]
        own = table[row * columns + column] if column < columns else 0
        if stop - start > few and rows.tree_columns <= column < rows.sorted_columns:
            start = _first_at_least(table, columns, column, start, stop, own - rows.reach[column])
            stop = _first_at_least(table, columns, column, start, stop, own + rows.reach[column] + 1)
            column += 1
        elif stop - start > few and column < rows.tree_columns:
            at = _first_at_least(table, columns, column, start, stop, own - rows.reach[column])
            while at < stop and table[at * columns + column] <= own + rows.reach[column]:
                end = _first_at_least(table, columns, column, at, stop, table[at * columns + column] + 1)
                stack[depth], stack[depth + 1], stack[depth + 2] = column + 1, at, end
                depth += 3
                at = end
            continue
        if rows.marks.size:
            for at in range(start // 64, (stop + 63) // 64):
                word = _marked(rows, row, at, column, start, stop)
                if rows.is_single[at] and found.size == 0:
                    total += _bits(word)
                    word = _NONE
                while word != _NONE:
                    lowest = word & (~word + _ONE)
                    word ^= lowest
                    other = 64 * at + _bits(lowest - _ONE)
                    total += rows.weight[other]
                    if found.size:
                        found[count] = other
                        count += 1
                if total >= enough:
                    break
        else:
            for other in range(start, stop):
                is_close = True
                for c in range(column, columns):
                    if abs(table[row * columns + c] - table[other * columns + c]) > rows.reach[c]:
                        is_close = False
                        break
                if is_close:
                    total += rows.weight[other]
                    if found.size:
                        found[count] = other
                        count += 1
                    if total >= enough:
                        break
    return count, total


def count_close(rows: Rows, order: np.ndarray, enough: int, least: int, counts: np.ndarray) -> int:
    """How many people are close to those of each row, themselves included, row after row in this order.

    The count of a row ends where it is `enough` and above the least so far; `least` is what to begin with. Returns
    the least count.
    """
    stack, found, least = _stack(rows), np.empty(0, np.int64), int(least)
    for start, stop in spans(order.size, "neighbours", first=64):
        least = _count_close(rows, order[start:stop], int(enough), least, counts, stack, found)
    return least


def _stack(rows: Rows) -> np.ndarray:
    return np.empty(3 * (2 * rows.weight.size + rows.reach.size + 2), np.int64)


@kernel
def _count_close(rows, order, enough, least, counts, stack, found):
    for i in range(order.size):
        counts[order[i]] = close_rows(rows, order[i], max(enough, least + 1), stack, found)[1]
        least = min(least, counts[order[i]])
    return least


def most_frequent(
    rows: Rows,
    indptr: np.ndarray,
    codes: np.ndarray,
    times: np.ndarray,
    code_count: int,
    counts: np.ndarray,
    share: np.ndarray,
    which: np.ndarray,
) -> None:
    """For the people of each row how many are close, and the sensitive rating that the largest share of them gave.

    Row r holds the sensitive rating codes[i] times[i] times, for i in indptr[r]:indptr[r + 1].
    """
    stack, found = _stack(rows), np.empty(rows.weight.size, np.int64)
    given, met = np.zeros(code_count, np.int64), np.empty(code_count, np.int64)
    for start, stop in spans(rows.weight.size, "neighbours", first=64):
        _most_frequent(start, stop, rows, indptr, codes, times, counts, share, which, stack, found, given, met)


@kernel
def _most_frequent(start, stop, rows, indptr, codes, times, counts, share, which, stack, found, given, met):
    all_of_them = np.int64(1 << 62)
    for row in range(start, stop):
        count, counts[row] = close_rows(rows, row, all_of_them, stack, found)
        different = 0
        for f in range(count):
            for i in range(indptr[found[f]], indptr[found[f] + 1]):
                if given[codes[i]] == 0:
                    met[different] = codes[i]
                    different += 1
                given[codes[i]] += times[i]
        most = 0
        which[row] = -1
        for i in range(different):
            code = met[i]
            if given[code] > most or (given[code] == most and code < which[row]):
                most, which[row] = given[code], code
            given[code] = 0
        share[row] = most / counts[row]
