"""A first job file for raw data: roles are guessed, and a hierarchy is built where none is given."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.baskets import is_list
from tacit.encode import Baskets, group_baskets, split_baskets
from tacit.errors import InputError
from tacit.flow import read_file
from tacit.taxonomy import KINDS, Taxonomy, build, pick_kind, write_hierarchy
from tacit.taxonomy.draw import summary

SEPARATORS = (", ", "; ", ",", ";", "|", " ")
_LOOKED_AT = 20_000
_PERSON = re.compile(r"person|user|customer|client|patient|member|visitor|(^|_)id$|id$", re.IGNORECASE)


class Guess(NamedTuple):
    """What a file seems to be: baskets in one column, or one row per person and item."""

    items: str
    separator: str | None = None
    person: str | None = None


def write_first_job(data: Path, job: Path, *, format: str | None = None, force: bool = False) -> list[str]:
    """Writes a commented job file, and the hierarchy that it needs; says what was found."""
    source = read_file(data, format=format)
    guess = guess_layout(source.table, is_dat=source.format.name == "dat")
    baskets = _baskets(source.table, guess)
    hierarchy = job.with_name(f"{job.stem}-hierarchy.csv")
    for path in (job, hierarchy):
        _refuse_existing(path, force)
    job.parent.mkdir(parents=True, exist_ok=True)
    tree, kind = _tree(baskets, "auto", {})
    write_hierarchy(tree, hierarchy)
    people = int(np.count_nonzero(baskets.lengths))
    text = _job_text(data, job, hierarchy, guess, source.table.column_names, format, k=5 if people >= 5 else 2)
    job.write_text(text, encoding="utf-8")
    found = f"{len(baskets):,} baskets of {len(baskets.vocabulary):,} different items in column {guess.items!r}"
    return [
        f"found: {found}" + (f", one row per {guess.person!r} and item" if guess.person else ""),
        f"wrote: {hierarchy} ({kind}: {summary(tree)})",
        f"wrote: {job}",
        f"next: look at both, then run `tacit anonymize {job}`",
    ]


def build_hierarchy(
    data: Path,
    output: Path,
    column: str | None,
    separator: str | None,
    kind: str,
    options: Mapping[str, Any],
    *,
    format: str | None = None,
    force: bool = False,
) -> str:
    """Writes a hierarchy over the values of one column; says what was made."""
    _refuse_existing(output, force)
    source = read_file(data, format=format)
    names = source.table.column_names
    if column is None:
        guess = guess_layout(source.table, is_dat=source.format.name == "dat") if len(names) > 1 else Guess(names[0])
        column = guess.items
        separator = separator or guess.separator
    if column not in names:
        raise InputError("the data has no such column", file=data, column=column, hint=f"It has: {', '.join(names)}.")
    if separator is None and len(names) == 1 and not is_list(source.table[column].type):
        separator = _separator(source.table[column]) or " "
    divided = separator is not None or is_list(source.table[column].type)
    baskets = split_baskets(source.table[column], separator=separator if divided else "\0")
    if isinstance(options.get("lengths"), str):
        options = {**options, "lengths": _whole_numbers(options["lengths"])}
    tree, kind = _tree(baskets, kind, options)
    write_hierarchy(tree, output)
    return f"wrote: {output} ({kind}: {summary(tree)})"


def guess_layout(table: pa.Table, *, is_dat: bool = False) -> Guess:
    """Which column holds baskets, or which two a person and an item; an error if nothing looks like it."""
    head = table.slice(0, _LOOKED_AT)
    if is_dat:
        return Guess("items", _separator(head["items"]) or " ")
    lists = [name for name in table.column_names if is_list(table[name].type)]
    if lists:
        return Guess(lists[0])
    divided = {name: sep for name in table.column_names if (sep := _separator(head[name])) is not None}
    if divided:
        best = max(divided, key=lambda name: _tokens(head[name], divided[name]))
        return Guess(best, divided[best])
    persons = [name for name in table.column_names if _PERSON.search(name) and _repeats(head[name])]
    others = [name for name in table.column_names if name not in persons[:1] and _repeats(head[name])]
    if persons and others:
        return Guess(others[0], person=persons[0])
    raise InputError(
        "no column looks like a set of items, and no two like a person and an item",
        hint='Write the job file by hand: role = "items" with its separator, or layout = "long" with a person column.',
    )


def _separator(column: pa.ChunkedArray) -> str | None:
    """What divides the cells of a set-valued column: its pieces come back in other cells, and not twice in one."""
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return None
    return next((separator for separator in SEPARATORS if _divides(column, separator)), None)


def _divides(column: pa.ChunkedArray, separator: str) -> bool:
    filled = column.filter(pc.not_equal(pc.utf8_length(pc.fill_null(column, "")), 0))
    if not len(filled) or pc.mean(pc.match_substring(filled, separator)).as_py() < 0.1:
        return False
    baskets = split_baskets(filled, separator=separator)
    return baskets.items.size >= 2 * len(baskets.vocabulary) and baskets.notes.duplicates <= 0.02 * baskets.items.size


def _tokens(column: pa.ChunkedArray, separator: str) -> int:
    return split_baskets(column, separator=separator).items.size


def _repeats(column: pa.ChunkedArray) -> bool:
    return pc.count_distinct(column).as_py() < len(column)


def _baskets(table: pa.Table, guess: Guess) -> Baskets:
    if guess.person is not None:
        return group_baskets(table[guess.person], table[guess.items])[0]
    return split_baskets(table[guess.items], separator=guess.separator or " ")


def _tree(baskets: Baskets, kind: str, options: Mapping[str, Any]) -> tuple[Taxonomy, str]:
    labels = baskets.vocabulary
    kind = pick_kind(labels) if kind == "auto" else kind
    if kind in KINDS and "counts" in KINDS[kind][1]:
        options = {**options, "counts": np.bincount(baskets.items, minlength=len(labels)).tolist()}
    return build(labels, kind, **options), kind


def _whole_numbers(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise InputError(f"--lengths is {text!r}, but it must be whole numbers such as 1,3") from None


def _refuse_existing(path: Path, force: bool) -> None:
    if path.exists() and not force:
        raise InputError(
            "the file exists already", file=path, hint="Choose another name with -o, or replace it with --force."
        )


def _job_text(
    data: Path, job: Path, hierarchy: Path, guess: Guess, names: Sequence[str], format: str | None, k: int
) -> str:
    """The job file, with a word on each line that a user may want to change."""
    from tomlkit import string

    def quoted(text: str) -> str:
        return string(text).as_string()

    def table(name: str) -> str:
        return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else quoted(name)

    lines = [
        "# What is published of this data, and what is promised. `tacit anonymize` reads it.",
        "",
        "[input]",
        f"source = {quoted(_relative(data, job))}",
        *([f"format = {quoted(format)}"] if format else []),
        *(['layout = "long"                # one row per person and item'] if guess.person else []),
        '# missing = ["", "NA", "?"]     # what means "no value"',
        "",
    ]
    if guess.person:
        lines += [
            f"[columns.{table(guess.person)}]",
            'role = "person"                # fresh numbers are published in its place',
            "",
        ]
    lines += [f"[columns.{table(guess.items)}]", 'role = "items"                 # a set of items a person']
    if guess.separator:
        lines.append(f"separator = {quoted(guess.separator)}")
    lines += [
        f"hierarchy = {quoted(_relative(hierarchy, job))}   # made from the items alone: a true one loses less meaning",
        '# sensitive = ["..."]           # items that nobody knows from elsewhere: published as they are',
        "",
    ]
    rest = [name for name in names if name not in (guess.items, guess.person)]
    if rest:
        lines += [f"# Not published, because not listed here: {', '.join(map(repr, rest))}.", ""]
    lines += [
        "[privacy]",
        'model = "km"                   # whoever knows m items of a person finds at least k people with them',
        f"k = {k}",
        "m = 2",
        "",
        "[output]",
        'directory = "out"',
        "",
    ]
    return "\n".join(lines)


def _relative(path: Path, job: Path) -> str:
    """The path as seen from the job file, if it lies beside or below it."""
    path, folder = path.absolute(), job.absolute().parent
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else str(path)
