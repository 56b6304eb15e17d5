"""The raw data that `init` looks at: a file, or a table of a database; and how a job file names it."""

from __future__ import annotations

import codecs
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from tacit.arrays.encode import plain_values
from tacit.errors import InputError
from tacit.init.encodings import encoding_of
from tacit.init.shapes import is_day, is_email, is_person, is_phone
from tacit.init.text import about, quoted, relative
from tacit.io import is_database_url, read_query
from tacit.io.databases import shown_url
from tacit.io.formats import detect_format
from tacit.io.labels import Labels
from tacit.io.passwords import without_password
from tacit.io.raw import find_bad_utf8, open_for_reading
from tacit.io.text import as_text
from tacit.io.workbooks import sheets_of
from tacit.job import Input, Join
from tacit.job.joins import joined
from tacit.job.sources import Source, read_file

ENCODING_IS_GUESSED = "a guess, for the file is not UTF-8: do letters with accents look right?"
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?")
_FEW = 0.1
"""Of a column of numbers, the share of words at most; they may be further headers."""


@dataclass(frozen=True, eq=False)
class RawData:
    """A table, and where it came from."""

    table: pa.Table
    input: Input
    is_dat: bool = False
    labels: Labels = field(default_factory=Labels)
    """What a file of statistics says of its columns."""
    left_out: tuple[str, ...] = ()
    """Columns of a database that hold bytes: they mean nothing to a reader, and are never published."""

    @property
    def shown(self) -> str:
        """Where it came from, for messages: without a password."""
        return shown_url(str(self.input.source))

    def lines(self, folder: Path) -> list[str]:
        """What [input] of a job file in this folder says."""
        lines = [f"source = {quoted(_seen_from(folder, self.input.source))}"]
        lines += [f"table = {quoted(self.input.table)}"] if self.input.table else []
        lines += [f"format = {quoted(self.input.format)}"] if self.input.format else []
        lines += (
            [f"join = [{', '.join(_join_line(join, folder) for join in self.input.join)}]"] if self.input.join else []
        )
        lines += [f"# left out, for they hold bytes: {', '.join(self.left_out)}"] if self.left_out else []
        encoding = f"encoding = {quoted(self.input.encoding)}" if self.input.encoding else ""
        return [*lines, about(encoding, ENCODING_IS_GUESSED)] if encoding else lines


def read_raw(data: str, *, table: str | None = None, format: str | None = None, joins: Sequence[Join] = ()) -> RawData:
    """The data at a path or a database URL, with what is joined; categories as the values they stand for."""
    raw = _read_first(data, table, format)
    for join in joins:
        source = data if join.source is None else str(join.source)
        if is_database_url(source):
            other = read_query(source, table=join.table, wanted=join.needs)
        else:
            other = read_file(Path(source), sheet=join.table).table
        whole, _ = joined(raw.table, other, join, raw.input)
        raw = replace(raw, table=_plain(whole), input=replace(raw.input, join=(*raw.input.join, join)))
    return raw


def sheets_beside(data: str, table: str | None, format: str | None) -> list[str]:
    """The sheets of a workbook but for the one that is read."""
    if is_database_url(data) or not Input(Path(data), format=format).is_workbook:
        return []
    names = sheets_of(Path(data))
    return [name for name in names if name not in ([table] if table else names[:1])]


def join_of(words: str, *, of_database: bool = False, sheets: Collection[str] = ()) -> Join:
    """What `--join SOURCE,KEY,ITEMS` says; the key may be `KEY=ON` where the other table calls it otherwise.

    >>> join_of("diagnoses.csv,id=patient,code").on
    'patient'
    >>> join_of("Diagnoses,id,code", sheets=["Diagnoses"]).table
    'Diagnoses'
    """
    parts = [part.strip() for part in words.split(",")]
    if len(parts) != 3 or not all(parts):
        hint = (
            "Write SOURCE,KEY,ITEMS: diagnoses.csv,id=patient,code; of a database SOURCE is a table of it, "
            "of a workbook it may be a sheet."
        )
        raise InputError("--join cannot be understood", file=f"--join {words}", hint=hint)
    key, _, on = parts[1].partition("=")
    if parts[0] in sheets or (of_database and "://" not in parts[0] and "." not in parts[0]):
        return Join(key.strip(), table=parts[0], on=on.strip() or None, items=parts[2])
    return Join(key.strip(), Path(parts[0]), on=on.strip() or None, items=parts[2])


