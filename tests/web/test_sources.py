"""Several tables in one project, and data that are read again: what was said of the columns stays."""

from __future__ import annotations

import sqlite3
import tomllib
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from support.waiting import until
from support.web import job, load, owner, people, run, text
from tacit.errors import InputError
from tacit.web.files import FIRST_JOB, read_json, write_json, write_text
from tacit.web.profile import profile
from tacit.web.sources import known_joins, without_leftovers
from tacit.web.toml import as_text
from tacit.web.work import mark_abandoned
from tacit.web.workspace import Project

PATIENTS = "id,age,sex\n" + "".join(f"{number},{20 + number % 40},{'mf'[number % 2]}\n" for number in range(60))
DIAGNOSES = "patient,code\n" + "".join(
    f"{number},{code}\n" for number in range(60) for code in ("flu", "gout", "mumps")[: number % 3]
)
_MOST = 10_000_000


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The folder of a project whose data were looked at."""
    (tmp_path / "data.csv").write_text(PATIENTS)
    write_json(tmp_path / "project.json", {"title": "patients", "source": "data.csv", "created": 0})
    profile(tmp_path, "auto", _MOST)
    return tmp_path


def _tables(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "job.toml").read_text("utf-8"))


def _join(folder: Path, **more: str) -> list[dict[str, Any]]:
    (folder / "join-1.csv").write_text(DIAGNOSES)
    return [{"source": "join-1.csv", "key": "id", "on": "patient", "items": "code", **more}]


def test_a_joined_table_becomes_a_set_and_the_promise_fits_it(project: Path) -> None:
    profile(project, "auto", _MOST, {"joins": _join(project), "keep": True})
    tables = _tables(project)
    assert tables["input"]["join"] == _join(project)
    assert (tables["columns"]["code"]["role"], tables["privacy"]["model"]) == ("items", "k-km")
    profile(project, "auto", _MOST, {"joins": [], "keep": True})
    assert "code" not in _tables(project)["columns"] and "join" not in _tables(project)["input"]
    assert not [*project.glob("join-*")]


def test_a_join_that_fails_leaves_everything_as_it_was(project: Path) -> None:
    before = (project / "job.toml").read_bytes(), (project / "profile.json").read_bytes()
    with pytest.raises(InputError, match="no such column"):
        profile(project, "auto", _MOST, {"joins": _join(project, on="nobody"), "keep": True})
    assert ((project / "job.toml").read_bytes(), (project / "profile.json").read_bytes()) == before
    assert known_joins(project) == []


def test_what_was_said_of_columns_stays_when_data_are_read_again(project: Path) -> None:
    tables = _tables(project)
    tables["columns"]["sex"] = {"role": "plain"}
    write_text(project / "job.toml", as_text(tables))
    more = PATIENTS.replace("sex\n", "sex,town\n").replace("f\n", "f,Graz\n").replace("m\n", "m,Linz\n")
    (project / "data.csv").write_text(more)
    profile(project, "auto", _MOST, {"keep": True})
    columns = _tables(project)["columns"]
    assert columns["sex"] == {"role": "plain"} and columns["town"]["role"] == "quasi"


def test_the_job_that_comes_with_data_is_there_as_soon_as_they_are(tmp_path: Path) -> None:
    """No page needs to be opened in between: a sample that is compared at once is compared with its own job."""
    (tmp_path / "data.csv").write_text(PATIENTS)
    write_json(tmp_path / "project.json", {"title": "patients", "source": "data.csv", "created": 0})
    own = '[input]\nsource = "data.csv"\n[columns.age]\nrole = "quasi"\n[privacy]\nmodel = "k"\nk = 17\n'
    write_text(tmp_path / FIRST_JOB, own)
    profile(tmp_path, "auto", _MOST)
    assert (tmp_path / "job.toml").read_text() == own and not (tmp_path / FIRST_JOB).exists()
    assert read_json(tmp_path / "profile.json")["rows"] == 60


@pytest.mark.parametrize("comes_with_a_job", [True, False])
def test_data_loaded_on_a_german_page_get_german_texts(comes_with_a_job: bool, tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text(PATIENTS)
    write_json(tmp_path / "project.json", {"title": "p", "source": "data.csv", "created": 0, "language": "de"})
    if comes_with_a_job:
        own = '[input]\nsource = "data.csv"\n[columns.age]\nrole = "quasi"\n[privacy]\nmodel = "k"\nk = 17\n'
        write_text(tmp_path / FIRST_JOB, own)
    profile(tmp_path, "auto", _MOST)
    assert tomllib.loads((tmp_path / "job.toml").read_text())["release"] == {"language": "de"}


def test_a_database_that_cannot_be_used_leaves_the_data_as_they_were(tmp_path: Path) -> None:
    """Neither what was read, nor what was drafted from it, stays behind."""
    folder = tmp_path / "project"
    folder.mkdir()
    write_json(folder / "project.json", {"title": "people", "source": "data.parquet", "created": 0})
    with sqlite3.connect(tmp_path / "shop.db") as connection:
        connection.execute("create table people (id, age)")
        connection.executemany("insert into people values (?, ?)", [(n, 20 + n % 7) for n in range(40)])
    connection.close()
    asked = {"database": {"url": f"sqlite:///{tmp_path / 'shop.db'}", "query": "select * from people"}, "keep": True}
    profile(folder, "auto", _MOST, asked)
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    asked["database"]["query"] = "select id, age + 1 as age from people"
    with pytest.raises(InputError):
        profile(folder, "ratings", _MOST, asked)
    without_leftovers(folder)
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before


def test_what_a_stopped_look_has_brought_goes(project: Path) -> None:
    before = {file.name for file in project.iterdir()}
    (project / "fresh-data.parquet").write_bytes(b"half of it")
    (project / "fresh-x1").mkdir()
    (project / "fresh-x1" / "job-age.csv").write_text("20;*")
    (project / "join-9.csv").write_text(DIAGNOSES)
    work = Project(project).new_work("profile", ["tacit"])
    mark_abandoned(work)
    assert {file.name for file in project.iterdir()} - before == {"works", "joins.json"} - before
    assert work.state == "failed"


def _looked_at(client: TestClient, address: str) -> str:
    until(lambda: "every 700ms" not in client.get(f"{address}/data").text)
    return str(client.get(f"{address}/data").text)


def test_tables_are_joined_on_the_page_and_mistakes_told_there(tmp_path: Path) -> None:
    with owner(tmp_path) as client:
        address = load(client, PATIENTS, "patients.csv")
        nothing = client.post(f"{address}/joins", data={"key": "id"}, files={"file": ("d.csv", DIAGNOSES)})
        assert nothing.status_code == 400 and "what the other table brings" in nothing.text
        said = {"key": "id", "on": "person", "items": "code"}
        assert client.post(f"{address}/joins", data=said, files={"file": ("d.csv", DIAGNOSES)}).status_code == 303
        assert "the data has no such column" in _looked_at(client, address)
        said["on"] = "patient"
        assert client.post(f"{address}/joins", data=said, files={"file": ("d.csv", DIAGNOSES)}).status_code == 303
        assert "by id here, and patient there" in text(_looked_at(client, address))
        assert "[columns.code]" in job(client, address)


def test_a_job_reads_no_other_file_through_a_join(tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("id,code\n1,x\n")
    with owner(tmp_path) as client:
        address = load(client, PATIENTS, "patients.csv")
        outside = f'[[input.join]]\nsource = "{tmp_path / "secret.csv"}"\nkey = "id"\nitems = "code"\n\n[columns.id]'
        changed = job(client, address).replace("[columns.id]", outside)
        answer = client.post(f"{address}/job", data={"text": changed})
        assert answer.status_code == 400 and "not part of this project" in answer.text


def test_a_job_stays_in_its_project_and_on_this_machine(tmp_path: Path) -> None:
    """However it is sent: source, hierarchy, constraints, another project's data, a database, a cluster."""
    outside = tmp_path / "secret.csv"
    outside.write_text("beer,*\nwine,*\n")
    with owner(tmp_path) as client:
        first = load(client, "beer wine\nwine beer\n" * 20, "first.dat").rpartition("/")[2]
        address = load(client, "beer wine\nwine beer\n" * 20, "second.dat")
        known, project = job(client, address), address.rpartition("/")[2]
        source, privacy = 'source = "data.dat"', "[privacy]"
        hierarchy = next(line for line in known.splitlines() if line.startswith("hierarchy"))
        for changed in (
            known.replace(source, f'source = "{outside}"'),
            known.replace(source, f'source = "../{first}/data.dat"'),
            known.replace(source, f'source = "sqlite:///{outside}"\ntable = "t"'),
            known.replace(source, f'source = "jdbc:derby:{outside}"\ntable = "t"'),
            known.replace(hierarchy, f'hierarchy = "{outside}"'),
            known.replace(privacy, f'[method]\nname = "coat"\nconstraints = "{outside}"\n{privacy}'),
            f'{known}\n[engine]\nname = "spark"\nremote = "sc://elsewhere.example:15002"\n',
            f'{known}\n[engine]\nname = "spark"\nmaster = "spark://elsewhere.example:7077"\n',
        ):
            assert changed != known
            answers = [
                client.post(f"{address}/job", data={"text": changed}),
                client.put(f"/api/projects/{project}/job", content=changed),
                client.post("/api/jobs", json={"project": project, "job": changed}),
            ]
            assert [answer.status_code for answer in answers] == [400, 400, 400], changed
            assert all("not part of this project" in answer.text or "do not leave" in answer.text for answer in answers)
        assert job(client, address) == known


