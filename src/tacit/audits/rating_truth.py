"""Whether published ratings are true: sensitive ones as they were, nobody's ratings invented unless they may be."""

from __future__ import annotations

import numpy as np

from tacit.ratings.data import Ratings
from tacit.ratings.solvers.problem import places_in


def false_ratings(data: Ratings, seen: Ratings, original: np.ndarray | None) -> list[str]:
    """What is not true to the original, in sentences. `original[i]` is who published person i was; None: unknown."""
    if len(seen) != len(data):
        return [f"{len(seen):,} people are shown out of {len(data):,}"]
    number = {name: issue for issue, name in enumerate(data.names_as_in(seen))}
    strays = sorted(name for name in seen.names if name not in number)
    if strays:
        return [f"issues shown that nobody rated: {len(strays):,}"]
    problems = []
    before, after = (part.numbers(part.issues, part.values) for part in (data, seen))
    issue_after = np.array([number[name] for name in seen.names] or [0], np.int64)[seen.issues]
    lowest, highest = (np.array([float(getattr(scale, end)) for scale in data.scales]) for end in ("low", "high"))
    outside = int(np.count_nonzero((after < lowest[issue_after] - 1e-9) | (after > highest[issue_after] + 1e-9)))
    if outside:
        problems.append(f"ratings shown outside their scale: {outside:,}")
    secret = data.is_secret
    if original is None:
        return problems + _compared_as_a_whole(data, secret, before, after, issue_after)
    width = np.int64(max(len(data.names), 1))
    person_after = np.repeat(original, np.diff(seen.indptr))
    keys_before = np.repeat(np.arange(len(data)), np.diff(data.indptr)) * width + data.issues
    keys_after = person_after * width + issue_after
    order = np.argsort(keys_after)
    keys_after = keys_after[order]
    invented = places_in(keys_before, keys_after) < 0
    if not data.fill and invented.any():
        problems.append(f"ratings shown that nobody gave: {int(invented.sum()):,}")
    mine = secret[data.issues]
    theirs = secret[issue_after[order]]
    if not np.array_equal(keys_before[mine], keys_after[theirs]) or not np.allclose(
        before[mine], after[order][theirs], rtol=0, atol=1e-9
    ):
        problems.append("sensitive ratings that are not as they were")
    return problems


def _compared_as_a_whole(
    data: Ratings, secret: np.ndarray, before: np.ndarray, after: np.ndarray, issue_after: np.ndarray
) -> list[str]:
    """Without knowing who is who: no issue has more ratings, and sensitive ones have the same."""
    problems = []
    counts = np.bincount(data.issues, minlength=secret.size), np.bincount(issue_after, minlength=secret.size)
    if not data.fill and (counts[1] > counts[0]).any():
        problems.append(f"issues with more ratings than were given: {int((counts[1] > counts[0]).sum()):,}")
    for issue in np.flatnonzero(secret):
        mine, theirs = np.sort(before[data.issues == issue]), np.sort(after[issue_after == issue])
        if mine.size != theirs.size or not np.allclose(mine, theirs, rtol=0, atol=1e-9):
            problems.append("sensitive ratings that are not as they were")
            break
    return problems
