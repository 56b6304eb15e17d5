"""Inner loops of the audit of k^m-anonymity of ratings: how few people fit what may be known of somebody.

People are numbered so that those with the fewest known things come first. Person p shows the things
things[starts[p]:starts[p + 1]] (rising: the rarest first) of the issues rated[starts[p]:starts[p + 1]] (rising).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.jit import inner, kernel

LEAST, FOUND, LISTED, SIZE = range(4)
"""Places in `state`: the fewest who fit, how many sets are too rare, how many are listed, the size of the smallest."""


class Shown(NamedTuple):
    """What everybody shows, and who shows what."""

    starts: np.ndarray  # int64
    things: np.ndarray  # int32
    rated: np.ndarray  # int32
    holder_starts: np.ndarray  # int64 per thing and one more
    holders: np.ndarray  # int32, rising for each thing
    issue_of: np.ndarray  # int32 per thing
    is_open: np.ndarray  # bool per issue: showing nothing of it is something to know


class Work(NamedTuple):
    """Room for a search of sets of up to m things, and what it found; row d is for sets of d + 1 things."""

    fitting: np.ndarray  # int32 [m, people]: who fits
    counts: np.ndarray  # int32 [m, things]
    rated: np.ndarray  # int32 per issue: how many of some people show it
    chosen: np.ndarray  # int64 [m]: a thing, or −1 − issue for showing nothing of it
    state: np.ndarray  # int64 [4]
    worst: np.ndarray  # int64 [m + 1]: the size of the weakest set, and the set
    sets: np.ndarray  # int64 [limit, m + 2]: sets that too few fit: how many, the size, and the set
    is_hit: np.ndarray  # bool per person


@kernel
def turned(starts, codes, at, rows):
    """The rows that have each code, code after code; `at` has where those of each begin, and end after it."""
    for row in range(starts.size - 1):
        for i in range(starts[row], starts[row + 1]):
            rows[at[codes[i]]] = row
            at[codes[i]] += 1


@kernel
def count_pairs(start, stop, starts, codes, holder_starts, holders, counts):
    """How many rows have each code from `start` to `stop`, and each other one: counts[code − start, other]."""
    for code in range(start, stop):
        for at in range(holder_starts[code], holder_starts[code + 1]):
            row = holders[at]
            for i in range(starts[row], starts[row + 1]):
                counts[code - start, codes[i]] += 1


@inner
def _has(starts, codes, person, wanted):
    """Whether a code is among those of a person, which rise."""
    low, high = starts[person], starts[person + 1]
    while low < high:
        middle = (low + high) // 2
        if codes[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low < starts[person + 1] and codes[low] == wanted


@inner
def _note(size, count, k, work):
    """A set of so many things was met, and so many people fit it."""
    state = work.state
    if count < state[LEAST]:
        state[LEAST] = count
        work.worst[0] = size
        for i in range(size):
            work.worst[1 + i] = work.chosen[i]
    if count < k:
        state[FOUND] += 1
        if size < state[SIZE]:
            state[SIZE] = size
        if state[LISTED] < work.sets.shape[0]:
            row = work.sets[state[LISTED]]
            row[0], row[1] = count, size
            for i in range(size):
                row[2 + i] = work.chosen[i]
            state[LISTED] += 1


@inner
def _absences(size, people, m, k, fit, seen, work):
    """Adds to a set that `fit` people fit, in row size − 1, showing nothing of one issue, of two, and so on, up to m.

    Fewer than `few` are left only if some issue is shown by a certain share of any people of them: those who show least
    are looked at, and what few of them show is left out. People left are in the rows that follow.
    """
    depth = size
    # what is left to try at each depth is kept in `counts` of that row: issue after issue
    work.counts[depth, 0] = -1
    while True:
        who = work.fitting[depth - 1] if depth else people
        total = fit if depth == size else work.counts[depth - 1, 1]
        few = max(k, work.state[LEAST])
        issue = work.counts[depth, 0]
        if issue < 0:
            # begin: which issues may it be
            sample = min(total, max(8 * few, np.int64(1024)))
            issues = seen.is_open.size
            for i in range(issues):
                work.rated[depth * issues + i] = 0
            for i in range(sample):
                for at in range(seen.starts[who[i]], seen.starts[who[i] + 1]):
                    work.rated[depth * issues + seen.rated[at]] += 1
            needed = (sample - few) // (m - depth) + 1
            for i in range(issues):
                if not seen.is_open[i] or work.rated[depth * issues + i] < max(needed, np.int64(1)):
                    work.rated[depth * issues + i] = 0
            issue = 0
        else:
            issue += 1
        issues = seen.is_open.size
        while issue < issues and work.rated[depth * issues + issue] == 0:
            issue += 1
        if issue == issues:
            if depth == size:
                return
            depth -= 1
            continue
        work.counts[depth, 0] = issue
        is_new = True
        for i in range(depth):
            if work.chosen[i] == -1 - issue or (work.chosen[i] >= 0 and seen.issue_of[work.chosen[i]] == issue):
                is_new = False
        if not is_new:
            continue
        left = np.int64(0)
        for i in range(total):
            if not _has(seen.starts, seen.rated, np.int64(who[i]), issue):
                work.fitting[depth, left] = who[i]
                left += 1
        if left == 0:
            continue
        work.chosen[depth] = -1 - issue
        _note(depth + 1, left, k, work)
        if left < k:
            for i in range(left):
                work.is_hit[work.fitting[depth, i]] = True
        elif depth + 1 < m:
            work.counts[depth, 1] = left
            depth += 1
            work.counts[depth, 0] = -1


@kernel
def search_absent(people, m, k, seen, work):
    """Sets of nothing but absences, of all these people."""
    size = np.int64(0)
    _absences(size, people, m, k, people.size, seen, work)


@kernel
def search(start, stop, m, k, seen, work):
    """All sets of up to m things whose rarest one is from `start` to `stop`: how few people fit each.

    A set that fewer than k fit is not looked at further.
    """
    things = seen.issue_of.size
    for top in range(start, stop):
        fit = 0
        for at in range(seen.holder_starts[top], seen.holder_starts[top + 1]):
            work.fitting[0, fit] = seen.holders[at]
            fit += 1
        work.chosen[0] = top
        if fit < k or m < 2:
            continue  # what is rare by itself was noted before
        depth = 0
        is_new = True
        sizes, nexts = work.counts, work.counts  # their last two columns: how many fit, and what to try next
        sizes[0, things] = fit
        while depth >= 0:
            size = depth + 1
            fit = sizes[depth, things]
            if is_new:
                last = work.chosen[depth]
                for thing in range(last + 1, things):
                    work.counts[depth, thing] = 0
                for i in range(fit):
                    person = work.fitting[depth, i]
                    at = seen.starts[person + 1] - 1
                    while at >= seen.starts[person] and seen.things[at] > last:
                        work.counts[depth, seen.things[at]] += 1
                        at -= 1
                some = False
                for thing in range(last + 1, things):
                    count = work.counts[depth, thing]
                    if count > 0 and (count < k or count < work.state[LEAST]):
                        is_known = True
                        for i in range(size):
                            if work.chosen[i] >= 0 and seen.issue_of[work.chosen[i]] == seen.issue_of[thing]:
                                is_known = False
                        if is_known:
                            work.chosen[size] = thing
                            _note(size + 1, np.int64(count), k, work)
                            some |= count < k
                if some:
                    for i in range(fit):
                        person = work.fitting[depth, i]
                        at = seen.starts[person + 1] - 1
                        while at >= seen.starts[person] and seen.things[at] > last:
                            if work.counts[depth, seen.things[at]] < k:
                                work.is_hit[person] = True
                            at -= 1
                work.chosen[size] = 0
                nexts[depth, things + 1] = last + 1 if size + 1 < m else things
            thing = nexts[depth, things + 1]
            while thing < things and work.counts[depth, thing] < k:
                thing += 1
            if thing == things:
                _absent_below(size, m, k, fit, seen, work)
                depth -= 1
                is_new = False
                continue
            nexts[depth, things + 1] = thing + 1
            is_known = True
            for i in range(size):
                if seen.issue_of[work.chosen[i]] == seen.issue_of[thing]:
                    is_known = False
            is_new = is_known
            if not is_known:
                continue
            fit_next = 0
            for i in range(fit):
                if _has(seen.starts, seen.things, np.int64(work.fitting[depth, i]), np.int64(thing)):
                    work.fitting[depth + 1, fit_next] = work.fitting[depth, i]
                    fit_next += 1
            depth += 1
            work.chosen[depth] = thing
            sizes[depth, things] = fit_next


@inner
def _absent_below(size, m, k, fit, seen, work):
    """Absences beside a set of things that is all chosen."""
    if size < m:
        _absences(size, work.fitting[size - 1], m, k, np.int64(fit), seen, work)


@kernel
def contained(start, stop, enough, least, seen, count):
    """How many people fit all that may be known of each person from `start` to `stop`; returns the least.

    A count ends where it is `enough` and not below the least so far; `least` is what to begin with.
    """
    people = seen.starts.size - 1
    for person in range(start, stop):
        begin, end = seen.starts[person], seen.starts[person + 1]
        rarest = seen.things[begin] if end > begin else -1
        first = seen.holder_starts[rarest] if rarest >= 0 else 0
        past = seen.holder_starts[rarest + 1] if rarest >= 0 else people
        found = 0
        for at in range(first, past):
            other = seen.holders[at] if rarest >= 0 else at
            fits = True
            i = begin
            while fits and i < end:
                fits = _has(seen.starts, seen.things, np.int64(other), np.int64(seen.things[i]))
                i += 1
            i = seen.starts[other]
            while fits and i < seen.starts[other + 1]:
                if seen.is_open[seen.rated[i]]:
                    fits = _has(seen.starts, seen.rated, np.int64(person), np.int64(seen.rated[i]))
                i += 1
            found += fits
            if found >= enough and found >= least:
                break
        count[person] = found
        if found < least:
            least = found
    return least