def _read_first(data: str, table: str | None, format: str | None) -> RawData:
    if is_database_url(data):
        left_out: list[str] = []
        rows = read_query(data, table=table or "", left_out=left_out)
        return RawData(_plain(rows), Input(data, table=table), left_out=tuple(left_out))
    given = Input(Path(data), table=table, format=format)
    if table is not None and not given.is_workbook:
        hint = "Leave it out, or give the URL of a database."
        raise InputError("--table is for a database, or names the sheet of a workbook", file=data, hint=hint)
    source, encoding = _read_text(given)
    if not source.format.has_lists and source.format.name != "dat":  # the name of its one column is ours
        _refuse_record_as_header(source.table, data)
    given = replace(given, encoding=encoding)
    return RawData(_plain(source.table), given, source.format.name == "dat", source.format.labels or Labels())


def _read_text(given: Input) -> tuple[Source, str | None]:
    """A file, and the encoding that it seems to be in if that is not UTF-8."""
    path, format = Path(given.source), given.format
    try:
        return read_file(path, format=format, sheet=given.table), None
    except InputError:
        encoding = _other_encoding(path, format)
        if encoding is None:
            raise
    return read_file(path, format=format, encoding=encoding), encoding


def _other_encoding(path: Path, format: str | None) -> str | None:
    """An encoding of a text that is not UTF-8: what a mark at its start says, or what spreadsheets write in its region.

    Every byte of a file that is read so is written back as it was, even if it stands for another sign.
    """
    found = detect_format(path, format)
    if not found.is_text:
        return None
    with open_for_reading(path, gzipped=found.gzipped) as file:
        content = file.read()
    if content[:2] not in _UTF16 and (find_bad_utf8(memoryview(content)) is None or b"\0" in content):
        return None
    return encoding_of(content)


def _refuse_record_as_header(table: pa.Table, file: str) -> None:
    """A file without a header would have its first record for names of columns, and they would be shown."""
    names = table.column_names
    numbers = [name for name in names if _NUMBER.fullmatch(name)]
    are_counted = numbers in ([str(start + at) for at in range(len(numbers))] for start in (0, 1))
    values = [name for name in names if _is_value(name) or (name in numbers and not are_counted)]
    back = [name for name in names if name not in [*values, *numbers] and _comes_back(table[name], name)]
    if back:
        records = _without_further_headers(table)
        values += [name for name in back if _comes_back(records[name], name)]
    if 3 * len(values) >= len(names):
        raise InputError(
            "the first line looks like a record, not like names of columns",
            file=file,
            line=1,
            hint="Put a line with the names of the columns in front.",
        )


def _is_value(name: str) -> bool:
    return is_day(name) or is_email(name) or is_phone(name) or (" " in name and is_person(name))


def _comes_back(column: pa.ChunkedArray, name: str) -> bool:
    """Whether what stands above a column stands in it, too, beside others: alone, it marks a box that was ticked."""
    different = {text for text in pc.unique(as_text(column)).to_pylist() if text is not None and text.strip()}
    return bool(name.strip()) and name in different and len(different) > 1


def _without_further_headers(table: pa.Table) -> pa.Table:
    """The rows but for those that repeat the header, or have a word where nearly all others have a number: files that
    were put behind each other."""
    is_header, is_same = pa.scalar(False), pa.scalar(True)
    for name, column in zip(table.column_names, table.columns, strict=True):
        texts = as_text(column)
        is_same = pc.and_(is_same, pc.fill_null(pc.equal(texts, pa.scalar(name, texts.type)), False))
        is_word = pc.invert(pc.match_substring_regex(texts, rf"^\s*({_NUMBER.pattern})?\s*$"))
        if (pc.mean(is_word).as_py() or 0) < _FEW:
            is_header = pc.or_(is_header, pc.fill_null(is_word, False))
    return table.filter(pc.invert(pc.or_(is_header, is_same)))


def _plain(table: pa.Table) -> pa.Table:
    return pa.Table.from_arrays([plain_values(column) for column in table.columns], names=table.column_names)


def _join_line(join: Join, folder: Path) -> str:
    """A join as TOML writes it on a line."""
    source = None if join.source is None else _seen_from(folder, join.source)
    said = {"source": source, "table": join.table, "key": join.key, "on": join.on, "items": join.items}
    return "{" + ", ".join(f"{name} = {quoted(value)}" for name, value in said.items() if value) + "}"


def _seen_from(folder: Path, source: Path | str) -> str:
    """A path, or the file of an SQLite URL, as seen from a folder; another URL as it is."""
    if isinstance(source, Path):
        return relative(source, folder)
    local = re.fullmatch(r"(sqlite(?:\+\w+)?:///)(?!/|:memory:|file:)(.+)", source)
    return f"{local[1]}{relative(Path(local[2]), folder)}" if local else without_password(source)
