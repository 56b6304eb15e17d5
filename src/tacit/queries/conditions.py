"""What a query asks of a column: which of its values it means, and how much of a published value."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from tacit.arrays.attributes import Attribute, Spans
from tacit.errors import InputError
from tacit.queries import Condition
from tacit.values.reading import day_number, numbers_in


class Wanted(NamedTuple):
    """The values that a condition means."""

    codes: np.ndarray  # bool per code
    leaves: np.ndarray | None = None  # bool per node of the hierarchy: its leaves, those that the data lacks included


def wanted(attribute: Attribute, code_of: Mapping[str, int], condition: Condition) -> Wanted:
    """What a condition means in a column; it is an `InputError` if that is nothing that the column could have.

    `code_of` has the code of each text of the column.
    """
    tree = attribute.tree
    found = Wanted(np.zeros(len(attribute.texts), bool), None if tree is None else np.zeros(len(tree), bool))
    for single in alternatives(condition):
        if isinstance(single, str):
            _add_text(attribute, code_of, single, found)
        else:
            _add_range(attribute, *as_range(single, attribute.name), found)
    return found


def shares(attribute: Attribute, spanned: Spans, asked: Wanted) -> np.ndarray:
    """For each published value the probability that it stands for a wanted one.

    It is one of the values it may be, each as likely: of a range or a set those that the data has, of a node its
    leaves. What is hidden may be any value of the column.
    """
    n_codes = max(asked.codes.size, 1)
    if spanned.ends is not None:
        low, high = spanned.ends.astype(np.int64)
        before = _running_count(asked.codes)
        share = (before[high + 1] - before[low]) / (high - low + 1)
        hidden = low < 0
    elif spanned.node is not None:
        assert attribute.tree is not None and asked.leaves is not None
        node, before = spanned.node, _running_count(asked.leaves)
        share = (before[attribute.tree.end[node]] - before[node]) / attribute.tree.leaf_count[node]
        hidden = node < 0
    else:
        assert spanned.sets is not None
        bounds, before = spanned.sets[0], _running_count(asked.codes[spanned.sets[1]])
        sizes = np.diff(bounds)
        share = (before[bounds[1:]] - before[bounds[:-1]]) / np.maximum(sizes, 1)
        hidden = sizes == 0
    share = np.where(spanned.code >= 0, np.append(asked.codes, False)[spanned.code], share)
    if attribute.suppress_missing and attribute.missing >= 0:
        hidden |= spanned.code == attribute.missing
    return np.where(hidden, asked.codes.sum() / n_codes, share)


def alternatives(condition: Condition) -> list[Any]:
    """A condition as texts, numbers, dates and pairs of them."""
    if _is_single(condition):
        return [_spelt_out(condition)]
    if isinstance(condition, Collection) and all(map(_is_single, condition)):
        return list(map(_spelt_out, condition))
    raise InputError(
        "a condition of a query is neither a value, nor a pair (lowest, highest), nor a list of such",
        hint='Write a text, a number, a date, a pair as in (20, 30), or a list as in ["Europe", "Algeria"].',
    )


def as_range(single: Any, column: str) -> tuple[bool, float, float]:
    """A number, a date or a pair: whether it is about dates, and both ends; dates are days since 1970."""
    low, high = single if isinstance(single, tuple) else (single, single)
    days = isinstance(low, date)
    ends = [day_number(end) if days else float(end) for end in (low, high)]
    if not ends[0] <= ends[1]:
        is_nan = ends[0] != ends[0] or ends[1] != ends[1]
        raise InputError(
            "a query asks for NaN, which is no number"
            if is_nan
            else "a query asks for a range whose lowest value is above its highest",
            column=column,
            hint="For a missing value write None." if is_nan else "Write (lowest, highest).",
        )
    return days, ends[0], ends[1]


def _is_single(condition: Any) -> bool:
    if isinstance(condition, tuple):
        is_pair = len(condition) == 2 and any(all(isinstance(end, kind) for end in condition) for kind in (Real, date))
        return is_pair or _are_dates(condition)
    return condition is None or isinstance(condition, str | Real | date)


def _are_dates(condition: Any) -> bool:
    """Whether it is a pair of dates that are written as texts."""
    is_pair = len(condition) == 2 and all(isinstance(end, str) for end in condition)
    return is_pair and not np.isnan(numbers_in(condition, days=True)).any()


def _spelt_out(single: Any) -> Any:
    if single is None:
        return ""
    if isinstance(single, tuple) and isinstance(single[0], str):
        return tuple(map(date.fromisoformat, single))
    return single


def _add_text(attribute: Attribute, code_of: Mapping[str, int], text: str, found: Wanted) -> None:
    """A value by its exact text, a group of the hierarchy, or for the empty text the missing value."""
    code = attribute.missing if text == "" else code_of.get(text, -1)
    tree = attribute.tree
    if code >= 0:
        found.codes[code] = True
        if attribute.leaf_of_code is not None:
            _add_leaves(attribute, attribute.leaf_of_code[[code]], found)
    elif tree is not None and text in tree.names:
        node = tree.node(text)
        _add_leaves(attribute, node + np.flatnonzero(tree.is_leaf[node : tree.end[node]]), found)
    elif text != "" and (attribute.numbers is None or np.isnan(numbers_in([text], _are_days(attribute))).any()):
        raise InputError(
            "a query asks for a value that neither the data nor the hierarchy has",
            column=attribute.name,
            hint="Write values as they stand in the data, groups by their names, and numbers as numbers.",
        )


def _add_range(attribute: Attribute, days: bool, low: float, high: float, found: Wanted) -> None:
    """All numbers or dates between both ends, which belong to it."""
    tree = attribute.tree
    leaves = np.empty(0, np.int64) if tree is None else tree.leaves
    texts = attribute.texts if tree is None else [tree.names[leaf] for leaf in leaves]
    numbers = numbers_in(texts, days) if attribute.numbers is None else attribute.numbers
    if (attribute.numbers is not None and days != _are_days(attribute)) or np.isnan(numbers).all():
        raise InputError(
            f"a query asks for a {'date' if days else 'number'}, but the column has none",
            column=attribute.name,
            hint="Give dates for a column of dates, numbers for one of numbers, and texts for others.",
        )
    inside = (numbers >= low) & (numbers <= high)  # never true of NaN
    if tree is None:
        found.codes[inside] = True
    else:
        _add_leaves(attribute, leaves[inside], found)


def _add_leaves(attribute: Attribute, leaves: np.ndarray, found: Wanted) -> None:
    assert found.leaves is not None and attribute.leaf_of_code is not None
    found.leaves[leaves] = True
    found.codes[found.leaves[attribute.leaf_of_code]] = True


def _are_days(attribute: Attribute) -> bool:
    """Whether the numbers of a column stand for dates."""
    return not np.isnan(numbers_in(attribute.texts[:1], True)).any()


def _running_count(mask: np.ndarray) -> np.ndarray:
    return np.concatenate(([0], np.cumsum(mask, dtype=np.int64)))
