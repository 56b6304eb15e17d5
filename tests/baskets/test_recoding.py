"""The decision behind a release: printable, to JSON and back, and a hierarchy of its own."""

from __future__ import annotations

import json
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pytest

from support.seeds import each_seed
from tacit.baskets.data import read_items
from tacit.baskets.local_recodings import GroupRecoding, LocalColumn, LocalRecoding
from tacit.baskets.recoding import CutRecoding, ItemCut
from tacit.errors import InputError
from tacit.job import Column, Input, Job, Output
from tacit.promises import KmAnonymity
from tacit.recoding import RECODINGS, VERSION, Recoding, from_json, numbers_from, numbers_text, to_json

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


@pytest.mark.parametrize(
    "lists",
    [
        [["a", "b"], [], ["], [", 'say "no"],'], ["\x1f", "],\x1f["]],
        [[]],
        [["one"], ["list", ["in"], ["a", "list"]]],
        [[["a"], ["b"]]],
        [["a"], {"b": ["c"], "d": [["e"], ["f"]]}],
        [{"a": 1}, {"b": [2]}],
    ],
)
def test_json_has_a_line_for_each_list(lists: list[Any]) -> None:
    class Made:
        kind = "made"

        def to_dict(self) -> dict[str, Any]:
            return {"lists": lists}

    text = to_json(cast(Recoding, Made()))
    assert json.loads(text) == {"kind": "made", "version": VERSION, "lists": lists}
    entries = [json.dumps(entry, ensure_ascii=False) for entry in lists]
    assert (
        text == f'{{\n "kind": "made",\n "version": {VERSION},\n "lists": [\n  ' + ",\n  ".join(entries) + "\n ]\n}\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"kind": "local"}',
        '{"kind": "groups", "group_of_record": "1 x"}',
        '{"columns": 3}',
        '{"columns": {"a": {}}}',
    ],
)
def test_what_is_no_recoding(text: str) -> None:
    with pytest.raises(InputError, match="not a recoding that tacit saved"):
        from_json(text)


def test_numbers_are_one_text() -> None:
    for numbers in ([], [0], [-1, 2147483647, 3], [9_223_372_036_854_775_807]):
        array = np.array(numbers, np.int64)
        text = numbers_text(array)
        assert text == " ".join(map(str, numbers))
        for content in (text, numbers):
            assert numbers_from(content, np.int64).tolist() == numbers
    assert numbers_from("1 2", np.int32).dtype == np.int32
    for content in ("1 x", "1  2", " 1", "1.5", "2147483648", [2147483648], ["x"]):
        with pytest.raises((ValueError, OverflowError)):
            numbers_from(content, np.int32)  # type: ignore[arg-type]


def test_every_kind_of_recoding_is_found_by_its_name() -> None:
    for kind, place in RECODINGS.items():
        module, name = place.split(":")
        found = getattr(import_module(module), name)
        assert issubclass(found, Recoding) and found.kind == kind


@pytest.mark.parametrize("version", ["3", "0", '"2"', "null", "[]"])
def test_a_version_that_is_not_known_is_refused(version: str) -> None:
    text = to_json(CutRecoding({"basket": CUT})).replace(f'"version": {VERSION}', f'"version": {version}')
    with pytest.raises(InputError, match="knows none above 2") as refused:
        from_json(text, file=Path("recoding.json"))
    assert "recoding.json" in str(refused.value) and "tacit anonymize" in str(refused.value)


