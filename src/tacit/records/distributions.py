"""How often the values of an attribute occur, before and after: records for a chart.

After, a published value that may be several counts as a part of each, all as likely: what a reader of the release
would reckon with.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.arrays.attributes import Attribute, Spans
from tacit.report.blocks import Chart
from tacit.report.charts import histogram
from tacit.taxonomy.nodes import free_name

if TYPE_CHECKING:
    from tacit.records.recoding import RecordRecoding

MISSING = "(missing)"
_MOST_VALUES = 12


def value_distribution(attribute: Attribute, spanned: Spans, recoding: RecordRecoding) -> Chart:
    """A chart of an attribute, before and after."""
    before = np.bincount(attribute.codes, minlength=len(attribute.texts)).astype(float)
    after = expected_counts(attribute, spanned, recoding.sizes)
    records = distribution_records(attribute, before, after)
    return histogram(attribute.name, records, "value", "records", when="when", x_axis=attribute.name)


def expected_counts(attribute: Attribute, spanned: Spans, sizes: np.ndarray) -> np.ndarray:
    """Records of each code (float64), if each code that a published value may be is as likely as the others."""
    n_codes = len(attribute.texts)
    published = np.bincount(spanned.value[sizes > 0], sizes[sizes > 0], len(spanned))
    if spanned.sets is not None:
        return _spread_over_sets(*spanned.sets, published, n_codes)
    order = np.argsort(attribute.keys, kind="stable")
    low, high = _ranges_of_codes(attribute, spanned, attribute.keys[order])
    edges = np.zeros(n_codes + 1)
    share = published / np.maximum(high - low, 1)
    np.add.at(edges, low, share)
    np.add.at(edges, high, -share)
    expected = np.empty(n_codes)
    expected[order] = np.cumsum(edges)[:n_codes]
    return expected


def _ranges_of_codes(attribute: Attribute, spanned: Spans, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the codes that each published value may be begin and end, in the order of `keys`; `*` may be any."""
    if spanned.node is not None and attribute.tree is not None:
        first, behind = spanned.node, np.append(attribute.tree.end, 0)[spanned.node]
    else:
        assert spanned.ends is not None
        first, behind = spanned.ends[0], spanned.ends[1] + 1
    hidden = first < 0
    low, high = np.searchsorted(keys, first), np.searchsorted(keys, behind)
    return np.where(hidden, 0, low), np.where(hidden, keys.size, high)


def _spread_over_sets(indptr: np.ndarray, codes: np.ndarray, published: np.ndarray, n_codes: int) -> np.ndarray:
    """The same for sets of values; an empty one stands for `*`."""
    lengths = np.diff(indptr)
    share = np.repeat(published / np.maximum(lengths, 1), lengths)
    return np.bincount(codes, share, n_codes) + published[lengths == 0].sum() / max(n_codes, 1)


def distribution_records(attribute: Attribute, before: np.ndarray, after: np.ndarray) -> list[dict[str, Any]]:
    """For each value, or class of values, its records before, then all of them after."""
    classes = [*_classes(attribute, before)]
    return [
        {"value": name, "records": round(float(counts[codes].sum()), 2), "when": when}
        for when, counts in (("before", before), ("after", after))
        for name, codes in classes
    ]


def _classes(attribute: Attribute, before: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """What a chart shows as one: a value; many numbers in ranges; of many categories the frequent ones by name."""
    codes, taken = np.arange(len(attribute.texts)), set(attribute.texts)
    known = codes[codes != attribute.missing]
    if known.size <= _MOST_VALUES:
        yield from ((attribute.texts[code] or MISSING, codes[code : code + 1]) for code in known.tolist())
    elif attribute.numbers is not None:
        yield from _classes_of_numbers(attribute, known)
    else:
        frequent = np.sort(known[np.argsort(-before[known], kind="stable")][: _MOST_VALUES - 1])
        yield from ((attribute.texts[code], codes[code : code + 1]) for code in frequent.tolist())
        others = np.setdiff1d(known, frequent)
        yield free_name(f"{others.size:,} others", taken), others
    if attribute.missing >= 0:
        yield free_name(MISSING, taken), codes[attribute.missing :]


def _classes_of_numbers(attribute: Attribute, known: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """Ranges of numbers of equal length, named by the first and the last value that each holds."""
    assert attribute.numbers is not None
    numbers, texts = attribute.numbers[known], attribute.texts
    edges = np.linspace(numbers[0], numbers[-1], _MOST_VALUES + 1)
    place = np.clip(np.searchsorted(edges, numbers, side="right") - 1, 0, _MOST_VALUES - 1)
    for index in np.unique(place).tolist():
        codes = known[place == index]
        first, last = texts[codes[0]], texts[codes[-1]]
        yield first if codes.size == 1 else f"{first} – {last}", codes
