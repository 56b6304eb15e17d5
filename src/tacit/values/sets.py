"""Sets of items as they are published: `(B,D)` says that the person has B, or D, or both."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from tacit.errors import InputError

_JOINERS = (",", ";", "|", "+", "&", "/", "~", "^")
"""What may stand between the items of a set: the first of these that leaves nothing in doubt."""


def set_names(
    sets: Sequence[Sequence[str]], labels: Collection[str], separator: str, taken: Collection[str] = ()
) -> list[str]:
    """The names of sets of two or more of the labels, joined by a character that no label holds.

    A name is none of those taken, and does not hold the separator, unless labels hold it themselves (they then stand
    in lists, which need none).

    >>> set_names([["B", "D"]], ["A", "B", "D"], " ")
    ['(B,D)']
    >>> set_names([["B", "D"]], ["A", "B", "D"], ",")
    ['(B;D)']
    """
    in_lists = any(separator in label for label in labels)
    for joiner in _JOINERS:
        if any(joiner in label for label in labels):
            continue
        names = [f"({joiner.join(items)})" for items in sets]
        if not set(names) & set(taken) and (in_lists or not any(separator in name for name in names)):
            return names
    raise InputError(
        f"sets of items cannot be written: every one of {' '.join(_JOINERS)} is in the name of an item",
        hint="Rename the items, or use a method that publishes nodes of a hierarchy.",
    )


def members(name: str, labels: Collection[str]) -> tuple[str, ...]:
    """The items that a published set holds; none if it is no set of these labels.

    >>> members("(B;D)", {"B", "D"})
    ('B', 'D')
    """
    return next((items for items in _readings(name) if all(item in labels for item in items)), ())


def _readings(name: str) -> Iterator[tuple[str, ...]]:
    if name.startswith("(") and name.endswith(")"):
        for joiner in _JOINERS:
            items = tuple(name[1:-1].split(joiner))
            if len(items) > 1 and len(set(items)) == len(items):
                yield items
