"""What a release of ratings lost: distortion, what was blanked or moved, and what can still be learned from it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tacit.arrays.sparse import keep_where
from tacit.ratings.applied import Released
from tacit.ratings.data import Ratings
from tacit.ratings.ranges import Ranged
from tacit.ratings.solvers import _rating_kernels as _kernels
from tacit.ratings.solvers.problem import places_in, rows_at

_MOST_PEOPLE = 20_000
"""Predictions are tried on so many people at most, drawn by the seed."""
_TARGETS = 10
_BINS = 10
_SHRINK = 5.0
"""Ratings that an issue or a person must have before an own mean counts as much as that of all."""


class Sparse(NamedTuple):
    """Ratings as plain numbers: person p rated issues[indptr[p]:indptr[p + 1]]."""

    indptr: np.ndarray
    issues: np.ndarray
    numbers: np.ndarray

    def take(self, people: np.ndarray) -> Sparse:
        indptr, at = rows_at(self.indptr, people)
        return Sparse(indptr, self.issues[at], self.numbers[at])

    @property
    def people(self) -> np.ndarray:
        return np.repeat(np.arange(self.indptr.size - 1), np.diff(self.indptr))


class IssueMeans(NamedTuple):
    """The mean of every issue before and after; NaN where nobody rated it."""

    before: np.ndarray
    after: np.ndarray


def measure_ratings(data: Ratings, released: Released, *, seed: int) -> dict[str, Any]:
    """Every measure that fits ratings. Shares are of the ratings that an attacker may know."""
    problem = data.problem(1, False)
    of_person, (moved, blanked, filled) = _kernels.count_distortion(problem, released.recoding.cells)
    known = max(problem.issues.size, 1)
    suppressed = blanked / known
    distortion = float(of_person.sum()) * data.unit / 10**data.decimals
    before, after = before_and_after(data, released)
    means = issue_means(before, after, len(data.names))
    return {
        "distortion": distortion,
        "distortion_per_rating": distortion / known,
        "kept": 1 - suppressed,
        "unchanged": 1 - (blanked + moved) / known,
        "moved_ratings": moved / known,
        "suppressed": suppressed,
        "blanked": suppressed,  # what is suppressed is called blanked where it is a rating
        "filled": int(filled),
        "people_left_alone": int(np.count_nonzero(of_person == 0)),
        "emptied_people": int(np.count_nonzero((np.diff(before.indptr) > 0) & (np.diff(after.indptr) == 0))),
        "issues_before": int(np.count_nonzero(~np.isnan(means.before))),
        "issues_after": int(np.count_nonzero(~np.isnan(means.after))),
        "issue_mean_error": mean_error(means),
        "issue_rank_correlation": rank_correlation(means),
        **predictions(before, after, data, seed),
        "records": len(data),
    }


def before_and_after(data: Ratings, released: Released | Ranged) -> tuple[Sparse, Sparse]:
    """What an attacker may know, as it was and as it is published, people in the original order."""
    parts = []
    for indptr, issues, numbers in (
        (data.indptr, data.issues, data.numbers(data.issues, data.values)),
        (released.indptr, released.issues, released.numbers(data)),
    ):
        stays = ~data.is_sensitive[issues]
        kept_indptr, kept = keep_where(indptr, issues, stays)
        parts.append(Sparse(kept_indptr, kept, numbers if stays.all() else numbers[stays]))
    return parts[0], parts[1]


def issue_means(before: Sparse, after: Sparse, issues: int) -> IssueMeans:
    """Mean ratings, issue by issue."""

    def means(part: Sparse) -> np.ndarray:
        count = np.bincount(part.issues, minlength=issues)
        total = np.bincount(part.issues, part.numbers, minlength=issues)
        return np.divide(total, count, out=np.full(issues, np.nan), where=count > 0)

    return IssueMeans(means(before), means(after))


def ranks(numbers: np.ndarray) -> np.ndarray:
    """Ranks from 1, the highest first; equals share the mean of theirs."""
    _, which, times = np.unique(-numbers, return_inverse=True, return_counts=True)
    last = np.cumsum(times)
    return (last - (times - 1) / 2.0)[which]


def mean_error(means: IssueMeans) -> float | None:
    both = ~np.isnan(means.before) & ~np.isnan(means.after)
    return float(np.abs(means.before - means.after)[both].mean()) if both.any() else None


def rank_correlation(means: IssueMeans) -> float | None:
    """Spearman's, over issues that somebody is published to have rated."""
    both = ~np.isnan(means.before) & ~np.isnan(means.after)
    if np.count_nonzero(both) < 2:
        return None
    one, other = ranks(means.before[both]), ranks(means.after[both])
    if one.std() == 0 or other.std() == 0:
        return None
    return float(np.corrcoef(one, other)[0, 1])


