"""The lightest set that meets every one of some sets: by integer programming, greedily if that takes too long."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import numpy as np

_SECONDS = 5.0
_LARGEST = 20_000


def greedy_cover(sets: Sequence[frozenset[int]], weight: Mapping[int, int]) -> set[int]:
    """Elements that meet every set, the one that meets most for its weight first; ties by the lowest element."""
    left, chosen = list(sets), set[int]()
    while left:
        meets = Counter(element for each in left for element in each)
        best = min(meets, key=lambda element: (weight[element] / meets[element], element))
        chosen.add(best)
        left = [each for each in left if best not in each]
    return chosen


def least_cover(sets: Collection[frozenset[int]], weight: Mapping[int, int]) -> tuple[set[int], bool]:
    """The lightest elements that meet every set, and whether they are known to be the lightest.

    >>> least_cover([frozenset({1, 2}), frozenset({2, 3})], {1: 1, 2: 3, 3: 1})
    ({1, 3}, True)
    """
    distinct = sorted(set(sets), key=sorted)
    found = greedy_cover(distinct, weight)
    elements = sorted({element for each in distinct for element in each})
    if not elements or len(distinct) > _LARGEST:
        return found, not elements
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array

    column = {element: index for index, element in enumerate(elements)}
    columns = [column[element] for each in distinct for element in sorted(each)]
    indptr = np.cumsum([0, *map(len, distinct)])
    rows = csr_array((np.ones(len(columns)), columns, indptr), shape=(len(distinct), len(elements)))
    cost = np.array([weight[element] for element in elements], float)
    solved = milp(
        cost,
        constraints=LinearConstraint(rows, lb=1),
        integrality=np.ones(len(elements)),
        bounds=Bounds(0, 1),
        options={"time_limit": _SECONDS},
    )
    if solved.x is None:
        return found, False
    exact = {element for element, value in zip(elements, solved.x.tolist(), strict=True) if value > 0.5}
    lighter = sum(weight[e] for e in exact) < sum(weight[e] for e in found)
    return exact if lighter else found, solved.status == 0
