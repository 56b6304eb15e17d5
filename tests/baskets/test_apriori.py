"""AA, for k^m-anonymity and for ℓ^m-diversity, against worked examples and literal twins."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

import numpy as np
import pytest

from naive import apriori as twin
from naive import threats as naive
from support.cases import RUNNING_EXAMPLE, Case, as_arrays, random_case, running_taxonomy
from support.seeds import in_parts
from tacit.baskets.solvers.apriori import Ascent, apriori
from tacit.baskets.solvers.apriori_lm import Rows, apriori_lm
from tacit.baskets.solvers.lattice import Anonymization
from tacit.baskets.solvers.losses import LOSSES
from tacit.baskets.solvers.problem import Problem, pose
from tacit.errors import PromiseError
from tacit.taxonomy import Taxonomy

SEEDS = 400


def posed(tree: Taxonomy, baskets: Iterable[Iterable[str]]) -> Problem:
    return pose(tree, *as_arrays(tree, [{tree.node(item) for item in basket} for basket in baskets]))


def cut_by_name(tree: Taxonomy, problem: Problem, found: Anonymization) -> set[str]:
    assert found.suppressed.size == 0
    return {tree.names[node] for node in problem.origin[found.cut]}


class TestExampleOfThePaper:
    """Four baskets over a1, a2 (A) and b1, b2 (B), as in the paper's first figures: {a1, a2} → A is all it takes."""

    tree = Taxonomy.from_paths([["a1", "A", "*"], ["a2", "A", "*"], ["b1", "B", "*"], ["b2", "B", "*"]])
    baskets = (("a1", "b1", "b2"), ("a2", "b1"), ("a2", "b1", "b2"), ("a1", "a2", "b2"))

    def test_2_2_anonymity_takes_one_generalization(self) -> None:
        problem = posed(self.tree, self.baskets)
        assert cut_by_name(self.tree, problem, apriori(problem, 2, 2)) == {"A", "b1", "b2"}

    def test_single_items_are_frequent_enough(self) -> None:
        problem = posed(self.tree, self.baskets)
        assert cut_by_name(self.tree, problem, apriori(problem, 2, 1)) == {"a1", "a2", "b1", "b2"}

    def test_occurrences_decide_which_generalization_is_cheapest(self) -> None:
        """{a1, b1} is rare, and A and B both help. With b1 and b2 the rarer ones, B is cheaper."""
        swapped = [[{"a": "b", "b": "a"}[item[0]] + item[1] for item in basket] for basket in self.baskets]
        problem = posed(self.tree, swapped)
        assert cut_by_name(self.tree, problem, apriori(problem, 2, 2)) == {"B", "a1", "a2"}


class TestRunningExample:
    """Fig. 1(a) of Liu & Wang 2010, fourth column: what generalization alone makes of the eight baskets."""

    @pytest.mark.parametrize("m", [2, 5, math.inf])
    def test_generalization_alone_loses_everything(self, m: float) -> None:
        """{e, i} is rare, and nothing but the root is above e."""
        tree = running_taxonomy()
        problem = posed(tree, RUNNING_EXAMPLE)
        found = apriori(problem, 2, m)
        assert cut_by_name(tree, problem, found) == {"T"}
        assert found.cost == problem.unit

    def test_single_items(self) -> None:
        tree = running_taxonomy()
        problem = posed(tree, RUNNING_EXAMPLE)
        assert cut_by_name(tree, problem, apriori(problem, 2, 1)) == {*"abcdfgMei"}


def cases(seed: int) -> tuple[Case, Case]:
    return twin.random_case_of_many(seed), random_case(seed)


def assert_same_cut(problem: Problem, found: Anonymization, expected: naive.Anonymization) -> None:
    assert problem.origin[found.cut].tolist() == expected.cut
    assert found.suppressed.size == 0
    assert found.cost == expected.cost


@in_parts(range(SEEDS), 20)
def test_same_cut_as_the_literal_twin(seeds: Sequence[int]) -> None:
    between = root = 0
    for seed in seeds:
        for case in cases(seed):
            problem = pose(case.tree, *as_arrays(case.tree, case.baskets))
            expected = twin.apriori(naive.Tree(case.tree.parent.tolist()), case.baskets, case.k, case.m)
            assert_same_cut(problem, apriori(problem, case.k, case.m), expected)
            between += 1 < len(expected.cut) < case.tree.leaves.size
            root += len(expected.cut) == 1
    assert between > len(seeds) // 3, "cuts between root and leaves must be common for the comparison to mean something"
    assert root > len(seeds) // 2


@pytest.mark.slow
def test_same_cut_as_the_literal_twin_on_many_more_cases() -> None:
    for seed in range(SEEDS, 10 * SEEDS):
        for case in cases(seed):
            problem = pose(case.tree, *as_arrays(case.tree, case.baskets))
            expected = twin.apriori(naive.Tree(case.tree.parent.tolist()), case.baskets, case.k, case.m)
            assert_same_cut(problem, apriori(problem, case.k, case.m), expected)


