"""Lower bounds on the loss of any grouping: never above the least there is, by exhaustive search on small tables."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from scipy.optimize import linprog

import tacit
from naive import relational as naive
from support.grouping_cases import as_attributes, random_columns
from support.seeds import each_seed
from tacit.arrays.reading import read_attribute
from tacit.job import Column
from tacit.records.solvers import least
from tacit.records.solvers.units import Table, exact_measure_of


@pytest.mark.slow
def test_no_grouping_loses_less_than_the_bound_says() -> None:
    as_good = 0
    for seed in range(25):
        rng = np.random.default_rng(seed)
        rows, k = int(rng.integers(4, 9)), int(rng.integers(2, 4))
        columns = random_columns(rng, rows)
        best = min(naive.total_loss(columns, groups) for groups in naive.partitions(list(range(rows)), k)) / rows
        found = least.least_loss(as_attributes(columns), k)
        assert found.bound is not None and found.bound <= best + 1e-12, seed
        if found.group is not None:
            assert np.bincount(found.group).min() >= k
            assert least.ncp_of(as_attributes(columns), found.group) >= best - 1e-9
            as_good += least.ncp_of(as_attributes(columns), found.group) < best + 1e-9
    assert as_good >= 15


@each_seed(range(8), fast=1)
def test_the_bound_is_that_of_the_program_over_all_groups(seed: int) -> None:
    rng = np.random.default_rng(seed)
    columns, k = random_columns(rng, 9), 2 + seed % 2
    groups = [g for size in range(k, 2 * k) for g in combinations(range(9), size)]
    cost = [len(group) * naive.loss(columns, list(group)) for group in groups]
    holds = np.array([[record in group for group in groups] for record in range(9)], float)
    program = linprog(cost, A_eq=holds, b_eq=np.ones(9)).fun / 9
    bound = least.least_loss(as_attributes(columns), k).bound
    assert bound is not None
    assert program * (1 - 2 * least._CLOSE) - 1e-8 <= bound <= program + 1e-12


def test_the_group_that_is_paid_most_is_found_and_few_looks_bound_it() -> None:
    for seed in range(12):
        rng = np.random.default_rng(seed)
        columns, k = random_columns(rng, 10), int(rng.integers(2, 4))
        attributes, price = as_attributes(columns), rng.normal(0.3, 0.3, 10)
        box = Table.of(attributes).record_by_record().units.box
        paid: dict[int, float] = {}
        for size in range(k, 2 * k):
            for group in combinations(range(10), size):
                seed_of = max(group, key=lambda record: (price[record], record))
                worth = sum(price[list(group)]) - size * naive.loss(columns, list(group))
                paid[seed_of] = max(paid.get(seed_of, -np.inf), worth)
        ask = least._Asking(exact_measure_of(attributes), box, k)
        exact, groups = ask.about(price, 10**9)
        rough, _ = ask.about(price, 0)
        for record in range(10):
            assert exact[record] == pytest.approx(max(paid.get(record, 0.0), 0.0), abs=1e-8)
            assert rough[record] >= exact[record] - 1e-12
        assert len(groups) == sum(worth > 1e-8 for worth in paid.values())


def test_the_search_for_a_group_can_end_anywhere_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one seed takes may be much: in between, Ctrl-C is heard."""
    rng = np.random.default_rng(1)
    attributes, price = as_attributes(random_columns(rng, 14)), rng.normal(0.5, 0.2, 14)
    box = Table.of(attributes).record_by_record().units.box
    ask = least._Asking(exact_measure_of(attributes), box, 4)
    for nodes in (10, 70, 10**6):
        most, groups = ask.about(price, nodes)
        pieces: list[int] = []

        def one_by_one(at: np.ndarray, stop: int, pieces: list[int] = pieces) -> Iterator[int]:
            while at[0] < stop:
                pieces.append(1)
                yield 1

        with monkeypatch.context() as patched:
            patched.setattr(least, "up_to", one_by_one)
            again, same = ask.about(price, nodes)
        assert len(pieces) > 2 * len(box)
        assert np.array_equal(most, again) and [*map(list, groups)] == [*map(list, same)]


