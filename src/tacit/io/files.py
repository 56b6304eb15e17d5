"""Tables from files and to files: CSV, TSV, Parquet, Feather, .dat baskets, JSON lines; of other programs by extras."""

from __future__ import annotations

import codecs
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.errors import InputError
from tacit.io.csv_lines import line_of, told_apart
from tacit.io.dat import read_dat, write_dat
from tacit.io.delimited import looked_into, read_delimited, write_delimited
from tacit.io.encodings import UTF8, Encoder
from tacit.io.fingerprint import HashingSink
from tacit.io.formats import JSON_LINES, FileFormat, detect_format
from tacit.io.json_lines import read_json_lines, write_json_lines
from tacit.io.memory import as_arrow, pieces_of
from tacit.io.raw import BOM, is_directory, no_record, open_for_reading, open_for_writing, packed
from tacit.io.spreadsheet import Escaping, escape_table, unescape_table
from tacit.io.statistics import labels_in, read_statistics, write_statistics
from tacit.io.text import without_extensions
from tacit.io.workbooks import read_workbook, write_workbook

_FIRST_FEATHER = b"FEA1"
"""Arrow gives the format up, and a damaged file of it crashes the process."""
_THREADS = 2


def inspect_format(
    source: Path,
    *,
    format: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
) -> FileFormat:
    """The format of a file, with how its text is written: by its name, its first lines, or as given."""
    if source.is_dir():
        raise is_directory(source)
    found = detect_format(source, format)
    if found.is_workbook:
        return replace(found, sheet=sheet)
    if found.is_statistics:
        return replace(found, labels=labels_in(source, found))
    if not found.is_text:
        return found
    if found.delimited:
        found = found.with_delimiter(delimiter or found.delimiter)
    return looked_into(source, replace(found, encoding=UTF8 if encoding is None else codecs.lookup(encoding).name))


def read_table(
    source: Path,
    *,
    format: str | FileFormat | None = None,
    delimiter: str | None = None,
    encoded: Collection[str] = (),
    escaping: Escaping | None = None,
) -> pa.Table:
    """The table in a file.

    CSV and TSV columns are text, exactly as in the file, those of `encoded` dictionary-encoded; .dat is one text
    column `items` holding the lines; sheets of workbooks are text; other formats keep their types. Whatever is wrong
    with the file is an `InputError`; so is a file with no record. Columns of one name are told apart. With `escaping`,
    what was escaped in CSV and TSV is undone.
    """
    if not isinstance(format, FileFormat):
        format = inspect_format(source, format=format, delimiter=delimiter)
    if format.name == "dat":
        return read_dat(source, gzipped=format.gzipped, encoding=format.encoding)
    if format.delimited:
        table = read_delimited(source, format, encoded=encoded)
        return table if escaping is None else unescape_table(table, escaping)
    if format.name in JSON_LINES:
        return read_json_lines(source, gzipped=format.gzipped)
    if format.is_workbook:
        return read_workbook(source, format)
    if format.is_statistics:
        return read_statistics(source, format)
    table = without_extensions(_read_binary(source, format))
    if not table.num_rows:
        raise no_record(source)
    return table.rename_columns(told_apart(table.column_names, source))


def line_of_record(source: Path, record: int, *, format: FileFormat) -> int | None:
    """The line of a text file in which a record begins, counted from 0; None in files that have no lines.

    Line breaks inside cells and empty lines count. The file is gone over once more, so this is for errors alone.
    """
    if format.name in ("dat", *JSON_LINES):
        return record + 1
    if not format.delimited:
        return None
    with open_for_reading(source, gzipped=format.gzipped, encoding=format.encoding) as file:
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
    if format.name in JSON_LINES:
        write_json_lines(table, sink)
        return
    if format.is_workbook:
        write_workbook(table, sink)
        return
    if format.is_statistics:
        write_statistics(table, sink, format)
        return
    if format.has_lists:
        _write_binary(only_what_shows(table), sink, format)
        return
    if format.encoding != UTF8:
        sink = cast(BinaryIO, Encoder(sink, format.encoding))
    if format.name == "dat":
        write_dat(table, sink, format.line_end, bom=format.bom)
        return
    if format.bom:
        sink.write(BOM)
    shown = table if escaping is None else escape_table(table, escaping)
    write_delimited(shown, sink, format.delimiter or ",", format.line_end)


