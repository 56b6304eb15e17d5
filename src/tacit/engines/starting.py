"""Starting Spark: what its programs complain of is held back, and the reason told in a line if it does not start."""

from __future__ import annotations

import os
import re
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_REASONS = (
    r"Reason: (.+)",  # of a cluster that gave an application up
    r"\b(?:SparkException|IllegalArgumentException|UnknownHostException|ConnectException): (.+)",
    r"^\s*(\w*(?:Error|Exception): .+)$",
)
_LONGEST = 300
_A_MOMENT = 0.1


class Complaints:
    """What was written to standard error while a block ran."""

    def __init__(self) -> None:
        self.written = bytearray()

    def reason(self, error: BaseException) -> str:
        """Why nothing started, as far as it is told: by what was written, or by the exception."""
        time.sleep(_A_MOMENT)  # what was written may still be on its way here
        texts = (self.written.decode(errors="replace"), str(error))
        for pattern in _REASONS:
            for text in texts:
                if found := re.search(pattern, text, re.MULTILINE):
                    return found[1].strip()[:_LONGEST]
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        return (lines[0] if lines else type(error).__name__)[:_LONGEST]


@contextmanager
def held_back() -> Iterator[Complaints]:
    """Holds back what this process, and programs that it starts, write to standard error, until the block ends.

    Then it is passed on, and so is what these programs write later; if the block fails, nothing is.
    """
    found, ended, failed, turn = Complaints(), threading.Event(), threading.Event(), threading.Lock()
    try:
        sys.stderr.flush()
        own = os.dup(2)
    except (OSError, AttributeError, ValueError):  # there is no standard error
        yield found
        return
    reading, writing = os.pipe()
    os.dup2(writing, 2)
    os.close(writing)

    def pass_on() -> None:
        while block := os.read(reading, 1 << 16):
            with turn:
                if not ended.is_set():
                    found.written += block
                elif not failed.is_set():
                    _write(own, block)
        os.close(reading)

    reader = threading.Thread(target=pass_on, daemon=True)
    reader.start()
    try:
        yield found
    except BaseException:
        failed.set()
        raise
    finally:
        with suppress(OSError, ValueError):
            sys.stderr.flush()
        os.dup2(own, 2)
        with turn:
            if not failed.is_set():
                _write(own, bytes(found.written))
            ended.set()


def _write(target: int, block: bytes) -> None:
    with suppress(OSError):  # whoever read it has gone
        while block:
            block = block[os.write(target, block) :]