def predictions(before: Sparse, after: Sparse, data: Ratings, seed: int) -> dict[str, float | None]:
    rng = np.random.default_rng(seed)
    people = before.indptr.size - 1
    if people > _MOST_PEOPLE:
        chosen = np.sort(rng.choice(people, _MOST_PEOPLE, replace=False))
        before, after = before.take(chosen), after.take(chosen)
    is_training = rng.random(before.indptr.size - 1) < 0.5
    hidden = rng.random(before.issues.size) < 0.1
    raters = np.bincount(after.issues, minlength=len(data.names))
    targets = np.argsort(-raters, kind="stable")[:_TARGETS]
    targets = targets[raters[targets] > 0]
    return {
        "naive_bayes_before": naive_bayes_accuracy(before, targets, is_training, len(data.names)),
        "naive_bayes_after": naive_bayes_accuracy(after, targets, is_training, len(data.names)),
        "recommender_error_before": recommender_error(before, before, hidden, len(data.names)),
        "recommender_error_after": recommender_error(after, before, hidden, len(data.names)),
    }


def naive_bayes_accuracy(ratings: Sparse, targets: np.ndarray, is_training: np.ndarray, issues: int) -> float | None:
    """How often Naive Bayes tells from a person's other ratings whether an issue is rated above the middle.

    As in the paper (section V.C), it is trained on one half of the people and tested on the other, both as published.
    The middle is the median of the training half; the mean accuracy over the target issues counts.
    """
    if not ratings.issues.size:
        return None
    low, high = ratings.numbers.min(), ratings.numbers.max()
    level = np.minimum(((ratings.numbers - low) / max(high - low, 1e-12) * _BINS).astype(np.int64), _BINS - 1)
    feature, person = ratings.issues.astype(np.int64) * _BINS + level, ratings.people
    features = issues * _BINS
    learns = is_training[person]
    learned, tested = (feature[learns], person[learns]), (feature[~learns], person[~learns])
    accuracies = []
    for target in targets.tolist():
        is_target = ratings.issues == target
        of = np.full(ratings.indptr.size - 1, np.nan)
        of[person[is_target]] = ratings.numbers[is_target]
        rated = ~np.isnan(of)
        train, test = rated & is_training, rated & ~is_training
        if not train.any() or not test.any():
            continue
        label = of > np.median(of[train])
        group = np.where(rated, label.astype(np.int64), 2)
        times = np.bincount(group[learned[1]] * features + learned[0], minlength=3 * features)
        score = np.zeros(of.size)
        for sign, wanted in ((1.0, 1), (-1.0, 0)):
            of_group = times[wanted * features : (wanted + 1) * features].reshape(issues, _BINS)
            chance = np.log((of_group + 1.0) / (of_group.sum(axis=1, keepdims=True) + _BINS))
            chance[target] = 0.0  # the rating that is to be told says nothing
            score += sign * np.bincount(tested[1], chance.ravel()[tested[0]], minlength=of.size)
            score += sign * np.log((np.count_nonzero(train & (label == wanted)) + 1.0) / (train.sum() + 2.0))
        accuracies.append(float(np.mean((score > 0)[test] == label[test])))
    return float(np.mean(accuracies)) if accuracies else None


def recommender_error(learned: Sparse, true: Sparse, hidden: np.ndarray, issues: int) -> float | None:
    """Root mean square error of a simple recommender on hidden original ratings.

    It learns from `learned`, without what is hidden, the mean of every issue and how far a person is from it on
    average; both are drawn towards the mean of all where there are few ratings.
    """
    if not hidden.any() or not learned.issues.size:
        return None
    keys = true.people * np.int64(issues) + true.issues
    own = learned.people * np.int64(issues) + learned.issues
    seen = places_in(keys[hidden], own) < 0
    if not seen.any():
        return None
    issue, person, number = learned.issues[seen], learned.people[seen], learned.numbers[seen]
    mean = number.mean()
    people = true.indptr.size - 1
    of_issue = np.bincount(issue, number - mean, issues) / (np.bincount(issue, minlength=issues) + _SHRINK)
    rest = number - mean - of_issue[issue]
    of_person = np.bincount(person, rest, people) / (np.bincount(person, minlength=people) + _SHRINK)
    guess = mean + of_issue[true.issues[hidden]] + of_person[true.people[hidden]]
    guess = np.clip(guess, true.numbers.min(), true.numbers.max())
    return float(np.sqrt(np.mean((guess - true.numbers[hidden]) ** 2)))
