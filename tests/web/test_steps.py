"""From data to a release, step by step, without JavaScript: what is clicked is what `tacit anonymize` runs."""

from __future__ import annotations

import gzip
import io
import shutil
import stat
import tomllib
import zipfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from starlette.routing import Route
from starlette.testclient import TestClient

from support.commands import run as run_command
from support.waiting import until
from support.web import job, load, owner, people, run, text
from tacit.errors import InputError
from tacit.web.app import ROUTES
from tacit.web.files import read_json, write_json
from tacit.web.profile import profile


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[TestClient, Path]]:
    """A server with one project whose data were looked at."""
    folder = tmp_path_factory.mktemp("served")
    with owner(folder) as client:
        load(client, people())
        yield client, folder


class Small(NamedTuple):
    """A project of its own for a test: a copy, so that the data need not be looked at again."""

    client: TestClient
    address: str
    folder: Path

    @property
    def tables(self) -> dict[str, Any]:
        return tomllib.loads(job(self.client, self.address))


@pytest.fixture
def small(served: tuple[TestClient, Path], request: pytest.FixtureRequest) -> Small:
    client, folder = served
    projects = folder / "workspace" / "projects"
    first = min(projects.iterdir(), key=lambda each: each.stat().st_ctime)
    name = sha256(request.node.nodeid.encode()).hexdigest()[:12]
    shutil.copytree(first, projects / name)
    return Small(client, f"/projects/{name}", projects / name)


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str, dict[str, bytes]]:
    """A project that went all the way: its folder, its job file, the page of its result, and what was downloaded."""
    folder = tmp_path_factory.mktemp("walked")
    with owner(folder) as client:
        project = load(client, people())
        client.post(f"{project}/promise", data={"model": "k"})
        sent = {"model": "k", "privacy-k": "4", "seed": "7"}
        assert client.post(f"{project}/promise", data=sent).status_code == 303
        address = run(client, project)
        page = client.get(address).text
        names = ("public.zip", "private.zip", "job.toml", "report")
        taken = {name: client.get(f"{address}/{name}").content for name in names}
        client.cookies.set("tacit-language", "de")
        taken["german"] = text(client.get(address).text).encode()
        german = zipfile.ZipFile(io.BytesIO(client.get(f"{address}/private.zip").content))
        taken["german report"] = german.read("private/report.html")
        taken["policy"] = client.get(f"{address}/report").headers["content-security-policy"].encode()
        written = job(client, project)
    (here,) = (folder / "workspace" / "projects").iterdir()
    return here, written, page, taken


