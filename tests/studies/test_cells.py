"""Measuring in a process of its own, and stopping what takes too long."""

from __future__ import annotations

import os
from typing import Any

import pytest
from studies.cells import Bench


def square(x: int) -> dict[str, Any]:
    return {"x": x, "square": x * x, "process": os.getpid()}


def never(x: int) -> dict[str, Any]:
    while True:
        x += 1


def crash(x: int) -> dict[str, Any]:
    os._exit(x)


def test_points_come_from_one_other_process() -> None:
    with Bench(60) as bench:
        found = [bench.point(square, x=x) for x in (2, 3)]
    assert [point["square"] for point in found] == [4, 9]
    assert found[0]["process"] == found[1]["process"] != os.getpid()


def test_what_takes_too_long_is_stopped_and_the_next_is_measured() -> None:
    with Bench(0.5) as bench:
        assert bench.point(never, x=1) == {"x": 1, "failed": "Stopped after 0.5 seconds."}
        assert bench.point(square, x=3)["square"] == 9


def test_a_process_that_ends_by_itself_is_no_point() -> None:
    with Bench(60) as bench, pytest.raises(RuntimeError, match="ended with 7"):
        bench.point(crash, x=7)
