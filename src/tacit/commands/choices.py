"""What comes before a release: `init`, `compare` and `methods`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tacit.commands.parts import PATH, Number, Word, argument, command
from tacit.commands.shared import AS_JSON, DATA_FORMAT, JOB, PROGRESS, QUIET, SET, print_json
from tacit.commands.telling import Telling

if TYPE_CHECKING:
    from tacit.init import Asking


@command
@JOB
@click.option("-o", "--output", metavar="DIR", type=PATH, required=True, help="Where table and page go.")
@click.option("--methods", metavar="A,B", help="The methods; default: the job's.")
@click.option("--vary", metavar="KEY=V,W", multiple=True, help="A key and its values: privacy.k=2,5,10. Repeatable.")
@click.option("--sample", metavar="S,T", help="Shares of the records to run on: 0.1,0.5,1.")
@click.option("--timeout", metavar="SECONDS", type=Number(float, 0.1), help="End a cell that takes longer. [x>=0.1]")
@click.option("--workers", metavar="N", type=Number(int, 1), help="Cells at a time; default: one a core. [x>=1]")
@click.option("--keep-failed", is_flag=True, help="Do not try cells again that failed or were too slow.")
@click.option(
    "--threshold",
    metavar="RISK",
    type=Number(float, 0),
    default=0.09,
    help="The risk that is tolerated; the cell that is enough is marked. [x>=0]",
)
@click.option("--no-attack", is_flag=True, help="Leave attackers out: no risk beside the loss.")
@SET
@PROGRESS
@QUIET
@AS_JSON
@click.pass_obj
def compare(
    telling: Telling, job: Path, output: Path, methods: str | None, vary: tuple[str, ...], sample: str | None,
    timeout: float | None, workers: int | None, keep_failed: bool, threshold: float, no_attack: bool,
    settings: tuple[str, ...], as_json: bool,
) -> int:  # fmt: skip
    """Compare methods and parameters on the job's data: a table, plots, one page. Nothing is published."""
    from tacit.compare import compare as run_comparison
    from tacit.compare import enough_for
    from tacit.compare.grid import plan, shares_in
    from tacit.compare.page import in_words
    from tacit.compare.table import as_text, exit_code

    names = [name.strip() for name in (methods or "").split(",")]
    cells = plan(job, names, vary, shares_in(sample), settings, attacks=not no_attack)
    with telling.cells(len(cells)) as tell:
        outcomes = run_comparison(
            job,
            cells,
            output,
            timeout=timeout,
            workers=workers,
            keep_failed=keep_failed,
            threshold=threshold,
            tell=tell,
        )
    found = enough_for(outcomes, threshold)
    if as_json:
        print_json({"directory": str(output), "enough": found, "cells": outcomes})
    else:
        print(as_text(outcomes))
        if found["loss"] and not no_attack:
            best = next((outcome for outcome in outcomes if outcome["cell"] == found["cell"]), None)
            print(f"\n{in_words(best, found['loss'].split(' + '), threshold)}")
        print(f"\nTable: {output / 'table.csv'}\nPage: {output / 'index.html'}")
    return exit_code(outcomes)


def _kinds_of_data() -> tuple[str, ...]:
    from tacit.init import KINDS_OF_DATA

    return KINDS_OF_DATA


@command
@argument("data", "DATA", "The raw data: a file, the URL of a database, or a project of ARX (.deid).", type=str)
@click.option("-o", "--output", metavar="JOB", type=PATH, default=Path("job.toml"), help="The job file to write.")
@click.option("-i", "--interactive", is_flag=True, help="Ask about each column, with the guess and its reason.")
@click.option(
    "--kind",
    metavar="KIND",
    type=Word(_kinds_of_data),
    default="auto",
    help="What the data are: auto, baskets, records, slices or ratings.",
)
@click.option("--table", metavar="T", help="The table of a database, or the sheet of a workbook.")
@click.option(
    "--join", "joins", metavar="SOURCE,KEY,ITEMS", multiple=True,
    help="Rows of the same persons elsewhere, as a set a person: diagnoses.csv,id,code. Repeatable.",
)  # fmt: skip
@click.option("--hierarchy", metavar="H.csv", type=PATH, help="A hierarchy of the items; else one is built.")
@DATA_FORMAT
@click.option("--force", is_flag=True, help="Replace files that exist.")
@PROGRESS
@QUIET
@AS_JSON
def init(
    data: str, output: Path, interactive: bool, kind: str, table: str | None, joins: tuple[str, ...],
    hierarchy: Path | None, data_format: str | None, force: bool, as_json: bool,
) -> None:  # fmt: skip
    """Look at the data, guess roles, build hierarchies where none is given, and write a commented job file."""
    from tacit.init import write_first_job

    found = write_first_job(
        data, output, kind=kind, table=table, joins=joins, hierarchy=hierarchy, format=data_format, force=force,
        asking=_asking() if interactive else None,
    )  # fmt: skip
    if as_json:
        print_json(found)
        return
    if found["kind"] != "baskets":
        print(f"found: {found['kind']}, {found['records']:,} rows")
        for file in found["hierarchies"]:
            print(f"hierarchy: {file}")
    else:
        whose = f", one row per {found['person']!r} and item" if found["person"] else ""
        print(
            f"found: {found['records']:,} baskets of {found['items']:,} different items in {found['column']!r}{whose}"
        )
        print(f"hierarchy: {found['hierarchy']} ({found['hierarchy_kind']}: {found['hierarchy_shape']})")
    if sheets := found.get("sheets_not_read"):
        print(f"sheets that were not read: {', '.join(sheets)} (--table SHEET, or --join SHEET,KEY,ITEMS)")
    if found["encoding"]:
        print(f"encoding: {found['encoding']} (a guess: do letters with accents look right?)")
    for name, why in found["reasons"].items():
        print(f"  {name}: {found['roles'].get(name, 'not published')} ({why})")
    print(f"wrote: {output}")
    for what in found["decide"]:
        print(f"to decide first: {what}")
    what = "look at both" if found["kind"] == "baskets" else "correct the roles in it"
    if not found["decide"]:
        print(f"next: {what}, then run `tacit anonymize {output}`")


def _asking() -> Asking:
    """Questions on standard error, answers from standard input, so that the result can be redirected."""
    from tacit.init import Asking

    def answer(question: str) -> str | None:
        print(question, end=" " if sys.stdin.isatty() else "\n", file=sys.stderr, flush=True)
        return sys.stdin.readline() or None

    return Asking(lambda line: print(line, file=sys.stderr, flush=True), answer)


@command
@AS_JSON
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
