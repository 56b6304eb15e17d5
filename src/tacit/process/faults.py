"""What is said of a fault of ours: enough to find it, and nothing of the data.

The text of an exception may quote values, so it is not told, and neither are the lines of code where it happened: the
kind of exception and the places in our code say enough.
"""

from __future__ import annotations

import os
import platform
import sys
import traceback
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

EXIT_CODE = 70
"""As `sysexits.h` has it: an internal fault of the program."""
_DEBUG = "TACIT_DEBUG"
_PACKAGE = Path(__file__).parents[1]


def paragraph(error: BaseException, what_became: str = "") -> str:
    """What happened, where, with which versions, and what to do about it."""
    found = details(error)
    places = " < ".join(found["places"]) or "an unknown place"
    versions = ", ".join(f"{name} {version}" for name, version in found["versions"].items())
    become = f"{what_became[:1].upper()}{what_became[1:]}. " if what_became else ""
    return (
        f"this is a fault of tacit, not of yours: {found['type']} at {places} ({versions}).\n"
        f"  {become}Please report these lines, which hold no value of your data, and the command that you ran. "
        f"{_DEBUG}=1 shows the whole traceback, which may hold some."
    )


def details(error: BaseException) -> dict[str, Any]:
    """The kind of exception, where it was in our code, the innermost place first, and the versions."""
    kind = type(error)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    return {"type": name, "places": places(error), "versions": versions()}


def places(error: BaseException) -> list[str]:
    """The lines of this package that an exception went through, the innermost first."""
    found = []
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        file = Path(frame.filename)
        if file.is_relative_to(_PACKAGE):
            found.append(f"{file.relative_to(_PACKAGE.parent).as_posix()}:{frame.lineno}")
    return found


def versions() -> dict[str, str]:
    """Of what runs here: this package, Python, and the system."""
    try:
        own = version("tacit")
    except PackageNotFoundError:  # run from its sources
        own = "(not installed)"
    return {"tacit": own, "Python": platform.python_version(), "platform": platform.platform()}


def show_traceback(error: BaseException) -> None:
    """All that Python knows of it, for developers who asked for it by an environment variable."""
    if os.environ.get(_DEBUG):
        traceback.print_exception(error, file=sys.stderr)
