"""CSV and TSV files: every cell is text, kept exactly as it is (RFC 4180 quoting).

PyArrow parses. Its messages quote the rows, which may be personal, so none is passed on; and it does not
count physical lines, so a file that it refuses is gone over again, slowly, to say what is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from tacit.io.csv_lines import END_OF_FILE, explain, read_header, sniff_delimiter
from tacit.io.encodings import UTF8
from tacit.io.formats import DELIMITERS, FileFormat
from tacit.io.memory import as_arrow, pieces_of
from tacit.io.raw import BOM, no_record, open_for_reading
from tacit.io.text import as_text, concatenate, text_bytes

_SAMPLE = 1 << 16
_BLOCK_SIZES = (
    1 << 23,
    1 << 27,
    (1 << 31) - 1,
)  # a record must fit into a block; small blocks need less memory
_ROWS_AT_ONCE = 1 << 18
_THREADS = 2


def looked_into(path: Path, format: FileFormat) -> FileFormat:
    """The format of a file with what its first lines tell: a mark of UTF-8, its line ends, the delimiter that fits."""
    with open_for_reading(path, gzipped=format.gzipped, encoding=format.encoding) as file:
        sample = file.read(_SAMPLE)
    line, _, _ = sample.partition(b"\n")
    is_marked = sample.startswith(BOM) and format.encoding == UTF8
    format = replace(format, bom=is_marked, line_end="\r\n" if line.endswith(b"\r") else "\n")
    if not format.delimited or format.delimiter is not None:
        return format
    if len(sample) == _SAMPLE:
        sample = sample[: sample.rfind(b"\n") + 1] or sample
    return format.with_delimiter(sniff_delimiter(sample.removeprefix(BOM).decode(errors="replace")))


def read_delimited(path: Path, format: FileFormat, *, encoded: Collection[str] = ()) -> pa.Table:
    """The table in a file, all columns text; an empty cell is the empty text, never null.

    The columns `encoded` are dictionary-encoded: faster and smaller where a column has few different texts.
    """
    delimiter = format.delimiter or DELIMITERS[0]
    for block_size in _BLOCK_SIZES:
        with open_for_reading(path, gzipped=format.gzipped, encoding=format.encoding) as file:
            names = read_header(file, path, delimiter)
            try:
                table = _parse(file, names, delimiter, block_size, encoded)
            except pa.ArrowInvalid:
                continue
        if table.column(0)[-1].as_py() != END_OF_FILE:
            break
        if table.num_rows == 1:
            raise no_record(path)
        return table.slice(0, table.num_rows - 1)
    with open_for_reading(path, gzipped=format.gzipped, encoding=format.encoding) as file:
        raise explain(file, path, delimiter)


def write_delimited(table: pa.Table, sink: BinaryIO, delimiter: str, line_end: str = "\n") -> None:
    """Header and rows, quoted only where a field needs it; null is written as an empty field.

    The header of one column alone does not show the delimiter. Whoever reads the file takes it for a comma
    (`sniff_delimiter` does, too), so a comma is quoted there, whatever the delimiter is.
    """
    alone = table.num_columns == 1
    of_rows = delimiter + DELIMITERS[0] if alone else delimiter
    header = pa.table([[name] for name in table.column_names], table.column_names)
    with ThreadPoolExecutor(_THREADS) as pool:
        for part, special in ((header, "".join(DELIMITERS) + delimiter), (table, of_rows)):
            lines = partial(_lines, delimiter=delimiter, line_end=line_end, special=special, alone=alone)
            batches = part.to_batches(max_chunksize=_ROWS_AT_ONCE)
            for first in range(0, len(batches), _THREADS):  # a few at a time, so that little text is in memory
                for text in pool.map(lines, batches[first : first + _THREADS]):
                    sink.write(text)


def _lines(batch: pa.RecordBatch, *, delimiter: str, line_end: str, special: str, alone: bool) -> memoryview:
    """The rows as they stand in the file."""
    *fields, last = (_fields(column, special, alone=alone) for column in batch.columns)
    return text_bytes(concatenate(*fields, concatenate(last, line_end), between=delimiter))


def _parse(file: BinaryIO, names: list[str], delimiter: str, block_size: int, encoded: Collection[str]) -> pa.Table:
    """The records from where the file stands, and `END_OF_FILE` in the first column of one more."""
    pieces = pieces_of(file)
    if pieces and pieces[0].startswith(BOM):
        pieces.appendleft(BOM)  # it is no longer the start of the file, and Arrow drops one
    has_quotes = any(b'"' in piece for piece in pieces)
    line_end = b"" if not pieces or pieces[-1].endswith((b"\n", b"\r")) else b"\n"
    pieces.append(line_end + (END_OF_FILE + delimiter * (len(names) - 1)).encode())
    types = {name: pa.dictionary(pa.int32(), pa.string()) if name in encoded else pa.string() for name in names}
    return pacsv.read_csv(
        pa.BufferReader(as_arrow(pieces)),
        pacsv.ReadOptions(column_names=names, block_size=block_size),
        pacsv.ParseOptions(
            delimiter=delimiter,
            newlines_in_values=has_quotes,  # without quotes there are none, and all cores can cut lines
            ignore_empty_lines=len(names) > 1,  # in a file of one column it is a record with an empty cell
        ),
        pacsv.ConvertOptions(column_types=types, strings_can_be_null=False),
    )


def _fields(column: pa.Array, special: str, *, alone: bool) -> pa.Array:
    """The cells of a column as they stand in the file, quoted if they hold a special character."""
    if pa.types.is_dictionary(column.type) and len(column.dictionary) < len(column):
        with_null = pa.concat_arrays([column.dictionary, pa.nulls(1, column.dictionary.type)])
        different = _fields(with_null, special, alone=alone)
        return different.take(pc.fill_null(column.indices, len(column.dictionary)))
    text = pc.fill_null(as_text(column), "")
    if pa.types.is_integer(column.type) and not alone:
        return text
    needs_quotes = pc.match_substring_regex(text, f'["\r\n\ufeff{re.escape(special)}]')
    if alone:  # other programs skip an empty line
        needs_quotes = pc.or_(needs_quotes, pc.equal(text, ""))
    if not pc.any(needs_quotes).as_py():
        return text
    doubled = pc.replace_substring(text, '"', '""')
    return pc.if_else(needs_quotes, concatenate('"', doubled, '"'), text)
