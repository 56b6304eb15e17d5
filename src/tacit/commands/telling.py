"""What a command says beside its result, all of it on standard error: how far it is, notes, and how it failed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

from tacit.commands import progress as displays
from tacit.commands.progress import Tell
from tacit.commands.shared import print_json
from tacit.process import stopping

_MORE_TO_SEE = "The values that this is about are not told here: run the same command in a terminal, or with --json."


class Telling:
    """How a command is to tell, by its options: nothing but errors, an object of JSON a line, or as it fits."""

    def __init__(self) -> None:
        self.quiet, self.as_json, self.progress_as = False, False, "auto"
        self._what_became: Callable[[], str] = lambda: ""

    @property
    def _is_watched(self) -> bool:
        """Whether somebody reads along at a terminal, so that nothing is kept."""
        return sys.stderr.isatty() and not self.quiet and not self._events

    @property
    def _events(self) -> bool:
        return self.progress_as == "json"

    def heed(self, words: Sequence[str]) -> None:
        """Tells as these words ask for, of which Click could make no command."""
        self.as_json = "--json" in words
        if "--progress=json" in words or ("--progress", "json") in pairwise(words):
            self.progress_as = "json"

    @contextmanager
    def progress(self) -> Iterator[Tell]:
        """Gives a function that takes the name of the stage that begins, or a word on how it goes."""
        with self._display() as show:

            def tell(message: str) -> None:
                stopping.stop_if_asked()
                show(message)

            from tacit.arrays.blocks import watched  # brings NumPy with it

            with watched(tell):
                yield tell

    @contextmanager
    def making(self, target: Path) -> Iterator[Tell]:
        """The progress of a release that appears at `target`. If it does not, how the command failed says so."""
        before = _which(target)

        def what_became() -> str:
            return "nothing was published" if _which(target) == before else f"the release is in place: {target}"

        self._what_became = what_became
        with self.progress() as tell:
            yield tell

    @contextmanager
    def cells(self, total: int) -> Iterator[Callable[[Any, Mapping[str, Any], bool], None]]:
        """Gives a function that takes a cell of a comparison that has ended, its outcome, and whether it was there."""
        self._what_became = lambda: "what was done is kept, and the same command goes on from there"
        done = 0

        def tell(cell: Any, outcome: Mapping[str, Any], again: bool) -> None:
            nonlocal done
            done += 1
            took = f" in {outcome['seconds']:.1f} s" if outcome.get("seconds") is not None else ""
            reason = f": {' '.join(str(outcome['message']).split())}" if outcome.get("message") else ""
            show(f"{done} of {total}: {cell}: {outcome['status']}{took}{', from before' * again}{reason}")

        with self._counting_display(total) as show:
            yield tell

    def note(self, text: str) -> None:
        """Something to know about a result."""
        if self.quiet:
            return
        if self._events:
            displays.event("note", message=text)
        else:
            print(f"note: {text}", file=sys.stderr)

    def done(self, exit_code: int) -> None:
        """The command came to its end; what the exit code means is part of the result."""
        if self._events and not self.quiet:
            displays.event("done", done=1.0, exit_code=exit_code)

    def failed(
        self, message: str, exit_code: int, details: Mapping[str, Any] | None = None, in_full: str | None = None
    ) -> int:
        """Why there is no result. Gives back the exit code.

        `in_full` is the same with values of people. It is for somebody at a terminal, and for whoever asked for JSON:
        standard error is kept in logs.
        """
        if self.as_json:
            with suppress(OSError):  # if that is what failed, standard error is left
                print_json({"error": in_full or message, "exit_code": exit_code, **(details or {})})
                sys.stdout.flush()
        told = message
        if in_full is not None:
            told = in_full if self._is_watched else f"{message}\n  {_MORE_TO_SEE}"
        if self._events:
            displays.event("error", message=told, exit_code=exit_code)
        else:
            print(f"tacit: {told}", file=sys.stderr)
        return exit_code

    def unwritten(self, error: OSError) -> int:
        """Something could not be read or written; without a name it is the result."""
        if error.filename:
            return self.failed(f"{error.filename}: {error.strerror}", 2)
        said = f"the result could not be printed: {error.strerror or error}"
        return self.failed("; ".join(filter(None, [said, self._what_became()])), 2)

    def stopped(self, exit_code: int) -> int:
        """Somebody stopped the command."""
        return self.failed("; ".join(filter(None, ["stopped", self._what_became()])), exit_code)

    def crashed(self, error: BaseException) -> int:
        """The command broke down, by a fault of ours."""
        from tacit.process.faults import EXIT_CODE, details, paragraph, show_traceback

        show_traceback(error)
        return self.failed(paragraph(error, self._what_became()), EXIT_CODE, details(error))

    def _display(self) -> AbstractContextManager[Tell]:
        if self.quiet:
            return nullcontext(lambda message: None)
        if self._events:
            return displays.events()
        return displays.bar() if sys.stderr.isatty() else displays.lines()

    def _counting_display(self, total: int) -> AbstractContextManager[Tell]:
        if self.quiet:
            return nullcontext(lambda message: None)
        if self._events:
            return displays.counted_events("comparing", total)
        return displays.counting_bar(total) if sys.stderr.isatty() else displays.counted_lines()


def _which(target: Path) -> tuple[int, int] | None:
    """Which directory lies at a place; a release is put there as a whole, by its name."""
    try:
        found = target.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
