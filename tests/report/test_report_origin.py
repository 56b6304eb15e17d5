"""What a report says of how a release was made: what was read, by which command, and nothing secret."""

from __future__ import annotations

import hashlib
import re
import sqlite3
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from test_report_page import Tags

import tacit as package
from support.commands import JOB, make_shop, shop_rows, tacit, write_csv
from tacit import flow
from tacit.baskets import kind as baskets
from tacit.errors import InputError
from tacit.io import format_named, read_query, sha256_as_written, shown_url, write_table
from tacit.io.fingerprint import hashed_while_read, table_sha256

SHOP = pa.table({"basket": [["beer"], ["wine"], ["milk"], ["milk"], ["beer", "milk"], ["beer", "milk"]]})


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def page_of(folder: Path) -> str:
    return Tags((folder / "private/report.html").read_text(encoding="utf-8")).text


def test_the_hash_is_of_the_bytes_that_were_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody writes to the input while the release is searched for."""
    job = make_shop(tmp_path)
    read, search = sha256(tmp_path / "shop.csv"), flow.recoded

    def meanwhile(*arguments: object, **named: object) -> package.Release:
        write_csv(tmp_path / "shop.csv", shop_rows()[:3])
        return search(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(flow, "recoded", meanwhile)
    assert tacit("anonymize", job).code == 0
    assert f"SHA-256 of the input{read}" in page_of(tmp_path / "out")
    assert sha256(tmp_path / "shop.csv") not in page_of(tmp_path / "out")


@pytest.mark.parametrize(
    ("what", "module", "reader"), [("shop.csv", flow, "read_source"), ("hierarchy.csv", baskets, "encode")]
)
def test_a_file_that_changes_while_it_is_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, module: ModuleType, reader: str
) -> None:
    job = make_shop(tmp_path)
    read: Callable[..., object] = getattr(module, reader)

    def meanwhile(*arguments: object) -> object:
        done = read(*arguments)
        with (tmp_path / what).open("a") as file:
            file.write("\n")
        return done

    monkeypatch.setattr(module, reader, meanwhile)
    ended = tacit("anonymize", job)
    assert (ended.code, ended.out) == (2, "")
    assert f"{tmp_path / what}: the file changed while it was read" in ended.err
    assert not (tmp_path / "out").exists()


def test_a_pipe_is_not_read_twice(tmp_path: Path) -> None:
    with hashed_while_read({"input": Path("/dev/null"), "none": tmp_path / "none"}) as found:
        pass
    assert found == {}


def test_the_hash_of_a_table_is_that_of_its_values() -> None:
    values = [["a"], [], None, ["b", "c"]] * 50_000
    whole = pa.table({"x": values, "y": pa.array(range(200_000))})
    parts = pa.concat_tables([whole.slice(0, 7), whole.slice(7)]).replace_schema_metadata({"from": "elsewhere"})
    assert parts["x"].num_chunks == 2
    assert table_sha256(parts) == table_sha256(whole)
    assert table_sha256(whole.slice(1)) != table_sha256(whole)
    assert table_sha256(whole.set_column(1, "y", pa.array([*range(199_999), 0]))) != table_sha256(whole)


@pytest.mark.parametrize("into", [lambda t: t, pa.Table.to_pandas, pl.from_arrow], ids=["arrow", "pandas", "polars"])
def test_a_release_of_a_frame_has_the_hashes_of_both_ends(into: Callable[[pa.Table], object], tmp_path: Path) -> None:
    release = package.anonymize(into(SHOP), package.KmAnonymity(k=2, m=2), items="basket", seed=1)
    text = Tags(release.report(tmp_path / "report.html").read_text(encoding="utf-8")).text
    release.save(tmp_path / "out")
    for page in (text, page_of(tmp_path / "out")):
        assert f"SHA-256 of the data file{sha256(tmp_path / 'out/public/data.parquet')}" in page
        assert f"SHA-256 of the frame as Arrow{release.made_from['frame as Arrow']}" in page
    other = package.anonymize(into(SHOP.slice(1)), package.KmAnonymity(k=1, m=1), items="basket", seed=1)
    assert other.made_from != release.made_from


@pytest.mark.parametrize("name", ["csv", "csv.gz", "parquet", "feather", "tsv"])
def test_the_hash_of_a_file_that_is_not_written(name: str, tmp_path: Path) -> None:
    table, made = pa.table({"a": ["x", None, "=y"], "b": [1, 2, 3]}), format_named(name)
    write_table(table, tmp_path / "file", made)
    assert sha256_as_written(table, made) == sha256(tmp_path / "file")


def test_a_database_is_named_with_its_query_and_the_hash_of_its_rows(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "shop.db") as database:
        database.execute("create table visits (name text, basket text, town text)")
        rows = [(row["name"], row["basket"], row["town"]) for row in shop_rows()]
        database.executemany("insert into visits values (?, ?, ?)", rows)
    job, url = make_shop(tmp_path), f"sqlite:///{tmp_path}/shop.db"
    query = "select * from visits order by name"
    job.write_text(JOB.replace('source = "shop.csv"', f'source = "{url}"\nquery = "{query}"'))
    assert tacit("anonymize", job).code == 0
    page = page_of(tmp_path / "out")
    assert f"query{query}" in page
    assert f"SHA-256 of the rows as Arrow{table_sha256(read_query(url, query=query))}" in page
    again = ("--key", tmp_path / "out/private/key", "-o", tmp_path / "again")
    assert tacit("anonymize", tmp_path / "out/private/job.toml", *again).code == 0
    assert (tmp_path / "again/private/report.html").read_bytes() == (tmp_path / "out/private/report.html").read_bytes()

    job.write_text(JOB.replace('source = "shop.csv"', f'source = "{url}"\ntable = "visits"'))
    assert tacit("anonymize", job, "--force").code == 0
    assert "tablevisits" in page_of(tmp_path / "out")


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://me:s3cret@host/shop", "postgresql://host/shop"),
        ("postgresql://me:s3/cret@host:5432/shop", "postgresql://host/shop"),
        ("postgresql://me:a@s3cret@host/shop", "postgresql://host/shop"),
        ("postgresql://me:a@/s3cret@host/shop", "postgresql:///host/shop"),
        ("mysql+pymysql://host/shop?user=me&password=s3cret", "mysql://host/shop"),
        ("mssql+pyodbc:///?odbc_connect=PWD%3Ds3cret", "mssql:///"),
        ("postgresql://me:s3cret@host:no-port/shop", "postgresql://..."),
        ("sqlite:////data/me@home/shop.db", "sqlite:////data/me@home/shop.db"),
    ],
)
def test_no_secret_of_a_database_url_is_shown(url: str, shown: str) -> None:
    assert shown_url(url) == shown
    error = InputError("the data has no such column", file=url, column="town")
    assert str(error) == f"{shown}, column 'town': the data has no such column"


@pytest.mark.filterwarnings("ignore:Query string argument")
def test_a_message_about_data_of_a_database_holds_no_password(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "shop.db") as database:
        database.execute("create table visits (basket text)")
        database.execute("insert into visits values ('beer')")
    source = f'source = "sqlite:///{tmp_path}/shop.db?password=s3cret"\ntable = "visits"'
    ended = tacit("anonymize", make_shop(tmp_path, JOB.replace('source = "shop.csv"', source)))
    assert ended.code == 2
    assert "s3cret" not in ended.err
    assert "column 'name'" in ended.err


def delivered(folder: Path, *options: str) -> str:
    """A first release, and a delivery in next/; gives what the command printed."""
    assert tacit("anonymize", make_shop(folder), "--no-report").code == 0
    new = ["scone milk", "tea", "tea", "vodka"]
    rows = [{"town": f"t{i}", "name": f"n{i}", "basket": basket} for i, basket in enumerate(new)]
    write_csv(folder / "new.csv", rows)
    options = ("--unseen", "suppress", *options)
    ended = tacit("apply", folder / "out", folder / "new.csv", "-o", folder / "next", *options)
    assert ended.code == 0, ended.err
    return ended.out


def test_a_delivery_can_be_made_again_from_its_report(tmp_path: Path) -> None:
    delivered(tmp_path, "--union")
    page = page_of(tmp_path / "next")
    command = re.search(r"byte for byte: tacit (apply .* -o) DIR", page)
    assert command is not None
    told = command[1].replace("--key key", f"--key {tmp_path / 'next/private/key'}")
    assert tacit(*told.split(), tmp_path / "again").code == 0
    for part in ("public", "private"):
        for file in (tmp_path / "next" / part).iterdir():
            if file.name != "job.toml":
                assert (tmp_path / "again" / part / file.name).read_bytes() == file.read_bytes(), file.name
    assert f"SHA-256 of the input{sha256(tmp_path / 'new.csv')}" in page
    assert f"SHA-256 of the recoding that was used again{sha256(tmp_path / 'out/private/recoding.json')}" in page
    job = (tmp_path / "next/private/job.toml").read_text()
    assert job.startswith(f"# Made by: tacit {command[1].removesuffix(' -o')}\n")
    assert "--union --unseen suppress" in job


def test_a_seed_has_no_part_in_a_delivery_and_that_is_said(tmp_path: Path) -> None:
    delivered(tmp_path, "--union")
    key = tmp_path / "next/private/key"
    for folder, options in (("seeded", ("--key", key, "--seed", "8")), ("fresh", ("--seed", "8"))):
        ended = tacit("apply", tmp_path / "out", tmp_path / "new.csv", "-o", tmp_path / folder, "--union", "--unseen",
                      "suppress", "--no-report", *options)  # fmt: skip
        assert ended.code == 0
        assert "the seed has no part in a delivery" in ended.err
    first = (tmp_path / "next/public/data.csv").read_bytes()
    assert (tmp_path / "seeded/public/data.csv").read_bytes() == first
    assert (tmp_path / "fresh/public/data.csv").read_bytes() != first
    assert (tmp_path / "fresh/private/key").read_bytes() != key.read_bytes()


def test_a_promise_of_all_deliveries_is_not_told_of_one(tmp_path: Path) -> None:
    """The file alone breaks it, and `tacit audit` says so."""
    printed = delivered(tmp_path, "--union")
    alone = tacit("audit", tmp_path / "next/private/job.toml", tmp_path / "next/public/data.csv")
    assert alone.code == 1
    said = "This is about the new delivery and the earlier one together; it is not shown for this file alone."
    page = page_of(tmp_path / "next")
    assert printed.splitlines()[0].startswith(f"The promise holds. {said}")
    assert f"The promise holds. {said}" in page
    note = (tmp_path / "next/public/README.md").read_text()
    for text in (page, note):
        assert "fewer than 2 baskets of this file and the earlier one together." in text
        assert "baskets of this file." not in text


def test_tables_with_categories_and_days_have_a_hash() -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {"category": pd.Categorical(rng.choice(["a", "b"], 9)), "day": pd.date_range("2024", periods=9)}
    )
    table = pa.Table.from_pandas(frame)
    assert table_sha256(table) == table_sha256(pa.Table.from_pandas(frame.copy()))
