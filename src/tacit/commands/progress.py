"""How far a command is, on standard error: a bar on a terminal, lines elsewhere, or events for other programs.

The flow tells a stage that begins, by its name, or a word on how it goes. Such words may come thousands of times a
second; a display shows as many of them as somebody can read.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tacit.steps.stages import STAGES

Tell = Callable[[str], None]

COMPILING = "compiling"
"""The word that is always shown, with what follows it: a first run takes longer, a second one does not."""
_BETWEEN_LINES, _BETWEEN_EVENTS, _BETWEEN_FRAMES = 10.0, 0.2, 0.1


class Seldom:
    """Says yes at most once in so many seconds."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._last = seconds, time.monotonic()

    def __call__(self) -> bool:
        now = time.monotonic()
        if now - self._last < self._seconds:
            return False
        self._last = now
        return True

    def restart(self) -> None:
        """From now on it is so many seconds again."""
        self._last = time.monotonic()


@contextmanager
def lines() -> Iterator[Tell]:
    """A line a stage; of one that takes long, now and then a line on how it goes."""
    is_time = Seldom(_BETWEEN_LINES)

    def tell(message: str) -> None:
        if message in STAGES or message.startswith(COMPILING):
            print(f"tacit: {message}", file=sys.stderr)
            is_time.restart()
        elif is_time():
            print(f"tacit:   {message}", file=sys.stderr)

    yield tell


@contextmanager
def events() -> Iterator[Tell]:
    """An event a stage, and one for what is told in between."""
    is_time = Seldom(_BETWEEN_EVENTS)
    stage: str | None = None

    def tell(message: str) -> None:
        nonlocal stage
        if message in STAGES:
            stage = message
            event("stage", stage=stage, done=STAGES.index(stage) / len(STAGES))
        elif message.startswith(COMPILING) or is_time():
            event("message", stage=stage, message=message, done=STAGES.index(stage) / len(STAGES) if stage else None)

    yield tell


@contextmanager
def bar() -> Iterator[Tell]:
    """A bar that goes on with each stage, and the last word beside it."""
    is_time = Seldom(_BETWEEN_FRAMES)
    with _rich_bar("{task.description}", len(STAGES)) as (shown, task):

        def tell(message: str) -> None:
            if message in STAGES:
                shown.update(task, description=message, completed=STAGES.index(message))
            elif message.startswith(COMPILING) or is_time():
                shown.update(task, description=message)

        yield tell


@contextmanager
def counted_lines() -> Iterator[Tell]:
    """A line for each thing that ended."""
    yield lambda message: print(f"tacit: {message}", file=sys.stderr)


@contextmanager
def counted_events(stage: str, total: int) -> Iterator[Tell]:
    """An event for each of so many things that ended."""
    done = 0

    def tell(message: str) -> None:
        nonlocal done
        done += 1
        event("message", stage=stage, message=message, done=done / total)

    yield tell


@contextmanager
def counting_bar(total: int) -> Iterator[Tell]:
    """A bar that goes on with each of so many things that ended; a line for each stands above it."""
    with _rich_bar("{task.completed} of {task.total}", total) as (shown, task):

        def tell(message: str) -> None:
            shown.console.print(f"tacit: {message}", markup=False, highlight=False)
            shown.advance(task)

        yield tell


def event(name: str, **more: Any) -> None:
    """Prints an event: one object of JSON on a line of its own."""
    content = {"event": name, "stage": None, "message": None, "done": None, **more}
    print(json.dumps(content), file=sys.stderr, flush=True)


@contextmanager
def _rich_bar(text: str, total: int) -> Iterator[tuple[Any, Any]]:
    """A bar of Rich, which heeds NO_COLOR and terminals that cannot move their cursor."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), BarColumn(), TimeElapsedColumn(), TextColumn(text, markup=False))
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        yield shown, shown.add_task("", total=total)
