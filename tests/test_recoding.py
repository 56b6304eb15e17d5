"""The decision behind a release: printable, to JSON and back, and a hierarchy of its own."""

from __future__ import annotations

import pytest

from tacit.errors import InputError
from tacit.recoding import CutRecoding, ItemCut, from_json, to_json

CUT = ItemCut(
    {"beer": "alcohol", "wine": "alcohol", "milk": "milk", "gold": None, "ruby": None},
    suppressed=("jewels",),
    sensitive={"HIV": "HIV"},
)


def test_what_can_be_published() -> None:
    assert CUT.published == ("alcohol", "milk", "HIV")
    assert CUT.groups == {"alcohol"}
    assert CUT.lookup(["HIV", "gold", "wine", "milk"]).tolist() == [2, -1, 0, 1]
    assert [label for label in ("beer", "HIV", "gin") if CUT.knows(label)] == ["beer", "HIV"]


def test_it_survives_json() -> None:
    recoding = CutRecoding({"basket": CUT, "žluť": ItemCut({"a,\n": "*"})})
    assert from_json(to_json(recoding)) == recoding
    assert list(from_json(to_json(recoding)).columns["basket"].becomes) == list(CUT.becomes), "in the same order"


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"columns": 3}', '{"columns": {"a": {}}}'])
def test_what_is_no_recoding(text: str) -> None:
    with pytest.raises(InputError, match="not a recoding that tacit saved"):
        from_json(text)


def test_it_prints_well() -> None:
    assert str(CutRecoding({"basket": CUT})) == (
        "basket: items kept: 1 of 5; groups: 1; suppressed: 1 ('jewels'); sensitive: 1"
    )
    many = ItemCut({f"i{n}": None for n in range(9)}, tuple(f"i{n}" for n in range(9)))
    assert str(many).endswith("suppressed: 9 ('i0', 'i1', 'i2', 'i3', 'i4' and 4 more)")


def test_its_own_hierarchy() -> None:
    """What a new delivery is measured by and compared with, when the hierarchy file is gone."""
    tree = CUT.as_tree()
    assert [tree.names[leaf] for leaf in tree.leaves] == list(CUT.becomes)
    assert tree.leaf_count[tree.node("alcohol")] == 2
    assert tree.names[tree.parent[tree.node("wine")]] == "alcohol"
    assert tree.names[tree.parent[tree.node("milk")]] == "*"


def test_its_own_hierarchy_when_the_root_is_published() -> None:
    tree = ItemCut({"a": "*", "b": "*"}).as_tree()
    assert tree.names[tree.parent[tree.node("b")]] == "*"
    assert len(set(tree.names)) == len(tree) == 4
