"""Files of other programs: what is read of them, what is written, and what never goes out."""

from __future__ import annotations

import datetime
import sys
import zipfile
from pathlib import Path
from typing import Any

import polars
import pyarrow as pa
import pyreadstat
import pytest
import xlsxwriter

from support.commands import tacit, write_job
from tacit.errors import InputError
from tacit.io import FileFormat, format_named, formats, inspect_format, read_table, write_table
from tacit.job import model

JOB = """
[input]
source = "people.{end}"
[columns.pid]
role = "identifier"
[columns.age]
role = "quasi"
type = "number"
[columns.sex]
role = "quasi"
type = "category"
[columns.ill]
role = "sensitive"
[privacy]
model = "k"
k = 3
[method]
seed = 1
"""
SECRET = "label of a code that nobody has"


def people() -> polars.DataFrame:
    count = 24
    return polars.DataFrame(
        {
            "pid": [f"p{each}" for each in range(count)],
            "age": [20.0 + each // 4 for each in range(count)],
            "sex": [1.0 if each % 12 < 6 else 2.0 for each in range(count)],
            "ill": [float(each % 3) for each in range(count)],
        }
    )


def written(folder: Path, end: str) -> Path:
    file, frame = folder / f"people.{end}", people()
    labels: dict[str, Any] = {"sex": {1: "male", 2: "female", 7: SECRET}, "ill": {0: "none", 1: "flu", 8: SECRET}}
    words = {"age": "Age in years", "pid": "Name of whom"}
    if end in ("sav", "zsav"):
        pyreadstat.write_sav(frame, file, column_labels=words, variable_value_labels=labels, compress=end == "zsav")
    elif end == "dta":
        pyreadstat.write_dta(frame, file, column_labels=words, variable_value_labels=labels)
    elif end == "xpt":
        pyreadstat.write_xport(frame, file, column_labels=words)
    else:
        write_table(frame.to_arrow(), file, format_named(end))
    return file


def test_formats_are_the_same_for_jobs_and_files() -> None:
    assert (model.FORMATS, model.PACKABLE) == (formats.FORMATS, formats.PACKABLE)
    assert set(model.NEVER_WRITTEN) == set(formats.WRITTEN_AS)


@pytest.mark.parametrize("end", ["xlsx", "sav", "zsav", "dta", "xpt", "jsonl", "ndjson.gz"])
def test_a_release_is_audited_and_the_same_bytes_come_again(end: str, tmp_path: Path) -> None:
    written(tmp_path, end)
    job, key = write_job(tmp_path, JOB.format(end=end)), tmp_path / "one" / "private" / "key"
    for name, more in (("one", ()), ("two", ("--key", key))):
        ended = tacit("anonymize", job, "-o", tmp_path / name, "--no-report", "--no-attack", *more)
        assert ended.code == 0, ended.err
    one, two = (tmp_path / name / "public" / f"data.{end}" for name in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()
    assert tacit("audit", job, one, "--original").code == 0
    table = read_table(one)
    assert (table.num_rows, table.column_names) == (24, ["age", "sex", "ill"])
    assert SECRET.encode() not in one.read_bytes() and b"Name of whom" not in one.read_bytes()


@pytest.mark.parametrize(("end", "reads"), [("sav", pyreadstat.read_sav), ("dta", pyreadstat.read_dta)])
def test_labels_go_out_with_published_values_alone(end: str, reads: Any, tmp_path: Path) -> None:
    written(tmp_path, end)
    assert tacit("anonymize", write_job(tmp_path, JOB.format(end=end)), "--no-report", "--no-attack").code == 0
    _, found = reads(tmp_path / "out" / "public" / f"data.{end}", output_format="polars")
    assert found.variable_value_labels["ill"] == {0: "none", 1: "flu"}
    assert set(found.variable_value_labels["sex"].values()) <= {"male", "female"}
    assert found.column_names_to_labels["age"] == "Age in years"


def test_codes_that_a_file_declares_missing_are_no_values(tmp_path: Path) -> None:
    frame = polars.DataFrame({"a": [1.0, 2.5, 99.0, None], "b": ["x", "", "y", "z"]})
    pyreadstat.write_sav(frame, tmp_path / "a.sav", missing_ranges={"a": [{"lo": 90, "hi": 99}]})
    assert read_table(tmp_path / "a.sav").to_pydict() == {"a": [1.0, 2.5, None, None], "b": ["x", "", "y", "z"]}
    labels = inspect_format(tmp_path / "a.sav").labels
    assert labels is not None and labels.missing == {"a": ((90, 99),)}


def test_init_takes_what_the_file_says(tmp_path: Path) -> None:
    frame = people().rename({"age": "v1", "sex": "v2", "ill": "v3"})
    pyreadstat.write_sav(
        frame, tmp_path / "a.sav",
        column_labels={"v1": "Age of the patient", "v2": "Sex", "v3": "Surname"},
        variable_value_labels={"v2": {1: "male", 2: "female"}}, missing_ranges={"v2": [9]},
        variable_measure={"v1": "scale", "v2": "nominal"},
    )  # fmt: skip
    ended = tacit("init", tmp_path / "a.sav", "-o", tmp_path / "job.toml", "--json")
    assert ended.code == 0, ended.err
    text = (tmp_path / "job.toml").read_text("utf-8")
    by_column = {part.split("]")[0]: part for part in text.split("[columns.")[1:]}
    assert 'role = "quasi"' in by_column["v1"] and 'type = "number"' in by_column["v1"]
    assert 'role = "quasi"' in by_column["v2"] and 'type = "category"' in by_column["v2"]
    assert "1 = male, 2 = female; 9 read as no value" in by_column["v2"]
    assert 'role = "identifier"' in by_column["v3"]


def test_a_sheet_is_read_as_it_would_be_written(tmp_path: Path) -> None:
    book = xlsxwriter.Workbook(tmp_path / "a.xlsx")
    book.add_worksheet("empty")
    sheet = book.add_worksheet("people")
    day, hour = book.add_format({"num_format": "dd.mm.yy"}), book.add_format({"num_format": "hh:mm"})
    sheet.write_row(0, 0, ["n", "day", "hour", "text", "n"])
    sheet.write_row(1, 0, [5, None, None, "=1+1", 0.25])
    sheet.write_datetime(1, 1, datetime.date(2024, 3, 5), day)
    sheet.write_datetime(1, 2, datetime.time(10, 5), hour)
    sheet.write_string(1, 3, "=1+1")
    sheet.write_row(2, 0, [1234567890123])
    book.close()
    read = read_table(tmp_path / "a.xlsx", format=FileFormat("xlsx", sheet="people"))
    assert [read.column(at).to_pylist() for at in range(5)] == [
        ["5", "1234567890123"], ["2024-03-05", ""], ["10:05:00", ""], ["=1+1", ""], ["0.25", ""],
    ]  # fmt: skip
    assert len(set(read.column_names)) == 5
    with pytest.raises(InputError, match="no sheet 'persons'\n  It has: 'empty', 'people'"):
        read_table(tmp_path / "a.xlsx", format=FileFormat("xlsx", sheet="persons"))
    with pytest.raises(InputError, match="no record"):
        read_table(tmp_path / "a.xlsx")


def test_a_workbook_keeps_every_row_and_no_formula(tmp_path: Path) -> None:
    table = pa.table({"a": ["", "=1+1", None, "", ""], "b": ["x", "<b>", "", "", ""]})
    write_table(table, tmp_path / "a.xlsx", format_named("xlsx"))
    assert read_table(tmp_path / "a.xlsx").to_pydict() == {"a": ["", "=1+1", "", "", ""], "b": ["x", "<b>", "", "", ""]}
    with zipfile.ZipFile(tmp_path / "a.xlsx") as archive:
        assert b"<f>" not in archive.read("xl/worksheets/sheet1.xml")
    with pytest.raises(InputError, match="32,767 signs at most"):
        write_table(pa.table({"a": ["x" * 40_000]}), tmp_path / "b.xlsx", format_named("xlsx"))


def test_json_lines_keep_lists_and_texts(tmp_path: Path) -> None:
    rows = ['{"a": ["x", "y"], "d": "2024-01-01", "n": 1}', '{"a": [], "n": 2.5}', '{"d": "é\\"", "a": null}']
    (tmp_path / "a.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    table = read_table(tmp_path / "a.jsonl")
    wanted = {"a": [["x", "y"], [], None], "d": ["2024-01-01", None, 'é"'], "n": [1.0, 2.5, None]}
    assert table.to_pydict() == wanted
    write_table(table, tmp_path / "b.jsonl", format_named("jsonl"))
    assert read_table(tmp_path / "b.jsonl").to_pydict() == wanted
    assert (tmp_path / "b.jsonl").read_text("utf-8").splitlines()[1] == '{"a": [], "d": null, "n": 2.5}'


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"a": 1}\n{"a": "secret"}\n', "column 'a': the column has values of two kinds"),
        ('{"a": 1}\n{"a": secret\n', "this is not JSON lines"),
        ('{"a": {"b": 1}}\n', "column 'a': a value is an object"),
        ("\n", "has no record"),
        ('["secret"]\n', "this is not JSON lines"),
        ('{"a": 1}\n' + '{"a":' * 100_000 + "1" + "}" * 100_000, "line 2: values are far too deep inside each other"),
        ('{"a": "' + "[" * 3000 + "\n", "line 1: this is not JSON lines"),
    ],
)
def test_bad_json_lines_are_told(text: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=problem) as error:
        read_table(tmp_path / "a.jsonl")
    assert "secret" not in str(error.value)


