"""Text in other encodings than UTF-8, as spreadsheets export it: made UTF-8 as it is read, and back as it is written.

All that reads and writes text works on UTF-8, and need not know.
"""

from __future__ import annotations

import codecs
import io
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc

from tacit.errors import InputError

UTF8 = "utf-8"
_AT_ONCE = 1 << 24


def as_utf8(file: BinaryIO, encoding: str, path: Path) -> BinaryIO:
    """What a file in this encoding says, in UTF-8."""
    decoder, made = codecs.getincrementaldecoder(encoding)(), io.BytesIO()
    try:
        while piece := file.read(_AT_ONCE):
            made.write(decoder.decode(piece).encode())
        made.write(decoder.decode(b"", final=True).encode())
    except UnicodeError as error:
        good = error.object[: error.start] if isinstance(error, UnicodeDecodeError) else b""
        line = made.getvalue().count(b"\n") + good.count(b"\n") + 1
        hint = "Name the encoding that the file is in: encoding = ... under [input]."
        raise InputError(f"the text is not {encoding}", file=path, line=line, hint=hint) from None
    made.seek(0)
    return made


def can_write(table: pa.Table, encoding: str) -> bool:
    """Whether an encoding has a sign for all that stands in a table."""
    try:
        "".join(table.column_names).encode(encoding)
        for column in () if codecs.lookup(encoding).name == "utf-8" else table.columns:  # Arrow's texts are UTF-8
            for value in pc.unique(_flat(column)).to_pylist():
                if isinstance(value, str):
                    value.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def _flat(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The values of a column; of one that holds lists, those in the lists."""
    is_list = pa.types.is_list(column.type) or pa.types.is_large_list(column.type)
    return pc.list_flatten(column) if is_list else column


class Encoder(io.RawIOBase):
    """Takes UTF-8, and writes it into another file in an encoding."""

    def __init__(self, sink: BinaryIO, encoding: str) -> None:
        self._sink, self._name = sink, encoding
        self._decode, self._encode = codecs.getincrementaldecoder(UTF8)(), codecs.getincrementalencoder(encoding)()

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        try:
            self._sink.write(self._encode.encode(self._decode.decode(bytes(data))))
        except UnicodeEncodeError:
            raise InputError(
                f"a value or a name to be published cannot be written in {self._name}, the encoding of the input",
                hint='Rename the node of a hierarchy that it comes from, or write format = "parquet" under [output].',
            ) from None
        return memoryview(data).nbytes
