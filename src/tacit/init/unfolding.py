"""Words of headers that no list has: by the head of a compound, or by what an abbreviation stands for.

Germanic languages put words together, and the last one says what it is: a `förvärvsinkomst` is an income. Exports cut
words short: `konfess`. Tables for statistics do both: `nwifeinc`. What several words could stand for is not told.
"""

from __future__ import annotations

from collections import Counter
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
    """What all known words speak of that begin so, if it is the same but for what is said beside it.

    >>> known = {"konfession": frozenset(["belief"]), "konferenz": frozenset(["place"])}
    >>> [sorted(meant_by(short, known)) for short in ("konfess", "konfe", "konf")]
    [['belief'], [], []]
    >>> known = {"municipio": frozenset(["place", "named_thing"]), "municipality": frozenset(["place"])}
    >>> meant_by("munic", known)
    frozenset({'place'})
    """
    if len(short) < _SHORTEST_BEGIN:
        return frozenset()
    long = {word: topics for word, topics in known.items() if len(word) >= len(short) + _CUT_OFF}
    meant = [frozenset(topics) for word, topics in long.items() if word.startswith(short)]
    counts = Counter(topic for topics in meant for topic in topics)
    common = frozenset(topic for topic, count in counts.items() if count >= _NEARLY_ALL * len(meant))
    told = sum(topics - common <= _SAID_BESIDE for topics in meant)
    return common if told >= _NEARLY_ALL * len(meant) else frozenset()


_NEARLY_ALL = 0.8
_SAID_BESIDE = frozenset(["named_thing", "category", "thing"])


def pieces_of(word: str, known: Mapping[str, object], aside: Collection[str]) -> list[str]:
    """The known pieces that a word is made of, if it is made of nothing else but what stands aside: in the fewest ways
    to part it, that with the longest last piece.

    >>> known = {"inc": 1, "educ": 1, "wife": 1}
    >>> [pieces_of(word, known, {"n", "wife", "m", "l"}) for word in ("nwifeinc", "meduc", "ln", "incubus")]
    [['inc'], ['educ'], [], []]
    """
    best: list[list[str] | None] = [[]]
    for end in range(1, len(word) + 1):
        ways = [
            [*before, word[at:end]]
            for at in range(max(0, end - _LONGEST_PIECE), end)
            if (before := best[at]) is not None and (word[at:end] in known or word[at:end] in aside)
        ]
        best.append(min(ways, key=lambda way: (len(way), -len(way[-1])), default=None))
    found = best[-1]
    if found is None or len(found) > _MOST_PIECES or sum(len(piece) < _SHORT_PIECE for piece in found) > 1:
        return []
    if any(len(piece) == 1 for piece in found) and max(map(len, found)) <= _SHORT_PIECE:
        return []
    return [piece for piece in found if piece in known and (piece not in aside or len(found) == 1)]


_LONGEST_PIECE = 14
_MOST_PIECES = 3
_SHORT_PIECE = 3
"""Of two pieces of one or two letters each, anything may be made."""
