"""Several tables in one job: persons with what other tables hold of them."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import pyarrow as pa
import pytest
import xlsxwriter

from support.commands import tacit, write_job
from tacit.errors import InputError
from tacit.job import Input, Join, read_job
from tacit.job import write_job as as_toml
from tacit.job.joins import joined
from tacit.job.sources import read_source

JOB = """
[input]
source = {source}
[[input.join]]
{diagnoses}
key = "pid"
on = "patient"
items = "code"
name = "diagnoses"
[[input.join]]
{incomes}
key = "pid"
columns = ["income"]
[columns.pid]
role = "identifier"
[columns.age]
role = "quasi"
type = "number"
[columns.income]
role = "sensitive"
[columns.diagnoses]
role = "items"
separator = " "
[privacy]
model = "k-km"
k = 2
m = 2
[method]
seed = 1
"""


def tables(count: int = 60) -> dict[str, list[tuple[object, ...]]]:
    draw = random.Random(7)
    persons = [(each, 20 + each % 5) for each in range(count)]
    rows = [(draw.randrange(count), draw.choice(["I10", "E11", "J18"])) for _ in range(3 * count)]
    return {
        "persons(pid, age)": persons,
        "diagnoses(patient, code)": [*rows, (count + 5, "Z99"), (3, None)],
        "incomes(pid, income)": [(each, 1000 + 100 * (each % 4)) for each in range(1, count)],
    }


def wanted() -> dict[int, set[str]]:
    return {
        person: {str(code) for whose, code in tables()["diagnoses(patient, code)"] if whose == person and code}
        for person, _ in tables()["persons(pid, age)"]
    }


def files(folder: Path) -> Path:
    for name, rows in tables().items():
        title, columns = name.rstrip(")").split("(")
        lines = [columns.replace(" ", ""), *(",".join("" if x is None else str(x) for x in row) for row in rows)]
        (folder / f"{title}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    parts = {each: f'source = "{each}.csv"' for each in ("diagnoses", "incomes")}
    return write_job(folder, JOB.format(source='"persons.csv"', **parts))


def database(folder: Path) -> Path:
    with sqlite3.connect(folder / "a.db") as connection:
        for name, rows in tables().items():
            connection.execute(f"create table {name}")
            connection.executemany(f"insert into {name.split('(')[0]} values (?, ?)", rows)
    connection.close()
    parts = {each: f'table = "{each}"' for each in ("diagnoses", "incomes")}
    return write_job(folder, JOB.format(source='"sqlite:///a.db"\ntable = "persons"', **parts))


def workbook(folder: Path) -> Path:
    book = xlsxwriter.Workbook(folder / "a.xlsx")
    for name, rows in tables().items():
        title, columns = name.rstrip(")").split("(")
        sheet = book.add_worksheet(title)
        for at, row in enumerate([columns.split(", "), *rows]):
            sheet.write_row(at, 0, row)
    book.close()
    parts = {each: f'table = "{each}"' for each in ("diagnoses", "incomes")}
    return write_job(folder, JOB.format(source='"a.xlsx"', **parts) + '[output]\nformat = "csv"\n')


@pytest.mark.parametrize("kind", [files, database, workbook])
def test_tables_are_joined_anonymized_audited_and_attacked(kind: object, tmp_path: Path) -> None:
    path = kind(tmp_path)  # type: ignore[operator]
    job = read_job(path)
    table, _, notes = read_source(job)
    read = {int(row["pid"]): row for row in table.to_pylist()}
    assert {person: set(row["diagnoses"]) for person, row in read.items()} == wanted()
    assert all(len(set(row["diagnoses"])) == len(row["diagnoses"]) for row in read.values())
    assert (read[0]["income"], int(read[5]["income"])) == (None, 1100)
    assert "1 rows that were to be joined (diagnoses) belong to nobody in the data, and were left out" in notes
    assert "1 persons have no income" in notes
    (tmp_path / "copy.toml").write_text(as_toml(job), encoding="utf-8")
    assert read_job(tmp_path / "copy.toml").input == job.input
    ended = tacit("anonymize", path, "--no-report", "--no-attack")
    assert ended.code == 0, ended.err
    assert "belong to nobody" in ended.out + ended.err
    published = tmp_path / "out" / "public" / "data.csv"
    assert tacit("audit", path, published, "--original").code == 0
    assert tacit("attack", path, "--release", tmp_path / "out").code == 0


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (files, ("persons.csv", "--join", "diagnoses.csv,pid=patient,code")),
        (database, ("sqlite:///a.db", "--table", "persons", "--join", "diagnoses,pid=patient,code")),
        (workbook, ("a.xlsx", "--join", "diagnoses,pid=patient,code")),
    ],
)
def test_init_joins(make: object, words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path)  # type: ignore[operator]
    monkeypatch.chdir(tmp_path)
    ended = tacit("init", *words, "-o", "new.toml")
    assert ended.code == 0, ended.err
    job = read_job(tmp_path / "new.toml")
    assert [column.role for column in job.columns if column.name == "code"] == ["items"]
    assert [set(each) for each in read_source(job).table["code"].to_pylist()] == list(wanted().values())
    assert tacit("init", *words[:-1], "diagnoses", "-o", "other.toml").code == 2


def test_sheets_that_are_not_read_are_told(tmp_path: Path) -> None:
    workbook(tmp_path)
    ended = tacit("init", tmp_path / "a.xlsx", "--join", "diagnoses,pid=patient,code", "-o", tmp_path / "new.toml")
    assert "sheets that were not read: incomes (" in ended.out
    assert "a.xlsx" in (tmp_path / "new.toml").read_text("utf-8")
    (tmp_path / "b.toml").write_text((tmp_path / "new.toml").read_text("utf-8").replace("diagnoses", "visits"), "utf-8")
    refused = tacit("anonymize", tmp_path / "b.toml")
    assert refused.code == 2
    assert "there is no sheet 'visits'" in refused.err


def test_what_cannot_be_joined_is_told() -> None:
    persons, given = pa.table({"pid": [1, 2], "age": [3, 4]}), Input(Path("persons.csv"))
    other = pa.table({"pid": [1, 1], "code": ["a", "b"]})
    with pytest.raises(InputError, match="column 'who': the data has no such column to join by"):
        joined(persons, other, Join("who", Path("b.csv"), items="code"), given)
    with pytest.raises(InputError, match="column 'age': the persons' table has a column of this name"):
        joined(persons, other, Join("pid", Path("b.csv"), items="code", name="age"), given)
    with pytest.raises(InputError, match="several rows in the table that is joined"):
        joined(persons, other, Join("pid", Path("b.csv"), columns=("code",)), given)
    twice = pa.table({"pid": [1, 1]})
    with pytest.raises(InputError, match=r"persons\.csv, column 'pid': persons have several rows"):
        joined(twice, other, Join("pid", Path("b.csv"), items="code"), given)
    nobody = pa.table({"pid": pa.array([1, None])})
    with pytest.raises(InputError, match="1 rows have no key"):
        joined(nobody, other, Join("pid", Path("b.csv"), items="code"), given)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('key = "pid"\non', "on", "an input.join has no key"),
        ('items = "code"\n', "", "an input.join needs items or columns"),
        ('source = "diagnoses.csv"\n', "", "an input.join has no source"),
        ('source = "diagnoses.csv"\n', 'source = "diagnoses.csv"\ntable = "a"\n', "it is a file"),
        ('on = "patient"', 'onn = "patient"', "not a key of a job file"),
        ('"persons.csv"\n', '"persons.csv"\nlayout = "long"\n', "for a table with one row per person"),
    ],
)
def test_mistakes_in_the_job_are_told(old: str, new: str, problem: str, tmp_path: Path) -> None:
    path = files(tmp_path)
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError, match=problem):
        read_job(path)


@pytest.mark.parametrize("table", ["persons", "Diagnoses", "main.incomes"])
def test_no_table_is_replaced_that_the_release_is_made_from(table: str, tmp_path: Path) -> None:
    path = database(tmp_path)
    asked = path.read_text().replace('table = "incomes"', 'query = "select * from incomes"')
    here = tmp_path / "." / "a.db"
    path.write_text(f'{asked}[output]\ndatabase = "sqlite:///{here}"\ntable = "{table}"\nformat = "csv"\n')
    ended = tacit("anonymize", path, "--no-report", "--no-attack", "--force")
    assert ended.code == 2
    assert f"the table {table!r} is read, so it is not replaced" in ended.err
    with sqlite3.connect(tmp_path / "a.db") as connection:
        columns = {name.split("(")[0]: len(rows) for name, rows in tables().items()}
        for name, count in columns.items():
            assert connection.execute(f"select count(*) from {name}").fetchone() == (count,)
    connection.close()
    assert not (tmp_path / "out").exists()
