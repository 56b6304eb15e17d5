"""Hierarchies for users who have none: over sorted labels, by frequency, by code prefix, or what fits."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import accumulate, pairwise
from typing import Any

from tacit.errors import InputError
from tacit.taxonomy.nodes import ROOT, first_few, free_name
from tacit.taxonomy.scales import dates, intervals, is_date, nested_groups
from tacit.taxonomy.tree import Taxonomy

DEFAULT_FANOUT = 4
PLAIN_NUMBER = re.compile(r"[+-]?(?:0|[1-9]\d*)(?:\.\d+)?", re.ASCII)
_NUMBERED = re.compile(r"group-[\d.~]+", re.ASCII)
CODE = re.compile(r"(?=.*\d)[A-Za-z0-9][A-Za-z0-9./_-]*", re.ASCII)


def build(labels: Iterable[str], kind: str = "auto", **options: Any) -> Taxonomy:
    """Make a hierarchy over the labels, by one of `KINDS` with that builder's options.

    `auto` picks the kind with `pick_kind`.

    >>> build(["401", "250", "251", "V22", "V25"]).names
    ('*', '25*', '250', '251', '401', 'V2*', 'V22', 'V25')
    """
    distinct = list(dict.fromkeys(labels)) if "counts" not in options else list(labels)
    if kind == "auto":
        kind = pick_kind(distinct)
    if kind not in KINDS:
        raise InputError(f"{kind!r} is no kind of hierarchy", hint=f"Use one of: auto, {', '.join(KINDS)}.")
    builder, takes = KINDS[kind]
    unknown = [option for option in options if option not in takes]
    if unknown:
        raise InputError(
            f"a hierarchy of kind {kind!r} takes no {first_few(unknown)}",
            hint=f"Its options are: {', '.join(takes) or 'none'}. Name another kind: {', '.join(KINDS)}.",
        )
    if "counts" in takes and "counts" not in options:
        raise InputError(f"a hierarchy of kind {kind!r} needs counts", hint="Give how often each label occurs.")
    return builder(distinct, **options)


def pick_kind(labels: Sequence[str]) -> str:
    """The kind of hierarchy that suits labels of which nothing is known.

    - `dates` if every label is an ISO date;
    - `prefix` if the labels look like codes (ICD): each holds a digit and neither blanks nor odd signs,
      lengths differ by at most 3, two characters at the start are shared by two labels on average, and not
      all are plain numbers, since numbers without leading zeros are more often mere ids;
    - `balanced` otherwise. `intervals` is never picked: a number may be an id, whose size means nothing.
    """
    if not labels:
        return "balanced"
    if all(map(is_date, labels)):
        return "dates"
    lengths = [len(label) for label in labels]
    looks_like_codes = (
        all(map(CODE.fullmatch, labels))
        and not all(map(PLAIN_NUMBER.fullmatch, labels))
        and max(lengths) - min(lengths) <= 3
        and 2 * len({label[:2] for label in labels}) <= len(labels) + 1
    )
    return "prefix" if looks_like_codes else "balanced"


def balanced(labels: Iterable[str], fanout: int = DEFAULT_FANOUT) -> Taxonomy:
    """Neighbours in sorted order grouped as evenly as can be, no node with more than `fanout` children.

    Labels are sorted as numbers if all of them are numbers, otherwise as text. Groups are numbered, not
    named after their leaves: a rare label must not be published in the name of its group.

    >>> balanced(["9", "10", "11", "12", "13"]).names
    ('*', 'group-1', '9', '10', 'group-2', '11', '12', '13')
    """
    _check_fanout(fanout)
    ordered = _sorted_labels(labels)

    def cut(low: int, high: int) -> list[int]:
        size, below = high - low, 1
        while below * fanout < size:
            below *= fanout
        return _even_bounds(low, high, parts=-(-size // below))

    return _divide(ordered, cut)


def by_frequency(labels: Iterable[str], counts: Iterable[int], fanout: int = DEFAULT_FANOUT) -> Taxonomy:
    """Items of like frequency together, and groups of one parent about equally frequent.

    Labels are sorted from the most to the least frequent; then every node is cut into `fanout` runs of
    neighbours with total counts as equal as can be (a Shannon-Fano tree). Frequent items end up near the root
    in small groups, which they seldom need; rare ones deep in big groups, where one step up gives them
    company of their own kind instead of blurring a frequent item.
    """
    _check_fanout(fanout)
    count_of: dict[str, int] = {}
    for label, count in zip(labels, counts, strict=True):
        count_of[label] = count_of.get(label, 0) + int(count)
    ordered = sorted(_sorted_labels(count_of), key=lambda label: -count_of[label])
    # An item that never occurs weighs as one that does once, so that cuts stay even where nothing occurs.
    total_before = [0, *accumulate(max(count_of[label], 1) for label in ordered)]

    def cut(low: int, high: int) -> list[int]:
        parts = min(fanout, high - low)
        bounds = [low]
        for part in range(1, parts):
            left = total_before[high] - total_before[bounds[-1]]
            target = total_before[bounds[-1]] + left // (parts - part + 1)
            after = bisect_left(total_before, target, low, high)
            nearer = after - 1 if target - total_before[after - 1] < total_before[after] - target else after
            bounds.append(min(max(nearer, bounds[-1] + 1), high - (parts - part)))
        return [*bounds, high] if parts else bounds

    return _divide(ordered, cut)


def by_prefix(labels: Iterable[str], lengths: Sequence[int] | None = None) -> Taxonomy:
    """Codes grouped by what they start with: `250` and `251` under `25*`.

    `lengths` are the prefix lengths that make a level; left out, every length that tells some labels apart
    does. Groups that would have a single child are left out. A label that other labels start with is a leaf
    in the group of that prefix.

    >>> by_prefix(["250", "2501", "2502", "311"]).names
    ('*', '250*', '250', '2501', '2502', '311')
    """
    ordered = sorted(dict.fromkeys(labels))
    if lengths is None:
        lengths = range(1, 1 + max(map(len, ordered), default=0))
    elif any(length < 1 for length in lengths):
        raise InputError(f"prefix lengths are {list(lengths)}", hint="Give lengths of 1 or more, such as 1, 3.")
    longest_first = sorted(set(lengths), reverse=True)
    ladders = [[f"{label[:n]}*" for n in longest_first if n <= len(label)] for label in ordered]
    return nested_groups(ordered, ladders)


KINDS: Mapping[str, tuple[Callable[..., Taxonomy], tuple[str, ...]]] = {
    "balanced": (balanced, ("fanout",)),
    "frequency": (by_frequency, ("counts", "fanout")),
    "prefix": (by_prefix, ("lengths",)),
    "intervals": (intervals, ("width", "fanout", "levels")),
    "dates": (dates, ()),
}
"""Each kind of hierarchy `build` can make: the builder, and the options it takes."""


def tells_nothing(tree: Taxonomy) -> bool:
    """Whether no group of a hierarchy has a name that says what is in it: they are numbered, or there are none.

    >>> tells_nothing(balanced(map(str, range(20)))), tells_nothing(by_prefix(["250", "251", "311"]))
    (True, False)
    """
    inner = (tree.names[node] for node in range(1, len(tree)) if not tree.is_leaf[node])
    return all(map(_NUMBERED.fullmatch, inner))


def _divide(ordered: Sequence[str], cut: Callable[[int, int], list[int]]) -> Taxonomy:
    """The tree in which each run of labels `low..high` splits at the bounds that `cut(low, high)` gives."""
    taken = set(ordered)
    names, parents = [free_name(ROOT, taken)], [-1]
    taken.update(names)
    to_split = [(0, "group-", 0, len(ordered))]
    while to_split:
        parent, prefix, low, high = to_split.pop()
        for number, (first, after) in enumerate(pairwise(cut(low, high)), start=1):
            name = ordered[first]
            if after - first > 1:  # no label in the name: it would be published, and its label may be rare
                name = free_name(f"{prefix}{number}", taken)
                taken.add(name)
                to_split.append((len(names), f"{name}.", first, after))
            names.append(name)
            parents.append(parent)
    return Taxonomy.from_parents(names, parents)


def _even_bounds(low: int, high: int, parts: int) -> list[int]:
    return [low + (high - low) * part // parts for part in range(parts + 1)] if parts else [low]


def _sorted_labels(labels: Iterable[str]) -> list[str]:
    distinct = list(dict.fromkeys(labels))
    if all(map(PLAIN_NUMBER.fullmatch, distinct)):
        return sorted(distinct, key=lambda label: (Decimal(label), label))
    return sorted(distinct)


def _check_fanout(fanout: int) -> None:
    if fanout < 2:
        raise InputError(f"a fan-out of {fanout} makes no tree", hint="Use a fan-out of 2 or more.")
