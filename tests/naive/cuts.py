"""Slow twin of cuts (still open: authors and year), on Python's own lists, sets and dictionaries."""

from __future__ import annotations

from typing import Any

from exams.cases import Case

TWIN_OF = ("cuts",)


def publishes(case: Case, promise: Any, **given: Any) -> list[dict[str, Any]]:
    """The rows that the method must publish of a case, in any order; `given` has the method's name and the seed."""
    raise AssertionError("cuts: the twin is still open. Write the paper's words out here, as plainly as can be")
