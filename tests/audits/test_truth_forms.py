"""The comparison with the original, for releases that do not recode an item the same way everywhere; and for sets."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from support.seeds import each_seed
from support.views import basket_original, list_job, lists
from tacit.audits import read_view
from tacit.audits.truth.baskets import false_values
from tacit.audits.views.baskets import BasketOriginal, BasketView
from tacit.job import Column, Method
from tacit.taxonomy import Taxonomy

TREE = Taxonomy.from_paths(
    [["a", "A", "T"], ["b", "A", "T"], ["c", "C", "T"], ["d", "C", "T"], ["e", "T"], ["s", "C", "T"], ["r", "T"]]
)
JOB = list_job(Column("x", "items", sensitive_items=("s", "r")))
BEFORE = [["a", "c"], ["b", "c", "s"], ["a", "b"], ["d"], ["e"], ["s"], [], ["a", "e", "r"]]
EVERYONE = np.arange(len(BEFORE))
WRONG_1 = ["records that are not what their original becomes: 1"]


def original(*, is_local: bool = False) -> BasketOriginal:
    return basket_original(lists(BEFORE), JOB, {"x": TREE}, is_local=is_local)


def read(baskets: list[list[str]], *, group: list[int] | None = None) -> BasketView:
    return replace(read_view(lists(baskets), JOB), group=None if group is None else np.array(group))


LOCAL = [["A", "c"], ["T", "s"], ["a", "b"], ["C"], ["T"], ["s"], [], ["A", "e", "r"]]


@pytest.mark.parametrize("after", [BEFORE, LOCAL, [*LOCAL[:3], [], *LOCAL[4:]]])
def test_what_is_true_in_parts(after: list[list[str]]) -> None:
    assert false_values(original(is_local=True), read(after), EVERYONE) == []
    assert false_values(original(is_local=True), read(after[::-1]), EVERYONE[::-1]) == []
    assert false_values(original(is_local=True), read(after[::-1])) == []


@pytest.mark.parametrize(
    ("number", "basket"),
    [
        (0, ["A"]),  # c is left out, but a is not
        (0, ["A", "c", "e"]),  # e is not in it
        (0, ["A", "d"]),  # d is not in it
        (0, ["T", "a"]),  # a is below both
        (0, ["A", "a", "c"]),
        (0, ["A", "c", "s"]),  # s is not in it
        (1, ["T"]),  # s is left out
        (1, ["T", "r"]),  # another sensitive item
        (6, ["T"]),  # it was empty
        (5, ["T"]),
        (5, []),
    ],
)
def test_what_is_false_in_parts(number: int, basket: list[str]) -> None:
    after = [*LOCAL[:number], basket, *LOCAL[number + 1 :]]
    assert false_values(original(is_local=True), read(after), EVERYONE) == WRONG_1


@pytest.mark.parametrize(
    ("number", "basket", "is_true"),
    [
        (0, ["A"], True),  # c is left out
        (7, ["e", "r"], True),
        (0, ["A", "c", "e"], False),  # e is not in it
        (0, ["T", "a"], False),  # a is below both
        (1, ["T"], False),  # s is left out, which is sensitive
        (6, ["T"], False),  # it was empty
    ],
)
def test_items_may_be_left_out_where_records_are_reallocated(number: int, basket: list[str], is_true: bool) -> None:
    job = replace(JOB, method=Method("partition", options={"reallocate": True}))
    given = basket_original(lists(BEFORE), job, {"x": TREE}, is_local=True)
    after = [*LOCAL[:number], basket, *LOCAL[number + 1 :]]
    assert false_values(given, read(after), EVERYONE) == ([] if is_true else WRONG_1)
    if number == 1:
        assert false_values(given, read(after)), "counts tell it as well"


def test_a_record_that_is_shown_instead_of_another_one() -> None:
    """Every record is what its original becomes, but one original is shown twice and another one not at all."""
    after, whose = [*LOCAL[:3], LOCAL[0], *LOCAL[4:]], np.array([0, 1, 2, 0, 4, 5, 6, 7])
    assert false_values(original(is_local=True), read(after), whose) == WRONG_1


def test_names_that_a_local_release_cannot_have() -> None:
    for name in ("z", "(a,b)"):
        (problem,) = false_values(original(is_local=True), read([[name], *LOCAL[1:]]), EVERYONE)
        assert "neither an item nor a node of the hierarchy (1)" in problem


@pytest.mark.parametrize(
    ("after", "wanted"),
    [
        ([["A", "c", "e"], ["T", "s"], ["a", "b", "e"], *LOCAL[3:]], "shown in more records than hold an item"),
        ([["A", "a", "c"], ["T", "s"], ["a", "b"], ["C"], ["e"], *LOCAL[5:]], "records with two names for one item: 1"),
        ([["A"], *LOCAL[1:6], ["C"], LOCAL[7]], ""),  # the counts are what they were
        ([*LOCAL[:1], ["T"], *LOCAL[2:]], "items that are in more records than any name shows: 1"),
        ([["A"], ["A", "s"], ["a", "b"], ["C"], ["T"], ["s"], ["T"], ["A", "e", "r"]], ""),
        ([["A"], ["A", "s"], ["A"], ["e"], ["e"], ["s"], ["A"], ["A", "r"]], "in more records than"),
    ],
)
def test_counts_tell_something_without_rows(after: list[list[str]], wanted: str) -> None:
    problems = false_values(original(is_local=True), read(after))
    assert bool(problems) == bool(wanted)
    assert not wanted or wanted in problems[0]


GROUPS = [1, 1, 2, 2, 3, 3, 2, 1]


@pytest.mark.parametrize(
    "after",
    [
        BEFORE,
        [["a", "c", "s"], ["b", "c", "r"], ["a", "b"], ["d"], ["e", "s"], [], [], ["a", "e"]],
        [["a", "c", "r", "s"], ["b", "c"], ["a", "b"], ["d"], ["e"], ["s"], [], ["a", "e"]],
    ],
)
def test_what_is_true_in_groups(after: list[list[str]]) -> None:
    assert false_values(original(), read(after, group=GROUPS), EVERYONE) == []
    backwards = read(after[::-1], group=GROUPS[::-1])
    assert false_values(original(), backwards, EVERYONE[::-1]) == []
    assert false_values(original(), backwards) == []


@pytest.mark.parametrize(
    ("after", "wanted"),
    [
        ([["a"], *BEFORE[1:]], WRONG_1),
        ([["A", "c"], *BEFORE[1:]], ["'A' is shown, which is no item"]),
        ([["z"], *BEFORE[1:]], ["shown in 'x', but neither an item nor a node of the hierarchy (1): 'z'"]),
        ([BEFORE[0], ["b", "c"], *BEFORE[2:]], ["sensitive items that are not those of their group: 1"]),
        ([["a", "c", "s"], *BEFORE[1:]], ["sensitive items that are not those of their group: 1"]),
    ],
)
def test_what_is_false_in_groups(after: list[list[str]], wanted: list[str]) -> None:
    assert false_values(original(), read(after, group=GROUPS), EVERYONE) == wanted
    assert false_values(original(), read(after, group=GROUPS)) == wanted


def test_a_sensitive_item_in_another_group_is_found_if_it_is_known_who_is_who() -> None:
    after = [BEFORE[0], ["b", "c"], ["a", "b", "s"], *BEFORE[3:]]
    assert false_values(original(), read(after, group=GROUPS)) == []
    assert false_values(original(), read(after, group=GROUPS), EVERYONE) == [
        "sensitive items that are not those of their group: 2"
    ]


SETS = [["(a,d)", "(b,c)"], ["(b,c)", "s"], ["(a,d)", "(b,c)"], ["(a,d)"], ["e"], ["s"], [], ["(a,d)", "e", "r"]]


def test_sets() -> None:
    assert false_values(original(), read(SETS), EVERYONE) == []
    assert false_values(original(), read(SETS[::-1])) == []
    semicolons = [[name.replace(",", ";") for name in basket] for basket in SETS]
    assert false_values(original(), read(semicolons), EVERYONE) == []
    assert false_values(original(), read([["(a,d)"], *SETS[1:]]), EVERYONE) == WRONG_1
    for name in ("(a,z)", "(a,A)", "(a,s)", "(a,a)", "(a)", "a,d"):
        (problem,) = false_values(original(), read([[name, "(b,c)"], *SETS[1:]]), EVERYONE)
        assert "neither an item nor a node of the hierarchy (1)" in problem
    (problem,) = false_values(original(), read([["a", "(b,c)"], *SETS[1:]]), EVERYONE)
    assert problem == "'(a,d)' is shown beside 'a', which it overlaps"
    (problem,) = false_values(original(), read([["(a,d)", "(b,e)"], *SETS[1:]]), EVERYONE)
    assert "which it overlaps" in problem


LEAVES = {"a": "a", "b": "b", "c": "c", "d": "d", "e": "e", "A": "ab", "C": "cd", "T": "abcde"}


def is_true(was: list[str], now: list[str]) -> bool:
    """The rule of local releases, for one record."""
    sensitive = {"s", "r"}
    items, names = set(was) - sensitive, set(now) - sensitive
    if set(was) & sensitive != set(now) & sensitive:
        return False
    covers = [sum(item in LEAVES[name] for name in names) for item in items]
    return (not names or set(covers) <= {1}) and all(items & set(LEAVES[name]) for name in names)


@each_seed(range(40))
def test_every_record_is_judged_as_the_rule_says(seed: int) -> None:
    rng = np.random.default_rng(seed)

    def drawn(labels: list[str], chance: float) -> list[str]:
        return [label for label in labels if rng.random() < chance]

    before = [drawn([*"abcde", "s", "r"], 0.4) for _ in range(30)]

    def published(basket: list[str]) -> list[str]:
        """Often true: each item as itself or as a node above it; sometimes anything."""
        sensitive = [item for item in basket if item in "sr" and rng.random() < 0.95]
        if rng.random() < 0.3:
            return drawn(list(LEAVES), 0.2) + sensitive
        up = {"a": "A", "b": "A", "c": "C", "d": "C", "e": "T"}
        return sorted({item if rng.random() < 0.6 else up[item] for item in basket if item not in "sr"}) + sensitive

    after = [published(basket) for basket in before]
    order = rng.permutation(30)
    wrong = sum(not is_true(was, now) for was, now in zip(before, after, strict=True))
    given = basket_original(lists(before), JOB, {"x": TREE}, is_local=True)
    shuffled = read([after[i] for i in order.tolist()])
    found = false_values(given, shuffled, order)
    assert found == ([f"records that are not what their original becomes: {wrong}"] if wrong else [])
    assert 0 < wrong < 30, "some are true, some are not"
