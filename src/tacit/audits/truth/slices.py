"""Whether a sliced table is true: in every slice the rows are those of the original, bucket by bucket."""

from __future__ import annotations

import numpy as np

from tacit.audits._sliced_tables import joint_codes
from tacit.audits.coverage import Coverage, covers, equals
from tacit.audits.truth.ends import wrong_ends
from tacit.audits.views.slices import SliceOriginal, SliceView

_AT_ONCE = 1 << 24


def false_values(before: SliceOriginal, after: SliceView, rows: np.ndarray | None = None) -> list[str]:
    """What is not true in a sliced table, in sentences; none if all is.

    `rows` [slice, row] is the original record of each row. Without it the rows of a slice are compared as a whole.
    """
    if len(after) != len(before):
        return [f"{len(after):,} records are shown out of {len(before):,}"]
    published = set(after.attributes)
    problems = [f"{name!r} is shown, but it is no attribute of the job" for name in published - set(before.names)]
    problems += [f"{name!r} is not shown" for name in before.names if name not in published]
    if problems:
        return problems
    ends = [problem for column in before.people for problem in wrong_ends(column, after.texts[column.name])]
    if rows is None:
        return [*ends, *(p for i in range(len(after.slices)) for p in _as_a_whole(before, after, i))]
    each = (p for i in range(len(after.slices)) for p in _row_by_row(before, after, i, rows[i]))
    return [*ends, *_buckets(after, rows), *each]


def _buckets(after: SliceView, rows: np.ndarray) -> list[str]:
    """Each slice has each person once, and all slices have the same people in a bucket."""
    everyone = np.arange(len(after))
    if any(not np.array_equal(np.sort(one), everyone) for one in rows):
        return ["a slice does not have every person once"]
    bucket = np.empty((len(rows), len(after)), np.int64)
    for index, one in enumerate(rows):
        bucket[index, one] = after.bucket
    moved = np.count_nonzero((bucket != bucket[0]).any(axis=0))
    return [f"people who are in different buckets in different slices: {moved:,}"] if moved else []


def _row_by_row(before: SliceOriginal, after: SliceView, index: int, rows: np.ndarray) -> list[str]:
    problems = []
    for name, label in zip(after.slices[index], after.codes[index], strict=True):
        codes = before.column(name).codes[rows]
        wrong = int(np.count_nonzero(~_coverage(before, after, name).holds(codes, label)))
        if wrong:
            problems.append(f"values of {name!r} in slice {index + 1} that are not the original's: {wrong:,}")
    return problems


def _coverage(before: SliceOriginal, after: SliceView, name: str) -> Coverage:
    """What the published values of an attribute stand for: only what an attacker knows may be generalized."""
    means = covers if name in before.known else equals
    return means(before.column(name), after.texts[name])


def _as_a_whole(before: SliceOriginal, after: SliceView, index: int) -> list[str]:
    """The rows of a slice as a multiset. Generalized rows are compared where each person fits just one of them."""
    names = after.slices[index]
    covered = {name: _coverage(before, after, name) for name in names}
    given = {name: before.column(name).codes.astype(np.int64) for name in names}
    ranged = [name for name in names if name in before.known]
    exact = [name for name in names if all(covered[each].is_exact() for each in ranged) or name not in ranged]
    shown = [covered[name].same[after.column(index, name)].astype(np.int64) for name in exact]
    had = [given[name] for name in exact]
    if len(exact) < len(names):
        labels = [after.column(index, name) for name in ranged]
        fitting = _fitting([covered[name] for name in ranged], [given[name] for name in ranged], labels)
        if fitting is None:
            return []
        had, shown = [fitting[0], *had], [fitting[1], *shown]
    both, count = joint_codes([np.concatenate(pair) + 1 for pair in zip(shown, had, strict=True)], 2 * len(after))
    balance = np.bincount(both[: len(after)], minlength=count) - np.bincount(both[len(after) :], minlength=count)
    wrong = int(balance[balance > 0].sum())
    return [f"rows of slice {index + 1} that the original does not have: {wrong:,}"] if wrong else []


def _fitting(
    covered: list[Coverage], given: list[np.ndarray], shown: list[np.ndarray]
) -> tuple[np.ndarray, np.ndarray] | None:
    """The published combination that each record fits (−1: none), and that of each row; None if some fit several."""
    code, count = joint_codes(shown, shown[0].size)
    first = np.zeros(count, np.int64)
    first[code] = np.arange(code.size)
    kind, n_kinds = joint_codes(given, given[0].size)
    one_of = np.zeros(n_kinds, np.int64)
    one_of[kind] = np.arange(kind.size)
    found = np.full(n_kinds, -1, np.int64)
    step = max(1, _AT_ONCE // max(count, 1))
    for start in range(0, n_kinds, step):
        some = one_of[start : start + step]
        fits = np.ones((some.size, count), bool)
        for each, codes, labels in zip(covered, given, shown, strict=True):
            fits &= each.holds(codes[some][:, None], labels[first][None, :])
        times = fits.sum(axis=1)
        if (times > 1).any():
            return None
        found[start : start + step] = np.where(times == 1, fits.argmax(axis=1), -1)
    return found[kind], code
