"""The kernel that finds the itemsets of one size that too few people hold."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def _longer(array, needed):
    """The array itself, or a copy of at least twice its length if it is shorter than needed."""
    if needed <= array.size:
        return array
    bigger = np.empty(max(needed, 2 * array.size), array.dtype)
    for i in range(array.size):  # a slice here takes Numba a second to compile
        bigger[i] = array[i]
    return bigger


@njit(cache=True)
def rare_sets(indptr, labels, weight, n_labels, k, size):
    """All sets of `size` labels that somebody holds, but fewer than k people: (labels one after another, people).

    Baskets are sorted; smaller sets than these must be held by nobody or by k. Depth first in label order: one pass
    over the baskets of a set counts all of its extensions, and a second one hands each basket on to those of them
    that some basket of fewer than k people holds; a basket that k people share has no rare part.
    """
    people = np.zeros(n_labels, np.int64)
    baskets = np.zeros(n_labels, np.int64)
    light = np.zeros(n_labels, np.int64)
    place = np.zeros(n_labels, np.int64)  # in the arena; 0 for a label that is no extension
    touched = np.empty(n_labels, np.int32)
    found, found_people, n_found = np.empty(64 * size, np.int32), np.empty(64, np.int64), 0

    # The set at hand, and for each of its beginnings the extensions: label, from and to where in the arena.
    prefix = np.empty(size, np.int32)
    extension, begins, stops = np.empty(64, np.int32), np.empty(64, np.int64), np.empty(64, np.int64)
    first, done = np.zeros(size, np.int64), np.zeros(size, np.int64)
    behind, top = np.zeros(size, np.int64), np.zeros(size, np.int64)
    basket, position = np.empty(2 * weight.size + 64, np.int32), np.empty(2 * weight.size + 64, np.int64)
    for t in range(weight.size):
        basket[t], position[t] = t, indptr[t]

    depth, start, stop, visits = 0, np.int64(0), np.int64(weight.size), np.int64(0)
    while True:
        n_touched = 0
        visits += stop - start
        for a in range(start, stop):
            t = basket[a]
            for j in range(position[a], indptr[t + 1]):
                y = labels[j]
                if baskets[y] == 0:
                    touched[n_touched] = y
                    n_touched += 1
                people[y] += weight[t]
                baskets[y] += 1
                light[y] += weight[t] < k
        first[depth] = behind[depth] = behind[depth - 1] if depth else 0
        end = top[depth - 1] if depth else stop
        for i in range(n_touched):
            y = touched[i]
            if depth + 1 == size:
                if people[y] < k:
                    found, found_people = _longer(found, (n_found + 1) * size), _longer(found_people, n_found + 1)
                    for p in range(depth):
                        found[n_found * size + p] = prefix[p]
                    found[n_found * size + depth] = y
                    found_people[n_found] = people[y]
                    n_found += 1
            elif light[y] > 0:
                e = behind[depth]
                extension, begins, stops = _longer(extension, e + 1), _longer(begins, e + 1), _longer(stops, e + 1)
                extension[e], begins[e] = y, end
                place[y] = end
                end += baskets[y]
                behind[depth] = e + 1
            people[y] = baskets[y] = light[y] = 0
        top[depth] = end
        if behind[depth] > first[depth]:
            basket, position = _longer(basket, end), _longer(position, end)
            for a in range(start, stop):
                t = basket[a]
                for j in range(position[a], indptr[t + 1]):
                    y = labels[j]
                    if place[y] > 0:
                        basket[place[y]], position[place[y]] = t, j + 1
                        place[y] += 1
        for e in range(first[depth], behind[depth]):
            stops[e] = place[extension[e]]
            place[extension[e]] = 0
        done[depth] = first[depth]
        while done[depth] == behind[depth]:
            if depth == 0:
                return found[: n_found * size], found_people[:n_found], visits
            depth -= 1
        e = done[depth]
        done[depth] += 1
        prefix[depth], start, stop = extension[e], begins[e], stops[e]
        depth += 1
