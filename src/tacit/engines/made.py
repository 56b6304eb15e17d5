"""What records and ratings come to on an engine, before they are written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from tacit.io import FileFormat
from tacit.job import Job
from tacit.release import Release

Keep = Callable[[Any], Any]
"""Keeps a frame that is used more than once, in place of one kept before."""


@dataclass(frozen=True)
class Made:
    """A release without its audit, and its rows with their places."""

    release: Release
    rows: Any


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

    def to_publish(self, made: Made) -> Any:
        """The rows in their order, with the columns that are published."""

    def whose(self, made: Made) -> Any | None:
        """The content of private/rows; None if nothing tells records apart."""
