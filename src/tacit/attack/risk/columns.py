"""What columns tell: how well each set of them tells records apart, and the risk by how many of them are known."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from tacit.attack.risk.classes import classes_of

_MOST_SETS = 20
"""So many sets of columns of each size are looked at; of more of them some are drawn."""


def distinction(columns: Sequence[np.ndarray], records: int) -> tuple[float, float]:
    """Different records ÷ records, and the share of pairs of records that differ (Motwani & Xu 2007).

    >>> distinction([np.array([0, 0, 0, 1, 1])], 5)
    (0.4, 0.6)
    """
    sizes = classes_of(columns, records).sizes
    pairs = records * (records - 1)
    return sizes.size / max(records, 1), 1 - float((sizes * (sizes - 1)).sum()) / pairs if pairs else 0.0


def per_column_set(columns: Sequence[tuple[str, np.ndarray]], records: int, largest: int = 2) -> dict[str, Any]:
    """Distinction and separation of each column, of each pair while there are few, and of all."""
    names = [name for name, _ in columns]
    codes = dict(columns)
    sets: list[tuple[str, ...]] = [(name,) for name in names]
    if comb(len(names), 2) <= _MOST_SETS:
        sets += [each for size in range(2, min(largest, len(names)) + 1) for each in combinations(names, size)]
    sets = list(dict.fromkeys([*sets, tuple(names)])) if names else []
    found = {}
    for each in sets:
        one, two = distinction([codes[name] for name in each], records)
        found[" + ".join(each)] = {"distinction": one, "separation": two}
    return found


def by_number_known(
    columns: Sequence[tuple[str, np.ndarray]], records: int, rng: np.random.Generator, people: np.ndarray | None = None
) -> list[dict[str, Any]]:
    """Average risk and share of records that are alone, if so many of the columns are known: the mean and the worst.

    `people` says whose each record is, if some have several.
    """
    found = []
    for known in range(1, len(columns) + 1):
        sets = list(_drawn(len(columns), known, rng))
        risks, alone = [], []
        for some in sets:
            classes = classes_of([columns[i][1] for i in some], records, people)
            risks.append(classes.average)
            alone.append(classes.uniques / max(records, 1))
        worst = int(np.argmax(risks))
        found.append(
            {
                "known": known,
                "sets": len(sets),
                "average": float(np.mean(risks)),
                "highest": risks[worst],
                "uniques": float(np.mean(alone)),
                "worst": [columns[i][0] for i in sets[worst]],
            }
        )
    return found


def _drawn(columns: int, size: int, rng: np.random.Generator) -> list[tuple[int, ...]]:
    if comb(columns, size) <= _MOST_SETS:
        return list(combinations(range(columns), size))
    drawn: dict[tuple[int, ...], None] = {}
    while len(drawn) < _MOST_SETS:
        drawn[tuple(sorted(rng.choice(columns, size, replace=False).tolist()))] = None
    return list(drawn)
