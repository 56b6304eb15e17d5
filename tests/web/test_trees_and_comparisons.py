"""Hierarchies that are built, loaded and edited on the page; comparisons whose points can be taken; estimates."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from support.waiting import until
from support.web import job, load, owner, people, text
from tacit.languages import teller
from tacit.taxonomy import read_hierarchy
from tacit.web import parameters
from tacit.web.outcomes import axes, loss_by_value, picture

TOWN = 3


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[TestClient, str, Path]]:
    folder = tmp_path_factory.mktemp("trees")
    with owner(folder) as client:
        project = load(client, people())
        client.post(f"{project}/promise", data={"model": "k"})
        yield client, project, folder / "workspace" / project.removeprefix("/")


def _edit(client: TestClient, address: str, **form: object) -> str:
    """One change, as the form of the page sends it; gives the page after it."""
    page = client.get(address).text
    version = re.search(r'name="version" value="(\w+)"', page)
    assert version is not None
    sent = client.post(address, data={"version": version[1], **form})
    return str(client.get(address).text if sent.status_code == 303 else sent.text)


def _code(page: str, name: str) -> str:
    found = re.search(rf'name="node" value="(\d+)" aria-label="{re.escape(name)}"', page)
    assert found is not None, name
    return found[1]


def test_a_sensitive_column_is_said_to_stay_as_it_is(served: tuple[TestClient, str, Path]) -> None:
    client, project, _ = served
    assert text(client.get(f"{project}/hierarchies").text).count("stays as it is: a hierarchy only says") == 1


def test_a_hierarchy_is_built_edited_and_undone(served: tuple[TestClient, str, Path]) -> None:
    client, project, folder = served
    address = f"{project}/hierarchies/{TOWN}"
    assert client.post(f"{address}/build", data={"kind": "balanced", "fanout": "2"}).status_code == 303
    assert tomllib.loads(job(client, project))["columns"]["town"]["hierarchy"] == "hierarchy-3.csv"
    page = client.get(address).text
    assert "3 values, 60 records" in text(page)
    page = _edit(client, address, do="group", name="Upper Austria", node=[_code(page, "Linz"), _code(page, "Wels")])
    page = _edit(client, address, do="rename", name="Austria", node=_code(page, "*"))
    tree = read_hierarchy(folder / "hierarchy-3.csv")
    assert tree.names[0] == "Austria" and {"Upper Austria", "Graz", "Linz", "Wels"} <= set(tree.names)
    client.post(f"{project}/undo", headers={"referer": f"http://127.0.0.1:8765{address}"})
    assert read_hierarchy(folder / "hierarchy-3.csv").names[0] == "*"
    client.post(f"{project}/redo")
    assert read_hierarchy(folder / "hierarchy-3.csv").names[0] == "Austria"


def test_what_cannot_be_done_to_a_tree_is_told(served: tuple[TestClient, str, Path]) -> None:
    client, project, folder = served
    address = f"{project}/hierarchies/{TOWN}"
    client.post(f"{address}/build", data={"kind": "balanced"})
    before = (folder / "hierarchy-3.csv").read_text()
    page = client.get(address).text
    assert "keeps its name" in _edit(client, address, do="rename", name="x", node=_code(page, "Graz"))
    assert "one node at a time" in _edit(client, address, do="rename", name="x")
    assert "no such change" in _edit(client, address, do="explode", node=_code(page, "Graz"))
    stale = client.post(address, data={"version": "old", "do": "rename", "name": "x", "node": "0"})
    assert stale.status_code == 400 and "changed meanwhile" in stale.text
    assert (folder / "hierarchy-3.csv").read_text() == before


def test_a_hierarchy_of_arx_is_loaded_and_one_that_lacks_values_refused(served: tuple[TestClient, str, Path]) -> None:
    client, project, folder = served
    address = f"{project}/hierarchies/{TOWN}"
    whole = "Graz;Styria;Austria\nLinz;Upper Austria;Austria\nWels;Upper Austria;Austria\n"
    assert client.post(f"{address}/load", files={"file": ("../h.csv", whole)}).status_code == 303
    assert set(read_hierarchy(folder / "hierarchy-3.csv").names) >= {"Styria", "Austria"}
    lacking = client.post(f"{address}/load", files={"file": ("h.csv", "Graz,Styria,*\nLinz,Upper,*\n")})
    assert lacking.status_code == 400 and "Wels" in lacking.text
    twice = client.post(f"{address}/load", files={"file": ("h.csv", "Graz,A,*\nGraz,B,*\nLinz,A,*\nWels,A,*\n")})
    assert twice.status_code == 400 and "line 2" in text(twice.text)
    assert client.post(f"{address}/load", files={"file": ("h.csv", "")}).status_code == 400
    assert client.get(f"{address}/file").text.startswith("Graz")
    client.post(f"{address}/remove")
    assert "hierarchy" not in tomllib.loads(job(client, project))["columns"]["town"]


def test_columns_that_take_no_hierarchy_have_no_page(served: tuple[TestClient, str, Path]) -> None:
    client, project, _ = served
    assert client.get(f"{project}/hierarchies/0").status_code == 404
    assert client.get(f"{project}/hierarchies/99").status_code == 404


@pytest.mark.slow
def test_a_point_of_a_comparison_is_taken(served: tuple[TestClient, str, Path]) -> None:
    client, project, _ = served
    sent = {"method": ["mondrian", "cluster"], "vary-k": "4", "share": "1"}
    assert client.post(f"{project}/compare", data=sent).status_code == 303
    running = client.get(f"{project}/compare").text
    assert running.index("<noscript>") < running.index("</head>"), "what is swapped in would load the page anew"
    assert "What to compare" not in running, "what is typed would be swapped away"
    until(lambda: "every 1s" not in client.get(f"{project}/compare").text)
    page = client.get(f"{project}/compare").text
    points = re.findall(r'class="point [^"]*" name="cell" value="(\w+)" aria-label="([^"]*)"', page)
    assert len(points) == 2
    assert 'name="method" value="cluster" checked' in page and 'id="vary-k" name="vary-k" value="4"' in page
    (cell,) = [cell for cell, label in points if "cluster, k = 4" in label]
    assert client.post(f"{project}/compare/take", data={"cell": cell}).status_code == 303
    tables = tomllib.loads(job(client, project))
    assert tables["privacy"] == {"model": "k", "k": 4} and tables["method"]["name"] == "cluster"
    assert client.post(f"{project}/compare/take", data={"cell": "nothing"}).status_code == 404
    assert client.post(f"{project}/compare", data={**sent, "share": "7"}).status_code == 400


@pytest.mark.slow
def test_an_estimate_says_what_other_values_would_cost(
    served: tuple[TestClient, str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(parameters._TRIED, "k", (2, 20))
    client, project, _ = served
    assert client.post(f"{project}/promise/estimate").status_code == 303
    until(lambda: "estimating" not in client.get(f"{project}/promise").text)
    page = text(client.get(f"{project}/promise").text)
    assert "k = 2" in page and "k = 20" in page and "loss (NCP)" in page


_IMPOSSIBLE = (
    "ℓ = 3, but 'ill' has only 2 different values: whatever the slices, somebody's value can be told with a "
    "probability above 1/3.\n  ℓ = 1.32 can be reached, or more without this column.\n  Nothing was published."
)


def test_a_comparison_in_which_nothing_was_reached_tells_why(served: tuple[TestClient, str, Path]) -> None:
    """Such a cell has no time, and no measures."""
    client, project, folder = served
    (folder / "comparison").mkdir(exist_ok=True)
    failed = {"cell": "a", "method": "slicing", "status": "failed", "settings": {"privacy.l": 3}}
    cells = json.dumps({"cells": [failed | {"exit_code": 3, "message": _IMPOSSIBLE}]})
    (folder / "comparison" / "cells.json").write_text(cells, encoding="utf-8")
    answer = client.get(f"{project}/compare")
    (folder / "comparison" / "cells.json").unlink()
    assert answer.status_code == 200 and "ℓ = 1.32 can be reached" in text(answer.text)


def test_why_an_estimate_has_no_value_is_told_in_german() -> None:
    """Sentences are known line by line: they are not put on one."""
    failed = {"status": "failed", "settings": {"privacy.l": 3}, "message": _IMPOSSIBLE}
    (row,) = loss_by_value({"cells": [failed]}, "privacy.l")["rows"]
    assert [line.split()[0] for line in teller("de")(row["why"]).splitlines()] == ["ℓ", "ℓ", "Es"]


def _cell(name: str, k: int, ncp: float, seconds: float) -> dict[str, Any]:
    return {"cell": name, "method": "m", "status": "done", "settings": {"privacy.k": k}, "utility": {"ncp": ncp},
            "seconds": seconds}  # fmt: skip


def test_an_estimate_of_records_with_baskets_tells_both_losses() -> None:
    """Where more is lost in the values less may be in the baskets: one number would mislead."""
    cells = [_cell(str(m), 5, ncp, 1) | {"settings": {"privacy.m": m}} for m, ncp in ((1, 0.4), (2, 0.3))]
    alone = loss_by_value({"cells": cells}, "privacy.m")
    assert alone["also"] == "" and [row["also"] for row in alone["rows"]] == [None, None]
    both = [cell | {"utility": {**cell["utility"], "ncp_items": 0.1 * at}} for at, cell in enumerate(cells)]
    told = loss_by_value({"cells": both}, "privacy.m")
    assert told["also"].startswith("loss in the baskets")
    assert [(row["loss"], row["also"]) for row in told["rows"]] == [(0.4, 0.0), (0.3, 0.1)]


def test_the_frontier_is_what_nothing_beats() -> None:
    cells = [_cell("a", 2, 0.1, 1), _cell("b", 5, 0.3, 1), _cell("c", 5, 0.4, 1), _cell("d", 10, 0.3, 2)]
    drawn = picture(cells, "privacy.k", "ncp")
    assert [point.cell for point in drawn.points if point.is_best] == ["a", "d"]
    assert axes(cells)[:2] == ["privacy.k", "ncp"]
    by_time = picture(cells, "seconds", "ncp")
    assert [point.cell for point in by_time.points if point.is_best] == ["a"]
    assert all(64 <= point.left <= 696 and 16 <= point.top <= 312 for point in drawn.points)


def test_points_at_one_place_stand_side_by_side() -> None:
    """Equal ones, and those so close that one would hide the other; a point that is alone stands where it is."""
    cells = [_cell("0", 2, 0.5, 1), _cell("1", 2, 0.5, 1), _cell("2", 2, 0.5001, 1), _cell("3", 2, 0.9, 1)]
    drawn = picture(cells, "privacy.k", "ncp")
    shown = {point.cell: point.shown for point in drawn.points}
    assert len({round(shown[each]) for each in "012"}) == 3
    assert shown["1"] == shown["3"] == drawn.points[0].left