@in_parts(range(60), 10)
@pytest.mark.parametrize("name", LOSSES)
def test_other_losses_and_weights_give_what_the_twin_gives(name: str, seeds: Sequence[int]) -> None:
    for seed in seeds:
        case = twin.random_case_of_many(seed)
        tree = naive.Tree(case.tree.parent.tolist())
        weight = np.random.default_rng(seed).integers(0, 4, case.tree.leaves.size)
        loss = LOSSES[name](case.tree)
        literal = naive.Loss(
            tree,
            of_node={node: int(loss.numerator[node]) for node in tree.children},
            worst=loss.denominator,
            weight=dict(zip(case.tree.leaves.tolist(), weight.tolist(), strict=True)),
        )
        problem = pose(case.tree, *as_arrays(case.tree, case.baskets), loss=loss, item_weight=weight)
        expected = twin.apriori(tree, case.baskets, case.k, case.m, literal)
        assert_same_cut(problem, apriori(problem, case.k, case.m), expected)


def test_the_promise_holds_at_every_level() -> None:
    """Counted anew on the published baskets; a cut that is only the root is safe if k people hold anything at all."""
    for seed in range(100):
        case = twin.random_case_of_many(seed)
        tree = naive.Tree(case.tree.parent.tolist())
        problem = pose(case.tree, *as_arrays(case.tree, case.baskets))
        found = apriori(problem, case.k, case.m)
        published = naive.generalize(tree, case.baskets, problem.origin[found.cut].tolist())
        enough = sum(map(bool, case.baskets)) >= case.k
        assert twin.is_km_anonymous(published, case.k, case.m) == enough or not any(case.baskets)


def test_fewer_people_than_k_end_at_the_root() -> None:
    problem = posed(running_taxonomy(), ["ab", "c", ""])
    assert apriori(problem, 3, 2).cut.tolist() == [0]


def test_no_baskets_and_empty_ones_keep_the_leaves() -> None:
    tree = running_taxonomy()
    for baskets in ([], ["", ""]):
        found = apriori(posed(tree, baskets), 2, 2)
        assert (found.cut.size, found.cost) == (tree.leaves.size, 0)


def test_a_new_count_tree_on_the_way_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """When half of the count tree is below the cut, a smaller one is made; that must happen in these cases."""
    made = 0
    count_tree = Ascent.count_tree

    def counted(self: Ascent, *arguments: object, **options: object) -> object:
        nonlocal made
        made += 1
        return count_tree(self, *arguments, **options)

    monkeypatch.setattr(Ascent, "count_tree", counted)
    levels = 0
    for seed in range(60):
        case = twin.random_case_of_many(seed)
        problem = pose(case.tree, *as_arrays(case.tree, case.baskets))
        apriori(problem, case.k, case.m, progress=lambda _: None)
        levels += int(min(case.m, max(map(len, case.baskets))))
    assert made > 0.3 * levels


def test_progress_tells_of_every_level() -> None:
    told: list[str] = []
    apriori(posed(TestExampleOfThePaper.tree, TestExampleOfThePaper.baskets), 2, 2, progress=told.append)
    assert told == ["m = 1: 4 nodes in the cut", "m = 2: 3 nodes in the cut"]


def leaf_codes(problem: Problem, taxonomy_leaves: np.ndarray) -> np.ndarray:
    """The problem's node of each of the taxonomy's leaves."""
    code = np.full(int(problem.origin.max()) + 1, -1, np.int32)
    code[problem.origin] = np.arange(len(problem))
    return code[taxonomy_leaves]


def posed_rows(tree: Taxonomy, public: list[set[int]], sensitive: list[set[int]]) -> tuple[Problem, Rows]:
    indptr, items, leaves = as_arrays(tree, public)
    problem = pose(tree, indptr, items, leaves)
    sensitive_items = np.array([item for basket in sensitive for item in sorted(basket)], np.int32)
    sensitive_indptr = np.cumsum([0, *map(len, sensitive)])
    people = np.ones(indptr.size - 1, np.int64)
    return problem, Rows(indptr, leaf_codes(problem, leaves)[items], sensitive_indptr, sensitive_items, people)


def random_sensitive(seed: int, n_rows: int) -> tuple[list[set[int]], Fraction]:
    """Some sensitive items for each row, and a wish for ℓ."""
    rng = np.random.default_rng([seed, 2])
    chance = rng.random(rng.integers(1, 5)) * rng.uniform(0.05, 0.6)
    wanted = [Fraction(3, 2), Fraction(2), Fraction(7, 3), Fraction(3), Fraction(5)][rng.integers(0, 5)]
    return [set(np.flatnonzero(rng.random(chance.size) < chance).tolist()) for _ in range(n_rows)], wanted


def or_out_of_reach(method: Callable[[], Anonymization]) -> Anonymization | None:
    try:
        return method()
    except (PromiseError, twin.OutOfReach):
        return None


