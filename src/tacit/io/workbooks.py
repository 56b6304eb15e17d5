"""Workbooks: a sheet of .xlsx or .ods as a table of texts; a table as the one sheet of an .xlsx whose cells are texts.

The first row has the names of the columns. What a cell shows by a format of its own is not looked at: a number is read
as it would be written, a day as YYYY-MM-DD, a moment as YYYY-MM-DD hh:mm:ss. An error of a formula is no value.
"""

from __future__ import annotations

import io
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc

from tacit.errors import InputError
from tacit.io.csv_lines import told_apart
from tacit.io.extras import needed
from tacit.io.formats import FileFormat
from tacit.io.raw import no_record, open_for_reading
from tacit.io.text import as_text
from tacit.io.zips import refuse_bomb

MOST_ROWS = 1_048_576
MOST_COLUMNS = 16_384
MOST_SIGNS = 32_767
_MIDNIGHT = r"^[0-9]{4}-[0-9]{2}-[0-9]{2} 00:00:00$"
_HOUR = r"^1899-12-3[01] "
_NO_DAY = datetime(1980, 1, 1, tzinfo=UTC).replace(tzinfo=None)
_ROWS_AT_ONCE = 1 << 14
_WHAT = "workbook"


def read_workbook(path: Path, format: FileFormat) -> pa.Table:
    """A sheet, the first one if none is named: all columns are text, and no value is the empty text."""
    excel = _excel_for(path)
    try:
        book = excel.read_excel(str(path))
        names = list(book.sheet_names)
        if format.sheet is not None and format.sheet not in names:
            raise InputError(
                f"there is no sheet {format.sheet!r}", file=path, hint=f"It has: {', '.join(map(repr, names))}."
            )
        if not names:
            raise InputError("the workbook has no sheet", file=path, hint="Look at it in your spreadsheet program.")
        sheet = book.load_sheet(format.sheet or 0, header_row=None, dtypes="string").to_arrow()
    except excel.FastExcelError:
        hint = "Open it in your spreadsheet program, and save it anew as .xlsx."
        raise InputError("this is not a whole workbook", file=path, hint=hint) from None
    except BaseException as error:  # calamine is Rust: what it panics at is no Exception
        if type(error).__name__ != "PanicException":
            raise
        raise InputError("this is not a whole workbook", file=path, hint="It may be damaged: copy it again.") from None
    if sheet.num_rows < 2 or not sheet.num_columns:
        raise no_record(path)
    texts = [as_text(sheet.column(at)) for at in range(sheet.num_columns)]
    heads = told_apart([(texts[at][0].as_py() or "") for at in range(len(texts))], path)
    return pa.table({name: _column(column.slice(1)) for name, column in zip(heads, texts, strict=True)})


def _excel_for(path: Path) -> Any:
    """What reads workbooks, once it is clear that this one can be read at all."""
    excel = needed("fastexcel", "excel", "Excel and OpenDocument files")
    with open_for_reading(path, gzipped=False):
        pass  # whatever keeps a file from being read is told as for others
    refuse_bomb(path, what=_WHAT)
    return excel


def sheets_of(path: Path) -> list[str]:
    """The names of a workbook's sheets."""
    excel = _excel_for(path)
    try:
        return list(excel.read_excel(str(path)).sheet_names)
    except excel.FastExcelError:
        return []


def _column(texts: pa.Array) -> pa.Array:
    """Days without the midnight, and hours without the day, that a spreadsheet counts time from."""
    filled = texts.drop_null()
    filled = filled.filter(pc.not_equal(filled, ""))
    if len(filled):
        if pc.all(pc.match_substring_regex(filled, _MIDNIGHT)).as_py():
            texts = pc.utf8_slice_codeunits(texts, 0, 10)
        elif pc.all(pc.match_substring_regex(filled, _HOUR)).as_py():
            texts = pc.utf8_slice_codeunits(texts, 11)
    return pc.fill_null(texts, "").cast(pa.string())


def write_workbook(table: pa.Table, sink: BinaryIO) -> None:
    """One sheet, its cells texts, which no spreadsheet takes for formulas; the bytes depend on the table alone."""
    writer = needed("xlsxwriter", "excel", "Excel files")
    if table.num_rows >= MOST_ROWS or table.num_columns > MOST_COLUMNS:
        raise _too_much(f"a sheet holds {MOST_ROWS - 1:,} records and {MOST_COLUMNS:,} columns at most")
    content = io.BytesIO()
    book = writer.Workbook(content, {"constant_memory": True})
    book.set_properties({"created": _NO_DAY})
    sheet = book.add_worksheet("data")
    for at, name in enumerate(table.column_names):
        sheet.write_string(0, at, name)
    sheet.freeze_panes(1, 0)
    sheet.ignore_errors({"number_stored_as_text": f"A1:XFD{MOST_ROWS}"})
    row = 1
    for batch in table.to_batches(max_chunksize=_ROWS_AT_ONCE):
        columns = [_cells(column, name) for column, name in zip(batch.columns, table.column_names, strict=True)]
        for cells in zip(*columns, strict=True):
            for at, cell in enumerate(cells):
                sheet.write_string(row, at, cell)
            row += 1
    book.close()
    sink.write(content.getbuffer())


def _cells(column: Any, name: str) -> list[str]:
    texts = pc.fill_null(as_text(column), "")
    if (pc.max(pc.utf8_length(texts)).as_py() or 0) > MOST_SIGNS:
        raise _too_much(f"a cell holds {MOST_SIGNS:,} signs at most", name)
    found: list[str] = texts.to_pylist()
    return found


def _too_much(why: str, column: str | None = None) -> InputError:
    hint = 'Write another format: format = "csv" or "parquet" under [output].'
    return InputError(f"this does not fit into an Excel file: {why}", column=column, hint=hint)
