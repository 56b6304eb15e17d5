"""`tacit hierarchy build`, `check` and `show`."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.commands import HIERARCHY, make_shop, shop_rows, tacit, write_csv
from tacit.taxonomy import read_hierarchy


def test_build_from_a_set_valued_column(tmp_path: Path) -> None:
    write_csv(tmp_path / "shop.csv", shop_rows())
    ended = tacit("hierarchy", "build", tmp_path / "shop.csv", "-o", tmp_path / "h.csv", "--json")
    assert (ended.code, ended.json()["column"], ended.json()["kind"]) == (0, "basket", "balanced")
    tree = read_hierarchy(tmp_path / "h.csv")
    assert {tree.names[leaf] for leaf in tree.leaves} == {item for row in shop_rows() for item in row["basket"].split()}


@pytest.mark.parametrize(
    ("options", "kind", "leaves"),
    [
        (("--column", "age", "--kind", "intervals", "--width", "5"), "intervals", 16),
        (("--column", "town", "--kind", "prefix", "--lengths", "1,2"), "prefix", 16),
        (("--column", "basket", "--separator", " ", "--kind", "frequency", "--fanout", "3"), "frequency", 9),
        (("--column", "name"), "balanced", 16),
    ],
)
def test_build_by_options(tmp_path: Path, options: tuple[str, ...], kind: str, leaves: int) -> None:
    write_csv(tmp_path / "shop.csv", shop_rows())
    ended = tacit("hierarchy", "build", tmp_path / "shop.csv", "-o", tmp_path / "h.csv", *options)
    assert ended.code == 0
    assert f"wrote: {tmp_path / 'h.csv'} ({kind}: {leaves} leaves" in ended.out
    assert len(read_hierarchy(tmp_path / "h.csv").leaves) == leaves


def test_a_column_of_values_is_not_divided(tmp_path: Path) -> None:
    (tmp_path / "values.csv").write_text("value\nwhole milk\nsour cream\n")
    assert tacit("hierarchy", "build", tmp_path / "values.csv", "-o", tmp_path / "h.csv").code == 0
    assert (tmp_path / "h.csv").read_text() == "sour cream,*\nwhole milk,*\n"


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        (("--column", "nowhere"), "shop.csv, column 'nowhere': the data has no such column"),
        (("--kind", "magic"), "'magic' is no kind of hierarchy"),
        (("--fanout", "1"), "a fan-out of 1 makes no tree"),
        (("--kind", "prefix", "--lengths", "a,b"), "--lengths is 'a,b', but it must be whole numbers"),
        (("--kind", "prefix", "--fanout", "3"), "a hierarchy of kind 'prefix' takes no 'fanout'"),
        (("--kind", "intervals"), "different values are no number"),
        (("--format", "xls"), "'xls' is not a format"),
    ],
)
def test_build_refuses(tmp_path: Path, options: tuple[str, ...], wanted: str) -> None:
    write_csv(tmp_path / "shop.csv", shop_rows())
    ended = tacit("hierarchy", "build", tmp_path / "shop.csv", "-o", tmp_path / "h.csv", *options)
    assert (ended.code, ended.out) == (2, "")
    assert wanted in ended.err
    assert not (tmp_path / "h.csv").exists()


def test_build_replaces_nothing_unasked(tmp_path: Path) -> None:
    make_shop(tmp_path)
    ended = tacit("hierarchy", "build", tmp_path / "shop.csv", "-o", tmp_path / "hierarchy.csv")
    assert ended.code == 2
    assert "the file exists already" in ended.err
    assert (tmp_path / "hierarchy.csv").read_text() == HIERARCHY
    assert tacit("hierarchy", "build", tmp_path / "shop.csv", "-o", tmp_path / "hierarchy.csv", "--force").code == 0


def test_check_of_a_tree_in_order(tmp_path: Path) -> None:
    make_shop(tmp_path)
    ended = tacit("hierarchy", "check", tmp_path / "hierarchy.csv")
    assert ended.code == 0
    assert "hierarchy.csv: in order. 9 leaves, 17 nodes" in ended.out
    result = tacit("hierarchy", "check", tmp_path / "hierarchy.csv", "--json").json()
    assert result["faults"] == []
    assert result["shape"].startswith("9 leaves, 17 nodes")


def test_check_names_every_fault(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text("child,parent\nbeer,a\nbeer,b\nx,y\ny,x\n")
    ended = tacit("hierarchy", "check", tmp_path / "h.csv")
    assert ended.code == 2
    assert f"{tmp_path / 'h.csv'}, line 3: 'beer' has two parents" in ended.out
    assert f"{tmp_path / 'h.csv'}, line 4: 'x' is its own ancestor" in ended.out
    faults = tacit("hierarchy", "check", tmp_path / "h.csv", "--json").json()["faults"]
    assert [(fault["line"], fault["value"]) for fault in faults] == [(3, "beer"), (4, "x")]


def test_check_of_no_file(tmp_path: Path) -> None:
    ended = tacit("hierarchy", "check", tmp_path / "none.csv")
    assert ended.code == 2
    assert "the hierarchy cannot be read" in ended.out


def test_show(tmp_path: Path) -> None:
    make_shop(tmp_path)
    ended = tacit("hierarchy", "show", tmp_path / "hierarchy.csv")
    assert ended.code == 0
    assert "│   │   ├── beer" in ended.out
    assert "beer" not in tacit("hierarchy", "show", tmp_path / "hierarchy.csv", "--depth", "2").out
    paths = tacit("hierarchy", "show", tmp_path / "hierarchy.csv", "--json").json()["paths"]
    assert paths[0] == ["beer", "alcohol", "drinks", "*"]
    assert tacit("hierarchy", "show", tmp_path / "none.csv").code == 2
