"""Inner loops for the diversity of sensitive ratings.

A class is all who are published with the same rated set. Class c gave sensitive rating codes[i] times[i] times, for i
in starts[c]:starts[c + 1]; so it is with rows, which are people of a class with the same ratings.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from tacit.ratings.solvers._settled_kernels import are_close

# compiled with tacit.ratings.solvers._settled_kernels 522aba80dbe1


@njit(cache=True, nogil=True)
def find_uniform(class_starts, rows, people, weight, published, reach, starts, codes, times, given, bound, is_uniform):
    """Marks the classes in which somebody's company gave one sensitive rating by a share above the bound.

    Class c has the rows rows[class_starts[c]:class_starts[c + 1]], row r is that of people[r] and `weight[r]` others.
    `given` is zero for every code, before and after.
    """
    indptr, issues, values = published
    near = np.empty(rows.size, np.int64)
    for c in range(class_starts.size - 1):
        for at in range(class_starts[c], class_starts[c + 1]):
            size = most = count = 0
            for other in range(class_starts[c], class_starts[c + 1]):
                row = rows[other]
                if are_close(indptr, values, reach, issues, people[rows[at]], people[row]):
                    near[count] = row
                    count += 1
                    size += weight[row]
                    for i in range(starts[row], starts[row + 1]):
                        given[codes[i]] += times[i]
                        most = max(most, given[codes[i]])
            for n in range(count):
                for i in range(starts[near[n]], starts[near[n] + 1]):
                    given[codes[i]] = 0
            if most / size > bound:
                is_uniform[c] = True
                break


@njit(cache=True, nogil=True)
def find_partners(classes, indptr, issues, size, starts, codes, times, given, is_own, bound, partner):
    """The class that each of some classes is joined with; −1 where it is diverse enough if its people are one company.

    First those that make it more diverse, of them the one with the nearest rated set. Ties: the lowest number.
    `given` and `is_own` are zero everywhere, before and after.
    """
    for n in range(classes.size):
        own = classes[n]
        partner[n] = -1
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