def _read_binary(source: Path, format: FileFormat) -> pa.Table:
    """The table in a file of Arrow's formats, looked through before use: damage in it could crash the process."""
    with open_for_reading(source, gzipped=format.gzipped) as file:
        content = as_arrow(pieces_of(file))
    if content[:4].to_pybytes() == _FIRST_FEATHER:
        problem, hint = "this is a file of Feather's first version, which is not read", "Save it as Parquet or CSV."
        raise InputError(problem, file=source, hint=hint)
    try:
        table = _parsed(content, format)
        table.validate(full=True)
        return table
    except MemoryError:
        problem, hint = (
            "the file does not fit into the memory of this machine",
            "If it is not that large, it is damaged",
        )
    except (pa.ArrowException, OSError, ValueError):  # a name that is not UTF-8 is a ValueError
        problem, hint = f"this is not a whole {format.name.capitalize()} file", "It may be damaged"
    hint += ": copy it again, or name its true format: format = ... under [input]."
    raise InputError(problem, file=source, hint=hint)


def _parsed(content: pa.Buffer, format: FileFormat) -> pa.Table:
    """The parts of Arrow for these formats bring much with them, so they are imported when they are needed."""
    if format.name == "parquet":
        from pyarrow.parquet import ParquetFile

        return ParquetFile(pa.BufferReader(content)).read()
    from pyarrow.feather import read_table

    return read_table(pa.BufferReader(content))


def _write_binary(table: pa.Table, sink: BinaryIO, format: FileFormat) -> None:
    if format.name == "parquet":
        from pyarrow.parquet import write_table

        write_table(table, sink)
    else:
        from pyarrow.feather import write_feather

        write_feather(table, sink)


def only_what_shows(table: pa.Table) -> pa.Table:
    """The same values in fresh arrays: no category that no row has, no order of them, no bytes under a null."""
    fields = [field.remove_metadata() for field in table.schema]
    with ThreadPoolExecutor(_THREADS) as pool:
        columns = list(pool.map(_fresh, table.columns))
    return pa.Table.from_arrays(columns, schema=pa.schema(fields))


def _fresh(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_dictionary(column.type):
        return _by_value(column)
    may_hide = column.null_count or pa.types.is_nested(column.type)
    return column.take(pa.array(np.arange(len(column)))) if may_hide else column


def _by_value(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column of categories with those alone that it has, in the order of their values, or in one that they have."""
    shared = column.unify_dictionaries()
    dictionary = shared.chunk(0).dictionary if shared.num_chunks else pa.array([], column.type.value_type)
    codes = [np.from_dlpack(pc.fill_null(chunk.indices.cast(pa.int64()), -1)) for chunk in shared.chunks]
    is_present = np.zeros(len(dictionary) + 1, bool)  # the last one for null, which is −1
    for each in codes:
        is_present[each] = True
    held = dictionary.take(pa.array(np.flatnonzero(is_present[:-1])))
    values = pc.unique(held if column.type.ordered else held.take(pc.sort_indices(held))).drop_null()
    place = np.from_dlpack(pc.fill_null(pc.index_in(dictionary, value_set=values), -1))
    place = np.append(place, -1).astype(np.int32)  # −1, null, takes the last one
    indices = (pa.array(place[each], column.type.index_type, mask=place[each] < 0) for each in codes)
    chunks = [pa.DictionaryArray.from_arrays(each, values, ordered=column.type.ordered) for each in indices]
    return pa.chunked_array(chunks, column.type)
