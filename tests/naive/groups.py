"""What groups of records are published as, on the rows of a case: a twin that says who is together needs no more."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from exams.cases import Case
from naive.attributes import generalized
from naive.ranges import coarsest, published_ends
from tacit.taxonomy import Taxonomy


def rows_of_groups(case: Case, promise: Any, groups: Iterable[Sequence[int]]) -> list[dict[str, Any]]:
    """The rows that are published if these rows are together: their quasi-identifiers become equal."""
    rows = case.frame.to_pylist()
    columns = {name: [row[name] for row in rows] for name in case.roles["quasi"]}
    for group in groups:
        shown = {
            name: shown_as([values[i] for i in group], values, case.trees.get(name, "category"), promise.k)
            for name, values in columns.items()
        }
        for i in group:
            rows[i] = rows[i] | shown
    return rows


def shown_as(values: Sequence[Any], everything: Sequence[Any], kind: Taxonomy | str, k: int) -> str:
    """What a column of a group shows; ends of ranges that fewer than k people reach are left open."""
    if not isinstance(everything[0], int):
        return generalized(values, everything, kind)[0]
    numbers = [Fraction(value) for value in everything]
    ends = published_ends([Fraction(value) for value in values], numbers, coarsest(numbers), k, None, None)
    if isinstance(ends, Fraction):
        return str(ends)
    low, high = ends
    if low is None or high is None:
        return "*" if low is high else f"[≤{high}]" if low is None else f"[≥{low}]"
    return f"[{low}:{high}]"
