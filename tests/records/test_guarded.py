"""Guarded halves against their slow twin, and what they are for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from naive import guarded as naive
from naive.relational import reached
from support.grouping_cases import as_attributes, members, random_columns
from support.keys import shuffle_of
from support.seeds import in_parts
from tacit import LDiversity
from tacit.errors import PromiseError
from tacit.promises import exact
from tacit.records.solvers.guarded import guarded, set_aside
from tacit.shuffle import EQUAL_QUASI, SET_ASIDE

KINDS = ("frequency", "distinct", "entropy")


def random_promise(rng: np.random.Generator) -> LDiversity:
    kind = str(rng.choice(KINDS))
    l = int(rng.integers(2, 4)) if kind == "distinct" else round(float(rng.uniform(1.1, 3)), 2)  # noqa: E741
    return LDiversity(int(rng.integers(1, 6)), l, kind)


@in_parts(range(250), 60)
def test_same_groups_as_the_twin(seeds: Sequence[int]) -> None:
    several = refused = 0
    for seed in seeds:
        rng = np.random.default_rng(seed)
        rows, promise, hidden = int(rng.integers(5, 50)), random_promise(rng), shuffle_of(seed)
        columns = random_columns(rng, rows)
        sensitive = [rng.integers(0, int(rng.integers(2, 9)), rows).astype(np.int32) for _ in range(rng.integers(1, 3))]
        try:
            found = members(guarded(as_attributes(columns), promise, sensitive, hidden))
        except PromiseError:
            refused += 1
            assert min(reached(codes.tolist(), promise.kind) for codes in sensitive) < promise.l or promise.k > rows
            continue
        expected = naive.guarded(
            columns,
            [codes.tolist() for codes in sensitive],
            (promise.k, exact(promise.l), promise.kind),
            hidden.order(rows, EQUAL_QUASI).tolist(),
            lambda n, level, turn, hidden=hidden: hidden.order(n, SET_ASIDE.format(level, turn)).tolist(),
        )
        assert {frozenset(group) for group in found} == expected, seed
        several += len(expected) > 2
    assert several > len(seeds) // 5
    assert refused > len(seeds) // 13


def test_so_few_are_set_aside_that_the_others_can_be_halved_most_often() -> None:
    for rows in range(1, 150):
        for least in (1, 2, 3, 5):
            assert set_aside(rows, least) == naive.set_aside(rows, least), (rows, least)


@pytest.mark.parametrize("kind", KINDS)
def test_a_part_is_cut_if_both_halves_keep_the_promise_else_they_are_paired(kind: str) -> None:
    ages = as_attributes([([str(age) for age in range(8)], "number")])
    promise = LDiversity(2, 2, kind)
    mixed = guarded(ages, promise, [np.array([0, 1, 0, 1, 2, 3, 2, 3], np.int32)], shuffle_of(0))
    assert mixed.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    apart = guarded(ages, promise, [np.array([0, 0, 0, 0, 1, 1, 1, 1], np.int32)], shuffle_of(0))
    assert apart.tolist() == [0, 1, 2, 3, 0, 1, 2, 3], "each of one half with one of the other"
    never = guarded(ages, promise, [np.array([0, 0, 0, 1, 1, 1, 0, 1], np.int32)], shuffle_of(0))
    assert never.max() < 3


def test_all_alike_are_one_group_and_no_rows_are_none() -> None:
    alike = as_attributes([(["5"] * 6, "number")])
    sensitive = np.arange(6, dtype=np.int32)
    assert guarded(alike, LDiversity(2, 2), [sensitive], shuffle_of(0)).tolist() == [0] * 6
    assert guarded(as_attributes([([], "number")]), LDiversity(2, 2), [sensitive[:0]], shuffle_of(0)).size == 0
