"""Which t a table allows: as near to all records as similar people come in groups of some size."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from tacit.arrays.reading import different_values
from tacit.init.evidence import Evidence

GROUP = 20
"""Groups of so many records are worth having."""
_LEAST_T, _MOST_T, _STEP = 0.2, 0.5, 0.05
_DRAWN, _LOOKED_AT = 100, 5000


class _Values(NamedTuple):
    """A column as numbers from 0; `is_ordered`: by size, so that two may be near each other."""

    places: np.ndarray
    different: int
    is_ordered: bool


def reachable_t(
    table: pa.Table, quasi: Sequence[Evidence], sensitive: Sequence[Evidence], nominal: Collection[str] = ()
) -> float | None:
    """A t that half of the groups of twenty similar records keep in all sensitive columns; None if it would say too
    little. A smaller one would make groups of people who have little in common. `nominal` are columns that the job
    reads as categories, though they hold numbers: all their values are equally far from each other."""
    rng = np.random.default_rng(0)
    some = np.sort(rng.choice(table.num_rows, min(table.num_rows, _LOOKED_AT), replace=False))
    known = [_values(table[each.name], each, nominal) for each in quasi]
    groups = [_similar(known, some, seed) for seed in rng.choice(some, min(_DRAWN, some.size), replace=False)]
    away = np.max(
        [_distances(_values(table[each.name], each, nominal), np.array(groups)) for each in sensitive], axis=0
    )
    t = math.ceil(float(np.median(away)) / _STEP - 1e-9) * _STEP
    return round(max(t, _LEAST_T), 2) if t <= _MOST_T else None


def _values(column: pa.ChunkedArray, evidence: Evidence, nominal: Collection[str]) -> _Values:
    """Missing values are one value more."""
    texts, codes = different_values(column)
    if evidence.name in nominal or not evidence.is_ordered or evidence.magnitudes is None:
        return _Values(codes + 1, len(texts) + 1, False)
    order = np.argsort(np.argsort(evidence.magnitudes))
    rank = dict(zip(evidence.texts.to_pylist(), order.tolist(), strict=True))
    of_code = np.array([-1, *(rank.get(str(text), -1) for text in texts.to_pylist())])
    return _Values(of_code[codes + 1] + 1, evidence.distinct + 1, True)


def _similar(known: Sequence[_Values], rows: np.ndarray, seed: int) -> np.ndarray:
    """Those of the rows that are most like one of them."""
    unlike = np.zeros(rows.size)
    for values in known:
        apart = np.abs(values.places[rows] - values.places[seed])
        unlike += apart / values.different if values.is_ordered else apart > 0
    return rows[np.argsort(unlike, kind="stable")[:GROUP]]


def _distances(values: _Values, groups: np.ndarray) -> np.ndarray:
    """How far each group is from all records: by order, or with all values equally far from each other."""
    shares = np.bincount(values.places, minlength=values.different) / max(values.places.size, 1)
    found = []
    for group in values.places[groups]:
        more = np.bincount(group, minlength=values.different) / group.size - shares
        in_order = np.abs(np.cumsum(more)[:-1]).sum() / max(values.different - 1, 1)
        found.append(in_order if values.is_ordered else np.abs(more).sum() / 2)
    return np.array(found)
