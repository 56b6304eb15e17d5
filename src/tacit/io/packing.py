"""Gzip by pieces, several at a time: the text of a big release is packed while more of it is made."""

from __future__ import annotations

import io
import os
import zlib
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, BinaryIO

_LEVEL = 5
"""About 6 % more bytes than level 6, zlib's own choice, in half of its time."""
_PIECE = 1 << 18
_LOOKS_BACK = 1 << 15
"""How far deflate looks back for what it repeats, also across the border of two pieces."""
_HEADER = b"\x1f\x8b\x08\x00" + bytes(4) + b"\x00\xff"
"""Deflated; no time, no name, no system."""
_THREADS = 4


class GzipSink(io.RawIOBase):
    """A file that packs what is written to it into another one, as one gzip member.

    The bytes depend on the content alone, not on how it was cut into writes or on the number of threads.
    """

    def __init__(self, raw: BinaryIO) -> None:
        self._raw = raw
        self._threads: ThreadPoolExecutor | None = None
        self._packed: deque[Future[bytes]] = deque()
        self._piece, self._before = bytearray(), b""
        self._sum, self._size = zlib.crc32(b""), 0
        raw.write(_HEADER)

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._size

    def write(self, data: Any, /) -> int:
        content = memoryview(data).cast("B")
        self._sum = zlib.crc32(content, self._sum)
        self._size += len(content)
        taken = 0
        while len(self._piece) + len(content) - taken > _PIECE:
            upto = taken + _PIECE - len(self._piece)
            self._piece += content[taken:upto]
            self._hand_on()
            taken = upto
        self._piece += content[taken:]
        return len(content)

    def finish(self) -> None:
        """Writes what is left, and what tells a reader that it has everything."""
        last = _deflated(bytes(self._piece), self._before, zlib.Z_FINISH)
        while self._packed:
            self._raw.write(self._packed.popleft().result())
        self._raw.write(last)
        self._raw.write(self._sum.to_bytes(4, "little") + (self._size & 0xFFFFFFFF).to_bytes(4, "little"))

    def close(self) -> None:
        """Ends the threads; the file below stays open, and without `finish` it is no whole gzip file."""
        if self._threads is not None:
            self._threads.shutdown(cancel_futures=True)
        super().close()

    def _hand_on(self) -> None:
        """Has a full piece packed; waits if the threads are behind, so that few pieces are in memory."""
        if self._threads is None:
            self._threads = ThreadPoolExecutor(min(_THREADS, os.cpu_count() or 1))
        piece = bytes(self._piece)
        self._packed.append(self._threads.submit(_deflated, piece, self._before, zlib.Z_SYNC_FLUSH))
        self._piece.clear()
        self._before = piece[-_LOOKS_BACK:]
        while len(self._packed) > 2 * _THREADS or (self._packed and self._packed[0].done()):
            self._raw.write(self._packed.popleft().result())


def _deflated(piece: bytes, before: bytes, how_it_ends: int) -> bytes:
    """A piece as deflate writes it, which may refer to what stood before it."""
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS, zdict=before)
    return packer.compress(piece) + packer.flush(how_it_ends)
