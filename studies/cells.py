"""Measuring in a process of its own, which can be stopped: what takes too long is a point that says so."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any, Self

from studies.common import Point


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

    def point(self, measure: Callable[..., Point], **setting: Any) -> Point:
        """What `measure(**setting)` finds; if time runs out, the setting with a word on that."""
        self._pipe.send((measure, setting))
        try:
            return self._pipe.recv()
        except EOFError:
            self._process.join()
            if self._process.exitcode != -signal.SIGPROF:
                raise RuntimeError(f"the process that measured {setting} ended with {self._process.exitcode}") from None
            self._start()
            return {**setting, "failed": f"Stopped after {self.limit:g} seconds."}

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
