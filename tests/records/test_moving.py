"""Records that move or change places at the end: as the slow twin does it, to less loss, and the promise holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from math import inf

import numpy as np
import pytest

from naive import moving as naive
from naive.reltrans import loss
from support.rt_cases import arrays, as_published, random_partition, random_problem
from support.seeds import first_fast, in_parts
from tacit.arrays.attributes import Attribute
from tacit.audits.k_km import audit as audit_k_km
from tacit.audits.k_lm import audit as audit_k_lm
from tacit.errors import PromiseError
from tacit.promises import KKmAnonymity
from tacit.records.solvers import moving
from tacit.records.solvers.clusters import Clusters
from tacit.records.solvers.frontier import balanced, item_loss, item_loss_of, value_loss
from tacit.records.solvers.mending import TOO_SURE, states
from tacit.records.solvers.parts import TRANSFORMATIONS, Parts
from tacit.records.solvers.problem import RecordProblem, rows_by_group
from tacit.records.solvers.rum import RUM

Rows = frozenset[int]


def posed(seed: int, *, diverse: bool) -> tuple[RecordProblem, Parts, np.ndarray] | None:
    """A random problem with clusters that keep the promise."""
    problem = random_problem(seed, diverse=diverse)
    try:
        problem.check()
    except PromiseError:
        return None
    group = random_partition(np.random.default_rng(seed), len(problem), problem.promise.k)
    clusters = Clusters(problem, group, RUM["ncp"])
    if (states(clusters, clusters.alive) == TOO_SURE).any():
        return None
    return problem, Parts(problem, TRANSFORMATIONS["sets"](problem)), group


def slowly(problem: RecordProblem, parts: Parts, group: np.ndarray, balance: float, near: np.ndarray) -> list[Rows]:
    everybody = Clusters(problem, np.zeros(len(problem), np.int32), RUM["ncp"])

    @cache
    def items(rows: Rows) -> float:
        return item_loss(parts, np.array(sorted(rows), np.int64)) / max(problem.items.size, 1)

    @cache
    def lost(rows: Rows) -> float:
        inside = np.isin(np.arange(len(problem)), sorted(rows)).astype(np.int32)
        both = Clusters(problem, 1 - inside, RUM["ncp"])
        both.diverse_as_one = everybody.diverse_as_one
        if parts.is_large(len(rows)):
            return inf
        if len(rows) < problem.promise.k or states(both, np.zeros(1, np.int64))[0] == TOO_SURE:
            return inf
        each = zip(problem.attributes, problem.weights, strict=True)
        values = sum(weight * loss(attribute, rows) for attribute, weight in each) * len(rows) / len(problem)
        return float((1 - balance) * values + balance * items(rows))

    clusters = [frozenset(rows.tolist()) for rows in rows_by_group(group, int(group.max()) + 1)]
    return naive.moved(clusters, near.tolist(), problem.promise.k, lost, lambda rows: items(rows) > 0, 40)


@in_parts(range(60), 6)
@pytest.mark.parametrize("diverse", [False, True])
def test_records_move_as_the_twin_moves_them(diverse: bool, seeds: Sequence[int]) -> None:
    moves = compared = 0
    for seed in seeds:
        case = posed(seed, diverse=diverse)
        if case is None or case[0].promise.m > 2:
            continue  # where records show three sets, nobody can tell quickly, and they stay
        problem, parts, group = case
        near = moving.nearest_records(problem, seed)
        found = moving.moved(problem, parts, group, 0.5, seed)
        if not diverse:
            expected = slowly(problem, parts, group, 0.5, near)
            assert [frozenset(rows.tolist()) for rows in rows_by_group(found, len(expected))] == expected, seed
        compared += 1
        moves += int((found != group).any())
        assert np.bincount(found).min() >= problem.promise.k, seed
        assert np.array_equal(found, moving.moved(problem, parts, group, 0.5, seed))
    assert compared > len(seeds) // 4
    assert moves > compared // 4


@in_parts(range(60), 20)
@pytest.mark.parametrize("diverse", [False, True])
@pytest.mark.parametrize("balance", first_fast([0.5, 0.0, 1.0]))
def test_moving_never_loses_more_and_passes_the_audit(
    diverse: bool, balance: float, seeds: Sequence[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    audit, less = audit_k_lm if diverse else audit_k_km, 0
    for seed in seeds:
        case = posed(seed, diverse=diverse)
        if case is None:
            continue
        problem, parts, _ = case
        found = balanced(problem, parts, balance, seed)
        assert audit(as_published(problem, found.decided), problem.promise).satisfied, seed  # type: ignore[operator]
        with monkeypatch.context() as still:
            still.setattr("tacit.records.solvers.frontier.moved", lambda problem, parts, group, *_: group)
            before = balanced(problem, parts, balance, seed)
        share = min(max(balance, 1e-3), 1 - 1e-3)
        lost = [
            (1 - share) * value_loss(problem, each.decided.group) + share * item_loss_of(problem, parts, each.decided)
            for each in (found, before)
        ]
        if before.decided.merges == found.decided.merges == 0:
            assert lost[0] <= lost[1] + 1e-9, seed
            less += lost[0] < lost[1] - 1e-9
    assert less > 0


def test_a_cluster_of_k_records_only_changes_places() -> None:
    """Two clusters of k; the rare item is in both, and comes together where it can stay as it is."""
    age = Attribute("age", np.array([0, 0, 1, 1], np.int32), ("1", "2"), numbers=np.array([1.0, 2.0]))
    baskets = arrays([{0}, {1}, {0}, {1}])
    problem = RecordProblem((age,), *baskets, np.zeros(2, np.int32), *arrays([set()] * 4), KKmAnonymity(2, 1))
    parts, group = Parts(problem, TRANSFORMATIONS["sets"](problem)), np.array([0, 0, 1, 1], np.int32)
    assert moving.moved(problem, parts, group, 0.1, 1).tolist() == [0, 0, 1, 1]  # values weigh more
    found = moving.moved(problem, parts, group, 0.9, 1)
    assert found[0] == found[2] != found[1] == found[3]


@in_parts(range(30), 4)
def test_persons_with_several_records_stay_safe(seeds: Sequence[int]) -> None:
    moves = 0
    for seed in seeds:
        problem = replace(random_problem(seed, diverse=False), promise=KKmAnonymity(2, 2))
        persons = np.random.default_rng(seed).integers(0, max(len(problem) // 2, 2), len(problem)).astype(np.int32)
        problem = replace(problem, persons=persons)
        parts = Parts(problem, TRANSFORMATIONS["sets"](problem))
        try:
            problem.check()
            found = balanced(problem, parts, 0.5, seed)
        except PromiseError:
            continue
        group = moving.moved(problem, parts, found.decided.group, 0.5, seed)
        for each in (found.decided.group, group):
            assert all(np.unique(persons[each == one]).size >= 2 for one in np.unique(each)), seed
        coarse = random_partition(np.random.default_rng(seed), len(problem), 6)
        if all(np.unique(persons[coarse == one]).size >= 2 for one in np.unique(coarse)):
            after = moving.moved(problem, parts, coarse, 0.5, seed)
            moves += int((after != coarse).any())
            assert all(np.unique(persons[after == one]).size >= 2 for one in np.unique(after)), seed
    assert moves > 0
