"""The command `tacit`. Results go to standard output, everything else to standard error."""

from __future__ import annotations

import gc
import io
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TextIO

import click

from tacit.commands import mistakes
from tacit.commands.completion import ASKED_BY, PROGRAM
from tacit.commands.parts import Group
from tacit.commands.telling import Telling
from tacit.errors import TacitError
from tacit.process import stopping
from tacit.process.stack import with_room

_OBJECTS = 200_000


def _show_version(context: click.Context, parameter: click.Parameter, asked: bool) -> None:
    if asked and not context.resilient_parsing:
        from tacit import __version__

        print(f"tacit {__version__}")
        context.exit()


TACIT = Group(
    PROGRAM,
    {
        "anonymize": "tacit.commands.releases:anonymize",
        "audit": "tacit.commands.releases:audit",
        "apply": "tacit.commands.releases:apply",
        "attack": "tacit.commands.attacks:attack",
        "compare": "tacit.commands.choices:compare",
        "init": "tacit.commands.choices:init",
        "demo": "tacit.commands.releases:demo",
        "methods": "tacit.commands.choices:methods",
        "hierarchy": "tacit.commands.hierarchies:hierarchy",
        "serve": "tacit.commands.serving:serve",
        "completion": "tacit.commands.completion:completion",
    },
    help="Publish data about people without giving the people away: anonymize, prove, and show the cost.",
    epilog="Exit codes: 0 done; 1 the promise does not hold; 2 bad input; 3 the promise cannot be reached; "
    "70 a fault of tacit; 130 stopped by you.",
    params=[
        click.Option(
            ["--version"], is_flag=True, expose_value=False, is_eager=True, callback=_show_version,
            help="Print it and exit.",
        )
    ],
)  # fmt: skip


def run() -> None:
    """The command as a process of its own."""
    gc.set_threshold(_OBJECTS)  # nearly all that is imported stays to the end, so garbage is seldom worth a search
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # nothing here multiplies large matrices
    try:
        with_room(main)()
    finally:
        stopping.too_late()
        for stream in (sys.stdout, sys.stderr):
            _flush(stream)
        gc.freeze()  # nor is it worth one on the way out


def main() -> None:
    """Runs a command. A user's mistake ends in a message and its exit code, never in a traceback."""
    if sys.stdout is None or sys.stderr is None:  # closed by whoever started this
        nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115, it stays to the end
        sys.stdout, sys.stderr = sys.stdout or nowhere, sys.stderr or nowhere
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a name that this terminal cannot show is no reason to fail
    if asked := os.environ.get(ASKED_BY):
        from click.shell_completion import shell_complete

        sys.exit(shell_complete(TACIT, {}, PROGRAM, ASKED_BY, asked))
    with stopping.stoppable():
        try:
            exit_code = _exit_code(sys.argv[1:])
        except BrokenPipeError:  # nobody reads on
            exit_code = 1
        sys.exit(exit_code)


def _exit_code(words: list[str]) -> int:
    """Runs what the words say, and tells how it failed if it did."""
    telling = Telling()
    try:
        with TACIT.make_context(PROGRAM, list(words), obj=telling) as context:
            exit_code = TACIT.invoke(context) or 0
            sys.stdout.flush()  # what nobody can read has not been told
        telling.done(exit_code)
        return exit_code
    except click.exceptions.Exit as done:
        return done.exit_code
    except BrokenPipeError:
        raise
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001, what is not expected is our fault, and told so
        if isinstance(error, click.UsageError):
            telling.heed(words)
        return _told(error, telling)


def _told(error: BaseException, telling: Telling) -> int:
    """Tells why there is no result, and gives the exit code."""
    asked_to_stop = stopping.exit_code()
    if asked_to_stop is not None:  # whatever it is, it came of that: some packages make an error of an interrupt
        return telling.stopped(asked_to_stop)
    match error:
        case KeyboardInterrupt():
            return telling.stopped(130)
        case click.UsageError():
            return telling.failed(str(mistakes.told(error)), error.exit_code)
        case TacitError():
            return telling.failed(str(error), error.exit_code, getattr(error, "details", {}), error.in_full)
        case MemoryError():
            return telling.failed("the data does not fit into the memory of this machine; nothing was published", 2)
        case OSError():
            return telling.unwritten(error)
        case _:
            return telling.crashed(error)


def _flush(stream: TextIO) -> None:
    """Writes what is left; where nobody reads on, as in `tacit ... | head`, it goes nowhere."""
    try:
        stream.flush()
    except OSError:
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


if __name__ == "__main__":
    run()
