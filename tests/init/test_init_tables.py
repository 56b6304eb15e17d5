"""`tacit init` on records, slices and ratings: the job file it writes runs unchanged."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from support.commands import read_csv, tacit, write_csv
from tacit.init import write_first_job
from tacit.job import read_job


def patients(count: int = 60) -> list[dict[str, str]]:
    rng = np.random.default_rng(5)
    return [
        {
            "patient_id": str(1000 + 7 * i),
            "surname": f"Name{i}",
            "age": str(rng.integers(20, 90)),
            "town": f"Town {rng.integers(0, 20):02}",
            "sex": str(rng.choice(["f", "m"])),
            "disease": str(rng.choice(["flu", "gout", "mumps", "?"])),
            "drugs": ";".join(f"drug{j}" for j in np.flatnonzero(rng.random(6) < 0.4)),
        }
        for i in range(count)
    ]


def survey(count: int = 40) -> list[dict[str, str]]:
    rng = np.random.default_rng(6)
    return [{"town": f"T{i % 3}"} | {f"q{j}": str(rng.integers(1, 6)) for j in range(6)} for i in range(count)]


def first_job(folder: Path, data: Path, *options: object) -> dict[str, object]:
    made = tacit("init", data, "-o", folder / "jobs/first.toml", "--json", *options)
    assert made.code == 0, made.err
    ended = tacit("anonymize", folder / "jobs/first.toml", "--no-report", "--json")
    assert (ended.code, ended.json()["audit"]["satisfied"]) == (0, True), ended.err
    return made.json()


def test_records(tmp_path: Path) -> None:
    rows = [{name: value for name, value in row.items() if name != "drugs"} for row in patients()]
    write_csv(tmp_path / "patients.csv", rows)
    found = first_job(tmp_path, tmp_path / "patients.csv")
    assert found["kind"] == "records"
    assert found["roles"] == {"patient_id": "identifier", "surname": "identifier", "age": "quasi", "town": "quasi",
                              "sex": "quasi", "disease": "sensitive"}  # fmt: skip
    job = read_job(tmp_path / "jobs/first.toml")
    assert (job.promise.name, job.promise.l, job.input.missing) == ("l", 2, ("", "?"))
    assert [column.name for column in job.columns if column.hierarchy] == ["town"]
    assert set(read_csv(tmp_path / "jobs/out/public/data.csv")[0]) == {"age", "town", "sex", "disease"}


def test_people_are_counted_where_they_have_several_rows(tmp_path: Path) -> None:
    rows = [
        {
            "patient_id": f"P{1000 + i // 2}",
            "at": f"{7 + i % 12}:{i % 60:02d}",
            "age": 20 + i % 9,
            "disease": ["flu", "gout", "cold"][i % 3],
        }
        for i in range(80)
    ]
    write_csv(tmp_path / "visits.csv", rows)
    found = first_job(tmp_path, tmp_path / "visits.csv")
    assert found["roles"] == {"patient_id": "person", "at": "quasi", "age": "quasi", "disease": "sensitive"}
    assert {"7:00", "7-8 h", "6-12 h"} <= set(
        (tmp_path / "jobs/first-at.csv").read_text("utf-8").replace("\n", ",").split(",")
    )


def order_lines(count: int = 60) -> list[dict[str, object]]:
    rng = np.random.default_rng(7)
    return [
        {
            "InvoiceNo": 536_365 + order,
            "StockCode": 20_000 + int(item),
            "Description": f"RED {['MUG', 'PLATE', 'BAG'][item % 3]} No {item}",
            "Quantity": int(rng.integers(1, 30)),
            "InvoiceDate": f"2011-03-{1 + order % 28:02d}",
            "UnitPrice": f"{rng.integers(1, 20)}.{rng.integers(10, 99)}",
            "CustomerID": 12_346 + order // 2,
            "Country": "France" if order % 9 == 0 else "United Kingdom",
        }
        for order in range(count)
        for item in rng.choice(12, size=5, replace=False)
    ]


def test_lines_of_orders_are_baskets_of_customers(tmp_path: Path) -> None:
    write_csv(tmp_path / "orders.csv", order_lines())
    found = first_job(tmp_path, tmp_path / "orders.csv")
    roles = {name: role for name, role in found["roles"].items() if role != "identifier"}
    assert (found["kind"], roles) == ("baskets", {"CustomerID": "person", "StockCode": "items"})
    assert set(read_csv(tmp_path / "jobs/out/public/data.csv")[0]) == {"CustomerID", "StockCode"}


def test_orders_are_baskets_where_some_lines_name_no_customer(tmp_path: Path) -> None:
    rows = order_lines()
    write_csv(tmp_path / "orders.csv", [{**rows[0], "CustomerID": ""}, *rows[1:]])
    assert first_job(tmp_path, tmp_path / "orders.csv")["roles"]["InvoiceNo"] == "person"


def test_lines_that_tell_of_a_person_are_records(tmp_path: Path) -> None:
    write_csv(tmp_path / "claims.csv", [{**row, "birth_year": 1950 + i % 7} for i, row in enumerate(order_lines())])
    assert write_first_job(str(tmp_path / "claims.csv"), tmp_path / "job.toml")["kind"] == "records"


def test_records_with_categories_of_parquet(tmp_path: Path) -> None:
    rows = [{name: value for name, value in row.items() if name != "drugs"} for row in patients()]
    table = pa.Table.from_pylist(rows)
    town = table.column_names.index("town")
    pq.write_table(table.set_column(town, "town", table["town"].dictionary_encode()), tmp_path / "patients.parquet")
    assert first_job(tmp_path, tmp_path / "patients.parquet")["kind"] == "records"
    ended = tacit("hierarchy", "build", tmp_path / "patients.parquet", "-o", tmp_path / "h.csv", "--column", "town")
    assert ended.code == 0, ended.err


def test_records_with_baskets(tmp_path: Path) -> None:
    write_csv(tmp_path / "patients.csv", patients())
    found = first_job(tmp_path, tmp_path / "patients.csv", "--kind", "records")
    assert found["roles"]["drugs"] == "items"
    assert read_job(tmp_path / "jobs/first.toml").promise.name == "k-km"


def test_slices(tmp_path: Path) -> None:
    rows = [{name: value for name, value in row.items() if name != "drugs"} for row in patients()]
    write_csv(tmp_path / "patients.csv", rows)
    assert first_job(tmp_path, tmp_path / "patients.csv", "--kind", "slices")["kind"] == "slices"
    assert read_job(tmp_path / "jobs/first.toml").promise.name == "sliced-l"


def test_a_survey(tmp_path: Path) -> None:
    write_csv(tmp_path / "survey.csv", survey())
    found = first_job(tmp_path, tmp_path / "survey.csv")
    assert found["kind"] == "ratings"
    job = read_job(tmp_path / "jobs/first.toml")
    assert next((column.name, column.scale, column.step) for column in job.columns) == ("q0", (1, 5), 1)
    assert "town" not in found["roles"], "the promise would not protect it"


def test_a_log_of_ratings(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    rows = [
        {"userId": str(person), "movieId": f"m{movie}", "rating": str(rng.integers(1, 11) / 2), "timestamp": "99"}
        for person in range(12)
        for movie in np.flatnonzero(rng.random(8) < 0.7)
    ]
    write_csv(tmp_path / "log.csv", rows)
    found = first_job(tmp_path, tmp_path / "log.csv")
    assert found["roles"] == {"userId": "person", "movieId": "items", "rating": "rating"}
    assert list(read_csv(tmp_path / "jobs/out/public/data.csv")[0]) == ["userId", "movieId", "rating"]


def rating_log(names: tuple[str, str, str, str], *, by_person: bool = True) -> list[dict[str, str]]:
    """A log whose columns, in this order, are person, movie, rating and a time."""
    rng = np.random.default_rng(8)
    pairs = [(person, movie) for person in range(30) for movie in range(9) if rng.random() < 0.6]
    if not by_person:
        pairs.sort(key=lambda pair: pair[1])
    return [
        dict(zip(names, (f"p{p}", f"m{m}", str(rng.integers(1, 6)), str(10**9 + n // 3)), strict=True))
        for n, (p, m) in enumerate(pairs)
    ]


@pytest.mark.parametrize("names", [("who", "movie", "stars", "ts"), ("reviewer", "asin", "score", "reviewTime")])
@pytest.mark.parametrize("by_person", [True, False])
def test_a_log_with_other_names(tmp_path: Path, names: tuple[str, str, str, str], by_person: bool) -> None:
    rows = [dict(sorted(row.items())) for row in rating_log(names, by_person=by_person)]
    write_csv(tmp_path / "log.csv", rows)
    found = first_job(tmp_path, tmp_path / "log.csv")
    assert found["kind"] == "ratings"
    assert found["roles"] == dict(zip(names, ("person", "items", "rating"), strict=False))
    assert f'# Not published, because not listed: "{names[3]}"' in (tmp_path / "jobs/first.toml").read_text()
    assert names[3] not in read_csv(tmp_path / "jobs/out/public/data.csv")[0]


def test_a_log_without_telling_names_is_told_by_its_values(tmp_path: Path) -> None:
    write_csv(tmp_path / "log.csv", rating_log(("a", "b", "c", "time")))
    found = first_job(tmp_path, tmp_path / "log.csv", "--kind", "ratings")
    assert found["roles"] == {"a": "person", "b": "items", "c": "rating"}


def test_a_table_with_a_grade_is_no_log_of_ratings(tmp_path: Path) -> None:
    rows = [{"town": f"T{i % 7}", "age": str(20 + i * 7 % 50), "grade": str(1 + i % 5)} for i in range(60)]
    write_csv(tmp_path / "pupils.csv", rows)
    assert first_job(tmp_path, tmp_path / "pupils.csv")["kind"] == "records"


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        ("ratings", "no columns look like ratings"),
        ("slices", "no column looks like one with the role 'sensitive'"),
        ("tables", "'tables' is no kind of data"),
    ],
)
def test_data_of_another_kind(tmp_path: Path, kind: str, wanted: str) -> None:
    write_csv(
        tmp_path / "towns.csv", [{"town": f"T{i % 4}", "customer": f"C{i % 9}", "item": f"i{i}"} for i in range(30)]
    )
    ended = tacit("init", tmp_path / "towns.csv", "-o", tmp_path / "job.toml", "--kind", kind)
    assert ended.code == 2
    assert wanted in ended.err
    assert not (tmp_path / "job.toml").exists()


def test_columns_of_bytes_are_left_out_with_the_reason(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "k.db") as connection:
        connection.execute("create table people (age int, town text, photo blob)")
        rows = [
            (20 + number % 40, ("Graz", "Linz")[number % 2], None if number < 3 else b"\xff") for number in range(60)
        ]
        connection.executemany("insert into people values (?, ?, ?)", rows)
    connection.close()
    found = write_first_job(f"sqlite:///{tmp_path / 'k.db'}", tmp_path / "job.toml", table="people")
    assert found["reasons"]["photo"] == "it holds bytes, not text" and "photo" not in found["roles"]
    text = (tmp_path / "job.toml").read_text("utf-8")
    assert "# left out, for they hold bytes: photo" in text
    assert [column.name for column in read_job(tmp_path / "job.toml").columns] == ["age", "town"]
