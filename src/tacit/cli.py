"""The command `tacit`: thin callers of the flow. Results go to standard output, everything else to standard error."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from tacit.errors import InputError, TacitError
from tacit.startup import start_quickly

if TYPE_CHECKING:
    from tacit.release import Release

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    epilog="Exit codes: 0 done; 1 the promise does not hold; 2 bad input; 3 the promise cannot be reached.",
)
hierarchy = typer.Typer(help="Make, check and draw hierarchies.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(hierarchy, name="hierarchy")

JobFile = Annotated[Path, typer.Argument(metavar="JOB", help="The job file (TOML).", show_default=False)]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Settings = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change the job: privacy.k=10. Repeatable.")
]
Force = Annotated[bool, typer.Option("--force", help="Replace the output if it exists, all at once.")]
NoReport = Annotated[bool, typer.Option("--no-report", help="Leave out private/report.html.")]
DataFormat = Annotated[
    str | None, typer.Option("--format", metavar="FORMAT", help="The data's format, if its name does not tell.")
]


def run() -> NoReturn:
    """The command as a process: once it is done it ends, with its exit code and nothing else.

    Left to the interpreter, a thread pool of Arrow now and then aborts the process on its way out.
    """
    start_quickly()
    exit_code = 0
    try:
        main()
    except SystemExit as done:
        exit_code = done.code if isinstance(done.code, int) else int(done.code is not None)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):  # nobody reads on, as in `tacit ... | head`
            stream.flush()
    os._exit(exit_code)


def main() -> None:
    """Runs a command. A user's mistake ends in a message and its exit code, never in a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a name that this terminal cannot show is no reason to fail
    try:
        app()
    except TacitError as error:
        _fail(str(error), error.exit_code, getattr(error, "details", {}))
    except MemoryError:
        _fail("the data does not fit into the memory of this machine; nothing was published")
    except OSError as error:
        _fail(f"{error.filename}: {error.strerror}" if error.filename else str(error))


def _fail(message: str, exit_code: int = 2, details: Mapping[str, Any] | None = None) -> NoReturn:
    if "--json" in sys.argv:
        _print_json({"error": message, "exit_code": exit_code, **(details or {})})
    print(f"tacit: {message}", file=sys.stderr)
    sys.exit(exit_code)


def _version(asked: bool) -> None:
    if asked:
        from tacit import __version__

        print(f"tacit {__version__}")
        raise typer.Exit


@app.callback()
def tacit(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_version, help="Print it and exit.")
    ] = False,
) -> None:
    """Publish data about people without giving the people away: anonymize, prove, and show the cost."""


@app.command()
def anonymize(
    job: JobFile,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="DIR", help="Where the release goes.")
    ] = None,
    settings: Settings = None,
    no_report: NoReport = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Make a release: anonymize, audit, and write it, all or nothing."""
    from tacit.flow import anonymize_job
    from tacit.job import read_job
    from tacit.progress import shown_progress

    asked = read_job(job, overrides=settings or ())
    with shown_progress() as progress:
        release = anonymize_job(asked, directory=output, force=force, report=not no_report, progress=progress)
    _show_release(release, output or asked.output.directory, as_json)


@app.command()
def audit(
    job: JobFile,
    data: Annotated[Path, typer.Argument(metavar="DATA", help="The published file.", show_default=False)],
    original: Annotated[
        bool, typer.Option("--original", help="Compare with the job's input, too: finds values that are not true.")
    ] = False,
    data_format: DataFormat = None,
    settings: Settings = None,
    as_json: AsJson = False,
) -> None:
    """Check a published file against the job's promise, whoever made it."""
    from tacit.flow import audit_file
    from tacit.job import read_job
    from tacit.progress import shown_progress

    asked = read_job(job, overrides=settings or ())
    with shown_progress() as progress:
        result, problems = audit_file(asked, data, original=original, format=data_format, progress=progress)
    if as_json:
        _print_json({**result.to_dict(), "false_values": problems} if original else result.to_dict())
    else:
        print(result)
        for problem in problems:
            print(f"Not true to the original: {problem}")
        if original and not problems:
            print("True to the original, as far as it can be compared without knowing which record is which.")
    if result.satisfied is not True or problems:
        raise typer.Exit(1)


