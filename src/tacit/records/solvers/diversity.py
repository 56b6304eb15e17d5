"""What k and ℓ a table can reach at all: no grouping is more diverse than all records together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.arrays.persons import once_each
from tacit.errors import PromiseError
from tacit.records.solvers._box_kernels import DISTINCT, ENTROPY, FREQUENCY, SLACK, Diversity, Need, Units
from tacit.records.solvers._closeness_kernels import Closeness

KINDS = {"frequency": FREQUENCY, "distinct": DISTINCT, "entropy": ENTROPY}


def need_of(
    k: int,
    l: float | None,  # noqa: E741
    kind: str,
    units: Units,
    close: Closeness | None = None,
) -> Need:
    """The promise as the kernels take it for these units."""
    met = None
    if units.person.size:
        met = np.zeros(max(int(units.person.max(initial=0)), int(units.held.max(initial=0))) + 1, np.bool_)
    if close is not None or l is None:
        return Need(k, met, None, close)
    values = int(units.sensitive.max(initial=0)) + 1
    return Need(k, met, Diversity(float(l), KINDS[kind], np.zeros(values, np.int64)))


def reachable_l(codes: np.ndarray, kind: str, persons: np.ndarray | None = None) -> float:
    """The largest ℓ of a sensitive attribute, given by the code of each record: that of all records as one group.

    With `persons`, each of them counts once for each value; what all of them have is known of everybody.

    >>> values = np.array([0, 0, 1, 2])
    >>> reachable_l(values, "frequency"), reachable_l(values, "distinct"), round(reachable_l(values, "entropy"), 3)
    (2.0, 3, 2.828)
    """
    people = codes.size
    if persons is not None:
        people, codes = np.unique(persons).size, codes[once_each(persons, codes)]
    counts = np.bincount(codes)
    counts = counts[counts > 0]
    if kind == "frequency":
        return people / int(counts.max())
    if persons is not None and int(counts.max()) == people:
        return 1
    if kind == "distinct":
        return int(counts.size)
    return float(np.exp(np.log(codes.size) - (counts @ np.log(counts)) / codes.size))


def check_reachable(
    rows: int,
    k: int,
    l: float | None = None,  # noqa: E741
    kind: str = "frequency",
    sensitive: Sequence[np.ndarray] = (),
    persons: np.ndarray | None = None,
) -> None:
    """Refuses a promise that no grouping of the records can keep, and says what can be reached. No rows keep any.

    With `persons` in several groups, smaller groups may be more diverse than all records: see `check_outcome`.
    """
    if rows == 0:
        return
    people, what = (rows, "records") if persons is None else (np.unique(persons).size, "persons")
    if k > people:
        raise PromiseError(
            f"There are {people:,} {what}, fewer than k = {k:,}: nobody can be hidden among so many. "
            f"Set k to {people:,} at most, or take more records."
        )
    for codes in sensitive if persons is None else ():
        most = reachable_l(codes, kind)
        if l is not None and most < l * (1 - SLACK):
            raise PromiseError(f"{_why(codes, kind)} {_advice(most, kind)}")


def check_outcome(
    group: np.ndarray,
    l: float | None,  # noqa: E741
    kind: str,
    sensitive: Sequence[np.ndarray],
    persons: np.ndarray | None,
) -> None:
    """Refuses what merging groups of persons ended with if that is all records, and they are not diverse enough."""
    if persons is None or l is None or group.max(initial=0) > 0 or not group.size:
        return
    for codes in sensitive:
        most = reachable_l(codes, kind, persons)
        if most < l * (1 - SLACK):
            raise PromiseError(
                "In a sensitive column too many persons have one and the same value, in one of their records or "
                f"another: groups were merged until one was left. {_advice(most, kind)}"
            )


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
