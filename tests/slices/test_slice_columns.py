"""Correlations of attributes, columns by clustering, columns by hand, and overlaps."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from naive.slicing import person_table, random_case
from support.seeds import each_seed
from tacit.arrays.attributes import Attribute
from tacit.errors import InputError, PromiseError
from tacit.promises import SlicedDiversity
from tacit.slices.data import PersonTable
from tacit.slices.methods.slicing import search as search_slicing
from tacit.slices.solvers.attacker import bound, worst_in_one_bucket
from tacit.slices.solvers.buckets import severed
from tacit.slices.solvers.clustering import _far_apart, distances, kmeans, kmedoids, silhouette
from tacit.slices.solvers.columns import (
    check_within_reach,
    fixed_columns,
    found_columns,
    overlapping_columns,
    safe_columns,
    sensitive_apart,
    single_columns,
)
from tacit.slices.solvers.correlation import classes_of, correlations, mean_square_contingency
from tacit.slices.solvers.kept import correlation_kept, relinked


def naive_phi(one: np.ndarray, other: np.ndarray) -> float:
    """The coefficient as the paper writes it: over all cells of the table."""
    n, total = len(one), 0.0
    for a in set(one.tolist()):
        for b in set(other.tolist()):
            expected = (one == a).mean() * (other == b).mean()
            total += (((one == a) & (other == b)).sum() / n - expected) ** 2 / expected
    fewest = min(len(set(one.tolist())), len(set(other.tolist())))
    return total / (fewest - 1) if fewest > 1 else 0.0


@each_seed(range(60))
def test_contingency_is_as_written(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one, other = rng.integers(0, rng.integers(1, 7), 40), rng.integers(0, rng.integers(1, 7), 40)
    other = np.where(rng.random(40) < 0.5, one, other)
    assert mean_square_contingency(one, other) == pytest.approx(naive_phi(one, other), abs=1e-12)


def test_contingency_of_many_values_needs_no_table_of_them() -> None:
    rng = np.random.default_rng(0)
    names = np.arange(3000)
    assert mean_square_contingency(names, rng.integers(0, 2500, 3000)) == pytest.approx(1.0)


def test_numbers_are_put_into_classes_and_missing_is_one_more() -> None:
    numbers = np.array([0.0, 1, 2, 3, 100, np.nan])
    codes = np.array([0, 0, 0, 1, 2, 3, 4, 5], np.int32)
    one = Attribute("n", codes, ("0", "1", "2", "3", "100", ""), 5, numbers)
    assert classes_of(one, 2, "width").tolist() == [0, 0, 0, 0, 0, 0, 1, 2]
    assert classes_of(one, 2, "frequency").tolist() == [0, 0, 0, 1, 1, 1, 1, 2]
    assert classes_of(one, 10, "width").tolist() == codes.tolist()


def blocks(seed: int, sizes: tuple[int, ...] = (3, 2, 4), noise: float = 0.1, n: int = 400) -> list[np.ndarray]:
    """Columns that depend on each other inside blocks of these sizes."""
    rng = np.random.default_rng(seed)
    columns = []
    for size in sizes:
        common = rng.integers(0, 4, n)
        columns += [
            np.where(rng.random(n) < noise, rng.integers(0, 4, n), common).astype(np.int32) for _ in range(size)
        ]
    return columns


def table_of(columns: list[np.ndarray], sensitive: tuple[int, ...] = ()) -> PersonTable:
    attributes = tuple(
        Attribute(f"a{i}", column, tuple(f"v{v}" for v in range(int(column.max()) + 1)))
        for i, column in enumerate(columns)
    )
    return PersonTable(attributes, tuple(i for i in range(len(columns)) if i not in sensitive), sensitive)


@pytest.mark.parametrize("cluster", ["kmeans", "kmedoids"])
@each_seed(range(5))
def test_blocks_of_dependent_attributes_are_found(cluster: str, seed: int) -> None:
    table = table_of(blocks(seed))
    found = found_columns(table, correlations(table.attributes), cluster=cluster, seed=seed)
    assert sorted(found) == [(0, 1, 2), (3, 4), (5, 6, 7, 8)]


def test_pam_finds_the_best_medoids_of_small_sets() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        matrix = rng.random((7, 7))
        correlation = (matrix + matrix.T) / 2
        np.fill_diagonal(correlation, 1.0)
        apart = distances(correlation)
        column = kmedoids(correlation, 3)
        found = sum(min(apart[a, m] for m in _medoids(apart, column)) for a in range(7))
        best = min(apart[:, list(chosen)].min(axis=1).sum() for chosen in combinations(range(7), 3))
        assert found <= best * 1.1 + 1e-9


def _medoids(apart: np.ndarray, column: np.ndarray) -> list[int]:
    """Of each cluster the member that is nearest to the others."""
    return [
        min(np.flatnonzero(column == c).tolist(), key=lambda a, c=c: apart[a, column == c].sum())
        for c in np.unique(column)
    ]


def test_silhouette_of_two_tight_pairs() -> None:
    apart = np.array([[0, 0.1, 0.9, 0.9], [0.1, 0, 0.9, 0.9], [0.9, 0.9, 0, 0.1], [0.9, 0.9, 0.1, 0]])
    assert silhouette(apart, np.array([0, 0, 1, 1])) == pytest.approx(0.8 / 0.9)
    assert silhouette(apart, np.array([0, 1, 0, 1])) < 0
    assert silhouette(apart, np.zeros(4, int)) == 0.0


def test_of_the_centres_that_are_drawn_the_best_is_taken() -> None:
    points = np.random.default_rng(4).random((12, 12))
    apart = [[float(((one - other) ** 2).sum()) for other in points] for one in points]
    for seed in range(8):
        rng = np.random.default_rng(seed)
        first = int(rng.integers(12))
        drawn = rng.choice(12, 2 + int(np.log(2)), p=np.array(apart[first]) / sum(apart[first])).tolist()
        best = min(drawn, key=lambda one: sum(map(min, apart[first], apart[one])))
        assert _far_apart(points, 2, np.random.default_rng(seed)).tolist() == points[[first, best]].tolist()


def test_equal_attributes_are_no_trouble_for_kmeans() -> None:
    column = np.array([0, 1] * 10, np.int32)
    assert len(set(kmeans(correlations(table_of([column] * 4).attributes), 3, 0).tolist())) == 1


def test_known_attributes_that_give_a_sensitive_value_away_must_leave() -> None:
    rng = np.random.default_rng(0)
    sensitive = rng.integers(0, 6, 600).astype(np.int32)
    group = (sensitive // 3 * (rng.random(600) < 0.9)).astype(np.int32)
    name = np.arange(600, dtype=np.int32)
    table = table_of([group, name, sensitive], (2,))
    safe = safe_columns(table, ((0, 1, 2),), correlations(table.attributes), 2.5)
    assert safe == ((0, 2), (1,))
    assert worst_in_one_bucket(table, safe) <= bound(2.5)
    assert safe_columns(table, ((0, 1, 2),), correlations(table.attributes), 5) == ((2,), (0, 1))


def test_number_of_columns_stays_when_attributes_must_leave() -> None:
    rng = np.random.default_rng(0)
    columns = [
        rng.integers(0, 5, 300).astype(np.int32),
        np.arange(300, dtype=np.int32),
        rng.integers(0, 4, 300).astype(np.int32),
    ]
    table = table_of(columns, (0,))
    assert safe_columns(table, ((0, 1), (2,)), correlations(table.attributes), 2, keep_count=True) == ((0,), (1, 2))


def test_overlap_keeps_more_and_stays_safe() -> None:
    rng = np.random.default_rng(2)
    bridge = rng.integers(0, 4, 500).astype(np.int32)
    near = [np.where(rng.random(500) < 0.4, rng.integers(0, 4, 500), bridge).astype(np.int32) for _ in range(2)]
    far = [np.where(rng.random(500) < 0.4, rng.integers(0, 4, 500), bridge).astype(np.int32) for _ in range(2)]
    table = table_of([bridge, *near, *far, rng.integers(0, 8, 500).astype(np.int32)], (5,))
    slices = ((0, 1, 2), (3, 4), (5,))
    wider = overlapping_columns(table, slices, correlations(table.attributes), 3)
    assert sum(map(len, wider)) == 8
    assert wider[2] == (5,)
    assert all(set(one) <= set(other) for one, other in zip(slices, wider, strict=True))
    assert severed(wider, correlations(table.attributes)).sum() < severed(slices, correlations(table.attributes)).sum()
    assert worst_in_one_bucket(table, wider) <= bound(3)


def test_overlap_that_would_break_the_promise_is_left_out() -> None:
    sensitive = np.arange(400, dtype=np.int32) % 8
    telling = (sensitive // 2).astype(np.int32)
    table = table_of([telling, telling.copy(), sensitive], (2,))
    assert overlapping_columns(table, ((0, 1), (2,)), correlations(table.attributes), 4) == ((0, 1), (2,))
    assert (2, 0) not in overlapping_columns(table, ((0, 1), (2,)), correlations(table.attributes), 2)


def test_guests_beside_sensitive_only_where_they_may_be() -> None:
    rng = np.random.default_rng(3)
    sensitive = rng.integers(0, 9, 900).astype(np.int32)
    near = np.where(rng.random(900) < 0.5, rng.integers(0, 3, 900), sensitive // 3).astype(np.int32)
    table = table_of([near, rng.integers(0, 3, 900).astype(np.int32), sensitive], (2,))
    correlation = correlations(table.attributes)
    assert overlapping_columns(table, ((0, 1), (2,)), correlation, 2) == ((0, 1), (0, 2))
    assert overlapping_columns(table, ((0, 1), (2,)), correlation, 2, beside_sensitive=False) == ((0, 1), (2,))


@each_seed(range(40))
def test_linking_of_columns_uses_everybody_once_and_agrees(seed: int) -> None:
    case = random_case(seed)
    table, slices = person_table(case), tuple(map(tuple, case.slices))
    _, bucket = np.unique(case.bucket, return_inverse=True)
    drawn = relinked(table, slices, bucket, np.random.default_rng(seed))
    for one in drawn:
        assert sorted(one.tolist()) == list(range(len(table)))
        assert np.array_equal(bucket[one], bucket[drawn[0]])
    for i, j in combinations(range(len(slices)), 2):
        for a in set(slices[i]) & set(slices[j]):
            assert np.array_equal(table.codes[a][drawn[i]], table.codes[a][drawn[j]])


def test_kept_correlation_is_all_of_it_in_one_column_and_little_apart() -> None:
    table = table_of(blocks(0, (3,)), (2,))
    before, one_bucket = correlations(table.attributes), np.zeros(len(table), np.int32)
    assert correlation_kept(table, ((0, 1, 2),), one_bucket, before, 10, "frequency") == pytest.approx(1)
    assert correlation_kept(table, ((0,), (1,), (2,)), one_bucket, before, 10, "frequency") < 0.1


@each_seed(range(5))
def test_what_keeps_more_is_chosen(seed: int) -> None:
    """Two sensitive attributes, each depending on a known one of its own; and overlap on top of that."""
    rng = np.random.default_rng(seed)
    known = [rng.integers(0, 6, 1500).astype(np.int32) for _ in range(2)]
    near = [np.where(rng.random(1500) < 0.6, rng.integers(0, 6, 1500), one).astype(np.int32) for one in known]
    sensitive = [np.where(rng.random(1500) < 0.7, rng.integers(0, 9, 1500), one).astype(np.int32) for one in known]
    table = table_of([*known, *near, *sensitive], (4, 5))
    before = correlations(table.attributes)

    def kept(**options: object) -> float:
        found = search_slicing(table, SlicedDiversity(2.5), seed=seed, **options)  # type: ignore[arg-type]
        slices = tuple(tuple(table.names.index(name) for name in one) for one in found.slices)
        return correlation_kept(table, slices, found.bucket, before, 10, "frequency")

    found = found_columns(table, before, seed=seed)
    for columns in (safe_columns(table, found, before, 2.5), sensitive_apart(table, found, before)):
        assert kept() >= kept(columns=table.named(columns)) - 1e-9
    assert kept(overlap=True) >= kept()


def test_columns_by_hand() -> None:
    table = table_of(blocks(0, (3,)), (2,))
    assert fixed_columns(table, [["a1", "a0"], ["a2"]]) == ((1, 0), (2,))
    assert single_columns(table) == ((0,), (1,), (2,))
    with pytest.raises(InputError, match="leaves out 'a2'"):
        fixed_columns(table, [["a0", "a1"]])
    with pytest.raises(InputError, match="'zip'"):
        fixed_columns(table, [["a0", "a1", "a2", "zip"]])
    with pytest.raises(InputError, match="twice"):
        fixed_columns(table, [["a0", "a1", "a2", "a0"]])


def test_domains_stay_together() -> None:
    table = table_of(blocks(0, (3, 2)))
    found = found_columns(table, correlations(table.attributes), domains={"one": ["a0", "a4"]}, seed=0)
    assert found[0] == (0, 4)
    assert sorted(a for one in found for a in one) == [0, 1, 2, 3, 4]
    with pytest.raises(InputError, match="twice"):
        found_columns(table, correlations(table.attributes), domains={"one": ["a0"], "two": ["a0"]})


def test_leaking_overlap_is_refused_with_the_join() -> None:
    """(a, b, s), (a, c, u), (d, b, v), (d, c, w): each slice alone gives 1/2, joined they give 1."""
    table = table_of([np.array(x, np.int32) for x in ([0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 2, 3])], (2,))
    check_within_reach(table, ((0, 2), (1,)), 2)
    leak = r"\{a0, a2\} and \{a1, a2\}, joined on 'a2', tell somebody's 'a2' with a probability of 1,"
    with pytest.raises(InputError, match=leak):
        check_within_reach(table, ((0, 2), (1, 2)), 2)
    with pytest.raises(PromiseError, match="ℓ = 2 can be reached"):
        check_within_reach(table, ((0, 2), (1,)), 3)


def test_known_attribute_in_two_columns_may_link_the_third() -> None:
    """{A, B}, {B, S}: a rare b tells its owner's s."""
    columns = [np.array(x, np.int32) for x in ([0, 1, 0, 1, 0, 1], [0, 1, 2, 3, 4, 5], [0, 1, 2, 0, 1, 2])]
    table = table_of(columns, (2,))
    with pytest.raises(InputError, match=r"\{a1, a2\} and \{a0, a1\}, joined on 'a1', tell"):
        check_within_reach(table, ((0, 1), (1, 2)), 2)
    with pytest.raises(PromiseError, match=r"\{a1, a2\} tells"):
        check_within_reach(table, ((0,), (1, 2)), 2)
    with pytest.raises(PromiseError, match=r"\{a0, a1, a2\} tells"):  # a0 is shared, but a1 tells it all
        check_within_reach(table, ((0,), (0, 1, 2)), 2)


def test_attributes_that_leave_go_to_the_column_that_left_before() -> None:
    rng = np.random.default_rng(1)
    unique = np.arange(60, dtype=np.int32)
    table = table_of([rng.permutation(60) % 6, unique, rng.permutation(60) % 6, unique[::-1].copy()], (0, 2))
    safe = safe_columns(table, ((0, 1), (2, 3)), correlations(table.attributes), 2, keep_count=True)
    assert safe == ((0,), (2,), (1, 3))
