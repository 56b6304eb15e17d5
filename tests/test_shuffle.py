"""What hides people: order and numbers, drawn in one place, from a key."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest

import tacit
from support.keys import key_of, shuffle_of
from support.seeds import first_fast
from tacit.errors import InputError
from tacit.shuffle import BUCKETS, EQUAL_RECORDS, RECORDS, Shuffle

PEOPLE = 200
RELEASES = 80
"""Enough to see that somebody is first in more than three of four of them."""


def test_order_and_numbers_are_permutations() -> None:
    hidden = shuffle_of(1)
    for n in (0, 1, 7):
        assert sorted(hidden.order(n, RECORDS).tolist()) == list(range(n))
        assert sorted(hidden.ids(n, BUCKETS).tolist()) == list(range(1, n + 1))


def test_members_stay_in_their_group() -> None:
    group = np.array([3, 1, 3, 3, 1, 2])
    orders = {tuple(shuffle_of(seed).within(group, RECORDS).tolist()) for seed in range(200)}
    assert all(group[list(order)].tolist() == [1, 1, 2, 3, 3, 3] for order in orders)
    assert len(orders) == 12, "2! · 1! · 3! ways, all of them met"
    assert shuffle_of(1).within(group[:0], RECORDS).size == 0


def test_every_order_is_met() -> None:
    """No place of the input is likelier at a place of what is published."""
    orders = np.array([shuffle_of(seed).order(4, RECORDS) for seed in range(2000)])
    counts = np.array([np.bincount(orders[:, place], minlength=4) for place in range(4)])
    assert counts.min() > 420 and counts.max() < 580, "500 times each, give or take four standard deviations"


def test_every_draw_asks_for_words_of_its_own() -> None:
    asked: list[str] = []

    def words(label: str, count: int) -> np.ndarray:
        asked.append(label)
        return np.arange(count)

    hidden = Shuffle(words)
    hidden.order(3, RECORDS)
    hidden.ids(3, BUCKETS)
    hidden.within(np.zeros(3), "slice")
    assert asked == [RECORDS, BUCKETS, "slice"]


def test_words_that_are_the_same_are_drawn_again() -> None:
    """Otherwise two people with the same word would stand as they stood in the input."""
    drawn = iter([np.array([5, 2, 5]), np.array([1, 1, 1]), np.array([9, 4, 3])])
    assert Shuffle(lambda label, count: next(drawn)).order(3, RECORDS).tolist() == [2, 1, 0]
    with pytest.raises(ValueError, match="repeats itself"):
        Shuffle(lambda label, count: np.zeros(count)).order(2, RECORDS)


def agreement(one: np.ndarray, other: np.ndarray) -> float:
    """The rank correlation of two orders."""
    return float(np.corrcoef(np.argsort(one), np.argsort(other))[0, 1])


@pytest.mark.parametrize(
    "other",
    [
        Shuffle.keyed(key_of(2), "input", "job"),
        Shuffle.keyed(key_of(1), "input, changed", "job"),
        Shuffle.keyed(key_of(1), "input", "job with another k"),
        Shuffle.keyed(key_of(1), "inputjob"),
    ],
    ids=["another key", "other data", "another job", "parts joined"],
)
def test_what_differs_in_anything_has_an_unrelated_order(other: Shuffle) -> None:
    hidden = Shuffle.keyed(key_of(1), "input", "job")
    assert hidden.order(900, RECORDS).tolist() == Shuffle.keyed(key_of(1), "input", "job").order(900, RECORDS).tolist()
    assert abs(agreement(hidden.order(900, RECORDS), other.order(900, RECORDS))) < 0.2, "six standard deviations"
    assert abs(agreement(hidden.order(900, RECORDS), hidden.order(900, EQUAL_RECORDS))) < 0.2


def people(ages: int = 20) -> pa.Table:
    return pa.table(
        {"age": [i % ages for i in range(PEOPLE)], "ill": [f"i{i}" for i in range(PEOPLE)], "x": [3] * PEOPLE}
    )


def order_of(frame: pa.Table, k: int = 2, **settings: object) -> np.ndarray:
    """Which original record each published one is."""
    return tacit.anonymize(frame, tacit.KAnonymity(k), quasi="age", plain="ill", **settings).original


def test_the_same_key_with_anything_else_changed_says_nothing_about_the_first_release() -> None:
    first = order_of(people(), key=key_of(5), seed=1)
    assert first.tolist() == order_of(people(), key=key_of(5), seed=1).tolist()
    others = {
        "key": order_of(people(), key=key_of(6), seed=1),
        "k": order_of(people(), 3, key=key_of(5), seed=1),
        "seed": order_of(people(), key=key_of(5), seed=2),
        "method": order_of(people(), key=key_of(5), seed=1, method="cluster"),
        "data": order_of(people(19), key=key_of(5), seed=1),
    }
    for changed, order in others.items():
        assert abs(agreement(first, order)) < 0.4, f"six standard deviations: another {changed}"


def test_a_hierarchy_counts_by_what_it_holds() -> None:
    def made(top: str) -> np.ndarray:
        tree = tacit.Taxonomy.from_paths([[str(i), "low" if i < 10 else "high", top] for i in range(20)])
        return order_of(people(), key=key_of(5), seed=1, hierarchy={"age": tree})

    assert made("*").tolist() == made("*").tolist()
    assert abs(agreement(made("*"), made("all"))) < 0.4


def test_a_key_as_bytes_digits_or_file(tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "key").write_text(key_of(5).hex().upper() + "\n")
    as_bytes = order_of(people(), key=key_of(5), seed=1).tolist()
    assert as_bytes == order_of(people(), key=key_of(5).hex(), seed=1).tolist()
    assert as_bytes == order_of(people(), key=tmp_path / "key", seed=1).tolist()


@pytest.mark.parametrize("wrong", ["", "ab", "z" * 64, b"short"])
def test_no_key(wrong: object) -> None:
    with pytest.raises(InputError, match="64 hexadecimal digits"):
        order_of(people(), key=wrong)


# The attacks of somebody who knows the software: what they tried to find out is not there to be found any more.


def with_a_known_seed(seed: int) -> np.ndarray:
    """Who an attacker would say stands in each row, from the seed alone: how it once was drawn."""
    return np.random.default_rng(seed).permutation(PEOPLE)


@pytest.mark.parametrize("seed", [1, 7])
def test_a_seed_that_the_owner_chose_tells_nobody_who_is_who(seed: int) -> None:
    """Once 200 of 200 illnesses were recovered so."""
    original = order_of(people(), seed=seed)
    assert np.count_nonzero(original == with_a_known_seed(seed)) < 12, "1 is what chance would give"


@pytest.mark.parametrize("method", ["bucketization", "slicing"])
def test_a_seed_tells_nothing_of_buckets(method: str) -> None:
    """Neither of the rows inside them, nor of who was dealt into which."""
    frame = people().append_column("town", pa.array([f"t{i}" for i in range(PEOPLE)]))
    told = {"quasi": ["age", "town"], "sensitive": "ill", "method": method, "seed": 7}
    one, other = (tacit.anonymize(frame, tacit.SlicedDiversity(2), **told) for _ in range(2))
    for mine, yours in zip(one.original, other.original, strict=True):
        assert np.count_nonzero(mine == yours) < 0.2 * PEOPLE
        assert np.count_nonzero(mine == with_a_known_seed(7)) < 12


def test_a_seed_tells_nothing_of_groups_of_baskets() -> None:
    baskets = [[f"a{i // 4}", "s"] if i % 4 == 0 else [f"a{i // 4}"] for i in range(PEOPLE)]
    told = {"items": "b", "sensitive_items": ["s"], "seed": 7}
    made = [tacit.anonymize(pa.table({"b": baskets}), tacit.Cahd(2), **told).data for _ in range(2)]
    assert made[0]["b"].to_pylist() != made[1]["b"].to_pylist()


def first_row_is_the_lonely_one(release: tacit.Release) -> bool:
    """Whether the first row of the group that holds the ends of the scale is one of these two people."""
    group = release.recoding.group[release.original]
    end = release.original[np.flatnonzero(group == group[np.flatnonzero(release.original == 0)[0]])[0]]
    return int(end) == 0


METHODS: dict[str, Callable[[pa.Table], tacit.Release]] = {
    "mondrian": lambda frame: tacit.anonymize(frame, tacit.KAnonymity(2), quasi="income", method="mondrian"),
    "rum-bound": lambda frame: tacit.anonymize(frame, tacit.KKmAnonymity(2, 1), quasi="income", items="bag", delta=1.0),
    "cluster": lambda frame: tacit.anonymize(frame, tacit.KAnonymity(2), quasi="income", method="cluster"),
    "rfirst": lambda frame: tacit.anonymize(
        frame, tacit.KKmAnonymity(2, 1), quasi="income", items="bag", method="rfirst"
    ),
}


@pytest.mark.parametrize("method", first_fast(METHODS))
def test_the_first_row_of_a_group_is_anybody_of_it(method: str) -> None:
    """Incomes 1, 5, 6 and 10, k = 2, a secret seed: once the first row was the person with 1 or 10 in every release,
    because the search and the order of rows shared a stream of random numbers."""
    frame = pa.table({"income": [1, 5, 6, 10], "bag": [["a"]] * 4})
    releases = [METHODS[method](frame) for _ in range(RELEASES)]
    first = sum(map(first_row_is_the_lonely_one, releases))
    sizes = [np.bincount(release.recoding.group)[release.recoding.group[0]] for release in releases]
    expected = sum(1 / size for size in sizes)
    assert abs(first - expected) < 4.5 * np.sqrt(RELEASES / 4), "promised is that each of them is as likely"
