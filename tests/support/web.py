"""The page as its owner's browser sees it, without a browser and without a network."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from starlette.testclient import TestClient

from support.waiting import until
from tacit.web.app import make_app
from tacit.web.door import Door
from tacit.web.limits import Limits
from tacit.web.workspace import open_workspace

PORT = 8765
ADDRESS = f"http://127.0.0.1:{PORT}"


def people(rows: int = 60) -> str:
    """A small table with a row a person, as a CSV."""
    random = Random(20)
    lines = ["name,age,sex,town,disease"]
    for number in range(rows):
        town = random.choice(["Graz", "Linz", "Wels"])
        lines.append(
            f"person {number},{random.randrange(20, 60)},{random.choice(['male', 'female'])},{town},"
            f"{random.choice(['flu', 'asthma', 'gout'])}"
        )
    return "\n".join(lines) + "\n"


@contextmanager
def stranger(folder: Path, door: Door | None = None, limits: Limits | None = None) -> Iterator[tuple[TestClient, Door]]:
    """Somebody who reaches the server and has no cookie yet."""
    door = door or Door(PORT)
    app = make_app(open_workspace(folder / "workspace"), door, limits)
    with TestClient(app, base_url=ADDRESS, follow_redirects=False) as client:
        yield client, door


@contextmanager
def owner(folder: Path, limits: Limits | None = None) -> Iterator[TestClient]:
    """Whoever exchanged the token."""
    with stranger(folder, limits=limits) as (client, door):
        assert client.get(f"/?token={door.token}").status_code == 303
        yield client


def load(client: TestClient, content: str | bytes, name: str = "people.csv") -> str:
    """Sends a file, waits until it was looked at, and gives the address of its project."""
    sent = client.post("/projects", files={"file": (name, content)})
    assert sent.status_code == 303, sent.text
    project = str(sent.headers["location"])
    until(lambda: "every 700ms" not in client.get(f"{project}/data").text)
    return project


def run(client: TestClient, project: str) -> str:
    """Starts a run, waits for its end, and gives its address."""
    started = client.post(f"{project}/run")
    assert started.status_code == 303, started.text
    address = str(started.headers["location"])
    until(lambda: "every 700ms" not in client.get(address).text)
    return address


def job(client: TestClient, project: str) -> str:
    return str(client.get(f"{project}/job.toml").text)


def text(html: str) -> str:
    """What a page says, without its signs."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))
