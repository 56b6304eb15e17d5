"""The bytes of a file in memory of Arrow's own.

Threads of Arrow may be at work for a moment after it refused a file. Had they to give back memory of Python's then,
they could abort a process that is ending: with Arrow 18 they did, four times out of five.
"""

from __future__ import annotations

from collections import deque
from typing import BinaryIO

import pyarrow as pa

_AT_ONCE = 1 << 26
"""Bytes that are read at a time; so many that the system gets them back as soon as they are given up."""


def pieces_of(file: BinaryIO) -> deque[bytes]:
    """What is left of a file, in pieces."""
    return deque(iter(lambda: file.read(_AT_ONCE), b""))


def as_arrow(pieces: deque[bytes]) -> pa.Buffer:
    """The pieces one after the other. Each is given up once it is copied, so that nothing is there twice."""
    memory = pa.allocate_buffer(sum(map(len, pieces)))
    room = pa.FixedSizeBufferWriter(memory)
    while pieces:
        room.write(pieces.popleft())
    return memory
