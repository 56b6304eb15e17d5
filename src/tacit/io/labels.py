"""What a file of statistics says of its columns in words: labels of columns and of codes, and how they are measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Code = float | str


@dataclass(frozen=True)
class Labels:
    """By column; one that a file says nothing of is absent."""

    columns: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Mapping[Code, str]] = field(default_factory=dict)
    measures: Mapping[str, str] = field(default_factory=dict)
    """nominal, ordinal or scale."""
    missing: Mapping[str, tuple[tuple[Any, Any], ...]] = field(default_factory=dict)
    """Codes that mean "no value", from and to: they are read as such."""
    numbers: frozenset[str] = frozenset()
    """Columns of numbers: codes, too."""
