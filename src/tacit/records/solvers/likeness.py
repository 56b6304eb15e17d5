"""Where records stand by their baskets: a few numbers each, near to each other where baskets are alike.

Cuts along values find clusters whose items are whatever people of like values have. Towards the end of the frontier,
where values tell little any more, clusters of like baskets lose less in items: so some trees are cut along these
numbers, too, as if they were attributes.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tacit.arrays.attributes import Attribute
from tacit.records.solvers.problem import RecordProblem

_NUMBERS = 3
"""How many a record has."""
_SPARE, _TURNS = 5, 6
"""So many more are looked for, so often: what is found then is exact enough to cut by."""
_LEVELS = 256
_TAIL = 0.01
"""Beyond which share of the records, at either end, all stand alike."""


def with_likeness(problem: RecordProblem, share: float) -> RecordProblem:
    """The records with their places by baskets as further attributes, which have that share of all weight."""
    places = places_by_baskets(problem)
    each = share / (1 - share) / max(len(places), 1)
    weights = zip(problem.attributes, problem.weights.tolist(), strict=True)
    own = [replace(attribute, weight=weight) for attribute, weight in weights]
    texts = tuple(map(str, range(_LEVELS)))
    more = [
        Attribute(f"baskets {index}", place, texts, numbers=np.arange(_LEVELS, dtype=float), weight=each)
        for index, place in enumerate(places)
    ]
    return replace(problem, attributes=(*own, *more))


def places_by_baskets(problem: RecordProblem) -> list[np.ndarray]:
    """The first principal components of the baskets, each of length 1, in some hundred levels (int32 per record)."""
    from scipy.sparse import csr_matrix

    n, lengths = len(problem), np.diff(problem.indptr)
    wanted = min(_NUMBERS + _SPARE, n, problem.n_items)
    if not problem.items.size or wanted < 2:
        return []
    weight = np.repeat(1 / np.sqrt(np.maximum(lengths, 1)), lengths)
    baskets = csr_matrix((weight, problem.items, problem.indptr), shape=(n, problem.n_items))
    mean = np.asarray(baskets.mean(axis=0)).ravel()
    across = np.random.default_rng(0).normal(size=(problem.n_items, wanted))
    for _ in range(_TURNS):
        down, _ = np.linalg.qr(baskets @ across - mean @ across)
        across, _ = np.linalg.qr(baskets.T @ down - np.outer(mean, down.sum(axis=0)))
    found = baskets @ across - mean @ across
    order = np.argsort(-(found**2).sum(axis=0), kind="stable")[:_NUMBERS]
    return [_levels(found[:, each]) for each in order.tolist()]


def _levels(number: np.ndarray) -> np.ndarray:
    low, high = np.quantile(number, [_TAIL, 1 - _TAIL])
    if high - low < 1e-9:
        return np.zeros(number.size, np.int32)
    return np.clip((number - low) / (high - low) * _LEVELS, 0, _LEVELS - 1).astype(np.int32)