def test_it_prints_well() -> None:
    assert str(CutRecoding({"basket": CUT})) == (
        "basket: items of the hierarchy kept: 1 of 5; groups: 1; suppressed: 1 ('jewels'); sensitive: 1"
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


LOCAL = LocalColumn(
    ("a", "b", "c", "d"),
    {"A": ("a", "b"), "*": ("a", "b", "c", "d")},
    (("A", "c"), ("*",), ("a", "d"), ()),
    sensitive=("s",),
)


def items_of(baskets: list[list[str]], sensitive: tuple[str, ...] = ("s",)):  # type: ignore[no-untyped-def]
    columns = (Column("x", "items", sensitive_items=sensitive),)
    job = Job(Input("test"), columns, KmAnonymity(k=2, m=2), Output(Path("out")))
    return read_items(pa.table({"x": pa.array(baskets, pa.list_(pa.string()))}), job)


def named(recoding: LocalRecoding | GroupRecoding, baskets: list[list[str]]) -> list[list[str | None]]:
    """What each occurrence is published as, record by record, items in the order of their first appearance."""
    items = items_of(baskets)
    applied = recoding.applied(items)
    shown = [None if c < 0 else applied.names[0][c] for c in applied.code.tolist()]
    bounds = items.baskets.indptr.tolist()
    return [shown[start:stop] for start, stop in pairwise(bounds)]


def test_parts_with_cuts_of_their_own() -> None:
    recoding = LocalRecoding(np.array([0, 1, 2, 3, -1, 0]), {"x": LOCAL})
    baskets = [["a", "b", "c", "s"], ["a", "d"], ["a", "b", "d"], ["a", "s"], ["s"], ["d"]]
    assert named(recoding, baskets) == [
        ["A", "A", "c", "s"], ["*", "*"], ["a", None, "d"], [None, "s"], ["s"], [None]
    ]  # fmt: skip
    assert LOCAL.names == ("*", "A", "a", "c", "d", "s")
    assert recoding.groups("x") == {"A": ("a", "b"), "*": ("a", "b", "c", "d")}
    assert from_json(to_json(recoding)) == recoding
    assert recoding != LocalRecoding(np.array([0, 1, 2, 3, -1, 1]), {"x": LOCAL})
    assert str(recoding) == (
        "x: parts: 4 of 1 to 2 records, each with a cut of its own; names used: 5, of which groups: 2; sensitive: 1"
    )


@each_seed(range(100))
def test_every_occurrence_is_shown_by_the_node_of_its_part(seed: int) -> None:
    """Leaves 0 … 29 in parts that publish any neighbours of them as a group, as they are, or not at all."""
    rng = np.random.default_rng(seed)
    leaves = [f"leaf {i}" for i in range(int(rng.integers(1, 30)))]
    groups, parts, shown = {}, [], []
    for _ in range(int(rng.integers(1, 4))):
        ends = sorted({*rng.integers(0, len(leaves) + 1, int(rng.integers(0, 25))).tolist(), len(leaves)})
        nodes, of_part = [], {}
        for start, end in pairwise([0, *(end for end in ends if end)]):
            if rng.random() < 0.8:
                name = leaves[start] if end == start + 1 else f"{start} to {end}"
                nodes.append(name)
                of_part |= dict.fromkeys(leaves[start:end], name)
                if end > start + 1:
                    groups[name] = tuple(leaves[start:end])
        parts.append(tuple(nodes))
        shown.append(of_part)
    sensitive = ("s", "t")[: int(rng.integers(0, 3))]
    part = rng.integers(0, len(parts), 20)
    baskets = [
        list(rng.choice([*leaves, *sensitive], int(rng.integers(0, 6)) % (len(leaves) + 1), replace=False))
        for _ in part
    ]
    items = items_of(baskets, sensitive)
    recoding = LocalRecoding(part, {"x": LocalColumn(tuple(leaves), groups, tuple(parts), sensitive)})
    applied = recoding.applied(items)
    found = [None if c < 0 else applied.names[0][c] for c in applied.code.tolist()]
    held = items.baskets
    for record, (start, end) in enumerate(pairwise(held.indptr.tolist())):
        wanted = [held.vocabulary[item] for item in held.items[start:end].tolist()]
        of_part = shown[part[record]]
        assert found[start:end] == [label if label in sensitive else of_part.get(label) for label in wanted]


def test_sensitive_items_that_are_dealt_out() -> None:
    recoding = GroupRecoding(np.array([7, 7, 3]), np.array([1, 0, 2]))
    items = items_of([["a", "s"], ["b"], ["s"]])
    applied = recoding.applied(items)
    assert [applied.names[0][c] for c in applied.code.tolist()] == ["a", "s", "b", "s"]
    assert applied.record is not None and applied.record.tolist() == [0, 1, 1, 2]
    assert from_json(to_json(recoding)) == recoding
    assert str(recoding) == "groups: 2 of 1 to 2 records; in each, sensitive items are dealt out at random"
