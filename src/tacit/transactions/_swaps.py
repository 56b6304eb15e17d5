"""Kernels that improve a choice of columns under rows of limits, by swaps: one comes in or goes out, others follow."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

_HOLDS = 5  # steps for which what was put in or taken out stays so, unless changing it gives the best choice so far


class Incidence(NamedTuple):
    """Rows and the columns in them, both ways: at most limit[r] of columns[row_start[r]:row_start[r+1]] are kept."""

    row_start: np.ndarray
    columns: np.ndarray
    limit: np.ndarray
    column_start: np.ndarray
    rows: np.ndarray


class Choice(NamedTuple):
    """Which columns are kept, how many of each row, and how many full rows each column is in."""

    kept: np.ndarray
    held: np.ndarray
    blocked: np.ndarray


@njit(cache=True)
def _set(v, keep, choice, incidence):
    """Keeps v, or keeps it no more. Returns how many entries were looked at, as the other functions here do."""
    choice.kept[v] = keep
    visits = incidence.column_start[v + 1] - incidence.column_start[v]
    step = 1 if keep else -1
    for i in range(incidence.column_start[v], incidence.column_start[v + 1]):
        r = incidence.rows[i]
        if choice.held[r] + (1 if keep else 0) == incidence.limit[r]:  # becomes full, or is full no more
            visits += incidence.row_start[r + 1] - incidence.row_start[r]
            for j in range(incidence.row_start[r], incidence.row_start[r + 1]):
                choice.blocked[incidence.columns[j]] += step
        choice.held[r] += step
    return visits


@njit(cache=True)
def _worst_in_the_way(v, choice, incidence, worth, hits):
    """The kept column that is in most full rows of v per worth, the first of equals; and the visits."""
    visits, worst = 0, np.int64(-1)
    for i in range(incidence.column_start[v], incidence.column_start[v + 1]):
        r = incidence.rows[i]
        if choice.held[r] == incidence.limit[r]:
            visits += incidence.row_start[r + 1] - incidence.row_start[r]
            for j in range(incidence.row_start[r], incidence.row_start[r + 1]):
                u = incidence.columns[j]
                if choice.kept[u]:
                    hits[u] += 1
    for u in range(worth.size):
        if hits[u] > 0 and (worst < 0 or hits[u] * worth[worst] > hits[worst] * worth[u]):
            worst = np.int64(u)
    for u in range(worth.size):
        hits[u] = 0
    return worst, visits + worth.size


@njit(cache=True)
def _turn(v, choice, incidence, worth, by_worth, out_until, step, hits, log):
    """Puts v in or takes it out, with what follows: others go out of its way, and what then has room comes in.

    The columns changed are written to `log`. Returns how many, the change of the worth, and the visits.
    """
    n, change, visits = 1, 0.0, 0
    log[0] = v
    if choice.kept[v]:
        visits += _set(v, False, choice, incidence)
        change -= worth[v]
    else:
        while choice.blocked[v] > 0:
            u, seen = _worst_in_the_way(v, choice, incidence, worth, hits)
            visits += seen + _set(u, False, choice, incidence)
            change -= worth[u]
            log[n] = u
            n += 1
        visits += _set(v, True, choice, incidence)
        change += worth[v]
    for w in by_worth:
        if worth[w] <= 0:
            break
        if choice.blocked[w] == 0 and not choice.kept[w] and w != v and out_until[w] < step:
            visits += _set(w, True, choice, incidence)
            change += worth[w]
            log[n] = w
            n += 1
    return n, change, visits + worth.size


@njit(cache=True)
def _undo(n, log, choice, incidence):
    visits = 0
    for i in range(n - 1, -1, -1):
        visits += _set(log[i], not choice.kept[log[i]], choice, incidence)
    return visits


@njit(cache=True)
def swap(incidence, worth, by_worth, start, most_visits, most_steps):
    """The best choice met on a walk from the choice `start`, which satisfies all rows: a mask, and the visits.

    Each step turns the column that leaves most worth, the first of equals, even if that is less than before.
    Ends after so many entries of rows, or steps without anything better.
    """
    n = worth.size
    choice = Choice(np.zeros(n, np.bool_), np.zeros(incidence.limit.size, np.int64), np.zeros(n, np.int64))
    total, visits = 0.0, 0
    for v in range(n):
        if start[v]:
            visits += _set(v, True, choice, incidence)
            total += worth[v]
    best, most = np.zeros(n, np.bool_), total
    for v in range(n):
        best[v] = start[v]
    hits, log = np.zeros(n, np.int64), np.empty(2 * n + 1, np.int64)
    held_until, out_until = np.zeros(n, np.int64), np.zeros(n, np.int64)
    step, idle = 0, 0
    while visits < most_visits and idle < most_steps:
        step += 1
        idle += 1
        chosen, after = np.int64(-1), -1.0
        for v in by_worth:
            if worth[v] <= 0:
                break
            size, change, seen = _turn(v, choice, incidence, worth, by_worth, out_until, step, hits, log)
            visits += seen + _undo(size, log, choice, incidence)
            if total + change > after and (held_until[v] < step or total + change > most):
                chosen, after = v, total + change
        if chosen < 0:
            break
        visits += _turn(chosen, choice, incidence, worth, by_worth, out_until, step, hits, log)[2]
        total = after
        held_until[chosen] = step + _HOLDS
        if not choice.kept[chosen]:
            out_until[chosen] = step + _HOLDS
        if total > most:
            most, idle = total, 0
            for v in range(n):
                best[v] = choice.kept[v]
    return best, visits
