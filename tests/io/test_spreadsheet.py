"""What a spreadsheet would take for a formula."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tacit.errors import InputError
from tacit.io import Escaping, format_named, read_table, sha256_as_written, write_table
from tacit.io.fingerprint import file_sha256
from tacit.io.spreadsheet import count_formulas, escape, escape_table, unescape, unescape_table

FORMULAS = ["=1+1", "=5", "@SUM(A1)", "+A1", "-A1", "-1+2", "+1-", "--1", "\t=1", "\r=1", "\n=1", "=", "+", "-", "-1\n"]
PLAIN = ["", "a", "a=1", "-1", "+1", "-1.5", "-1,5", "1+1", " =1", "1e5", "é", "'", "'a", "a'=1"]
APOSTROPHES = ["'=1", "''=1", "'-1", "'\t", "'''@"]
KINDS = (pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string()))
TEXTS = st.text("=+-@\t\r\n'a1., ", max_size=6)
quick = settings(deadline=None, derandomize=True, max_examples=150)


@pytest.mark.parametrize("text", [*FORMULAS, *APOSTROPHES])
def test_formulas(text: str) -> None:
    assert escape(text) == escape(text, alone=False) == "'" + text
    assert escape(escape(text)) == "''" + text, "what looks escaped is escaped, too"


@pytest.mark.parametrize("text", PLAIN)
def test_plain_texts(text: str) -> None:
    assert escape(text) == text
    is_number = re.fullmatch("[+-].*", text) is not None
    assert escape(text, alone=False) == "'" * is_number + text, "before other items it would begin a formula"


@quick
@given(TEXTS, TEXTS, st.booleans())
@example("=a", "'=a", True)
@example("-1", "'-1", False)
def test_no_two_texts_become_one(text: str, other: str, alone: bool) -> None:
    written = escape(text, alone=alone)
    assert unescape(written) == text
    assert (written == escape(other, alone=alone)) == (text == other)
    assert written[:1] not in tuple("=+-@\t\r\n") or (alone and re.fullmatch(r"[+-]\d+([.,]\d+)?", written))


def test_columns_agree_with_texts() -> None:
    texts = [*FORMULAS, *PLAIN, *APOSTROPHES]
    for kind in KINDS:
        table = pa.table({"a": pa.array([*texts, None], kind), "n": range(len(texts) + 1)})
        assert count_formulas(table) == len(FORMULAS)
        escaped = escape_table(table, Escaping())
        assert escaped["a"].to_pylist() == [*map(escape, texts), None]
        assert escaped["n"].equals(table["n"])
        assert count_formulas(escaped) == 0
        assert unescape_table(escaped, Escaping()).to_pydict() == table.to_pydict()
        assert escape_table(table, Escaping(numbers={"a"})).equals(table)


@quick
@given(st.lists(st.one_of(st.none(), st.lists(TEXTS, max_size=3)), max_size=5), st.sampled_from([" ", "; ", "==", "a"]))
def test_items_are_escaped_wherever_they_stand(baskets: list[list[str] | None], separator: str) -> None:
    """An item has one name in the whole file, and what separates items is never changed."""
    cells = [None if basket is None else separator.join(basket) for basket in baskets]
    items = [None if cell is None else cell.split(separator) for cell in cells]
    escaping = Escaping({"b": separator})
    for kind in (pa.string(), pa.large_string()):
        table = pa.table({"b": pa.chunked_array([pa.array(cells[:2], kind), pa.array(cells[2:], kind)], kind)})
        escaped = escape_table(table, escaping)
        assert [None if cell is None else cell.split(separator) for cell in escaped["b"].to_pylist()] == [
            None if basket is None else [escape(item, alone=False) for item in basket] for basket in items
        ]
        assert unescape_table(escaped, escaping)["b"].to_pylist() == cells


def test_a_separator_that_an_apostrophe_would_make() -> None:
    table = pa.table({"b": ["=a"], "c": ["b"]})
    for separator in ("'", "'="):
        with pytest.raises(InputError, match=r"column 'b': items that look like formulas cannot be escaped"):
            escape_table(table, Escaping({"b": separator}))
        assert escape_table(table.select(["c"]), Escaping({"c": separator}))["c"].to_pylist() == ["b"]


def test_a_file_that_holds_a_formula_both_ways() -> None:
    """Not one of ours: what differs in it must stay different."""
    for values in (["=1", "'=1", "b"], ["-9", "'-9", "b"]):
        for column in (pa.array(values), pa.array(values).dictionary_encode()):
            assert unescape_table(pa.table({"a": column}), Escaping())["a"].to_pylist() == values
    baskets = pa.table({"a": ["=1 b", "b '=1"]})
    assert unescape_table(baskets, Escaping({"a": " "}))["a"].to_pylist() == ["=1 b", "b '=1"]


@pytest.mark.parametrize("name", ["csv", "tsv", "csv.gz", "parquet", "feather"])
def test_only_text_files_are_escaped_and_read_back(name: str, tmp_path: Path) -> None:
    table = pa.table({"a": ["=1", "'=1", "-1"], "b": ["-1 x", "", "=y '=y"]})
    escaping, format, path = Escaping({"b": " "}), format_named(name), tmp_path / f"t.{name}"
    write_table(table, path, format, escaping=escaping)
    assert file_sha256(path) == sha256_as_written(table, format, escaping=escaping)
    assert read_table(path, escaping=escaping).to_pydict() == table.to_pydict()
    as_it_stands = read_table(path).to_pydict()
    if format.delimited:
        assert as_it_stands == {"a": ["'=1", "''=1", "-1"], "b": ["'-1 x", "", "'=y ''=y"]}
    else:
        assert as_it_stands == table.to_pydict()


def test_a_table_without_text() -> None:
    table = pa.table({"n": [1], "l": [["=1"]]})
    assert count_formulas(table) == 0
    assert escape_table(table, Escaping()).equals(table)
    empty = pa.table({"a": pa.array([], pa.string())})
    assert count_formulas(empty) == 0
    assert escape_table(empty, Escaping({"a": " "})).num_rows == 0
