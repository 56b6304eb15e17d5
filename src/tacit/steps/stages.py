"""How far a release is, for those who watch."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str], None]

STAGES = ("reading", "encoding", "searching", "recoding", "writing", "auditing", "attacking", "reporting")
"""What progress is told, in this order; other messages say how a stage goes."""


def silent(message: str) -> None:
    """Progress that nobody watches."""
