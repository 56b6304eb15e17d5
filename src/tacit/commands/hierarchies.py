"""Making, checking and drawing hierarchies: `hierarchy build`, `check` and `show`."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path

from tacit.commands.parts import Argument, command, option, switch
from tacit.commands.shared import AS_JSON, DATA_FORMAT, print_json
from tacit.errors import InputError

FILE = Argument("file", "H.csv", "The hierarchy.")


@command(
    Argument("data", "DATA", "The data whose values become leaves."),
    option("-o --output", "H.csv", "The file to write.", Path, needed=True),
    option("--column", "NAME", "The column; needed if the data has more than one."),
    option("--separator", "TEXT", "What divides the items of a set-valued column."),
    option("--kind", "KIND", "auto, balanced, frequency, prefix, intervals or dates.", default="auto"),
    option("--fanout", "N", "Children per node (balanced, frequency, intervals).", int),
    option("--width", "N", "Width of the narrowest interval (intervals).", float),
    option("--lengths", "N,N", "Prefix lengths, such as 1,3 (prefix)."),
    DATA_FORMAT,
    switch("--force", "Replace the file if it exists."),
    AS_JSON,
)
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


@command(FILE, AS_JSON)
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


@command(FILE, option("--depth", "N", "How many levels to draw.", int, least=0), AS_JSON)
def show(file: Path, depth: int | None, as_json: bool) -> None:
    """Draw a hierarchy."""
    from tacit.taxonomy import draw, read_hierarchy
    from tacit.taxonomy.draw import summary

    tree = read_hierarchy(file)
    if as_json:
        print_json({"shape": summary(tree), "notes": list(tree.notes), "paths": tree.to_paths()})
        return
    print(draw(tree, depth=depth))
    for note in tree.notes:
        print(f"note: {note}", file=sys.stderr)


def _whole_numbers(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise InputError(f"--lengths is {text!r}, but it must be whole numbers such as 1,3") from None
