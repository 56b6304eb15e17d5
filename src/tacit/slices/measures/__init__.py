"""What a sliced table is good for: correlations kept, counting queries, classifiers (Li et al. 2012, section 6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from tacit.arrays.attributes import Attribute, losses, spans
from tacit.queries import Condition
from tacit.sliced import SlicedTable, expected_count, linked_rows
from tacit.slices.applied import AppliedSlices
from tacit.slices.data import PersonTable
from tacit.slices.measures.classification import accuracies
from tacit.slices.measures.membership import membership
from tacit.slices.recoding import SliceRecoding
from tacit.slices.solvers.correlation import correlations
from tacit.values.reading import is_number

_QUERIES = 200
_SELECTIVITY = 0.05
_BINS = 10


@dataclass(frozen=True, eq=False)
class Drawn:
    """The sliced table, and records drawn from it: for each slice the original record that each has its values of."""

    sliced: SlicedTable
    shown: tuple[Attribute, ...]  # the attributes as published, in the original's order
    source: tuple[np.ndarray, ...]

    def attributes(self) -> list[Attribute]:
        """The attributes of the drawn records."""
        slice_of = {name: i for i, one in reversed(list(enumerate(self.sliced.slices))) for name in one}
        return [replace(one, codes=one.codes[self.source[slice_of[one.name]]]) for one in self.shown]


def measure_slices(data: PersonTable, applied: AppliedSlices, original: np.ndarray, seed: int) -> dict[str, Any]:
    """Every measure of a sliced table."""
    recoding = applied.recoding
    sizes = np.bincount(recoding.bucket) if len(data) else np.zeros(1, np.int64)
    found: dict[str, Any] = {
        "records": len(data),
        "ncp": _ncp(data, recoding),
        "columns": len(recoding.slices),
        "buckets": recoding.buckets,
        "bucket_sizes": {"lowest": int(sizes.min()), "mean": float(sizes.mean()), "highest": int(sizes.max())},
    }
    if len(data) < 2:
        return found
    rng = np.random.default_rng(seed)
    drawn = draw(applied, original, rng)
    before, after = correlations(data.attributes, _BINS), correlations(drawn.attributes(), _BINS)
    upper = np.triu_indices(len(before), 1)
    kept = np.minimum(before, after)[upper].sum() / max(before[upper].sum(), 1e-12)
    names = [f"{one} × {other}" for one, other in combinations(data.names, 2)]
    if len(set(names)) < len(names):  # such as `b × c` beside `a`, and `c` beside `a × b`
        names = [f"{one!r} × {other!r}" for one, other in combinations(data.names, 2)]
    found |= {
        "correlation_kept": float(kept) if before[upper].sum() > 0 else 1.0,
        "correlations_before": dict(zip(names, before[upper].round(6).tolist(), strict=True)),
        "correlations_after": dict(zip(names, after[upper].round(6).tolist(), strict=True)),
        "are": query_error(data, drawn.sliced, rng),
    }
    return (
        found
        | accuracies(data, drawn, rng)
        | membership(drawn.sliced, original, [data.names[a] for a in data.known], rng)
    )


def draw(applied: AppliedSlices, original: np.ndarray, rng: np.random.Generator) -> Drawn:
    """Records as somebody draws them who has the sliced table alone."""
    recoding, shown = applied.recoding, applied.shown
    by_name = {one.name: one for one in shown}
    sliced = SlicedTable(
        recoding.slices,
        recoding.bucket[original[0]],
        tuple(map(str, range(recoding.buckets))),
        tuple(
            tuple(by_name[name].codes[rows] for name in names)
            for names, rows in zip(recoding.slices, original, strict=True)
        ),
        {one.name: _texts(one) for one in shown},
    )
    linked = linked_rows(sliced, rng)
    return Drawn(sliced, shown, tuple(rows[at] for rows, at in zip(original, linked, strict=True)))


def unsliced(data: PersonTable, shown: Sequence[Attribute]) -> Drawn:
    """A table that is not sliced, such as a generalized one, as one slice in one bucket: to compare with.

    `shown` are the attributes as published, record by record.
    """
    by_name = {one.name: one for one in shown}
    sliced = SlicedTable(
        (data.names,),
        np.zeros(len(data), np.int32),
        ("0",),
        (tuple(by_name[name].codes for name in data.names),),
        {name: _texts(by_name[name]) for name in data.names},
    )
    return Drawn(sliced, tuple(by_name[name] for name in data.names), (np.arange(len(data)),))


def query_error(data: PersonTable, sliced: SlicedTable, rng: np.random.Generator, queries: int = _QUERIES) -> float:
    """ARE: the mean of |estimate − truth| ÷ truth over random counting queries that somebody fulfils.

    A query asks for ranges or sets of values of two known attributes and of a sensitive one, each about a third of what
    occurs, so that one in twenty people would be met if the attributes were independent.
    """
    share = _SELECTIVITY ** (1 / 3)
    trees = {one.name: one.tree for one in data.attributes if one.tree is not None}
    errors = []
    for _ in range(queries):
        known = rng.choice(data.known, min(2, len(data.known)), replace=False)
        met = np.ones(len(data), bool)
        where: dict[str, Condition] = {}
        for a in (*known.tolist(), int(rng.choice(data.sensitive))):
            codes, where[data.names[a]] = _condition(data.attributes[a], share, rng)
            met &= codes[data.codes[a]]
        truth = int(met.sum())
        if truth:
            errors.append(abs(expected_count(sliced, where, trees, strict=False) - truth) / truth)
    return float(np.mean(errors)) if errors else 0.0


def _condition(attribute: Attribute, share: float, rng: np.random.Generator) -> tuple[np.ndarray, Condition]:
    """A range of numbers, or any categories, that about this share of the records have: which codes, and in words."""
    texts = _texts(attribute)
    frequency = np.bincount(attribute.codes, minlength=len(texts)) / max(len(attribute), 1)
    chosen = np.zeros(len(texts), bool)
    known = len(texts) - (attribute.missing >= 0)
    if attribute.numbers is None or not known or not is_number(texts[0]):
        order = rng.permutation(len(texts))
        chosen[order[: int(np.searchsorted(np.cumsum(frequency[order]), share)) + 1]] = True
        return chosen, {texts[code] for code in np.flatnonzero(chosen).tolist()}
    reached = np.cumsum(frequency[:known])
    first = int(np.searchsorted(reached, rng.random() * max(reached[-1] - share, 0.0)))
    last = min(int(np.searchsorted(reached, reached[first] - frequency[first] + share)), known - 1)
    low, high = float(attribute.numbers[first]), float(attribute.numbers[last])
    chosen[:known] = (attribute.numbers[:known] >= low) & (attribute.numbers[:known] <= high)
    return chosen, (low, high)


def _ncp(data: PersonTable, recoding: SliceRecoding) -> float:
    """The mean over people of the weighted loss of their known attributes; 0 unless columns were generalized."""
    region_of = {name: one.of_record for one in recoding.regions for name in one.attributes}
    weights = np.array([data.attributes[a].weight for a in data.known])
    loss = 0.0
    for a, weight in zip(data.known, weights, strict=True):
        if data.names[a] in region_of and len(data):
            region = region_of[data.names[a]]
            span = spans(data.attributes[a], region, int(region.max()) + 1)
            loss += weight * float(losses(data.attributes[a], span)[region].mean())
    return float(loss / max(weights.sum(), 1e-12))


def _texts(attribute: Attribute) -> tuple[str, ...]:
    """As they are read from a published table: a missing value is the empty text."""
    return (*attribute.texts[: attribute.missing], "") if attribute.missing >= 0 else attribute.texts
