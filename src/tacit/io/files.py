"""Tables from files and to files: CSV, TSV, Parquet, Feather and .dat baskets, each also gzipped."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
import pyarrow as pa

from tacit.errors import InputError
from tacit.io.csv_lines import check_names, line_of
from tacit.io.dat import read_dat, write_dat
from tacit.io.delimited import find_delimiter, read_delimited, write_delimited
from tacit.io.fingerprint import HashingSink
from tacit.io.formats import FileFormat, detect_format
from tacit.io.memory import as_arrow, pieces_of
from tacit.io.raw import is_directory, no_record, open_for_reading, open_for_writing, packed
from tacit.io.spreadsheet import Escaping, escape_table, unescape_table
from tacit.io.text import without_extensions


def inspect_format(source: Path, *, format: str | None = None, delimiter: str | None = None) -> FileFormat:
    """The format of a file, with the delimiter that it uses: by its name, its first lines, or as given."""
    if source.is_dir():
        raise is_directory(source)
    found = detect_format(source, format)
    if not found.delimited:
        return found
    if delimiter is None and found.delimiter is None:
        delimiter = find_delimiter(source, gzipped=found.gzipped)
    return found.with_delimiter(delimiter or found.delimiter)


def read_table(
    source: Path,
    *,
    format: str | FileFormat | None = None,
    delimiter: str | None = None,
    encoded: Collection[str] = (),
    wanted: Collection[str] | None = None,
    escaping: Escaping | None = None,
) -> pa.Table:
    """The table in a file.

    CSV and TSV columns are text, exactly as in the file, those of `encoded` dictionary-encoded; .dat is one text
    column `items` holding the lines; Parquet and Feather keep their types. Whatever is wrong with the file is an
    `InputError`; so is a file with no record. Two columns of one name are, too, but if `wanted` says which columns
    matter and that one does not, both are left out. With `escaping`, what was escaped in CSV and TSV is undone.
    """
    if not isinstance(format, FileFormat):
        format = inspect_format(source, format=format, delimiter=delimiter)
    if format.name == "dat":
        return read_dat(source, gzipped=format.gzipped)
    if format.delimited:
        delimiter = format.delimiter or ","
        table = read_delimited(source, gzipped=format.gzipped, delimiter=delimiter, encoded=encoded, wanted=wanted)
        return table if escaping is None else unescape_table(table, escaping)
    table = without_extensions(_read_binary(source, format))
    check_names(table.column_names, source, wanted)
    names = table.column_names
    table = table.select([position for position, name in enumerate(names) if names.count(name) == 1])
    if not table.num_rows:
        raise no_record(source)
    return table


def line_of_record(source: Path, record: int, *, format: FileFormat) -> int | None:
    """The line of a text file in which a record begins, counted from 0; None in files that have no lines.

    Line breaks inside cells and empty lines count. The file is gone over once more, so this is for errors alone.
    """
    if format.name == "dat":
        return record + 1
    if not format.delimited:
        return None
    with open_for_reading(source, gzipped=format.gzipped) as file:
        return line_of(file, format.delimiter or ",", record)


def write_table(table: pa.Table, path: Path, format: FileFormat, *, escaping: Escaping | None = None) -> None:
    """Writes the table so that `read_table` gives the same one.

    Text formats write null as an empty cell. Only what the table shows is written: no metadata, no unused
    category, nothing that lies under a null. With `escaping`, formulas are escaped in CSV and TSV.
    """
    with open_for_writing(path, gzipped=format.gzipped) as sink:
        _write(table, sink, format, escaping)


def sha256_as_written(table: pa.Table, format: FileFormat, *, escaping: Escaping | None = None) -> str:
    """The SHA-256 of the file that `write_table` would write."""
    sink = HashingSink()
    with packed(cast(BinaryIO, sink), gzipped=format.gzipped) as inner:
        _write(table, inner, format, escaping)
    return sink.hexdigest()


def _write(table: pa.Table, sink: BinaryIO, format: FileFormat, escaping: Escaping | None) -> None:
    if format.name == "dat":
        write_dat(table, sink)
    elif format.delimited:
        shown = table if escaping is None else escape_table(table, escaping)
        write_delimited(shown, sink, format.delimiter or ",")
    else:
        _write_binary(_only_what_shows(table), sink, format)


def _read_binary(source: Path, format: FileFormat) -> pa.Table:
    """The parts of Arrow for these formats bring much with them, so they are imported when they are needed."""
    with open_for_reading(source, gzipped=format.gzipped) as file:
        content = as_arrow(pieces_of(file))
    try:
        if format.name == "parquet":
            from pyarrow.parquet import ParquetFile

            return ParquetFile(pa.BufferReader(content)).read()
        from pyarrow.feather import read_table

        return read_table(pa.BufferReader(content))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError):
        raise InputError(
            f"this is not a whole {format.name.capitalize()} file",
            file=source,
            hint="Copy it again, or name its true format: format = ... under [input].",
        ) from None


def _write_binary(table: pa.Table, sink: BinaryIO, format: FileFormat) -> None:
    if format.name == "parquet":
        from pyarrow.parquet import write_table

        write_table(table, sink)
    else:
        from pyarrow.feather import write_feather

        write_feather(table, sink)


def _only_what_shows(table: pa.Table) -> pa.Table:
    """The same values in fresh arrays: a category that no row has, and bytes under a null, stay behind."""
    every_row = pa.array(np.arange(table.num_rows))
    columns = []
    for column in table.columns:
        if pa.types.is_dictionary(column.type):
            fresh = column.cast(column.type.value_type).dictionary_encode().unify_dictionaries()
            column = fresh.cast(column.type)
        columns.append(column.take(every_row))
    fields = [field.remove_metadata() for field in table.schema]
    return pa.Table.from_arrays(columns, schema=pa.schema(fields))
