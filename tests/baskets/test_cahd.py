"""CAHD against its literal twin and its promise."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from naive import cahd as naive_cahd
from tacit.baskets.local_recodings import GroupRecoding
from tacit.baskets.solvers.cahd import band_order, cahd
from tacit.errors import InputError, PromiseError
from tacit.shuffle import Shuffle

Baskets = list[set[int]]


def arrays(baskets: Baskets) -> tuple[np.ndarray, np.ndarray]:
    indptr = np.cumsum([0, *map(len, baskets)]).astype(np.int64)
    return indptr, np.array([x for basket in baskets for x in sorted(basket)], np.int32)


def random_case(seed: int) -> tuple[Baskets, Baskets, int, int]:
    """Baskets, what they hold of sensitive items, p (most often one that can be reached), alpha."""
    rng = np.random.default_rng(seed)
    rows, n_items, n_secrets = (int(rng.integers(0, top)) for top in (40, 12, 5))
    baskets = [set(np.flatnonzero(rng.random(n_items) < rng.uniform(0.05, 0.5)).tolist()) for _ in range(rows)]
    rarity = rng.uniform(0.02, 0.3)
    secrets = [set(np.flatnonzero(rng.random(n_secrets) < rarity).tolist()) for _ in range(rows)]
    most = max((sum(s in row for row in secrets) for s in range(n_secrets)), default=0)
    reachable = rows // most if most else 5
    return baskets, secrets, int(rng.integers(1, min(reachable, 8) + 2)), int(rng.integers(1, 4))


def grouped(baskets: Baskets, secrets: Baskets, p: int, alpha: int = 3) -> list[int]:
    return cahd(*arrays(baskets), *arrays(secrets), p, alpha).tolist()


def test_same_groups_as_the_literal_twin() -> None:
    several = refused = 0
    for seed in range(800):
        baskets, secrets, p, alpha = random_case(seed)
        try:
            found = grouped(baskets, secrets, p, alpha)
        except PromiseError:
            refused += 1
            assert max(sum(s in row for row in secrets) for s in set().union(*secrets)) * p > len(baskets)
            continue
        assert found == naive_cahd.cahd(baskets, secrets, p, alpha), seed
        several += len(set(found)) > 2
    assert several > 100
    assert refused > 20


def test_a_sensitive_item_is_in_at_most_1_in_p_rows_of_a_group() -> None:
    for seed in range(800, 1200):
        baskets, secrets, p, alpha = random_case(seed)
        try:
            found = grouped(baskets, secrets, p, alpha)
        except PromiseError:
            continue
        for number in set(found):
            rows = [secrets[row] for row in range(len(found)) if found[row] == number]
            assert all(sum(s in row for row in rows) * p <= len(rows) for s in range(5))


def test_neighbours_in_the_band_have_items_in_common() -> None:
    """Two kinds of rows, shuffled: the band has one kind after the other, and each of its rows beside a like one."""
    rng = np.random.default_rng(1)
    kinds = [{kind * 100 + i + j for j in range(4)} for kind in range(2) for i in range(40)]
    shuffled = [kinds[i] for i in rng.permutation(80)]
    order = band_order(*arrays(shuffled))
    assert sorted(order.tolist()) == list(range(80))
    in_order = [shuffled[row] for row in order]
    assert sum(bool(a & b) for a, b in pairwise(in_order)) == 78
    assert np.mean([len(a & b) for a, b in pairwise(in_order)]) > 2.9


def test_the_promise_out_of_reach_is_refused_with_what_could_be_reached() -> None:
    with pytest.raises(PromiseError, match=r"in 3 of 8 baskets.*Set p to 2 at most"):
        grouped([{0}] * 8, [{0}, {0}, {0, 1}, *[set()] * 5], p=3)
    assert set(grouped([{0}] * 8, [{0}, {0}, {0, 1}, *[set()] * 5], p=2)) > {0}


def test_alpha_must_be_positive() -> None:
    with pytest.raises(InputError, match="alpha"):
        grouped([{0}], [set()], 1, alpha=0)


def test_no_rows_and_nothing_sensitive() -> None:
    assert grouped([], [], 2) == []
    assert grouped([{0}, set()], [set(), set()], 2) == [0, 0]


def test_groups_follow_the_likeness_of_baskets() -> None:
    """The sensitive rows 0 and 4 each find the rows that have their items."""
    baskets = [{0, 1}, {0, 1}, {0, 1, 2}, {5, 6}, {5, 6}, {5, 6, 7}, {9}, {9}, {9}]
    secrets = [{0}, set(), set(), set(), {0}, set(), set(), set(), set()]
    found = grouped(baskets, secrets, 3)
    assert found[0] == found[1] == found[2] != found[3]
    assert found[3] == found[4] == found[5]
    assert found[6] == found[7] == found[8]


def test_sensitive_items_are_dealt_out_inside_the_group() -> None:
    group = np.array([1, 0, 1, 1, 0, 2], np.int32)
    found = [GroupRecoding.undrawn(group).drawn(Shuffle.seeded(seed)) for seed in range(100)]
    for recoding in found:
        assert sorted(recoding.source.tolist()) == list(range(6))
        assert np.array_equal(group[recoding.source], group)
        assert len({*zip(group.tolist(), recoding.group.tolist(), strict=True)}) == 3, "the same groups"
        assert set(recoding.group.tolist()) == {1, 2, 3}
    assert len({tuple(recoding.source.tolist()) for recoding in found}) == 12, "3! · 2! ways, all of them met"
    assert len({tuple(recoding.group.tolist()) for recoding in found}) == 6
    assert GroupRecoding.undrawn(group).drawn(Shuffle.seeded(3)) == found[3]