@pytest.mark.parametrize("end", ["xlsx", "ods", "sav", "dta", "sas7bdat", "xpt"])
def test_what_is_no_such_file_is_told(end: str, tmp_path: Path) -> None:
    (tmp_path / f"a.{end}").write_bytes(b"PK\x03\x04 no file of this kind" * 40)
    with pytest.raises(InputError, match=rf"a\.{end}: this is not a whole"):
        read_table(tmp_path / f"a.{end}")


@pytest.mark.parametrize(
    ("end", "module", "extra"), [("xlsx", "fastexcel", "excel"), ("sav", "pyreadstat", "statistics")]
)
def test_without_the_extra_its_name_is_told(
    end: str, module: str, extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(tmp_path, end)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(InputError, match=rf"pip install 'tacit\[{extra}\]'"):
        read_table(file)


def test_names_and_texts_that_do_not_fit_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"column '1\.age': a \.sav file has no column of this name"):
        write_table(pa.table({"1.age": ["x"]}), tmp_path / "a.sav", format_named("sav"))
    with pytest.raises(InputError, match="longer than the 2,045 bytes"):
        write_table(pa.table({"a": ["x" * 3000]}), tmp_path / "a.dta", format_named("dta"))


def bomb(path: Path, size: int) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("xl/sheet.xml", "w") as part:
        for _ in range(size >> 20):
            part.write(bytes(1 << 20))
    return path


def test_archives_that_become_immense_or_lie_are_refused(tmp_path: Path) -> None:
    file = bomb(tmp_path / "a.xlsx", 40 << 20)
    with pytest.raises(InputError, match="unpacked, the file is too large"):
        read_table(file)
    lies = bytearray(bomb(tmp_path / "b.xlsx", 8 << 20).read_bytes())
    at = lies.rfind(b"PK\x01\x02") + 24
    lies[at : at + 4] = (10).to_bytes(4, "little")
    (tmp_path / "b.xlsx").write_bytes(lies)
    with pytest.raises(InputError, match="not a whole workbook"):
        read_table(tmp_path / "b.xlsx")


def test_a_sheet_that_another_program_wrote_is_read(tmp_path: Path) -> None:
    """By odfpy: an empty cell is no value, a day is written as everywhere."""
    read = read_table(Path(__file__).parent / "files" / "people.ods")
    assert read.column_names == ["name", "age", "town", "seen", "paid"] and read.num_rows == 24
    assert read.slice(5, 1).to_pylist() == [
        {"name": "person 5", "age": "21", "town": "St. Pölten", "seen": "2024-01-06", "paid": ""}
    ]
