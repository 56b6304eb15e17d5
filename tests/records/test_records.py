"""Records as a kind of data: reading, recoding, publishing, JSON."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from support.record_cases import (
    COLUMNS,
    ORIGIN,
    PAIRS,
    PEOPLE,
    PRODUCTS,
    as_original,
    encoded,
    items_as_they_are,
    publish,
    seen,
)
from support.seeds import each_seed
from tacit import recoding as recodings
from tacit.audits.truth.records import false_values
from tacit.errors import InputError
from tacit.io import format_named, read_table, write_table
from tacit.job import Column
from tacit.job.sources import escaping_of
from tacit.records.applied import apply_records
from tacit.records.data import RecordData
from tacit.records.items import cluster_items
from tacit.records.measures import measure_records
from tacit.records.recoding import ClusterItems, RecordRecoding
from tacit.records.solvers.problem import PublishedItems
from tacit.taxonomy import Taxonomy


def test_published_values() -> None:
    job, data = encoded()
    table, original = publish(PEOPLE, data, data.recoding(PAIRS), job)
    assert table.column_names == ["age", "origin", "sex", "illness"], "in the input's order, without the identifier"
    rows = dict(zip(original.tolist(), table.to_pylist(), strict=True))
    assert rows[0] == {"age": "[≤22]", "origin": "Europe", "sex": "Male", "illness": "flu"}
    assert rows[1] == {"age": "[≤22]", "origin": "Europe", "sex": "Male", "illness": ""}
    assert rows[5] == {"age": "[≥55]", "origin": "Africa", "sex": "*", "illness": "cold"}


def test_what_attributes_became_is_the_same_for_records_put_back_and_for_a_decision_that_was_read() -> None:
    """It is found once, for the records in the order in which a search had them."""
    _, data = encoded()
    order = np.array([4, 0, 3, 1, 5, 2])
    decision = data.at(order).recoding(np.array([0, 1, 2, 1, 0, 2], np.int32)).put_back(order)
    read = recodings.from_json(recodings.to_json(decision))
    assert isinstance(read, RecordRecoding) and decision.spans is not None and read.spans is None
    for kept, found in zip(apply_records(data, decision).spans, apply_records(data, read).spans, strict=True):
        assert kept.value.tolist() == found.value.tolist() and kept.code.tolist() == found.code.tolist()


def test_rows_are_in_random_order() -> None:
    job, data = encoded()
    orders = {tuple(publish(PEOPLE, data, data.recoding(PAIRS), job, seed=seed)[1].tolist()) for seed in range(20)}
    assert len(orders) > 10


def test_columns_that_are_not_listed_are_not_published() -> None:
    job, data = encoded(columns=COLUMNS[1:3])
    table, _ = publish(PEOPLE, data, data.recoding(PAIRS), job)
    assert table.column_names == ["age", "origin"]


def test_plain_columns_and_types_stay() -> None:
    people = PEOPLE.append_column("height", pa.array([1.5, None, 1.7, 1.8, 1.6, 1.75]))
    people = people.append_column("visits", pa.array([1, 2, 3, 4, 5, None], pa.int8()))
    columns = (*COLUMNS, Column("height", "plain"), Column("visits", "sensitive"))
    job, data = encoded(people, columns)
    table, original = publish(people, data, data.recoding(PAIRS), job, "parquet")
    assert table.schema.field("height").type == pa.float64() and table.schema.field("visits").type == pa.int8()
    assert table["height"].to_pylist() == people["height"].take(pa.array(original)).to_pylist()
    assert table["visits"].to_pylist() == people["visits"].take(pa.array(original)).to_pylist()
    assert table.schema.field("age").type == pa.string()


def test_null_stays_null() -> None:
    people = pa.table({"age": [1, 1, None, None], "sex": ["m", None, "m", None]})
    columns = (Column("age", "quasi"), Column("sex", "quasi"))
    for format in ("parquet", "csv"):
        job, data = encoded(people, columns)
        recoding = data.recoding(np.array([0, 0, 1, 1], np.int32))
        table, _ = publish(people, data, recoding, job, format)
        assert sorted(table["age"].to_pylist(), key=str) == ["1", "1", None, None]
        assert set(table["sex"].to_pylist()) == {"*"}


def test_missing_values() -> None:
    people = pa.table(
        {"age": ["1", "?", "3", "?", "?"], "sex": ["m", "?", "", "m", "NA"], "bad": ["?", "", "x", "NA", "x"]}
    )
    group = np.array([0, 0, 1, 1, 2], np.int32)
    columns = (Column("age", "quasi"), Column("sex", "quasi"), Column("bad", "sensitive"))
    job, data = encoded(people, columns, missing=("?", "NA"))
    table, original = publish(people, data, data.recoding(group), job)
    rows = dict(zip(original.tolist(), table.to_pylist(), strict=True))
    assert rows[0] == {"age": "*", "sex": "*", "bad": "?"}
    assert rows[4] == {"age": "?", "sex": "", "bad": "x"}, "of several ways to say it, one is published"
    assert data.sensitive[0].missing == 1 and np.bincount(data.sensitive[0].codes).tolist() == [2, 3]
    assert false_values(as_original(people, job), seen(table, job), original) == []


def test_missing_values_suppressed() -> None:
    people = pa.table({"age": ["1", "", "3", ""], "bad": ["", "x", "y", "x"]})
    columns = (
        Column("age", "quasi", missing="suppress", round="exact"),
        Column("bad", "sensitive", missing="suppress"),
    )
    job, data = encoded(people, columns)
    table, original = publish(people, data, data.recoding(np.array([0, 1, 0, 1], np.int32)), job)
    rows = dict(zip(original.tolist(), table.to_pylist(), strict=True))
    assert [rows[i] for i in range(4)] == [
        {"age": "[1:3]", "bad": "*"},
        {"age": "*", "bad": "x"},
        {"age": "[1:3]", "bad": "y"},
        {"age": "*", "bad": "x"},
    ]
    assert false_values(as_original(people, job), seen(table, job), original) == []
    applied = apply_records(data, data.recoding(np.array([0, 1, 0, 1], np.int32)))
    assert measure_records(data, applied, 2)["suppressed"] == 1.0, "[1:3] is all there is"


def with_baskets(group: np.ndarray = PAIRS) -> tuple[object, RecordData, RecordRecoding]:
    job, data = encoded(columns=(*COLUMNS, PRODUCTS))
    return job, data, data.recoding(group, items_as_they_are(data, group))


def test_baskets_as_they_are() -> None:
    job, data, recoding = with_baskets()
    table, original = publish(PEOPLE, data, recoding, job)  # type: ignore[arg-type]
    rows = dict(zip(original.tolist(), table["products"].to_pylist(), strict=True))
    assert rows == {0: "B E F G", 1: "D E F H", 2: "B C E G", 3: "D F H", 4: "E G", 5: "A F H"}
    assert measure_records(data, apply_records(data, recoding), 2)["ncp_items"] == 0


def test_sets_of_items_differ_between_clusters() -> None:
    """Fig. 2(a) of Poulis et al. 2013: what RFIRST publishes."""
    job, data = encoded(columns=(*COLUMNS, PRODUCTS))
    assert data.baskets is not None
    public = [label for label in data.baskets.items.baskets.vocabulary if label not in "GH"]
    sets = [["BD", "E", "F"], ["BCF", "DE"], ["AEF"]]
    parts = []
    for cluster in sets:
        becomes = {
            public.index(item): min(public.index(other) for other in members) for members in cluster for item in members
        }
        items = np.array(sorted(becomes))
        parts.append((items, np.array([becomes[item] for item in items.tolist()])))
    items = cluster_items(data.baskets, PublishedItems.joined(False, parts))
    recoding = data.recoding(PAIRS, items)
    table, original = publish(PEOPLE, data, recoding, job)
    rows = dict(zip(original.tolist(), table["products"].to_pylist(), strict=True))
    assert rows == {
        0: "(B,D) E F G",
        1: "(B,D) E F H",
        2: "(B,C,F) (D,E) G",
        3: "(B,C,F) (D,E) H",
        4: "(A,E,F) G",
        5: "(A,E,F) H",
    }
    assert false_values(as_original(PEOPLE, job), seen(table, job), original) == []
    utility = measure_records(data, apply_records(data, recoding), 2)
    shares = [1, 0, 0, 1, 0, 0, 2, 2, 1, 2, 1, 2, 2, 2]
    assert utility["ncp_items"] == pytest.approx(sum(shares) / 14 / 5)
    assert recodings.from_json(recodings.to_json(recoding)) == recoding


def test_nodes_of_items() -> None:
    tree = Taxonomy.from_paths(
        [["A", "AB", "*"], ["B", "AB", "*"], *([x, "CDE", "*"] for x in "CDE"), ["F", "*"], ["G", "*"]]
    )
    job, data = encoded(columns=(*COLUMNS, PRODUCTS), trees={"origin": ORIGIN, "products": tree})
    assert data.baskets is not None
    taxonomy = data.baskets.taxonomy
    public = [label for label in data.baskets.items.baskets.vocabulary if label not in "GH"]
    node = {label: taxonomy.node("CDE" if label in "CDE" else "AB" if label in "AB" else label) for label in public}
    node["F"] = -1
    part = np.arange(len(public)), np.array([node[label] for label in public])
    items = cluster_items(data.baskets, PublishedItems.joined(True, [part] * 3))
    recoding = data.recoding(PAIRS, items)
    table, original = publish(PEOPLE, data, recoding, job)
    rows = dict(zip(original.tolist(), table["products"].to_pylist(), strict=True))
    assert rows == {0: "AB CDE G", 1: "CDE H", 2: "AB CDE G", 3: "CDE H", 4: "CDE G", 5: "AB H"}
    trees = {"origin": ORIGIN, "products": tree}
    assert false_values(as_original(PEOPLE, job, trees), seen(table, job), original) == []
    utility = measure_records(data, apply_records(data, recoding), 2)
    assert utility["suppressed_items"] == pytest.approx(4 / 14)
    assert utility["ncp_items"] == pytest.approx((4 + 3 * 1 / 5 + 7 * 2 / 5) / 14), "G is sensitive and no leaf"
    assert recodings.from_json(recodings.to_json(recoding)) == recoding


def test_several_nodes_of_items_together() -> None:
    """`(AB,F)` says that the person has A, B or F; nodes of a set that overlap, and false ones, are found."""
    tree = Taxonomy.from_paths([["A", "AB", "*"], ["B", "AB", "*"], *([x, "CDE", "*"] for x in "CDE"), ["F", "*"]])
    trees = {"origin": ORIGIN, "products": tree}
    job, data = encoded(columns=(*COLUMNS, PRODUCTS), trees=trees)
    assert data.baskets is not None
    taxonomy = data.baskets.taxonomy
    public = [label for label in data.baskets.items.baskets.vocabulary if label not in "GH"]
    unions = ((taxonomy.node("AB"), taxonomy.node("F")),)
    node = {label: taxonomy.node("CDE") if label in "CDE" else len(taxonomy) for label in public}
    part = np.arange(len(public)), np.array([node[label] for label in public])
    recoding = data.recoding(PAIRS, cluster_items(data.baskets, PublishedItems.joined(True, [part] * 3, unions)))
    table, original = publish(PEOPLE, data, recoding, job)
    rows = dict(zip(original.tolist(), table["products"].to_pylist(), strict=True))
    assert rows == {
        0: "(AB,F) CDE G", 1: "(AB,F) CDE H", 2: "(AB,F) CDE G", 3: "(AB,F) CDE H", 4: "CDE G", 5: "(AB,F) H"
    }  # fmt: skip
    before = as_original(PEOPLE, job, trees)
    assert false_values(before, seen(table, job), original) == []
    utility = measure_records(data, apply_records(data, recoding), 2)
    assert utility["suppressed_items"] == 0
    assert utility["ncp_items"] == pytest.approx(2 / 5), "either stands for three of six"
    assert recodings.from_json(recodings.to_json(recoding)) == recoding
    for said in ("(AB,F) CDE G", "(D,CDE) G", "(A,CDE,*) G"):
        shown = table["products"].to_pylist()
        shown[np.flatnonzero(original == 4).item()] = said
        false = table.set_column(table.column_names.index("products"), "products", pa.array(shown))
        assert false_values(before, seen(false, job), original) != [], said


def test_several_columns_of_items() -> None:
    people = PEOPLE.append_column(
        "visits", pa.array([["E", "x"], [], ["x"], None, ["y"], ["E"]], pa.list_(pa.string()))
    )
    job, data = encoded(people, (*COLUMNS, PRODUCTS, Column("visits", "items")))
    recoding = data.recoding(PAIRS, items_as_they_are(data, PAIRS))
    for format in ("parquet", "csv"):
        table, original = publish(people, data, recoding, job, format)
        rows = dict(zip(original.tolist(), table.to_pylist(), strict=True))
        assert rows[0]["products"] == "B E F G"
        assert rows[0]["visits"] == (["E", "x"] if format == "parquet" else "E x")
        assert rows[1]["visits"] == ([] if format == "parquet" else "")
        assert false_values(as_original(people, job), seen(table, job), original) == []
    assert recodings.from_json(recodings.to_json(recoding)) == recoding


def test_recoding_survives_json_and_prints() -> None:
    _, _, recoding = with_baskets()
    text = recodings.to_json(recoding)
    assert json.loads(text)["kind"] == "records"
    assert recodings.from_json(text) == recoding
    assert str(recoding).splitlines() == [
        "clusters: 3 of 2 to 2 records",
        "different values published: age: 3; origin: 2; sex: 3",
        "different names of items published: 6; items suppressed in a cluster: 0",
    ]
    assert recoding != with_baskets(np.array([0, 0, 1, 1, 1, 1], np.int32))[2]
    with pytest.raises(InputError, match="not a recoding"):
        recodings.from_json('{"kind": "records", "attributes": 3}')


def test_measures() -> None:
    _, data = encoded()
    utility = measure_records(data, apply_records(data, data.recoding(PAIRS)), 2)
    ages = (3 + 11 + 15) / 51 / 3
    origins = (4 / 6 + 4 / 6 + 2 / 6) / 3
    sexes = (0 + 0 + 1) / 3
    assert utility["ncp"] == pytest.approx((ages + origins + sexes) / 3)
    assert utility["unchanged"] == pytest.approx(2 / 9) and utility["suppressed"] == pytest.approx(1 / 9)
    assert utility["generalized"] == pytest.approx(6 / 9)
    assert utility["groups"] == 3 and utility["discernability"] == 12 and utility["average_class_size"] == 1
    assert utility["group_sizes"] == {"smallest": 2, "median": 2, "mean": 2, "largest": 2}


def test_weights_are_those_of_the_job() -> None:
    columns = (Column("age", "quasi", weight=3.0), Column("sex", "quasi"), Column("origin", "quasi", weight=0.0))
    _, data = encoded(columns=columns)
    one = data.recoding(np.zeros(6, np.int32))
    assert data.weights.tolist() == [0.75, 0.25, 0.0]
    assert measure_records(data, apply_records(data, one), 2)["ncp"] == pytest.approx(1.0)
    _, data = encoded(columns=[Column("age", "quasi", weight=0.0), Column("sex", "quasi", weight=0.0)])
    assert data.weights.tolist() == [0.5, 0.5]


def test_clusters_with_equal_values_are_one_group() -> None:
    people = pa.table({"age": ["1", "2", "1", "2"]})
    _, data = encoded(people, (Column("age", "quasi"),))
    utility = measure_records(data, apply_records(data, data.recoding(np.array([0, 0, 1, 1], np.int32))), 2)
    assert utility["groups"] == 1 and utility["discernability"] == 16


def test_formulas_are_escaped(tmp_path: Path) -> None:
    people = pa.table({"x": ["=1+1", "-5", "a", "b"], "y": ["@x", "y", "=z", "y"], "p": ["+a", "1", "2", "3"],
                       "basket": ["=i j", "j", "-3 j", "=i"]})  # fmt: skip
    columns = (Column("x", "quasi"), Column("y", "sensitive"), Column("p", "plain"), Column("basket", "items"))
    job, data = encoded(people, columns, escape_formulas=True)
    group = np.array([0, 1, 2, 3], np.int32)
    recoding = data.recoding(group, items_as_they_are(data, group))
    published, original = publish(people, data, recoding, job)
    write_table(published, tmp_path / "data.csv", format_named("csv"), escaping=escaping_of(job))
    rows = dict(zip(original.tolist(), read_table(tmp_path / "data.csv").to_pylist(), strict=True))
    assert rows[0] == {"x": "'=1+1", "y": "'@x", "p": "'+a", "basket": "'=i j"}
    assert rows[1]["x"] == "-5" and rows[2]["basket"] == "'-3 j"
    table = read_table(tmp_path / "data.csv", escaping=escaping_of(job))
    assert table.to_pylist() == published.to_pylist()
    assert false_values(as_original(people, job), seen(table, job), original) == []


def test_empty_table() -> None:
    people = pa.table(
        {"age": pa.array([], pa.int64()), "sex": pa.array([], pa.string()), "products": pa.array([], pa.string())}
    )
    job, data = encoded(people, (Column("age", "quasi"), Column("sex", "quasi"), Column("products", "items")))
    empty = np.empty(0, np.int32)
    items = ClusterItems(("products",), (), empty, (), empty, empty, [0], empty, [0], empty, empty)  # type: ignore[arg-type]
    recoding = data.recoding(empty, items)
    table, original = publish(people, data, recoding, job)
    assert table.num_rows == 0 and table.column_names == ["age", "sex", "products"]
    assert false_values(as_original(people, job), seen(table, job), original) == []
    assert measure_records(data, apply_records(data, recoding), 2)["ncp"] == 0
    assert recodings.from_json(recodings.to_json(recoding)) == recoding


def test_a_recoding_must_name_every_item() -> None:
    job, data, recoding = with_baskets()
    assert recoding.items is not None
    other = data.recoding(np.zeros(6, np.int32), recoding.items)
    with pytest.raises(ValueError, match="every public item"):
        publish(PEOPLE, data, other, job)  # type: ignore[arg-type]


ODD_TEXTS = ["a", "b,c", "(d)", '"e"', "f g", "=1", "'=1", "*", "é", "[1:2]", "'x", "", "?", " h "]


@each_seed(range(60))
def test_what_is_written_is_true_when_read_back(seed: int, tmp_path: Path) -> None:
    """Any table, any partition, any format: what stands in the file covers the original, and groups are alike."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 30))
    table = pa.table(
        {
            "text": rng.choice(ODD_TEXTS, n),
            "number": rng.choice(["1", "1.0", "-2.5", "1e3", "", "?", "007"], n),
            "whole": pa.array(rng.integers(0, 4, n), mask=rng.random(n) < 0.2),
            "day": rng.choice(["2001-01-05", "1999-12-31", "2020-02-29"], n),
            "leaf": rng.choice(["France", "Spain", "Mali", "?", ""], n),
            "secret": rng.choice(ODD_TEXTS, n),
            "basket": pa.array([list(rng.choice(["i", "j", "k l", "=m"], rng.integers(0, 4))) for _ in range(n)]),
        }
    )
    paths = [["France", "Europe", "*"], ["Spain", "Europe", "*"], ["Mali", "Africa", "*"], ["?", "*"]]
    policy = ["value", "suppress"][seed % 2]
    columns = [Column(name, "quasi", missing=policy) for name in ("text", "number", "whole", "day", "leaf")]
    columns += [Column("secret", "sensitive", missing=policy), Column("basket", "items", separator=";")]
    format = format_named(["csv", "parquet", "tsv", "feather", "csv.gz"][seed % 5])
    escaped = format.delimited and seed % 3 == 0
    job, data = encoded(
        table, columns, {"leaf": Taxonomy.from_paths(paths)}, missing=("", "?"), escape_formulas=escaped
    )
    group = rng.integers(0, int(rng.integers(1, n + 1)), n)
    group = np.unique(group, return_inverse=True)[1].astype(np.int32)
    recoding = data.recoding(group, items_as_they_are(data, group))
    published, original = publish(table, data, recoding, job, format.extension, seed)
    file = tmp_path / f"data.{format.extension}"
    write_table(published, file, format, escaping=escaping_of(job))
    encoded_too = {"text", "secret"} if seed % 2 else ()
    after = seen(read_table(file, format=format, encoded=encoded_too, escaping=escaping_of(job)), job)
    before = as_original(table, job, {"leaf": Taxonomy.from_paths(paths)})
    assert false_values(before, after, original) == []
    assert false_values(before, after) == []
    for attribute in after.quasi:
        in_group = {(int(group[original[i]]), int(attribute.codes[i])) for i in range(n)}
        assert len(in_group) == group.max() + 1, f"one published value of {attribute.name} for each group"
    assert recodings.from_json(recodings.to_json(recoding)) == recoding
