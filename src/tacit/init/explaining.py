"""How far words of values are known to be no names: words of categories, places, illnesses, codes of one of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

import numpy as np

from tacit.init import meanings, shapes
from tacit.init.evidence import Evidence
from tacit.init.finding import MOST
from tacit.init.vocabulary import (
    ambiguous_names,
    family_names,
    given_names,
    is_ordinary,
    lists_of_codes,
    names_of_people,
    ordinary_words,
    plain,
    small_words,
)

PROPERTIES = frozenset(
    ["birthplace", "postcode", "place", "origin", "education", "job", "health", "medicine", "belief", "crime", "family",
     "sex", "thing", "item", "conduct"]
)  # fmt: skip
"""Headers that speak of what somebody is, has or did."""
TOLD_IN_REMARKS = frozenset(["conduct", "item"])
TOLD_IN_CLASSES = PROPERTIES - TOLD_IN_REMARKS
"""Of these, what is not told in remarks, too, as reasons are."""


def explained_words(column: Evidence) -> float:
    """The share of words that are known ones, but for small words between them, in the mean of all values."""
    explains, may_be_initials, everywhere = _explaining(column), _may_be_initials(column), words_of_all(column)
    shares = [
        _is_told_code(text, may_be_initials)  # `CA` is a state, and `ca` a small word
        or meanings.is_gene_or_dose(text)
        or shapes.is_band(text)
        or (not (may_be_initials and _are_two_letters(text)) and _explained_share(words, explains, everywhere))
        for text, words in zip(column.sample, column.words, strict=True)
    ]
    told = [share for share, text in zip(shares, column.sample, strict=True) if plain(text) not in AMONG_LOGINS]
    return float(np.mean(shares if all(shares) else told or [0.0])) if shares else 0.0


AMONG_LOGINS = frozenset(["system", "admin", "root", "guest", "test", "user", "web", "batch", "import", "api"])
"""Words that stand among logins, too, and vouch for nothing beside what nobody knows."""


def _is_told_code(text: str, may_be_initials: bool) -> bool:
    return shapes.is_known_code(text) and not (may_be_initials and _are_two_letters(text))


def _are_two_letters(text: str) -> bool:
    return len(text) == 2 and shapes.is_letters(text)


def _may_be_initials(column: Evidence) -> bool:
    """Whether pairs of letters are no countries, no states, no days: some of any are codes of one list or another.
    Under a header that speaks of a thing, such as a payer, they are codes of that."""
    if "thing" in column.vouching:
        return False
    pairs = {plain(text) for text in column.sample if _are_two_letters(text)}
    enough = MOST if len(pairs) > _FEW_PAIRS else 1
    return bool(pairs) and not any(len(pairs & codes) >= enough * len(pairs) for codes in lists_of_codes())


_FEW_PAIRS = 5


def are_all_explained(column: Evidence) -> bool:
    """Few values of many rows each, without an unknown word in any: a list of classes, however long their names."""
    explains = _explaining(column)
    shares = (_explained_share(words, explains) for words in column.words)
    return column.is_few and column.shared_by >= 20 and all(share == 1 for share in shares)


def _explaining(column: Evidence) -> Callable[[str], bool]:
    """What tells that a word is no name. Remarks are made of ordinary words, too, and those with a capital are names of
    families (`Stone`, `Iglesia`): they tell it under a header that names a property, else only long ones do, single in
    small letters, or several together."""
    if column.vouching & TOLD_IN_CLASSES:
        return is_known_or_ordinary
    is_single, is_proper = column.word_count < SINGLE, column.share(shapes.is_proper) >= MOST
    return _is_known_or_long if is_single != is_proper else is_known_word


SINGLE = 1.5
"""Values have one word, mostly."""


def words_of_all(column: Evidence) -> frozenset[str]:
    """Words that nearly all of several values have: in `Praxis Lenz`, `Praxis Otto` they say nothing of the others."""
    values = [frozenset(words) for words in column.words]
    counts = Counter(word for words in values for word in words)
    is_told = len(values) >= _SOME_VALUES and column.word_count >= SINGLE
    return frozenset(word for word, count in counts.items() if is_told and count >= MOST * len(values))


_SOME_VALUES = 3


def _explained_share(
    words: tuple[str, ...], explains: Callable[[str], bool], everywhere: frozenset[str] = frozenset()
) -> float:
    large = [word for word in words if len(word) > 1 and not word.isdigit() and word not in small_words()]
    others = [word for word in large if word not in everywhere] or large
    return sum(map(explains, others)) / max(len(others), 1)


def is_known_word(text: str) -> bool:
    """A word of categories, a place, an illness, a code for one of them, or a thing by its ending."""
    known = shapes.has_label(text) or shapes.is_place(text) or meanings.is_sensitive(text)
    return known or shapes.is_known_code(text) or meanings.is_noun(text) or meanings.is_test_result(text)


def is_known_or_ordinary(text: str) -> bool:
    return is_known_word(text) or is_ordinary(plain(text))


def _is_known_or_long(text: str) -> bool:
    return is_known_word(text) or (len(text) >= _LONG and plain(text) in ordinary_words())


_LONG = 6
"""Ordinary words of fewer letters are often names of families."""


def holds_a_name(text: str) -> bool:
    """Whether a word of a text is somebody's name and nothing else: a frequent one, written like the text or with a
    capital; or any one with a capital behind words without. Saints are places.

    >>> [holds_a_name(text) for text in ("Son Peter", "Fight with Jamal", "olga", "Water leak", "San Luis")]
    [True, True, True, False, False]
    """
    text = _SAINT.sub("", text)
    words = re.findall(r"[^\W\d_]{3,}", text)
    has_small = any(map(str.islower, re.findall(r"[^\W\d_]+", text)))
    behind = {word for word in words if has_small and word.istitle() and not text.startswith(word)}
    in_one_case = text.islower() or text.isupper()
    frequent = {word for word in words if (in_one_case or word[0].isupper()) and _is_frequent_name(plain(word))}
    found = frequent | {word for word in behind if _is_a_name(plain(word))}
    return any(not is_known_or_ordinary(plain(word)) for word in found)


_SAINT = re.compile(r"(?i)\b(?:san|santa|são|saint|sainte|sankt|st\.?)[ -]\w+")


def _is_a_name(word: str) -> bool:
    return word in names_of_people() and word not in ambiguous_names()


def _is_frequent_name(word: str) -> bool:
    return (word in given_names() or word in family_names()) and word not in ambiguous_names()
