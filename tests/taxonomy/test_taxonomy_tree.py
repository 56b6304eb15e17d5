"""The tree itself: numbering, counts, and the ways to make one tree from others."""

from __future__ import annotations

import pickle
from itertools import groupby

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.errors import InputError
from tacit.taxonomy import Taxonomy

repeatable = settings(derandomize=True, deadline=None, max_examples=100)

# The taxonomy of Liu & Wang 2010: T -> P Q e i; P -> H K; H -> a b; K -> c d; Q -> L M; L -> f g; M -> x y z.
PAPER_PATHS = [
    list(path) for path in ["aHPT", "bHPT", "cKPT", "dKPT", "fLQT", "gLQT", "xMQT", "yMQT", "zMQT", "eT", "iT"]
]


@pytest.fixture
def paper() -> Taxonomy:
    return Taxonomy.from_paths(PAPER_PATHS)


@st.composite
def trees(draw: st.DrawFn) -> Taxonomy:
    """Ragged trees, with names numbered so that they are unique."""
    size = draw(st.integers(1, 25))
    parents = [-1] + [draw(st.integers(0, node - 1)) for node in range(1, size)]
    return Taxonomy.from_parents([f"n{node}" for node in range(size)], parents)


def test_the_tree_of_the_paper(paper: Taxonomy) -> None:
    assert "".join(paper.names) == "TPHabKcdQLfgMxyzei"
    assert "".join(paper.names[leaf] for leaf in paper.leaves) == "abcdfgxyzei"
    count = dict(zip(paper.names, paper.leaf_count.tolist(), strict=True))
    assert (count["T"], count["P"], count["Q"], count["M"], count["e"]) == (11, 4, 5, 3, 1)
    depth = dict(zip(paper.names, paper.depth.tolist(), strict=True))
    assert (depth["T"], depth["P"], depth["H"], depth["a"], depth["e"]) == (0, 1, 2, 3, 1)
    assert [paper.names[node] for node in paper.children(0)] == ["P", "Q", "e", "i"]
    assert [paper.names[node] for node in paper.path(paper.node("g"))] == ["g", "L", "Q", "T"]
    assert paper.to_paths() == PAPER_PATHS
    assert paper.notes == ()
    assert repr(paper) == "Taxonomy(11 leaves, 18 nodes, root 'T')"


@given(trees())
@repeatable
def test_preorder_intervals_agree_with_walks_to_the_root(tree: Taxonomy) -> None:
    above = [set(tree.path(node).tolist()) for node in range(len(tree))]
    for node in range(len(tree)):
        below = [other for other in range(len(tree)) if node in above[other]]
        assert below == list(range(node, tree.end[node]))
        assert tree.depth[node] == len(above[node]) - 1
        children = [other for other in range(len(tree)) if tree.parent[other] == node]
        assert tree.children(node).tolist() == children
        assert tree.is_leaf[node] == (not children)
        assert tree.leaf_count[node] == sum(bool(tree.is_leaf[other]) for other in below)
    assert (tree.parent.dtype, tree.end.dtype, tree.leaves.dtype) == (np.int32,) * 3


@given(trees())
@repeatable
def test_paths_give_the_tree_back(tree: Taxonomy) -> None:
    again = Taxonomy.from_paths(tree.to_paths())
    assert again.names == tree.names
    assert again.parent.tolist() == tree.parent.tolist()
    assert again.end.tolist() == tree.end.tolist()


@given(trees(), st.randoms(use_true_random=False))
@repeatable
def test_taking_leaves_out_leaves_what_the_other_paths_make(tree: Taxonomy, random) -> None:
    names = [tree.names[leaf] for leaf in tree.leaves]
    out = set(random.sample(names, random.randint(0, len(names) - 1)))
    rest = tree.without_leaves(sorted(out))
    expected = Taxonomy.from_paths(path for path in tree.to_paths() if path[0] not in out)
    assert rest.names == expected.names
    assert rest.parent.tolist() == expected.parent.tolist()
    assert rest.end.tolist() == expected.end.tolist()


def told_once(names: list[str]) -> list[str]:
    """A path without `(group)`, and without repetition at neighbouring levels."""
    return [name for name, _ in groupby(name.split(" ")[0] for name in names)]


@given(st.lists(st.lists(st.sampled_from("abcd"), min_size=1, max_size=4), min_size=1, max_size=6))
@settings(derandomize=True, deadline=None, max_examples=150)
def test_rows_that_repeat_names_are_refused_or_told_apart(rows: list[list[str]]) -> None:
    try:
        tree = Taxonomy.from_paths(rows)
    except InputError as error:
        assert error.line is not None  # a contradiction between rows
        return
    assert {tree.names[leaf] for leaf in tree.leaves} == {row[0] for row in rows}
    for row in rows:
        path = [tree.names[node] for node in tree.path(tree.node(row[0]))]
        assert told_once(path) in (told_once(row), told_once([*row, "*"]))


