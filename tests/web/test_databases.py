"""A table of a database as the source of a project: its tables are listed, and its password is kept nowhere."""

from __future__ import annotations

import csv
import sqlite3
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy

from support import servers
from support.browser import Window, chromium, server
from support.waiting import until
from support.web import job, owner, people, run, text
from tacit.io.databases import DRIVERS

SECRET = "geh-eim-9"


@pytest.fixture
def shop(tmp_path: Path) -> str:
    rows = list(csv.reader(people().splitlines()))
    with sqlite3.connect(tmp_path / "shop.db") as connection:
        connection.execute(f"create table people ({', '.join(rows[0])})")
        connection.executemany("insert into people values (?, ?, ?, ?, ?)", rows[1:])
        connection.execute("create table other (a)")
    connection.close()
    return f"sqlite:///{tmp_path / 'shop.db'}"


@pytest.mark.slow
def test_tables_are_listed_and_one_is_loaded(shop: str, tmp_path: Path) -> None:
    with owner(tmp_path) as client:
        shown = client.post("/databases", data={"url": shop, "list": "yes"})
        assert shown.status_code == 200 and "<option>other</option><option>people</option>" in shown.text
        sent = client.post("/databases", data={"url": shop, "table": "people"})
        assert sent.status_code == 303, sent.text
        project = sent.headers["location"]
        until(lambda: "every 700ms" not in client.get(f"{project}/data").text)
        assert "[columns.disease]" in job(client, project)
        assert "The promise holds" in text(client.get(run(client, project)).text)


def test_a_password_is_neither_shown_nor_kept(tmp_path: Path) -> None:
    url = "mysql://me@127.0.0.1:9/shop"
    with owner(tmp_path) as client:
        given: tuple[dict[str, str], ...] = (
            {"url": url, "password": SECRET, "list": "yes"},
            {"url": url.replace("me@", f"me:{SECRET}@"), "list": "yes"},
            {"url": url.replace("me@", f"me:{SECRET}@")},
        )
        for data in given:
            answer = client.post("/databases", data=data)
            assert answer.status_code == 400 and SECRET not in answer.text
        sent = client.post("/databases", data={"url": url, "password": SECRET, "table": "people"})
        project = sent.headers["location"]
        until(lambda: "every 700ms" not in client.get(f"{project}/data").text)
        shown = client.get(f"{project}/data").text
        assert "no connection to the database" in shown and SECRET not in shown
    kept = [path.read_bytes() for path in (tmp_path / "workspace").rglob("*") if path.is_file()]
    assert kept and not any(SECRET.encode() in content for content in kept)


@pytest.fixture(scope="module")
def mariadb() -> Iterator[str]:
    """A server with a shop, and the tables of a hospital."""
    hospital = files("tacit") / "samples" / "hospital"
    with servers.mariadb() as url:
        engine = _engine(url)
        with engine.begin() as connection:
            for name in ("shop", "public"):
                connection.exec_driver_sql(f"create database {name}")
            _create(connection, "people", people())
            for name in ("patients", "diagnoses", "measurements"):
                _create(connection, name, (hospital / f"{name}.csv").read_text("utf-8"))
        engine.dispose()
        yield url.replace("/mysql", "/shop")


def _engine(url: str) -> sqlalchemy.Engine:
    return sqlalchemy.create_engine(sqlalchemy.make_url(url).set(drivername=DRIVERS["mariadb"][0]))


def _create(connection: sqlalchemy.Connection, name: str, content: str) -> None:
    head, *rows = csv.reader(content.splitlines())
    connection.exec_driver_sql(f"create table shop.{name} ({' varchar(40), '.join(head)} varchar(40))")
    marks = ", ".join(["%s"] * len(head))
    connection.exec_driver_sql(f"insert into shop.{name} values ({marks})", [tuple(row) for row in rows])


