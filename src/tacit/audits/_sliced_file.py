"""What a sliced file tells of itself, without the original: which buckets leave a doubt, and what they prove."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.audits._sliced_tables import (
    Edge,
    Fits,
    block_of_fits,
    conclusions,
    expand,
    join_edges,
    joint_codes,
    linked_slices,
)
from tacit.audits.views.slices import SliceView

_BUDGET = 2_000_000
"""How many linkings are tried; more leave the question open."""


class Share(NamedTuple):
    """A value of a sensitive attribute, and how sure of it somebody can be in a bucket."""

    target: int
    value: int
    share: float


class Doubts(NamedTuple):
    """The greatest share in any bucket, how many buckets have one above the limit, and what is proven by them."""

    worst: Share
    of_each: list[float]  # sensitive attribute: the greatest share of any of its values
    suspicious: int
    broken: list[Share]
    complete: bool


class _Local(NamedTuple):
    """What a block tells in a bucket: one entry for each combination of known values that may be a person's."""

    slices: list[int]
    bucket: np.ndarray  # per entry
    known: np.ndarray  # [slice of the block, entry]
    entry: np.ndarray  # per value: its entry
    value: np.ndarray
    share: np.ndarray


def doubts_of(table: SliceView, known: set[str], sensitive: list[str], limit: float) -> Doubts:
    """Looks at every bucket on its own, then at what is certain about the people in the doubtful ones."""
    edges = join_edges(table.slices)
    fits = [_own_fits(table, i, known) for i in range(len(table.slices))]
    worst, of_each, complete = Share(0, 0, 0.0), list[float](), True
    suspicious = np.zeros(len(table.buckets), bool)
    broken: list[Share] = []
    for target, name in enumerate(sensitive):
        local = _local(table, edges, fits, known, name)
        if local is None:
            complete = False
            suspicious[:] = True
            worst = Share(target, worst.value, 1.0)
            of_each.append(1.0)
            continue
        most = int(local.share.argmax())
        of_each.append(float(local.share[most]))
        if local.share[most] > worst.share:
            worst = Share(target, int(local.value[most]), float(local.share[most]))
        bad = local.share > limit
        suspicious[local.bucket[local.entry[bad]]] = True
        broken += [Share(target, *one) for one in _certain(table, fits, local, bad, len(table.texts[name]))]
    if suspicious.any() and not broken:
        broken, tried_all = _tried(table, edges, fits, known, sensitive, limit, np.flatnonzero(suspicious))
        complete &= tried_all
    broken.sort(key=lambda one: (-one.share, one.target, one.value))
    return Doubts(worst, of_each, int(suspicious.sum()), broken, complete)


def _own_fits(table: SliceView, index: int, known: set[str]) -> Fits:
    columns = [column for name, column in zip(table.slices[index], table.codes[index], strict=True) if name in known]
    codes, count = joint_codes(columns, len(table))
    return Fits(index, np.arange(len(table)), codes, count)


def _local(table: SliceView, edges: list[Edge], fits: list[Fits], known: set[str], name: str) -> _Local | None:
    """The shares of one sensitive attribute in each bucket; None if there are too many combinations to try."""
    block = next(block for block in linked_slices(table, edges, known) if any(name in table.slices[i] for i in block))
    found = _completions(table, edges, fits, known, block, np.arange(len(table.buckets)), _BUDGET)
    if found is None:
        return None
    bucket, codes = found
    persons = np.full((len(table.slices), bucket.size), -1, np.int64)
    persons[block] = codes
    combined = block_of_fits(table, edges, fits, persons, block, [(name,)], known)
    start, value, share = combined.shares[name,]
    # of each combination the entry of its own bucket
    at = combined.entry_of(combined.codes, bucket)
    alive = at >= 0
    entry, place = expand(start[at[alive]], start[at[alive] + 1])
    return _Local(block, bucket[alive], codes[:, alive], entry, value[place], share[place])


def _completions(
    table: SliceView,
    edges: list[Edge],
    fits: list[Fits],
    known: set[str],
    slices: list[int],
    buckets: np.ndarray,
    budget: int,
) -> tuple[np.ndarray, np.ndarray] | None:
    """Every combination of known values that the slices of a bucket allow: (bucket, numbers [slice, combination]).

    Shared known attributes must agree. None if there are more than the budget allows.
    """
    n_buckets = len(table.buckets)
    wanted = np.zeros(n_buckets, bool)
    wanted[buckets] = True
    parent = {edge.child: edge for edge in edges}
    bucket, chosen = np.zeros(0, np.int64), list[np.ndarray]()
    for x, here in enumerate(slices):
        pairs = np.unique(fits[here].known * n_buckets + table.bucket)
        pairs = pairs[wanted[pairs % n_buckets]]
        own, own_bucket = pairs // n_buckets, pairs % n_buckets
        if x == 0:
            bucket, chosen = own_bucket, [own]
            continue
        above = parent[here].parent if here in parent else slices[0]
        shared = [name for name in parent[here].shared if name in known] if here in parent else []
        here_value, above_value = _shared_values(table, fits, here, above, shared)
        in_order = np.lexsort((here_value[own], own_bucket))
        width = int(max(here_value.max(initial=0), above_value.max(initial=0))) + 1
        keys = (own_bucket * width + here_value[own])[in_order]
        wish = bucket * width + above_value[chosen[slices.index(above)]]
        low, high = np.searchsorted(keys, wish, "left"), np.searchsorted(keys, wish, "right")
        if int((high - low).sum()) > budget:
            return None
        left, at = expand(low, high)
        bucket, chosen = bucket[left], [*(codes[left] for codes in chosen), own[in_order][at]]
    return bucket, np.stack(chosen)


