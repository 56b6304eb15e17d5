"""A standard item-based recommender, learned from ratings: what somebody who trains on a release would get.

A rating is guessed as what the issue and the person are about on average, and as the person's ratings of the issues
most like it differ from that (Sarwar et al., WWW 2001; with baselines as Koren's, KDD 2008). Likeness is the cosine of
what is left of ratings beside those averages, drawn towards 0 where few people rated both.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.ratings.solvers.problem import places_in

MOST_ISSUES = 1_000
"""It knows the issues that most people rated."""
_NEIGHBOURS = 40
_SHRINK = 25.0
_FEW = 5.0
_RANKED = 10
_AT_ONCE = 2_000


class Judged(NamedTuple):
    """How good its guesses are on hidden ratings: the root mean square error, and NDCG of each person's first ten."""

    rmse: float | None
    ndcg: float | None


class Ratings(NamedTuple):
    """Ratings of people by number: who, which issue, and how high."""

    people: np.ndarray
    issues: np.ndarray
    numbers: np.ndarray


def judged(learned: Ratings, true: Ratings, hidden: np.ndarray, people: int, issues: int) -> Judged:
    """Learns from `learned`, without what is hidden of `true`, and is judged by that.

    `hidden` says of each true rating whether it is. Issues are those of `chosen_issues`.
    """
    asked = Ratings(*(part[hidden] for part in true))
    keys = asked.people * np.int64(issues) + asked.issues
    seen = places_in(np.sort(keys), learned.people * np.int64(issues) + learned.issues) < 0
    if not asked.people.size or not seen.any():
        return Judged(None, None)
    guesses = _guesses(Ratings(*(part[seen] for part in learned)), asked, people, issues)
    low, high = true.numbers.min(), true.numbers.max()
    guesses = np.clip(guesses, low, high)
    error = float(np.sqrt(np.mean((guesses - asked.numbers) ** 2)))
    return Judged(error, ndcg(asked.people, guesses, asked.numbers - low))


def _guesses(learned: Ratings, asked: Ratings, people: int, issues: int) -> np.ndarray:
    person, issue, number = learned
    mean = number.mean()
    of_issue = np.bincount(issue, number - mean, issues) / (np.bincount(issue, minlength=issues) + _FEW)
    rest = number - mean - of_issue[issue]
    of_person = np.bincount(person, rest, people) / (np.bincount(person, minlength=people) + _FEW)
    rest = (rest - of_person[person]).astype(np.float32)
    table, given = np.zeros((people, issues), np.float32), np.zeros((people, issues), np.float32)
    table[person, issue], given[person, issue] = rest, 1
    weight = _likeness(table, given)
    found = mean + of_issue[asked.issues] + of_person[asked.people]
    for start in range(0, people, _AT_ONCE):
        stop = min(start + _AT_ONCE, people)
        here = (asked.people >= start) & (asked.people < stop)
        who, what = asked.people[here] - start, asked.issues[here]
        moved = table[start:stop] @ weight.T
        total = given[start:stop] @ np.abs(weight).T
        found[here] += moved[who, what] / (total[who, what] + 1e-6)
    return found


def _likeness(table: np.ndarray, given: np.ndarray) -> np.ndarray:
    """How alike issues are: of each the most alike ones, others 0."""
    both = given.T @ given
    length = np.sqrt((table**2).T @ given)  # of an issue's ratings by those who rated the other one, too
    cosine = (table.T @ table) / np.maximum(length * length.T, 1e-9)
    alike = cosine * both / (both + _SHRINK)
    np.fill_diagonal(alike, 0)
    if alike.shape[0] > _NEIGHBOURS:
        least = -np.partition(-alike, _NEIGHBOURS - 1, axis=1)[:, _NEIGHBOURS - 1]
        alike = np.where(alike >= np.maximum(least, 0)[:, None], alike, 0)
    return np.maximum(alike, 0)


def ndcg(people: np.ndarray, guesses: np.ndarray, gains: np.ndarray) -> float | None:
    """How much of what could be gained is gained by the first ten of each person's ratings, as they were guessed.

    >>> ndcg(np.array([0, 0]), np.array([1.0, 2.0]), np.array([0.0, 3.0]))
    1.0
    """
    scores = []
    for order in (np.lexsort((-guesses, people)), np.lexsort((-gains, people))):
        whose = people[order]
        start = np.searchsorted(whose, whose)
        rank = np.arange(whose.size) - start
        share = np.where(rank < _RANKED, gains[order] / np.log2(rank + 2.0), 0.0)
        scores.append(np.bincount(whose, share))
    several = (np.bincount(people) > 1) & (scores[1] > 0)
    return float(np.mean(scores[0][several] / scores[1][several])) if several.any() else None


def chosen_issues(issues: np.ndarray, number: int) -> np.ndarray:
    """The place of each issue among those it knows, −1 for others; the most rated ones, of equals the first."""
    raters = np.bincount(issues, minlength=number)
    chosen = np.argsort(-raters, kind="stable")[:MOST_ISSUES]
    chosen = np.sort(chosen[raters[chosen] > 0])
    place = np.full(number, -1, np.int64)
    place[chosen] = np.arange(chosen.size)
    return place
