"""Changing hierarchies by hand: whatever is done, leaves stay, names are unique, and the file reads back."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tacit.errors import InputError
from tacit.taxonomy import Taxonomy, edit, read_hierarchy, write_hierarchy

DRINKS = [
    ["beer", "alcohol", "drinks", "*"], ["wine", "alcohol", "drinks", "*"], ["cola", "soft", "drinks", "*"],
    ["milk", "dairy", "food", "*"], ["brie", "dairy", "food", "*"], ["salt", "food", "*"],
]  # fmt: skip


@pytest.fixture
def tree() -> Taxonomy:
    return Taxonomy.from_paths(DRINKS)


def _shape(tree: Taxonomy) -> dict[str, str]:
    """Each node with the one above it."""
    return {name: tree.names[above] for name, above in zip(tree.names[1:], tree.parent[1:], strict=True)}


def test_a_moved_group_takes_all_below_it_along(tree: Taxonomy) -> None:
    moved = _shape(edit.move(tree, [tree.node("alcohol")], tree.node("food")))
    assert (moved["alcohol"], moved["beer"], moved["wine"]) == ("food", "alcohol", "alcohol")


def test_a_group_that_loses_its_last_child_is_gone(tree: Taxonomy) -> None:
    moved = edit.move(tree, [tree.node("cola")], tree.node("food"))
    assert "soft" not in moved.names and moved.node("cola") > 0


def test_a_new_group_stands_where_its_members_have_their_nearest_group(tree: Taxonomy) -> None:
    inside = _shape(edit.group(tree, [tree.node("beer"), tree.node("cola")], "barley"))
    assert (inside["barley"], inside["beer"], inside["cola"]) == ("drinks", "barley", "barley")
    across = _shape(edit.group(tree, [tree.node("wine"), tree.node("brie")], "french"))
    assert across["french"] == "*"


def test_merging_keeps_a_name_or_takes_a_new_one(tree: Taxonomy) -> None:
    both = [tree.node("alcohol"), tree.node("soft")]
    assert _shape(edit.merge(tree, both))["cola"] == "alcohol"
    assert _shape(edit.merge(tree, both, "soft"))["beer"] == "soft"
    assert _shape(edit.merge(tree, both, "liquid"))["wine"] == "liquid"


def test_splitting_and_bands_keep_the_order(tree: Taxonomy) -> None:
    flat = Taxonomy.flat([str(year) for year in range(2000, 2010)])
    parts = edit.split(flat, 0, 3)
    assert [parts.names[leaf] for leaf in parts.leaves] == [str(year) for year in range(2000, 2010)]
    assert [len(parts.children(node)) for node in parts.children(0)] == [3, 3, 4]
    banded = edit.bands(flat, 0, 4)
    assert [len(banded.children(node)) for node in banded.children(0)] == [4, 4, 2]


def test_dissolving_a_group_leaves_its_members_in_its_place(tree: Taxonomy) -> None:
    gone = edit.split(tree, tree.node("alcohol"))
    children = [gone.names[node] for node in gone.children(gone.node("drinks"))]
    assert children == ["beer", "wine", "soft"]


def test_a_node_moves_among_its_siblings_and_no_further(tree: Taxonomy) -> None:
    down = edit.shift(tree, tree.node("beer"), 1)
    assert [down.names[node] for node in down.children(down.node("alcohol"))] == ["wine", "beer"]
    assert edit.shift(tree, tree.node("beer"), -1).names == tree.names
    assert edit.shift(tree, 0, 1).names == tree.names


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda tree: edit.rename(tree, tree.node("beer"), "ale"), "keeps its name"),
        (lambda tree: edit.rename(tree, tree.node("soft"), "food"), "already"),
        (lambda tree: edit.rename(tree, tree.node("soft"), "  "), "needs a name"),
        (lambda tree: edit.rename(tree, tree.node("soft"), "a\nb"), "one line"),
        (lambda tree: edit.move(tree, [tree.node("drinks")], tree.node("soft")), "below itself"),
        (lambda tree: edit.move(tree, [tree.node("milk")], tree.node("beer")), "holds no other"),
        (lambda tree: edit.move(tree, [], 0), "nothing is chosen"),
        (lambda tree: edit.group(tree, [0], "all"), "root"),
        (lambda tree: edit.merge(tree, [tree.node("beer"), tree.node("wine")]), "two groups"),
        (lambda tree: edit.merge(tree, [tree.node("soft")]), "two groups"),
        (lambda tree: edit.split(tree, tree.node("beer")), "cannot be split"),
        (lambda tree: edit.split(tree, 0), "cannot be split"),
        (lambda tree: edit.split(tree, tree.node("alcohol"), 3), "make no 3 groups"),
        (lambda tree: edit.bands(tree, tree.node("alcohol"), 2), "make no bands"),
    ],
)
def test_what_cannot_be_done_is_refused(tree: Taxonomy, change, says: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InputError, match=says):
        change(tree)


def test_intervals_can_be_built_over_the_leaves_of_a_tree() -> None:
    ages = Taxonomy.flat([str(age) for age in range(20, 60)])
    made = edit.rebuild(ages, "intervals", width=10)
    assert {made.names[leaf] for leaf in made.leaves} == {str(age) for age in range(20, 60)}
    assert made.depth.max() > 1


def test_many_changes_in_a_row_keep_all_leaves(tmp_path: Path) -> None:
    random = Random(19)
    for _ in range(40):
        tree = Taxonomy.from_paths(DRINKS)
        for step in range(12):
            nodes = random.sample(range(len(tree)), min(3, len(tree)))
            changes = (
                lambda tree, nodes, step: edit.move(tree, nodes[:2], nodes[2]),
                lambda tree, nodes, step: edit.group(tree, nodes, f"new {step}"),
                lambda tree, nodes, step: edit.merge(tree, nodes[:2]),
                lambda tree, nodes, step: edit.split(tree, nodes[0]),
                lambda tree, nodes, step: edit.split(tree, nodes[0], 2),
                lambda tree, nodes, step: edit.bands(tree, nodes[0], 2),
                lambda tree, nodes, step: edit.shift(tree, nodes[0], random.choice([-1, 1])),
                lambda tree, nodes, step: edit.rename(tree, nodes[0], f"name {step}"),
            )
            try:
                tree = random.choice(changes)(tree, nodes, step)
            except InputError:
                continue
            assert {tree.names[leaf] for leaf in tree.leaves} == {path[0] for path in DRINKS}
        write_hierarchy(tree, tmp_path / "h.csv")
        back = read_hierarchy(tmp_path / "h.csv")
        assert {back.names[leaf] for leaf in back.leaves} == {path[0] for path in DRINKS}
