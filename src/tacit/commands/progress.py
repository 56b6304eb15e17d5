"""How far a command is, on standard error: a bar on a terminal, a line a stage elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

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


@contextmanager
def counted_progress(total: int) -> Iterator[Callable[[Any, Mapping[str, Any], bool], None]]:
    """Gives a function that takes a cell of a comparison that has ended, its outcome, and whether it was there."""
    done = 0

    def line(cell: Any, outcome: Mapping[str, Any], again: bool) -> str:
        nonlocal done
        done += 1
        took = f" in {outcome['seconds']:.1f} s" if outcome.get("seconds") is not None else ""
        reason = f": {' '.join(str(outcome['message']).split())}" if outcome.get("message") else ""
        return f"tacit: {done} of {total}: {cell}: {outcome['status']}{took}{', from before' * again}{reason}"

    if not sys.stderr.isatty():
        yield lambda *ended: print(line(*ended), file=sys.stderr)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), BarColumn(), TimeElapsedColumn(), TextColumn("{task.completed} of {task.total}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total)

        def tell(*ended: Any) -> None:
            bar.console.print(line(*ended), markup=False, highlight=False)
            bar.advance(task)

        yield tell


def _line(message: str) -> None:
    if message in STAGES:
        print(f"tacit: {message}", file=sys.stderr)
