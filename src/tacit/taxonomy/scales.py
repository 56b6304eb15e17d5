"""Hierarchies over scales, where a value says by itself what it belongs to: numbers and dates."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from decimal import Context, Decimal

from tacit.errors import InputError
from tacit.taxonomy.nodes import ROOT, free_name
from tacit.taxonomy.tree import Taxonomy
from tacit.values.writing import range_text

NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,2})?", re.ASCII)
ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
VALUES_IN_AN_INTERVAL = 4
MOST_CHILDREN_OF_ROOT = 5
MOST_DIGITS = 100
EXACT = Context(prec=3 * MOST_DIGITS)


def intervals(
    values: Iterable[str],
    width: float | Decimal | str | None = None,
    fanout: int | None = None,
    levels: int | None = None,
) -> Taxonomy:
    """Ranges of numbers, each level wider than the one below: `17` in `[15:19]` in `[10:19]` in `[0:49]`.

    `width` is that of the narrowest ranges; left out, it is a round number (1, 2 or 5 times a power of ten)
    for which a range holds about four of the values. Each level is `fanout` times as wide as the one below;
    left out, widths stay round (5, 10, 50, 100, ...). Levels are added until the root has few children, or
    until there are `levels`. Both ends belong to a range, as everywhere in tacit; values with decimals give
    ends with as many. A range that would have a single child is left out.

    >>> intervals(["17", "18", "22", "25", "31"], width=5).names
    ('*', '[15:19]', '17', '18', '22', '25', '31')
    """
    different = list(dict.fromkeys(values))
    _check(different, _is_number, "number", "Ranges are for numbers: use another kind of hierarchy, or clean the data.")
    number_of = {value: Decimal(value.strip()) for value in different}
    if fanout is not None and fanout < 2:
        raise InputError(f"a fan-out of {fanout} makes no ranges wider", hint="Use a fan-out of 2 or more.")
    given_width = None if width is None else Decimal(str(width)) if _is_number(str(width)) else Decimal(-1)
    if given_width is not None and given_width <= 0:
        raise InputError(f"ranges cannot have width {width}", hint="Give a width above 0.")

    decimals = max((_decimals(n) for n in [*number_of.values(), given_width] if n is not None), default=0)
    steps_of = {value: int(number.scaleb(decimals, EXACT)) for value, number in number_of.items()}
    ordered = sorted(steps_of, key=lambda value: (steps_of[value], value))
    distinct = sorted(set(steps_of.values()))
    if given_width is not None:
        narrowest = int(given_width.scaleb(decimals, EXACT))
    else:
        span = distinct[-1] - distinct[0] + 1 if distinct else 1
        narrowest = _round_number(-(-VALUES_IN_AN_INTERVAL * span // max(len(distinct), 1)))

    widths = _widths(narrowest, distinct, fanout, levels)
    name = {
        (each, place): _range_name(place * each, each, decimals)
        for each in widths
        for place in {steps // each for steps in distinct}
    }
    ladders = [[name[each, steps_of[value] // each] for each in widths] for value in ordered]
    return nested_groups(ordered, ladders)


def dates(values: Iterable[str]) -> Taxonomy:
    """ISO dates in months `2024-03`, quarters `2024-Q1`, years and decades `2020s`.

    A period that would have a single child is left out.

    >>> dates(["2024-03-05", "2024-03-09", "2024-07-01"]).names
    ('*', '2024-03', '2024-03-05', '2024-03-09', '2024-07-01')
    """
    ordered = sorted(dict.fromkeys(values))
    _check(ordered, is_date, "date", "Write every date as year-month-day: 2024-03-05.")
    ladders = [
        [value[:7], f"{value[:4]}-Q{(int(value[5:7]) + 2) // 3}", value[:4], f"{value[:3]}0s"] for value in ordered
    ]
    return nested_groups(ordered, ladders)


def is_date(text: str) -> bool:
    """Whether the text is a day written as in ISO 8601, `2024-03-05`."""
    if not ISO_DATE.fullmatch(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def nested_groups(labels: Sequence[str], ladders: Sequence[Sequence[str]]) -> Taxonomy:
    """The tree in which each label lies in the groups of its ladder, narrowest first, without only children.

    Groups are nested, so that two of one ladder with equally many labels are the same set: the narrower one
    is kept.
    """
    size = Counter(group for ladder in ladders for group in ladder)
    taken = set(labels)
    name = {ROOT: free_name(ROOT, taken)} | {group: free_name(group, taken) for group in size}
    paths = []
    for label, ladder in zip(labels, ladders, strict=True):
        path, size_below = [label], 1
        for group in ladder:
            if size_below < size[group] < len(labels):
                path.append(name[group])
                size_below = size[group]
        paths.append([*path, name[ROOT]])
    return Taxonomy.from_paths(paths) if paths else Taxonomy.flat([])


def _check(values: Sequence[str], fits: Callable[[str], bool], what: str, hint: str) -> None:
    """Refuses values that are not what they should be. They may be personal, so they are counted, not shown."""
    wrong = sum(not fits(value) for value in values)
    if wrong:
        are = "is" if wrong == 1 else "are"
        raise InputError(f"{wrong:,} of {len(values):,} different values {are} no {what}", hint=hint)


def _is_number(text: str) -> bool:
    return len(text) <= MOST_DIGITS and NUMBER.fullmatch(text.strip()) is not None


def _decimals(number: Decimal) -> int:
    exponent = number.normalize(EXACT).as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _round_number(at_least: int) -> int:
    """The least of 1, 2, 5, 10, 20, 50, ... that is not smaller."""
    power = 10 ** (len(str(at_least)) - 1)
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= at_least)


def _widths(narrowest: int, distinct: Sequence[int], fanout: int | None, levels: int | None) -> list[int]:
    widths = [narrowest]
    while len(widths) != levels:
        if levels is None and len({n // widths[-1] for n in distinct}) <= (fanout or MOST_CHILDREN_OF_ROOT):
            break
        widths.append(widths[-1] * (fanout or _round_step(widths[-1])))
    return widths


def _round_step(width: int) -> int:
    """By how much to widen so that widths stay round: 1, 5, 10, 50, ... or 2, 10, 50, 100, ..."""
    return 5 if str(width).rstrip("0") in ("1", "2") else 2


def _range_name(low: int, width: int, decimals: int) -> str:
    ends = (Decimal(end).scaleb(-decimals, EXACT) for end in (low, low + width - 1))
    return range_text(*(f"{end:.{decimals}f}" for end in ends))
