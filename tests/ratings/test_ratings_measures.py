"""What a release of ratings lost, and how the famous attack fares: against slow twins and by hand."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest

import tacit
from support.seeds import each_seed
from tacit import KEpsAnonymity
from tacit.attack.rating_rows import Rows
from tacit.attack.scoreboard import duels
from tacit.ratings.attacked import scoreboard_attack
from tacit.ratings.measures import Sparse, issue_means, naive_bayes_accuracy, ranks, recommender_error


def sparse(people: list[dict[int, float]]) -> Sparse:
    indptr = np.cumsum([0, *map(len, people)])
    issues = np.array([i for person in people for i in sorted(person)], np.int32)
    return Sparse(indptr, issues, np.array([person[i] for person in people for i in sorted(person)], float))


def random_people(seed: int, people: int = 30, issues: int = 12) -> list[dict[int, float]]:
    rng = np.random.default_rng(seed)
    return [
        {int(i): float(rng.integers(1, 6)) for i in np.flatnonzero(rng.random(issues) < 0.6)} for _ in range(people)
    ]


def naive_scores(published: list[dict[int, float]], facts: dict[int, float], r: float) -> list[float]:
    """Scoreboard-RH, word by word, without dates."""
    support = {i: max(2, sum(i in person for person in published)) for i in facts}
    return [
        sum(math.exp(-abs(person[i] - v) / (0.3 * r)) / math.log(support[i]) for i, v in facts.items() if i in person)
        for person in published
    ]


@each_seed(range(10))
def test_the_attack_is_its_literal_twin(seed: int) -> None:
    before, after = random_people(seed), random_people(seed + 100)
    (duel,) = duels(Rows(*sparse(before)), Rows(*sparse(after)), 5.0, 12, known=(3,), people=20, seed=seed)
    rng = np.random.default_rng((seed, 3))
    victims = rng.permutation([p for p, person in enumerate(before) if len(person) >= 3])[:20].tolist()
    facts = []
    for victim in victims:
        rated = sorted(before[victim])
        facts.append({rated[at]: before[victim][rated[at]] for at in rng.permutation(len(rated))[:3]})
    for published, found in ((before, duel.before), (after, duel.after)):
        identified = mistaken = 0
        guessed = 0.0
        for victim, known in zip(victims, facts, strict=True):
            scores = naive_scores(published, known, 5.0)
            first, second = sorted(scores, reverse=True)[:2]
            best = [p for p, score in enumerate(scores) if score >= first - 1e-12]
            guessed += (victim in best) / len(best)
            if np.std(scores) > 0 and (first - second) / np.std(scores) > 1.5:
                identified += best[0] == victim
                mistaken += best[0] != victim
        assert found.people == len(victims)
        assert found.identified == pytest.approx(identified / len(victims))
        assert found.mistaken == pytest.approx(mistaken / len(victims))
        assert found.best_guess == pytest.approx(guessed / len(victims))


def test_a_release_defeats_the_attack() -> None:
    rng = np.random.default_rng(1)
    rated = rng.random((80, 40)) < 0.3
    columns = {f"i{i}": pa.array(rng.integers(1, 6, 80), mask=~rated[:, i]) for i in range(40)}
    made = tacit.anonymize(pa.table(columns), KEpsAnonymity(8, 1), rating=list(columns), scale=(1, 5), seed=1)
    found = scoreboard_attack(made.before, made.recoding, known=(4, 8), people=60, seed=2)
    assert [duel.before.known for duel in found] == [4, 8]
    assert found[1].before.best_guess > 0.9, "eight ratings give anybody away"
    assert found[1].after.best_guess < 0.2 and found[1].after.identified < 0.1
    blurred = scoreboard_attack(made.before, made.recoding, known=(8,), off=2.0, people=60, seed=2)
    assert blurred[0].before.identified < found[1].before.identified
    assert found[0].after.to_dict()["known"] == 4


def test_means_and_ranks() -> None:
    before, after = sparse([{0: 1, 1: 5}, {0: 3}]), sparse([{0: 2, 1: 4}, {0: 2}])
    means = issue_means(before, after, 3)
    assert means.before[:2].tolist() == [2, 5] and means.after[:2].tolist() == [2, 4] and np.isnan(means.before[2])
    assert ranks(np.array([3.0, 5.0, 3.0, 1.0])).tolist() == [2.5, 1, 2.5, 4]


def test_naive_bayes_learns_what_there_is_to_learn() -> None:
    rng = np.random.default_rng(2)
    likes = rng.integers(0, 2, 200)
    people = [{0: 1.0 + 4 * like, 1: 2.0 + 2 * like, 2: float(rng.integers(1, 6))} for like in likes.tolist()]
    training = rng.random(200) < 0.5
    assert naive_bayes_accuracy(sparse(people), np.array([0]), training, 3) == 1.0
    noise = [{0: float(rng.integers(1, 6)), 1: float(rng.integers(1, 6))} for _ in range(200)]
    accuracy = naive_bayes_accuracy(sparse(noise), np.array([0]), training, 3)
    assert accuracy is not None and accuracy < 0.75
    assert naive_bayes_accuracy(sparse([{}, {}]), np.array([0]), np.array([True, False]), 3) is None


def test_the_recommender_knows_means() -> None:
    people = [{0: 5.0, 1: 1.0} for _ in range(100)]
    hidden = np.zeros(200, bool)
    hidden[:2] = True
    error = recommender_error(sparse(people), sparse(people), hidden, 2)
    assert error is not None and error < 0.2
    upside_down = [{0: 1.0, 1: 5.0} for _ in range(100)]
    worse = recommender_error(sparse(upside_down), sparse(people), hidden, 2)
    assert worse is not None and worse > 3
    assert recommender_error(sparse([{}] * 100), sparse(people), hidden, 2) is None


def test_utility_of_a_release() -> None:
    frame = pa.table({"a": [1, 1, 5, 5], "b": [1, None, 3, 3]})
    made = tacit.anonymize(frame, KEpsAnonymity(2, 1), rating=["a", "b"], scale=(1, 5), seed=1)
    cost = made.utility
    assert cost["distortion"] == 1 and cost["blanked"] == pytest.approx(1 / 7) and cost["kept"] == pytest.approx(6 / 7)
    assert cost["distortion_per_rating"] == pytest.approx(1 / 7) and cost["moved_ratings"] == 0
    assert cost["people_left_alone"] == 3, "one of them is in a cell, and shown as before"
    assert made.recoding.people_left_alone == 3 and "people left as they were: 3;" in str(made.recoding)
    assert cost["filled"] == 0 and cost["issues_after"] == 2
    filled = tacit.anonymize(frame, KEpsAnonymity(2, 1), rating=["a", "b"], scale=(1, 5), seed=1, fill=True)
    assert filled.utility["distortion"] == 1
