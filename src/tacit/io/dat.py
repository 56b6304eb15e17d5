"""Basket files (.dat): one basket a line, no header, no quoting; a line is a cell of the column `items`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.errors import InputError
from tacit.io.encodings import UTF8
from tacit.io.raw import BOM, find_bad_utf8, no_record, not_utf8, open_for_reading
from tacit.io.text import as_text, concatenate, text_bytes

ITEMS = "items"
_BLOCK = 1 << 26
_NEWLINE, _RETURN = ord("\n"), ord("\r")


def read_dat(path: Path, *, gzipped: bool, encoding: str = UTF8) -> pa.Table:
    """The lines of the file, block by block; an empty line is an empty basket."""
    lines: list[pa.StringArray] = []
    seen = 0
    with open_for_reading(path, gzipped=gzipped, encoding=encoding) as file:
        for block in _blocks(file):
            lines.append(_lines(block, path, seen))
            seen += len(lines[-1])
    if not lines:
        raise no_record(path)
    return pa.table({ITEMS: pa.chunked_array(lines, pa.string())})


def _blocks(file: BinaryIO) -> Iterator[bytes]:
    """The file in pieces that end with a line end (added to a last line that has none)."""
    rest = file.read(len(BOM)).removeprefix(BOM)
    while block := file.read(_BLOCK):
        block = rest + block
        cut = block.rfind(b"\n") + 1
        rest = block[cut:]
        if cut:
            yield block[:cut]
    if rest:
        yield rest if rest.endswith(b"\n") else rest + b"\n"


def _lines(block: bytes, path: Path, seen: int) -> pa.StringArray:
    """The lines of a block, of which the file had `seen` before; no line is looked at on its own."""
    bad = find_bad_utf8(memoryview(block))
    if bad is not None:
        raise not_utf8(path, block, seen + block.count(b"\n", 0, bad) + 1)
    if b"\r\n" in block:
        block = block.replace(b"\r\n", b"\n")
    ends = np.flatnonzero(np.frombuffer(block, np.uint8) == _NEWLINE)
    offsets = np.zeros(len(ends) + 1, np.int32)
    offsets[1:] = ends - np.arange(len(ends))
    return pa.StringArray.from_buffers(len(ends), pa.py_buffer(offsets), pa.py_buffer(block.replace(b"\n", b"")))


def write_dat(table: pa.Table, sink: BinaryIO, line_end: str = "\n", *, bom: bool = False) -> None:
    """The lines of the column `items`."""
    if bom:
        sink.write(BOM)
    first = not bom
    for batch in table.select([ITEMS]).to_batches(max_chunksize=1 << 20):
        lines = pc.fill_null(as_text(batch.column(0)), "")
        if _may_hold_breaks(lines) and pc.any(pc.match_substring_regex(lines, "\n|\r$")).as_py():
            raise InputError(
                "an item holds a line break, which a .dat file cannot keep",
                column=ITEMS,
                hint='Write another format: format = "csv" under [output].',
            )
        if first and len(lines) and lines[0].as_py().startswith(BOM.decode()):
            sink.write(BOM)  # reading drops one
        first = first and not len(lines)
        sink.write(text_bytes(concatenate(lines, line_end)))


def _may_hold_breaks(lines: pa.Array) -> bool:
    """Whether a sign of a line break stands anywhere in the text: to look for it line by line takes longer."""
    text = np.frombuffer(text_bytes(lines), np.uint8)
    return bool((text == _NEWLINE).any() or (text == _RETURN).any())