@pytest.mark.slow
def test_a_database_is_read_again_and_a_release_written_back(tmp_path: Path) -> None:
    rows = [line.split(",") for line in people().splitlines()]
    with sqlite3.connect(tmp_path / "shop.db") as connection:
        connection.execute(f"create table people ({', '.join(rows[0])}, photo blob)")
        connection.executemany("insert into people values (?, ?, ?, ?, ?, x'ff00')", rows[1:])
        connection.commit()
        with owner(tmp_path) as client:
            sent = client.post("/databases", data={"url": f"sqlite:///{tmp_path / 'shop.db'}", "table": "people"})
            address = str(sent.headers["location"])
            shown = text(_looked_at(client, address))
            assert "60 rows, 5 columns" in shown and "Left out, for they hold bytes: photo" in shown
            connection.execute("insert into people values ('new', '30', 'male', 'Graz', 'flu', null)")
            connection.commit()
            assert client.post(f"{address}/read-again").status_code == 303
            assert "61 rows" in _looked_at(client, address)
            target = f'[output]\ndatabase = "sqlite:///{tmp_path / "public.db"}"\ntable = "people"\n'
            changed = job(client, address).replace("[output]\n", target)
            assert client.post(f"{address}/job", data={"text": changed}).status_code == 303
            assert "The promise holds" in client.get(run(client, address)).text
    connection.close()
    public = sqlite3.connect(tmp_path / "public.db")
    assert public.execute("select count(*) from people").fetchone() == (61,)
    public.close()
