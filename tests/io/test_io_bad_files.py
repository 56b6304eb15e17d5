"""Files that cannot be read: where the fault is, what to do, and no cell of the file in the message."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as parquet
import pytest

from tacit.errors import InputError
from tacit.io import read_table
from tacit.io.workbooks import sheets_of

SECRET = "Zaphod"
"""Stands in cells of the broken files; a message that holds it leaks."""


def failure(path: Path, **options: str) -> InputError:
    with pytest.raises(InputError) as caught:
        read_table(path, **options)
    assert caught.value.exit_code == 2
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    assert SECRET not in str(caught.value)
    return caught.value


@pytest.mark.parametrize(
    ("name", "content", "line", "column", "problem"),
    [
        ("t.csv", "a,b\n1,2\n3,Zaphod,5\n", 3, None, "3 fields.*header has 2"),
        ("t.csv", "a,b\n1,2\nZaphod\n", 3, None, "1 field,.*header has 2"),
        ("t.csv", 'a,b\n1,"x\n\ny"\n\n3,Zaphod,5\n', 6, None, "3 fields"),
        ("t.csv", "items\nZaphod\nb,c\n", 3, None, "2 fields.*header has 1"),
        ("t.tsv", "a\tb\n1\tZaphod\tz\n", 2, None, "3 fields"),
        ("t.csv", 'a\nx\n"Zaphod\nz\n', 3, None, "quote.*never closed"),
        ("t.csv", 'a,b\nx,y\nz,"Zaphod\nu,v', 3, None, "quote.*never closed"),
        ("t.csv", '"a,b\nZaphod,y\n', 1, None, "quote.*never closed"),
        ("t.csv", ",,\n1,2,Zaphod\n", None, None, "columns have no names"),
        ("t.csv", "\na,b\n1,Zaphod\n", None, None, "columns have no names"),
        ("t.tsv", "a,b\n1,Zaphod\n", 1, None, r"'\\t' does not occur in the header, but ',' does"),
        ("t.csv", "", None, None, "no record"),
        ("t.csv", "a,b\n", None, None, "no record"),
        ("t.csv", "a,b", None, None, "no record"),
        ("t.dat", "", None, None, "no record"),
        ("t.parquet", "Zaphod", None, None, "not a whole Parquet file"),
        ("t.parquet", "PAR1ZaphodPAR1", None, None, "not a whole Parquet file"),
        ("t.feather", "Zaphod", None, None, "not a whole Feather file"),
        ("t.feather", "FEA1 Zaphod FEA1", None, None, "Feather's first version"),
        ("t.xls", "Zaphod", None, None, "a file of Excel, which is not read"),
        ("t.por", "Zaphod", None, None, "a file of SPSS"),
        ("t.abc", "Zaphod", None, None, "ending"),
    ],
)
@pytest.mark.parametrize("ending", ["", ".gz"])
def test_broken_content(
    name: str, content: str, line: int | None, column: str | None, problem: str, ending: str, tmp_path: Path
) -> None:
    path = tmp_path / (name + ending)
    path.write_bytes(gzip.compress(content.encode()) if ending else content.encode())
    error = failure(path)
    assert re.search(problem, error.problem)
    assert (line is None or error.line == line) and error.column == column
    assert error.file == path


@pytest.mark.parametrize(
    ("name", "content", "line", "column"),
    [
        ("t.csv", b"id,name\n1,a\n2,Zaphod \xe9\n", 3, "name"),
        ("t.csv", b'id,name\n1,"a\nb\xe9 Zaphod"\n', 3, "name"),
        ("t.csv", b"id,n\xe9\n1,Zaphod\n", 1, None),
        ("t.dat", b"a\n\nZaphod \xe9\n", 3, None),
        ("t.dat", b"a\nb\nZaphod \xc3", 3, None),
    ],
)
def test_text_that_is_not_utf8(name: str, content: bytes, line: int, column: str | None, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    error = failure(path)
    assert (error.line, error.column) == (line, column)
    assert "not UTF-8" in error.problem and 'encoding = "cp1252" under [input]' in str(error.hint)


@pytest.mark.parametrize("name", ["t.csv", "t.dat"])
def test_utf16_gets_its_own_hint(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes("a,b\n1,Zaphod\n".encode("utf-16"))
    assert 'encoding = "utf-16"' in str(failure(path).hint)


def test_a_fault_far_down_the_file(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + '1,"x\ny"\n' * 50_000 + "1,Zaphod,3\n")
    assert failure(path).line == 100_002


def test_a_wrong_delimiter_is_named(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,Zaphod\n")
    assert "';' does not occur" in failure(path, delimiter=";").problem


def test_missing_file_directory_and_no_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    error = failure(tmp_path / "none.csv")
    assert "no such file" in error.problem and "relative to the job file" in str(error.hint)
    assert "directory" in failure(tmp_path).problem

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    (tmp_path / "t.dat").write_text("a\n")
    monkeypatch.setattr(Path, "open", refuse)
    assert "permission" in failure(tmp_path / "t.dat").problem


@pytest.mark.parametrize("name", ["t.csv.gz", "t.dat.gz", "t.parquet.gz"])
def test_broken_gzip(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    whole = gzip.compress(b"a,b\n" + b"".join(b"%d,Zaphod\n" % number for number in range(100_000)))
    for content in (b"a,b\n1,Zaphod\n", whole[: len(whole) // 2], whole[:-3]):
        path.write_bytes(content)
        assert "gzip" in failure(path).problem


def test_gzip_under_another_name(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(gzip.compress(b"a,b\n1,2\n"))
    assert "is gzipped" in failure(path).problem
    assert read_table(path, format="csv.gz").num_rows == 1


@pytest.mark.parametrize("value", [-1, 0x7FFFFFFF])
@pytest.mark.parametrize("name", ["parquet", "feather"])
def test_a_damaged_file_is_refused_before_anything_in_it_is_used(name: str, value: int, tmp_path: Path) -> None:
    """Each word of the file in turn becomes one that is too large, or below 0: lengths and offsets are among them."""
    table = pa.table(
        {"a": ["x", "yy", None], "b": [["x"], [], ["y", "z"]], "c": pa.array(["u", "v", "u"]).dictionary_encode()}
    )
    path, refused = tmp_path / f"t.{name}", 0
    sink = pa.BufferOutputStream()
    feather.write_feather(table, sink, compression="uncompressed") if name == "feather" else parquet.write_table(
        table, sink
    )
    whole = sink.getvalue().to_pybytes()
    for start in range(0, len(whole) - 4, 4):
        path.write_bytes(whole[:start] + value.to_bytes(4, "little", signed=True) + whole[start + 4 :])
        try:
            read_table(path).validate(full=True)
        except InputError as error:
            refused += 1
            assert "not a whole" in error.problem or "memory" in error.problem or "no record" in error.problem, error
    assert refused > 20


def test_a_workbook_that_is_called_csv(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b"PK\x03\x04\x14\x00\xff\xfe" + SECRET.encode() * 20)
    assert "packed file (zip)" in str(failure(tmp_path / "t.csv"))


@pytest.mark.parametrize("name", ["nothing.xlsx", "nothing.ods"])
def test_a_workbook_that_is_not_there(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        sheets_of(tmp_path / name)
