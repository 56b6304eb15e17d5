"""The API: from data to a release by requests alone, as its own document says."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from support.waiting import until
from support.web import owner, people
from tacit.web.api import ROUTES
from tacit.web.openapi import SCHEMAS, document


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with owner(tmp_path_factory.mktemp("api")) as client:
        yield client


def _loaded(client: TestClient) -> str:
    made = client.post("/api/projects?name=people.csv", content=people())
    assert made.status_code == 201 and made.headers["location"] == f"/api/projects/{made.json()['id']}"
    project = str(made.json()["id"])
    until(lambda: client.get(f"/api/projects/{project}").json()["state"] == "done")
    return project


def _events(text: str) -> list[tuple[str, dict[str, object]]]:
    blocks = [block.split("\n") for block in text.strip().split("\n\n")]
    return [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for name, data in blocks]


@pytest.mark.slow
def test_from_data_to_a_release(client: TestClient) -> None:
    project = _loaded(client)
    found = client.get(f"/api/projects/{project}").json()
    assert (found["kind"], found["rows"]) == ("records", 60)
    assert [column["guess"] for column in found["columns"]] == ["identifier", "quasi", "quasi", "quasi", "sensitive"]
    written = client.get(f"/api/projects/{project}/job").text.replace("k = 5", "k = 3")
    assert client.put(f"/api/projects/{project}/job", content=written).status_code == 204
    submitted = client.post("/api/jobs", json={"project": project})
    assert submitted.status_code == 202
    job = submitted.json()["id"]
    told = _events(client.get(f"/api/jobs/{job}/events").text)
    stages = [event["stage"] for name, event in told if name == "stage"]
    assert stages[:3] == ["reading", "encoding", "searching"] and stages[-1] == "reporting"
    assert told[-1][0] == "end" and told[-1][1]["state"] == "done"
    result = client.get(f"/api/jobs/{job}/result").json()
    assert result["audit"]["satisfied"] is True and result["audit"]["parameters"]["k"] == 3
    assert 0 <= result["utility"]["ncp"] <= 1 and set(result["utility"]["ncp_by_attribute"]) == {"age", "sex", "town"}
    with zipfile.ZipFile(io.BytesIO(client.get(f"/api/jobs/{job}/public.zip").content)) as archive:
        names = ("README.md", "croissant.json", "data.csv", "dcat.jsonld")
        assert sorted(archive.namelist()) == [f"public/{name}" for name in names]
    assert [each["id"] for each in client.get("/api/jobs").json()["jobs"]] == [job]
    assert client.delete(f"/api/projects/{project}").status_code == 204
    assert client.get(f"/api/jobs/{job}").status_code == 404


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("not json", 400), ("[]", 400), ("{}", 400), ('{"project": 3}', 400), ('{"project": "0123456789ab"}', 404),
        ('{"project": "../../etc"}', 404), ('{"project": "0123456789ab", "more": 1}', 400), ("[" * 100_000, 400),
    ],
)  # fmt: skip
def test_what_cannot_be_submitted_is_refused(client: TestClient, body: str, status: int) -> None:
    refused = client.post("/api/jobs", content=body)
    assert refused.status_code == status and refused.json()["error"]


def test_a_job_file_that_is_wrong_is_refused_with_its_key(client: TestClient) -> None:
    project = _loaded(client)
    written = client.get(f"/api/projects/{project}/job").text
    refused = client.put(f"/api/projects/{project}/job", content=written.replace("k = 5", "k = 0"))
    assert refused.status_code == 400 and refused.json()["key"] == "privacy.k"
    refused = client.post("/api/jobs", json={"project": project, "job": "[input]"})
    assert refused.status_code == 400
    assert client.put(f"/api/projects/{project}/job", content=b"\xff\xfe").status_code == 400
    assert client.get(f"/api/projects/{project}/job").text == written


@pytest.mark.parametrize("query", ["", "?name=a.exe", "?name=a.csv&format=exe"])
def test_files_without_a_format_are_refused(client: TestClient, query: str) -> None:
    assert client.post(f"/api/projects{query}", content=b"a\n1\n").status_code == 400


def test_an_empty_file_is_refused(client: TestClient) -> None:
    assert client.post("/api/projects?name=a.csv", content=b"").status_code == 400


def test_a_cancelled_job_is_cancelled(client: TestClient) -> None:
    project = _loaded(client)
    job = client.post("/api/jobs", json={"project": project}).json()["id"]
    assert client.post(f"/api/jobs/{job}/cancel").status_code == 202
    until(lambda: client.get(f"/api/jobs/{job}").json()["state"] in ("cancelled", "done"))
    state = client.get(f"/api/jobs/{job}").json()["state"]
    assert client.get(f"/api/jobs/{job}/result").status_code == (200 if state == "done" else 409)


def test_every_route_is_in_the_document(client: TestClient) -> None:
    said = client.get("/api/openapi.json").json()
    assert said == document(ROUTES) and said["openapi"] == "3.1.0"
    for route in ROUTES:
        for method in (route.methods or set()) - {"HEAD"}:
            answers = said["paths"][route.path][method.lower()]["responses"]
            assert {"403", "421"} < set(answers)
    used = set(json.dumps(said["paths"]).split("#/components/schemas/")[1:])
    assert {name.split('"')[0] for name in used} <= set(SCHEMAS)


def test_a_file_name_adds_no_header(client: TestClient) -> None:
    made = client.post("/api/projects", params={"name": 'x"\r\nset-cookie: a=b\r\n.csv'}, content=people())
    assert made.status_code == 201 and "set-cookie" not in made.headers
    told = client.get(f"/projects/{made.json()['id']}").text
    assert 'x"' not in told and client.delete(f"/api/projects/{made.json()['id']}").status_code == 204


@pytest.mark.parametrize("deep", ["[" * 50_000, '{"a":' * 50_000])
def test_what_is_nested_too_deep_is_refused(client: TestClient, deep: str) -> None:
    answer = client.post("/api/jobs", content=deep, headers={"content-type": "application/json"})
    assert answer.status_code == 400 and "not JSON" in answer.json()["error"]


@pytest.mark.slow
def test_a_job_says_neither_where_a_release_goes_nor_hangs_the_server(client: TestClient, tmp_path: Path) -> None:
    project = _loaded(client)
    known = client.get(f"/api/projects/{project}/job").text
    deep = client.put(f"/api/projects/{project}/job", content=f"{known}\n{'a.' * 50_000}a = 1")
    assert deep.status_code == 400 and "far too deep" in deep.json()["error"]
    elsewhere = f'{known.partition("[output]")[0]}\n[output]\ndirectory = "{tmp_path / "elsewhere"}"\n'
    job = client.post("/api/jobs", json={"project": project, "job": elsewhere}).json()["id"]
    until(lambda: client.get(f"/api/jobs/{job}").json()["state"] not in ("waiting", "running"))
    assert client.get(f"/api/jobs/{job}").json()["state"] == "done" and not list(tmp_path.iterdir())
