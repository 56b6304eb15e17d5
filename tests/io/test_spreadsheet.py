"""What a spreadsheet would take for a formula."""

from __future__ import annotations

import pyarrow as pa
import pytest

from tacit.errors import InputError
from tacit.io.spreadsheet import count_formulas, escape, escape_columns, escape_names

FORMULAS = ["=1+1", "=5", "@SUM(A1)", "+A1", "-A1", "-1+2", "+1-", "--1", "\t=1", "\r=1", "\n=1", "=", "+", "-"]
PLAIN = ["", "a", "a=1", "-1", "+1", "-1.5", "-1,5", "1+1", "'=1", " =1", "1e5", "é"]


@pytest.mark.parametrize("text", FORMULAS)
def test_formulas(text: str) -> None:
    assert escape(text) == "'" + text
    assert escape(escape(text)) == "'" + text


@pytest.mark.parametrize("text", PLAIN)
def test_plain_texts(text: str) -> None:
    assert escape(text) == text


def test_columns_agree_with_texts() -> None:
    for kind in (pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())):
        table = pa.table({"a": pa.array([*FORMULAS, *PLAIN, None], kind), "n": range(len(FORMULAS) + len(PLAIN) + 1)})
        assert count_formulas(table) == len(FORMULAS)
        escaped = escape_columns(table, ["a", "n"])
        assert escaped["a"].to_pylist() == [*map(escape, FORMULAS), *PLAIN, None]
        assert escaped["n"].equals(table["n"])
        assert count_formulas(escaped) == 0
        assert escape_columns(table, ["n"]).equals(table)


def test_a_table_without_text() -> None:
    assert count_formulas(pa.table({"n": [1], "l": [["=1"]]})) == 0
    assert count_formulas(pa.table({"a": pa.array([], pa.string())})) == 0


def test_names_of_a_column() -> None:
    names = ("=a", "@B", "-1", "+x", "c")
    alone = escape_names(names, "basket", alone=True)
    assert alone == ("'=a", "'@B", "-1", "'+x", "c")
    joined = escape_names(names, "basket", alone=False)
    assert joined == ("'=a", "'@B", "'-1", "'+x", "c"), "before other items it would begin a formula"
    assert escape_names(joined, "basket", alone=False) == joined, "once is enough"
    with pytest.raises(InputError, match="two published names would be the same"):
        escape_names(("=a", "'=a"), "basket", alone=True)
