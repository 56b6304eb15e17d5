"""Whether what is published is true to the original: by what was published and the hierarchies alone.

The decision of the method is not consulted.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

_SHOWN = 3


def few(texts: Sequence[str]) -> str:
    """The first of some texts, in quotes."""
    return ", ".join(map(repr, texts[:_SHOWN])) + ", ..." * (len(texts) > _SHOWN)


def not_shown(records: int, rows: np.ndarray) -> list[str]:
    """Original records that are shown nowhere, because others are shown twice."""
    is_shown = np.zeros(records, bool)
    is_shown[rows] = True
    left = int(np.count_nonzero(~is_shown))
    return [f"original records that are not shown: {left:,}"] if left else []
