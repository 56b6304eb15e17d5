"""What a job reads: its data, from a file or a database, and its hierarchies; and the format it writes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.baskets.data import ItemColumns
from tacit.io import (
    Escaping,
    FileFormat,
    format_named,
    inspect_format,
    is_database_url,
    read_query,
    read_table,
    tells_format,
)
from tacit.io.text import as_text
from tacit.job import BLANK, Input, Job
from tacit.job.places import place_of
from tacit.kinds import kind_for
from tacit.methods import METHODS
from tacit.taxonomy import NotLeaves, Taxonomy, read_hierarchy


class Source(NamedTuple):
    """A table, and the format of the file it came from."""

    table: pa.Table
    format: FileFormat


def read_source(job: Job) -> Source:
    """The job's input; what comes from a database is written as CSV unless the job says otherwise."""
    given = job.input
    if is_database_url(str(given.source)):
        return Source(read_query(str(given.source), query=given.query, table=given.table), format_named("csv"))
    found = inspect_format(Path(given.source), format=given.format, delimiter=given.delimiter)
    stays_text = output_format(job, found).delimited
    encoded = attributes(job) if stays_text else ()
    return Source(read_table(Path(given.source), format=found, encoded=encoded, wanted=_listed(job)), found)


def input_file(job: Job) -> dict[str, Path]:
    """The file that the job's data are in, by what a report calls it; none if they come from elsewhere."""
    return {"input": job.input.source} if isinstance(job.input.source, Path) else {}


def other_files(job: Job, options: Mapping[str, Any]) -> dict[str, Path]:
    """The hierarchies of a job, and the files that its method's options, checked and filled, name."""
    takes = METHODS[job.method.name].options if job.method.name else {}
    files = {f"hierarchy of {column.name}": column.hierarchy for column in job.columns if column.hierarchy is not None}
    return files | {key: Path(options[key]) for key, option in takes.items() if option.is_path and options.get(key)}


def read_file(
    path: Path,
    *,
    format: str | None = None,
    delimiter: str | None = None,
    encoded: Collection[str] = (),
    wanted: Collection[str] | None = None,
    escaping: Escaping | None = None,
) -> Source:
    """The table in a file, whose format is told by its name unless it is given."""
    found = inspect_format(path, format=format, delimiter=delimiter)
    return Source(read_table(path, format=found, encoded=encoded, wanted=wanted, escaping=escaping), found)


def _listed(job: Job) -> set[str]:
    """The columns that the job lists; two others may have the same name."""
    return {column.name for column in job.columns}


def attributes(job: Job) -> set[str]:
    """The columns that have one value in each row, which are best read by their different values."""
    return {column.name for column in job.columns if column.role in kind_for(job.promise).SINGLE_VALUED}


def escaping_of(job: Job) -> Escaping | None:
    """How formulas are escaped in a text file that the job publishes; None if they are not."""
    if not job.output.escape_formulas:
        return None
    baskets = job.columns_with("items") if job.input.layout == "wide" else ()
    return Escaping(
        {column.name: column.separator or BLANK for column in baskets},
        frozenset(column.name for column in job.columns_with("rating")),
    )


def read_published(path: Path, job: Job, *, format: str | None = None) -> Source:
    """A published file: its format is told by its name, unless it is named like the input, or like nothing known."""
    named_like_input = isinstance(job.input.source, Path) and path.suffixes == job.input.source.suffixes
    if format is None and named_like_input:
        format = job.input.format
    elif format is None and not tells_format(path):
        format = job.output.format or job.input.format
    return read_file(path, format=format, encoded=attributes(job), wanted=_listed(job), escaping=escaping_of(job))


def output_format(job: Job, input_format: FileFormat | None) -> FileFormat:
    """The format of the release: as the job says, else as the input; a frame is saved as Parquet, which has lists.

    A .dat file has no room for the groups of CAHD, so those are written as CSV.
    """
    if job.output.format is None:
        if input_format is not None and input_format.name == "dat" and job.promise.shows_groups:
            return replace(format_named("csv"), gzipped=input_format.gzipped)
        return input_format or format_named("parquet")
    wanted = format_named(job.output.format)
    if input_format is not None and input_format.name == wanted.name:
        return replace(wanted, delimiter=input_format.delimiter)
    return wanted


def read_trees(items: ItemColumns) -> dict[str, Taxonomy]:
    """The hierarchies that the columns name, each checked against the items of its column."""
    trees = {}
    for number, column in enumerate(items.columns):
        if column.hierarchy is not None:
            known = set(items.vocabulary(number)) - set(column.sensitive_items)
            try:
                trees[column.name] = read_hierarchy(column.hierarchy, known)
            except NotLeaves as error:
                raise error.of(column.name) from None
    return trees


@contextmanager
def told_by_line(items: ItemColumns, table: pa.Table, given: Input) -> Iterator[None]:
    """Items that a hierarchy lacks are told with the place of the first one in the data."""
    try:
        yield
    except NotLeaves as error:
        where = place_of(_first_row(items, table, error), given)
        raise error.at(where.words, file=given.source, line=where.line) from None


def _first_row(items: ItemColumns, table: pa.Table, error: NotLeaves) -> int:
    """The first row of the table that holds one of the items."""
    if items.persons is not None:
        held = pc.is_in(as_text(table[error.column]), value_set=pa.array(error.values, pa.large_string()))
        return int(pc.index(held, True).as_py())
    wrong, baskets = {(error.column, value) for value in error.values}, items.baskets
    labels = zip(items.column_of.tolist(), baskets.vocabulary, strict=True)
    is_wrong = np.array([(items.columns[column].name, label) in wrong for column, label in labels], bool)
    first = int(np.argmax(is_wrong[baskets.items]))
    return int(np.searchsorted(baskets.indptr, first, side="right")) - 1
