"""The comparison of methods on the owner's own data: a grid of cells, each run on its own, a table and a page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tacit import __version__
from tacit.compare.grid import Cell
from tacit.compare.page import are_better_high, comparison_page
from tacit.compare.risk import TOLERATED, enough
from tacit.compare.run import Outcome, Tell, fetched, run_cells, usable_cores
from tacit.compare.scratch import scratch, write_private
from tacit.compare.table import as_csv, losses_of, rows_of
from tacit.errors import InputError


def compare(
    job: Path,
    cells: Sequence[Cell],
    folder: Path,
    *,
    timeout: float | None = None,
    workers: int | None = None,
    keep_failed: bool = False,
    threshold: float = TOLERATED,
    tell: Tell = lambda cell, outcome, again: None,
) -> list[Outcome]:
    """Runs the cells that `folder` does not hold yet, and writes there the table, the cells and the page.

    All files are for their owner alone: why a cell failed may be told with the names of items.
    """
    _check_folder(folder)
    (folder / "cells").mkdir(parents=True, exist_ok=True)
    with scratch(folder) as aside:
        outcomes = run_cells(
            fetched(cells, aside),
            folder / "cells",
            aside,
            timeout=timeout,
            workers=workers or usable_cores(),
            keep_failed=keep_failed,
            tell=tell,
        )
        content = {"job": job.name, "tacit": __version__, "enough": enough_for(outcomes, threshold), "cells": outcomes}
        for name, text in {
            "cells.json": json.dumps(content, ensure_ascii=False, indent=1) + "\n",
            "table.csv": as_csv(rows_of(outcomes)),
            "index.html": comparison_page(job.name, outcomes, threshold),
        }.items():
            write_private(folder / name, text, aside)
    return outcomes


def enough_for(outcomes: Sequence[Outcome], threshold: float) -> dict[str, Any]:
    """The cell that is enough for a tolerated risk, by the measures that stand for the loss; null if none is."""
    losses = losses_of(outcomes)
    found = enough(outcomes, losses, threshold, higher_is_better=are_better_high(losses))
    return {
        "threshold": threshold, "loss": " + ".join(losses) or None, "cell": None if found is None else found["cell"],
    }  # fmt: skip


def _check_folder(folder: Path) -> None:
    """Refuses a folder that holds anything but a comparison."""
    if folder.exists() and not folder.is_dir():
        raise InputError("the output directory is a file", file=folder, hint="Choose another one with -o DIR.")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / "cells").is_dir():
        hint = "Choose another one with -o DIR; an earlier comparison is gone on with."
        raise InputError("this directory holds something else than a comparison", file=folder, hint=hint)