def test_siblings_stay_in_order_of_first_appearance() -> None:
    tree = Taxonomy.from_paths([["z", "B", "*"], ["a", "A", "*"], ["y", "B", "*"]])
    assert tree.names == ("*", "B", "z", "y", "A", "a")


def test_taking_all_leaves_out_leaves_the_root(paper: Taxonomy) -> None:
    rest = paper.without_leaves([path[0] for path in PAPER_PATHS])
    assert rest.names == ("T",)


def test_find_leaves_numbers_labels_in_the_order_asked(paper: Taxonomy) -> None:
    assert [paper.names[node] for node in paper.find_leaves(["z", "a", "z"])] == ["z", "a", "z"]
    assert paper.find_leaves([]).dtype == np.int32


def test_find_leaves_names_the_first_absent_labels_and_counts_all(paper: Taxonomy) -> None:
    labels = ["a", *(f"new{i}" for i in range(7)), "new0"]
    with pytest.raises(InputError) as error:
        paper.find_leaves(labels)
    assert "7 values of the data are missing" in error.value.problem
    assert "'new0', 'new1', 'new2', 'new3', 'new4' and 2 more" in error.value.problem
    assert "tacit hierarchy build" in str(error.value)


def test_find_leaves_refuses_groups(paper: Taxonomy) -> None:
    with pytest.raises(InputError, match=r"1 value of the data is only a group .* 'H'"):
        paper.find_leaves(["a", "H"])


def test_an_unknown_node_is_an_input_error(paper: Taxonomy) -> None:
    with pytest.raises(InputError, match="'nobody' is not a node"):
        paper.node("nobody")


def test_flat() -> None:
    tree = Taxonomy.flat(["b", "a"])
    assert tree.names == ("*", "b", "a")
    assert tree.parent.tolist() == [-1, 0, 0]
    assert tree.end.tolist() == [3, 2, 3]
    assert Taxonomy.flat([], root="all").names == ("all",)


def test_join_prefixes_names_and_keeps_the_trees_apart(paper: Taxonomy) -> None:
    other = Taxonomy.from_paths([["a", "X"], ["b", "Y"]])
    both = Taxonomy.join({"drugs": paper, "codes": other})
    assert both.names[:3] == ("*", "drugs:T", "drugs:P")
    assert [both.names[node] for node in both.path(both.node("codes:b"))] == ["codes:b", "codes:Y", "codes:*", "*"]
    assert both.leaf_count[[0, both.node("drugs:T"), both.node("codes:*")]].tolist() == [13, 11, 2]
    assert both.end[both.node("drugs:T")] == both.node("codes:*")
    assert both.notes == ("codes: No common root: 2 tops were put under a new root '*'.",)


def test_trees_that_cannot_be_are_refused() -> None:
    with pytest.raises(ValueError, match="unique"):
        Taxonomy.flat(["a", "a"])
    with pytest.raises(ValueError, match="one root, not 2"):
        Taxonomy.from_parents(["a", "b"], [-1, -1])
    with pytest.raises(ValueError, match="cycle"):
        Taxonomy.from_parents(["*", "a", "b"], [-1, 2, 1])
    with pytest.raises(ValueError, match="at least of a root"):
        Taxonomy((), np.array([], dtype=np.int32), np.array([], dtype=np.int32))


def test_a_tree_deeper_than_the_recursion_limit() -> None:
    deep = [f"level {level}" for level in range(5_000)]
    tree = Taxonomy.from_paths([deep, ["other", *deep[2_500:]]])
    assert tree.depth.max() == 4_999
    assert tree.leaf_count[0] == 2
    assert tree.to_paths()[0] == deep


def test_contradicting_paths_name_source_and_line() -> None:
    with pytest.raises(InputError, match=r"trees.csv, line 40: 'X' has two parents: 'A' \(line 30\) and 'B'"):
        Taxonomy.from_paths([["a", "X", "A", "*"], ["b", "X", "B", "*"]], source="trees.csv", lines=[30, 40])


def test_trees_travel_between_processes(paper: Taxonomy) -> None:
    paper.find_leaves(["a"])
    copy = pickle.loads(pickle.dumps(paper))
    assert copy.names == paper.names
    assert copy.find_leaves(["z"]).tolist() == paper.find_leaves(["z"]).tolist()


def test_errors_do_not_repeat_names_of_any_length() -> None:
    tree = Taxonomy.flat(["a"])
    with pytest.raises(InputError) as error:
        tree.find_leaves(["x" * 10_000_000])
    assert "'" + "x" * 60 + "'..." in str(error.value)
    assert len(str(error.value)) < 500
