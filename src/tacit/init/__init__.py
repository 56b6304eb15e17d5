"""A first job file for raw data: roles are guessed, and a hierarchy is built where none is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from tacit.arrays.encode import Baskets, group_baskets, is_list, plain_values, split_baskets
from tacit.baskets.data import ItemColumns
from tacit.errors import InputError
from tacit.init.first_job import Table, job_text, key, quoted, refuse_existing, relative
from tacit.init.layout import Guess, find_separator, guess_layout
from tacit.init.tables import looks_like_ratings, write_first_table_job
from tacit.job import BLANK, Column, Input
from tacit.job.sources import Source, read_file, read_trees, told_by_line
from tacit.taxonomy import KINDS, Taxonomy, build, pick_kind, write_hierarchy
from tacit.taxonomy.draw import summary
from tacit.taxonomy.nodes import first_few

_WHOLE_CELL = "\0"
"""A separator that no text holds: every cell is one item."""
_K, _M = 5, 2


KINDS_OF_DATA = ("auto", "baskets", "records", "slices", "ratings")


def write_first_job(
    data: Path,
    job: Path,
    *,
    kind: str = "auto",
    hierarchy: Path | None = None,
    format: str | None = None,
    force: bool = False,
) -> dict[str, Any]:
    """Writes a commented job file, and the hierarchies that it needs if none is given; tells what was found.

    `auto` takes ratings for ratings, sets of items for baskets, and anything else for records.
    """
    if kind not in KINDS_OF_DATA:
        raise InputError(f"{kind!r} is no kind of data", hint=f"Use one of: {', '.join(KINDS_OF_DATA)}.")
    source = read_file(data, format=format)
    columns = [plain_values(column) for column in source.table.columns]
    source = source._replace(table=pa.Table.from_arrays(columns, names=source.table.column_names))
    kind = _kind(source, data) if kind == "auto" else kind
    if kind == "baskets":
        return _write_basket_job(source, data, job, hierarchy, format, force)
    if hierarchy is not None:
        raise InputError("--hierarchy is for baskets", hint="Name the hierarchy of each column in the job file.")
    return write_first_table_job(source, data, job, kind, format=format, force=force)


def _kind(source: Source, data: Path) -> str:
    is_dat = source.format.name == "dat"
    if not is_dat and looks_like_ratings(source):
        return "ratings"
    try:
        return "baskets" if guess_layout(source.table, data, is_dat=is_dat).is_sure else "records"
    except InputError:
        return "records"


def _write_basket_job(
    source: Source, data: Path, job: Path, hierarchy: Path | None, format: str | None, force: bool
) -> dict[str, Any]:
    refuse_existing(job, force)
    guess = guess_layout(source.table, data, is_dat=source.format.name == "dat")
    persons = None
    if guess.person is not None:
        baskets, persons = group_baskets(source.table[guess.person], source.table[guess.items])
    else:
        baskets = split_baskets(source.table[guess.items], separator=guess.separator)
    people = int(np.count_nonzero(baskets.lengths))
    if not people:
        raise InputError("no basket holds an item", file=data, column=guess.items, hint="Check the export.")
    if hierarchy is None:
        hierarchy = job.with_name(f"{job.stem}-hierarchy.csv")
        refuse_existing(hierarchy, force)
        tree, kind = _tree(baskets, "auto", {})
        job.parent.mkdir(parents=True, exist_ok=True)
        write_hierarchy(tree, hierarchy)
    else:
        column = Column(guess.items, "items", hierarchy=hierarchy)
        items = ItemColumns((column,), baskets, np.zeros(len(baskets.vocabulary), np.int32), persons)
        with told_by_line(items, source.table, Input(data, format=format)):
            tree, kind = read_trees(items)[column.name], "given"
        job.parent.mkdir(parents=True, exist_ok=True)
    unlisted = [name for name in source.table.column_names if name not in (guess.items, guess.person)]
    job.write_text(_job_text(data, job, hierarchy, guess, unlisted, format, min(_K, people)), encoding="utf-8")
    return {
        "job": str(job),
        "kind": "baskets",
        "records": len(baskets),
        "items": len(baskets.vocabulary),
        "column": guess.items,
        "separator": guess.separator,
        "person": guess.person,
        "hierarchy": str(hierarchy),
        "hierarchy_kind": kind,
        "hierarchy_shape": summary(tree),
    }


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
) -> dict[str, Any]:
    """Writes a hierarchy over the values of one column; tells what was made."""
    refuse_existing(output, force)
    table, found = read_file(data, format=format)
    names = table.column_names
    if column is None and len(names) > 1:
        guess = guess_layout(table, data)
        column, separator = guess.items, separator or guess.separator
    column = column or names[0]
    if column not in names:
        raise InputError(
            "the data has no such column", file=data, column=column, hint=f"It has: {first_few(names, 20)}."
        )
    if separator is None and not is_list(table[column].type):
        separator = find_separator(table[column]) or (BLANK if found.name == "dat" else _WHOLE_CELL)
    baskets = split_baskets(table[column], separator=separator)
    tree, kind = _tree(baskets, kind, options)
    write_hierarchy(tree, output)
    return {"hierarchy": str(output), "column": column, "kind": kind, "shape": summary(tree)}


def _tree(baskets: Baskets, kind: str, options: Mapping[str, Any]) -> tuple[Taxonomy, str]:
    labels = baskets.vocabulary
    kind = pick_kind(labels) if kind == "auto" else kind
    if kind in KINDS and "counts" in KINDS[kind][1]:
        options = {**options, "counts": np.bincount(baskets.items, minlength=len(labels)).tolist()}
    return build(labels, kind, **options), kind


def _job_text(
    data: Path, job: Path, hierarchy: Path, guess: Guess, unlisted: Sequence[str], format: str | None, k: int
) -> str:
    """The job file, with a word on each line that a user may want to change."""
    folder = job.absolute().parent
    source = [f"source = {quoted(relative(data, folder))}"]
    items = ['role = "items"                  # a set of items a person']
    tables: list[Table] = [("input", source)]
    if format:
        source.append(f"format = {quoted(format)}")
    if guess.person:
        source.append('layout = "long"                 # one row per person and item')
        tables.append(
            (f"columns.{key(guess.person)}", ['role = "person"                 # fresh numbers are published'])
        )
    source.append('# missing = ["", "NA", "?"]     # what means "no value"')
    if guess.separator:
        items.append(f"separator = {quoted(guess.separator)}")
    items += [
        f"hierarchy = {quoted(relative(hierarchy, folder))}",
        '# sensitive = ["..."]           # items that nobody knows from elsewhere: published as they are',
    ]
    if unlisted:
        items += ["", f"# Not published, because not listed: {', '.join(map(quoted, unlisted))}"]
    tables.append((f"columns.{key(guess.items)}", items))
    privacy = [
        'model = "km"                    # whoever knows m items of a person finds at least k people with them',
        f"k = {k}",
        f"m = {_M}",
    ]
    return job_text([*tables, ("privacy", privacy)])
