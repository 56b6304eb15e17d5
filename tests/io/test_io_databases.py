"""Databases, on SQLite: batches, types, and errors without data or passwords."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import date
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest

from tacit.errors import InputError
from tacit.io import databases, is_database_url, read_query
from tacit.io.database_values import one_type, to_arrow


@pytest.fixture
def url(tmp_path: Path) -> str:
    with closing(sqlite3.connect(tmp_path / "shop.db")) as connection, connection:
        connection.execute("create table visits (id integer, name text, score real, mixed)")
        rows = [(n, f"n{n}" if n else None, n / 2, n if n < 3 else "Zaphod") for n in range(7)]
        connection.executemany("insert into visits values (?, ?, ?, ?)", rows)
        connection.execute("create table bare (id integer)")
    return f"sqlite:///{tmp_path / 'shop.db'}"


def failure(*args: str, **options: object) -> InputError:
    with pytest.raises(InputError) as caught:
        read_query(*args, **options)  # type: ignore[arg-type]
    assert "Zaphod" not in str(caught.value) and "s3cret" not in str(caught.value)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return caught.value


@pytest.mark.parametrize("at_once", [2, 100])
def test_batches_come_together_under_one_type(url: str, at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(databases, "_ROWS_AT_ONCE", at_once)
    table = read_query(url, table="visits")
    assert table.schema.types == [pa.int64(), pa.string(), pa.float64(), pa.string()]
    assert table["name"].to_pylist() == [None, "n1", "n2", "n3", "n4", "n5", "n6"]
    assert table["mixed"].to_pylist() == ["0", "1", "2", *["Zaphod"] * 4]


def test_a_query(url: str) -> None:
    table = read_query(url, query="select name, id * 2 as twice from visits where id > 4 order by id")
    assert table.to_pydict() == {"name": ["n5", "n6"], "twice": [10, 12]}


def test_a_relative_path_starts_at_the_given_folder(url: str, tmp_path: Path) -> None:
    assert read_query("sqlite:///shop.db", table="visits", folder=tmp_path).num_rows == 7


def test_values_that_arrow_knows_keep_their_type() -> None:
    assert to_arrow((Decimal("1.10"), None)).to_pylist() == [Decimal("1.10"), None]
    assert to_arrow((date(2024, 2, 29),)).type == pa.date32()
    decimals = [pa.array([Decimal("1.1")]), pa.array([None]), pa.array([Decimal("10.25")])]
    assert one_type(decimals).to_pylist() == [Decimal("1.10"), None, Decimal("10.25")]


def test_what_is_wrong_is_said(url: str, tmp_path: Path) -> None:
    assert "either a query or a table" in failure(url).problem
    assert "either a query or a table" in failure(url, query="select 1", table="visits").problem
    error = failure(url, table="vists")
    assert "no table 'vists'" in error.problem and "bare, visits" in str(error.hint)
    assert "did not run the query" in failure(url, query="select Zaphod from visits").problem
    assert "no record" in failure(url, table="bare").problem
    assert read_query(url, query="select id, id from visits").column_names == ["id", "id (2)"]
    assert "no such file" in failure(f"sqlite:///{tmp_path}/none.db", table="visits").problem
    assert not (tmp_path / "none.db").exists()


def test_urls_that_lead_nowhere() -> None:
    assert "cannot be understood" in failure("postgresql://u:s3cret@host:port/db", table="t").problem
    assert "three strokes" in (failure("sqlite://shop.db", table="t").hint or "")
    for options in ("timeout=soon", "cached_statements=x"):
        assert "cannot be understood" in failure(f"sqlite://?{options}", table="t").problem
    assert "'oracular'" in failure("oracular://u:s3cret@host/db", table="t").problem


@pytest.mark.parametrize(("name", "extra"), [("postgresql", "postgresql"), ("mysql", "mysql"), ("mariadb", "mysql")])
def test_a_missing_driver_names_the_extra(name: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("psycopg", "pymysql"):
        monkeypatch.setitem(__import__("sys").modules, module, None)
    error = failure(f"{name}://u:s3cret@localhost/db", table="t")
    assert "driver" in error.problem and f"tacit[{extra}]" in str(error.hint)


def test_no_connection(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("this is no database, Zaphod" * 100)
    assert failure(f"sqlite:///{tmp_path / 'text.db'}", table="t").problem.startswith(("no conn", "the database"))


def test_a_damaged_name_of_a_column(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "shop.db")) as database, database:
        database.execute('create table shop ("Zaphod" text)')
        database.execute("insert into shop values ('x')")
    file = tmp_path / "shop.db"
    file.write_bytes(file.read_bytes().replace(b'"Zaphod"', b'"Zaph\xffd"'))
    error = failure(f"sqlite:///{file}", query="select * from shop")
    assert error.problem == "a name in the database is no text"


def test_what_is_a_database_url() -> None:
    assert is_database_url("mysql+pymysql://host/db")
    assert not is_database_url("data/visits.csv")
    assert not is_database_url("C:\\data\\visits.csv")


@pytest.mark.parametrize(
    "query",
    [
        "drop table visits",
        "select 1; drop table visits",
        "-- harmless\n delete from visits",
        "/* ; */ with x as (select 1) insert into visits select 1, 2, 3, 4",
        "vacuum into 'copy.db'",
        "attach 'new.db' as new",
        "select * into copy from visits",
        "",
        ";",
    ],
)
def test_nothing_is_changed(url: str, tmp_path: Path, query: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    before = (tmp_path / "shop.db").read_bytes()
    with pytest.raises(InputError):
        read_query(url, query=query)
    assert (tmp_path / "shop.db").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["shop.db"]


@pytest.mark.parametrize(
    "query",
    [
        "select ';' as a -- a comment; with a semicolon",
        "SELECT 'it''s; :this %s 50%' as a;\n",
        "(select 1 as a)",
        "/* first */ with x as (select 1 as a) select a from x;",
        "values (1)",
    ],
)
def test_one_statement_that_reads(url: str, query: str) -> None:
    if query.startswith("("):  # SQLite takes no brackets there, and that is for SQLite to say
        assert "did not run the query" in failure(url, query=query).problem
    else:
        assert read_query(url, query=query).num_rows == 1


def test_the_connection_itself_cannot_write(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(databases, "checked", lambda query, source: query)
    assert "did not run the query" in failure(url, query="drop table visits").problem


def test_only_wanted_columns_are_read(url: str) -> None:
    assert read_query(url, table="visits", wanted={"name", "id"}).column_names == ["id", "name"]
    twice = "select id, id, x'ff' as photo, name from visits"
    assert read_query(url, query=twice, wanted={"name"}).column_names == ["name"]
    assert failure(url, query=twice, wanted={"photo"}).column == "photo"
    error = failure(url, table="visits", wanted={"nme", "id"})
    assert (error.column, error.hint) == ("nme", "It has: 'id', 'name', 'score', 'mixed'.")


def test_a_path_with_signs_that_mean_something_in_an_address(url: str, tmp_path: Path) -> None:
    (tmp_path / "shop.db").rename(tmp_path / "50% of?it#1 ö.db")
    assert read_query(f"sqlite:///{tmp_path}/50% of?it#1 ö.db".replace("?", "%3F"), table="visits").num_rows == 7


def test_a_file_with_a_log_is_read_without_making_one(tmp_path: Path) -> None:
    """SQLite makes two files beside one that is in the mode WAL, even to read it."""
    file = tmp_path / "kept.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("pragma journal_mode = wal")
        connection.execute("create table visits (age integer)")
        connection.execute("insert into visits values (31)")
        connection.commit()
    assert [path.name for path in tmp_path.iterdir()] == ["kept.db"]
    assert read_query(f"sqlite:///{file}", query="select age from visits")["age"].to_pylist() == [31]
    assert [path.name for path in tmp_path.iterdir()] == ["kept.db"]
    with closing(sqlite3.connect(file)) as writer:
        writer.execute("insert into visits values (47)")
        writer.commit()
        assert read_query(f"sqlite:///{file}", query="select age from visits")["age"].to_pylist() == [31, 47]
