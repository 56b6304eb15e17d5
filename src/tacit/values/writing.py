"""How values are published; the grammar is in `tacit.values`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from tacit.errors import InputError

SUPPRESSED = "*"

JOINERS = (",", ";", "|", "+", "&", "/", "~", "^")
"""What may stand between the items of a set: the first of these that leaves nothing in doubt."""

_NEEDS_QUOTES = re.compile(r'[,()"\r\n]|^\s|\s$')


def range_text(low: str, high: str) -> str:
    """All numbers or dates from one to another, both of which are part of it; an end that is not told is empty.

    >>> range_text("19", "22"), range_text("", "22"), range_text("19", "")
    ('[19:22]', '[≤22]', '[≥19]')
    """
    if not low:
        return f"[≤{high}]"
    return f"[{low}:{high}]" if high else f"[≥{low}]"


def range_texts(low: pa.Array, high: pa.Array) -> pa.Array:
    """The same of many ranges.

    >>> range_texts(pa.array(["19", "", "19"]), pa.array(["22", "22", ""])).to_pylist()
    ['[19:22]', '[≤22]', '[≥19]']
    """

    def joined(*parts: pa.Array | str) -> pa.Array:
        texts = (pa.scalar(part, low.type) if isinstance(part, str) else part for part in (*parts, ""))
        return pc.binary_join_element_wise(*texts)

    told = pc.if_else(pc.equal(high, ""), joined("[≥", low, "]"), joined("[", low, ":", high, "]"))
    return pc.if_else(pc.equal(low, ""), joined("[≤", high, "]"), told)


def set_text(labels: Iterable[str]) -> str:
    """A set of values as it is published, in the order of their texts.

    A label that would be misread stands in quotes, as in CSV. An empty label is a missing value.

    >>> set_text(["D", "B", "a,b"])
    '(B,D,"a,b")'
    """
    return f"({','.join(_quoted(label) for label in sorted(labels))})"


def item_set_names(
    sets: Sequence[Sequence[str]], labels: Collection[str], separator: str, taken: Collection[str] = ()
) -> list[str]:
    """The names of sets of two or more of the labels (or nodes), joined by a character that none of them holds.

    A name is none of those taken, and does not hold the separator, unless labels hold it themselves (they then stand
    in lists, which need none).

    >>> item_set_names([["B", "D"]], ["A", "B", "D"], " ")
    ['(B,D)']
    >>> item_set_names([["B", "D"]], ["A", "B", "D"], ",")
    ['(B;D)']
    """
    in_lists = any(separator in label for label in labels)
    for joiner in JOINERS:
        if any(joiner in label for label in labels):
            continue
        names = [f"({joiner.join(items)})" for items in sets]
        if not set(names) & set(taken) and (in_lists or not any(separator in name for name in names)):
            return names
    raise InputError(
        f"sets of items cannot be written: every one of {' '.join(JOINERS)} is in the name of an item",
        hint="Rename the items, or use a method that publishes nodes of a hierarchy.",
    )


def node_names(
    names: Sequence[str], is_leaf: Sequence[bool], separator: str, *, blanks: bool = True
) -> tuple[str, ...]:
    """The names of a hierarchy's nodes as a basket can hold them: in those of groups `_` stands for the separator.

    Without `blanks` (always if the separator is one) no white space of any kind is left in them.

    >>> node_names(("all of it", "dairy produce", "milk"), (False, False, True), " ")
    ('all_of_it', 'dairy_produce', 'milk')
    """
    pattern = re.escape(separator) if blanks and not separator.isspace() else rf"(?:\s|{re.escape(separator)})+"
    if not re.search(pattern, "_".join(names)):
        return tuple(names)
    written, taken = list(names), set(names)
    for node, name in enumerate(names):
        if not is_leaf[node] and (changed := re.sub(pattern, "_", name)) != name:
            written[node] = free_name(changed, taken)
            taken.add(written[node])
    return tuple(written)


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, or if it is taken the first free one of `name~2`, `name~3`, ..."""
    candidate, number = name, 1
    while candidate in taken:
        number += 1
        candidate = f"{name}~{number}"
    return candidate


def _quoted(label: str) -> str:
    return '"' + label.replace('"', '""') + '"' if _NEEDS_QUOTES.search(label) else label
