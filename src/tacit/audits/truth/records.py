"""Whether published records are true: every published value covers the original one.

What is compared are the different pairs of an original and a published value, not the records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from tacit.arrays.blocks import pause, side_by_side, threads_for
from tacit.audits.coverage import Coverage, covers, equals
from tacit.audits.truth import few, not_shown
from tacit.audits.truth.ends import wrong_ends
from tacit.audits.truth.matching import People, unmatched
from tacit.audits.truth.record_baskets import basket_column, false_items, uncounted_items
from tacit.audits.views.cells import Cells
from tacit.audits.views.columns import KnownColumn
from tacit.audits.views.records import RecordOriginal, RecordView

_TABLE_CELLS = 1 << 26
_Pair = tuple[KnownColumn, Cells, Coverage]
_Meaning = Callable[[KnownColumn, Sequence[str]], Coverage]


def false_values(before: RecordOriginal, after: RecordView, rows: np.ndarray | None = None) -> list[str]:
    """What is not true in published records, in sentences; none if all is.

    `rows[i]` is the original record of published record i. Without it there must be some way to pair the records.
    """
    if len(after) != len(before):
        return [f"{len(after):,} records are shown out of {len(before):,}"]
    sensitive = {each.name: each for each in before.sensitive}
    meant = [(was, now, covers) for was, now in zip(before.quasi, after.quasi, strict=True)]
    meant += [(sensitive[now.name], now, equals) for now in after.shown]
    looks = [partial(_looked_at, *column, rows) for column in meant]
    found = side_by_side(looks, threads=threads_for(len(after)))
    ends = [problem for column in found for problem in column.ends]
    if rows is None:
        pairs = [column.pair for column in found]
        return [*ends, *_strays(pairs), *_unpaired(pairs, before, after), *uncounted_items(before, after)]
    problems = [problem for column in found for problem in column.wrong]
    return [*not_shown(len(before), rows), *ends, *problems, *false_items(before, after, rows)]


def false_in_column(was: KnownColumn, now: Cells, people: People, *, is_exact: bool) -> list[str]:
    """The same of a column by itself, from its different values and how many records have each.

    `is_exact` if it is published as it is.
    """
    covered = equals(was, now.texts) if is_exact else covers(was, now.texts)
    left = unmatched([(was.codes, now.codes, covered.holds)], people)
    uncovered = [f"values in {now.name!r} that stand for no original one: {left:,}"] if left else []
    return [*([] if is_exact else wrong_ends(was, now.texts)), *_strays([(was, now, covered)]), *uncovered]


class _Found(NamedTuple):
    """A column before and after, and what in it is not true."""

    pair: _Pair
    ends: list[str]
    wrong: list[str]


def _looked_at(was: KnownColumn, now: Cells, meaning: _Meaning, rows: np.ndarray | None) -> _Found:
    covered = meaning(was, now.texts)
    pause()
    wrong = [] if rows is None else _wrong(was, now, covered, rows)
    pause()
    ends = wrong_ends(was, now.texts) if meaning is covers else []  # what is published as it is was so before
    return _Found((was, now, covered), ends, wrong)


def _wrong(was: KnownColumn, now: Cells, covered: Coverage, rows: np.ndarray) -> list[str]:
    """The labels of a column that stand beside an original value they do not cover."""
    n_labels, n_codes = max(len(now.texts), 1), len(was.cells.texts)
    keys = was.codes[rows].astype(np.int64) * n_labels + now.codes
    if n_codes * n_labels <= _TABLE_CELLS:
        count = np.bincount(keys, minlength=n_codes * n_labels)
        different = np.flatnonzero(count)
        count = count[different]
    else:
        different, count = np.unique(keys, return_counts=True)
    code, label = different // n_labels, different % n_labels
    false = ~covered.holds(code, label)
    if not false.any():
        return []
    shown = sorted({now.texts[i] for i in label[false].tolist()})
    return [
        f"values in {now.name!r} that do not cover the original one: {int(count[false].sum()):,} "
        f"(shown as {few(shown)})"
    ]


def _strays(pairs: Sequence[_Pair]) -> Iterator[str]:
    """Labels that cover no original value at all."""
    for _, now, covered in pairs:
        unfounded = sorted(now.texts[i] for i in np.flatnonzero(~covered.something()).tolist())
        if unfounded:
            yield f"shown in {now.name!r}, but standing for no original value ({len(unfounded):,}): {few(unfounded)}"


def _unpaired(pairs: Sequence[_Pair], before: RecordOriginal, after: RecordView) -> Iterator[str]:
    """Records that are left when as many as possible are paired with an original that they cover."""
    columns = [(was.codes, now.codes, covered.holds) for was, now, covered in pairs]
    left = unmatched([*columns, *basket_column(before, after)])
    if left:
        yield f"records that stand for no original one: {left:,}"