def _archive(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_result_is_on_the_page(walked: tuple[Path, str, str, dict[str, bytes]]) -> None:
    page = text(walked[2])
    assert "The promise holds" in page and "k = 4" in page
    assert "What it cost" in page and "Some records, before and after" in page
    assert "<svg" in walked[2] and "style=" not in walked[2]


def test_the_result_is_in_german_too(walked: tuple[Path, str, str, dict[str, bytes]]) -> None:
    page, report = walked[3]["german"].decode(), walked[3]["german report"].decode()
    for said in (
        "Was es gekostet hat",
        "Einige Datensätze, vorher und nachher",
        "Werte, die gezeigt sind, wie sie waren",
    ):
        assert said in page and said in report
    for said in ("What it cost", "records in the group", "lower is better", "before and after"):
        assert said not in page and said not in report
    assert '<html lang="de">' in report


def test_public_and_private_parts_are_apart(walked: tuple[Path, str, str, dict[str, bytes]]) -> None:
    public, private = _archive(walked[3]["public.zip"]), _archive(walked[3]["private.zip"])
    assert set(public) == {"public/data.csv", "public/README.md", "public/croissant.json", "public/dcat.jsonld"}
    assert {"private/key", "private/rows.csv", "private/report.html", "private/recoding.json"} <= set(private)
    assert b"person 1" not in public["public/data.csv"]


def test_the_command_makes_the_same_of_the_job_file(
    walked: tuple[Path, str, str, dict[str, bytes]], tmp_path: Path
) -> None:
    """With the same key the same bytes, and the same recoding."""
    private = _archive(walked[3]["private.zip"])
    (tmp_path / "data.csv").write_bytes((walked[0] / "data.csv").read_bytes())
    (tmp_path / "job.toml").write_bytes(walked[3]["job.toml"])
    (tmp_path / "key").write_bytes(private["private/key"])
    made = run_command(
        "anonymize", str(tmp_path / "job.toml"), "--key", str(tmp_path / "key"), "-o", str(tmp_path / "out")
    )
    assert made.code == 0, made.err
    assert (tmp_path / "out/public/data.csv").read_bytes() == _archive(walked[3]["public.zip"])["public/data.csv"]
    assert (tmp_path / "out/private/recoding.json").read_bytes() == private["private/recoding.json"]


def test_the_report_may_do_nothing(walked: tuple[Path, str, str, dict[str, bytes]]) -> None:
    policy = walked[3]["policy"].decode()
    assert policy.startswith("sandbox;") and "script-src" not in policy and "default-src 'none'" in policy


def test_a_workspace_is_for_its_owner_alone(walked: tuple[Path, str, str, dict[str, bytes]]) -> None:
    root = walked[0].parents[1]
    for place in (root, root / "projects", walked[0], walked[0] / "works"):
        assert stat.S_IMODE(place.stat().st_mode) == 0o700


def test_work_survives_a_restart(walked: tuple[Path, str, str, dict[str, bytes]]) -> None:
    with owner(walked[0].parents[2]) as client:
        home = client.get("/").text
        assert "people.csv" in home and "done" in text(home)
        project = f"/projects/{walked[0].name}"
        assert job(client, project) == walked[1]
        assert "runs/" in client.get(f"{project}/run").text


def test_roles_change_the_job_one_by_one_and_together(small: Small) -> None:
    client, project, _ = small
    before = tomllib.loads(job(client, project))
    assert {name: column["role"] for name, column in before["columns"].items()} == {
        "name": "identifier", "age": "quasi", "sex": "quasi", "town": "quasi", "disease": "sensitive",
    }  # fmt: skip
    client.post(f"{project}/roles", data={"role-3": "plain"})
    assert tomllib.loads(job(client, project))["columns"]["town"] == {"role": "plain", "type": "category"}
    client.post(f"{project}/roles", data={"do": "together", "together": "identifier", "column": ["1", "2"]})
    after = tomllib.loads(job(client, project))["columns"]
    assert [after[name]["role"] for name in ("age", "sex", "town")] == ["identifier", "identifier", "plain"]
    client.post(f"{project}/undo")
    client.post(f"{project}/undo")
    assert tomllib.loads(job(client, project)) == before
    client.post(f"{project}/redo")
    assert tomllib.loads(job(client, project))["columns"]["town"]["role"] == "plain"


def test_values_that_are_never_published_are_masked(small: Small) -> None:
    client, project, _ = small
    for page in ("data", "roles"):
        shown = client.get(f"{project}/{page}").text
        assert "person 1" not in shown.replace("people.csv", "") and "••••" in shown and "Graz" in shown
    client.post(f"{project}/roles", data={"role-3": "identifier"})
    assert "Graz" not in client.get(f"{project}/data").text


def test_a_promise_that_no_longer_fits_is_replaced(small: Small) -> None:
    client, project, _ = small
    assert tomllib.loads(job(client, project))["privacy"]["model"] == "l"
    client.post(f"{project}/roles", data={"role-4": "identifier"})
    assert tomllib.loads(job(client, project))["privacy"] == {"model": "k", "k": 5}


def test_a_promise_that_was_replaced_is_told_until_somebody_looked_at_it(small: Small) -> None:
    client, project, _ = small
    client.post(f"{project}/roles", data={"role-1": "identifier"})
    assert "The promise is another now" not in client.get(f"{project}/run").text
    client.post(f"{project}/roles", data={"role-4": "identifier"})
    for step in ("roles", "run"):
        page = text(client.get(f"{project}/{step}").text)
        assert "The promise is another now: l no longer fits the columns, and k stands in its place." in page
    client.post(f"{project}/undo")
    assert "The promise is another now" not in client.get(f"{project}/run").text
    client.post(f"{project}/redo")
    client.post(f"{project}/promise", data={"model": "k", "privacy-k": "5"})
    assert "The promise is another now" not in client.get(f"{project}/run").text


def test_a_column_can_be_left_out_and_come_back(small: Small) -> None:
    client, project, _ = small
    client.post(f"{project}/roles", data={"role-3": "out"})
    assert list(small.tables["columns"]) == ["name", "age", "sex", "disease"]
    assert "Graz" not in client.get(f"{project}/data").text
    assert "nothing more to say" in client.get(f"{project}/columns/3").text
    assert client.post(f"{project}/columns/3", data={"type": "number"}).status_code == 404
    client.post(f"{project}/roles", data={"role-3": "quasi"})
    assert list(small.tables["columns"]) == ["name", "age", "sex", "town", "disease"]


def test_more_of_a_column_is_what_fits_its_role_and_type(small: Small) -> None:
    client, project, _ = small
    page = client.get(f"{project}/columns/4").text
    assert 'name="harmless"' in page and 'name="l"' in page and 'name="decimal"' not in page
    sent = {"type": "category", "fold": "true", "l": "3", "harmless": "flu\n gout "}
    assert client.post(f"{project}/columns/4", data=sent).status_code == 303
    kept = {"role": "sensitive", "type": "category", "l": 3, "harmless": ["flu", "gout"]}
    assert small.tables["columns"]["disease"] == kept
    sent = {"type": "date", "date_format": "D.M.YY", "first_year": "1930"}
    client.post(f"{project}/columns/1", data=sent)
    assert small.tables["columns"]["age"]["first_year"] == 1930


def test_what_is_wrong_is_told_beside_its_field_and_changes_nothing(small: Small) -> None:
    client, project, _ = small
    before = job(client, project)
    refused = client.post(f"{project}/promise", data={"model": "l", "privacy-k": "0", "privacy-l": "2"})
    assert refused.status_code == 400
    assert 'aria-describedby="p-privacy-k"' in refused.text and 'id="p-privacy-k"' in refused.text
    assert "privacy.k is 0, but it must be a whole number of at least 1" in refused.text
    refused = client.post(f"{project}/columns/1", data={"round": "much", "type": "number"})
    assert refused.status_code == 400 and 'id="p-round"' in refused.text
    refused = client.post(f"{project}/job", data={"text": "[privacy]\nmodel = 'x'"})
    assert refused.status_code == 400 and "input.source is missing" in refused.text
    assert job(client, project) == before


def test_a_promise_that_cannot_be_kept_ends_in_its_message(small: Small) -> None:
    client, project, _ = small
    client.post(f"{project}/promise", data={"model": "k"})
    client.post(f"{project}/promise", data={"model": "k", "privacy-k": "1000"})
    page = client.get(run(client, project))
    assert "No release" in page.text and "Nothing was published" in text(page.text)
    assert "failed" in text(client.get(f"{project}/run").text)


@pytest.mark.parametrize(
    ("content", "name", "says"),
    [(b"", "a.csv", "empty"), (b"a,b\n1,2\n", "a.exe", "does not tell its format"), (b"a,b\n1,2\n", "", "no file")],
)
def test_what_is_no_data_is_refused_at_once(
    served: tuple[TestClient, Path], content: bytes, name: str, says: str
) -> None:
    sent = served[0].post("/projects", files={"file": (name, content)})
    assert sent.status_code == 400 and says in text(sent.text)


def test_a_file_that_cannot_be_read_is_read_as_another_format(served: tuple[TestClient, Path]) -> None:
    client, _ = served
    project = load(client, "beer,wine\nbeer,milk,bread\n" * 20, "shopping.csv")
    page = client.get(f"{project}/data").text
    assert "shopping.csv, line 2: the record has 3 fields" in text(page) and f"{project}/format" in page
    assert client.post(f"{project}/format", data={"format": "../../x"}).status_code == 303
    assert "line 2" in client.get(f"{project}/data").text
    client.post(f"{project}/format", data={"format": "dat"})
    until(lambda: "every 700ms" not in client.get(f"{project}/data").text)
    assert 'source = "data.dat"' in job(client, project) and "baskets" in client.get(f"{project}/data").text


def test_data_that_cannot_be_read_end_in_a_message(served: tuple[TestClient, Path]) -> None:
    client, folder = served
    project = load(client, b"a,b\n1\n2,3,4\n", "a.csv")
    page = text(client.get(f"{project}/data").text)
    assert " a.csv, line 2" in page and str(folder) not in page
    assert client.get(f"{project}/roles").status_code == 404


@pytest.mark.parametrize(
    ("content", "name", "says"),
    [
        (b"a,b\n", "data.csv", "no record"),
        (b"PAR1 nonsense", "data.parquet", "Parquet"),
        (gzip.compress(b"a,b\n" + b"1,2\n" * 50_000), "data.csv.gz", "larger than 97.7 KiB"),
    ],
)
def test_what_a_look_at_the_data_refuses(tmp_path: Path, content: bytes, name: str, says: str) -> None:
    (tmp_path / name).write_bytes(content)
    write_json(tmp_path / "project.json", {"source": name})
    with pytest.raises(InputError, match=says):
        profile(tmp_path, "auto", 100_000)
    assert not (tmp_path / "job.toml").exists()


def test_a_table_that_unpacks_to_too_much_is_not_read(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": pa.array(["same"] * 200_000)}), tmp_path / "data.parquet")
    write_json(tmp_path / "project.json", {"source": "data.parquet"})
    with pytest.raises(InputError, match="larger than"):
        profile(tmp_path, "auto", 100_000)


@pytest.mark.parametrize("name", ["../../../evil.csv", "..\\..\\evil.csv", "/etc/evil.csv", "x" * 400 + "evil.csv"])
def test_a_file_name_is_never_part_of_a_path(served: tuple[TestClient, Path], name: str) -> None:
    client, folder = served
    sent = client.post("/projects", files={"file": (name, people(20))})
    project = folder / "workspace" / sent.headers["location"].removeprefix("/")
    assert project.parent.name == "projects" and (project / "data.csv").is_file()
    assert not list(folder.rglob("*evil*"))
    client.post(f"{sent.headers['location']}/delete")


def _all_files(folder: Path) -> dict[str, bytes]:
    return {str(file): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.mark.parametrize("address", ["/<script>alert(1)</script>", "/static/<img src=x>", "/projects/<b>/roles"])
def test_error_pages_escape(served: tuple[TestClient, Path], address: str) -> None:
    answer = served[0].get(address)
    assert answer.status_code == 404
    assert "<script>alert" not in answer.text and "<img src=x" not in answer.text and "<b>" not in answer.text


def test_nothing_is_changed_by_looking(small: Small) -> None:
    """Addresses that change something do not answer to GET; all others leave every file as it is."""
    client, _, folder = small
    routes = [route for route in ROUTES if isinstance(route, Route)]
    looking = {route.path for route in routes if "GET" in (route.methods or ())}
    before = _all_files(folder)
    for path in {route.path for route in routes}:
        address = path.replace("{project}", folder.name).replace("{column:int}", "1").replace("{name}", "page.css")
        answer = client.get(address.replace("{work}", "0123456789ab").replace("{job}", "0123456789ab"))
        assert answer.status_code in ((200, 404) if path in looking else (405,)), address
    assert _all_files(folder) == before


def test_faults_are_told_without_values(
    small: Small, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*given: object, **more: object) -> None:
        raise RuntimeError("value of a person")

    client, project, _ = small
    monkeypatch.setattr("tacit.web.views.roles.render", broken)
    answer = client.get(f"{project}/roles")
    assert answer.status_code == 500 and "RuntimeError" in answer.text
    assert "value of a person" not in answer.text + "".join(capsys.readouterr())


def test_the_first_profile_says_what_each_column_is(small: Small) -> None:
    found = read_json(small.folder / "profile.json")
    assert found["kind"] == "records" and found["rows"] == 60
    assert [column["distinct"] for column in found["columns"]][2:] == [2, 3, 3]
