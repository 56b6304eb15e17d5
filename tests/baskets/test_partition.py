"""LG against Fig. 1(a) of Liu & Wang (2010), its literal twin, and its promise."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import tacit
from naive import partition as naive_partition
from naive import threats as naive
from support.cases import RUNNING_EXAMPLE, Case, as_arrays, random_case, running_taxonomy
from support.seeds import in_parts
from support.views import view_of
from tacit.audits import transactional_k
from tacit.baskets.solvers import partition as methods
from tacit.baskets.solvers.local import LocalAnonymization
from tacit.baskets.solvers.losses import LOSSES, NodeLoss
from tacit.baskets.solvers.partition import largest_k, partition
from tacit.baskets.solvers.problem import Problem, pose
from tacit.errors import PromiseError
from tacit.promises import TransactionalK
from tacit.taxonomy import Taxonomy

SEEDS = 1000


def solved(
    tree: Taxonomy,
    baskets: list[set[int]],
    k: int,
    loss: NodeLoss | None = None,
    weight: np.ndarray | None = None,
    *,
    reallocate: bool = False,
) -> tuple[Problem, LocalAnonymization]:
    indptr, items, leaves = as_arrays(tree, baskets)
    problem = pose(tree, indptr, items, leaves, loss=loss, item_weight=weight)
    nodes = np.searchsorted(problem.origin, leaves).astype(np.int32)[items]
    return problem, partition(indptr, nodes, problem.tree, k, reallocate=reallocate)


def published(problem: Problem, found: LocalAnonymization) -> list[list[int]]:
    """What each row is published as, in nodes of the taxonomy."""
    shown = [np.setdiff1d(cut, suppressed) for cut, suppressed in zip(found.cuts, found.suppressed, strict=True)]
    return [problem.origin[shown[index]].tolist() if index >= 0 else [] for index in found.part.tolist()]


def assert_same_as_twin(
    case: Case, loss: NodeLoss | None = None, weight: np.ndarray | None = None, *, reallocate: bool = False
) -> bool:
    """Whether there was an outcome; without one, the twin would leave a part of fewer than k rows."""
    twin = naive.Tree(case.tree.parent.tolist())
    literal = naive.Loss(
        twin,
        of_node={node: int(loss.numerator[node]) for node in twin.children} if loss else None,
        worst=loss.denominator if loss else None,
        weight=dict(zip(case.tree.leaves.tolist(), weight.tolist(), strict=True)) if weight is not None else None,
    )
    try:
        problem, found = solved(case.tree, case.baskets, case.k, loss, weight, reallocate=reallocate)
    except PromiseError:
        filled = sum(map(bool, case.baskets))
        empty = len(case.baskets) - filled
        assert filled < case.k or 0 < empty < case.k
        return False
    lg = naive_partition.LG(twin, case.baskets, case.k, literal)
    expected = naive_partition.reallocated(lg) if reallocate else lg.run()
    rows = [np.flatnonzero(found.part == index).tolist() for index in range(len(found.cuts))]
    shown = [
        problem.origin[np.setdiff1d(cut, suppressed)].tolist()
        for cut, suppressed in zip(found.cuts, found.suppressed, strict=True)
    ]
    assert list(zip(rows, shown, strict=True)) == [tuple(part) for part in expected.parts]
    assert found.cost == expected.cost
    return True


def test_figure_1_column_3() -> None:
    tree = running_taxonomy()
    baskets = [{tree.node(item) for item in basket} for basket in RUNNING_EXAMPLE]
    problem, found = solved(tree, baskets, 2)
    names = [sorted(tree.names[node] for node in row) for row in published(problem, found)]
    assert names == [["T"], list("Pfg"), list("KMf"), list("KMf"), list("Pfg"), ["T"], ["T"], ["T"]]


def test_same_parts_as_the_literal_twin() -> None:
    compared = sum(assert_same_as_twin(random_case(seed)) for seed in range(SEEDS))
    assert compared > SEEDS // 2


def test_rows_go_where_the_twin_has_them_go() -> None:
    compared = sum(assert_same_as_twin(random_case(seed), reallocate=True) for seed in range(SEEDS // 2))
    assert compared > SEEDS // 4


def test_reallocation_loses_less_often_and_never_more_and_leaves_k_everywhere() -> None:
    less = 0
    for seed in range(SEEDS // 4):
        case = random_case(seed)
        try:
            (problem, before), (_, after) = (
                solved(case.tree, case.baskets, case.k, reallocate=reallocate) for reallocate in (False, True)
            )
        except PromiseError:
            continue
        assert after.cost <= before.cost, seed
        less += after.cost < before.cost
        rows = published(problem, after)
        assert all(rows.count(row) >= case.k for row in rows), seed
        for basket, shown in zip(case.baskets, rows, strict=True):
            assert all(basket & set(naive.Tree(case.tree.parent.tolist()).leaves(node)) for node in shown), seed
    assert less > SEEDS // 100


@in_parts(range(300), 30)
@pytest.mark.parametrize("enough", [2, 3, 5])
def test_same_parts_if_two_threads_share_them(
    enough: int, monkeypatch: pytest.MonkeyPatch, seeds: Sequence[int]
) -> None:
    shared = []
    monkeypatch.setattr(methods, "_MANY", 0)
    monkeypatch.setattr(methods, "_ENOUGH", enough)
    monkeypatch.setattr(methods, "_halved", lambda *parts, halved=methods._halved: shared.append(1) or halved(*parts))
    for seed in seeds:
        assert_same_as_twin(random_case(seed))
    assert len(shared) > len(seeds) // 10


@pytest.mark.parametrize("name", LOSSES)
def test_other_losses_and_weights_give_what_the_twin_gives(name: str) -> None:
    for seed in range(40):
        case = random_case(seed)
        weight = np.random.default_rng(seed).integers(0, 4, case.tree.leaves.size)
        assert_same_as_twin(case, LOSSES[name](case.tree), weight)


@pytest.mark.slow
def test_same_as_the_literal_twin_on_many_more_cases() -> None:
    for seed in range(SEEDS, SEEDS + 10_000):
        assert_same_as_twin(random_case(seed))


@pytest.mark.slow
def test_the_random_cases_are_worth_comparing() -> None:
    """Several parts, nodes between root and leaves, and rows that lose all for want of empty ones: all of it occurs."""
    several = between = stripped = 0
    for seed in range(SEEDS):
        case = random_case(seed)
        try:
            problem, found = solved(case.tree, case.baskets, case.k)
        except PromiseError:
            continue
        several += len(found.cuts) > 1
        between += any(((cut > 0) & (problem.tree.end[cut] > cut + 1)).any() for cut in found.cuts)
        stripped += any(suppressed.size for suppressed in found.suppressed)
    assert several > 300
    assert between > 100
    assert stripped > 30


def test_every_basket_has_k_minus_1_equals_and_is_true() -> None:
    for seed in range(100):
        case = random_case(seed)
        try:
            problem, found = solved(case.tree, case.baskets, case.k)
        except PromiseError:
            continue
        shown = [tuple(row) for row in published(problem, found)]
        assert all(shown.count(row) >= case.k for row in shown)
        for row, basket in zip(shown, case.baskets, strict=True):
            covered = [{leaf for leaf in basket if node <= leaf < case.tree.end[node]} for node in row]
            assert all(covered), "a published node stands for an item that is there"
            assert not row or set().union(*covered) == basket, "and every item is covered"


def test_what_is_published_passes_the_audit() -> None:
    tree = running_taxonomy()
    baskets = [{tree.node(item) for item in basket} for basket in RUNNING_EXAMPLE]
    for k in (2, 3, 4):
        shown = published(*solved(tree, [*baskets, set()], k))
        indptr = np.cumsum([0, *map(len, shown)])
        items = np.array([node for row in shown for node in row], np.int32)
        view = view_of(indptr, items, tree.names)
        assert transactional_k.audit(view, TransactionalK(k)).satisfied
        assert not transactional_k.audit(view, TransactionalK(10)).satisfied


def test_k_1_changes_nothing() -> None:
    for seed in range(60):
        case = random_case(seed)
        problem, found = solved(case.tree, case.baskets, 1)
        assert [set(row) for row in published(problem, found)] == case.baskets
        assert found.cost == 0


def test_too_few_empty_baskets_make_the_cheapest_others_empty() -> None:
    tree = Taxonomy.flat(list("abcd"))
    a, b, c, d = tree.leaves.tolist()
    baskets = [{a, b}, set(), {c}, {a, b}, {d}, {a, b}, {a, b}]
    problem, found = solved(tree, baskets, 3)
    assert published(problem, found) == [[a, b], [], [], [a, b], [], [a, b], [a, b]]
    assert found.part.tolist() == [0, -1, 1, 0, 1, 0, 0]
    assert found.cost * 5 == problem.unit, "two of ten occurrences are lost"


@pytest.mark.parametrize(
    ("sizes", "k", "reachable"),
    [
        ([1, 1], 3, "Set k to 2"),
        ([1, 1, 1, 0], 3, "Set k to 2"),
        ([1, 1, 0, 0, 0, 0], 3, "Set k to 2"),
        ([1], 2, "More baskets"),
        ([0, 0], 3, "Set k to 2"),
    ],
)
def test_too_few_baskets_are_refused_with_what_could_be_reached(sizes: list[int], k: int, reachable: str) -> None:
    tree = Taxonomy.flat(list("ab"))
    with pytest.raises(PromiseError, match=reachable):
        solved(tree, [set(tree.leaves[:size].tolist()) for size in sizes], k)


@pytest.mark.parametrize("filled", range(1, 7))
@pytest.mark.parametrize("empty", range(7))
def test_the_largest_k_is_the_largest_that_leaves_something(filled: int, empty: int) -> None:
    tree = Taxonomy.flat(list("ab"))
    baskets = [set(tree.leaves[:1].tolist())] * filled + [set[int]()] * empty

    def leaves_something(k: int) -> bool:
        try:
            return any(published(*solved(tree, baskets, k)))
        except PromiseError:
            return False

    assert max(filter(leaves_something, range(1, filled + empty + 2))) == largest_k(filled, empty)


def test_no_rows_and_only_empty_rows() -> None:
    tree = Taxonomy.flat(list("ab"))
    _, none = solved(tree, [], 3)
    assert (none.part.size, none.cuts, none.cost) == (0, (), 0)
    _, empty = solved(tree, [set()] * 3, 3)
    assert (empty.part.tolist(), empty.cuts, empty.cost) == ([-1] * 3, (), 0)


def test_the_order_of_items_in_a_row_does_not_matter() -> None:
    tree = running_taxonomy()
    baskets = [{tree.node(item) for item in basket} for basket in RUNNING_EXAMPLE]
    indptr, items, leaves = as_arrays(tree, baskets)
    problem = pose(tree, indptr, items, leaves)
    nodes = np.searchsorted(problem.origin, leaves).astype(np.int32)[items]
    backwards = np.concatenate([nodes[a:b][::-1] for a, b in pairwise(indptr)])
    one, other = (partition(indptr, given, problem.tree, 2) for given in (nodes, backwards))
    assert np.array_equal(one.part, other.part)
    assert all(map(np.array_equal, one.cuts, other.cuts))


def test_long_baskets_and_wide_nodes() -> None:
    tree = Taxonomy.flat([str(i) for i in range(3000)])
    everything = set(tree.leaves.tolist())
    _, found = solved(tree, [everything] * 5, 5)
    assert found.cost == 0
    problem, mixed = solved(tree, [everything - {leaf} for leaf in tree.leaves[:5].tolist()], 5)
    assert mixed.cost == problem.unit


def test_a_release_with_reallocation_leaves_items_out_and_says_so(tmp_path: Path) -> None:
    tree = running_taxonomy()
    table = pa.table({"items": [["a", "f"]] * 3 + [["a", "f", "x"]]})  # x has nobody to be with
    release = tacit.anonymize(
        table, TransactionalK(2), items="items", hierarchy=tree, method="partition", reallocate=True
    )
    release.save(tmp_path / "out")
    assert release.audit.satisfied
    assert release.utility["suppressed"] > 0
    without = tacit.anonymize(table, TransactionalK(2), items="items", hierarchy=tree, method="partition")
    assert release.utility["ncp"] < without.utility["ncp"]
    assert "lost some of their items, or all" in (tmp_path / "out" / "public" / "README.md").read_text("utf-8")
