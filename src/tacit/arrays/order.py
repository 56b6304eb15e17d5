"""Records in the order of their content.

A search must not see in which order the input's rows came: that order may tell who somebody is. So it gets its records
sorted by what they hold. Where a method has to choose between equal records, chance decides, never where a row stood.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from math import prod
from typing import Any, NamedTuple, Protocol, Self, TypeVar

import numpy as np

from tacit.shuffle import EQUAL_RECORDS, Shuffle

Codes = tuple[np.ndarray, int]
"""Whole numbers from 0, and what they are below."""

_CELLS_A_ROW = 8
_KEY_BITS = 63
_SHORT = 1 << 16  # codes below are sorted in linear time


class Lists(NamedTuple):
    """A list a record: that of record r goes from indptr[r] to indptr[r + 1], in each of the columns."""

    indptr: np.ndarray
    columns: Sequence[Codes]


class Content(NamedTuple):
    """What so many records hold, in the order in which it counts."""

    records: int
    columns: Sequence[Codes] = ()
    lists: Lists | None = None
    beside: Sequence[Codes] = ()
    """What is published with them, but no method looks at."""


class Searchable(Protocol):
    """Records that a search can get in another order."""

    def content(self) -> Content:
        """All that is published of them."""

    def at(self, order: np.ndarray) -> Self:
        """The records at these places."""


D = TypeVar("D", bound=Searchable)


class Decision(Protocol):
    """What a search decided about records."""

    def drawn(self, hidden: Shuffle) -> Self:
        """The same, with what of it is left to chance."""

    def put_back(self, order: np.ndarray) -> Self:
        """The same about the records that were taken in this order, as they stood before."""


def in_content_order(search: Callable[..., Any], draws: bool = False) -> Callable[..., Any]:
    """A search that gets the records in the order of their content; what it decides is told of them as they stand.

    What hides people is drawn, too, before the records go back to their places; or by a search that `draws` itself.
    """

    @wraps(search)
    def found(data: Searchable, promise: Any, *, seed: int, hidden: Shuffle, **options: Any) -> Any:
        content, given = data.content(), {"hidden": hidden} if draws else {}
        order = content_order(content, lambda: hidden.order(content.records, EQUAL_RECORDS))
        decision: Decision = search(data.at(order), promise, seed=seed, **options, **given)
        return decision.drawn(hidden).put_back(order)

    return found


def as_it_is(search: Callable[..., Any]) -> Callable[..., Any]:
    """A search that decides nothing about single records, and nothing by chance."""

    @wraps(search)
    def found(data: Any, promise: Any, *, hidden: Shuffle | None = None, **options: Any) -> Any:
        return search(data, promise, **options)

    return found


def each_once(numbers: np.ndarray) -> np.ndarray:
    """The different ones of whole numbers, in order.

    `np.unique` puts them into a hash table first, which takes a hundred times as long as sorting where there are
    millions (NumPy 2.3 and later).

    >>> each_once(np.array([[3, 1], [3, 2]])).tolist(), each_once(np.array([], int)).tolist()
    ([1, 2, 3], [])
    """
    in_order = np.sort(numbers, axis=None)
    return in_order[np.append(True, in_order[1:] != in_order[:-1])[: in_order.size]]


def by_content(data: D) -> D:
    """The records in the order of their content, for a search that decides nothing about single ones."""
    return data.at(content_order(data.content()))


def content_order(content: Content, ties: Callable[[], np.ndarray] | None = None) -> np.ndarray:
    """The records' places in the order of their columns, then of their lists; equal records as they stand in `ties`,
    which is drawn if there may be some.

    Without `ties` equal ones stay as they were: nothing may depend on which is which.

    >>> lists = Lists(np.array([0, 1, 2, 3, 3]), [(np.array([2, 1, 0]), 3)])
    >>> content_order(Content(4, [(np.array([1, 0, 1, 0]), 2)], lists)).tolist()
    [3, 1, 2, 0]
    """
    code, count = _joint(content.columns, content.records)
    if count == content.records:  # all are different, so that the codes are places
        return put_back(np.arange(count), code)
    order = np.arange(content.records) if ties is None else ties()
    for beside in [_joint(content.beside, content.records), (code, count)]:
        order = order[_ascending(beside[0][order], beside[1])] if beside[1] > 1 else order
    if content.lists is not None:
        _sort_ties(order, code[order], content.lists)
    return order


def list_order(indptr: np.ndarray, items: np.ndarray, size: int) -> np.ndarray:
    """The order of different baskets, whose items are below `size`.

    >>> list_order(np.array([0, 2, 3, 3]), np.array([0, 2, 0]), 3).tolist()
    [2, 1, 0]
    """
    return content_order(Content(indptr.size - 1, lists=Lists(indptr, [(items, size)])))


def put_back(of_records: np.ndarray, order: np.ndarray) -> np.ndarray:
    """What is said of records taken in this order, of the records as they stood before."""
    own = np.empty_like(of_records)
    own[order] = of_records
    return own


def joint_codes(columns: Sequence[np.ndarray], sizes: Sequence[int], rows: int) -> tuple[np.ndarray, int]:
    """A code for each row, equal for equal rows and ascending with them, and how many different ones there are.

    Column i holds codes from 0 to sizes[i] − 1.

    >>> joint_codes([np.array([0, 1, 0]), np.array([1, 1, 1])], [2, 2], 3)
    (array([0, 1, 0], dtype=int32), 2)
    """
    if (code := _of_sorted(columns, rows)) is not None:
        return code, int(code[-1]) + 1
    key, top = np.zeros(rows, np.int32), 1
    for column, size in zip(columns, sizes, strict=True):
        can_be_marked = top <= _CELLS_A_ROW * rows < top * max(size, 1)
        if can_be_marked or (top * max(size, 1)).bit_length() > _KEY_BITS:  # sorting takes longer, so it is put off
            key, top = _compressed(key, top)
        top *= max(size, 1)
        is_short = max(top, size) < 2**31  # half as long codes take half the time
        key = key.astype(np.int32 if is_short else np.int64)
        key *= max(size, 1)
        key += column
    return _compressed(key, top)


def _of_sorted(columns: Sequence[np.ndarray], rows: int) -> np.ndarray | None:
    """The codes of rows that are in order already; None of others, which most often the first column tells."""
    if rows == 0 or not columns:
        return None
    alike = np.ones(rows - 1, bool)
    for column in columns:
        before, after = column[:-1], column[1:]
        if (alike & (after < before)).any():
            return None
        alike &= after == before
    return np.concatenate((np.zeros(1, np.int32), np.cumsum(~alike, dtype=np.int32)))


def _compressed(key: np.ndarray, top: int) -> tuple[np.ndarray, int]:
    """The same keys as codes without gaps."""
    if top > _CELLS_A_ROW * key.size:
        different, code = np.unique(key, return_inverse=True)
        return code.astype(np.int32), different.size
    occurs = np.zeros(top, bool)
    occurs[key] = True
    code = np.cumsum(occurs, dtype=np.int32) - np.int32(1)
    return code[key], int(code[-1]) + 1 if top else 0


def _joint(columns: Sequence[Codes], rows: int) -> Codes:
    return joint_codes([codes for codes, _ in columns], [size for _, size in columns], rows)


def _bits(lists: Lists) -> int:
    """How many bits a number needs that tells entries apart, and from none."""
    return max(prod(size for _, size in lists.columns), 1).bit_length()


def _ascending(codes: np.ndarray, count: int) -> np.ndarray:
    """The order of codes below `count`, equals as they are."""
    order = np.argsort((codes % _SHORT).astype(np.uint16), kind="stable")
    if count > _SHORT:
        order = order[np.argsort((codes // _SHORT).astype(np.uint16)[order], kind="stable")]
    return order


def _sort_ties(order: np.ndarray, group: np.ndarray, lists: Lists) -> None:
    """Sorts the records of each group, which stand together in `order`, by their lists.

    As many entries as fit into a number are compared at once, then the next ones of those who are still equal.
    """
    if _bits(lists) > _KEY_BITS:
        lists = Lists(lists.indptr, [_joint(lists.columns, int(lists.indptr[-1]))])
    bits, tied, begin = _bits(lists), np.arange(order.size), 0
    at_once = _KEY_BITS // bits
    while tied.size:
        key = _keys(lists, order[tied], begin, at_once, bits)
        by_key = np.lexsort((key, group)) if group[0] < group[-1] else np.argsort(key, kind="stable")
        order[tied], key = order[tied][by_key], key[by_key]
        differs = np.append(True, (key[1:] != key[:-1]) | (group[1:] != group[:-1]))
        group = np.cumsum(differs)
        goes_on = (key & ((1 << bits) - 1) > 0) & (np.bincount(group)[group] > 1)
        tied, group, begin = tied[goes_on], group[goes_on], begin + at_once


def _keys(lists: Lists, records: np.ndarray, begin: int, at_once: int, bits: int) -> np.ndarray:
    """The entries of each list from `begin` on, so many in a number; 0 behind the last one."""
    place, stop = lists.indptr[records] + begin, lists.indptr[records + 1]
    key = np.zeros(records.size, np.int64)
    for _ in range(at_once):
        key <<= bits
        held = np.flatnonzero(place < stop)
        entry = np.zeros(held.size, np.int64)
        for codes, size in lists.columns:
            entry *= size
            entry += codes[place[held]]
        key[held] += entry + 1
        place += 1
    return key
