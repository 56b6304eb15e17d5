"""What records and ratings come to on an engine, before they are written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from tacit.io import FileFormat
from tacit.job import Job
from tacit.release import Release


class Keep(Protocol):
    """Keeps rows that are used more than once, in place of those kept before."""

    def __call__(self, *pieces: Any) -> Any:
        """All rows of some frames of one schema, which are worked off one after the other."""


@dataclass(frozen=True)
class Made:
    """A release without its audit, and its rows with their places."""

    release: Release
    rows: Any
    pieces: tuple[Any, ...] = ()
    """The same rows in pieces that follow each other in the order, where the engine cannot sort all at once."""
    firsts: Any = None
    """Of people with numbers, one row each."""
    ordered: Any = None
    """The same rows in their order, where the engine need not sort what was made of them."""

    def in_turn(self) -> list[Made]:
        """What is written one after the other."""
        return [replace(self, rows=piece, pieces=(), ordered=None) for piece in self.pieces] or [self]


class Form(Protocol):
    """What a kind of data that is made in shares offers."""

    def make(
        self,
        frame: Any,
        job: Job,
        output: FileFormat,
        hierarchies: Mapping[str, Any],
        key: bytes,
        order: bytes,
        keep: Keep,
        progress: Callable[[str], None],
    ) -> Made:
        """All rows as they are published, each share audited and compared with its original; `order` is the key of
        their order."""

    def to_publish(self, made: Made, *, is_sorted: bool = True) -> Any:
        """The rows with the columns that are published; in their order, unless that does not matter."""

    def whose(self, made: Made) -> Any | None:
        """The content of private/rows; None if nothing tells records apart."""
