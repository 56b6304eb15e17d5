"""The published table of ratings: the input's layout and columns, fresh ids, people in random order."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from tacit.io import FileFormat
from tacit.io.text import as_text
from tacit.job import Job
from tacit.kinds import Published
from tacit.ratings.applied import Released
from tacit.ratings.data import Ratings
from tacit.ratings.ranges import Ranged
from tacit.ratings.scale import plain
from tacit.ratings.solvers.problem import rows_at
from tacit.ratings.spelling import Style
from tacit.shuffle import RECORDS, Shuffle
from tacit.values.writing import range_text

_FEW_LEVELS = 1 << 16
"""Numbers of so small a span are counted, not sorted."""
_AT_ONCE = 1 << 20
"""About so many ratings are put in order at once."""
_DIGITS = 38
"""The most digits of a decimal number of 128 bits."""


def publish_ratings(
    data: Ratings, released: Released | Ranged, table: pa.Table, job: Job, output: FileFormat, hidden: Shuffle
) -> Published:
    """The table to publish; people stand in random order, and nothing of the original order is left.

    A person's ratings stand in the order of the issues' texts. Issues are numbered as they appear in the data; in that
    order, what is new in a person's list would show who came first, and what else that person rated.
    """
    order = hidden.order(len(data), RECORDS)
    rows = _in_order(data, released, order)
    arrays = (
        _long_columns(data, rows, table, job)
        if data.persons is not None
        else _wide_columns(data, rows, table, job, order)
    )
    published = pa.table({name: arrays[name] for name in table.column_names if name in arrays})
    return Published(published, order)


def _in_order(data: Ratings, released: Released | Ranged, order: np.ndarray) -> _Rows:
    """The ratings of people in this order, each person's by the texts of the issues."""
    indptr, at = rows_at(released.indptr, order)
    rank = np.empty(len(data.names), np.int64)
    rank[sorted(range(len(data.names)), key=data.names.__getitem__)] = np.arange(len(data.names))
    first = 0
    while first < order.size:  # some people after the others: the largest logs have a hundred million ratings
        last = max(int(np.searchsorted(indptr, indptr[first] + _AT_ONCE, side="right")) - 1, first + 1)
        own = at[indptr[first] : indptr[last]]
        person = np.repeat(np.arange(last - first), np.diff(indptr[first : last + 1]))
        own[:] = own[np.argsort(person * len(data.names) + rank[released.issues[own]], kind="stable")]
        first = last
    tops, shown = None, "number"
    if isinstance(released, Ranged) and released.tops is not released.values:
        tops, shown = released.tops[at], released.recoding.shown
    return _Rows(indptr, released.issues[at], released.values[at], tops, shown)


class _Rows(NamedTuple):
    """What is published, in its order: person p rated issues[indptr[p]:indptr[p + 1]]."""

    indptr: np.ndarray
    issues: np.ndarray
    values: np.ndarray
    tops: np.ndarray | None = None  # the upper ends, where ratings are published as ranges
    shown: str = "number"


def _wide_columns(
    data: Ratings, rows: _Rows, table: pa.Table, job: Job, order: np.ndarray
) -> dict[str, pa.Array | pa.ChunkedArray]:
    """One column an issue; what is blanked is an empty cell. Sensitive columns keep their exact text."""
    people = np.repeat(np.arange(order.size), np.diff(rows.indptr))
    by_issue = np.argsort(rows.issues, kind="stable")
    bounds = np.searchsorted(rows.issues[by_issue], np.arange(len(data.names) + 1))
    arrays: dict[str, pa.Array | pa.ChunkedArray] = {}
    for issue, name in enumerate(data.names):
        if data.is_sensitive[issue]:
            arrays[name] = table[name].take(pa.array(order))
            continue
        here = by_issue[bounds[issue] : bounds[issue + 1]]
        different, which = _written(data, issue, here, rows, data.styles[issue])
        cells = np.full(order.size, len(different), np.int32)
        cells[people[here]] = which
        empty = pa.array([""] if _is_text(data.styles[issue].kind) else [None], different.type)
        arrays[name] = pa.concat_arrays([different, empty]).take(pa.array(cells))
    for column in job.columns_with("plain"):
        arrays[column.name] = table[column.name].take(pa.array(order))
    for column in job.columns_with("person"):
        arrays[column.name] = pa.array(np.arange(1, order.size + 1))
    return arrays


def _long_columns(data: Ratings, rows: _Rows, table: pa.Table, job: Job) -> dict[str, pa.Array | pa.ChunkedArray]:
    """One row a rating; who has none left gets a row without an issue."""
    person, items, rating = (job.columns_with(role)[0].name for role in ("person", "items", "rating"))
    lengths = np.diff(rows.indptr)
    shown = np.maximum(lengths, 1)
    labels = _labels(data.names, table[items].type)
    different, which = _written(data, 0, slice(None), rows, data.styles[0])
    issue, rated = pa.array(rows.issues), pa.array(which)
    if shown.sum() > rows.issues.size:
        source = np.full(shown.sum(), -1, np.int64)
        at = np.arange(rows.issues.size) + np.repeat(np.cumsum(shown) - shown - rows.indptr[:-1], lengths)
        source[at] = np.arange(rows.issues.size)
        place = pa.array(source, mask=source < 0)
        issue, rated = issue.take(place), rated.take(place)
    return {
        person: pa.array(np.repeat(np.arange(1, shown.size + 1), shown)),
        items: labels.take(issue),
        rating: different.take(rated),
    }


