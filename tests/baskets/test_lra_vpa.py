"""LRA and VPA against their literal twins, and what they promise."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from test_apriori import assert_same_cut, or_out_of_reach, posed_rows, random_sensitive

from naive import apriori as twin
from naive import threats as naive
from support.cases import Case, as_arrays, random_case, running_taxonomy
from support.seeds import in_parts
from tacit.baskets.solvers.apriori import apriori
from tacit.baskets.solvers.local import LocalAnonymization, problem_of_part, rows_of
from tacit.baskets.solvers.losses import LOSSES
from tacit.baskets.solvers.lra import in_gray_order, lra, lra_lm
from tacit.baskets.solvers.problem import Problem, pose
from tacit.baskets.solvers.vpa import parts_of_domain, vpa, vpa_lm
from tacit.errors import PromiseError
from tacit.taxonomy import Taxonomy

SEEDS = 150


def cases(seed: int) -> tuple[Case, Case]:
    return twin.random_case_of_many(seed), random_case(seed)


def assert_same_parts(problem: Problem, found: LocalAnonymization, expected: list[twin.Part]) -> None:
    part = np.full(found.part.size, -1)
    for index, (rows, _) in enumerate(expected):
        part[rows] = index
    assert found.part.tolist() == part.tolist()
    assert [problem.origin[cut].tolist() for cut in found.cuts] == [outcome.cut for _, outcome in expected]
    assert [suppressed.size for suppressed in found.suppressed] == [0] * len(expected)
    assert found.cost == sum(outcome.cost for _, outcome in expected)


class TestLra:
    @in_parts(range(SEEDS), 15)
    def test_same_parts_and_cuts_as_the_literal_twin(self, seeds: Sequence[int]) -> None:
        several = joined = 0
        for seed in seeds:
            for case in cases(seed):
                size = int(np.random.default_rng([seed, 3]).integers(3, 40))
                problem, rows = posed_rows(case.tree, case.baskets, [set() for _ in case.baskets])
                found = lra(rows.indptr, rows.items, problem, case.k, case.m, partition_size=size)
                tree = naive.Tree(case.tree.parent.tolist())
                expected = twin.lra_km(tree, case.baskets, case.k, case.m, size)
                assert_same_parts(problem, found, expected)
                several += len(expected) > 1
                joined += len(expected) < max(1, sum(map(bool, case.baskets)) // size)
        assert several > len(seeds) // 3
        assert joined > len(seeds) // 3

    @in_parts(range(SEEDS), 10)
    def test_same_as_the_literal_twin_for_diversity(self, seeds: Sequence[int]) -> None:
        several = beyond = 0
        for seed in seeds:
            for case in cases(seed):
                tree = naive.Tree(case.tree.parent.tolist())
                sensitive, wanted = random_sensitive(seed, len(case.baskets))
                problem, rows = posed_rows(case.tree, case.baskets, sensitive)
                literal = twin.Rows(case.baskets, sensitive)
                expected = or_out_of_reach(lambda: twin.lra_lm(tree, literal, wanted, case.m, 20))  # noqa: B023
                found = or_out_of_reach(
                    lambda: lra_lm(rows, problem, float(wanted), case.m, partition_size=20)  # noqa: B023
                )
                assert (found is None) == (expected is None)
                if expected is not None:
                    assert_same_parts(problem, found, expected)
                    several += len(expected) > 1
                beyond += expected is None
        assert several > len(seeds) // 5
        assert beyond > len(seeds) // 5

    def test_all_parts_together_keep_the_promise(self) -> None:
        for seed in range(60):
            case = twin.random_case_of_many(seed)
            problem, rows = posed_rows(case.tree, case.baskets, [set() for _ in case.baskets])
            found = lra(rows.indptr, rows.items, problem, case.k, case.m, partition_size=20)
            tree = naive.Tree(case.tree.parent.tolist())
            published = [
                naive.generalize(tree, [basket], problem.origin[found.cuts[part]].tolist())[0] if part >= 0 else set()
                for basket, part in zip(case.baskets, found.part, strict=True)
            ]
            enough = sum(map(bool, case.baskets)) >= case.k
            assert twin.is_km_anonymous(published, case.k, case.m) == enough

    def test_gray_order_of_all_baskets_of_three_items(self) -> None:
        """Neighbours in the reflected Gray code differ by one item."""
        baskets = [{item for item in range(3) if number >> item & 1} for number in range(8)]
        indptr = np.cumsum([0, *map(len, baskets)])
        items = np.array([item for basket in baskets for item in sorted(basket, reverse=True)], np.int32)
        order = [baskets[row] for row in in_gray_order(indptr, items)]
        assert order == [set(), {2}, {1, 2}, {1}, {0, 1}, {0, 1, 2}, {0, 2}, {0}]

    def test_equal_baskets_stay_in_the_order_given(self) -> None:
        indptr = np.array([0, 1, 2, 2, 3])
        assert in_gray_order(indptr, np.array([5, 5, 5], np.int32)).tolist() == [2, 0, 1, 3]

    def test_no_rows_and_empty_rows(self) -> None:
        problem, rows = posed_rows(running_taxonomy(), [set(), set()], [set(), set()])
        found = lra(rows.indptr, rows.items, problem, 2, 2)
        assert found.part.tolist() == [-1, -1]
        assert found.cost == 0
        problem, rows = posed_rows(running_taxonomy(), [], [])
        assert lra(rows.indptr, rows.items, problem, 2, 2).part.tolist() == []

    def test_rows_without_public_items_count_for_the_whole_file_only(self) -> None:
        """All three people without public items share the sensitive one: no part sees them, the file does."""
        tree = Taxonomy.from_paths([["a", "*"], ["b", "*"]])
        a = {tree.node("a")}
        problem, rows = posed_rows(tree, [a, a, a, set(), set(), set()], [set(), set(), set(), {0}, {0}, {0}])
        assert lra_lm(rows, problem, 2, 2).part.tolist() == [0, 0, 0, -1, -1, -1]
        with pytest.raises(PromiseError):
            lra_lm(rows, problem, 2.5, 2)

    def test_progress_counts_parts(self) -> None:
        case = twin.random_case_of_many(4)
        problem, rows = posed_rows(case.tree, case.baskets, [set() for _ in case.baskets])
        told: list[str] = []
        found = lra(rows.indptr, rows.items, problem, 2, 1, told.append, partition_size=10)
        assert told[-1] == f"{len(found.cuts)} parts done, 0 to do"


class TestProblemOfPart:
    @pytest.mark.parametrize("name", LOSSES)
    def test_costs_are_those_of_a_problem_posed_on_the_part(self, name: str) -> None:
        for seed in range(40):
            case = twin.random_case_of_many(seed)
            rng = np.random.default_rng(seed)
            weight = rng.integers(0, 4, case.tree.leaves.size)
            indptr, items, leaves = as_arrays(case.tree, case.baskets)
            loss = LOSSES[name](case.tree)
            whole = pose(case.tree, indptr, items, leaves, loss=loss, item_weight=weight)
            chosen = np.flatnonzero(rng.random(len(case.baskets)) < 0.4)
            expected = pose(case.tree, *rows_of(indptr, items, chosen), leaves, loss=loss, item_weight=weight)
            code = np.searchsorted(whole.origin, leaves).astype(np.int32)
            found = problem_of_part(whole, *rows_of(indptr, code[items], chosen))
            for ours, theirs in zip(found.tree, expected.tree, strict=True):
                assert ours.tolist() == theirs.tolist()
            assert found.occurrences.tolist() == expected.occurrences.tolist()
            assert found.unit == expected.unit
            assert found.weight.sum() == chosen.size


class TestVpa:
    @in_parts(range(SEEDS), 15)
    def test_same_cut_as_the_literal_twin(self, seeds: Sequence[int]) -> None:
        for seed in seeds:
            for case in cases(seed):
                parts = int(np.random.default_rng([seed, 4]).integers(1, 6))
                problem = pose(case.tree, *as_arrays(case.tree, case.baskets))
                tree = naive.Tree(case.tree.parent.tolist())
                expected = twin.vpa(tree, case.baskets, case.k, case.m, parts)
                assert_same_cut(problem, vpa(problem, case.k, case.m, parts=parts), expected)

    @in_parts(range(SEEDS), 10)
    def test_same_as_the_literal_twin_for_diversity(self, seeds: Sequence[int]) -> None:
        between = 0
        for seed in seeds:
            for case in cases(seed):
                tree = naive.Tree(case.tree.parent.tolist())
                sensitive, wanted = random_sensitive(seed, len(case.baskets))
                problem, rows = posed_rows(case.tree, case.baskets, sensitive)
                literal = twin.Rows(case.baskets, sensitive)
                expected = or_out_of_reach(lambda: twin.apriori_lm(tree, literal, wanted, case.m, 3))  # noqa: B023
                found = or_out_of_reach(lambda: vpa_lm(rows, problem, float(wanted), case.m, parts=3))  # noqa: B023
                assert (found is None) == (expected is None)
                if expected:
                    assert_same_cut(problem, found, expected)
                    between += 1 < len(expected.cut) < case.tree.leaves.size
        assert between > len(seeds) // 8

    def test_it_can_end_elsewhere_than_apriori(self) -> None:
        """Otherwise the comparison with the twin would not tell the parts from the whole."""
        differing = 0
        for seed in range(300):
            case = twin.random_case_of_many(seed)
            problem = pose(case.tree, *as_arrays(case.tree, case.baskets))
            there, here = apriori(problem, case.k, case.m), vpa(problem, case.k, case.m, parts=2)
            differing += there.cut.tolist() != here.cut.tolist()
        assert differing > 3

    def test_parts_are_rows_of_subtrees_with_even_shares(self) -> None:
        tree = running_taxonomy()
        baskets = [{leaf} for leaf in tree.leaves.tolist() for _ in range(3)]
        problem = pose(tree, *as_arrays(tree, baskets))
        part = parts_of_domain(problem, 3)
        by_name = {tree.names[node]: int(part[i]) for i, node in enumerate(problem.origin)}
        assert by_name == {
            **dict.fromkeys("TPQ", -1),
            **dict.fromkeys("HabKcd", 0),
            **dict.fromkeys("LfgMxyz", 1),
            **dict.fromkeys("ei", 2),
        }

    def test_progress_tells_of_parts_and_levels(self) -> None:
        told: list[str] = []
        tree = running_taxonomy()
        a, b = tree.node("a"), tree.node("b")
        vpa(pose(tree, *as_arrays(tree, [{a, b}, {a, b}])), 2, 2, told.append, parts=2)
        assert [line.split(":")[0] for line in told] == ["part 1 of 2", "part 2 of 2", "m = 1", "m = 2"]
