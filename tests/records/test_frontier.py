"""The frontier of loss in values against loss in items: exact where it can be counted out, safe everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import chain, product

import numpy as np
import pyarrow as pa
import pytest

import tacit
from support.rt_cases import arrays, as_published, random_problem
from support.seeds import in_parts
from tacit.arrays.attributes import Attribute
from tacit.audits.k_km import audit as audit_k_km
from tacit.audits.k_lm import audit as audit_k_lm
from tacit.errors import InputError, PromiseError
from tacit.methods import METHODS
from tacit.promises import KKmAnonymity
from tacit.records.solvers import frontier, six
from tacit.records.solvers.cutting import (
    CutTree,
    by_items_or_none,
    tree_by_baskets,
    tree_of_groups,
    tree_of_records,
    value_losses,
)
from tacit.records.solvers.frontier import balanced, item_loss, item_loss_of, losses_of_parts, value_loss
from tacit.records.solvers.parts import TRANSFORMATIONS, BySets, Parts
from tacit.records.solvers.problem import RecordProblem
from tacit.records.solvers.pruning import LossTree, undominated

POPULAR = 1 / np.arange(1, 41) / (1 / np.arange(1, 41)).sum()


def posed(seed: int, *, diverse: bool = False, baskets: str = "coat") -> tuple[RecordProblem, Parts] | None:
    problem = random_problem(seed, diverse=diverse)
    try:
        problem.check()
    except PromiseError:
        return None
    return problem, Parts(problem, TRANSFORMATIONS[baskets](problem))


@in_parts(range(40), 5)
@pytest.mark.parametrize("diverse", [False, True])
@pytest.mark.parametrize(
    "baskets", ["apriori", *(pytest.param(name, marks=pytest.mark.slow) for name in ("coat", "pcta", "sets"))]
)
def test_every_balance_passes_the_audit(diverse: bool, baskets: str, seeds: Sequence[int]) -> None:
    audit, checked = audit_k_lm if diverse else audit_k_km, 0
    for seed in seeds:
        case = posed(seed, diverse=diverse, baskets=baskets)
        if case is None:
            continue
        problem, parts = case
        for balance in (0.0, 0.5, 1.0):
            try:
                found = balanced(problem, parts, balance, seed)
            except PromiseError:
                continue
            assert all(np.isfinite([point.values, point.items]).all() for point in found.points), seed
            result = audit(as_published(problem, found.decided), problem.promise)  # type: ignore[operator]
            assert result.satisfied, (seed, balance, str(result))
            checked += 1
    assert checked > 3 * len(seeds) // 4


def test_the_curve_falls_and_tells_what_is_published() -> None:
    told = 0
    for seed in range(40):
        case = posed(seed)
        if case is None:
            continue
        problem, parts = case
        found = balanced(problem, parts, 0.5, seed)
        values, items = ([getattr(point, what) for point in found.points] for what in ("values", "items"))
        assert values == sorted(values)
        assert items == sorted(items, reverse=True)
        chosen = found.points[found.chosen]
        assert chosen.values + chosen.items == pytest.approx(
            min(a + b for a, b in zip(values, items, strict=True)), abs=1e-12
        )
        if found.decided.merges == 0:
            assert item_loss_of(problem, parts, found.decided) == pytest.approx(chosen.items, abs=1e-9), seed
            assert value_loss(problem, found.decided.group) == pytest.approx(chosen.values, abs=1e-9), seed
            told += 1
    assert told > 10


def test_points_between_others_lose_what_their_clusters_lose(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those too that keep clusters apart which another tree has in place of the one for all."""
    monkeypatch.setattr(frontier, "_APART", 2)
    checked = 0
    for seed in range(40):
        case = posed(seed)
        if case is None:
            continue
        problem, parts = case
        trees = frontier._trees(problem, parts, seed)
        every = reduce(lambda behind, tree: tree.or_else(behind), reversed(trees))
        points = undominated([point for tree in (every, *trees) for point in tree.frontier()])
        for made in (frontier.between_the_wide, frontier.beside_the_last):
            for point in made(problem, parts, points):
                group = point.groups(len(problem))
                assert value_loss(problem, group) == pytest.approx(point.values, abs=1e-9), seed
                assert np.bincount(group).min() >= problem.promise.k
                checked += 1
    assert checked > 20


def every_partition(tree: CutTree, part: int) -> list[list[int]]:
    if tree.left[part] < 0:
        return [[part]]
    left = int(tree.left[part])
    sides = product(every_partition(tree, left), every_partition(tree, left + 1))
    return [[part], *([*one, *other] for one, other in sides)]


def test_no_partition_of_the_tree_is_better() -> None:
    compared = 0
    for seed in range(60):
        case = posed(seed)
        if case is None:
            continue
        problem, parts = case
        tree = tree_of_records(problem, by_items_or_none(problem), problem.promise.k)
        if len(tree) > 15:
            continue
        losses = LossTree.of(tree, *losses_of_parts(problem, tree, parts, len(problem)))
        roots = np.flatnonzero(tree.depth == 0).tolist()
        for weight in (0.01, 1.0, 30.0):
            best = losses.best(weight)
            expected = sum(
                min(
                    sum(losses.values[part] + weight * losses.items[part] for part in some)
                    for some in every_partition(tree, root)
                )
                for root in roots
            )
            assert best.values + weight * best.items == pytest.approx(expected, abs=1e-12)
            compared += len(tree) > 1
    assert compared > 20


