"""The audit of k^m-anonymity of ratings where three are known: single things and pairs were looked at before.

Three things can be too rare only if each of them, and any two, are not: so what is rare by itself is left out.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tacit.arrays.blocks import side_by_side, spans
from tacit.audits import _rating_triple_kernels as _kernels
from tacit.audits._rating_km_kernels import FOUND, LEAST, LISTED, SIZE, Shown, Work
from tacit.audits._rating_triple_kernels import WORDS, Bench, Items

_MOST_BYTES = 1 << 31
"""Of the table of who fits what."""
_REAR_BLOCKS = 31
"""So many times 512 people are laid out behind the first ones, before all are counted anew."""
_WORTH_TWO_JOBS = 256
"""Items."""
_GOLDEN = (5**0.5 - 1) / 2


def items_of(shown: Shown, counts: np.ndarray, k: int) -> Items | None:
    """What at least k people fit, with who they are; None if there is too much of it to be held."""
    people, issues = shown.starts.size - 1, shown.is_open.size
    is_once = np.ones(shown.rated.size, bool)  # where ranges overlap, a person shows several things of an issue
    np.not_equal(shown.rated[1:], shown.rated[:-1], out=is_once[1:])
    is_once[shown.starts[:-1][np.diff(shown.starts) > 0]] = True
    absent = people - np.bincount(shown.rated[is_once], minlength=issues)
    things = np.flatnonzero(counts >= k)
    absences = np.flatnonzero(shown.is_open & (absent >= max(k, 1)))
    words = -(-people // 64)
    if 8 * words * (things.size + absences.size) > _MOST_BYTES:
        return None
    codes = np.concatenate((things, -1 - absences))
    codes = codes[np.argsort(np.concatenate((counts[things], absent[absences])), kind="stable")]
    is_thing = codes >= 0
    of_thing, of_absence = np.full(counts.size, -1, np.int64), np.full(issues, -1, np.int64)
    of_thing[codes[is_thing]] = np.flatnonzero(is_thing)
    of_absence[-1 - codes[~is_thing]] = np.flatnonzero(~is_thing)
    issue = -1 - codes
    issue[is_thing] = shown.issue_of[codes[is_thing]]
    # who shows much fits most, and who shows little most absences: the more is shown, the sooner, with a lot for all
    order = np.argsort(np.arange(people) * _GOLDEN % 1 / (np.diff(shown.starts) + 1), kind="stable")
    bits = np.zeros((codes.size, words), np.uint64)
    bits[~is_thing] = ~np.uint64(0)
    if people % 64:
        bits[~is_thing, -1] = np.uint64(2 ** (people % 64) - 1)
    items = Items(codes, issue, bits, of_thing, of_absence, order)
    _kernels.fill(shown.starts, shown.things, shown.rated, items)
    return items


def look_at_triples(shown: Shown, items: Items, k: int, work: Work) -> None:
    """Adds to what was found of single things and pairs."""
    number, people = items.codes.size, shown.starts.size - 1
    jobs = 2 if number > _WORTH_TWO_JOBS else 1  # however many there are cores: what is told is the same
    works = [work._replace(chosen=np.zeros(3, np.int64), state=work.state.copy(), worst=np.zeros(4, np.int64),
                           sets=np.zeros_like(work.sets), is_hit=np.zeros_like(work.is_hit))
             for _ in range(jobs)]  # fmt: skip

    def job(at: int) -> Callable[[], None]:
        def search() -> None:
            works[at].state[[FOUND, LISTED]] = 0
            bench = Bench(
                np.zeros(people, np.int64), np.zeros(number, bool), np.zeros((WORDS, number), np.uint64),
                np.zeros((min(_REAR_BLOCKS, people // (64 * WORDS)), number, WORDS), np.uint64),
                np.zeros(64, np.int64), np.zeros((2, number), np.int64),
            )  # fmt: skip
            for start, stop in spans(-(-(number - at) // jobs), "known ratings, three at a time", first=4):
                _kernels.search_triples(
                    at + start * jobs, min(at + stop * jobs, number), jobs, int(k), shown, items, bench, works[at]
                )

        return search

    side_by_side([job(at) for at in range(jobs)])
    for own in works:
        _add(work, own)


def _add(work: Work, own: Work) -> None:
    """What one job found, added to what is known."""
    if own.state[LEAST] < work.state[LEAST]:
        work.state[LEAST] = own.state[LEAST]
        work.worst[: own.worst.size] = own.worst
    work.state[FOUND] += own.state[FOUND]
    work.state[SIZE] = min(work.state[SIZE], own.state[SIZE])
    listed = int(work.state[LISTED])
    more = min(int(own.state[LISTED]), len(work.sets) - listed)
    work.sets[listed : listed + more] = own.sets[:more]
    work.state[LISTED] += more
    work.is_hit[own.is_hit] = True
