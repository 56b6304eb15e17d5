"""Trees as text."""

from __future__ import annotations

import pytest

from tacit.taxonomy import Taxonomy, draw


@pytest.fixture
def tree() -> Taxonomy:
    return Taxonomy.from_paths([["beer", "alcohol", "*"], ["wine", "alcohol", "*"], ["milk", "*"], ["tea", "hot", "*"]])


def test_the_whole_tree(tree: Taxonomy) -> None:
    assert draw(tree).splitlines() == [
        "* (4 leaves)",
        "├── alcohol (2 leaves)",
        "│   ├── beer",
        "│   └── wine",
        "├── milk",
        "└── hot (1 leaf)",
        "    └── tea",
        "4 leaves, 7 nodes, 2 levels below the root; fan-out 1 to 3, median 2; ragged: leaves at depth 1 to 2",
    ]


def test_depth_cuts_the_drawing(tree: Taxonomy) -> None:
    assert draw(tree, depth=0).splitlines()[:-1] == ["* (4 leaves)"]
    shown = draw(tree, depth=1).splitlines()[:-1]
    assert shown == ["* (4 leaves)", "├── alcohol (2 leaves)", "├── milk", "└── hot (1 leaf)"]


def test_long_lists_of_children_are_cut() -> None:
    lines = draw(Taxonomy.flat([f"item{i}" for i in range(1144)]), most_children=2).splitlines()
    assert lines == [
        "* (1,144 leaves)",
        "├── item0",
        "├── item1",
        "└── … and 1,142 more",
        "1,144 leaves, 1,145 nodes, 1 level below the root; "
        "fan-out 1144 to 1144, median 1144; all leaves at the same depth",
    ]


def test_long_names_are_cut_but_not_their_counts() -> None:
    tree = Taxonomy.from_paths([["a", "x" * 50, "*"], ["b", "x" * 50, "*"]])
    line = draw(tree, width=30).splitlines()[1]
    assert line == f"└── {'x' * 14}… (2 leaves)"
    assert len(line) == 30


def test_a_root_alone() -> None:
    lines = draw(Taxonomy.flat([])).splitlines()
    assert lines == ["*", "1 leaf, 1 node, 0 levels below the root; no groups; all leaves at the same depth"]


def test_a_very_deep_tree() -> None:
    lines = draw(Taxonomy.from_paths([[f"level {level}" for level in range(3000)]]), width=60).splitlines()
    assert len(lines) == 3001
    assert max(map(len, lines[:-1])) <= 60
