"""Measuring cell by cell: in a process of its own, stopping what takes too long, and going on where it ended."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from studies.cells import Bench, cell_name, full_run, without
from studies.common import Point, load_points


def square(x: int) -> list[Point]:
    return [{"x": x, "square": x * x, "process": os.getpid()}]


def never(x: int) -> list[Point]:
    while True:
        x += 1


def crash(x: int) -> list[Point]:
    os._exit(x)


def some_stop(x: int, hard: bool) -> list[Point]:
    return never(x) if hard else [{"x": x, "part": part} for part in (1, 2)]


def study_of(*settings: dict[str, Any], **more: Any) -> ModuleType:
    """A study with these cells, of which hard ones take for ever."""

    def cells(size: str) -> Iterator[dict[str, Any]]:
        yield from settings

    study = ModuleType("a study")
    study.__dict__.update({"settings": cells, "measure": some_stop, "LIMIT": 0.5, **more})
    return study


@pytest.fixture(autouse=True)
def _scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("studies.common.HERE", tmp_path)


def test_points_come_from_one_other_process() -> None:
    with Bench(60) as bench:
        found = [bench.points(square, x=x) for x in (2, 3)]
    assert [point["square"] for (point,) in found] == [4, 9]
    assert found[0][0]["process"] == found[1][0]["process"] != os.getpid()


@pytest.mark.slow
def test_what_takes_too_long_is_stopped_and_the_next_is_measured() -> None:
    with Bench(0.5) as bench:
        assert bench.points(never, x=1) == [{"x": 1, "failed": "Stopped after 0.5 seconds."}]
        assert bench.points(square, x=3)[0]["square"] == 9


@pytest.mark.slow
def test_a_process_that_ends_by_itself_is_no_point() -> None:
    with Bench(60) as bench, pytest.raises(RuntimeError, match="ended with 7"):
        bench.points(crash, x=7)


@pytest.mark.slow
def test_what_was_stopped_is_kept_as_such_and_never_tried_again() -> None:
    hard, easy = {"x": 1, "hard": True}, {"x": 2, "hard": False}
    points = full_run("some", study_of(hard, easy))
    stopped, *rest = points
    assert stopped == {**hard, "failed": "Stopped after 0.5 seconds.", "cell": "x = 1, hard = True"}
    assert [point["part"] for point in rest] == [1, 2]
    assert load_points("some") == points, "every cell is saved"

    def explode(x: int, hard: bool) -> list[Point]:
        raise AssertionError("measured again")

    assert full_run("some", study_of(hard, easy, measure=explode), points) == points


@pytest.mark.slow
def test_what_is_known_is_not_measured_and_not_lost_meanwhile() -> None:
    first, second = {"x": 1, "hard": False}, {"x": 2, "hard": False}
    known = [{"x": 2, "part": 9, "cell": cell_name(second)}, {"x": 7, "cell": "gone"}, {"x": 8}]
    points = full_run("some", study_of(first, second), known)
    assert [point["part"] for point in points] == [1, 2, 9]
    saved = load_points("some")
    assert known[0] in saved and known[1] in saved, "saved after the first cell, before the second was reached"


def test_a_hopeless_cell_is_a_point_that_says_why() -> None:
    def why(setting: dict[str, Any], points: list[Point]) -> str | None:
        return "Too large." if points and setting["x"] > points[-1]["x"] else None

    points = full_run("some", study_of({"x": 1, "hard": False}, {"x": 2, "hard": True}, hopeless=why))
    assert points[-1] == {"x": 2, "hard": True, "failed": "Too large.", "cell": "x = 2, hard = True"}


def test_some_cells_can_be_forgotten() -> None:
    points = [{"cell": "method = best (ours), k = 5"}, {"cell": "method = MM, k = 5"}, {"cell": "method = MM, k = 50"}]
    assert without(points, []) == points
    assert without(points, ["best"]) == points[1:]
    assert without(points, ["best", "k = 50"]) == points[1:2]


def test_the_command_measures_anew_what_it_is_told_to(monkeypatch: pytest.MonkeyPatch) -> None:
    from studies.common import save_points

    from studies import __main__ as command

    asked: list[list[Point]] = []
    kept = [{"cell": "method = best"}, {"cell": "method = MM"}]

    def run(name: str, study: ModuleType, known: list[Point]) -> list[Point]:
        asked.append(known)
        return kept

    monkeypatch.setattr(command, "full_run", run)
    monkeypatch.setattr(command, "write_page", lambda name, study, points: name)
    monkeypatch.setattr(command, "DATA", Path(__file__).parent)
    save_points("baskets", kept)
    for arguments in (["baskets"], ["baskets", "--resume"], ["baskets", "--anew", "best"]):
        command.main(arguments)
    assert asked == [[], kept, kept[1:]]
