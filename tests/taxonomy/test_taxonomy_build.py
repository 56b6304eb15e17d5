"""Builders: every label is a leaf once, groups are as promised, names are unique and hold no blanks."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.errors import InputError
from tacit.taxonomy import (
    KINDS,
    Taxonomy,
    balanced,
    build,
    by_frequency,
    by_prefix,
    dates,
    intervals,
    pick_kind,
)

repeatable = settings(derandomize=True, deadline=None, max_examples=60)
labels_of_any_kind = st.lists(st.text(alphabet="01ab.*~-", min_size=1, max_size=4), unique=True, max_size=40)


def leaf_names(tree: Taxonomy) -> list[str]:
    return [tree.names[leaf] for leaf in tree.leaves]


def fanouts(tree: Taxonomy) -> list[int]:
    return [len(tree.children(node)) for node in range(len(tree)) if not tree.is_leaf[node]]


def path_of(tree: Taxonomy, leaf: str) -> list[str]:
    return [tree.names[node] for node in tree.path(tree.node(leaf))]


def assert_sound(tree: Taxonomy, labels: list[str]) -> None:
    if labels:
        assert sorted(leaf_names(tree)) == sorted(labels)
        assert min(fanouts(tree)) >= (2 if len(labels) > 1 else 1)
    assert not any(character.isspace() for name in tree.names for character in name)


@given(labels_of_any_kind, st.integers(2, 6))
@repeatable
def test_balanced_bounds_its_fanout(labels: list[str], fanout: int) -> None:
    tree = balanced(labels, fanout)
    assert_sound(tree, labels)
    assert max(fanouts(tree), default=0) <= fanout
    depths = tree.depth[tree.leaves]
    assert depths.max() - depths.min() <= 1
    height = 0
    while fanout**height < len(labels):
        height += 1
    assert depths.max() <= max(height, 1)


@given(labels_of_any_kind, st.integers(2, 6), st.randoms(use_true_random=False))
@repeatable
def test_by_frequency_keeps_like_frequencies_together(labels: list[str], fanout: int, random) -> None:
    counts = [random.choice([0, 1, 2, 5, 50, 1000]) for _ in labels]
    tree = by_frequency(labels, counts, fanout)
    assert_sound(tree, labels)
    assert max(fanouts(tree), default=0) <= fanout
    count_of = dict(zip(labels, counts, strict=True))
    if labels:
        in_tree_order = [count_of[name] for name in leaf_names(tree)]
        assert in_tree_order == sorted(counts, reverse=True)


@given(labels_of_any_kind)
@repeatable
def test_by_prefix_groups_hold_all_that_start_so(labels: list[str]) -> None:
    tree = by_prefix(labels)
    assert_sound(tree, labels)
    for node in range(1, len(tree)):
        if not tree.is_leaf[node]:
            prefix = tree.names[node].split("*~")[0].removesuffix("*")
            below = [name for name in tree.names[node : tree.end[node]] if name in labels]
            assert sorted(below) == sorted(label for label in labels if label.startswith(prefix))


@given(st.lists(st.decimals(-1000, 1000, places=2).map(str), unique=True, max_size=40))
@repeatable
def test_interval_ends_enclose_their_values(values: list[str]) -> None:
    tree = intervals(values)
    assert_sound(tree, values)
    for leaf in tree.leaves if values else []:
        for node in tree.path(leaf)[1:-1]:
            low, high = tree.names[node].strip("[]").split(":")
            assert float(low) <= float(tree.names[leaf]) <= float(high)


def test_numbers_are_sorted_as_numbers() -> None:
    assert leaf_names(balanced(["10", "9", "-1", "100"])) == ["-1", "9", "10", "100"]
    assert leaf_names(balanced(["10", "9", "x"])) == ["10", "9", "x"]


def test_groups_are_numbered_so_that_no_label_is_published_in_their_names() -> None:
    tree = balanced([str(number) for number in range(55267, 55284)])
    assert tree.names[:3] == ("*", "group-1", "group-1.1")
    assert len(tree) == 1 + 2 + 5 + 17


def test_generated_names_avoid_the_labels() -> None:
    tree = balanced(["*", "a", "b", "c", "group-1"], fanout=2)
    assert len(set(tree.names)) == len(tree)
    assert tree.names[0] == "*~2"
    prefixed = by_prefix(["a*", "ab", "b"])
    assert prefixed.names == ("*", "a*~2", "a*", "ab", "b")


def test_by_frequency_evens_out_the_counts_of_siblings() -> None:
    tree = by_frequency(list("abcdefgh"), [40, 40, 20, 20, 20, 10, 5, 5], fanout=4)
    assert [tree.names[node] for node in tree.children(0)] == ["a", "b", "group-3", "group-4"]


def test_by_frequency_adds_up_a_label_given_twice_and_needs_a_count_for_each() -> None:
    assert leaf_names(by_frequency(["a", "b", "a"], [2, 3, 2])) == ["a", "b"]
    with pytest.raises(ValueError, match="shorter"):
        by_frequency(["a", "b"], [1])


def test_by_frequency_of_very_skewed_counts_is_deep_but_sound() -> None:
    labels = [f"x{i}" for i in range(2000)]
    tree = by_frequency(labels, [2**i for i in range(2000)])
    assert_sound(tree, labels)
    assert tree.depth.max() > 500


def test_prefix_lengths_make_the_levels() -> None:
    codes = ["2500", "2501", "2510", "2600", "3110", "3120"]
    tree = by_prefix(codes, lengths=[1, 3])
    assert path_of(tree, "2500") == ["2500", "250*", "2*", "*"]
    assert path_of(tree, "2510") == ["2510", "2*", "*"]
    assert path_of(tree, "3110") == ["3110", "3*", "*"]
    with pytest.raises(InputError, match=r"prefix lengths are \[0, 2\]"):
        by_prefix(codes, lengths=[0, 2])


def test_a_code_that_others_start_with_is_a_leaf_in_its_group() -> None:
    tree = by_prefix(["250", "2501", "2502", "311"])
    assert path_of(tree, "250") == ["250", "250*", "*"]
    assert path_of(tree, "2501") == ["2501", "250*", "*"]


def test_intervals_of_ages_are_round() -> None:
    tree = intervals([str(age) for age in range(17, 91)])
    assert path_of(tree, "37") == ["37", "[35:39]", "[30:39]", "[0:49]", "*"]


def test_interval_options() -> None:
    ages = [str(age) for age in range(100)]
    assert path_of(intervals(ages, width=10, levels=1), "37") == ["37", "[30:39]", "*"]
    assert path_of(intervals(ages, width=4, fanout=3), "37") == ["37", "[36:39]", "[36:47]", "[36:71]", "*"]
    assert path_of(intervals(["1.5", "1.25", "7"], width=2), "1.5") == ["1.5", "[0.00:1.99]", "*"]
    assert path_of(intervals(["1", "2", "30"], width="2.5"), "1") == ["1", "[0.0:2.4]", "*"]


def test_interval_leaves_keep_their_text() -> None:
    assert leaf_names(intervals(["1e1", "007", "7.0", "-3"])) == ["-3", "007", "7.0", "1e1"]


def test_intervals_of_long_numbers_are_exact() -> None:
    big = 10**40
    tree = intervals([str(big + i) for i in range(40)], width=10)
    assert path_of(tree, str(big + 3))[1] == f"[{big}:{big + 9}]"


@pytest.mark.parametrize("bad", ["old", "", "nan", "1,5", "1" * 200])
def test_values_that_are_no_numbers_are_counted_and_not_shown(bad: str) -> None:
    with pytest.raises(InputError, match=r"^1 of 2 different values is no number") as error:
        intervals(["1", bad])
    assert not bad or bad not in str(error.value)


@pytest.mark.parametrize("options", [{"width": 0}, {"width": -2}, {"fanout": 1}])
def test_interval_options_that_make_no_sense(options: dict[str, int]) -> None:
    with pytest.raises(InputError):
        intervals(["1", "2"], **options)


def test_dates() -> None:
    tree = dates(["2024-03-05", "2024-03-09", "2024-02-01", "2024-07-01", "2023-01-01", "1999-12-31"])
    assert path_of(tree, "2024-03-05") == ["2024-03-05", "2024-03", "2024-Q1", "2024", "2020s", "*"]
    assert path_of(tree, "1999-12-31") == ["1999-12-31", "*"]


@pytest.mark.parametrize("bad", ["2024-02-30", "20240305", "2024-3-5", "soon"])
def test_values_that_are_no_dates_are_counted_and_not_shown(bad: str) -> None:
    with pytest.raises(InputError, match=r"^1 of 2 different values is no date") as error:
        dates(["2024-03-05", bad])
    assert bad not in str(error.value)


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        (["2024-03-05", "2023-01-01"], "dates"),
        (["401", "250", "251", "V22", "V25"], "prefix"),
        (["001", "002", "010", "011"], "prefix"),
        ([str(number) for number in range(1000, 1100)], "balanced"),
        (["beer", "wine", "milk"], "balanced"),
        (["A1", "B2", "C3", "D4"], "balanced"),
        (["1.5", "2.5", "3.5"], "balanced"),
        ([], "balanced"),
    ],
)
def test_the_kind_that_suits_the_labels(labels: list[str], kind: str) -> None:
    assert pick_kind(labels) == kind
    assert sorted(leaf_names(build(labels))) == sorted(labels or ["*"])


def test_build_passes_options_on_and_refuses_others() -> None:
    assert max(fanouts(build(list("abcdefgh"), fanout=2))) == 2
    assert leaf_names(build(["a", "b"], "frequency", counts=[1, 2])) == ["b", "a"]
    assert leaf_names(build(["3", "3", "1"], "intervals", width=2)) == ["1", "3"]
    with pytest.raises(InputError, match="'dates' takes no 'fanout'"):
        build(["2024-03-05"], fanout=3)
    with pytest.raises(InputError, match="needs counts"):
        build(["a"], "frequency")
    with pytest.raises(InputError, match="'tree' is no kind") as error:
        build(["a"], "tree")
    assert all(kind in str(error.value) for kind in KINDS)
    with pytest.raises(InputError, match="fan-out of 1"):
        build(["a"], fanout=1)


@pytest.mark.slow
def test_200_000_leaves() -> None:
    labels = [f"item{number}" for number in range(200_000)]
    tree = balanced(labels)
    again = Taxonomy.from_paths(tree.to_paths())
    assert [again.names[leaf] for leaf in again.find_leaves(labels)] == labels
    assert len(again.leaves) == 200_000