def test_a_group_of_more_than_k_that_is_far_from_its_first_record_is_found() -> None:
    """Three records that are quickly found are paid 9; five that are further apart, but on one line, are paid 10."""
    others = 25
    table = np.zeros((1 + others + 4, others + 3), np.int64)
    table[np.arange(1, others + 1), np.arange(others)] = 10
    table[others + 1 :, others : others + 2] = 10
    table[others + 1 :, -1] = 0, 5, 7, 10
    attributes = [read_attribute(pa.array(list(map(str, own))), Column("q", "quasi")) for own in table.T.tolist()]
    measure, box = exact_measure_of(attributes), Table.of(attributes).record_by_record().units.box
    step = least._loss(measure, box, np.array([0, 1]))
    price = np.full(len(table), 5 * step)
    price[0] += 1e-6
    line = np.array([0, *range(others + 1, len(table))])
    paid = price[line].sum() - line.size * least._loss(measure, box, line)
    assert paid == pytest.approx(10 * step, abs=1e-5)
    for nodes in (10, 1000, 10**6):
        assert least._Asking(measure, box, 3).about(price, nodes)[0][0] >= paid - 1e-9


def test_what_is_left_out_by_pairs_is_in_no_group_that_is_paid_most() -> None:
    """Whoever may join is looked at two by two before groups are formed: by all groups of eighteen records."""
    n, k = 18, 8
    is_in = ((np.arange(1 << n)[:, None] >> np.arange(n)) & 1).astype(bool)
    is_in = is_in[(is_in.sum(axis=1) >= k) & (is_in.sum(axis=1) < 2 * k)]
    rng = np.random.default_rng(19)
    numbers = rng.integers(0, 17, (int(rng.integers(2, 4)), n))
    numbers[:, 0], numbers[:, -1] = 0, 16
    price = rng.normal(0.6, 0.1, n)
    lengths = [np.where(is_in, own, 0).max(axis=1) - np.where(is_in, own, 16).min(axis=1) for own in numbers]
    loss = np.mean(lengths, axis=0) / 16
    paid = is_in @ price - is_in.sum(axis=1) * loss
    wanted = np.zeros(n)
    np.maximum.at(wanted, np.where(is_in, price, -np.inf).argmax(axis=1), paid)
    attributes = as_attributes([(list(map(str, own)), "number") for own in numbers.tolist()])
    box = Table.of(attributes).record_by_record().units.box
    found, _ = least._Asking(exact_measure_of(attributes), box, k).about(price, 10**9)
    assert np.allclose(found, wanted, atol=1e-8)


def test_many_records_are_bounded_by_their_nearest_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(least, "_PRICED", 0)
    some = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        columns = random_columns(rng, 8)
        best = min(naive.total_loss(columns, groups) for groups in naive.partitions(list(range(8)), 2)) / 8
        bound = least.least_loss(as_attributes(columns), 2).bound
        assert bound is not None and bound <= best + 1e-12
        some += bound > 0
    assert some
    monkeypatch.setattr(least, "MOST_RECORDS", 7)
    assert least.least_loss(as_attributes(columns), 2).bound is None


@pytest.mark.compiled
def test_whoever_asks_gets_the_bound_with_the_release() -> None:
    rng = np.random.default_rng(3)
    table = pa.table({"age": rng.integers(20, 60, 40), "pay": rng.integers(0, 500, 40), "ill": ["a", "b"] * 20})
    wanted = {"quasi": ["age", "pay"], "method": "mondrian", "seed": 1}
    plain = tacit.anonymize(table.drop(["ill"]), tacit.KAnonymity(3), **wanted)
    bounded = tacit.anonymize(table.drop(["ill"]), tacit.KAnonymity(3), bound=True, **wanted)
    diverse = tacit.anonymize(table, tacit.LDiversity(3, 2), sensitive="ill", bound=True, **wanted)
    assert "ncp_lower_bound" not in plain.utility
    assert 0 < bounded.utility["ncp_lower_bound"] <= bounded.utility["ncp"] <= plain.utility["ncp"]
    assert bounded.audit.satisfied
    assert 0 < diverse.utility["ncp_lower_bound"] <= diverse.utility["ncp"]