@pytest.mark.slow
def test_from_a_server_to_a_release_in_a_browser(mariadb: str, tmp_path: Path) -> None:
    with chromium() as browser, server(tmp_path / "workspace") as served:
        window = Window(browser, served.url, locale="en-GB")
        page: Any = window.page
        page.locator("#url").fill(mariadb)
        page.locator("#password").fill(SECRET)
        page.get_by_role("button", name="Show the tables").click()
        page.locator("#table").select_option("people")
        assert page.locator("#password").input_value() == ""
        page.locator("#password").fill(SECRET)
        page.locator("section", has_text="Load from a database").get_by_role("button", name="Load", exact=True).click()
        page.get_by_role("heading", name="The data", exact=True).wait_for()
        page.goto(f"{window.project()}/run")
        page.get_by_role("button", name="Start", exact=True).click()
        page.get_by_role("heading", name="Result", exact=True).wait_for()
        assert SECRET not in page.content()
        window.close()
    kept = [path.read_bytes() for path in (tmp_path / "workspace").rglob("*") if path.is_file()]
    assert kept and not any(SECRET.encode() in content for content in kept)


@pytest.mark.slow
def test_the_tables_of_a_hospital_are_joined_sliced_and_written_back(mariadb: str, tmp_path: Path) -> None:
    """The second paper's process on the page: different domains, several sensitive attributes, overlapping slices."""
    with chromium() as browser, server(tmp_path / "workspace") as served:
        window = Window(browser, served.url, locale="en-GB")
        page: Any = window.page
        page.locator("#url").fill(mariadb)
        page.locator("#table").fill("patients")
        page.locator("section", has_text="Load from a database").get_by_role("button", name="Load", exact=True).click()
        page.get_by_role("heading", name="The data", exact=True).wait_for()
        for table, columns in (("diagnoses", "chest_pain, severity"), ("measurements", "blood_pressure, pulse")):
            page.locator("details:has(#join-key) summary").click()
            for field, value in (("table", table), ("on", "person"), ("columns", columns)):
                page.locator(f"#join-{field}").fill(value)
            page.locator("#join-key").select_option("patient")
            page.locator("form[action$='/joins'] button").click()
            page.locator("th", has_text=columns.split(", ")[1]).wait_for()
        project = window.project()
        page.goto(f"{project}/roles")
        sensitive = {"severity", "blood_pressure", "pulse"}
        for name, role in (("chest_pain", "quasi"), *((name, "sensitive") for name in sorted(sensitive))):
            page.get_by_label(f"Role of {name}").select_option(role)
            page.locator(f".column.{role}", has_text=name).wait_for()
        page.goto(f"{project}/promise")
        page.locator("input[name=model][value=sliced-l]").check()
        page.locator("aside.job pre", has_text="sliced-l").wait_for()
        page.locator("#privacy-l").fill("2")
        page.locator("#privacy-l").press("Enter")
        page.locator("aside.job pre", has_text="l = 2").wait_for()
        page.get_by_text("Options of the method").click()
        page.locator("#method-overlap").select_option("true")
        page.locator("aside.job pre", has_text="overlap = true").wait_for()
        page.get_by_text("Seed and output").click()
        page.locator("#output-database").fill(mariadb.replace("/shop", "/public"))
        page.locator("#output-table").fill("patients")
        page.get_by_role("button", name="Save the promise").click()
        page.locator("aside.job pre", has_text="/public").wait_for()
        page.goto(f"{project}/run")
        page.get_by_role("button", name="Start", exact=True).click()
        page.get_by_role("heading", name="Result", exact=True).wait_for()
        assert "The promise holds" in page.locator(".verdict").inner_text()
        assert page.get_by_role("heading", name="Which attributes stand together").count() == 1
        window.close()
    engine = _engine(mariadb)
    with engine.connect() as connection:
        published = connection.exec_driver_sql("select * from public.patients").mappings().all()
    engine.dispose()
    assert len(published) > 0 and sensitive <= {name.partition(".")[2] for name in published[0]}
    assert not any("patient" in name for name in published[0])
