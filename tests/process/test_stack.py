"""Room on the stack: calls that go deep and come back again and again ask the system for next to no memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from tacit.process.stack import with_room

COUNTED = Path("/proc/self/stat")


def _leaf() -> None:
    pass


def _down_and_back(depth: int) -> None:
    """At every depth there are calls that come and go, so at some depth they cross the end of a piece of the stack."""
    for _ in range(100):
        _leaf()
    if depth > 0:
        _down_and_back(depth - 1)


def _new_pages(depth: int) -> int:
    before = _pages()
    _down_and_back(depth)
    return _pages() - before


def _pages() -> int:
    """How many pages the system has given to this process so far."""
    behind_the_name = COUNTED.read_text().rpartition(")")[2].split()
    return int(behind_the_name[7])


@pytest.mark.skipif(not COUNTED.exists(), reason="this system does not tell how many pages a process was given")
def test_deep_calls_find_room() -> None:
    pages = with_room(_new_pages)(700)
    assert pages < 100  # it writes to some 30 new ones; without room there are hundreds at the end of each piece


def test_the_function_is_the_same() -> None:
    @with_room
    def named(number: int, *, by: int = 2) -> int:
        """What it does."""
        return number * by

    assert named(3) == 6
    assert named(number=3, by=3) == 9
    assert (named.__name__, named.__doc__) == ("named", "What it does.")
    with pytest.raises(ZeroDivisionError):
        with_room(lambda: 1 // 0)()
