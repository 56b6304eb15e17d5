"""Whether published ranges end where the job says: on multiples of its width, and within its top and bottom."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Context, Decimal

import numpy as np

from tacit.audits.truth import few
from tacit.audits.values import Ends, all_ends, number_of
from tacit.audits.views.columns import KnownColumn
from tacit.job.model import Column

_DIGITS = Context(prec=1000)
_Limits = tuple[Decimal | None, Decimal | None]


def wrong_ends(column: KnownColumn, labels: Sequence[str]) -> list[str]:
    """What in the published labels of a column is not as its job declares, in sentences."""
    said = column.said
    if said is None or column.numbers is None:
        return []
    limits = _limits(said)
    width = None if said.round is None or isinstance(said.round, str) else Decimal(str(said.round))
    if limits == (None, None) and width is None:
        return []
    ends = all_ends(labels)
    wide = _ranges_with(ends, lambda end: _is_beyond(end, limits))
    single = {label for label in _at(labels, ~ends.is_range) if _is_beyond(number_of(label), limits)}
    beyond = sorted({*_at(labels, wide), *single})
    between = sorted({*_at(labels, _ranges_with(ends, lambda end: not _is_allowed(end, width, limits)))})
    problems = []
    if beyond:
        problems.append(f"shown in {column.name!r}, but beyond its top or bottom ({len(beyond):,}): {few(beyond)}")
    if between:
        problems.append(
            f"ranges in {column.name!r} with an end that is no multiple of {said.round} ({len(between):,}): "
            f"{few(between)}"
        )
    return problems


def _ranges_with(ends: Ends, is_wrong: Callable[[Decimal | None], bool]) -> np.ndarray:
    """The labels of which an end is wrong. Each end is looked at once, however many ranges have it."""
    wrong = np.array([*(is_wrong(number_of(text)) for text in ends.texts), False], bool)  # −1, open, takes the last
    return wrong[ends.low] | wrong[ends.high]


def _at(labels: Sequence[str], some: np.ndarray) -> list[str]:
    return [labels[place] for place in np.flatnonzero(some).tolist()]


def _is_beyond(number: Decimal | None, limits: _Limits) -> bool:
    bottom, top = limits
    if number is None:
        return False
    return (bottom is not None and number < bottom) or (top is not None and number > top)


def _is_allowed(end: Decimal | None, width: Decimal | None, limits: _Limits) -> bool:
    if end is None or width is None or end in limits:
        return True
    return _DIGITS.remainder(end, width) == 0


def _limits(said: Column) -> _Limits:
    bottom, top = (None if limit is None else number_of(str(limit)) for limit in (said.bottom, said.top))
    return bottom, top