class TestDiversity:
    @in_parts(range(200), 25)
    def test_same_cut_as_the_literal_twin(self, seeds: Sequence[int]) -> None:
        between = beyond = 0
        for seed in seeds:
            for case in cases(seed):
                tree = naive.Tree(case.tree.parent.tolist())
                sensitive, wanted = random_sensitive(seed, len(case.baskets))
                problem, rows = posed_rows(case.tree, case.baskets, sensitive)
                literal = twin.Rows(case.baskets, sensitive)
                expected = or_out_of_reach(lambda: twin.apriori_lm(tree, literal, wanted, case.m))  # noqa: B023
                found = or_out_of_reach(lambda: apriori_lm(rows, problem, float(wanted), case.m))  # noqa: B023
                assert (found is None) == (expected is None)
                if expected:
                    assert_same_cut(problem, found, expected)
                    between += 1 < len(expected.cut) < case.tree.leaves.size
                beyond += expected is None
        assert between > len(seeds) // 5
        assert beyond > len(seeds) // 5

    def test_the_share_of_no_published_itemset_exceeds_the_promise(self) -> None:
        for seed in range(60):
            case = twin.random_case_of_many(seed)
            sensitive, wanted = random_sensitive(seed, len(case.baskets))
            problem, rows = posed_rows(case.tree, case.baskets, sensitive)
            found = or_out_of_reach(lambda: apriori_lm(rows, problem, float(wanted), 2))  # noqa: B023
            if found is None:
                continue
            tree = naive.Tree(case.tree.parent.tolist())
            published = naive.generalize(tree, case.baskets, problem.origin[found.cut].tolist())
            nodes = sorted(set().union(*published))
            for itemset in [(), *((a,) for a in nodes), *((a, b) for a in nodes for b in nodes if a < b)]:
                holders = [s for basket, s in zip(published, sensitive, strict=True) if set(itemset) <= basket]
                for item in set().union(*holders):
                    assert sum(item in s for s in holders) * wanted <= len(holders)

    @staticmethod
    def _problem(*rows: tuple[str, set[int]]) -> tuple[Taxonomy, Problem, Rows]:
        tree = Taxonomy.from_paths([["a", "A", "*"], ["b", "A", "*"], ["c", "B", "*"], ["d", "B", "*"]])
        public = [{tree.node(item) for item in items} for items, _ in rows]
        return tree, *posed_rows(tree, public, [sensitive for _, sensitive in rows])

    def test_an_item_that_gives_a_sensitive_one_away_is_generalized(self) -> None:
        tree, problem, rows = self._problem(("a", {0}), ("b", set()), ("c", set()), ("d", set()), ("cd", set()))
        assert cut_by_name(tree, problem, apriori_lm(rows, problem, 2, 2)) == {"A", "c", "d"}

    def test_no_sensitive_item_in_the_data_needs_nothing(self) -> None:
        tree, problem, rows = self._problem(("a", set()), ("b", set()))
        assert cut_by_name(tree, problem, apriori_lm(rows, problem, 2, 2)) == {*"abcd"}

    def test_a_generalization_may_be_less_safe_than_its_items(self) -> None:
        """In a and in b one of two has the sensitive item, in A two of three: A will not do, the root does."""
        rows = ("a", {0}), ("ab", set()), ("b", {0}), ("c", set()), ("c", set()), ("d", {1}), ("d", set())
        tree, problem, rows = self._problem(*rows)
        assert cut_by_name(tree, problem, apriori_lm(rows, problem, 2, 2)) == {*"abcd"}
        assert cut_by_name(tree, problem, apriori_lm(rows, problem, 3, 1)) == {"*"}

    def test_too_frequent_in_the_whole_file_is_out_of_reach(self) -> None:
        _, problem, rows = self._problem(("a", {0}), ("b", {0}), ("c", set()), ("", set()), ("", set()))
        with pytest.raises(PromiseError, match=r"ℓ = 3 cannot .* of the baskets hold .*\n.*ℓ = 1\.5 can be reached"):
            apriori_lm(rows, problem, 3, 2)

    def test_too_frequent_among_baskets_with_items_is_out_of_reach(self) -> None:
        _, problem, rows = self._problem(("a", {0}), ("b", {0}), ("c", set()), ("", set()), ("", set()))
        with pytest.raises(PromiseError, match=r"baskets with public items hold .*\n.*ℓ = 1\.5 can be reached"):
            apriori_lm(rows, problem, 2, 2)

    def test_what_it_says_can_be_reached_is_reached(self) -> None:
        tree, problem, rows = self._problem(("a", {0}), ("b", {0}), ("c", set()), ("", set()), ("", set()))
        assert cut_by_name(tree, problem, apriori_lm(rows, problem, 1.5, 2)) == {"*"}

    def test_one_item_in_all_has_only_the_root(self) -> None:
        tree = Taxonomy.from_paths([["a"]])
        problem, rows = posed_rows(tree, [{0}, {0}, set()], [{0}, set(), set()])
        assert apriori_lm(rows, problem, 2, 1).cut.tolist() == [0]
        with pytest.raises(PromiseError):
            apriori_lm(rows, problem, 2.5, 1)

    def test_progress_tells_of_every_level(self) -> None:
        _, problem, rows = self._problem(("ab", {0}), ("b", set()), ("c", set()))
        told: list[str] = []
        apriori_lm(rows, problem, 1.5, 2, progress=told.append)
        assert [line.split(":")[0] for line in told] == ["m = 1", "m = 2"]
