"""The command `tacit`. Results go to standard output, everything else to standard error."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from tacit.commands import choices, hierarchies, releases
from tacit.commands.parts import group
from tacit.commands.reading import run as run_command
from tacit.commands.shared import print_json
from tacit.errors import TacitError
from tacit.startup import start_quickly


def _version() -> str:
    from tacit import __version__

    return f"tacit {__version__}"


TACIT = group(
    "tacit",
    "Publish data about people without giving the people away: anonymize, prove, and show the cost.",
    releases.anonymize,
    releases.audit,
    releases.apply,
    choices.compare,
    choices.init,
    releases.demo,
    choices.methods,
    group("hierarchy", "Make, check and draw hierarchies.", hierarchies.build, hierarchies.check, hierarchies.show),
    answers={"--version": ("Print it and exit.", _version)},
    epilog="Exit codes: 0 done; 1 the promise does not hold; 2 bad input; 3 the promise cannot be reached.",
)


def run() -> NoReturn:
    """The command as a process: once it is done it ends, with its exit code and nothing else.

    Left to the interpreter, a thread pool of Arrow now and then aborts the process on its way out.
    """
    start_quickly()
    exit_code = 0
    try:
        main()
    except SystemExit as done:
        exit_code = done.code if isinstance(done.code, int) else int(done.code is not None)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):  # nobody reads on, as in `tacit ... | head`
            stream.flush()
    os._exit(exit_code)


def main() -> None:
    """Runs a command. A user's mistake ends in a message and its exit code, never in a traceback."""
    if sys.stdout is None or sys.stderr is None:  # closed by whoever started this
        nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115, it stays to the end
        sys.stdout, sys.stderr = sys.stdout or nowhere, sys.stderr or nowhere
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a name that this terminal cannot show is no reason to fail
    try:
        exit_code = run_command(TACIT, sys.argv[1:], TACIT.name)
    except TacitError as error:
        _fail(str(error), error.exit_code, getattr(error, "details", {}))
    except MemoryError:
        _fail("the data does not fit into the memory of this machine; nothing was published")
    except BrokenPipeError:  # nobody reads on
        exit_code = 1
    except OSError as error:
        _fail(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except KeyboardInterrupt:
        exit_code = 130  # as shells say of a command that was stopped from the keyboard
    sys.exit(exit_code)


def _fail(message: str, exit_code: int = 2, details: Mapping[str, Any] | None = None) -> NoReturn:
    if "--json" in sys.argv:
        print_json({"error": message, "exit_code": exit_code, **(details or {})})
    print(f"tacit: {message}", file=sys.stderr)
    sys.exit(exit_code)


if __name__ == "__main__":
    run()
