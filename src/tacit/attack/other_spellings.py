"""Files that other programs made, in the words of ours: `20-29`, `[20, 30[`, `<=30`, `80+`, `130**` and `NA`.

A stranger understands all of these, so an attacker does. A label is read in another way only if it says nothing as it
stands: neither a value of the column, nor a name of its hierarchy, nor a range or set as tacit writes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from tacit.audits.coverage import covers
from tacit.audits.values import ANYTHING, number_of
from tacit.audits.views.cells import read_labels
from tacit.audits.views.columns import KnownColumn
from tacit.values.writing import range_text, set_text

_END = r"([+-]?(?:\d[\d.]*(?:-\d\d-\d\d)?|\.\d+))"
_BETWEEN = re.compile(rf"([\[\](]?)\s*{_END}\s*(?:-|–|—|\.\.\.?|…|,|;|:|to|bis|à)\s*{_END}\s*([\[\])]?)")
_UP_TO = re.compile(rf"(<=?|≤|=<|up to|bis)\s*{_END}")
_FROM = re.compile(rf"(>=?|≥|=>|from|ab)\s*{_END}|{_END}\s*(\+|and (?:over|above|more)|und mehr)")
_MASKED = re.compile(r"([^*]+)(\*+)")
_NOT_SHOWN = {"", "na", "n/a", "nan", "null", "(null)", "none", "<na>", ".", "?", "suppressed", "missing"}


def in_our_words(published: pa.Table, columns: Sequence[KnownColumn]) -> tuple[pa.Table, dict[str, int]]:
    """The published table with labels of generalized columns as tacit writes them, and how many different ones of each
    column nobody understands: with those, attackers are right less often than somebody who does."""
    unread: dict[str, int] = {}
    for column in columns:
        if column.name not in published.column_names:
            continue
        cells = read_labels(column.name, published[column.name], None)
        says = covers(column, cells.texts).something()
        if says.all():
            continue
        meant = list(cells.texts)
        for place in np.flatnonzero(~says).tolist():
            found = _meant(cells.texts[place], column)
            if found is not None:
                meant[place] = found
            elif column.numbers is None or number_of(cells.texts[place]) is None:  # another number is a false value
                unread[column.name] = unread.get(column.name, 0) + 1
        if meant != list(cells.texts):
            texts = pa.array(meant, pa.large_string()).take(pa.array(cells.codes))
            published = published.set_column(published.column_names.index(column.name), column.name, texts)
    return published, unread


def _meant(label: str, column: KnownColumn) -> str | None:
    """What a label means that says nothing as it stands; None if that cannot be told."""
    text = label.strip()
    if text.lower() in _NOT_SHOWN or (text and not text.strip("*")):
        return ANYTHING
    if column.numbers is not None:
        found = _range(text, _step(column))
        if found is not None:
            return found
    if masked := _MASKED.fullmatch(text):
        held = [each for each in _values(column) if len(each) == len(text) and each.startswith(masked[1])]
        return set_text(held) if held else None
    return None


def _range(text: str, step: Decimal) -> str | None:
    """A range, however it is written; an end that is no part of it is a step away."""
    if found := _BETWEEN.fullmatch(text):
        opens, low, high, closes = found.groups()
        return range_text(
            _moved(low, step if opens in ("(", "]") else 0), _moved(high, -step if closes in (")", "[") else 0)
        )
    if found := _UP_TO.fullmatch(text):
        return range_text("", _moved(found[2], -step if found[1] == "<" else 0))
    if found := _FROM.fullmatch(text):
        return range_text(_moved(found[2] or found[3], step if found[1] == ">" else 0), "")
    return None


def _moved(end: str, by: Decimal | int) -> str:
    """An end of a range, moved; days stay where they are."""
    return str(Decimal(end) + by) if by and re.fullmatch(r"[+-]?[\d.]+", end) else end


def _step(column: KnownColumn) -> Decimal:
    """The least that two numbers of the column can be apart, by their decimals."""
    decimals = max((len(text.strip().partition(".")[2]) for text in _values(column)), default=0)
    return Decimal(1).scaleb(-decimals)


def _values(column: KnownColumn) -> Iterator[str]:
    """What stands in the column, missing values left out."""
    cells: Any = column.cells
    yield from (text for code, text in enumerate(cells.texts) if code != cells.missing)