def _shared_values(
    table: SliceView, fits: list[Fits], here: int, above: int, shared: list[str]
) -> tuple[np.ndarray, np.ndarray]:
    """For each number of known values in two slices what they have in common, numbered alike."""
    columns = [np.concatenate([table.codes[i][table.slices[i].index(name)] for i in (here, above)]) for name in shared]
    both, _ = joint_codes(columns, 2 * len(table))
    of_here, of_above = np.zeros(fits[here].count, np.int64), np.zeros(fits[above].count, np.int64)
    of_here[fits[here].known], of_above[fits[above].known] = both[: len(table)], both[len(table) :]
    return of_here, of_above


def _certain(
    table: SliceView, fits: list[Fits], local: _Local, bad: np.ndarray, n_values: int
) -> list[tuple[int, float]]:
    """Values that somebody certainly has to fear: a row of some slice fits, in every bucket that has its known values,
    only combinations that make the value more probable than allowed."""
    n_buckets, found = len(table.buckets), dict[int, float]()
    for here, fit in enumerate(fits):
        inside = here in local.slices
        pairs = np.unique(fit.known * n_buckets + table.bucket)
        if inside:
            keys = np.searchsorted(pairs, local.known[local.slices.index(here)] * n_buckets + local.bucket)
            key_of_pair = np.arange(pairs.size)
        else:
            keys, key_of_pair = local.bucket, pairs % n_buckets
        entries = np.bincount(keys, minlength=int(key_of_pair.max(initial=0)) + 1)
        marks, times = np.unique(keys[local.entry[bad]] * n_values + local.value[bad], return_counts=True)
        marks = marks[times == entries[marks // n_values]]  # all combinations there make this value too probable
        order = np.argsort(key_of_pair, kind="stable")
        low = np.searchsorted(key_of_pair[order], marks // n_values, "left")
        high = np.searchsorted(key_of_pair[order], marks // n_values, "right")
        which, at = expand(low, high)
        code = pairs[order[at]] // n_buckets
        hits, times = np.unique(code * n_values + (marks % n_values)[which], return_counts=True)
        occurs = np.bincount(pairs // n_buckets, minlength=fit.count)
        for value in np.unique(hits[times == occurs[hits // n_values]] % n_values).tolist():
            shares = local.share[bad & (local.value == value)]
            found[value] = max(found.get(value, 0.0), float(shares.max()))
    return list(found.items())


def _tried(
    table: SliceView,
    edges: list[Edge],
    fits: list[Fits],
    known: set[str],
    sensitive: list[str],
    limit: float,
    buckets: np.ndarray,
) -> tuple[list[Share], bool]:
    """Tries all people whom the doubtful buckets may hold, as far as the budget goes: a row of which every completion
    is above the limit belongs to somebody who is."""
    slices = _parents_first(edges, len(table.slices))
    found, left, tried_all = list[Share](), _BUDGET, True
    for bucket in buckets.tolist():
        combinations = _completions(table, edges, fits, known, slices, np.array([bucket]), min(left, 50_000))
        if combinations is None or left <= 0:
            tried_all = False
            continue
        codes = combinations[1][np.argsort(slices)]
        left -= codes.shape[1]
        tried = conclusions(table, edges, fits, codes, sensitive, known)
        over, possible = (tried.worst > limit).any(axis=0), tried.matches > 0
        for here in range(len(table.slices)):
            all_of = np.bincount(codes[here][possible], minlength=fits[here].count)
            over_of = np.bincount(codes[here][possible & over], minlength=fits[here].count)
            sure = np.flatnonzero((all_of > 0) & (all_of == over_of))
            if sure.size:
                at = np.flatnonzero(possible & (codes[here] == sure[0]))
                worst = tried.worst[:, at]
                target, person = np.unravel_index(int(worst.argmax()), worst.shape)
                found.append(Share(int(target), int(tried.value[target, at[person]]), float(worst[target, person])))
                break
    return list(dict.fromkeys(found)), tried_all


def _parents_first(edges: list[Edge], count: int) -> list[int]:
    children = {edge.child for edge in edges}
    return [*(i for i in range(count) if i not in children), *(edge.child for edge in edges)]
