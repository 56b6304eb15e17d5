"""Files of SPSS (.sav, .zsav), Stata (.dta) and SAS (.sas7bdat, .xpt): codes as they are, with what they are called.

A code that a file declares to mean "no value" is read as no value. Whole numbers are whole, whatever a program stores.
Labels go out with the values that are published, and with no others; the day of writing does not go out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc

from tacit.errors import InputError
from tacit.io.csv_lines import told_apart
from tacit.io.extras import needed
from tacit.io.formats import FileFormat
from tacit.io.labels import Code, Labels
from tacit.io.raw import no_record, open_for_reading
from tacit.io.text import as_text

_READERS = {"sav": "read_sav", "zsav": "read_sav", "dta": "read_dta", "sas7bdat": "read_sas7bdat", "xpt": "read_xport"}
_WHAT = "SPSS, Stata and SAS files"
_LONGEST_TEXT = {"sav": 32_767, "zsav": 32_767, "dta": 2045, "xpt": 32_767}
_LONGEST_NAME = {"sav": 64, "zsav": 64, "dta": 32, "xpt": 32}
_NUMBER = r"^(?:0|-?[1-9][0-9]{0,14})$"
_LONGEST_LABELLED = 8
"""Bytes of a text of which SPSS keeps a label."""


def read_statistics(path: Path, format: FileFormat) -> pa.Table:
    """The records of a file, by the codes that stand in it."""
    frame, _ = _read(path, format.name, metadataonly=False)
    table = frame.to_arrow()
    if not table.num_rows or not table.num_columns:
        raise no_record(path)
    columns = [_column(column) for column in table.columns]
    return pa.table(columns, names=told_apart(table.column_names, path))


def labels_in(path: Path, format: FileFormat) -> Labels:
    """What a file says of its columns; none of the records is read."""
    _, found = _read(path, format.name, metadataonly=True)
    labels = {name: words for name, words in found.column_names_to_labels.items() if words}
    ranges = {
        name: tuple((each["lo"], each["hi"]) for each in ranges)
        for name, ranges in found.missing_ranges.items()
        if ranges
    }
    kinds = found.readstat_variable_types
    return Labels(
        labels,
        {name: dict(codes) for name, codes in found.variable_value_labels.items()},
        {name: kind for name, kind in found.variable_measure.items() if kind in ("nominal", "ordinal", "scale")},
        ranges,
        frozenset(name for name, kind in kinds.items() if kind != "string"),
    )


def _read(path: Path, name: str, *, metadataonly: bool) -> tuple[Any, Any]:
    library = needed("pyreadstat", "statistics", _WHAT)
    needed("polars", "statistics", _WHAT)
    with open_for_reading(path, gzipped=False) as file:
        if not file.read(1):
            raise no_record(path)
    more = {"user_missing": True} if metadataonly and name in ("sav", "zsav") else {}
    try:
        found: tuple[Any, Any] = getattr(library, _READERS[name])(
            str(path), output_format="polars", metadataonly=metadataonly, **more
        )
        return found
    except (
        library.ReadstatError,
        library.PyreadstatError,
        ValueError,
        OverflowError,
        TypeError,
        MemoryError,
        LookupError,
    ):
        hint = "It may be damaged, or in an encoding that it does not name: save it anew, in UTF-8, or as CSV."
        raise InputError(f"this is not a whole .{name} file", file=path, hint=hint) from None


def _column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Whole numbers as such; texts as texts."""
    if pa.types.is_floating(column.type):
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
        try:
            return column.cast(pa.int64())
        except pa.ArrowInvalid:
            return column
    if pa.types.is_null(column.type):
        return column.cast(pa.string())
    return column.cast(pa.string()) if pa.types.is_large_string(column.type) or _is_view(column.type) else column


def _is_view(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string_view(kind))


