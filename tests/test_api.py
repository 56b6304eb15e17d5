"""The Python API: frames of pandas, Polars and Arrow in, the same kind out, audited."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tacit
from support.commands import BASKETS, HIERARCHY, is_km_anonymous
from support.keys import key_of
from tacit import KmAnonymity, Taxonomy
from tacit.baskets.recoding import CutRecoding

TREE = Taxonomy.from_paths([line.split(",") for line in HIERARCHY.split()[:2]])
LISTS = [basket.split() for basket in BASKETS]
TOWNS = [f"T{i}" for i in range(len(BASKETS))]


def tree() -> Taxonomy:
    return Taxonomy.from_paths([line.split(",") for line in HIERARCHY.splitlines()])


FRAMES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "arrow": pa.table,
}
kinds = pytest.mark.parametrize("kind", FRAMES)


def cells(frame: Any, column: str) -> list[Any]:
    """The cells of a column of whatever frame."""
    return frame[column].to_pylist() if isinstance(frame, pa.Table) else frame[column].to_list()


def make(frame: Any, k: int = 2, **options: Any) -> tacit.Release:
    given = {"items": "basket", "hierarchy": tree(), "method": "mhghs", "seed": 5, "key": key_of(5)} | options
    return tacit.anonymize(frame, KmAnonymity(k=k, m=2), **given)


@kinds
def test_lists_stay_lists(kind: str) -> None:
    frame = FRAMES[kind]({"basket": LISTS, "town": TOWNS, "secret": TOWNS})
    release = make(frame, plain="town")
    assert type(release.data) is type(frame)
    assert list(release.data.columns if kind != "arrow" else release.data.column_names) == ["basket", "town"]
    baskets = cells(release.data, "basket")
    assert all(type(basket) is list for basket in baskets), "an empty basket is [], never null"
    assert [] in baskets
    assert is_km_anonymous([set(basket) for basket in baskets])
    assert "soft drinks" in {item for basket in baskets for item in basket}, "lists hold any name"
    assert [f"T{original}" for original in release.original] == cells(release.data, "town")
    assert release.audit.satisfied is True


@kinds
def test_strings_stay_strings(kind: str) -> None:
    release = make(FRAMES[kind]({"basket": [basket.replace(" ", ";") for basket in BASKETS]}), separator=";")
    baskets = cells(release.data, "basket")
    assert all(type(basket) is str for basket in baskets)
    assert is_km_anonymous([set(filter(None, basket.split(";"))) for basket in baskets])
    assert "dairy;soft drinks" in baskets


@kinds
def test_missing_baskets_are_empty_ones(kind: str) -> None:
    lists = FRAMES[kind]({"basket": [["a"], None, ["a"], []]})
    assert sorted(cells(make(lists, hierarchy=None).data, "basket")) == [[], [], ["a"], ["a"]]
    texts = FRAMES[kind]({"basket": ["a", None, "a", ""]})
    assert sorted(cells(make(texts, hierarchy=None).data, "basket")) == ["", "", "a", "a"]


@kinds
@pytest.mark.parametrize("cell", [list[str], str])
def test_an_empty_frame(kind: str, cell: type) -> None:
    if kind == "pandas":
        frame: Any = pd.DataFrame({"basket": []}, dtype=object)
    elif kind == "polars":
        frame = pl.DataFrame({"basket": []}, schema={"basket": pl.String if cell is str else pl.List(pl.String)})
    else:
        frame = pa.table({"basket": pa.array([], pa.string() if cell is str else pa.list_(pa.string()))})
    release = make(frame, k=5)
    assert len(release.data) == 0
    assert release.audit.satisfied is True
    assert release.utility["ncp"] == 0
    assert tacit.audit(frame, KmAnonymity(k=5, m=2), items="basket").satisfied is True
    with pytest.raises(tacit.InputError, match="has no record"):
        release.save("nowhere")


@kinds
def test_k_of_one_changes_nothing(kind: str) -> None:
    release = make(FRAMES[kind]({"basket": LISTS}), k=1)
    assert sorted(map(sorted, cells(release.data, "basket"))) == sorted(map(sorted, LISTS))
    assert (release.utility["ncp"], release.utility["unchanged"]) == (0, 1)


@kinds
def test_one_record(kind: str) -> None:
    frame = FRAMES[kind]({"basket": [["beer", "milk"]], "town": ["T"]})
    release = make(frame, k=1, plain=["town"])
    assert (cells(release.data, "basket"), cells(release.data, "town")) == ([["beer", "milk"]], ["T"])
    with pytest.raises(tacit.PromiseError, match="No k above 1 could be reached"):
        make(frame, k=2)


@kinds
def test_the_long_layout(kind: str) -> None:
    pairs = [(f"P{i}", item) for i, basket in enumerate(LISTS) for item in basket or [None]]
    frame = FRAMES[kind]({"who": [who for who, _ in pairs], "what": [what for _, what in pairs]})
    release = make(frame, items="what", person="who")
    baskets: dict[int, set[str]] = {}
    for who, what in zip(cells(release.data, "who"), cells(release.data, "what"), strict=True):
        baskets.setdefault(who, set()).update({what} - {None} if isinstance(what, str) else ())
    assert list(baskets) == list(range(1, 17))
    assert is_km_anonymous(list(baskets.values()))


def test_same_key_same_data_another_key_another_order() -> None:
    frame = pa.table({"basket": LISTS, "town": TOWNS})
    one, same, other = (make(frame, plain="town", key=key).data for key in (key_of(1), key_of(1), None))
    assert one.equals(same)
    assert not one.equals(other)
    assert sorted(map(str, one.to_pylist())) == sorted(map(str, other.to_pylist()))
    unseeded = [make(frame, plain="town", seed=None) for _ in range(2)]
    assert unseeded[0].job.method.seed != unseeded[1].job.method.seed


def test_sets_and_tuples_of_pandas() -> None:
    for kind in (set, frozenset, tuple):
        frame = pd.DataFrame({"basket": [kind(basket) for basket in LISTS]})
        assert sorted(make(frame).data["basket"]) == sorted(make(pd.DataFrame({"basket": LISTS})).data["basket"])


def test_the_order_of_a_set_does_not_show() -> None:
    """Python walks a set in another order in every process; the same seed must give the same data all the same."""
    release = make(pd.DataFrame({"basket": [set("hgfedcba")]}), k=1, hierarchy=None)
    assert list(release.data["basket"]) == [list("abcdefgh")]


def test_an_index_is_left_behind() -> None:
    frame = pd.DataFrame({"basket": LISTS}, index=[f"person {i}" for i in range(len(LISTS))])
    assert list(make(frame).data.index) == list(range(len(LISTS)))


def test_columns_that_are_not_named_are_not_even_looked_at() -> None:
    frame = pd.DataFrame({"basket": LISTS, "odd": [object()] * len(LISTS), 7: 1})
    assert list(make(frame).data.columns) == ["basket"]


def test_categories_and_numbers_as_items() -> None:
    frame = pl.DataFrame({"basket": ["a", "a", "b", "b"]}, schema={"basket": pl.Categorical})
    assert sorted(make(frame, hierarchy=None).data["basket"]) == ["a", "a", "b", "b"]
    numbers = pa.table({"basket": [[1, 2], [2, 1], [3], [3]]})
    assert sorted(make(numbers, hierarchy=None).data["basket"].to_pylist()) == [["1", "2"], ["1", "2"], ["3"], ["3"]]


# Hierarchies


def test_a_hierarchy_as_path_tree_or_by_column(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text("item,group,top\n" + HIERARCHY.replace(",*", ",all,*"))
    frame = pa.table({"basket": LISTS})
    by_path = make(frame, hierarchy=tmp_path / "h.csv")
    assert by_path.data.equals(make(frame, hierarchy=str(tmp_path / "h.csv")).data)
    assert by_path.data.equals(make(frame, hierarchy={"basket": tmp_path / "h.csv"}).data)
    assert by_path.job.columns[0].hierarchy == tmp_path / "h.csv", "the job says where it is"
    assert any("taken for a header" in note for note in by_path.notes)


def test_without_a_hierarchy() -> None:
    release = make(pa.table({"basket": [["a", "b"], ["a"], ["b"], ["c"], ["a", "b"]]}), hierarchy=None)
    assert sorted(release.data["basket"].to_pylist()) == [[], ["a"], ["a", "b"], ["a", "b"], ["b"]]
    assert any("no hierarchy" in note for note in release.notes)


def test_several_columns() -> None:
    frame = pa.table({"basket": LISTS, "sport": [["golf"], ["swim"], [], ["golf", "swim"]] * 4})
    sports = Taxonomy.flat(["golf", "swim"])
    release = make(frame, items=["basket", "sport"], hierarchy={"basket": tree(), "sport": sports})
    rows = release.data.to_pylist()
    assert is_km_anonymous([{("b", x) for x in row["basket"]} | {("s", x) for x in row["sport"]} for row in rows])
    assert tacit.audit(release.data, KmAnonymity(k=2, m=2), items=["basket", "sport"]).satisfied is True
    assert tacit.audit(frame, KmAnonymity(k=2, m=2), items=["basket", "sport"]).satisfied is False


def test_nothing_but_a_root_above_all_columns() -> None:
    """Nobody minds what becomes of `x`, so publishing it is no better than publishing "something"."""
    frame = pa.table({"a": [["x"]] * 9, "b": [["y"]] * 3 + [[]] * 6})
    with pytest.raises(tacit.PromiseError, match="Nothing but whether a basket is empty could be published"):
        make(frame, k=5, items=["a", "b"], hierarchy=None, item_weights={"a:x": 0})


def test_sensitive_items() -> None:
    release = make(pa.table({"basket": LISTS}), sensitive_items=["caviar"])
    assert ["caviar"] in release.data["basket"].to_pylist()
    assert release.audit.satisfied is True
    again = tacit.audit(release.data, KmAnonymity(k=2, m=2), items="basket", sensitive_items=["caviar"])
    assert again.satisfied is True
    assert tacit.audit(release.data, KmAnonymity(k=2, m=2), items="basket").satisfied is False
    two = pa.table({"basket": LISTS, "other": [["x"]] * len(LISTS)})
    both = make(two, items=["basket", "other"], hierarchy={"basket": tree()}, sensitive_items=["caviar"])
    assert both.audit.satisfied is True, "of several columns, it is enough that one holds the item"


# A release


def test_the_function_keeps_its_name_beside_the_package() -> None:
    import tacit.audits.km

    assert callable(tacit.audit)


def test_what_a_release_tells(tmp_path: Path) -> None:
    release = make(pd.DataFrame({"basket": LISTS}))
    assert set(release.utility) >= {"ncp", "ncp_leaf_share", "suppressed"}
    assert isinstance(release.recoding, CutRecoding)
    assert release.recoding.columns["basket"].becomes["beer"] == "alcohol"
    assert "The promise holds." in str(release)
    assert repr(release) == "Release(16 records, KmAnonymity(k=2, m=2))"
    assert release.report(tmp_path / "report.html").read_text().startswith("<!doctype html>")


def test_save(tmp_path: Path) -> None:
    release = make(pl.DataFrame({"basket": LISTS, "town": TOWNS}), plain="town")
    assert release.save(tmp_path / "out") == tmp_path / "out"
    assert pl.read_parquet(tmp_path / "out/public/data.parquet").equals(release.data)
    saved = json.loads((tmp_path / "out/private/audit.json").read_text())
    assert saved["satisfied"] is True
    with pytest.raises(tacit.InputError, match="exists already"):
        release.save(tmp_path / "out")
    release.save(tmp_path / "out", force=True, report=False)
    assert not (tmp_path / "out/private/report.html").exists()


def test_a_saved_release_can_be_applied_to_a_file(tmp_path: Path) -> None:
    from support.commands import tacit as command

    make(pl.DataFrame({"basket": LISTS})).save(tmp_path / "out")
    pl.DataFrame({"basket": [["beer"], ["wine"]]}).write_parquet(tmp_path / "new.parquet")
    assert command("apply", tmp_path / "out", tmp_path / "new.parquet", "--no-report").code == 0
    assert pl.read_parquet(tmp_path / "new-out/public/data.parquet")["basket"].to_list() == [["alcohol"], ["alcohol"]]


def test_a_release_that_fails_its_audit_is_not_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    from tacit.audits import km

    honest = km.audit

    def strict(view: Any, promise: Any) -> Any:
        return replace(honest(view, KmAnonymity(k=9, m=9)), parameters=promise.parameters())

    monkeypatch.setattr(km, "audit", strict)
    with pytest.raises(tacit.AuditFailure, match="nothing was published"):
        make(pa.table({"basket": LISTS}))


def test_a_frame_that_is_changed_afterwards(tmp_path: Path) -> None:
    """A release is compared with what it was made from."""
    frame = pd.DataFrame({"age": [1, 1, 2, 2]})
    release = tacit.anonymize(frame, tacit.KAnonymity(2), quasi="age", seed=1)
    frame.loc[0, "age"] = 9
    assert release.save(tmp_path / "out", report=False).is_dir()


# Mistakes


FRAME = pa.table({"basket": LISTS, "town": TOWNS})


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({"items": "nowhere"}, "column 'nowhere': the data has no such column"),
        ({"items": None}, "0 columns with the role 'items' were named"),
        ({"items": ["basket", "town"], "person": "town"}, "named as items and as person"),
        ({"plain": "basket"}, "column 'basket': the column is named as items and as plain"),
        ({"plain": "nowhere"}, "column 'nowhere': the data has no such column"),
        ({"identifier": "nowhere"}, "column 'nowhere': the data has no such column"),
        ({"items": "town", "person": "basket", "plain": "town2"}, "column 'town2': the data has no such column"),
        ({"quasi": "town"}, "the promise 'km' does not protect a column with the role 'quasi'"),
        ({"person": "town", "plain": "x"}, "column 'x': the data has no such column"),
        ({"hierarchy": {"town": TREE}}, "hierarchy names 'town', which is no column that can have one"),
        ({"hierarchy": TREE}, "column 'basket': 7 values of the data are missing from the hierarchy"),
        ({"hierarchy": "none.csv"}, "none.csv: the hierarchy cannot be read"),
        ({"sensitive_items": ["gold"]}, "`sensitive` lists 'gold', which no basket holds"),
        ({"method": "magic"}, "method.name is 'magic'"),
        ({"method": "hghs", "speed": 3}, "method.speed is not an option of 'hghs'"),
        ({"loss": "none"}, "method.loss is 'none', but it must be one of"),
        ({"seed": -1}, "seed is -1, but it must be a whole number"),
        ({"seed": "x"}, "seed is 'x', but it must be a whole number"),
        ({"separator": ""}, "an empty separator divides nothing"),
        ({"item_weights": {"nope": 2}}, "method.item_weights names 'nope', which no basket holds"),
    ],
)
def test_mistakes(options: dict[str, Any], wanted: str) -> None:
    with pytest.raises(tacit.InputError) as error:
        make(FRAME, **options)
    assert wanted in str(error.value)


@pytest.mark.parametrize(
    ("frame", "wanted"),
    [
        ({"basket": LISTS}, "cannot read a dict as a table"),
        (pl.DataFrame({"basket": LISTS}).lazy(), "cannot read a LazyFrame as a table"),
        (pd.Series(LISTS, name="basket"), "cannot read a Series as a table"),
        (pd.DataFrame([[1, 2]], columns=["basket", "basket"]), "the frame has two columns of this name"),
        (pa.table([[1], [2]], names=["basket", "basket"]), "the frame has two columns of this name"),
        (pd.DataFrame({"basket": [["a"], 5, "x"]}), "column 'basket': the column mixes kinds of values"),
        (pd.DataFrame({"basket": [10**30, 5]}), "column 'basket': the column has whole numbers of more than 64 bits"),
        (pa.table({"basket": [[["a"]]]}), "cannot be written as text"),
        (pa.table({"basket": [{"a": 1}]}), "cannot be written as text"),
    ],
)
def test_frames_that_are_none(frame: Any, wanted: str) -> None:
    for call in (lambda: make(frame), lambda: tacit.audit(frame, KmAnonymity(k=2, m=2), items="basket")):
        with pytest.raises(tacit.InputError) as error:
            call()
        assert wanted in str(error.value)


def test_a_promise_that_is_none() -> None:
    with pytest.raises(tacit.InputError, match="is not a promise"):
        tacit.anonymize(FRAME, 5, items="basket")  # type: ignore[arg-type]
    for bad in ({"k": 0, "m": 2}, {"k": 2, "m": 0}, {"k": 2.5, "m": 2}, {"k": True, "m": 2}, {"k": 2, "m": "all"}):
        with pytest.raises(tacit.InputError, match="must be a whole number"):
            KmAnonymity(**bad)


def test_persons_that_cannot_be_told_apart() -> None:
    with pytest.raises(tacit.InputError, match=r"row 2 .* has no person id"):
        make(pa.table({"who": ["a", None], "what": ["x", "y"]}), items="what", person="who", hierarchy=None)
    with pytest.raises(tacit.InputError, match="cannot be written as text"):
        make(pa.table({"who": [["a"]], "what": ["x"]}), items="what", person="who", hierarchy=None)


@pytest.mark.parametrize("m", [1, 2, 3, "inf"])
def test_audit_of_a_frame(m: Any) -> None:
    frame = pd.DataFrame({"basket": [{"a", "b", "c"}, {"a", "b", "c"}, {"a", "b"}]})
    result = tacit.audit(frame, KmAnonymity(k=2, m=m), items="basket")
    assert (result.satisfied, result.worst["support"]) == (True, 2)
    result = tacit.audit(frame, KmAnonymity(k=3, m=m), items="basket")
    assert (result.satisfied, result.worst["itemset"]) == (False, ["c"])


def test_baskets_that_are_all_empty_cannot_hide_anybody() -> None:
    frame = pa.table({"basket": pa.array([[], []], pa.list_(pa.string()))})
    with pytest.raises(tacit.PromiseError, match="only 0 of 2 baskets are not empty"):
        tacit.anonymize(frame, tacit.KmAnonymity(k=1, m=2), items="basket")
