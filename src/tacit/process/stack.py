"""Room on Python's stack, so that deep calls do not ask the system for memory each time they come and go.

Python keeps the frames of its calls in pieces of 16 KiB. A piece is given back to the system as soon as its last frame
is done, and asked for anew by the next call. Compiling a kernel goes hundreds of calls deep and back, and where it does
so at the end of a piece, that is a system call and a new page for each of them: half a million pages, and an eighth
of the time of a first run. A frame that needs more than a piece gets a larger one, and what it calls has its rest.

Python's own issue for it is gh-142183: late versions of 3.13 and 3.14 keep one piece for the next call, 3.11 and 3.12
do not. This can go with them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")
_WORDS = 300_000
"""2.4 MB: the piece is then 4 MiB, 1.8 of them left for thousands of calls. Pages nobody writes to cost nothing."""


def with_room(function: Callable[_Given, _Result]) -> Callable[_Given, _Result]:
    """The same function; what it calls finds room on the stack."""

    def run(*given: _Given.args, **named: _Given.kwargs) -> _Result:
        return function(*given, **named)

    run.__code__ = run.__code__.replace(co_stacksize=_WORDS)
    return wraps(function)(run)
