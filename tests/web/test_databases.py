"""A table of a database as the source of a project: its tables are listed, and its password is kept nowhere."""

from __future__ import annotations

import csv
import sqlite3
from collections.abc import Iterator
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
    with servers.mariadb() as url:
        address = sqlalchemy.make_url(url)
        engine = sqlalchemy.create_engine(address.set(drivername=DRIVERS["mariadb"][0]))
        rows = list(csv.reader(people().splitlines()))
        with engine.begin() as connection:
            connection.exec_driver_sql("create database shop")
            connection.exec_driver_sql(f"create table shop.people ({' varchar(40), '.join(rows[0])} varchar(40))")
            for row in rows[1:]:
                connection.exec_driver_sql("insert into shop.people values (%s, %s, %s, %s, %s)", tuple(row))
        engine.dispose()
        yield url.replace("/mysql", "/shop")


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
