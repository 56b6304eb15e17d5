"""How often things occur, before and after: records for two charts."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from tacit.arrays.encode import Baskets
from tacit.report.blocks import Chart
from tacit.report.charts import histogram

_STEPS = (1, 2, 5)


def basket_distributions(before: Baskets, after: Baskets) -> list[Chart]:
    """How frequent items are, and how many of them baskets hold, before and after."""
    frequency = [np.bincount(each.items, minlength=1) for each in (before, after)]
    return [
        histogram(
            "How frequent the items are", classes(*(counts[counts > 0] for counts in frequency)), "size", "count",
            when="when", x_axis="records that have the item", y_axis="items",
        ),
        histogram(
            "How long the baskets are", classes(before.lengths, after.lengths), "size", "count",
            when="when", x_axis="items in the basket", y_axis="records",
        ),
    ]  # fmt: skip


def classes(
    before: np.ndarray, after: np.ndarray, *, counts_itself: bool = False, edge: int = 1
) -> list[dict[str, Any]]:
    """How many numbers fall into 0, 1, 2 to 4, 5 to 9, 10 to 19 and so on, before and after.

    With `counts_itself` a number counts as often as it says: the size of a group for each of its members. A class
    begins at `edge`, too, say at the least size that a group may have.

    >>> classes(np.array([1, 3, 4]), np.array([7]))[:2]
    [{'size': '1', 'count': 1, 'when': 'before'}, {'size': '2–4', 'count': 2, 'when': 'before'}]
    >>> [each["size"] for each in classes(np.array([1, 3, 4]), np.array([3]), edge=3)[:3]]
    ['1', '2', '3–4']
    """
    most = max(before.max(initial=0), after.max(initial=0))
    steps = {step * 10**power for power in range(19) for step in _STEPS} | {edge}
    bounds = [0, *sorted(step for step in steps if step <= most)]
    edges = [*bounds, int(most) + 1]
    both = {"before": before, "after": after}
    counted = {
        when: np.histogram(numbers, edges, weights=numbers if counts_itself else None)[0]
        for when, numbers in both.items()
    }
    used = [i for i in range(len(bounds)) if counted["before"][i] or counted["after"][i]]
    names = [str(low) if high - low <= 1 else f"{low}–{high - 1}" for low, high in pairwise(edges)]
    shown = range(used[0], used[-1] + 1) if used else range(0)
    return [
        {"size": names[i], "count": int(numbers[i]), "when": when} for when, numbers in counted.items() for i in shown
    ]