@app.command()
def apply(
    release: Annotated[
        Path, typer.Argument(metavar="DIR", help="The release whose recoding is used.", show_default=False)
    ],
    data: Annotated[Path, typer.Argument(metavar="DATA", help="The new delivery.", show_default=False)],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="DIR", help="Where it goes; default: DATA's name + '-out'."),
    ] = None,
    union: Annotated[
        bool, typer.Option("--union", help="Audit the new delivery together with what DIR published.")
    ] = False,
    unseen: Annotated[
        str, typer.Option("--unseen", metavar="WHAT", help="Items the recoding never saw: refuse, or suppress them.")
    ] = "refuse",
    extend: Annotated[
        bool, typer.Option("--extend", help="Leave out of the new delivery what breaks the promise.")
    ] = False,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", help="To make a delivery again; default: drawn.", min=0)
    ] = None,
    data_format: DataFormat = None,
    no_report: NoReport = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Recode new data of the same kind with a release's saved recoding, and audit the result."""
    from tacit.apply import apply_release
    from tacit.progress import shown_progress

    target = output or data.with_name(data.name.split(".")[0] + "-out")
    with shown_progress() as progress:
        made = apply_release(
            release, data, target,
            union=union, unseen=unseen, extend=extend,
            force=force, report=not no_report, format=data_format, seed=seed, progress=progress,
        )  # fmt: skip
    _show_release(made, target, as_json)


@app.command()
def compare(
    job: JobFile,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="Where table and page go.", show_default=False)
    ],
    methods: Annotated[
        str | None, typer.Option("--methods", metavar="A,B", help="The methods; default: the job's.")
    ] = None,
    vary: Annotated[
        list[str] | None,
        typer.Option("--vary", metavar="KEY=V,W", help="A key and its values: privacy.k=2,5,10. Repeatable."),
    ] = None,
    sample: Annotated[
        str | None, typer.Option("--sample", metavar="S,T", help="Shares of the records to run on: 0.1,0.5,1.")
    ] = None,
    timeout: Annotated[
        float | None, typer.Option("--timeout", metavar="SECONDS", help="End a cell that takes longer.", min=0.1)
    ] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", metavar="N", help="Cells at a time; default: one a core.", min=1)
    ] = None,
    keep_failed: Annotated[
        bool, typer.Option("--keep-failed", help="Do not try cells again that failed or were too slow.")
    ] = False,
    settings: Settings = None,
    as_json: AsJson = False,
) -> None:
    """Compare methods and parameters on the job's data: a table, plots, one page. Nothing is published."""
    from tacit.compare import compare as run_comparison
    from tacit.compare.grid import plan, shares_in
    from tacit.compare.table import as_text, exit_code
    from tacit.progress import counted_progress

    names = [name.strip() for name in (methods or "").split(",")]
    cells = plan(job, names, vary or (), shares_in(sample), settings or ())
    with counted_progress(len(cells)) as tell:
        outcomes = run_comparison(
            job, cells, output, timeout=timeout, workers=workers, keep_failed=keep_failed, tell=tell
        )
    if as_json:
        _print_json({"directory": str(output), "cells": outcomes})
    else:
        print(as_text(outcomes))
        print(f"\nTable: {output / 'table.csv'}\nPage: {output / 'index.html'}")
    raise typer.Exit(exit_code(outcomes))


@app.command()
def init(
    data: Annotated[Path, typer.Argument(metavar="DATA", help="The raw data.", show_default=False)],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="JOB", help="The job file to write.")] = Path(
        "job.toml"
    ),
    kind: Annotated[
        str, typer.Option(help="What the data are: auto, baskets, records, slices or ratings.", metavar="KIND")
    ] = "auto",
    hierarchy_file: Annotated[
        Path | None, typer.Option("--hierarchy", metavar="H.csv", help="A hierarchy of the items; else one is built.")
    ] = None,
    data_format: DataFormat = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False,
    as_json: AsJson = False,
) -> None:
    """Look at the data, guess roles, build a hierarchy where none is given, and write a commented job file."""
    from tacit.init import write_first_job

    found = write_first_job(data, output, kind=kind, hierarchy=hierarchy_file, format=data_format, force=force)
    if as_json:
        _print_json(found)
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