def write_statistics(table: pa.Table, sink: BinaryIO, format: FileFormat) -> None:
    """The table with the labels of what it has. The bytes depend on these alone."""
    library = needed("pyreadstat", "statistics", _WHAT)
    frames = needed("polars", "statistics", _WHAT)
    _check_names(table.column_names, format.name)
    labels = format.labels or Labels()
    shown = pa.table({name: _written(table[name], name in labels.numbers) for name in table.column_names})
    _check_texts(shown, format.name)
    frame = frames.from_arrow(shown)
    words = {name: labels.columns[name] for name in shown.column_names if name in labels.columns}
    published = {name: _published(shown[name], labels.values.get(name, {}), format) for name in shown.column_names}
    values = {name: codes for name, codes in published.items() if codes}
    with TemporaryDirectory() as folder:
        file = Path(folder) / f"data.{format.name}"
        try:
            if format.name in ("sav", "zsav"):
                library.write_sav(
                    frame, str(file), column_labels=words, variable_value_labels=values,
                    compress=format.name == "zsav", variable_measure=_measures(shown, labels),
                )  # fmt: skip
            elif format.name == "dta":
                library.write_dta(frame, str(file), column_labels=words, variable_value_labels=values)
            else:
                library.write_xport(frame, str(file), column_labels=words)
        except (library.ReadstatError, library.PyreadstatError, ValueError, TypeError, OverflowError):
            hint = 'Write another format: format = "csv" or "parquet" under [output].'
            raise InputError(f"the release cannot be written as .{format.name}", hint=hint) from None
        sink.write(_without_clock(file.read_bytes(), format.name))


def _written(column: pa.ChunkedArray, was_number: bool) -> pa.ChunkedArray:
    """A column as these programs have it; codes that were published as they are, as the numbers that they were."""
    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return column.cast(pa.float64())
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return column
    texts = as_text(column)
    filled = texts.drop_null()
    is_code = was_number and len(filled) and pc.all(pc.match_substring_regex(filled, _NUMBER)).as_py()
    return texts.cast(pa.float64()) if is_code else pc.fill_null(texts, "").cast(pa.string())


def _measures(shown: pa.Table, labels: Labels) -> dict[str, str]:
    """How columns are measured; texts, as those of ranges, are names."""
    found = {name: labels.measures[name] for name in shown.column_names if name in labels.measures}
    return {name: "nominal" if pa.types.is_string(shown[name].type) else each for name, each in found.items()}


def _published(column: pa.ChunkedArray, labels: Mapping[Code, str], format: FileFormat) -> dict[Any, str]:
    """The labels of those codes that the column has: a label of any other would tell what was not published."""
    if not labels:
        return {}
    present = set(pc.unique(column).to_pylist()) - {None}
    if not pa.types.is_string(column.type):
        return {
            code: label
            for code, label in labels.items()
            if code in present and (format.name != "dta" or _is_whole(code))
        }
    if format.name == "dta":  # it has labels of whole numbers alone
        return {}
    texts = {_code_text(code): label for code, label in labels.items()}
    return {text: texts[text] for text in sorted(present & texts.keys()) if len(text.encode()) <= _LONGEST_LABELLED}


def _is_whole(code: Code) -> bool:
    return not isinstance(code, str) and float(code).is_integer()


def _code_text(code: Code) -> str:
    return code if isinstance(code, str) else str(int(code)) if _is_whole(code) else str(code)


def _check_names(names: list[str], kind: str) -> None:
    for name in names:
        longest = _LONGEST_NAME[kind]
        if not re.fullmatch(r"[^\W\d]\w*", name) or len(name.encode()) > longest:
            raise InputError(
                f"a .{kind} file has no column of this name: letters, digits and _ alone, {longest} of them at most",
                column=name,
                hint='Rename the column, or write another format: format = "csv" under [output].',
            )


def _check_texts(table: pa.Table, kind: str) -> None:
    for name, column in zip(table.column_names, table.columns, strict=True):
        if pa.types.is_string(column.type) and (pc.max(pc.binary_length(column)).as_py() or 0) > _LONGEST_TEXT[kind]:
            raise InputError(
                f"a text is longer than the {_LONGEST_TEXT[kind]:,} bytes that a .{kind} file keeps",
                column=name,
                hint='Write another format: format = "csv" or "parquet" under [output].',
            )


def _without_clock(content: bytes, kind: str) -> bytes:
    """The file as if it had been written at the beginning of 1980: when it was made says nothing about it."""
    if kind in ("sav", "zsav"):
        return content[:92] + b"01 Jan 80" + b"00:00:00" + content[109:]
    if kind == "dta":
        return re.sub(
            rb"<timestamp>\x11.{17}</timestamp>", b"<timestamp>\x1101 Jan 1980 00:00</timestamp>", content, count=1
        )
    head = re.sub(rb"\d\d[A-Z]{3}\d\d:\d\d:\d\d:\d\d", b"01JAN80:00:00:00", content[:800])
    return head + content[800:]
