"""Steps that Ctrl-C must not divide: what is made and noted, or put in place and cleaned up, in one go."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def undisturbed() -> Iterator[None]:
    """Has Ctrl-C, and a request to end, wait until the block is done; for short blocks only.

    Signals come to the main thread; whoever calls this from another one is not disturbed anyway.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []

    def remember(number: int, frame: FrameType | None) -> None:
        came.append(number)

    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    waiting = {number: handler for number, handler in handlers.items() if callable(handler)}
    for number in waiting:
        signal.signal(number, remember)
    try:
        yield
    finally:
        for number, handler in waiting.items():
            signal.signal(number, handler)
        if came:
            signal.raise_signal(came[0])
