"""`tacit init` on a database, on files without a header, and on data that need a decision first."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from support.commands import tacit, write_csv
from tacit.job import read_job


def clinic(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "k.db")) as database:
        database.execute("create table visits (name text, age integer, town text, disease text)")
        database.execute("create table staff (name text)")
        rows = [(f"Name{i}", 20 + i % 40, f"Town {i % 4}", ("flu", "gout", "mumps")[i % 3]) for i in range(80)]
        database.executemany("insert into visits values (?, ?, ?, ?)", rows)
        database.commit()


def test_a_table_of_a_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clinic(tmp_path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    ended = tacit("init", "sqlite:///k.db", "--table", "visits", "-o", "elsewhere/job.toml", "--json")
    assert ended.code == 0, ended.err
    assert ended.json()["roles"] == {"name": "identifier", "age": "quasi", "town": "quasi", "disease": "sensitive"}
    assert read_job(tmp_path / "elsewhere/job.toml").input.table == "visits"
    monkeypatch.chdir("/")
    assert tacit("anonymize", tmp_path / "elsewhere/job.toml", "--no-report").code == 0


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (["sqlite:///k.db"], "a table is needed, and none is named|There are: staff, visits."),
        (["sqlite:///k.db", "--table", "visit"], "there is no table 'visit'|There are: staff, visits."),
        (["sqlite:///no.db", "--table", "visits"], "no.db: there is no such file"),
        (["in.csv", "--table", "visits"], "in.csv: --table is for a database"),
        (["in.csv", "--hierarchy", "h.csv", "--kind", "records"], "--hierarchy is for baskets"),
    ],
)
def test_bad_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], wanted: str) -> None:
    clinic(tmp_path)
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "in.csv", [{"town": f"T{i % 3}", "age": str(i)} for i in range(20)])
    ended = tacit("init", *arguments)
    assert (ended.code, ended.out) == (2, "")
    for text in wanted.split("|"):
        assert text in ended.err
    assert not (tmp_path / "job.toml").exists()


def test_a_file_without_a_header_shows_no_record(tmp_path: Path) -> None:
    lines = [f"Name{i},{20 + i % 9},1985-03-{1 + i % 28:02},x" for i in range(40)]
    (tmp_path / "in.csv").write_text("\n".join(lines) + "\n")
    ended = tacit("init", tmp_path / "in.csv", "-o", tmp_path / "job.toml")
    assert (ended.code, ended.out) == (2, "")
    assert "in.csv, line 1: the first line looks like a record" in ended.err
    assert "Name0" not in ended.err
    (tmp_path / "in.csv").write_text("\n".join(["1,2,3,4", *lines]) + "\n")
    assert tacit("init", tmp_path / "in.csv", "-o", tmp_path / "job.toml").code == 0, "columns that are counted"


@pytest.mark.parametrize("first", ["31,m,Bonn,flu", "Fischer Björn,m,Ulm,cold", "x1,m,Kiel,flu"])
def test_a_record_is_told_by_words_that_come_back(tmp_path: Path, first: str) -> None:
    lines = [f"{20 + i % 9},{'mf'[i % 2]},{['Bonn', 'Ulm', 'Kiel'][i % 3]},{['flu', 'cold'][i % 2]}" for i in range(40)]
    (tmp_path / "in.csv").write_text("\n".join([first, *lines]) + "\n", encoding="utf-8")
    ended = tacit("init", tmp_path / "in.csv", "-o", tmp_path / "job.toml")
    assert (ended.code, ended.out) == (2, "") and "looks like a record" in ended.err
    assert not any(value in ended.err for value in first.split(",")[2:])
    (tmp_path / "in.csv").write_text("\n".join(["age,sex,town,flu", *lines]) + "\n", encoding="utf-8")
    assert tacit("init", tmp_path / "in.csv", "-o", tmp_path / "job.toml").code == 0, "one name may be a value, too"


def test_what_must_be_decided_first(tmp_path: Path) -> None:
    write_csv(tmp_path / "in.csv", [{"name": f"N{i}", "comment": f"a long text no {i} about it"} for i in range(30)])
    ended = tacit("init", tmp_path / "in.csv", "-o", tmp_path / "job.toml")
    assert ended.code == 0
    assert "to decide first: no column is known to be published" in ended.out
    assert "next:" not in ended.out
    assert "# To decide first: no column" in (tmp_path / "job.toml").read_text()


@pytest.mark.parametrize(
    "file",
    {
        "boxes.csv": "age,Email,Phone,Fax\n" + "31,Email,,\n42,,Phone,Fax\n" * 20,
        "items.dat": "items bread\n" + "milk\nbread milk\n" * 20,
        "behind.csv": "age,sex,ill\n" + ("31,m,flu\n42,f,cold\n" * 20 + "age,sex,ill\n") * 2,
        "texts.csv": "sex,ill\n" + ("m,flu\nf,cold\n" * 20 + "sex,ill\n") * 2,
        "letters.csv": "zzq,age\n" + "".join(f"{letter},{i % 9}\n" for i, letter in enumerate("abcdefgß" * 5)),
    }.items(),
    ids=lambda file: file[0],
)
def test_names_that_stand_among_the_values_may_be_names(tmp_path: Path, file: tuple[str, str]) -> None:
    """Boxes that were ticked, baskets without a header, files that were put behind each other."""
    (tmp_path / file[0]).write_text(file[1], encoding="utf-8")
    ended = tacit("init", tmp_path / file[0], "-o", tmp_path / "job.toml")
    assert ended.code == 0, ended.err
