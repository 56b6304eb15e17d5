"""How much of the correlation between attributes a sliced table keeps: to choose between columns before publishing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tacit.arrays.order import joint_codes
from tacit.slices.data import PersonTable, Slices
from tacit.slices.solvers.correlation import correlations
from tacit.slices.solvers.join_tree import join_tree


def correlation_kept(
    table: PersonTable, slices: Slices, bucket: np.ndarray, before: np.ndarray, bins: int, discretize: str
) -> float:
    """The share of all coefficients that is found again among records drawn from the sliced table.

    The drawing is seeded alike for all columns, so that they are compared and not the luck of the draw.
    """
    drawn = relinked(table, slices, bucket, np.random.default_rng(0))
    slice_of = {a: i for i, one in reversed(list(enumerate(slices))) for a in one}
    attributes = [
        replace(attribute, codes=attribute.codes[drawn[slice_of[a]]]) for a, attribute in enumerate(table.attributes)
    ]
    after = correlations(attributes, bins, discretize)
    upper = np.triu_indices(len(before), 1)
    return float(np.minimum(before, after)[upper].sum() / max(before[upper].sum(), 1e-12))


def relinked(table: PersonTable, slices: Slices, bucket: np.ndarray, rng: np.random.Generator) -> list[np.ndarray]:
    """One of the equally likely linkings: for each slice the record whose values each drawn record has there."""
    tree = join_tree(slices)
    assert tree is not None, "columns in a cycle are refused before"
    chosen = [np.arange(len(table))] * len(slices)
    for here in tree.order[1:]:
        shared = sorted(tree.separator[here])
        sizes = [len(table), *(table.sizes[a] for a in shared)]
        group, _ = joint_codes([bucket, *(table.codes[a] for a in shared)], sizes, len(table))
        taken = np.empty(len(table), np.int64)
        taken[np.argsort(group[chosen[tree.parent[here]]], kind="stable")] = np.lexsort((rng.random(len(table)), group))
        chosen[here] = taken
    return chosen
