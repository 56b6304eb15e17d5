"""What a report is made of: sections of plain records. How they look is the page's affair."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(frozen=True)
class Text:
    """A paragraph; a note is one that wants attention."""

    text: str
    is_note: bool = False


class Number(str):
    """A number in a table that is written already, say with fewer digits than others."""

    __slots__ = ()


class Words(str):
    """A text in a table that is ours and not the data's: other languages say it in their own way."""

    __slots__ = ()


@dataclass(frozen=True)
class Grid:
    """A table. Cells are text or numbers; numbers stand to the right."""

    rows: Sequence[Sequence[Any]]
    head: Sequence[str] = ()
    of_data: bool = False
    """Whether the heads are names of the data's columns, and not words of ours."""


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
    svg: Callable[[], str] | None = field(default=None, compare=False, repr=False)
    """Gives the drawing, if the engine was asked for it beforehand."""


@dataclass(frozen=True)
class Node:
    """A node of a hierarchy as a report draws it: what became of it, and what hangs below."""

    name: str
    state: str = ""
    """How it is coloured: kept, group, suppressed, inside (below a group), or nothing."""
    note: str = ""
    children: Sequence[Node] = ()
    is_open: bool = False


@dataclass(frozen=True)
class Tree:
    """A hierarchy that can be opened and closed."""

    root: Node


@dataclass(frozen=True)
class Folded:
    """Blocks that are shown when asked for; a print shows them."""

    title: str
    blocks: Sequence[Block]


Block = Text | Grid | Bars | Chart | Tree | Folded


@dataclass(frozen=True)
class Section:
    """A heading and what stands below it."""

    title: str
    blocks: Sequence[Block]


def all_words(section: Section) -> Section:
    """A section none of whose tables has a value of the data: all texts in them are ours."""
    return replace(section, blocks=[_in_words(block) for block in section.blocks])


def _in_words(block: Block) -> Block:
    match block:
        case Grid(rows):
            said = [[Words(cell) if type(cell) is str else cell for cell in row] for row in rows]
            return replace(block, rows=said)
        case Folded(_, blocks):
            return replace(block, blocks=[_in_words(each) for each in blocks])
        case _:
            return block
