"""What a report is made of: sections of plain records. How they look is the page's affair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Text:
    """A paragraph; a note is one that wants attention."""

    text: str
    is_note: bool = False


@dataclass(frozen=True)
class Grid:
    """A table. Cells are text or numbers; numbers stand to the right."""

    rows: Sequence[Sequence[Any]]
    head: Sequence[str] = ()


@dataclass(frozen=True)
class Bars:
    """A table whose rows have a bar each: the length is that of the number in the column `length`."""

    rows: Sequence[Sequence[Any]]
    head: Sequence[str]
    length: int


@dataclass(frozen=True)
class Chart:
    """A picture: records, and how to draw them (a Vega-Lite specification without its data)."""

    title: str
    records: Sequence[Mapping[str, Any]]
    spec: Mapping[str, Any] = field(default_factory=dict)


Block = Text | Grid | Bars | Chart


@dataclass(frozen=True)
class Section:
    """A heading and what stands below it."""

    title: str
    blocks: Sequence[Block]
