"""What a release was made from, by SHA-256: whoever wants to make it again can tell whether the same data are at hand.

What was read is what counts: a file is hashed while it is read, aside, and must not change meanwhile.
"""

from __future__ import annotations

import hashlib
import io
import stat
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from tacit.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS_AT_ONCE = 1 << 16
_BYTES_AT_ONCE = 1 << 20


class HashingSink(io.RawIOBase):
    """A file that keeps nothing of what is written to it but its SHA-256."""

    def __init__(self) -> None:
        self._hash, self._size = hashlib.sha256(), 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        self._hash.update(data)
        size = memoryview(data).nbytes
        self._size += size
        return size

    def tell(self) -> int:
        return self._size

    def hexdigest(self) -> str:
        return self._hash.hexdigest()


def file_sha256(path: Path, given_up: Event | None = None) -> str:
    """Of the file's bytes, packed or not. It ends early, and is of no use, once it is `given_up`.

    Of a folder of parts: of the names and digests of its files.
    """
    digest = hashlib.sha256()
    if path.is_dir():
        for part in sorted(path.iterdir()):
            digest.update(f"{part.name} {file_sha256(part)}\n".encode())
        return digest.hexdigest()
    with path.open("rb") as file:
        while (piece := file.read(_BYTES_AT_ONCE)) and not (given_up and given_up.is_set()):
            digest.update(piece)
    return digest.hexdigest()


def table_sha256(table: pa.Table) -> str:
    """Of a table as a stream of Arrow; how its columns are cut into chunks does not matter."""
    import pyarrow as pa

    table = table.replace_schema_metadata(None)
    sink = HashingSink()
    with pa.ipc.new_stream(pa.PythonFile(sink, "w"), table.schema) as writer:
        for start in range(0, table.num_rows, _ROWS_AT_ONCE):
            writer.write_table(table.slice(start, _ROWS_AT_ONCE).combine_chunks())
    return sink.hexdigest()


@contextmanager
def hashed_while_read(files: Mapping[str, Path]) -> Iterator[dict[str, str]]:
    """The SHA-256 of files that are read in the block, by the same names; they are there when it ends.

    What is no file, such as a pipe, can be read but once and is left out.
    """
    found: dict[str, str] = {}
    before = {name: state for name, path in files.items() if (state := _state(path)) is not None}
    given_up = Event()
    with ThreadPoolExecutor(1) as aside:
        digests = {name: aside.submit(file_sha256, files[name], given_up) for name in before}
        try:
            yield found
        except BaseException:  # nobody waits for the rest of a large file
            given_up.set()
            raise
    for name, state in before.items():
        if _state(files[name]) != state:
            hint = "Run it again when nobody writes to the file."
            raise InputError("the file changed while it was read", file=files[name], hint=hint)
        found[name] = digests[name].result()


def _state(path: Path) -> tuple[int, int, int] | None:
    """What changes with a file's content: which file it is, its size, and when it was written; None if it is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return (found.st_ino, found.st_size, found.st_mtime_ns) if stat.S_ISREG(found.st_mode) else None
