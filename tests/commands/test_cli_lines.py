"""Values that a hierarchy lacks, and others that are wrong, are told by the line of the data that they stand in."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import tacit
from support.commands import tacit as run
from tacit.errors import InputError

TREE = "a,A,*\nb,A,*\nc,C,*\n"

WIDE = """\
[columns.note]
role = "plain"
[columns.value]
role = "{role}"
hierarchy = "tree.csv"
[privacy]
{promise}
"""
KM, K = 'model = "km"\nk = 2\nm = 1', 'model = "k"\nk = 2'


def refused(folder: Path, source: str, columns: str, tree: str = TREE) -> str:
    """What a job about a file of this folder is told."""
    (folder / "tree.csv").write_text(tree)
    (folder / "job.toml").write_text(f'[input]\nsource = "{source}"\n{columns}')
    ended = run("anonymize", folder / "job.toml", "-o", folder / "out")
    assert ended.code == 2 and not (folder / "out").exists(), ended
    return ended.err.replace(f"{folder}/", "").replace("tacit: reading\ntacit: encoding\n", "")


# line breaks inside a cell and inside the header, an empty line, and Windows line ends: all count
TEXTS = {
    "plain": ("note,value\nx,a\nx,b\nx,q\nx,r\n", 4),
    "breaks in cells": ('note,value\n"x\ny",a\n"x\r\n\r\ny",b\nx,q\nx,r\n', 7),
    "a break in the header": ('note,"val\nue"\nx,a\nx,q\n', 4),
    "an empty line": ("note,value\nx,a\n\n\nx,q\n", 5),
    "windows": ("note,value\r\nx,a\r\n\r\nx,q\r\n", 4),
    "no end": ("note,value\nx,a\nx,q", 3),
    "semicolons": ("note;value\nx;a\nx;q\n", 3),
}


@pytest.mark.parametrize(("role", "promise"), [("items", KM), ("quasi", K)])
@pytest.mark.parametrize("case", TEXTS)
def test_a_csv_file(tmp_path: Path, case: str, role: str, promise: str) -> None:
    text, line = TEXTS[case]
    (tmp_path / "data.csv").write_bytes(text.encode())
    columns = WIDE.format(role=role, promise=promise)
    name = "value"
    if "val\nue" in text:
        columns, name = columns.replace("columns.value", 'columns."val\\nue"'), "val\nue"
    told = refused(tmp_path, "data.csv", columns)
    assert f"data.csv, line {line}, column {name!r}: " in told
    assert "missing from the hierarchy tree.csv: 'q'" in told and "; the first stands here" in told
    assert "Add a row" in told


@pytest.mark.parametrize("role", ["items", "quasi"])
def test_the_first_of_several(tmp_path: Path, role: str) -> None:
    (tmp_path / "data.tsv.gz").write_bytes(gzip.compress(b"note\tvalue\nx\ta\nx\tz\nx\ty\nx\tz\n"))
    told = refused(tmp_path, "data.tsv.gz", WIDE.format(role=role, promise=KM if role == "items" else K))
    assert "data.tsv.gz, line 3, column 'value': 2 values of the data are missing from the hierarchy tree.csv: " in told
    assert "'y'" in told and "'z'" in told


def test_a_file_of_one_column_whose_empty_lines_are_records(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("value\n\n\na\nq\n")
    columns = WIDE.format(role="items", promise=KM).replace('[columns.note]\nrole = "plain"\n', "")
    assert "data.csv, line 5, column 'value'" in refused(tmp_path, "data.csv", columns)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_dat_file(tmp_path: Path, end: str) -> None:
    (tmp_path / "data.dat").write_bytes(end.join(["a b", "", "c", "a q", "q"]).encode())
    columns = f'[columns.items]\nrole = "items"\nhierarchy = "tree.csv"\n[privacy]\n{KM}\n'
    assert "data.dat, line 4, column 'items': 1 value" in refused(tmp_path, "data.dat", columns)


def test_a_long_layout(tmp_path: Path) -> None:
    """By the row of the item, not by the person, who has the item in a later row."""
    (tmp_path / "data.csv").write_text("who,value\n1,a\n2,b\n2,a\n1,q\n2,q\n")
    columns = (
        'layout = "long"\n[columns.who]\nrole = "person"\n[columns.value]\nrole = "items"\nhierarchy = "tree.csv"\n'
        f"[privacy]\n{KM}\n"
    )
    assert "data.csv, line 5, column 'value': 1 value" in refused(tmp_path, "data.csv", columns)


def test_a_column_of_several(tmp_path: Path) -> None:
    """`q` may stand in a column that has no hierarchy, or another one."""
    (tmp_path / "data.csv").write_text("other,value\nq,a\nq,b\na,b\na,q\n")
    columns = WIDE.format(role="items", promise=KM).replace('note]\nrole = "plain"', 'other]\nrole = "items"')
    assert "data.csv, line 5, column 'value': 1 value" in refused(tmp_path, "data.csv", columns)


@pytest.mark.parametrize("role", ["items", "quasi"])
def test_a_value_that_is_only_a_group(tmp_path: Path, role: str) -> None:
    (tmp_path / "data.csv").write_text("note,value\nx,a\nx,A\n")
    told = refused(tmp_path, "data.csv", WIDE.format(role=role, promise=KM if role == "items" else K))
    assert "data.csv, line 3, column 'value': 1 value of the data is only a group of the hierarchy tree.csv" in told


def test_the_items_of_records(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("age,value\n1,a\n2,b\n3,q b\n")
    columns = WIDE.format(role="items", promise='model = "k-km"\nk = 2\nm = 1').replace("note]", "age]")
    told = refused(tmp_path, "data.csv", columns.replace('role = "plain"', 'role = "quasi"'))
    assert "data.csv, line 4, column 'value': 1 value" in told


def test_a_column_of_a_sliced_table(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("note,value\nx,a\ny,b\nx,q\n")
    columns = WIDE.format(role="quasi", promise='model = "sliced-l"\nl = 2')
    told = refused(tmp_path, "data.csv", columns.replace('role = "plain"', 'role = "sensitive"'))
    assert "data.csv, line 4, column 'value': 1 value" in told


@pytest.mark.parametrize("role", ["items", "quasi"])
def test_a_file_without_lines(tmp_path: Path, role: str) -> None:
    parquet.write_table(pa.table({"note": ["x", "x"], "value": ["a", "q"]}), tmp_path / "data.parquet")
    told = refused(tmp_path, "data.parquet", WIDE.format(role=role, promise=KM if role == "items" else K))
    assert "data.parquet, column 'value': 1 value" in told and "'q'; the first stands in record 2" in told


def test_a_frame() -> None:
    tree = tacit.Taxonomy.from_paths([["a", "*"], ["b", "*"]])
    frame = pa.table({"value": ["a", "b", "q"]})
    with pytest.raises(InputError, match=r"column 'value': 1 value .*'q'; the first stands in record 3"):
        tacit.anonymize(frame, tacit.KAnonymity(k=2), quasi="value", hierarchy={"value": tree})
    with pytest.raises(InputError, match=r"column 'value': 1 value .*'q'; the first stands in record 3"):
        tacit.anonymize(frame, tacit.KmAnonymity(k=2, m=1), items="value", separator=" ", hierarchy=tree)


def test_a_rating_that_is_no_number(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text('note,value\n"x\n",1\n\ny,good\n')
    columns = WIDE.format(role="rating", promise='model = "k-eps"\nk = 2\neps = 1')
    told = refused(tmp_path, "data.csv", columns.replace('hierarchy = "tree.csv"\n', ""))
    assert "data.csv, line 5, column 'value': a rating is not a number" in told
    with pytest.raises(InputError, match=r"column 'value': a rating is not a number; the first stands in record 2"):
        tacit.anonymize(pa.table({"value": ["1", "good"]}), tacit.KEpsAnonymity(k=2, eps=1), rating="value")


def test_a_cell_that_is_no_number(tmp_path: Path) -> None:
    """Type mistakes of a column are told in the same way."""
    rows = "".join(f'"x\n",{number}\n' for number in range(9))
    (tmp_path / "data.csv").write_text("note,value\n\n" + rows + "x,old\n")
    columns = WIDE.format(role="quasi", promise=K).replace('hierarchy = "tree.csv"', 'type = "number"')
    assert "data.csv, line 21, column 'value': 1 of 10 different values is no number; the first stands here" in refused(
        tmp_path, "data.csv", columns
    )
