"""CAHD against its twins and its promise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import tacit
from naive import cahd as naive_cahd
from support.keys import shuffle_of
from support.seeds import in_parts
from tacit import Cahd
from tacit.baskets.local_recodings import GroupRecoding
from tacit.baskets.solvers.cahd import Sets, band_order, blind_band, cahd, leaves
from tacit.baskets.solvers.cahd_literal import cahd_literal
from tacit.errors import InputError, PromiseError
from tacit.shuffle import EQUAL_NEIGHBOURS, TOKENS

Baskets = list[set[int]]
Grouped = Callable[..., list[int]]


def arrays(baskets: Baskets) -> Sets:
    indptr = np.cumsum([0, *map(len, baskets)]).astype(np.int64)
    return Sets(indptr, np.array([x for basket in baskets for x in sorted(basket)], np.int32))


def random_case(seed: int) -> tuple[Baskets, Baskets, int, int]:
    """Baskets, what they hold of sensitive items, p (most often one that can be reached), alpha."""
    rng = np.random.default_rng(seed)
    rows, n_items, n_sensitive = (int(rng.integers(0, top)) for top in (40, 12, 5))
    baskets = [set(np.flatnonzero(rng.random(n_items) < rng.uniform(0.05, 0.5)).tolist()) for _ in range(rows)]
    rarity = rng.uniform(0.02, 0.3)
    sensitive = [set(np.flatnonzero(rng.random(n_sensitive) < rarity).tolist()) for _ in range(rows)]
    most = max((sum(s in row for row in sensitive) for s in range(n_sensitive)), default=0)
    reachable = rows // most if most else 5
    return baskets, sensitive, int(rng.integers(1, min(reachable, 8) + 2)), int(rng.integers(1, 4))


def literally(baskets: Baskets, sensitive: Baskets, p: int, alpha: int = 3) -> list[int]:
    return cahd_literal(arrays(baskets), arrays(sensitive), p, alpha).tolist()


def blindly(baskets: Baskets, sensitive: Baskets, p: int, seed: int = 0) -> list[int]:
    return cahd(arrays(baskets), arrays(sensitive), p, shuffle_of(seed)).tolist()


def twin_of_blindly(baskets: Baskets, sensitive: Baskets, p: int, seed: int = 0) -> list[int]:
    hidden = shuffle_of(seed)
    ties, chance = (hidden.order(len(baskets), label).tolist() for label in (EQUAL_NEIGHBOURS, TOKENS))
    return naive_cahd.cahd(baskets, sensitive, p, ties, chance)


def keeps(found: list[int], sensitive: Baskets, p: int) -> bool:
    """In every group each sensitive item is in at most 1/p of the rows."""
    groups = [[sensitive[row] for row in range(len(found)) if found[row] == group] for group in set(found)]
    return all(sum(s in row for row in rows) * p <= len(rows) for rows in groups for s in set().union(*rows))


def is_out_of_reach(baskets: Baskets, sensitive: Baskets, p: int) -> bool:
    return max((sum(s in row for row in sensitive) for s in set().union(*sensitive)), default=0) * p > len(baskets)


def test_same_groups_as_the_literal_twin() -> None:
    several = refused = 0
    for seed in range(800):
        baskets, sensitive, p, alpha = random_case(seed)
        if is_out_of_reach(baskets, sensitive, p):
            refused += 1
            with pytest.raises(PromiseError):
                literally(baskets, sensitive, p, alpha)
            continue
        found = literally(baskets, sensitive, p, alpha)
        assert found == naive_cahd.literal(baskets, sensitive, p, alpha), seed
        assert keeps(found, sensitive, p)
        several += len(set(found)) > 2
    assert several > 100
    assert refused > 20


@in_parts(range(800, 1600), 60)
def test_same_groups_as_the_blind_twin(seeds: Sequence[int]) -> None:
    several = refused = 0
    for seed in seeds:
        baskets, sensitive, p, _ = random_case(seed)
        if is_out_of_reach(baskets, sensitive, p):
            refused += 1
            with pytest.raises(PromiseError):
                blindly(baskets, sensitive, p, seed)
            continue
        found = blindly(baskets, sensitive, p, seed)
        assert found == twin_of_blindly(baskets, sensitive, p, seed), seed
        assert keeps(found, sensitive, p)
        several += len(set(found)) > 2
    assert several > len(seeds) // 8
    assert refused > len(seeds) // 40


@pytest.mark.parametrize("seed", range(60))
def test_dealing_sets_that_conflict(seed: int) -> None:
    """One leaf full of sets of several items: groups of p will often not do."""
    rng = np.random.default_rng(seed)
    p, rows = int(rng.integers(2, 4)), 30
    sensitive: Baskets = [set() for _ in range(rows)]
    for item in range(6):
        for row in rng.choice(rng.integers(15, rows + 1), rows // p - int(rng.integers(2)), replace=False).tolist():
            sensitive[row].add(item)
    found = blindly([{0}] * rows, sensitive, p, seed)
    assert found == twin_of_blindly([{0}] * rows, sensitive, p, seed)
    assert keeps(found, sensitive, p)


def test_sets_that_cannot_be_dealt_one_by_one() -> None:
    """Any two of the three sets conflict: of twelve rows six would have to be groups of their own."""
    sensitive: Baskets = [{0, 1}, {0, 1}, {0, 2}, {0, 2}, {1, 2}, {1, 2}, *[set()] * 6]
    found = blindly([{0}] * 12, sensitive, 3)
    assert sorted(np.bincount(found).tolist()) == [6, 6]
    assert keeps(found, sensitive, 3)


def test_a_part_is_cut_only_if_both_halves_will_do_wherever_the_items_are() -> None:
    assert leaves(arrays([{0}, *[set()] * 7]), 2).tolist() == [0, 2, 4, 8], "what has no sensitive item stays whole"
    assert leaves(arrays([{0}, *[set()] * 6]), 4).tolist() == [0, 7], "the smaller half has three"
    assert leaves(arrays([{0}, *[set()] * 7]), 4).tolist() == [0, 4, 8]
    assert leaves(arrays([{0}, *[set()] * 6, {0}]), 3).tolist() == [0, 8], "they might be in one half"
    assert leaves(arrays([{0}, *[set()] * 6, {1}]), 3).tolist() == [0, 4, 8]


def test_rows_with_equal_items_stand_in_a_random_order_in_the_band() -> None:
    """Whatever order they come in, which may tell who has a sensitive item."""
    first = {int(blind_band(arrays([{0}] * 4), shuffle_of(seed))[0]) for seed in range(60)}
    assert first == {0, 1, 2, 3}


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


@pytest.mark.parametrize("grouped", [blindly, literally])
def test_the_promise_out_of_reach_is_refused_with_what_could_be_reached(grouped: Grouped) -> None:
    with pytest.raises(PromiseError, match=r"in 3 of 8 baskets.*Set p to 2 at most"):
        grouped([{0}] * 8, [{0}, {0}, {0, 1}, *[set()] * 5], p=3)
    assert set(grouped([{0}] * 8, [{0}, {0}, {0, 1}, *[set()] * 5], p=2)) > {0}


def test_alpha_must_be_positive() -> None:
    with pytest.raises(InputError, match="alpha"):
        literally([{0}], [set()], 1, alpha=0)


@pytest.mark.parametrize("grouped", [blindly, literally])
def test_no_rows_and_nothing_sensitive(grouped: Grouped) -> None:
    assert grouped([], [], 2) == []
    assert grouped([{0}, set()], [set(), set()], 2) == [0, 0]


def test_groups_follow_the_likeness_of_baskets() -> None:
    """The sensitive rows 0 and 4 each find the rows that have their items."""
    baskets = [{0, 1}, {0, 1}, {0, 1, 2}, {5, 6}, {5, 6}, {5, 6, 7}, {9}, {9}, {9}]
    sensitive = [{0}, set(), set(), set(), {0}, set(), set(), set(), set()]
    found = literally(baskets, sensitive, 3)
    assert found[0] == found[1] == found[2] != found[3]
    assert found[3] == found[4] == found[5]
    assert found[6] == found[7] == found[8]


def test_sensitive_items_are_dealt_out_inside_the_group() -> None:
    group = np.array([1, 0, 1, 1, 0, 2], np.int32)
    found = [GroupRecoding.undrawn(group).drawn(shuffle_of(seed)) for seed in range(100)]
    for recoding in found:
        assert sorted(recoding.source.tolist()) == list(range(6))
        assert np.array_equal(group[recoding.source], group)
        assert len({*zip(group.tolist(), recoding.group.tolist(), strict=True)}) == 3, "the same groups"
        assert set(recoding.group.tolist()) == {1, 2, 3}
    assert len({tuple(recoding.source.tolist()) for recoding in found}) == 12, "3! · 2! ways, all of them met"
    assert len({tuple(recoding.group.tolist()) for recoding in found}) == 6
    assert GroupRecoding.undrawn(group).drawn(shuffle_of(3)) == found[3]


@pytest.mark.parametrize("literal", [False, True])
def test_owner_and_recipients_are_told_what_the_paper_s_choice_does_not_stop(tmp_path: Path, literal: bool) -> None:
    frame = pa.table({"basket": [["a", "s"], ["a"], ["b"], ["a", "b"]]})
    made = tacit.anonymize(frame, Cahd(2), items="basket", sensitive_items=["s"], literal=literal)
    made.save(tmp_path / "release")
    note = (tmp_path / "release/public/README.md").read_text("utf-8")
    assert ("up to certainty" in note) is literal
    assert any("literal = true" in each for each in made.notes) is literal