@app.command()
def demo(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Which sample: baskets, records, slices or ratings.")
    ] = "baskets",
    output: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="Where the release goes.")] = Path(
        "out"
    ),
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Run the main job on sample data that ships with the package: anonymize, audit, report."""
    from tacit.demo import demo_job
    from tacit.flow import anonymize_job
    from tacit.progress import shown_progress
    from tacit.release import is_release_of

    with demo_job(name, output) as job, shown_progress() as progress:
        again = is_release_of(output, job.input.source)  # what an earlier demo wrote is replaced, nothing else
        release = anonymize_job(job, force=force or again, progress=progress)
    _show_release(release, output, as_json)


@app.command()
def methods(as_json: AsJson = False) -> None:
    """List the methods, for which promise and data each one is, and its options."""
    from tacit.methods import DEFAULT_METHOD, METHODS

    rows: list[dict[str, Any]] = [
        {
            "method": name,
            "models": list(info.models),
            "default_for": [model for model in info.models if DEFAULT_METHOD[model] == name],
            "summary": info.summary,
            "options": {key: option.meaning for key, option in info.options.items()},
        }
        for name, info in METHODS.items()
    ]
    if as_json:
        _print_json({"methods": rows})
        return
    for row in rows:
        made = (f"{model} (default)" if model in row["default_for"] else model for model in row["models"])
        print(f"{row['method']}: {row['summary']}\n  makes: {', '.join(made)}")
        for key, meaning in row["options"].items():
            print(f"  {key}: {meaning}")


@hierarchy.command("build")
def hierarchy_build(
    data: Annotated[
        Path, typer.Argument(metavar="DATA", help="The data whose values become leaves.", show_default=False)
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="H.csv", help="The file to write.", show_default=False)
    ],
    column: Annotated[str | None, typer.Option(help="The column; needed if the data has more than one.")] = None,
    separator: Annotated[str | None, typer.Option(help="What divides the items of a set-valued column.")] = None,
    kind: Annotated[str, typer.Option(help="auto, balanced, frequency, prefix, intervals or dates.")] = "auto",
    fanout: Annotated[int | None, typer.Option(help="Children per node (balanced, frequency, intervals).")] = None,
    width: Annotated[float | None, typer.Option(help="Width of the narrowest interval (intervals).")] = None,
    lengths: Annotated[str | None, typer.Option(help="Prefix lengths, such as 1,3 (prefix).")] = None,
    data_format: DataFormat = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
    as_json: AsJson = False,
) -> None:
    """Make a hierarchy over the values of the data."""
    from tacit.init import build_hierarchy

    options = {"fanout": fanout, "width": width, "lengths": None if lengths is None else _whole_numbers(lengths)}
    given = {key: value for key, value in options.items() if value is not None}
    made = build_hierarchy(data, output, column, separator, kind, given, format=data_format, force=force)
    if as_json:
        _print_json(made)
    else:
        print(f"wrote: {output} ({made['kind']}: {made['shape']})")


@hierarchy.command("check")
def hierarchy_check(
    file: Annotated[Path, typer.Argument(metavar="H.csv", help="The hierarchy.", show_default=False)],
    as_json: AsJson = False,
) -> None:
    """Check a hierarchy; each fault is named with its line and value."""
    from tacit.taxonomy import check_hierarchy, read_hierarchy
    from tacit.taxonomy.draw import summary

    faults = check_hierarchy(file)
    tree = None if faults else read_hierarchy(file)
    if as_json:
        shape = {} if tree is None else {"shape": summary(tree), "notes": list(tree.notes)}
        _print_json({"faults": [asdict(fault) for fault in faults], **shape})
    for fault in () if as_json else faults:
        print(f"{file}{f', line {fault.line}' if fault.line else ''}: {fault.problem}\n  {fault.hint}")
    if tree is None:
        raise typer.Exit(2)
    if not as_json:
        print("\n".join([f"{file}: in order. {summary(tree)}", *tree.notes]))


@hierarchy.command("show")
def hierarchy_show(
    file: Annotated[Path, typer.Argument(metavar="H.csv", help="The hierarchy.", show_default=False)],
    depth: Annotated[int | None, typer.Option(help="How many levels to draw.", min=0)] = None,
    as_json: AsJson = False,
) -> None:
    """Draw a hierarchy."""
    from tacit.taxonomy import draw, read_hierarchy
    from tacit.taxonomy.draw import summary

    tree = read_hierarchy(file)
    if as_json:
        _print_json({"shape": summary(tree), "notes": list(tree.notes), "paths": tree.to_paths()})
        return
    print(draw(tree, depth=depth))
    for note in tree.notes:
        print(f"note: {note}", file=sys.stderr)


def _show_release(release: Release, directory: Path, as_json: bool) -> None:
    for note in release.notes:
        print(f"note: {note}", file=sys.stderr)
    if as_json:
        _print_json({"directory": str(directory), "audit": release.audit.to_dict(), "utility": release.utility,
                     "notes": list(release.notes)})  # fmt: skip
        return
    print(release)
    print(f"\nTo publish: {directory / 'public'}\nFor you alone: {directory / 'private'}")


def _print_json(content: dict[str, Any]) -> None:
    print(json.dumps(content, ensure_ascii=False, indent=2))


def _whole_numbers(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise InputError(f"--lengths is {text!r}, but it must be whole numbers such as 1,3") from None


if __name__ == "__main__":
    run()
