"""Membership disclosure (Li et al. 2012, section 6.4): can somebody tell who is in the table at all?

Somebody's known values match a bucket that has their part of every slice. Whoever is in the table matches one. The
table protects membership if others match as well: tuples that are made up of rows of one bucket, the fake ones, and as
many buckets.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from tacit.arrays.order import each_once, joint_codes
from tacit.sliced import SlicedTable, linked_rows

_TRIED = 500
"""For so many people, and so many fake tuples, matching buckets are counted; the audit counts them for everybody."""


def membership(
    sliced: SlicedTable, original: np.ndarray, known: Collection[str], rng: np.random.Generator
) -> dict[str, Any]:
    """How many tuples a bucket allows for each person in it, and how many buckets true and fake tuples match.

    `original` [slice, row] tells whose the rows are; tuples are of `known` attributes. Fake ones are drawn as somebody
    would who has the table alone.
    """
    n_buckets, rows = len(sliced.buckets), len(sliced)
    tuples = np.stack([_tuples(sliced, i, known) for i in range(len(sliced.slices))]).astype(np.int64)
    pairs = [each_once(one * n_buckets + sliced.bucket) for one in tuples]
    different = np.stack([np.bincount(one % n_buckets, minlength=n_buckets) for one in pairs])
    sizes = np.bincount(sliced.bucket, minlength=n_buckets)
    possible = np.log10(np.maximum(different, 1)).sum(axis=0) - np.log10(np.maximum(sizes, 1))

    true = np.empty_like(tuples)
    for i, whose in enumerate(original):
        true[i, whose] = tuples[i]
    drawn = np.stack([one[at] for one, at in zip(tuples, linked_rows(sliced, rng), strict=True)])
    sizes_of = [int(one.max(initial=0)) + 1 for one in tuples]
    both, _ = joint_codes(list(np.concatenate((true, drawn), axis=1)), sizes_of, 2 * rows)
    is_fake = ~np.isin(both[rows:], both[:rows])
    people, fakes = rng.permutation(rows)[:_TRIED], rng.permutation(np.flatnonzero(is_fake))[:_TRIED]
    return {
        "fake_tuples": float(is_fake.mean()),
        "possible_tuples_log10": float(np.average(possible, weights=sizes)),
        "matching_buckets": {
            "people": _mean_matching(pairs, true[:, people], n_buckets),
            "fake_tuples": _mean_matching(pairs, drawn[:, fakes], n_buckets),
        },
    }


def _tuples(sliced: SlicedTable, index: int, known: Collection[str]) -> np.ndarray:
    """The combination of known values of each row of a slice, numbered."""
    names = [name for name in sliced.slices[index] if name in known]
    columns = [sliced.codes[index][sliced.slices[index].index(name)] for name in names]
    return joint_codes(columns, [len(sliced.texts[name]) for name in names], len(sliced))[0]


def _mean_matching(pairs: list[np.ndarray], wanted: np.ndarray, n_buckets: int) -> float | None:
    """How many buckets have all parts of a tuple, on average; `wanted` is [slice, tuple]."""
    if not wanted.shape[1]:
        return None
    return float(np.mean([_matching(pairs, one, n_buckets) for one in wanted.T.tolist()]))


def _matching(pairs: list[np.ndarray], wanted: list[int], n_buckets: int) -> int:
    """The buckets of the rarest part are looked up among those of the others."""
    ranges = [
        np.searchsorted(one, (code * n_buckets, (code + 1) * n_buckets))
        for one, code in zip(pairs, wanted, strict=True)
    ]
    rarest = min(range(len(pairs)), key=lambda i: ranges[i][1] - ranges[i][0])
    found = pairs[rarest][slice(*ranges[rarest])] % n_buckets
    for one, code in zip(pairs, wanted, strict=True):
        keys = code * n_buckets + found
        at = np.minimum(np.searchsorted(one, keys), one.size - 1)
        found = found[one[at] == keys]
    return found.size
