"""A published table holds what it shows, and nothing else: categories, bytes under nulls, metadata."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import tacit
from tacit.io import format_named, write_table
from tacit.io.files import only_what_shows

SECRET = "unpublished-value"
UNDER_NULL = 0x0123456789ABCDEF


def hiding() -> pa.Table:
    """A table that hides something wherever Arrow has room for it."""
    numbers = np.array([1, UNDER_NULL, 3], np.int64)
    under = pa.Array.from_buffers(pa.int64(), 3, [pa.py_buffer(b"\x05"), pa.py_buffer(numbers.tobytes())])
    words = pa.DictionaryArray.from_arrays(pa.array([2, None, 0], pa.int8()), ["b", SECRET, "a"])
    schema = pa.schema(
        [
            pa.field("word", words.type, metadata={"was": SECRET}),
            pa.field("number", pa.int64()),
        ],
        metadata={"pandas": SECRET},
    )
    return pa.table([words, under], schema=schema)


def test_in_memory() -> None:
    table = only_what_shows(hiding())
    assert table.to_pydict() == hiding().to_pydict() and table.schema.types == hiding().schema.types
    assert table["word"].chunk(0).dictionary.to_pylist() == ["a", "b"], "in their own order"
    assert table.schema.metadata is None and table.schema.field("word").metadata is None
    assert UNDER_NULL not in np.frombuffer(table["number"].chunk(0).buffers()[1], np.int64)


@pytest.mark.parametrize("name", ["parquet", "feather", "csv"])
def test_in_files(name: str, tmp_path: Path) -> None:
    write_table(hiding(), tmp_path / "data", format_named(name))
    written = (tmp_path / "data").read_bytes()
    assert SECRET.encode() not in written and UNDER_NULL.to_bytes(8, "little") not in written


def test_an_order_that_the_categories_have_stays() -> None:
    words = pa.DictionaryArray.from_arrays(pa.array([2, 0]), ["low", "middle", "high"], ordered=True)
    shown = only_what_shows(pa.table({"x": words}))["x"]
    assert shown.chunk(0).dictionary.to_pylist() == ["low", "high"] and shown.type.ordered


def test_several_chunks_share_their_categories() -> None:
    chunks = [pa.array(["b", "c"]).dictionary_encode(), pa.array(["a", "b"]).dictionary_encode()]
    shown = only_what_shows(pa.table({"x": pa.chunked_array(chunks)}))["x"]
    assert shown.to_pylist() == ["b", "c", "a", "b"]
    assert [chunk.dictionary.to_pylist() for chunk in shown.chunks] == [["a", "b", "c"]] * 2
    assert only_what_shows(pa.table({"x": pa.chunked_array([], chunks[0].type)}))["x"].to_pylist() == []


@pytest.mark.parametrize("format", ["parquet", "feather"])
def test_a_release_holds_no_value_that_nobody_shows(format: str, tmp_path: Path) -> None:
    """Original values of quasi-identifiers that are generalized, and categories without a record, are nowhere."""
    ages = [str(7_000_001 + 10 * i) for i in range(40)]  # none is a multiple of 50, as ends of ranges are
    ill = pa.array(["flu", "cold"] * 20).dictionary_encode().cast(pa.dictionary(pa.int32(), pa.string()))
    ill = pa.DictionaryArray.from_arrays(ill.indices, [*ill.dictionary.to_pylist(), SECRET])
    frame = pa.table({"age": ages, "ill": ill, "why": ill}).replace_schema_metadata({"pandas": SECRET})
    release = tacit.anonymize(
        frame, tacit.KAnonymity(k=4), quasi="age", sensitive="ill", plain="why",
        column_settings={"age": {"round": 50}},
    )  # fmt: skip
    assert release.data["ill"].chunk(0).dictionary.to_pylist() == ["cold", "flu"]
    file = tmp_path / f"data.{format}"
    write_table(release.data, file, format_named(format))
    written = file.read_bytes()
    assert SECRET.encode() not in written
    assert not [age for age in ages if age.encode() in written]
