"""What comes before a release: `init`, `compare` and `methods`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tacit.commands.parts import Argument, command, option, switch
from tacit.commands.shared import AS_JSON, DATA_FORMAT, JOB, SETTINGS, print_json


@command(
    JOB,
    option("-o --output", "DIR", "Where table and page go.", Path, needed=True),
    option("--methods", "A,B", "The methods; default: the job's."),
    option("--vary", "KEY=V,W", "A key and its values: privacy.k=2,5,10. Repeatable.", repeated=True),
    option("--sample", "S,T", "Shares of the records to run on: 0.1,0.5,1."),
    option("--timeout", "SECONDS", "End a cell that takes longer.", float, least=0.1),
    option("--workers", "N", "Cells at a time; default: one a core.", int, least=1),
    switch("--keep-failed", "Do not try cells again that failed or were too slow."),
    SETTINGS, AS_JSON,
)  # fmt: skip
def compare(
    job: Path, output: Path, methods: str | None, vary: list[str], sample: str | None, timeout: float | None,
    workers: int | None, keep_failed: bool, settings: list[str], as_json: bool,
) -> int:  # fmt: skip
    """Compare methods and parameters on the job's data: a table, plots, one page. Nothing is published."""
    from tacit.commands.progress import counted_progress
    from tacit.compare import compare as run_comparison
    from tacit.compare.grid import plan, shares_in
    from tacit.compare.table import as_text, exit_code

    names = [name.strip() for name in (methods or "").split(",")]
    cells = plan(job, names, vary, shares_in(sample), settings)
    with counted_progress(len(cells)) as tell:
        outcomes = run_comparison(
            job, cells, output, timeout=timeout, workers=workers, keep_failed=keep_failed, tell=tell
        )
    if as_json:
        print_json({"directory": str(output), "cells": outcomes})
    else:
        print(as_text(outcomes))
        print(f"\nTable: {output / 'table.csv'}\nPage: {output / 'index.html'}")
    return exit_code(outcomes)


@command(
    Argument("data", "DATA", "The raw data."),
    option("-o --output", "JOB", "The job file to write.", Path, default=Path("job.toml")),
    option("--kind", "KIND", "What the data are: auto, baskets, records, slices or ratings.", default="auto"),
    option("--hierarchy", "H.csv", "A hierarchy of the items; else one is built.", Path),
    DATA_FORMAT,
    switch("--force", "Replace files that exist."),
    AS_JSON,
)
def init(
    data: Path, output: Path, kind: str, hierarchy: Path | None, data_format: str | None, force: bool, as_json: bool
) -> None:
    """Look at the data, guess roles, build a hierarchy where none is given, and write a commented job file."""
    from tacit.init import write_first_job

    found = write_first_job(data, output, kind=kind, hierarchy=hierarchy, format=data_format, force=force)
    if as_json:
        print_json(found)
        return
    if found["kind"] != "baskets":
        print(f"found: {found['kind']}, {found['records']:,} rows")
        for name, role in found["roles"].items():
            print(f"  {name}: {role}")
        for file in found["hierarchies"]:
            print(f"hierarchy: {file}")
        print(f"wrote: {output}\nnext: correct the roles in it, then run `tacit anonymize {output}`")
        return
    whose = f", one row per {found['person']!r} and item" if found["person"] else ""
    print(f"found: {found['records']:,} baskets of {found['items']:,} different items in {found['column']!r}{whose}")
    print(f"hierarchy: {found['hierarchy']} ({found['hierarchy_kind']}: {found['hierarchy_shape']})")
    print(f"wrote: {output}\nnext: look at both, then run `tacit anonymize {output}`")


@command(AS_JSON)
def methods(as_json: bool) -> None:
    """List the methods, for which promise and data each one is, and its options."""
    from tacit.methods import METHODS
    from tacit.promises import MODELS

    rows: list[dict[str, Any]] = [
        {
            "method": name,
            "models": list(info.models),
            "default_for": [model for model in info.models if MODELS[model].default_method == name],
            "summary": info.summary,
            "options": {key: option.meaning for key, option in info.options.items()},
        }
        for name, info in METHODS.items()
    ]
    if as_json:
        print_json({"methods": rows})
        return
    for row in rows:
        made = (f"{model} (default)" if model in row["default_for"] else model for model in row["models"])
        print(f"{row['method']}: {row['summary']}\n  makes: {', '.join(made)}")
        for key, meaning in row["options"].items():
            print(f"  {key}: {meaning}")