def _labels(names: Sequence[str], kind: pa.DataType) -> pa.Array:
    """The names of the issues in the type of the input's column, where that is a number."""
    texts = pa.array(names, pa.string())
    return texts.cast(kind) if pa.types.is_integer(kind) else texts


def _is_text(kind: pa.DataType) -> bool:
    return not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _written(
    data: Ratings, issue: int, here: np.ndarray | slice, rows: _Rows, style: Style
) -> tuple[pa.Array, np.ndarray]:
    """Ratings of a column as the input writes them: the different ones, and which of them each is.

    They are numbers of its type, or the texts that it has for them. All issues of the column have the scale of this
    one.
    """
    if rows.tops is not None:
        return _ranges(data, issue, here, rows, style)
    levels, which = _different(rows.values[here])
    lowest = int(data.low[issue]) if data.low.size else 0
    ticks = [lowest + data.unit * level for level in levels.tolist()]
    if _is_text(style.kind):
        texts = [style.known.get(each) or _text(each, data.decimals, style.decimals) for each in ticks]
        return pa.array(texts, pa.string()), which
    return _numbers([Decimal(each).scaleb(-data.decimals) for each in ticks], style.kind), which


def _ranges(
    data: Ratings, issue: int, here: np.ndarray | slice, rows: _Rows, style: Style
) -> tuple[pa.Array, np.ndarray]:
    """The same where ratings are ranges: the column is text then, unless a number in the middle stands for each."""
    assert rows.tops is not None
    lows, low_place = _different(rows.values[here])
    tops, top_place = _different(rows.tops[here])
    keys, which = _different(low_place.astype(np.int64) * max(tops.size, 1) + top_place)
    lowest = int(data.low[issue]) if data.low.size else 0
    ends = [
        (lowest + data.unit * int(lows[key // tops.size]), lowest + data.unit * int(tops[key % tops.size]))
        for key in keys.tolist()
    ]
    if rows.shown == "middle" and not _is_text(style.kind):
        return _numbers([Decimal(low + high).scaleb(-data.decimals) / 2 for low, high in ends], style.kind), which
    if not _is_text(style.kind) and all(low == high for low, high in ends):
        return _numbers([Decimal(low).scaleb(-data.decimals) for low, _ in ends], style.kind), which
    return pa.array([_range_text(data, low, high, rows.shown, style) for low, high in ends], pa.string()), which


def _range_text(data: Ratings, low: int, high: int, shown: str, style: Style) -> str:
    if low == high:
        return style.known.get(low) or _text(low, data.decimals, style.decimals)
    if shown == "middle":
        return plain(Decimal(low + high).scaleb(-data.decimals) / 2)
    return range_text(*(plain(Decimal(end).scaleb(-data.decimals)) for end in (low, high)))


def _different(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different values, ascending, and the place of each value among them."""
    if not values.size or (values.dtype != np.int16 and int(values.max()) - int(values.min()) >= _FEW_LEVELS):
        different, which = np.unique(values, return_inverse=True)
        return different, which.astype(np.int32)
    lowest = int(values.min())
    is_met = np.bincount(values - lowest) > 0 if lowest else np.bincount(values) > 0
    which = (np.cumsum(is_met, dtype=np.int32) - np.int32(1))[values - lowest if lowest else values]
    return np.flatnonzero(is_met) + lowest, which


def _numbers(numbers: Sequence[Decimal], kind: pa.DataType) -> pa.Array:
    """Numbers in the input's type, or in the next one that holds them all exactly."""
    if pa.types.is_integer(kind) and all(number == int(number) for number in numbers):
        return pa.array([int(number) for number in numbers], kind)
    if pa.types.is_decimal(kind):
        return _decimals(numbers, kind)
    wide = pa.array(np.array([float(number) for number in numbers]), pa.float64())
    narrow = wide.cast(kind) if pa.types.is_floating(kind) else wide
    is_same = all(Decimal(text) == number for text, number in zip(as_text(narrow).to_pylist(), numbers, strict=True))
    return narrow if is_same else wide


def _decimals(numbers: Sequence[Decimal], kind: pa.DataType) -> pa.Array:
    """Decimal numbers with the input's digits, or more where a rating that was moved needs them."""
    scale = max((kind.scale, *(-int(number.normalize().as_tuple().exponent) for number in numbers)))
    digits = max((kind.precision - kind.scale, *(number.adjusted() + 1 for number in numbers)))
    make = pa.decimal128 if digits + scale <= _DIGITS else pa.decimal256
    is_wide_enough = (digits, scale) == (kind.precision - kind.scale, kind.scale)
    return pa.array(numbers, kind if is_wide_enough else make(digits + scale, scale))


def _text(ticks: int, decimals: int, shown: int) -> str:
    """A rating that the input does not have, with at least the decimals that it shows."""
    text = plain(Decimal(ticks).scaleb(-decimals))
    whole, _, fraction = text.partition(".")
    return f"{whole}.{fraction.ljust(shown, '0')}" if fraction or shown else whole
