"""What hides people: order and numbers, drawn in one place."""

from __future__ import annotations

import numpy as np

from tacit.shuffle import BUCKETS, GROUPS, RECORDS, SENSITIVE_ITEMS, Shuffle


def test_order_and_numbers_are_permutations() -> None:
    hidden = Shuffle.seeded(1)
    for n in (0, 1, 7):
        assert sorted(hidden.order(n, RECORDS).tolist()) == list(range(n))
        assert sorted(hidden.numbers(n, BUCKETS).tolist()) == list(range(1, n + 1))


def test_members_stay_in_their_group() -> None:
    group = np.array([3, 1, 3, 3, 1, 2])
    orders = {tuple(Shuffle.seeded(seed).within(group, RECORDS).tolist()) for seed in range(200)}
    assert all(group[list(order)].tolist() == [1, 1, 2, 3, 3, 3] for order in orders)
    assert len(orders) == 12, "2! · 1! · 3! ways, all of them met"
    assert Shuffle.seeded(1).within(group[:0], RECORDS).size == 0


def test_every_order_is_met() -> None:
    """No place of the input is likelier at a place of what is published."""
    orders = np.array([Shuffle.seeded(seed).order(4, RECORDS) for seed in range(2000)])
    counts = np.array([np.bincount(orders[:, place], minlength=4) for place in range(4)])
    assert counts.min() > 420 and counts.max() < 580, "500 times each, give or take four standard deviations"


def test_every_draw_asks_the_source_for_its_use() -> None:
    asked: list[str] = []

    def source(label: str) -> np.random.Generator:
        asked.append(label)
        return np.random.default_rng(0)

    hidden = Shuffle(source)
    hidden.order(3, RECORDS)
    hidden.numbers(3, BUCKETS)
    hidden.within(np.zeros(3), "slice")
    assert asked == [RECORDS, BUCKETS, "slice"]


def test_a_seed_gives_the_same_again_and_a_decision_does_not_follow_what_is_published() -> None:
    one, other = Shuffle.seeded(5), Shuffle.seeded(5)
    assert one.order(50, RECORDS).tolist() == other.order(50, RECORDS).tolist()
    other.order(9, RECORDS)
    assert one.numbers(50, GROUPS).tolist() == other.numbers(50, GROUPS).tolist()
    group = np.zeros(50)
    assert one.within(group, SENSITIVE_ITEMS).tolist() == other.within(group, SENSITIVE_ITEMS).tolist()
    assert one.order(50, RECORDS).tolist() != Shuffle.seeded(6).order(50, RECORDS).tolist()
