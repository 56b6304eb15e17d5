"""Ctrl-C, and the request to end that a system sends: both stop a command where it is, and it cleans up.

Python raises `KeyboardInterrupt` for the first. Here the second does the same, so that whatever cleans up after one
cleans up after both. A second Ctrl-C while that is under way changes nothing.

An interrupt can get lost: Python drops what is raised while an object is deleted, a generator is closed or garbage is
collected, and where machine code calls back. So the signal is sent again ten times a second, until the command has
begun to clean up. Where a system has no such clock, the next word on how far the command is raises it again.

The compiler of kernels is one that calls back, and what it loses is worse than the interrupt: a kernel that it was to
load from the cache is then missing, and calling it ends the process. So nothing is raised in there; the clock comes
again soon after.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_asked: list[int] = []
"""The signal that asked the command to stop, once there is one."""
_AGAIN = 0.1  # seconds
_CODE_GENERATOR = "numba.core.codegen"


@contextmanager
def stoppable() -> Iterator[None]:
    """Stops what runs in the block when it is asked to; a signal that is ignored from outside stays so."""
    _asked.clear()
    before = {}
    if threading.current_thread() is threading.main_thread():
        signals = [signum for signum in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(signum) != signal.SIG_IGN]
        before = {signum: signal.signal(signum, _stop) for signum in signals}
        if _has_clock() and signal.getsignal(signal.SIGALRM) == signal.SIG_DFL:
            before[signal.SIGALRM] = signal.signal(signal.SIGALRM, _remind)
    told_of, sys.unraisablehook = sys.unraisablehook, _unless_asked(sys.unraisablehook)
    try:
        yield
    finally:
        _remind_no_more()
        sys.unraisablehook = told_of
        for signum, handler in before.items():
            signal.signal(signum, handler)


def _unless_asked(tell: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """What Python tells of errors that it drops, as an object is deleted; not those that come of being stopped."""
    if tell is not sys.__unraisablehook__:  # somebody else looks after them
        return tell
    return lambda error: None if _asked else tell(error)


def too_late() -> None:
    """Has a process that ends anyway end in peace."""
    _remind_no_more()
    for signum in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signum, signal.SIG_IGN)


def stop_if_asked() -> None:
    """Stops the command if a signal asked for it and got lost."""
    if _asked and not _is_cleaning_up():
        raise KeyboardInterrupt


def exit_code() -> int | None:
    """How a command ends that was asked to stop, as shells say it: 130 for Ctrl-C; None if nobody asked.

    Whoever asks for it has been stopped.
    """
    _remind_no_more()
    return 128 + _asked[0] if _asked else None


def _stop(signum: int, frame: FrameType | None) -> None:
    if not _asked:
        _asked.append(signum)
        if _has_clock() and signal.getsignal(signal.SIGALRM) == _remind:
            signal.setitimer(signal.ITIMER_REAL, _AGAIN, _AGAIN)
    if not _is_cleaning_up() and not _is_generating_code(frame):
        raise KeyboardInterrupt


def _remind(signum: int, frame: FrameType | None) -> None:
    """Sends the signal again, to whatever handles it now: it has to wait where nothing may be divided."""
    if _asked:
        signal.raise_signal(_asked[0])


def _remind_no_more() -> None:
    if _has_clock() and signal.getsignal(signal.SIGALRM) == _remind:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _has_clock() -> bool:
    return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()


def _is_generating_code(frame: FrameType | None) -> bool:
    """Whether the code that runs now was called by the part of the compiler that calls back from machine code."""
    while frame is not None:
        if frame.f_globals.get("__name__") == _CODE_GENERATOR:
            return True
        frame = frame.f_back
    return False


def _is_cleaning_up() -> bool:
    """Whether the code that runs now handles an interrupt, by itself or while it handles something else."""
    error = sys.exc_info()[1]
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None
