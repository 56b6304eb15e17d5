"""Room on the stack: calls that go deep and come back again and again ask the system for next to no memory."""

from __future__ import annotations

import pytest

from tacit.process.stack import with_room

resource = pytest.importorskip("resource", reason="this system does not count pages")


def _leaf() -> None:
    pass


def _down_and_back(depth: int) -> None:
    """At every depth there are calls that come and go, so at some depth they cross the end of a piece of the stack."""
    for _ in range(100):
        _leaf()
    if depth > 0:
        _down_and_back(depth - 1)


def _new_pages(depth: int) -> int:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    _down_and_back(depth)
    return int(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)


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
