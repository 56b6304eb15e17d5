"""PCTA against its literal twin, by hand, and on real baskets; the kernels that it shares with COAT."""

from __future__ import annotations

import gzip
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from naive.sets import as_arrays, assert_same_as_twin, random_set_case
from support.cases import RUNNING_EXAMPLE
from support.seeds import in_parts
from tacit.audits.km import check
from tacit.baskets.solvers import few, merging
from tacit.baskets.solvers._merging import compare_costs
from tacit.baskets.solvers._rare_sets import rare_sets
from tacit.baskets.solvers.coat import coat
from tacit.baskets.solvers.item_groups import ItemGroups
from tacit.baskets.solvers.merging import recoded
from tacit.baskets.solvers.pcta import pcta
from tacit.promises import KmAnonymity

SEEDS = 600
LABELS = sorted(set("".join(RUNNING_EXAMPLE)))


def running_example() -> tuple[np.ndarray, np.ndarray, int]:
    return (*as_arrays([{LABELS.index(item) for item in basket} for basket in RUNNING_EXAMPLE]), len(LABELS))


def named(found: ItemGroups) -> list[str]:
    """Its sets, by their items."""
    return ["".join(np.array(LABELS)[found.group == index]) for index in range(found.sizes.size)]


def test_single_items_of_the_running_example_by_hand() -> None:
    """x, y and z have one person each. x and y together have two, as x and z: 3 · 2 is the least, and y comes first.
    z with a or d costs 3 · 3, with the set of x and y 7 · 2: a comes first."""
    found = pcta(*running_example(), 2, 1)
    assert named(found) == ["az", "b", "c", "d", "e", "f", "g", "i", "xy"]
    assert found.ncp(running_example()[1]) == pytest.approx(5 / 10 / 23)


def test_pairs_of_the_running_example() -> None:
    assert named(pcta(*running_example(), 2, 2)) == ["afgz", "bcd", "eixy"]


@in_parts(range(SEEDS), 60)
def test_same_groups_as_the_literal_twin(seeds: Sequence[int]) -> None:
    for seed in seeds:
        assert_same_as_twin(pcta, random_set_case(seed), any_of_them=True)


@in_parts(range(SEEDS), 20)
def test_counting_anew_after_every_turn_changes_nothing(monkeypatch: pytest.MonkeyPatch, seeds: Sequence[int]) -> None:
    monkeypatch.setattr(few, "_ITEMS", 0)
    monkeypatch.setattr(merging, "_EFFORT", 0)
    for seed in seeds:
        assert_same_as_twin(pcta, random_set_case(seed), any_of_them=True)


@pytest.mark.slow
def test_same_as_the_literal_twin_on_many_more_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(SEEDS, SEEDS + 4000):
        monkeypatch.setattr(merging, "_EFFORT", seed % 2 * 10)
        monkeypatch.setattr(few, "_ITEMS", seed % 3 << 26)
        assert_same_as_twin(pcta, random_set_case(seed), any_of_them=True)


@pytest.mark.slow
def test_the_random_cases_are_worth_comparing() -> None:
    """Sets and suppression, PCTA elsewhere than COAT, weights and constraints that matter: all of it occurs."""
    merged = suppressed = differing = constrained = 0
    for seed in range(SEEDS):
        case = random_set_case(seed)
        found = pcta(*case.arrays(), case.k, case.m, case.constraints)
        merged += found.sizes.max(initial=0) > 1
        suppressed += (found.group < 0).any()
        differing += found.group.tolist() != coat(*case.arrays(), case.k, case.m, case.constraints).group.tolist()
        constrained += found.group.tolist() != pcta(*case.arrays(), case.k, case.m).group.tolist()
    assert merged > 200
    assert suppressed > 150
    assert differing > 30
    assert constrained > 150


@pytest.mark.parametrize("method", [coat, pcta])
def test_k_1_changes_nothing(method) -> None:
    assert method(*running_example(), 1, math.inf).group.tolist() == list(range(len(LABELS)))


@pytest.mark.parametrize("method", [coat, pcta])
def test_fewer_than_k_filled_baskets_lose_everything(method) -> None:
    indptr, items = as_arrays([{0, 1}, set(), {1}])
    assert method(indptr, items, 2, 3, 2).group.tolist() == [-1, -1]


