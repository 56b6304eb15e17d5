"""Records in Python: frames of every kind, hierarchies of quasi-identifiers, roles."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tacit
from support.record_cases import ORIGIN, PEOPLE
from tacit.errors import InputError, PromiseError
from tacit.taxonomy import write_hierarchy

QUASI = ["age", "origin", "sex"]


def classes(frame: pa.Table) -> dict[tuple[str, ...], int]:
    rows = list(zip(*(frame[name].to_pylist() for name in QUASI), strict=True))
    return {row: rows.count(row) for row in rows}


@pytest.mark.parametrize("make", [lambda table: table, lambda table: table.to_pandas(), pl.from_arrow])
def test_the_same_kind_of_frame_comes_back(make) -> None:  # type: ignore[no-untyped-def]
    frame = make(PEOPLE)
    release = tacit.anonymize(frame, tacit.KAnonymity(k=2), quasi=QUASI, hierarchy={"origin": ORIGIN}, seed=1)
    assert type(release.data) is type(frame)
    table = release.table
    assert min(classes(table).values()) >= 2 and table.num_rows == 6
    assert release.audit.satisfied
    assert tacit.audit(release.data, tacit.KAnonymity(k=2), quasi=QUASI).satisfied
    assert not tacit.audit(frame, tacit.KAnonymity(k=2), quasi=QUASI).satisfied


def test_a_hierarchy_may_be_a_file(tmp_path: Path) -> None:
    write_hierarchy(ORIGIN, tmp_path / "origin.csv")
    for tree in (str(tmp_path / "origin.csv"), tmp_path / "origin.csv", ORIGIN):
        made = tacit.anonymize(PEOPLE, tacit.KAnonymity(k=3), quasi="origin", hierarchy={"origin": tree}, seed=1)
        assert set(made.data["origin"].to_pylist()) <= {"All", "Europe", "Africa"}


def test_all_roles() -> None:
    release = tacit.anonymize(
        PEOPLE,
        tacit.KLmDiversity(k=2, l=2, m=1),
        identifier="name",
        quasi=QUASI,
        sensitive="illness",
        items="products",
        sensitive_items=["G", "H"],
        hierarchy={"origin": ORIGIN},
        separator=" ",
        method="rfirst",
        seed=1,
    )
    assert release.table.column_names == ["age", "origin", "sex", "products", "illness"]
    sensitive = sorted(
        item for basket in release.data["products"].to_pylist() for item in basket.split() if item in "GH"
    )
    assert sensitive == ["G"] * 3 + ["H"] * 3
    assert {"ncp", "ncp_items", "ul", "are"} <= set(release.utility)
    again = tacit.audit(
        release.data,
        tacit.KLmDiversity(k=2, l=2, m=1),
        quasi=QUASI,
        items="products",
        sensitive_items=["G", "H"],
        separator=" ",
    )
    assert again.satisfied


def test_diversity() -> None:
    release = tacit.anonymize(PEOPLE, tacit.LDiversity(k=2, l=2), quasi=["age", "sex"], sensitive="illness", seed=1)
    frame = release.data.to_pandas()
    for _, group in frame.groupby(["age", "sex"]):
        assert len(group) >= 2 and group["illness"].value_counts().max() * 2 <= len(group)


def test_types_of_frames() -> None:
    frame = pd.DataFrame(
        {
            "category": pd.Categorical(["x", "y", "x", "y"], categories=["z", "y", "x"]),
            "float": [1.0, 2.5, np.nan, 4.0],
            "day": pd.to_datetime(["2001-01-01", "2002-02-02", None, "2003-03-03"]),
            "whole": pd.array([1, None, 3, 4], dtype="Int64"),
            "flag": [True, False, True, None],
        }
    )
    same = tacit.anonymize(frame, tacit.KAnonymity(k=1), quasi=list(frame.columns), seed=1).data
    assert sorted(same["day"].dropna()) == ["2001-01-01", "2002-02-02", "2003-03-03"]
    assert sorted(same["float"].dropna()) == ["1", "2.5", "4"] and sorted(same["whole"].dropna()) == ["1", "3", "4"]
    one = tacit.anonymize(frame, tacit.KAnonymity(k=4), quasi=list(frame.columns), seed=1).data
    assert one.iloc[0].tolist() == ["*", "*", "*", "*", "*"]


@pytest.mark.parametrize("columns", [{"quasi": ["a", "b"]}, {"quasi": "a", "sensitive": "b"}])
def test_an_empty_frame(columns: dict[str, object]) -> None:
    promise = tacit.LDiversity(k=2, l=2) if "sensitive" in columns else tacit.KAnonymity(k=2)
    for frame in (pd.DataFrame({"a": [], "b": []}), pl.DataFrame({"a": [], "b": []})):
        release = tacit.anonymize(frame, promise, **columns)  # type: ignore[arg-type]
        assert len(release.data) == 0 and release.audit.satisfied


def test_k_1_changes_nothing() -> None:
    release = tacit.anonymize(PEOPLE, tacit.KAnonymity(k=1), quasi=QUASI, hierarchy={"origin": ORIGIN}, seed=1)
    assert release.utility["ncp"] == 0
    before = PEOPLE.select(QUASI).take(pa.array(release.original))
    assert release.data.to_pylist() == before.to_pylist()


def test_settings_of_columns() -> None:
    frame = pa.table(
        {"age": ["1", "2", None, "9"], "size": ["1", "1", "2", "3"], "drugs": ["a;b", "a;b", "a;c", "c;a"]}
    )
    roles = {"quasi": ["age", "size"], "items": "drugs"}
    settings = {
        "age": {"type": "category", "weight": 3, "missing": "suppress"},
        "drugs": {"separator": ";", "sensitive": ("b",)},
    }
    promise = tacit.KKmAnonymity(k=2, m=1)
    made = tacit.anonymize(frame, promise, **roles, column_settings=settings, seed=1)
    drugs, age, size = made.job.columns
    assert (age.type, age.weight, age.missing, age.separator) == ("category", 3.0, "suppress", None)
    assert (size.type, size.weight, size.missing) == (None, 1.0, "value")
    assert (drugs.separator, drugs.sensitive_items) == (";", ("b",))
    assert "(1,2)" in made.data["age"].to_pylist()
    assert tacit.audit(made.data, promise, **roles, column_settings={"drugs": settings["drugs"]}).satisfied


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"age": {"type": "numeric"}}, "type is 'numeric', but it must be one of number, category, date"),
        ({"age": {"weight": -1}}, "weight is -1, but it must be a number of at least 0"),
        ({"age": {"scale": (1, 5)}}, "'scale' is no setting of a column with the role 'quasi'"),
        ({"age": {"hierarchy": "age.csv"}}, "'hierarchy' is no setting"),
        ({"age": "number"}, "must be a dictionary"),
        ({"name": {}}, "column 'name': it has settings, but no role"),
    ],
)
def test_wrong_settings_of_columns(settings: dict[str, dict[str, object]], problem: str) -> None:
    with pytest.raises(InputError, match=re.escape(problem)):
        tacit.anonymize(PEOPLE, tacit.KAnonymity(k=2), quasi=QUASI, column_settings=settings)


def test_errors() -> None:
    with pytest.raises(InputError, match="'quasi'"):
        tacit.anonymize(PEOPLE, tacit.KAnonymity(k=2), identifier=["name", "age"])
    with pytest.raises(InputError, match="'sensitive'"):
        tacit.anonymize(PEOPLE, tacit.LDiversity(k=2, l=2), quasi=QUASI)
    with pytest.raises(InputError, match=r"column 'products'.*cannot be written as text"):
        lists = PEOPLE.set_column(4, "products", pa.array([["a"]] * 6))
        tacit.anonymize(lists, tacit.KAnonymity(k=2), quasi="products")
    with pytest.raises(PromiseError, match="k = 6 could be reached"):
        tacit.anonymize(PEOPLE, tacit.KAnonymity(k=7), quasi=QUASI)
    with pytest.raises(InputError, match="'Mali'"):
        tree = tacit.Taxonomy.from_paths([["France", "All"]])
        tacit.anonymize(
            pa.table({"origin": ["Mali", "France"]}), tacit.KAnonymity(k=2), quasi="origin", hierarchy={"origin": tree}
        )


def test_saved_as_every_format(tmp_path: Path) -> None:
    """What is saved is audited as read back: null, the empty text and types survive each format."""
    people = PEOPLE.set_column(1, "age", pa.array([19, 22, None, None, 70, 55]))
    for frame in (people, people.to_pandas(), pl.from_arrow(people)):
        release = tacit.anonymize(frame, tacit.KAnonymity(k=2), quasi=QUASI, sensitive="illness", plain="name", seed=2)
        release.save(tmp_path / "out", force=True)
        assert release.audit.satisfied
