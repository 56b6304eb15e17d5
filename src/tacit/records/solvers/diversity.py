"""What k and ℓ a table can reach at all: no grouping is more diverse than all records together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.errors import PromiseError
from tacit.records.asked import Asked, most_in_a_window, reached
from tacit.records.solvers._box_kernels import DISTINCT, ENTROPY, FREQUENCY, SLACK, Diversity, Need, Units
from tacit.records.solvers._closeness_kernels import Closeness

KINDS = {"frequency": FREQUENCY, "distinct": DISTINCT, "entropy": ENTROPY}


def need_of(k: int, asked: Sequence[Asked], kind: str, units: Units, close: Closeness | None = None) -> Need:
    """The promise as the kernels take it for these units."""
    met = None
    if units.person.size:
        met = np.zeros(max(int(units.person.max(initial=0)), int(units.held.max(initial=0))) + 1, np.bool_)
    return Need(k, met, diversity_of(asked, kind) if asked else None, close)


def diversity_of(asked: Sequence[Asked], kind: str) -> Diversity:
    """What is asked of the sensitive columns, as kernels take it."""
    values = max(each.reach.size for each in asked) + 1
    harmless, reach = np.zeros((len(asked), values), bool), np.tile(np.arange(1, values + 1), (len(asked), 1))
    for s, each in enumerate(asked):
        harmless[s, : each.harmless.size], reach[s, : each.reach.size] = each.harmless, each.reach
    return Diversity(
        np.array([each.l for each in asked], float), KINDS[kind], np.zeros(values, np.int64), harmless,
        reach.astype(np.int64), np.array([each.has_width for each in asked], bool), np.zeros(values, np.int64),
    )  # fmt: skip


def check_reachable(
    rows: int, k: int, asked: Sequence[Asked] = (), kind: str = "frequency", persons: np.ndarray | None = None
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
    for each in asked if persons is None else ():
        most = reached(each, kind)
        if most < each.l * (1 - SLACK):
            raise PromiseError(f"{_why(each, kind)} {_advice(most, kind)}")


def check_outcome(group: np.ndarray, asked: Sequence[Asked], kind: str, persons: np.ndarray | None) -> None:
    """Refuses what merging groups of persons ended with if that is all records, and they are not diverse enough."""
    if persons is None or group.max(initial=0) > 0 or not group.size:
        return
    for each in asked:
        most = reached(each, kind, persons)
        if most < each.l * (1 - SLACK):
            raise PromiseError(
                "In a sensitive column too many persons have one and the same value, in one of their records or "
                f"another: groups were merged until one was left. {_advice(most, kind)}"
            )


def _why(asked: Asked, kind: str) -> str:
    counts = np.bincount(asked.codes, minlength=asked.reach.size)
    if kind == "frequency":
        most = most_in_a_window(counts, asked)
        alike = "values that are less than its width apart" if asked.has_width else "one and the same value"
        return f"In a sensitive column {most:,} of {asked.codes.size:,} records have {alike}."
    if kind == "distinct":
        how = "that are its width apart" if asked.has_width else "different"
        return f"In a sensitive column there are only {reached(asked, kind):,.0f} values {how}."
    return "In a sensitive column all records together have no more entropy: values are too few, or too unequal."


def _advice(most: float, kind: str) -> str:
    shown = f"{most:,}" if kind == "distinct" else f"{np.floor(most * 1000) / 1000:g}"
    if float(most) <= 1:
        return "So no l above 1 can be reached, whatever the grouping: do not declare this column sensitive."
    return f"Set l to {shown} at most."
