"""Published values as anybody reads them: `*`, a range `[19:22]`, `[≤22]`, `[≥19]`, a set `(B,D)`, a group's name.

The only reader of that grammar among the audits. What is none of these stands for itself.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import date
from decimal import Decimal
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.taxonomy import Taxonomy
from tacit.taxonomy.nodes import free_name

ANYTHING = "*"
NUMBER = r"^\s*[+-]?(?:[0-9]{1,80}\.?[0-9]{0,80}|\.[0-9]{1,80})(?:[eE][+-]?[0-9]{1,2})?\s*$"
DAY = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_DAY_ZERO = date(1970, 1, 5).toordinal()
_MEMBER = re.compile(r'"([^"]*(?:""[^"]*)*)"(?=,|\Z)|[^,]*')
_JOINERS = (",", ";", "|", "+", "&", "/", "~", "^")
"""What may stand between the items of a set."""


def number_of(text: str) -> Decimal | None:
    """The exact number that a text is, or the days to the day that it is from a Monday, 1970-01-05.

    >>> number_of("1.50"), number_of("1970-01-12"), number_of("B")
    (Decimal('1.50'), Decimal('7'), None)
    """
    if re.match(NUMBER, text):
        return Decimal(text.strip())
    if re.match(DAY, text):
        try:
            return Decimal(date.fromisoformat(text).toordinal() - _DAY_ZERO)
        except ValueError:  # no such day
            return None
    return None


def ends_of(text: str) -> tuple[str | None, str | None] | None:
    """Both ends of a range, as they are written, None where it is open; None for other values.

    >>> ends_of("[19:22]"), ends_of("[≥19]"), ends_of("(19,22)")
    (('19', '22'), ('19', None), None)
    """
    if not (text.startswith("[") and text.endswith("]")):
        return None
    inside = text[1:-1]
    if inside.startswith("≤"):
        return None, inside[1:]
    if inside.startswith("≥"):
        return inside[1:], None
    low, colon, high = inside.partition(":")
    return (low, high) if colon else None


class Ends(NamedTuple):
    """The ends of many ranges, of which many share one."""

    is_range: np.ndarray  # bool per label
    low: np.ndarray  # int32 per label: its place in `texts`; −1 where the range is open, or the label is none
    high: np.ndarray
    texts: list[str]


def all_ends(labels: Sequence[str]) -> Ends:
    """What `ends_of` says of each label, all at once.

    >>> ends = all_ends(["[19:22]", "[≥19]", "(19,22)"])
    >>> ends.is_range.tolist(), ends.low.tolist(), ends.high.tolist(), ends.texts
    ([True, True, False], [0, 0, -1], [1, -1, -1], ['19', '22'])
    """
    texts = pa.array(labels, pa.large_string())
    inside = pc.utf8_slice_codeunits(texts, 1, -1)
    up_to, beyond = (_flags(pc.starts_with(inside, sign)) for sign in "≤≥")
    halves = pc.split_pattern(inside, ":", max_splits=1)
    stops = np.cumsum(np.from_dlpack(pc.list_value_length(halves)), dtype=np.int64)
    starts = np.append(0, stops)[:-1]
    is_range = _flags(pc.and_(pc.starts_with(texts, "["), pc.ends_with(texts, "]")))
    is_range &= up_to | beyond | (stops - starts == 2)
    parts, rest = halves.flatten(), pc.utf8_slice_codeunits(inside, 1)
    low = pc.if_else(pa.array(beyond), rest, parts.take(pa.array(starts)))
    high = pc.if_else(pa.array(up_to), rest, parts.take(pa.array(stops - 1)))
    told = np.concatenate((is_range & ~up_to, is_range & ~beyond))
    encoded = pa.concat_arrays((low, high)).filter(pa.array(told)).dictionary_encode()
    place = np.full(told.size, -1, np.int32)
    place[told] = np.from_dlpack(encoded.indices)
    return Ends(is_range, place[: len(texts)], place[len(texts) :], encoded.dictionary.to_pylist())


def _flags(values: pa.BooleanArray) -> np.ndarray:
    return np.from_dlpack(pc.cast(values, pa.int8())) == 1


def members_of(text: str) -> list[str]:
    """The values of a set, of which some may stand in quotes; none for other values.

    >>> members_of('(B,D,"a,b")'), members_of("B")
    (['B', 'D', 'a,b'], [])
    """
    if not (text.startswith("(") and text.endswith(")")):
        return []
    inside, members, place = text[1:-1], [], 0
    while place <= len(inside):
        found = _MEMBER.match(inside, place)
        assert found is not None  # an empty member is one, too
        members.append(found[0] if found[1] is None else found[1].replace('""', '"'))
        place = found.end() + 1
    return members


def items_of(name: str, labels: Collection[str]) -> tuple[str, ...]:
    """The items of a set of items, which some character joins that none of them holds; none if it is no such set.

    >>> items_of("(B;D)", {"B", "D"}), items_of("(B;E)", {"B", "D"})
    (('B', 'D'), ())
    """
    return next((items for items in _readings(name) if all(item in labels for item in items)), ())


def _readings(name: str) -> Iterator[tuple[str, ...]]:
    if name.startswith("(") and name.endswith(")"):
        for joiner in _JOINERS:
            items = tuple(name[1:-1].split(joiner))
            if len(items) > 1 and len(set(items)) == len(items):
                yield items


def names_in_baskets(tree: Taxonomy, separator: str, *, blanks: bool) -> tuple[str, ...]:
    """The names of the nodes as a basket can hold them: in those of groups `_` stands for the separator.

    Without `blanks` (always if the separator is one) it stands for white space of any kind, too.
    """
    pattern = re.escape(separator) if blanks and not separator.isspace() else rf"(?:\s|{re.escape(separator)})+"
    names, taken = list(tree.names), set(tree.names)
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        name = re.sub(pattern, "_", names[node])
        if name != names[node]:
            names[node] = free_name(name, taken)
            taken.add(names[node])
    return tuple(names)