@pytest.mark.parametrize("method", [coat, pcta])
def test_no_baskets_and_items_that_do_not_occur(method) -> None:
    assert method(*as_arrays([]), 3, 2, 2).group.tolist() == [0, 1, 2]
    assert method(*as_arrays([{1}, {2}]), 4, 2, 2).group.tolist() == [0, 1, 1, 2], "0 and 3 would help nobody"


@pytest.mark.parametrize("method", [coat, pcta])
@pytest.mark.parametrize("m", [2, 3, math.inf])
def test_real_baskets_are_k_m_anonymous(method, m: float, shared_data: Path) -> None:
    code_of: dict[str, int] = {}
    with gzip.open(shared_data / "transactions" / "bms_webview1.dat.gz", "rt") as lines:
        indptr, items = as_arrays([{code_of.setdefault(item, len(code_of)) for item in line.split()} for line in lines])
    said: list[str] = []
    found = method(indptr, items, len(code_of), 5, m, progress=said.append)
    names = [str(group) for group in range(found.sizes.size)]
    assert check(*recoded(indptr, items, found.group), names, KmAnonymity(5, m)).satisfied
    assert found.ncp(items) < {2: 0.01, 3: 0.03, math.inf: 0.05}[m]
    assert any("sets of 2" in message for message in said)


def test_costs_are_compared_exactly() -> None:
    rng = np.random.default_rng(7)

    def mass() -> int:
        return int(2 ** (rng.random() * 50))

    for _ in range(20_000):
        size, other = (int(s) for s in rng.integers(1, [4, 8, 70, 300][rng.integers(4)], 2))
        a, b = mass(), mass()
        if size <= 12 and other <= 12 and rng.random() < 0.5:  # equal, or next to it
            common = int(rng.integers(1, 1000))
            a, b = (2**other - 1) * common + int(rng.integers(0, 2)), (2**size - 1) * common
        expected = np.sign((2**size - 1) * a - (2**other - 1) * b)
        assert compare_costs(np.int64(size), np.int64(a), np.int64(other), np.int64(b)) == expected, (size, a, other, b)


def test_rare_sets_are_those_that_counting_finds() -> None:
    indptr, items = as_arrays([{0, 1, 2, 3}, {0, 1, 2}, {0, 1, 3}, {0, 1, 2}, {0, 2, 3}, {1, 2, 3}])
    found, people, _ = rare_sets(indptr, items, np.ones(6, np.int64), 4, 3, 3)
    sets = dict(zip(map(tuple, found.reshape(-1, 3).tolist()), people.tolist(), strict=True))
    assert sets == {(0, 1, 3): 2, (0, 2, 3): 2, (1, 2, 3): 2}, "0, 1 and 2 are with three people"


def test_groups_are_in_the_order_of_their_lowest_items() -> None:
    found = ItemGroups.from_clusters(np.array([7, -1, 3, 7, 0]))
    assert found.group.tolist() == [0, -1, 1, 0, 2]
    assert found.sizes.tolist() == [2, 1, 1]
    assert found.ncp(np.array([0, 1, 2, 2])) == pytest.approx((1 / 4 + 1) / 4)
    assert found.ncp(np.array([], np.int32)) == 0


@pytest.mark.parametrize("bits", [0, 1 << 26])
def test_baskets_that_nobody_has_change_nothing(monkeypatch: pytest.MonkeyPatch, bits: int) -> None:
    """By the kernels, which such a basket led behind the end of their arrays, and by whole numbers."""
    monkeypatch.setattr(few, "_ITEMS", bits)
    rng = np.random.default_rng(11)
    for _ in range(20):
        baskets = [set(rng.choice(12, rng.integers(1, 5)).tolist()) for _ in range(30)]
        people = rng.integers(0, 3, 30)
        somebody = [basket for basket, n in zip(baskets, people, strict=True) if n]
        expected = pcta(*as_arrays(somebody), 12, 4, 2, people=people[people > 0])
        assert pcta(*as_arrays(baskets), 12, 4, 2, people=people).group.tolist() == expected.group.tolist()
