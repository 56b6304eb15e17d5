"""What a raw file seems to hold: baskets in one column, or one row per person and item."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from tacit.arrays.encode import is_list, split_baskets
from tacit.errors import InputError
from tacit.io.dat import ITEMS
from tacit.job import BLANK

SEPARATORS = (", ", "; ", ",", ";", "|", "\t", BLANK)
_LOOKED_AT = 20_000
_ITEM_NAME = re.compile("item|basket|product|purchase|article|movie|page|tag|cod|diagnos|condition|drug", re.IGNORECASE)
_PERSON_NAMES = (
    re.compile("pers|user|customer|client|patient|member|visitor", re.IGNORECASE),
    re.compile("id$", re.IGNORECASE),
)
"""How a column with persons is named, and, if none is, how it may be named."""


class Guess(NamedTuple):
    """The column with items, what divides them in a text column, and whose they are in a long layout."""

    items: str
    separator: str | None = None
    person: str | None = None
    is_sure: bool = True
    """Whether it is more than a text with blanks in it, as many have."""


class Division(NamedTuple):
    """A column that a separator divides into items, and how much speaks for it: the best is the greatest."""

    named_so: bool
    varies: bool  # sets have different sizes, unlike first and last names
    size: float  # items a cell
    column: str
    separator: str
    repetition: float  # how often an item comes back


def guess_layout(table: pa.Table, file: Path, *, is_dat: bool = False) -> Guess:
    """Which column holds baskets, or which two a person and an item; an error if nothing in the file looks like it."""
    head = table.slice(0, _LOOKED_AT)
    if is_dat:
        return Guess(ITEMS, find_separator(head[ITEMS]) or BLANK)
    lists = [name for name in head.column_names if is_list(head[name].type)]
    if lists:
        return Guess(lists[0])
    divisions = [division for name in head.column_names if (division := _division(name, head[name])) is not None]
    sure = [division for division in divisions if division.separator != BLANK and division.repetition >= 2]
    if sure:
        return Guess(max(sure).column, max(sure).separator)
    if (long := _long_layout(head)) is not None:
        return long
    if divisions:
        best = max(divisions)
        return Guess(best.column, best.separator, is_sure=best.named_so or best.varies)
    raise InputError(
        "no column looks like a set of items, and no two like a person and an item",
        file=file,
        hint='Write the job file by hand: role = "items" with its separator, or layout = "long" with a person column.',
    )


def find_separator(column: pa.ChunkedArray) -> str | None:
    """What divides the cells of a column into items, if anything does."""
    division = _division(ITEMS, column.slice(0, _LOOKED_AT))
    return None if division is None else division.separator


def _division(name: str, column: pa.ChunkedArray) -> Division | None:
    """How a column divides into items that come back, but hardly ever in one cell; by the separator that gives the
    fewest different ones."""
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return None
    filled = column.filter(pc.greater(pc.utf8_length(column), 0))
    found = []
    for separator in SEPARATORS:
        if not len(filled) or pc.mean(pc.match_substring(filled, separator)).as_py() < 0.1:
            continue
        baskets = split_baskets(filled, separator=separator)
        repetition = baskets.items.size / max(len(baskets.vocabulary), 1)
        if repetition > 1 and baskets.notes.duplicates <= 0.02 * baskets.items.size:
            varies = bool(baskets.lengths.min() < baskets.lengths.max())
            size = baskets.items.size / len(filled)
            found.append(Division(bool(_ITEM_NAME.search(name)), varies, size, name, separator, repetition))
    return max(found, key=lambda division: division.repetition, default=None)


def _long_layout(table: pa.Table) -> Guess | None:
    """A column named like a person and another one, in both of which values come back."""
    repeated = [name for name in table.column_names if pc.count_distinct(table[name]).as_py() < table.num_rows]
    persons = [name for pattern in _PERSON_NAMES for name in repeated if pattern.search(name)]
    others = [name for name in repeated if name not in persons[:1]]
    likely = [name for name in others if _ITEM_NAME.search(name)] or [name for name in others if name not in persons]
    return Guess((likely or others)[0], person=persons[0]) if persons and others else None
