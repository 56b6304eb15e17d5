"""Columns to baskets and back, beside plain Python doing the same."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.arrays import encode
from tacit.arrays._encode_kernels import index_baskets
from tacit.arrays.encode import (
    Baskets,
    EncodeNotes,
    baskets_to_lists,
    baskets_to_strings,
    distinct_baskets,
    group_baskets,
    split_baskets,
)
from tacit.errors import InputError
from tacit.io import read_table

CELLS = st.lists(st.one_of(st.none(), st.text(st.sampled_from("ab,| ?é"), max_size=8)), max_size=12)


def as_sets(baskets: Baskets) -> list[set[str]]:
    rows = [baskets.items[start:stop] for start, stop in pairwise(baskets.indptr)]
    assert baskets.indptr.dtype == np.int64 and baskets.items.dtype == np.int32
    assert all((np.diff(row) > 0).all() for row in rows), "ascending, no item twice"
    return [{baskets.vocabulary[item] for item in row} for row in rows]


def naive_split(cells: list[str | None], separator: str, missing: list[str]) -> tuple[list[list[str]], int, int]:
    baskets, dropped, duplicates = [], 0, 0
    for cell in cells:
        tokens = [] if cell is None or cell in ("", *missing) else cell.split(separator)
        kept = [token for token in tokens if token not in ("", *missing)]
        dropped += len(tokens) - len(kept)
        duplicates += len(kept) - len(set(kept))
        baskets.append(kept)
    return baskets, duplicates, dropped


@settings(max_examples=100, deadline=None)
@given(cells=CELLS, separator=st.sampled_from([" ", ",", "|", ", ", "ab"]), rows_at_once=st.integers(1, 5))
def test_split_agrees_with_plain_python(cells: list[str | None], separator: str, rows_at_once: int) -> None:
    expected, duplicates, dropped = naive_split(cells, separator, ["?", "a b"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encode, "_ROWS_AT_ONCE", rows_at_once)
        baskets = split_baskets(pa.array(cells, pa.string()), separator=separator, missing=["?", "a b"])
    assert as_sets(baskets) == [set(tokens) for tokens in expected]
    assert baskets.vocabulary == tuple(sorted({token for tokens in expected for token in tokens}))
    assert baskets.notes == EncodeNotes(duplicates, dropped)
    assert len(baskets) == len(cells) and baskets.lengths.tolist() == [len(set(tokens)) for tokens in expected]


def test_blanks_belong_to_the_item_unless_they_separate() -> None:
    assert split_baskets(pa.array(["a, b ,a"]), separator=",").vocabulary == (" b ", "a")
    assert split_baskets(pa.array([" a  b "]), separator=" ").vocabulary == ("a", "b")


LISTS = [["b", "a", "b"], None, [], ["c", None, "", "?"]]


@pytest.mark.parametrize(
    "column",
    [
        pa.array(LISTS, pa.list_(pa.string())),
        pa.array(LISTS, pa.large_list(pa.large_string())),
        pa.array(LISTS, pa.list_view(pa.string())),
        pa.array(LISTS, pa.list_(pa.dictionary(pa.int8(), pa.string()))),
        pa.array([["x"], *LISTS], pa.list_(pa.string())).slice(1),
        pa.chunked_array([pa.array(LISTS[:1]), pa.array(LISTS[1:])], pa.list_(pa.string())),
    ],
    ids=lambda column: str(column.type),
)
def test_list_columns(column: pa.Array) -> None:
    baskets = split_baskets(column, missing=["?"])
    assert as_sets(baskets) == [{"a", "b"}, set(), set(), {"c"}]
    assert baskets.vocabulary == ("a", "b", "c")
    assert baskets.notes == EncodeNotes(duplicates=1, dropped=3)


def test_items_are_coded_by_their_labels_and_not_by_who_came_first() -> None:
    assert split_baskets(pa.array(["b a", "a c"]), separator=" ").vocabulary == ("a", "b", "c")
    assert split_baskets(pa.array(["10 9", "100 9.0"]), separator=" ").vocabulary == ("9", "9.0", "10", "100")


def test_other_types_are_taken_by_their_text() -> None:
    assert as_sets(split_baskets(pa.array([[3, 10], [3]]))) == [{"3", "10"}, {"3"}]
    assert as_sets(split_baskets(pa.array([[1, 2], None], pa.list_(pa.int8(), 2)))) == [{"1", "2"}, set()]
    assert as_sets(split_baskets(pa.array([7, None]), separator=" ")) == [{"7"}, set()]
    categories = pa.array(["a b", "c", "a b"]).dictionary_encode()
    assert as_sets(split_baskets(categories, separator=" ")) == [{"a", "b"}, {"c"}, {"a", "b"}]
    assert as_sets(split_baskets(pa.array(["a b"], pa.string_view()), separator=" ")) == [{"a", "b"}]
    with pytest.raises(InputError, match="cannot be written as text"):
        split_baskets(pa.array([[{"x": "Zaphod"}]]))


def test_no_rows_and_no_separator() -> None:
    empty = split_baskets(pa.chunked_array([], pa.string()), separator=" ")
    assert len(empty) == 0 and empty.vocabulary == () and empty.indptr.tolist() == [0]
    with pytest.raises(InputError, match="needs a separator"):
        split_baskets(pa.array(["a b"]))


# --- long layout -----------------------------------------------------------------------------------------------


def test_group_by_person_in_order_of_first_appearance() -> None:
    person = pa.chunked_array([["p2", "p1", "p2"], ["p3", "p2", "p1"]])
    item = pa.chunked_array([["x", "y", "x"], [None, "z", "?"]])
    baskets, persons = group_baskets(person, item, missing=["?"])
    assert persons.to_pylist() == ["p2", "p1", "p3"]
    assert as_sets(baskets) == [{"x", "z"}, {"y"}, set()]
    assert baskets.vocabulary == ("x", "y", "z") and baskets.notes == EncodeNotes(duplicates=1)


@settings(max_examples=100, deadline=None)
@given(rows=st.lists(st.tuples(st.integers(0, 5), st.one_of(st.none(), st.integers(0, 6))), max_size=30))
def test_group_agrees_with_plain_python(rows: list[tuple[int, int | None]]) -> None:
    expected: dict[int, set[str]] = {}
    for person, item in rows:
        expected.setdefault(person, set()).update([] if item is None else [str(item)])
    baskets, persons = group_baskets(
        pa.array([row[0] for row in rows], pa.int64()), pa.array([row[1] for row in rows], pa.int64())
    )
    assert persons.to_pylist() == list(expected)
    assert as_sets(baskets) == list(expected.values())


@pytest.mark.parametrize("nobody", [None, "", "NA"])
def test_a_row_without_a_person_is_named_by_its_number(nobody: str | None) -> None:
    with pytest.raises(InputError, match=r"row 3 .*has no person id") as caught:
        group_baskets(pa.array(["Zaphod", "q", nobody]), pa.array(["x", "y", "z"]), missing=["", "NA"])
    assert "Zaphod" not in str(caught.value)


# --- back ------------------------------------------------------------------------------------------------------


@settings(max_examples=100, deadline=None)
@given(cells=CELLS, rows_at_once=st.integers(1, 5), text_at_once=st.integers(1, 20))
def test_there_and_back(cells: list[str | None], rows_at_once: int, text_at_once: int) -> None:
    baskets = split_baskets(pa.array(cells, pa.string()), separator="|")
    arrays = (baskets.indptr, baskets.items, baskets.vocabulary)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encode, "_ROWS_AT_ONCE", rows_at_once)
        patch.setattr(encode, "_TEXT_AT_ONCE", text_at_once)
        lists, strings = baskets_to_lists(*arrays), baskets_to_strings(*arrays, "|")
    assert [set(row) for row in lists.to_pylist()] == as_sets(baskets)
    assert lists.null_count == strings.null_count == 0
    assert as_sets(split_baskets(strings, separator="|")) == as_sets(baskets)


@pytest.mark.parametrize(("label", "separator"), [("a b", " "), ("", " "), ("a,", ",,"), ("x, y", ", "), (" b", " ")])
def test_a_label_that_would_be_torn_is_refused(label: str, separator: str) -> None:
    indptr, codes = np.array([0, 2]), np.array([0, 1], np.int32)
    with pytest.raises(InputError, match="cannot stand in a basket"):
        baskets_to_strings(indptr, codes, ["fine", label], separator)
    unused = baskets_to_strings(np.array([0, 1]), codes[:1], ["fine", label], separator)
    assert unused.to_pylist() == ["fine"]


# --- distinct --------------------------------------------------------------------------------------------------


def naive_distinct(rows: list[list[int]]) -> dict[tuple[int, ...], int]:
    counts: dict[tuple[int, ...], int] = {}
    for row in rows:
        counts[tuple(row)] = counts.get(tuple(row), 0) + 1
    return counts


@settings(max_examples=100, deadline=None)
@given(rows=st.lists(st.sets(st.integers(0, 4)).map(sorted), max_size=40))
def test_distinct_agrees_with_plain_python(rows: list[list[int]]) -> None:
    indptr = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    items = np.array([item for row in rows for item in row], np.int32)
    merged = distinct_baskets(indptr, items)
    found = [tuple(row.tolist()) for row in np.split(merged.items, merged.indptr[1:-1])][: len(merged.weight)]
    expected = naive_distinct(rows)
    assert found == list(expected) and merged.weight.tolist() == list(expected.values())
    assert [found[index] for index in merged.inverse] == [tuple(row) for row in rows]


def test_equal_hashes_do_not_merge_different_baskets() -> None:
    """Hashes have 32 bits: among 400,000 different pairs of items some hashes meet."""
    rows = 400_000
    pairs = np.sort(np.random.default_rng(5).integers(0, 2**31 - 1, (rows, 2)), axis=1).astype(np.int32)
    assert len(np.unique(pairs, axis=0)) == rows
    first, inverse = np.empty(rows, np.int32), np.empty(rows, np.int32)
    hashes, weight = np.empty(rows, np.int64), np.empty(rows, np.int64)
    slots = np.full(1 << 20, -1, np.int32)
    count = index_baskets(np.arange(rows + 1) * 2, pairs.ravel(), slots, first, hashes, weight, inverse)
    assert len(np.unique(hashes)) < rows
    assert count == rows and (weight == 1).all()


# --- real files ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "column", "records", "items", "longest", "mean"),
    [
        ("transactions/bms_webview1.dat.gz", "items", 59_602, 497, 267, 2.51),
        ("transactions/bms_webview2.dat.gz", "items", 77_512, 3_340, 161, 4.62),
        ("transactions/retail.dat.gz", "items", 88_162, 16_470, 76, 10.31),
        ("transactions/fruithut.dat.gz", "items", 181_970, 1_265, 36, 3.59),
        ("transactions/msweb.dat.gz", "items", 32_711, 285, 35, 3.02),
        ("rt/informs2005_rt.csv.gz", "conditions", 33_961, 599, 35, None),
        ("rt/youtube_sfu_sample.csv.gz", "related", 7_330, 65_063, 20, None),
    ],
)
def test_real_baskets(
    name: str, column: str, records: int, items: int, longest: int, mean: float | None, shared_data: Path
) -> None:
    table = read_table(shared_data / name)
    baskets = split_baskets(table[column], separator=" ")
    assert (len(baskets), len(baskets.vocabulary), baskets.lengths.max()) == (records, items, longest)
    assert mean is None or round(baskets.lengths.mean(), 2) == mean
    assert baskets.notes == EncodeNotes()


def test_groceries_with_commas_and_no_header(shared_data: Path) -> None:
    table = read_table(shared_data / "transactions/groceries.csv.gz", format="dat")
    baskets = split_baskets(table["items"], separator=",")
    assert (len(baskets), len(baskets.vocabulary), baskets.lengths.max()) == (9_835, 169, 32)
    assert round(baskets.lengths.mean(), 2) == 4.41


def test_informs_conditions_in_the_long_layout(shared_data: Path) -> None:
    table = read_table(shared_data / "rt/informs2005_conditions.csv.gz")
    baskets, persons = group_baskets(table["DUPERSID"], table["ICD9CODX"])
    assert (len(baskets), len(persons), len(baskets.vocabulary)) == (26_854, 26_854, 601)
