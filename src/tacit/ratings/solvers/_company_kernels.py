"""Inner loops for the diversity of sensitive ratings.

A class is all who are published with the same rated set. Class c gave sensitive rating codes[i] times[i] times, for i
in starts[c]:starts[c + 1]; so it is with rows, which are people of a class with the same ratings.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.blocks import blocks, spans, tell
from tacit.arrays.jit import kernel, part
from tacit.ratings.solvers._settled_kernels import Rows, are_close

_CLASS, _AT = 0, 1
"""Where the search for uniform companies is: the class, and the place of the row whose company is counted."""

Histogram = tuple[np.ndarray, np.ndarray, np.ndarray]
"""(starts, codes, times), as above."""


def find_uniform(rows: Rows, class_starts: np.ndarray, order: np.ndarray, weight: np.ndarray, gave: Histogram,
                 given: np.ndarray, bound: float) -> np.ndarray:  # fmt: skip
    """The classes in which somebody's company gave one sensitive rating by a share above the bound.

    Class c has the rows order[class_starts[c]:class_starts[c + 1]]; weight[r] people have row r. `given` is zero for
    every code, before and after.
    """
    is_uniform, near = np.zeros(class_starts.size - 1, bool), np.empty(order.size, np.int64)
    at = np.zeros(2, np.int64)
    for steps in blocks():
        if _find_uniform(steps, at, rows, class_starts, order, weight, gave, given, float(bound), is_uniform, near):
            break
        tell("companies", at[_AT] / order.size)
    return np.flatnonzero(is_uniform)


@kernel
def _find_uniform(steps, at, rows, class_starts, order, weight, gave, given, bound, is_uniform, near):
    """Goes on until so many pairs of rows were looked at; returns whether all classes are."""
    while at[_CLASS] < class_starts.size - 1:
        c = at[_CLASS]
        while at[_AT] < class_starts[c + 1]:
            if steps <= 0:
                return False
            share = _largest_share(
                rows, class_starts[c], class_starts[c + 1], at[_AT], order, weight, gave, given, near
            )
            steps -= class_starts[c + 1] - class_starts[c]
            at[_AT] += 1
            if share > bound:
                is_uniform[c] = True
                at[_AT] = class_starts[c + 1]
        at[_CLASS] += 1
    return True


@part
def _largest_share(rows, begin, end, own, order, weight, gave, given, near):
    """The share of the company of a row that gave the sensitive rating which most of it gave."""
    starts, codes, times = gave
    size = most = count = 0
    for other in range(begin, end):
        row = order[other]
        if are_close(rows, order[own], row):
            near[count] = row
            count += 1
            size += weight[row]
            for i in range(starts[row], starts[row + 1]):
                given[codes[i]] += times[i]
                most = max(most, given[codes[i]])
    for n in range(count):
        for i in range(starts[near[n]], starts[near[n] + 1]):
            given[codes[i]] = 0
    return most / size


def find_partners(classes: np.ndarray, indptr: np.ndarray, issues: np.ndarray, size: np.ndarray, gave: Histogram,
                  given: np.ndarray, is_own: np.ndarray, bound: float) -> np.ndarray:  # fmt: skip
    """The class that each of some classes is joined with; −1 where it is diverse enough if its people are one company.

    First those that make it more diverse, of them the one with the nearest rated set. Ties: the first.
    `given` and `is_own` are zero everywhere, before and after.
    """
    partner = np.full(classes.size, -1, np.int64)
    for start, stop in spans(classes.size, "companies", first=1):
        _find_partners(start, stop, classes, indptr, issues, size, gave, given, is_own, float(bound), partner)
    return partner


@kernel
def _find_partners(start, stop, classes, indptr, issues, size, gave, given, is_own, bound, partner):
    starts, codes, times = gave
    for n in range(start, stop):
        own = classes[n]
        most = 0
        for i in range(starts[own], starts[own + 1]):
            given[codes[i]] = times[i]
            most = max(most, times[i])
        for i in range(indptr[own], indptr[own + 1]):
            is_own[issues[i]] = True
        share = most / size[own]
        was_worse, nearest = True, 0
        for other in range(size.size if share > bound else 0):
            if other == own:
                continue
            highest, apart = most, indptr[own + 1] - indptr[own]
            for i in range(starts[other], starts[other + 1]):
                highest = max(highest, given[codes[i]] + times[i])
            for i in range(indptr[other], indptr[other + 1]):
                apart += -1 if is_own[issues[i]] else 1
            is_worse = highest / (size[own] + size[other]) >= share
            if partner[n] < 0 or is_worse < was_worse or (is_worse == was_worse and apart < nearest):
                partner[n], was_worse, nearest = other, is_worse, apart
        for i in range(starts[own], starts[own + 1]):
            given[codes[i]] = 0
        for i in range(indptr[own], indptr[own + 1]):
            is_own[issues[i]] = False
