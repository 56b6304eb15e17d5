"""Where records stand by their baskets: those whose baskets are alike are near to each other."""

from __future__ import annotations

import numpy as np

from support.rt_cases import arrays
from tacit.promises import KKmAnonymity
from tacit.records.solvers.likeness import places_by_baskets
from tacit.records.solvers.problem import RecordProblem


def test_whoever_has_items_of_one_kind_stands_apart_from_those_with_others() -> None:
    rng = np.random.default_rng(5)
    kinds = np.arange(60) % 2
    baskets = [set((10 * kind + rng.choice(10, 4, replace=False)).tolist()) for kind in kinds.tolist()]
    none = arrays([set()] * 60)
    problem = RecordProblem((), *arrays(baskets), np.zeros(20, np.int32), *none, KKmAnonymity(2, 1))
    first, *others = places_by_baskets(problem)
    low, high = sorted((first[kinds == kind] for kind in (0, 1)), key=np.median)
    assert low.max() < high.min()
    assert all(np.ptp(place) > 0 for place in others)
