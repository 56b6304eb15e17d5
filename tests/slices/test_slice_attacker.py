"""What an attacker learns who joins slices: the definition by linkings, by formula, and by kernel."""

from __future__ import annotations

from fractions import Fraction

import pytest

from naive import slicing as naive
from naive.slicing import Case, person_table
from support.seeds import each_seed
from tacit.errors import InputError
from tacit.slices.solvers.attacker import attacker_of, worst_in_one_bucket
from tacit.slices.solvers.join_tree import cycle_in, join_tree

RELINKED = Case(
    [(0, 0, 0), (0, 1, 1), (1, 0, 2), (1, 1, 3)], known=[0, 1], sensitive=[2], slices=[[0, 2], [1, 2]], bucket=[0] * 4
)
"""Each slice alone leaves two values to everybody; joined on the sensitive attribute they leave one."""

RARE_BRIDGE = Case(
    [(0, 0, 0), (0, 0, 1), (0, 1, 2), (1, 1, 0), (1, 1, 1), (1, 2, 3)],
    known=[0],
    sensitive=[2],
    slices=[[0, 1], [1, 2]],
    bucket=[0] * 6,
)
"""A hidden attribute links the slices: who has its rare value is told by the join, not by a slice."""


def as_tuples(slices: list[list[int]]) -> tuple[tuple[int, ...], ...]:
    return tuple(map(tuple, slices))


@each_seed(range(120))
def test_formula_is_the_mean_over_all_linkings(seed: int) -> None:
    case = naive.random_case(seed, most_records=4)
    slices = case.slices[:3]
    used = {a for one in slices for a in one}
    known = [a for a in case.known if a in used]
    targets = [a for a in case.sensitive if a in used]
    for bucket in case.parts():
        for record in set(case.records):
            person = naive.pick(record, known)
            for wanted in (targets[:1], targets):
                assert naive.expected(bucket, slices, known, person, wanted) == naive.expected_by_linkings(
                    bucket, slices, known, person, wanted
                )


@each_seed(range(300))
def test_kernel_finds_what_the_formula_says(seed: int) -> None:
    case = naive.random_case(seed)
    case = case._replace(bucket=[0] * len(case.records))
    found = worst_in_one_bucket(person_table(case), as_tuples(case.slices))
    assert found == pytest.approx(float(naive.worst_of_each(case)), abs=1e-12)


def test_joined_slices_tell_what_each_alone_does_not() -> None:
    alone = [RELINKED._replace(known=[0], slices=[[0, 2]]), RELINKED._replace(known=[1], slices=[[1, 2]])]
    assert [naive.worst_of_each(case) for case in alone] == [Fraction(1, 2)] * 2
    assert naive.worst_of_each(RELINKED) == 1
    assert worst_in_one_bucket(person_table(RELINKED), ((0, 2), (1, 2))) == 1


def test_attribute_that_nobody_knows_links_slices() -> None:
    alone = RARE_BRIDGE._replace(known=[], slices=[[1, 2]])
    assert naive.worst(alone, [2]) == Fraction(1, 3)
    joined = naive.worst_of_each(RARE_BRIDGE)
    assert joined == Fraction(4, 9)
    assert worst_in_one_bucket(person_table(RARE_BRIDGE), ((0, 1), (1, 2))) == pytest.approx(4 / 9)


@each_seed(range(60))
def test_combination_is_never_more_probable_than_a_value_of_it(seed: int) -> None:
    case = naive.random_case(seed)
    assert naive.worst(case, case.sensitive) <= min(naive.worst(case, [target]) for target in case.sensitive)


def test_cyclic_overlap_is_refused_and_named() -> None:
    slices = ((0, 1), (1, 2), (2, 0), (3,))
    assert join_tree(slices) is None
    assert cycle_in(slices) == [0, 1, 2]
    case = Case([(0, 0, 0, 0), (1, 1, 1, 1)], [0, 1, 3], [2], [], [0, 0])
    with pytest.raises(InputError, match=r"cycle: \{a0, a1\}, \{a1, a2\}, \{a2, a0\}"):
        attacker_of(person_table(case), slices)


def test_three_slices_around_a_fourth_are_no_cycle() -> None:
    tree = join_tree([(0, 1), (1, 2), (2, 0), (0, 1, 2)])
    assert tree is not None
    assert sorted(tree.parent) == [-1, 3, 3, 3] or tree.parent[0] == -1
    assert sum(map(len, tree.separator)) == 6
