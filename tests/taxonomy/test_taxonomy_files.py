"""The real taxonomies beside the project."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import pytest

from tacit.taxonomy import Taxonomy, build, pick_kind, read_hierarchy, write_hierarchy

LEAVES = {
    "adult_hierarchy_age.csv": 100,
    "adult_hierarchy_education.csv": 16,
    "adult_hierarchy_marital-status.csv": 7,
    "adult_hierarchy_native-country.csv": 41,
    "adult_hierarchy_occupation.csv": 14,
    "adult_hierarchy_race.csv": 5,
    "adult_hierarchy_salary-class.csv": 2,
    "adult_hierarchy_sex.csv": 2,
    "adult_hierarchy_workclass.csv": 8,
    "bms_webview2_tree.txt.gz": 3340,
    "fruithut_taxonomy.csv": 1265,
    "icd9_tree.txt": 1221,
    "icd9_tree_even.txt": 1297,
    "informs_DOBMM_tree.txt": 12,
    "informs_DOBYY_tree.txt": 111,
    "informs_EDUCYEAR_tree.txt": 22,
    "informs_RACEX_tree.txt": 6,
    "informs_income_tree.txt.gz": 23784,
    "informs_marry_tree.txt": 6,
}


@pytest.fixture(scope="module")
def folder(shared_data: Path) -> Path:
    return shared_data / "taxonomies"


def dat_items(path: Path) -> set[str]:
    with gzip.open(path, "rt") as lines:
        return {item for line in lines for item in line.split()}


@pytest.fixture(scope="module")
def groceries(shared_data: Path) -> Taxonomy:
    with gzip.open(shared_data / "transactions" / "groceries.csv.gz", "rt", newline="") as lines:
        values = {item for basket in csv.reader(lines) for item in basket}
    return read_hierarchy(shared_data / "taxonomies" / "groceries_hierarchy.csv", values)


@pytest.mark.parametrize("name", LEAVES)
def test_leaf_counts_and_a_round_trip(folder: Path, tmp_path: Path, name: str) -> None:
    tree = read_hierarchy(folder / name)
    assert len(tree.leaves) == LEAVES[name]
    assert tree.names[0] == "*"
    write_hierarchy(tree, tmp_path / name)
    again = read_hierarchy(tmp_path / name)
    assert again.names == tree.names
    assert again.parent.tolist() == tree.parent.tolist()


def test_webview2_merges_its_chains(folder: Path, shared_data: Path) -> None:
    values = dat_items(shared_data / "transactions" / "bms_webview2.dat.gz")
    tree = read_hierarchy(folder / "bms_webview2_tree.txt.gz", values)
    assert tree.notes == ()
    # 835 + 209 + 53 + 14 + 4 groups and the root are in the file; a group that only repeats the one below is not.
    assert len(tree) - len(tree.leaves) == 1114
    assert min(len(tree.children(node)) for node in range(len(tree)) if not tree.is_leaf[node]) == 2


def test_fruithut_gets_a_root_over_its_13_tops(folder: Path, shared_data: Path) -> None:
    values = dat_items(shared_data / "transactions" / "fruithut.dat.gz")
    tree = read_hierarchy(folder / "fruithut_taxonomy.csv", values)
    assert len(tree.children(0)) == 13
    assert len(tree) - len(tree.leaves) == 43 + 1
    assert tree.notes == ("No common root: 13 tops were put under a new root '*'.",)


def test_groceries(groceries: Taxonomy) -> None:
    assert len(groceries.leaves) == 169
    assert len(groceries.children(0)) == 10
    header, root, renamed = groceries.notes
    assert "(item,level2,level1) was taken for a header" in header
    assert "10 tops" in root
    assert renamed.startswith("9 groups bear the name of a leaf")


def test_groceries_publishes_upper_namesakes_as_groups(groceries: Taxonomy) -> None:
    path = [groceries.names[node] for node in groceries.path(groceries.node("detergent"))]
    assert path == ["detergent", "detergent/softener", "detergent (group)", "*"]
    assert sorted(name for name in groceries.names if name.endswith(" (group)")) == [
        f"{name} (group)"
        for name in (
            "bags",
            "bathroom cleaner",
            "beef",
            "chocolate",
            "cleaner",
            "coffee",
            "detergent",
            "perfumery",
            "sausage",
        )
    ]
    assert groceries.is_leaf[groceries.node("pork")]
    assert groceries.names[groceries.parent[groceries.node("pork")]] == "meat and sausage"


def test_kinds_picked_for_real_labels(folder: Path, shared_data: Path, groceries: Taxonomy) -> None:
    with gzip.open(shared_data / "rt" / "informs2005_rt.csv.gz", "rt", newline="") as lines:
        codes = {code for row in csv.DictReader(lines) for code in row["conditions"].split()}
    assert pick_kind(sorted(codes)) == "prefix"
    assert len(build(sorted(codes)).leaves) == 599
    assert pick_kind(sorted(dat_items(shared_data / "transactions" / "fruithut.dat.gz"))) == "balanced"
    assert pick_kind([groceries.names[leaf] for leaf in groceries.leaves]) == "balanced"
