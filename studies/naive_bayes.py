"""Naive Bayes for all target issues at once, by sparse products: the numbers of `naive_bayes_accuracy`, sooner.

It tells from a person's other ratings whether an issue is rated above a border.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from tacit.ratings.measures import Sparse

BINS = 10


class Answers(NamedTuple):
    """For each person and target issue: is it rated at all, and above the border?"""

    rated: np.ndarray
    above: np.ndarray

    def of(self, wanted: bool) -> np.ndarray:
        return self.rated & (self.above == wanted)

    def about(self, targets: np.ndarray) -> Answers:
        return Answers(self.rated[:, targets], self.above[:, targets])


def ratings_of(part: Sparse, targets: np.ndarray) -> np.ndarray:
    """The ratings of the target issues, people by targets; NaN where there is none."""
    column = np.full(int(max(part.issues.max(initial=0), targets.max(initial=0))) + 1, -1)
    column[targets] = np.arange(targets.size)
    at = column[part.issues] >= 0
    found = np.full((part.indptr.size - 1, targets.size), np.nan)
    found[part.people[at], column[part.issues[at]]] = part.numbers[at]
    return found


def answers(ratings: np.ndarray, border: np.ndarray) -> Answers:
    return Answers(~np.isnan(ratings), ratings > border)


def borders(ratings: np.ndarray) -> np.ndarray:
    """The middle rating of each target issue; NaN where nobody rated it."""
    rated = ~np.isnan(ratings)
    return np.array(
        [np.median(column[own]) if own.any() else np.nan for column, own in zip(ratings.T, rated.T, strict=True)]
    )


def accuracy_as_published(train: Sparse, test: Sparse, targets: np.ndarray, issues: int) -> float | None:
    """As in the paper: the border is the middle of what is learned from, and the answers are those published."""
    if not train.issues.size + test.issues.size:
        return None
    learned, asked = ratings_of(train, targets), ratings_of(test, targets)
    border = borders(learned)
    known, wanted = answers(learned, border), answers(asked, border)
    score = _scores(*_features((train, test), issues), known, targets)
    return _mean_share_right(score[:, ~np.isnan(border)], wanted.about(~np.isnan(border)))


def accuracy_on_people(
    train: Sparse, test: Sparse, targets: np.ndarray, border: np.ndarray, issues: int
) -> float | None:
    """About true people: the border is that of the original.

    Where the middle was moved, `accuracy_as_published` answers another question. A rating that no training person has
    tells nothing here; else it would speak for the rarer answer.
    """
    known, wanted = (answers(ratings_of(part, targets), border) for part in (train, test))
    learned, asked, issue_of = _features((train, test), issues)
    is_seen = np.bincount(learned.indices, minlength=learned.shape[1]) > 0
    return _mean_share_right(_scores(learned, asked, issue_of, known, targets, is_seen), wanted)


def majority(test: Sparse, targets: np.ndarray, border: np.ndarray) -> float:
    """How often the better of the two constant answers is right."""
    true = answers(ratings_of(test, targets), border)
    above = [true.above[rated, t].mean() for t, rated in enumerate(true.rated.T)]
    return float(np.mean([max(share, 1 - share) for share in above]))


def _features(parts: Sequence[Sparse], issues: int) -> tuple[csr_array, csr_array, np.ndarray]:
    """Each part as people by features, and the issue of each feature: an issue at one of ten levels, if it occurs."""
    numbers = np.concatenate([part.numbers for part in parts])
    low, high = numbers.min(), numbers.max()
    codes = []
    for part in parts:
        level = np.minimum(((part.numbers - low) / max(high - low, 1e-12) * BINS).astype(np.int64), BINS - 1)
        codes.append(part.issues.astype(np.int64) * BINS + level)
    occurs = np.bincount(np.concatenate(codes), minlength=issues * BINS) > 0
    column = np.cumsum(occurs) - 1
    shown = [
        csr_array((np.ones(code.size), column[code], part.indptr), shape=(part.indptr.size - 1, int(occurs.sum())))
        for part, code in zip(parts, codes, strict=True)
    ]
    return shown[0], shown[1], np.flatnonzero(occurs) // BINS


def _scores(
    learned: csr_array,
    asked: csr_array,
    issue_of: np.ndarray,
    known: Answers,
    targets: np.ndarray,
    is_seen: np.ndarray | None = None,
) -> np.ndarray:
    """By how much "above" is more likely than "not above", for each person asked and each target issue."""
    starts = np.flatnonzero(np.diff(issue_of, prepend=-1))
    sizes = np.diff(np.append(starts, issue_of.size))
    score = np.zeros((asked.shape[0], targets.size))
    for sign, wanted in ((1.0, True), (-1.0, False)):
        own = known.of(wanted)
        times = learned.T @ own.astype(float)
        times_of_issue = np.repeat(np.add.reduceat(times, starts, axis=0), sizes, axis=0)
        chance = np.log((times + 1.0) / (times_of_issue + BINS))
        chance[issue_of[:, None] == targets] = 0.0  # an issue does not tell of itself
        if is_seen is not None:
            chance[~is_seen] = 0.0
        score += sign * (asked @ chance)
        score += sign * np.log((own.sum(axis=0) + 1.0) / (known.rated.sum(axis=0) + 2.0))
    return score


def _mean_share_right(score: np.ndarray, wanted: Answers) -> float | None:
    """The mean over all target issues that somebody asked rated."""
    right = (score > 0) == wanted.above
    shares = [float(np.mean(right[rated, t])) for t, rated in enumerate(wanted.rated.T) if rated.any()]
    return float(np.mean(shares)) if shares else None
