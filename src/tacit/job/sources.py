"""What a job reads: its data, from a file or a database, and its hierarchies; and the format it writes."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.baskets.data import ItemColumns
from tacit.errors import InputError
from tacit.io import (
    Escaping,
    FileFormat,
    detect_format,
    format_named,
    inspect_format,
    is_database_url,
    read_query,
    read_table,
    tells_format,
)
from tacit.io.fingerprint import file_sha256
from tacit.io.formats import WRITTEN_AS
from tacit.io.raw import find_bad_utf8, open_for_reading
from tacit.io.text import as_text
from tacit.job import BLANK, Engine, Input, Job, Join
from tacit.job.joins import joined
from tacit.job.places import place_of
from tacit.job.write import as_tables
from tacit.kinds import kind_for
from tacit.methods import METHODS
from tacit.taxonomy import NotLeaves, Taxonomy, read_hierarchy


class Source(NamedTuple):
    """A table, and the format of the file it came from."""

    table: pa.Table
    format: FileFormat
    notes: tuple[str, ...] = ()


def read_source(job: Job) -> Source:
    """The job's input; what comes from a database is written as CSV unless the job says otherwise."""
    read, joins = _persons(job), job.input.join
    if not joins:
        return read
    table, notes = read.table, list[str]()
    for join in joins:
        table, more = joined(table, _other_table(join, job), join, job.input)
        notes += more
    return Source(table, read.format, tuple(notes))


def _other_table(join: Join, job: Job) -> pa.Table:
    """The table that is joined, of which only the columns that are needed are read from a database."""
    source = job.input.source if join.source is None else join.source
    if is_database_url(str(source)):
        return read_query(str(source), query=join.query, table=join.table, wanted=join.needs)
    return read_file(
        Path(source), format=join.format, delimiter=join.delimiter, encoding=join.encoding, sheet=join.table
    ).table


def _persons(job: Job) -> Source:
    given = job.input
    if str(given.source).startswith("jdbc:"):
        hint = "Use --engine spark, or an address such as postgresql://host/shop."
        raise InputError("JDBC is read on Spark alone", file=str(given.source), hint=hint)
    if is_database_url(str(given.source)):
        table = read_query(str(given.source), query=given.query, table=given.table, wanted=_listed(job))
        return Source(table, format_named("csv"))
    found = format_of(given)
    stays_text = output_format(job, found).delimited
    return Source(read_table(Path(given.source), format=found, encoded=attributes(job) if stays_text else ()), found)


def format_of(given: Input) -> FileFormat:
    """The format of the file that a job reads."""
    return inspect_format(
        Path(given.source), format=given.format, delimiter=given.delimiter, encoding=given.encoding, sheet=given.table
    )


def input_file(job: Job) -> dict[str, Path]:
    """The files that the job's data are in, by what a report calls them; none if they come from elsewhere."""
    main = {"input": job.input.source} if isinstance(job.input.source, Path) else {}
    others = {f"joined {', '.join(join.gives)}": join.source for join in job.input.join}
    return main | {name: file for name, file in others.items() if isinstance(file, Path)}


def is_all_files(job: Job) -> bool:
    """Whether no part of the data comes from a database."""
    source = job.input.source
    return all(isinstance(each, Path) for each in (source, *(join.source or source for join in job.input.join)))


def files_read(job: Job) -> list[Path]:
    """All files that a job reads, before anything of it is checked."""
    folder, options = (job.file or Path()).parent, job.method.options
    named = {key: str(folder / value) if isinstance(value, str) else None for key, value in options.items()}
    return [*input_file(job).values(), *other_files(job, named).values()]


def tables_read(job: Job) -> list[tuple[str, str]]:
    """The databases that a job reads, each with the table, or the query, that it is asked for."""
    given = job.input
    asked = [(given.source, given.table or given.query)]
    asked += [(join.source or given.source, join.table or join.query) for join in given.join]
    return [(str(source), what) for source, what in asked if what is not None and is_database_url(str(source))]


def other_files(job: Job, options: Mapping[str, Any]) -> dict[str, Path]:
    """The hierarchies of a job, and the files that its method's options, checked and filled, name."""
    takes = METHODS[job.method.name].options if job.method.name else {}
    files = {f"hierarchy of {column.name}": column.hierarchy for column in job.columns if column.hierarchy is not None}
    return files | {key: Path(options[key]) for key, option in takes.items() if option.is_path and options.get(key)}


