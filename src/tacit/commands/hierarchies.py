"""Making, checking and drawing hierarchies: `hierarchy build`, `check` and `show`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from tacit.commands.parts import PATH, Group, Number, Word, argument, command
from tacit.commands.shared import AS_JSON, DATA_FORMAT, PROGRESS, QUIET, print_json
from tacit.commands.telling import Telling
from tacit.errors import InputError

FILE = argument("file", "H.csv", "The hierarchy.")

hierarchy = Group(
    "hierarchy",
    {name: f"{__name__}:{name}" for name in ("build", "check", "show")},
    help="Make, check and draw hierarchies.",
)


def _kinds() -> list[str]:
    from tacit.taxonomy import KINDS

    return ["auto", *KINDS]


@command
@argument("data", "DATA", "The data whose values become leaves.")
@click.option("-o", "--output", metavar="H.csv", type=PATH, required=True, help="The file to write.")
@click.option("--column", metavar="NAME", help="The column; needed if the data has more than one.")
@click.option("--separator", metavar="TEXT", help="What divides the items of a set-valued column.")
@click.option(
    "--kind",
    metavar="KIND",
    type=Word(_kinds),
    default="auto",
    help="auto, balanced, frequency, prefix, intervals or dates.",
)
@click.option("--fanout", metavar="N", type=Number(int), help="Children per node (balanced, frequency, intervals).")
@click.option("--width", metavar="N", type=Number(float), help="Width of the narrowest interval (intervals).")
@click.option("--lengths", metavar="N,N", help="Prefix lengths, such as 1,3 (prefix).")
@DATA_FORMAT
@click.option("--force", is_flag=True, help="Replace the file if it exists.")
@PROGRESS
@QUIET
@AS_JSON
def build(
    data: Path, output: Path, column: str | None, separator: str | None, kind: str, fanout: int | None,
    width: float | None, lengths: str | None, data_format: str | None, force: bool, as_json: bool,
) -> None:  # fmt: skip
    """Make a hierarchy over the values of the data."""
    from tacit.init import build_hierarchy

    options = {"fanout": fanout, "width": width, "lengths": None if lengths is None else _whole_numbers(lengths)}
    given = {key: value for key, value in options.items() if value is not None}
    made = build_hierarchy(data, output, column, separator, kind, given, format=data_format, force=force)
    if as_json:
        print_json(made)
    else:
        print(f"wrote: {output} ({made['kind']}: {made['shape']})")


@command
@FILE
@AS_JSON
def check(file: Path, as_json: bool) -> int:
    """Check a hierarchy; each fault is named with its line and value."""
    from tacit.taxonomy import check_hierarchy, read_hierarchy
    from tacit.taxonomy.draw import summary

    faults = check_hierarchy(file)
    tree = None if faults else read_hierarchy(file)
    if as_json:
        shape = {} if tree is None else {"shape": summary(tree), "notes": list(tree.notes)}
        print_json({"faults": [asdict(fault) for fault in faults], **shape})
    for fault in () if as_json else faults:
        print(f"{file}{f', line {fault.line}' if fault.line else ''}: {fault.problem}\n  {fault.hint}")
    if tree is None:
        return 2
    if not as_json:
        print("\n".join([f"{file}: in order. {summary(tree)}", *tree.notes]))
    return 0


@command
@FILE
@click.option("--depth", metavar="N", type=Number(int, 0), help="How many levels to draw. [x>=0]")
@QUIET
@AS_JSON
@click.pass_obj
def show(telling: Telling, file: Path, depth: int | None, as_json: bool) -> None:
    """Draw a hierarchy."""
    from tacit.taxonomy import draw, read_hierarchy
    from tacit.taxonomy.draw import summary

    tree = read_hierarchy(file)
    if as_json:
        print_json({"shape": summary(tree), "notes": list(tree.notes), "paths": tree.to_paths()})
        return
    print(draw(tree, depth=depth))
    for note in tree.notes:
        telling.note(note)


def _whole_numbers(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise InputError(f"--lengths is {text!r}, but it must be whole numbers such as 1,3") from None
