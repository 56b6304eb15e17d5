"""Numbers in the middle of ranges, read as the ranges that they stand for.

From the lowest rating of the scale on, a middle tells where its range ends, and the next one begins with the next step,
or at the next twentieth of a scale without steps. If all middles of an issue together fill its scale, those are their
ranges. If they do not, a part of the scale is blanked, and a number stands for itself: for nobody is told apart by
where its range ends.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.audits.views.scales import PARTS, Scale


def as_ranges(
    issues: np.ndarray, values: np.ndarray, scales: Sequence[Scale], decimals: int, is_sensitive: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Both ends of what each number stands for, in ticks; `scales` are those of the issues.

    Sensitive ratings are published as they were, and stand for themselves.
    """
    lows, tops = values.astype(np.int64), values.astype(np.int64)
    order = np.lexsort((lows, issues))
    new = np.ones(order.size, bool)
    new[1:] = (np.diff(issues[order]) != 0) | (np.diff(lows[order]) != 0)
    which = np.empty(order.size, np.int64)
    which[order] = np.cumsum(new) - 1
    first = order[new]
    low, top = lows[first], tops[first]
    starts = np.searchsorted(issues[first], np.arange(len(scales) + 1))
    for issue, scale in enumerate(scales):
        own = slice(starts[issue], starts[issue + 1])
        found = None if scale.is_guessed or is_sensitive[issue] else filled(low[own].tolist(), scale, decimals)
        if found:
            low[own], top[own] = zip(*found, strict=True)
    return low[which], top[which]


def filled(middles: Sequence[int], scale: Scale, decimals: int) -> list[tuple[int, int]] | None:
    """The ranges of these middles, in ticks, if they fill the scale; None if they do not.

    On a scale without steps a range ends a tick before the next one: middles have more decimals than ratings, and what
    lies between the two is nobody's rating.

    >>> from decimal import Decimal
    >>> scale = Scale(Decimal(1), Decimal(5), Decimal(1))
    >>> filled([15, 40], scale, 1), filled([20], scale, 1)
    ([(10, 20), (30, 50)], None)
    >>> filled([-4505, 5500], Scale(Decimal(-10), Decimal(10), None), 3)
    [(-10000, 999), (1000, 10000)]
    """
    lowest, highest = (int(end.scaleb(decimals)) for end in (scale.low, scale.high))
    step = None if scale.step is None else int(scale.step.scaleb(decimals))
    begin, found = lowest, list[tuple[int, int]]()
    for middle in middles:
        end = 2 * middle - begin
        if end < begin or end > highest:
            return None
        found.append((begin, end))
        if step is None:
            part = ((end - lowest) * PARTS // max(highest - lowest, 1)) + 1
            begin = lowest - (-part * (highest - lowest) // PARTS)
            found[-1] = (found[-1][0], min(begin - 1, highest))
        else:
            begin = end + step
    return found if found and found[-1][1] == highest else None
