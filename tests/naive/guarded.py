"""Slow twin of guarded halves, on lists of texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from naive.attributes import generalized
from naive.relational import Column, Group, merge_equal, reached
from tacit.taxonomy import Taxonomy

TWIN_OF = ("guarded",)

Draw = Callable[[int, int, int], Sequence[int]]
"""Of so many records, at a level, for the so-manieth time: all of them in a random order."""
Ask = tuple[int, Fraction, str]
"""k, ℓ, and the kind of diversity."""


def rank(column: Column, record: int) -> tuple[bool, float | str]:
    """What orders records in an attribute; missing values are last."""
    values, kind = column
    value = values[record]
    if value is None:
        return True, 0
    return False, kind.node(value) if isinstance(kind, Taxonomy) else float(value) if kind == "number" else value


def width(column: Column, group: Group) -> float:
    values, kind = column
    return generalized([values[r] for r in group], values, kind)[1]


def keeps(group: Group, sensitive: Sequence[Sequence[int]], ask: Ask) -> bool:
    k, l, kind = ask  # noqa: E741
    rounding = 1e-12 if kind == "entropy" else 0
    diverse = (reached([values[r] for r in group], kind) >= l - rounding for values in sensitive)
    return len(group) >= k and all(diverse)


def place(column: Column, record: int) -> int:
    """The place of a record's value among all that occur."""
    every = sorted({rank(column, r) for r in range(len(column[0]))})
    return every.index(rank(column, record))


def halves(columns: Sequence[Column], units: list[Group]) -> tuple[list[Group], list[Group]] | None:
    """Both halves in the attribute in which they lose least against the whole; None if all records are alike.

    Units are taken in the order of the sum of their places.
    """
    found, part = [], joined(units)
    for index, column in enumerate(columns):
        in_order = sorted(range(len(units)), key=lambda u, column=column: sum(place(column, r) for r in units[u]))
        low, high = in_order[: len(units) // 2], in_order[len(units) // 2 :]
        whole = width(column, part)
        if len({column[0][r] for r in part}) > 1:
            lost = [width(column, joined([units[u] for u in side])) for side in (low, high)]
            found.append((2 * whole - lost[0] - lost[1], whole, -index, low, high))
    if not found:
        return None
    *_, low, high = max(found)
    return [units[u] for u in sorted(low)], [units[u] for u in sorted(high)]


def joined(units: Sequence[Group]) -> Group:
    return [record for unit in units for record in unit]


def paired(columns: Sequence[Column], lower: list[Group], upper: list[Group]) -> list[Group]:
    """Units of one unit of each side: both are halved by the widest attribute, until one of each is left."""
    widths = [width(column, joined(lower + upper)) for column in columns]
    if len(lower) == 1 or max(widths) == 0:
        return [one + other for one, other in zip(lower, upper, strict=True)]
    widest = columns[widths.index(max(widths))]
    sides = [sorted(side, key=lambda unit: sum(place(widest, r) for r in unit)) for side in (lower, upper)]
    at = len(lower) // 2
    return paired(columns, sides[0][:at], sides[1][:at]) + paired(columns, sides[0][at:], sides[1][at:])


def parts(columns: Sequence[Column], sensitive: Sequence[Sequence[int]], units: list[Group], ask: Ask) -> list[Group]:
    part = joined(units)
    cut = halves(columns, units) if len(units) % 2 == 0 and len(part) >= 2 * ask[0] else None
    if cut is None:
        return [part]
    if not all(keeps(joined(side), sensitive, ask) for side in cut):
        return parts(columns, sensitive, paired(columns, *cut), ask)
    return [group for side in cut for group in parts(columns, sensitive, side, ask)]


def set_aside(rows: int, least: int) -> int:
    """So few that the others are b · 2^j with the largest j for which b is at least `least`."""
    for j in range(rows, 0, -1):
        for aside in [0, *range(least, rows)]:
            if (rows - aside) % 2**j == 0 and (rows - aside) // 2**j >= least:
                return aside
    return 0


def guarded(
    columns: Sequence[Column], sensitive: Sequence[Sequence[int]], ask: Ask, ties: Sequence[int], draw: Draw
) -> set[frozenset[int]]:
    """`ties` is the order of records with equal quasi-identifiers."""
    records = sorted(ties, key=lambda r: [rank(column, r) for column in columns])
    groups: list[Group] = []
    for level in range(64):
        aside = set_aside(len(records), max(ask[0], -(-ask[1].numerator // ask[1].denominator)))
        drawn = (set(draw(len(records), level, turn)[:aside]) for turn in range(64)) if aside else ()
        for chosen in drawn:
            main = [r for place, r in enumerate(records) if place not in chosen]
            rest = [r for place, r in enumerate(records) if place in chosen]
            if keeps(main, sensitive, ask) and keeps(rest, sensitive, ask):
                break
        else:
            break
        groups += parts(columns, sensitive, [[r] for r in main], ask)
        records = rest
    return merge_equal(columns, groups + parts(columns, sensitive, [[r] for r in records], ask))
