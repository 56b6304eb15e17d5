"""Words of headers that no list has: by the head of a compound, or by what an abbreviation stands for.

Germanic languages put words together, and the last one says what it is: a `förvärvsinkomst` is an income. Exports cut
words short: `konfess`. What several words could stand for is not told.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

_SHORTEST_HEAD = 5
_SHORTEST_BEFORE = 3
_SHORTEST_BEGIN = 5
_CUT_OFF = 2
"""A letter more is another form of a word, or a word of another language."""


def head_of(word: str, known: Collection[str]) -> str | None:
    """The longest known word with which a compound ends.

    >>> [head_of(word, {"inkomst", "komst"}) for word in ("forvarvsinkomst", "inkomst", "eninkomst")]
    ['inkomst', None, 'komst']
    """
    ends = (word[at:] for at in range(_SHORTEST_BEFORE, len(word) - _SHORTEST_HEAD + 1))
    return next((end for end in ends if end in known), None)


def meant_by(short: str, known: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """What all known words speak of that begin so, if it is the same.

    >>> known = {"konfession": frozenset(["belief"]), "konferenz": frozenset(["place"])}
    >>> [sorted(meant_by(short, known)) for short in ("konfess", "konfe", "konf")]
    [['belief'], [], []]
    """
    if len(short) < _SHORTEST_BEGIN:
        return frozenset()
    long = {word: topics for word, topics in known.items() if len(word) >= len(short) + _CUT_OFF}
    meant = {topics for word, topics in long.items() if word.startswith(short)}
    return meant.pop() if len(meant) == 1 else frozenset()
