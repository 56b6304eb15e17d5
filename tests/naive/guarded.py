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


def halves(columns: Sequence[Column], part: Group) -> tuple[Group, Group] | None:
    """Both halves in the attribute in which they lose least against the whole; None if all records are alike."""
    found = []
    for index, column in enumerate(columns):
        in_order = sorted(part, key=lambda r, column=column: rank(column, r))
        low, high = in_order[: len(part) // 2], in_order[len(part) // 2 :]
        whole = width(column, part)
        if len({column[0][r] for r in part}) > 1:
            found.append((2 * whole - width(column, low) - width(column, high), whole, -index, low, high))
    if not found:
        return None
    *_, low, high = max(found)
    return [r for r in part if r in set(low)], [r for r in part if r in set(high)]


def parts(columns: Sequence[Column], sensitive: Sequence[Sequence[int]], part: Group, ask: Ask) -> list[Group]:
    cut = halves(columns, part) if len(part) % 2 == 0 and len(part) >= 2 * ask[0] else None
    if cut is None or not all(keeps(side, sensitive, ask) for side in cut):
        return [part]
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
        groups += parts(columns, sensitive, main, ask)
        records = rest
    return merge_equal(columns, groups + parts(columns, sensitive, records, ask))
