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

    def remember(signum: int, frame: FrameType | None) -> None:
        came.append(signum)

    handlers = {signum: signal.getsignal(signum) for signum in (signal.SIGINT, signal.SIGTERM)}
    waiting = {signum: handler for signum, handler in handlers.items() if callable(handler)}
    for signum in waiting:
        signal.signal(signum, remember)
    try:
        yield
    finally:
        for signum, handler in waiting.items():
            signal.signal(signum, handler)
        if came:
            signal.raise_signal(came[0])
