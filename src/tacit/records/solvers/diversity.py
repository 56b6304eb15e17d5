"""What k and ℓ a table can reach at all: no grouping is more diverse than all records together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.errors import PromiseError
from tacit.records.solvers._box_kernels import CLOSE, DISTINCT, ENTROPY, FREQUENCY, SLACK, Need
from tacit.records.solvers._closeness_kernels import Closeness
from tacit.records.solvers.closeness import not_asked

KINDS = {"frequency": FREQUENCY, "distinct": DISTINCT, "entropy": ENTROPY}


def need_of(
    k: int,
    l: float | None,  # noqa: E741
    kind: str,
    sensitive: Sequence[np.ndarray],
    close: Closeness | None = None,
) -> Need:
    """The promise as the kernels take it."""
    if close is not None:
        return Need(k, 0.0, CLOSE, np.zeros(int(close.size.max(initial=0)) + 1, np.int64), close)
    values = max((int(codes.max(initial=0)) + 1 for codes in sensitive), default=1)
    return Need(k, float(l or 0.0), KINDS[kind], np.zeros(values, np.int64), not_asked())


def reachable_l(codes: np.ndarray, kind: str) -> float:
    """The largest ℓ of a sensitive attribute, given by the code of each record: that of all records as one group.

    >>> values = np.array([0, 0, 1, 2])
    >>> reachable_l(values, "frequency"), reachable_l(values, "distinct"), round(reachable_l(values, "entropy"), 3)
    (2.0, 3, 2.828)
    """
    counts = np.bincount(codes)
    counts = counts[counts > 0]
    if kind == "frequency":
        return codes.size / int(counts.max())
    if kind == "distinct":
        return int(counts.size)
    return float(np.exp(np.log(codes.size) - (counts @ np.log(counts)) / codes.size))


def check_reachable(
    rows: int,
    k: int,
    l: float | None = None,  # noqa: E741
    kind: str = "frequency",
    sensitive: Sequence[np.ndarray] = (),
) -> None:
    """Refuses a promise that no grouping of the records can keep, and says what can be reached. No rows keep any."""
    if rows == 0:
        return
    if k > rows:
        raise PromiseError(
            f"There are {rows:,} records, fewer than k = {k:,}: nobody can be hidden among so many. "
            f"Set k to {rows:,} at most, or take more records."
        )
    for codes in sensitive:
        most = reachable_l(codes, kind)
        if l is not None and most < l * (1 - SLACK):
            raise PromiseError(f"{_why(codes, kind)} {_advice(most, kind)}")


def _why(codes: np.ndarray, kind: str) -> str:
    counts = np.bincount(codes)
    if kind == "frequency":
        return f"In a sensitive column {int(counts.max()):,} of {codes.size:,} records have one and the same value."
    if kind == "distinct":
        return f"In a sensitive column there are only {np.count_nonzero(counts):,} different values."
    return "In a sensitive column all records together have no more entropy: values are too few, or too unequal."


def _advice(most: float, kind: str) -> str:
    shown = f"{most:,}" if kind == "distinct" else f"{np.floor(most * 1000) / 1000:g}"
    if float(most) <= 1:
        return "So no l above 1 can be reached, whatever the grouping: do not declare this column sensitive."
    return f"Set l to {shown} at most."
