"""How far a command is, on standard error: a bar on a terminal, a line a stage elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tacit.flow import STAGES


@contextmanager
def shown_progress() -> Iterator[Callable[[str], None]]:
    """Gives a function that takes the name of the stage that begins, or a word on how it goes."""
    if not sys.stderr.isatty():
        yield _line
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), BarColumn(), TimeElapsedColumn(), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=len(STAGES))

        def tell(message: str) -> None:
            done = STAGES.index(message) if message in STAGES else None
            bar.update(task, description=message, completed=done)

        yield tell


def _line(message: str) -> None:
    if message in STAGES:
        print(f"tacit: {message}", file=sys.stderr)
