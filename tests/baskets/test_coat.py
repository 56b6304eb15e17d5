"""COAT against its literal twin, by hand, and with constraints that cannot be met."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from naive.sets import as_arrays, assert_same_as_twin, random_set_case
from support.seeds import in_parts
from tacit.baskets.solvers import few, merging
from tacit.baskets.solvers.coat import coat
from tacit.baskets.solvers.constraints import Constraints
from tacit.baskets.solvers.pcta import pcta
from tacit.errors import InputError, PromiseError

SEEDS = 600
LABELS = tuple("abcde")

# a 4 people, b 3, c 2, d 1, e 2
BASKETS = as_arrays([{0, 1}, {0, 2}, {0, 1, 3}, {0, 4}, {1, 2}, {4}])


def sets(*items: str) -> tuple[frozenset[str], ...]:
    return tuple(map(frozenset, items))


@in_parts(range(SEEDS), 60)
def test_same_groups_as_the_literal_twin(seeds: Sequence[int]) -> None:
    for seed in seeds:
        assert_same_as_twin(coat, random_set_case(seed), any_of_them=False)


@in_parts(range(SEEDS), 20)
def test_counting_anew_after_every_turn_changes_nothing(monkeypatch: pytest.MonkeyPatch, seeds: Sequence[int]) -> None:
    monkeypatch.setattr(few, "_ITEMS", 0)
    monkeypatch.setattr(merging, "_EFFORT", 0)
    for seed in seeds:
        assert_same_as_twin(coat, random_set_case(seed), any_of_them=False)


@pytest.mark.slow
def test_same_as_the_literal_twin_on_many_more_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(SEEDS, SEEDS + 4000):
        monkeypatch.setattr(merging, "_EFFORT", seed % 2 * 10)
        monkeypatch.setattr(few, "_ITEMS", seed % 3 << 26)
        assert_same_as_twin(coat, random_set_case(seed), any_of_them=False)


@pytest.mark.parametrize("method", [coat, pcta])
class TestByHand:
    def test_a_rare_item_goes_with_the_one_that_adds_fewest_people(self, method) -> None:
        """d is with a and b; the set with b has 3 people, with c or e 3 as well: the first of equals."""
        assert method(*BASKETS, 5, 2, 1).group.tolist() == [0, 1, 2, 1, 3]

    def test_only_items_of_one_utility_constraint_are_merged(self, method) -> None:
        constraints = Constraints(LABELS, utility=sets("ab", "de"))
        assert method(*BASKETS, 5, 2, 1, constraints).group.tolist() == [0, 1, 2, 3, 3]

    def test_an_item_in_no_utility_constraint_is_suppressed(self, method) -> None:
        constraints = Constraints(LABELS, utility=sets("ab"))
        assert method(*BASKETS, 5, 2, 1, constraints).group.tolist() == [0, 1, 2, -1, 3]

    def test_a_heavy_item_is_spared(self, method) -> None:
        constraints = Constraints(LABELS, weights={"b": 1.5})
        assert method(*BASKETS, 5, 2, 1, constraints).group.tolist() == [0, 1, 2, 2, 3], "with c: 3 people at weight 1"

    def test_a_privacy_constraint_is_kept_beyond_m(self, method) -> None:
        """m = 1 does not ask for {b, c}, which one person holds; the file does."""
        indptr, items = BASKETS

        def people(group: np.ndarray) -> int:
            """Who holds the sets of b and c."""
            published = np.split(group[items], indptr[1:-1])
            return sum({group[1], group[2]} <= set(basket.tolist()) for basket in published)

        assert people(method(*BASKETS, 5, 2, 1).group) == 1
        assert people(method(*BASKETS, 5, 2, 1, Constraints(LABELS, privacy=sets("bc"))).group) >= 2


@pytest.mark.parametrize("method", [coat, pcta])
class TestRefusals:
    def test_too_much_suppression_is_a_promise_out_of_reach_that_says_what_could_be_reached(self, method) -> None:
        constraints = Constraints(LABELS, utility=(), max_suppressed=0.1)
        with pytest.raises(
            PromiseError, match=r"1 of 5 items .* max_suppressed = 0.1 allows 0.* max_suppressed = 0.2 "
        ):
            method(*BASKETS, 5, 2, 1, constraints)

    def test_as_much_suppression_as_it_takes_is_enough(self, method) -> None:
        constraints = Constraints(LABELS, utility=(), max_suppressed=0.2)
        assert method(*BASKETS, 5, 2, 1, constraints).group.tolist() == [0, 1, 2, -1, 3]

    def test_utility_constraints_that_contradict_a_privacy_constraint(self, method) -> None:
        constraints = Constraints(LABELS, privacy=sets("a", "bc"), utility=sets("ab", "cd"), max_suppressed=0)
        assert method(*BASKETS, 5, 3, 1, Constraints(LABELS, sets("a", "bc"), sets("ab", "cd"))).group[4] == -1
        with pytest.raises(InputError, match=r"privacy constraint 2 contradicts .* 3 people hold it, k is 5"):
            method(*BASKETS, 5, 5, 1, constraints)

    def test_constraints_on_other_items(self, method) -> None:
        with pytest.raises(InputError, match="about 5 items, the baskets about 6"):
            method(*BASKETS, 6, 2, 1, Constraints(LABELS))


def test_coat_mends_at_the_rarest_item_and_pcta_at_the_cheapest_merge() -> None:
    """{0, 1} has one person. 1 is rarer, but both merges of it cost more than that of 0 with 2, which adds nobody."""
    baskets = as_arrays([{0, 2}, {0, 2}, {0, 1, 2}, {1}, {3}, {3}, {3}, {3}])
    constraints = Constraints(tuple("abcd"), privacy=sets("ab"), weights={"b": 9.0})
    assert coat(*baskets, 4, 2, 1, constraints).group.tolist() == [0, 0, 1, 2]
    assert pcta(*baskets, 4, 2, 1, constraints).group.tolist()[0] == 0
    assert pcta(*baskets, 4, 2, 1, constraints).group.tolist()[2] == 0


def test_groups_do_not_depend_on_how_often_they_are_looked_up() -> None:
    again = [coat(*BASKETS, 5, 2, 2).group for _ in range(2)]
    assert np.array_equal(*again)
