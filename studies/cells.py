"""Measuring cell by cell: every cell is kept as soon as it is there, and a study that was stopped can go on.

A cell is one setting of a study, plain values by name. It is measured in a process of its own, which can be stopped:
what takes too long is a point that says so, and is not tried again.
"""

from __future__ import annotations

import multiprocessing
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from multiprocessing.connection import Connection
from types import ModuleType, TracebackType
from typing import Any, Self

from studies.common import Point, save_points

Setting = dict[str, Any]
Measure = Callable[..., list[Point]]


def cell_name(setting: Mapping[str, Any]) -> str:
    """A setting in words, by which its points are known again."""
    return ", ".join(f"{key} = {value}" for key, value in setting.items() if value is not None)


def small_run(study: ModuleType) -> list[Point]:
    """The small version of a study, in this process."""
    return [point for setting in study.settings("small") for point in study.measure(**setting)]


def full_run(name: str, study: ModuleType, known: Sequence[Point] = ()) -> list[Point]:
    """Every cell of a study, but for those that are `known`; the points of each are saved at once.

    `study.hopeless(setting, points)` may say of a cell, before it is tried, why it is not.
    """
    kept: dict[str, list[Point]] = {}
    for point in known:
        kept.setdefault(point.get("cell", ""), []).append(point)
    found: dict[str, list[Point]] = {}
    why_not = getattr(study, "hopeless", lambda setting, points: None)
    with Bench(study.LIMIT) as bench:
        for setting in study.settings("full"):
            cell = cell_name(setting)
            if cell not in kept:
                print(f"{name}: {cell}", file=sys.stderr)
                reason = why_not(setting, _all(found))
                points = [{**setting, "failed": reason}] if reason else bench.points(study.measure, **setting)
                kept[cell] = [{**point, "cell": cell} for point in points]
                save_points(name, _all(kept))
            found[cell] = kept[cell]
    return _all(found)


def without(points: Sequence[Point], words: Sequence[str]) -> list[Point]:
    """The points of all cells in whose names none of the words stands."""
    return [point for point in points if not any(word in point.get("cell", "") for word in words)]


def _all(cells: Mapping[str, Sequence[Point]]) -> list[Point]:
    return [point for points in cells.values() for point in points]


class Bench:
    """Runs one measurement after the other in the same process, and gives each so many seconds of processor time.

    Processor time, so that other work on the machine stops nothing; by the system's own timer, since compiled code
    does not look at Python's signals. What a process learned (data, compiled code) is lost only when one is stopped.
    """

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self._context = multiprocessing.get_context("spawn")
        self._start()

    def _start(self) -> None:
        self._pipe, other = self._context.Pipe()
        self._process = self._context.Process(target=_serve, args=(other, self.limit), daemon=True)
        self._process.start()
        other.close()

    def points(self, measure: Measure, **setting: Any) -> list[Point]:
        """What `measure(**setting)` finds; if time runs out, the setting with a word on that."""
        self._pipe.send((measure, setting))
        try:
            return self._pipe.recv()
        except EOFError:
            self._process.join()
            if self._process.exitcode != -signal.SIGPROF:
                raise RuntimeError(f"the process that measured {setting} ended with {self._process.exitcode}") from None
            self._start()
            return [{**setting, "failed": f"Stopped after {self.limit:g} seconds."}]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.terminate()
        self._process.join()


def _serve(pipe: Connection, limit: float) -> None:
    while True:
        measure, setting = pipe.recv()
        signal.setitimer(signal.ITIMER_PROF, limit)
        found = measure(**setting)
        signal.setitimer(signal.ITIMER_PROF, 0)
        pipe.send(found)
