"""Whether a sliced table is true: in every slice the rows are those of the original, bucket by bucket.

Own code, from what was published and the original alone; the decision of the method is not consulted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.audits._slices_tables import numbering
from tacit.audits.slices_cover import Cover, cover_of, exact_codes

if TYPE_CHECKING:
    from tacit.sliced import SlicedTable
    from tacit.slices.data import PersonTable

_AT_ONCE = 1 << 24


def false_slices(before: PersonTable, after: SlicedTable, original: np.ndarray | None = None) -> list[str]:
    """What is not true in a sliced table, in sentences; none if all is.

    `original` [slice, row] is the original record of each row. Without it the rows of a slice are compared as a whole.
    """
    if len(after) != len(before):
        return [f"{len(after):,} records are shown out of {len(before):,}"]
    published = set(after.attributes)
    problems = [f"{name!r} is shown, but it is no attribute of the job" for name in published - set(before.names)]
    problems += [f"{name!r} is not shown" for name in before.names if name not in published]
    if problems:
        return problems
    if original is None:
        return [problem for number in range(len(after.slices)) for problem in _as_a_whole(before, after, number)]
    return [
        *_buckets(after, original),
        *(p for i in range(len(after.slices)) for p in _row_by_row(before, after, i, original[i])),
    ]


def _buckets(after: SlicedTable, original: np.ndarray) -> list[str]:
    """Each slice has each person once, and all slices have the same people in a bucket."""
    rows = np.arange(len(after))
    if any(not np.array_equal(np.sort(one), rows) for one in original):
        return ["a slice does not have every person once"]
    bucket = np.empty((len(original), len(after)), np.int64)
    for number, one in enumerate(original):
        bucket[number, one] = after.bucket
    moved = np.count_nonzero((bucket != bucket[0]).any(axis=0))
    return [f"people who are in different buckets in different slices: {moved:,}"] if moved else []


def _row_by_row(before: PersonTable, after: SlicedTable, number: int, original: np.ndarray) -> list[str]:
    problems = []
    for name, column in zip(after.slices[number], after.codes[number], strict=True):
        a = before.names.index(name)
        codes = before.codes[a][original].astype(np.int64)
        exact = exact_codes(before.attributes[a], after.texts[name])
        wrong = exact[column] != codes
        if wrong.any() and a not in before.hidden:
            cover = cover_of(before.attributes[a], after.texts[name])
            wrong[wrong] = ~cover.fits(codes[wrong], column[wrong])
        if wrong.any():
            problems.append(f"values of {name!r} in slice {number + 1} that are not the original's: {wrong.sum():,}")
    return problems


def _as_a_whole(before: PersonTable, after: SlicedTable, number: int) -> list[str]:
    """The rows of a slice as a multiset. Generalized rows are compared where each person fits just one of them."""
    names = after.slices[number]
    attributes = [before.names.index(name) for name in names]
    exact = [exact_codes(before.attributes[a], after.texts[name]) for a, name in zip(attributes, names, strict=True)]
    general = [(codes < 0).any() and a not in before.hidden for codes, a in zip(exact, attributes, strict=True)]
    shown = [codes[column] for codes, column in zip(exact, after.codes[number], strict=True)]
    given = [before.codes[a].astype(np.int64) for a in attributes]
    if any(general):
        ranged = [i for i, a in enumerate(attributes) if a not in before.hidden]
        covers = [cover_of(before.attributes[attributes[i]], after.texts[names[i]]) for i in ranged]
        fitting = _fitting(covers, [given[i] for i in ranged], [after.codes[number][i] for i in ranged])
        if fitting is None:
            return []
        rest = [i for i in range(len(names)) if i not in ranged]
        shown = [fitting[1], *(shown[i] for i in rest)]
        given = [fitting[0], *(given[i] for i in rest)]
    both, count = numbering([np.concatenate(pair) + 1 for pair in zip(shown, given, strict=True)], 2 * len(after))
    balance = np.bincount(both[: len(after)], minlength=count) - np.bincount(both[len(after) :], minlength=count)
    wrong = int(balance[balance > 0].sum())
    return [f"rows of slice {number + 1} that the original does not have: {wrong:,}"] if wrong else []


def _fitting(
    covers: list[Cover], given: list[np.ndarray], shown: list[np.ndarray]
) -> tuple[np.ndarray, np.ndarray] | None:
    """The published combination that each record fits (−1: none), and that of each row; None if some fit several."""
    number, count = numbering(shown, shown[0].size)
    first = np.zeros(count, np.int64)
    first[number] = np.arange(number.size)
    kind, n_kinds = numbering(given, given[0].size)
    one_of = np.zeros(n_kinds, np.int64)
    one_of[kind] = np.arange(kind.size)
    found = np.full(n_kinds, -1, np.int64)
    step = max(1, _AT_ONCE // max(count, 1))
    for start in range(0, n_kinds, step):
        some = one_of[start : start + step]
        fits = np.ones((some.size, count), bool)
        for cover, codes, column in zip(covers, given, shown, strict=True):
            fits &= cover.fits(codes[some][:, None], column[first][None, :])
        times = fits.sum(axis=1)
        if (times > 1).any():
            return None
        found[start : start + step] = np.where(times == 1, fits.argmax(axis=1), -1)
    return found[kind], number
