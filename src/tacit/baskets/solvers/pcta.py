"""PCTA: privacy-constrained clustering-based transaction anonymization (Gkoulalas-Divanis, Loukides, PAIS 2011)."""

from __future__ import annotations

import numpy as np

from tacit.baskets.solvers.constraints import Constraints
from tacit.baskets.solvers.item_groups import ItemGroups
from tacit.baskets.solvers.merging import Progress, merge_items


def pcta(
    indptr: np.ndarray,
    items: np.ndarray,
    n_items: int,
    k: int,
    m: int | float,
    constraints: Constraints | None = None,
    progress: Progress | None = None,
    people: np.ndarray | None = None,
) -> ItemGroups:
    """Mends a violated constraint by the cheapest merge of any of its clusters with any other."""
    return merge_items(indptr, items, n_items, k, m, constraints, progress, any_of_them=True, people=people)
