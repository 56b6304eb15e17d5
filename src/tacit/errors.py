"""What can go wrong, by whose doing.

A user's mistake (`InputError`), a promise that the data cannot keep (`PromiseError`) and a release that fails
its audit (`AuditFailure`) each carry the exit code of the command. Anything else that escapes is our bug.

Messages give the facts, then what to do. They never quote a personal value that a release would hide:
names of files, columns, hierarchy nodes and job keys are fine, cells of a record are not. Messages end up in logs.
Where the owner needs the values, `in_full` has them, which is shown to nobody but somebody at a terminal.
"""

from __future__ import annotations

from pathlib import Path


class TacitError(Exception):
    """Base of everything tacit raises on purpose."""

    exit_code = 1
    in_full: str | None = None
    """The message with the values that it is about, if it is about any."""


class InputError(TacitError):
    """The user's mistake: where it is, what is wrong, and what to do about it."""

    exit_code = 2

    def __init__(
        self,
        problem: str,
        *,
        file: str | Path | None = None,
        line: int | None = None,
        column: str | None = None,
        hint: str | None = None,
        values: str | None = None,
    ) -> None:
        """`values` quotes what the problem is about, for `in_full`."""
        self.problem, self.file, self.line, self.column, self.hint = problem, file, line, column, hint
        where = [_shown(file)] if file is not None else []
        if line is not None:
            where.append(f"line {line}")
        if column is not None:
            where.append(f"column {column!r}")
        place, then = f"{', '.join(where)}: " if where else "", f"\n  {hint}" if hint else ""
        super().__init__(f"{place}{problem}{then}")
        if values is not None:
            self.in_full = f"{place}{problem}: {values}{then}"


class PromiseError(TacitError):
    """The promise cannot be reached with anything worth publishing; says why, and what could be reached."""

    exit_code = 3

    def __init__(self, why_and_what_could_be_reached: str) -> None:
        super().__init__(f"{why_and_what_could_be_reached}\n  Nothing was published.")


class AuditFailure(TacitError):
    """The audit did not pass; nothing was published."""

    exit_code = 1

    def __init__(self, message: str, in_full: str | None = None) -> None:
        super().__init__(message)
        self.in_full = in_full


def _shown(file: str | Path) -> str:
    """A file by its name; a database by its URL, which may hold a password that no message repeats."""
    if isinstance(file, Path) or not ("://" in file or file.startswith("jdbc:")):
        return str(file)
    from tacit.io.databases import shown_url

    return shown_url(file)