def test_coarse_partitions_that_no_weight_finds_are_found() -> None:
    """All partitions into large parts that no other one is as good as, also those between two points of the curve."""
    compared = off_the_hull = 0
    for seed in range(60):
        case = posed(seed)
        if case is None:
            continue
        problem, parts = case
        pieces, least = by_items_or_none(problem), max(problem.promise.k, len(problem) // 8)
        tree = tree_of_records(problem, pieces, least)
        losses = LossTree.of(tree, *losses_of_parts(problem, tree, parts, len(problem)))
        every = [
            (sum(losses.values[part] for part in some), sum(losses.items[part] for part in some))
            for some in (
                [*chain.from_iterable(sides)]
                for sides in product(
                    *(every_partition(tree, root) for root in np.flatnonzero(tree.depth == 0).tolist())
                )
            )
        ]
        best = [one for one in every if not any(is_better(other, one) for other in every)]
        found = [(point.values, point.items) for point in losses.coarse(least)]
        assert all(any(np.allclose(one, other) for other in found) for one in best), seed
        assert not any(max(np.subtract(other, one)) < -1e-9 for one in found for other in every), seed
        by_weight = [(point.values, point.items) for point in losses.frontier()]
        off_the_hull += any(not any(np.allclose(one, other) for other in by_weight) for one in best)
        compared += len(best) > 1
    assert compared > 10 and off_the_hull > 3


def is_better(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return max(np.subtract(one, other)) <= 1e-12 and min(np.subtract(one, other)) < -1e-12


def test_whole_parts_by_one_attribute_are_on_the_curve() -> None:
    """Men and women as two clusters, with the few without items among them: where those without items are a cluster
    of their own, values lose more; a curve of such clusters alone would be beaten by the six here."""
    rng = np.random.default_rng(3)
    sex, age = rng.integers(0, 2, 400).astype(np.int32), rng.integers(0, 50, 400).astype(np.int32)
    baskets = [set(rng.choice(40, rng.integers(1, 7), p=POPULAR).tolist()) if i >= 40 else set() for i in range(400)]
    attributes = (
        Attribute("sex", sex, ("f", "m")), Attribute("age", age, tuple(map(str, range(50))), numbers=np.arange(50.0)),
    )  # fmt: skip
    problem = RecordProblem(
        attributes, *arrays(baskets), np.zeros(40, np.int32), *arrays([set()] * 400), KKmAnonymity(40, 2)
    )
    parts = Parts(problem, BySets(problem, "sets"))
    assert len(by_items_or_none(problem)) == 2
    two = [np.flatnonzero(sex == each) for each in (0, 1)]
    values = value_loss(problem, sex)
    coat = Parts(problem, BySets(problem, "coat"))
    items = sum(item_loss(coat, rows) for rows in two) / problem.items.size
    found = balanced(problem, parts, 0.5, 1)
    assert min(point.items for point in found.points if point.values <= values + 1e-9) <= items + 1e-9


@pytest.mark.compiled
def test_the_six_begin_with_clusters_of_k_where_there_are_few_records(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the paper's do: from larger ones they cannot come near what is published, which compares with nobody."""
    rng = np.random.default_rng(4)
    frame = pa.table(
        {
            "age": rng.integers(18, 90, 400),
            "b": [sorted({f"i{each}" for each in rng.choice(40, rng.integers(1, 5), p=POPULAR)}) for _ in range(400)],
        }
    )
    asked = {"quasi": "age", "items": "b", "seed": 1}
    few = tacit.anonymize(frame, KKmAnonymity(4, 2), **asked).utility["frontier_six"]
    assert {point["begins_with"] for point in few} == {4}
    monkeypatch.setattr(six, "_WORTH", 400)
    many = tacit.anonymize(frame, KKmAnonymity(4, 2), **asked).utility["frontier_six"]
    assert {point["begins_with"] for point in many} == {400 // six._CLUSTERS}
    assert min(point["values"] for point in few) < min(point["values"] for point in many)


def test_parts_have_k_records_and_leave_nobody_out() -> None:
    for seed in range(30):
        case = posed(seed)
        if case is None:
            continue
        problem, _ = case
        pieces = by_items_or_none(problem)
        for tree in (
            tree_of_records(problem, pieces, problem.promise.k),
            tree_of_groups(problem, pieces, seed),
            tree_by_baskets(problem, pieces, 0.5, problem.promise.k),
        ):
            assert tree.sizes.min() >= problem.promise.k
            for wanted in (tree.left < 0, tree.depth == 0):
                rows = np.concatenate([tree.of(part) for part in np.flatnonzero(wanted).tolist()])
                assert sorted(rows.tolist()) == list(range(len(problem)))
            values = value_losses(problem, tree)
            for part in np.flatnonzero(tree.left >= 0).tolist():
                left = int(tree.left[part])
                sides = np.sort(np.concatenate([tree.of(left), tree.of(left + 1)]))
                assert sides.tolist() == tree.of(part).tolist()
                assert values[left] + values[left + 1] <= values[part] + 1e-9


@pytest.mark.parametrize("wrong", [-0.1, 1.5, True, "half", float("nan")])
@pytest.mark.parametrize("method", ["rum-bound", "tum-bound"])
def test_balance_outside_is_refused(method: str, wrong: object) -> None:
    with pytest.raises(InputError, match=r"method\.balance"):
        METHODS[method].checked({"balance": wrong})


@pytest.mark.parametrize("method", ["rum-bound", "tum-bound"])
def test_options_that_would_change_nothing_are_refused(method: str) -> None:
    checked = METHODS[method].checked
    with pytest.raises(InputError, match=r"method\.balance would change nothing: method\.delta"):
        checked({"balance": 0.7, "delta": 0.3})
    for idle in ({"merge": "r"}, {"order": "ul"}, {"relational": "mondrian"}, {"rum": "class-size"}, {"norm": 3}):
        with pytest.raises(InputError, match=rf"method\.{next(iter(idle))} would change nothing: method\.delta"):
            checked(idle)
        assert checked({**idle, "delta": 0.3}).items() >= idle.items()
    for filled in (checked({}), checked({"delta": 0.3})):  # what a release's job file has
        assert checked(filled) == filled


def test_without_delta_both_methods_have_a_balance() -> None:
    for method in ("rum-bound", "tum-bound"):
        assert METHODS[method].checked({})["balance"] == 0.5
        assert "delta" not in METHODS[method].checked({})


def test_whoever_has_sensitive_items_alone_stays_with_the_others() -> None:
    ages = [20 + row % 20 for row in range(60)]
    baskets = ["h" if row % 4 == 0 else "a b" if row % 2 else "b c" for row in range(60)]
    frame = pa.table({"age": ages, "items": [basket.split(" ") for basket in baskets]})
    release = tacit.anonymize(
        frame, tacit.KLmDiversity(k=3, l=2, m=1), quasi=["age"], items="items", sensitive_items=["h"], seed=1
    )
    losses = [point[what] for point in release.utility["frontier"] for what in ("values", "items")]
    assert np.isfinite(losses).all()
    assert release.utility["ncp"] < 0.5


class Alone(BySets):
    """One way to merge items, and no others beside it."""

    def __init__(self, problem: RecordProblem, way: BySets) -> None:
        super().__init__(problem, "sets" if way.by_loss else "coat", way.power)
        self.ways = (self,)


def test_large_clusters_take_the_best_of_several_ways() -> None:
    """k records or none hold any m sets of each way, so the one that loses least is taken; sometimes not the first."""
    rng, less = np.random.default_rng(5), 0
    for _ in range(6):
        baskets = [set(rng.choice(40, rng.integers(1, 7), p=POPULAR).tolist()) for _ in range(300)]
        age = Attribute("age", np.zeros(300, np.int32), ("1",), numbers=np.ones(1))
        problem = RecordProblem(
            (age,), *arrays(baskets), np.zeros(40, np.int32), *arrays([set()] * 300), KKmAnonymity(5, 2)
        )
        everybody, how = np.arange(300), BySets(problem, "sets")
        assert Parts(problem, how).is_large(300)
        ways = [item_loss(Parts(problem, Alone(problem, way)), everybody) for way in how.ways]
        assert item_loss(Parts(problem, how), everybody) == pytest.approx(min(ways), abs=1e-12)
        coat = item_loss(Parts(problem, BySets(problem, "coat")), everybody)
        assert min(ways) <= coat + 1e-12, "the six have no less of one cluster for all"
        less += min(ways[1:]) < ways[0] - 1e-9
    assert less > 0


def test_moves_lose_no_more_than_none_and_the_curve_counts_what_is_published(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here clusters are alike after the moves: to merge them would lose more than the moves gained."""
    rng = np.random.default_rng(1002)
    n, k = int(rng.integers(20, 150)), int(rng.integers(2, 6))
    frame = pa.table(
        {
            "age": rng.integers(0, int(rng.integers(2, 9)), n),
            "sex": rng.choice(["m", "f"], n).tolist(),
            "b": [sorted(set(rng.choice(list("abcdefghijkl"), rng.integers(1, 5)).tolist())) for _ in range(n)],
        }
    )

    def release() -> tacit.Release:
        promise = tacit.KLmDiversity(k=k, l=2, m=2)
        return tacit.anonymize(
            frame, promise, quasi=["age", "sex"], items="b", sensitive_items=["l"], seed=1, balance=0.5
        )

    moved = release()
    with monkeypatch.context() as patch:
        patch.setattr("tacit.records.solvers.frontier.moved", lambda problem, parts, group, share, seed: group)
        unmoved = release()
    lost, without = (each.utility["ncp"] + each.utility["ncp_items"] for each in (moved, unmoved))
    assert lost <= without
    (chosen,) = [point for point in moved.recoding.curve if point.get("chosen")]
    assert chosen["clusters"] == moved.recoding.n_clusters
