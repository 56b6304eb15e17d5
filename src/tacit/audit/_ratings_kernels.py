"""Inner loops of the audit of ratings: who is close to whom among people who rated the same issues.

A table of ratings is flat: row r, column c is table[r * columns + c]. Rows are different from each other and sorted by
their first `sorted_columns` columns, so that rows which agree in some first columns are neighbours, as in a prefix
tree.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_FEW = 16


@njit(cache=True)
def _first_at_least(table, columns, column, start, stop, wanted):
    """The first row from `start` on whose rating in a column, ascending there, is at least `wanted`."""
    while start < stop:
        middle = (start + stop) // 2
        if table[middle * columns + column] < wanted:
            start = middle + 1
        else:
            stop = middle
    return start


@njit(cache=True)
def close_rows(table, rows, columns, sorted_columns, reach, row, weight, enough, stack, found):
    """Fills `found` with the rows close to a row, until their weight is `enough`; returns how many, and the weight.

    Walks down the prefix tree along all ratings within reach; few rows are compared one by one.
    """
    number = total = 0
    stack[0], stack[1], stack[2] = 0, 0, rows
    depth = 3
    while depth > 0 and total < enough:
        depth -= 3
        column, start, stop = stack[depth], stack[depth + 1], stack[depth + 2]
        if stop - start <= _FEW or column == sorted_columns:
            for other in range(start, stop):
                is_close = True
                for c in range(column, columns):
                    if abs(table[row * columns + c] - table[other * columns + c]) > reach[c]:
                        is_close = False
                        break
                if is_close:
                    found[number] = other
                    number += 1
                    total += weight[other]
                    if total >= enough:
                        break
            continue
        own = table[row * columns + column]
        at = _first_at_least(table, columns, column, start, stop, own - reach[column])
        while at < stop and table[at * columns + column] <= own + reach[column]:
            end = _first_at_least(table, columns, column, at, stop, table[at * columns + column] + 1)
            stack[depth], stack[depth + 1], stack[depth + 2] = column + 1, at, end
            depth += 3
            at = end
    return number, total


@njit(cache=True)
def count_close(table, rows, columns, sorted_columns, reach, weight, enough, counts):
    """How many people are close to those of each row, themselves included; `enough` where there are as many."""
    stack = np.empty(3 * (2 * rows + columns + 2), np.int64)
    found = np.empty(rows, np.int64)
    for row in range(rows):
        _, total = close_rows(table, rows, columns, sorted_columns, reach, row, weight, enough, stack, found)
        counts[row] = min(total, enough)


@njit(cache=True)
def most_frequent(table, rows, columns, sorted_columns, reach, weight, indptr, codes, times, code_count, share, which):
    """For the people of each row, the sensitive rating that the largest share of those close to them gave.

    Row r holds the sensitive rating codes[i] times[i] times, for i in indptr[r]:indptr[r + 1].
    """
    stack = np.empty(3 * (2 * rows + columns + 2), np.int64)
    found = np.empty(rows, np.int64)
    given = np.zeros(code_count, np.int64)
    for row in range(rows):
        number, total = close_rows(table, rows, columns, sorted_columns, reach, row, weight, 1 << 62, stack, found)
        for f in range(number):
            for i in range(indptr[found[f]], indptr[found[f] + 1]):
                given[codes[i]] += times[i]
        most = 0
        which[row] = -1
        for f in range(number):
            for i in range(indptr[found[f]], indptr[found[f] + 1]):
                code = codes[i]
                if given[code] > most or (given[code] == most > 0 and code < which[row]):
                    most, which[row] = given[code], code
        for f in range(number):
            for i in range(indptr[found[f]], indptr[found[f] + 1]):
                given[codes[i]] = 0
        share[row] = most / total
