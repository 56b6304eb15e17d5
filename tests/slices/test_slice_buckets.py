"""The tuple partition: boxes as the literal algorithm with its full check makes them, and buckets of neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

from naive import slicing as naive
from naive.slicing import Case, person_table
from support.keys import shuffle_of
from support.seeds import each_seed, in_parts
from tacit.arrays import blocks
from tacit.arrays.order import joint_codes
from tacit.slices.solvers.attacker import attacker_of, bound, worst_in_one_bucket
from tacit.slices.solvers.bucketization import bucketize
from tacit.slices.solvers.buckets import deal_out, partition, places, severed, split_into_boxes, staying
from tacit.slices.solvers.correlation import correlations


def feasible(seed: int, l: float) -> Case | None:  # noqa: E741
    """A table that keeps the promise as one bucket."""
    case = naive.random_case(seed, most_records=24, values=3 if l < 2 else 9)
    case = case._replace(bucket=[0] * len(case.records))
    slices = tuple(map(tuple, case.slices))
    return case if worst_in_one_bucket(person_table(case), slices) <= bound(l) else None


def same_partition(one: list[int], other: list[int]) -> bool:
    pairs = set(zip(one, other, strict=True))
    return len(pairs) == len(set(one)) == len(set(other))


@in_parts(range(150), 12)
@pytest.mark.parametrize("l", [1.4, 2])
def test_boxes_are_those_of_the_full_check(l: float, seeds: Sequence[int]) -> None:  # noqa: E741
    split = 0
    for case in filter(None, (feasible(seed, l) for seed in seeds)):
        table = person_table(case)
        attacker = attacker_of(table, tuple(map(tuple, case.slices)))
        importance = np.random.default_rng(0).random(len(case.known)) + 0.1
        box, rows = split_into_boxes(table, attacker, importance, l)
        at = [places(table.codes[a], table.sizes[a]).tolist() for a in case.known]
        assert same_partition(box.tolist(), naive.boxes(case, at, importance.tolist(), l))
        assert sorted(rows.tolist()) == list(range(len(case.records)))
        split += int(box.max() > 0)
    assert split > len(seeds) // 15


@pytest.mark.parametrize("l", [1.4, 2, 2.5, 3])
def test_nobody_is_above_the_bound(l: float) -> None:  # noqa: E741
    several = 0
    for seed in range(180):
        case = feasible(seed, l)
        if case is None:
            continue
        table = person_table(case)
        bucket = partition(table, tuple(map(tuple, case.slices)), correlations(table.attributes), l)
        several += int(bucket.max() > 0)
        assert naive.worst_of_each(case._replace(bucket=bucket.tolist())) <= 1 / Fraction(l)
    assert several > 5


@each_seed(range(150))
def test_dealing_out_is_as_the_twin_does(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, targets, l = int(rng.integers(1, 40)), int(rng.integers(1, 3)), float(rng.choice([1.5, 2, 2.5, 3]))  # noqa: E741
    sensitive = rng.integers(0, int(rng.integers(3, 9)), (targets, n)).astype(np.int32)
    segment = rng.integers(0, 3, n).astype(np.int32)
    _, segment = np.unique(segment, return_inverse=True)
    rows = rng.permutation(n).astype(np.int32)
    found = deal_out(sensitive, rows, segment, l)
    assert found.tolist() == naive.deal_out(sensitive.tolist(), rows.tolist(), segment.tolist(), l)


@each_seed(range(120))
def test_who_stays_is_as_the_twin_says(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, values, level = int(rng.integers(30, 90)), int(rng.integers(3, 8)), int(rng.integers(2, 4))
    case = Case([tuple(rng.integers(0, [2, 3, values, values]).tolist()) for _ in range(n)], [0, 1], [2, 3], [], [])
    table = person_table(case)
    attacker = attacker_of(table, ((0, 2), (1, 3)))
    box = rng.integers(0, 2, n).astype(np.int32)
    segment, _ = joint_codes([box, *attacker.known], [n] * 3, n)
    stays = staying(attacker, box, segment, bound(level))
    twin = naive.staying(
        box.tolist(), attacker.known.tolist(), attacker.sensitive.tolist(), segment.tolist(), Fraction(1, level)
    )
    assert set(segment[stays].tolist()) == twin


def test_few_stay_beside_many_who_are_dealt_out() -> None:
    """Two sensitive attributes beside different known ones, and one small segment that is too uniform."""
    rng = np.random.default_rng(5)
    columns = [rng.integers(0, 4, 2000), rng.integers(0, 4, 2000), rng.integers(0, 10, 2000), rng.integers(0, 10, 2000)]
    alike = (columns[0] == 0) & (columns[1] == 0)
    columns[2][alike] = rng.integers(0, 2, alike.sum())
    case = Case(list(zip(*(one.tolist() for one in columns), strict=True)), [0, 1], [2, 3], [], [])
    table = person_table(case)
    slices = ((0, 2), (1, 3))
    assert worst_in_one_bucket(table, slices) <= bound(3)
    bucket = partition(table, slices, correlations(table.attributes), 3)
    assert np.bincount(bucket).max() < 700
    assert (np.bincount(bucket) <= 4).mean() > 0.9


def test_frequent_value_does_not_make_buckets_large() -> None:
    """Three in five have one value, and ℓ = 1.5: buckets of two are not enough, those of three are."""
    rng = np.random.default_rng(4)
    sensitive = rng.choice(4, 3000, p=[0.6, 0.2, 0.1, 0.1]).astype(np.int32)[None, :]
    sizes = np.bincount(deal_out(sensitive, np.arange(3000, dtype=np.int32), np.zeros(3000, np.int32), 1.5))
    assert set(sizes.tolist()) == {2, 3}


def test_buckets_are_small_and_have_no_value_twice() -> None:
    rng = np.random.default_rng(3)
    sensitive = rng.choice(8, 4000, p=[0.2, 0.2, 0.15, 0.15, 0.1, 0.1, 0.05, 0.05]).astype(np.int32)[None, :]
    bucket = deal_out(sensitive, np.arange(4000, dtype=np.int32), np.zeros(4000, np.int32), 4)
    sizes = np.bincount(bucket)
    assert sizes.min() >= 4
    assert (sizes == 4).mean() > 0.99
    pairs = np.unique(np.stack((bucket, sensitive[0])), axis=1)
    assert pairs.shape[1] == 4000


def test_same_result_for_same_data() -> None:
    rng = np.random.default_rng(1)
    case = Case(
        [tuple(rng.integers(0, 6, 4).tolist()) for _ in range(300)], [0, 1, 2], [3], [[0, 1], [2], [3]], [0] * 300
    )
    table = person_table(case)
    runs = [partition(table, ((0, 1), (2,), (3,)), correlations(table.attributes), 3) for _ in range(2)]
    assert np.array_equal(*runs)


@pytest.mark.parametrize("l", [1.4, 2, 2.5])
def test_work_in_single_steps_comes_to_the_same(l: float, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: E741
    """However small the blocks are in which the kernels work: they go on where they stopped."""

    def found(case: Case) -> tuple[float, list[int]]:
        table, slices = person_table(case), tuple(map(tuple, case.slices))
        bucket = partition(table, slices, correlations(table.attributes), l)
        return worst_in_one_bucket(table, slices), bucket.tolist()

    cases = [case for case in (feasible(seed, l) for seed in range(60)) if case]
    at_once = [found(case) for case in cases]
    monkeypatch.setattr(blocks, "_FIRST", 1)
    monkeypatch.setattr(blocks, "_SECONDS", 0)
    assert [found(case) for case in cases] == at_once
    assert sum(max(bucket) > 0 for _, bucket in at_once) > 3


def test_attributes_cut_from_others_are_severed() -> None:
    correlation = np.array([[1, 0.5, 0.2], [0.5, 1, 0.1], [0.2, 0.1, 1]])
    assert severed(((0, 1), (2,)), correlation).tolist() == pytest.approx([0.2, 0.1, 0.3])
    assert severed(((0, 1), (1, 2)), correlation).tolist() == pytest.approx([0.2, 0.0, 0.2])


@each_seed(range(40))
def test_bucketization_separates_every_sensitive_attribute(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(10, 60))
    case = Case(
        [tuple(rng.integers(0, size, 1).item() for size in (3, 4, 9, 9)) for _ in range(n)], [0, 1], [2, 3], [], []
    )
    most = max(np.bincount([r[a] for r in case.records]).max() for a in (2, 3))
    l = min(3.0, n / most)  # noqa: E741
    slices, bucket = bucketize(person_table(case), l, shuffle_of(seed))
    assert slices == ((0, 1), (2,), (3,))
    case = case._replace(slices=[list(one) for one in slices], bucket=bucket.tolist())
    assert naive.worst_of_each(case) <= 1 / Fraction(l) + Fraction(1, 10**9)
