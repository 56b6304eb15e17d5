"""Waiting without a clock: what is waited for comes, however busy the machine is, or the test is broken."""

from __future__ import annotations

from collections.abc import Callable
from time import sleep

PATIENCE = 600
"""Seconds after which a process is given up. A safety net: no test expects anything to take less, or more."""


def until(happened: Callable[[], bool]) -> None:
    """Returns as soon as something has happened."""
    for _ in range(PATIENCE * 20):
        if happened():
            return
        sleep(0.05)
    raise AssertionError("waited in vain")
