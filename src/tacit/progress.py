"""A bar over the stages of the flow, on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from tacit.flow import STAGES


@contextmanager
def bar() -> Iterator[Callable[[str], None]]:
    """Gives a function that takes the name of the stage that begins, or a word on how it goes."""
    columns = (SpinnerColumn(), BarColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task("", total=len(STAGES))

        def tell(message: str) -> None:
            done = STAGES.index(message) if message in STAGES else None
            shown.update(task, description=message, completed=done)

        yield tell