def job_sha256(job: Job, hierarchies: Mapping[str, Taxonomy]) -> str:
    """Of a job as run, with what its hierarchies and other files hold; where anything lies, or is done, does not
    matter."""
    files = other_files(job, job.method.options)
    options = {key: value for key, value in job.method.options.items() if key not in files}
    said = as_tables(
        replace(
            job,
            input=replace(job.input, source="", join=tuple(replace(join, source="") for join in job.input.join)),
            columns=tuple(replace(column, hierarchy=None) for column in job.columns),
            method=replace(job.method, options=options),
            output=replace(job.output, directory=Path(), database=None, table=None),
            engine=Engine(key=job.engine.key),
        )
    )
    held = {name: file_sha256(path) for name, path in files.items() if path.is_file()}
    trees = {name: [tree.names, tree.parent.tolist()] for name, tree in hierarchies.items()}
    return sha256(json.dumps([said, held, trees], sort_keys=True, default=str).encode()).hexdigest()


def read_file(
    path: Path,
    *,
    format: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    encoded: Collection[str] = (),
    escaping: Escaping | None = None,
) -> Source:
    """The table in a file, whose format is told by its name unless it is given."""
    found = inspect_format(path, format=format, delimiter=delimiter, encoding=encoding, sheet=sheet)
    return Source(read_table(path, format=found, encoded=encoded, escaping=escaping), found)


def _listed(job: Job) -> set[str]:
    """The columns that the job lists and the input has, with the keys of what is joined."""
    given = {name for join in job.input.join for name in join.gives}
    return {column.name for column in job.columns} - given | {join.key for join in job.input.join}


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
    """A published file: its format is told by its name, unless it is named like the input, or like nothing known.

    All its columns are read: one that the job does not list may give people away.
    """
    named_like_input = isinstance(job.input.source, Path) and path.suffixes == job.input.source.suffixes
    if format is None and named_like_input:
        format = job.input.format
    elif format is None and not tells_format(path):
        format = job.output.format or job.input.format
    encoding = published_encoding(path, job)
    return read_file(path, format=format, encoding=encoding, encoded=attributes(job), escaping=escaping_of(job))


def published_encoding(path: Path, job: Job) -> str | None:
    """The input's encoding if a published file may be in it: one that is UTF-8 says so by what it holds."""
    if job.input.encoding is None or not detect_format(path, job.output.format).is_text:
        return None
    with open_for_reading(path, gzipped=path.suffix == ".gz") as file:
        return None if find_bad_utf8(memoryview(file.read())) is None else job.input.encoding


def output_format(job: Job, input_format: FileFormat | None) -> FileFormat:
    """The format of the release: as the job says, else as the input; a frame is saved as Parquet, which has lists.

    A .dat file has no room for the groups of CAHD, so those are written as CSV.
    """
    if job.output.format is None:
        if input_format is not None and input_format.name == "dat" and job.promise.shows_groups:
            return replace(format_named("csv"), gzipped=input_format.gzipped).written_like(input_format)
        return as_it_can_be_written(input_format or format_named("parquet"))
    wanted = format_named(job.output.format)
    if input_format is not None and input_format.name == wanted.name:
        wanted = replace(wanted, delimiter=input_format.delimiter)
    return wanted if input_format is None else wanted.written_like(input_format)


def as_it_can_be_written(given: FileFormat) -> FileFormat:
    """The format itself, or the one that takes its place where it can only be read."""
    return replace(given, name=WRITTEN_AS.get(given.name, given.name), sheet=None)


def notes_on_format(job: Job, input_format: FileFormat | None) -> list[str]:
    """That a release is in another format than its input."""
    if input_format is None or job.output.format is not None or input_format.name not in WRITTEN_AS:
        return []
    return [f"published as .{WRITTEN_AS[input_format.name]}: .{input_format.name} files are read, not written"]


def read_trees(items: ItemColumns) -> dict[str, Taxonomy]:
    """The hierarchies that the columns name, each checked against the items of its column."""
    trees = {}
    for index, column in enumerate(items.columns):
        if column.hierarchy is not None:
            known = set(items.vocabulary(index)) - set(column.sensitive_items)
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


@contextmanager
def told_by_name(given: Input) -> Iterator[None]:
    """The same where rows have no place: the items are told by themselves."""
    try:
        yield
    except NotLeaves as error:
        raise error.at("", file=given.source, line=None) from None


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
