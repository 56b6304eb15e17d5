"""What no warrant outweighs: values that hold somebody's name, or that were drawn or given out one by one."""

from __future__ import annotations

import re

from tacit.init import shapes
from tacit.init.evidence import Evidence
from tacit.init.explaining import SINGLE, TOLD_IN_CLASSES, holds_a_name, is_known_or_ordinary, is_known_word
from tacit.init.finding import MOST
from tacit.init.towns import is_town
from tacit.init.vocabulary import common_words, names_of_people, plain


def speaks_against(column: Evidence) -> bool:
    """What no warrant outweighs: values that hold somebody's name, alone or behind a word or a title."""
    if column.magnitudes is not None:
        return False
    if are_random_codes(column) or are_words_with_numbers(column):
        return True
    if not column.vouching and not column.is_question and _are_firms_or_sentences(column):
        return True
    if column.vouching & _CALLED_LIKE_PEOPLE and _are_called_so(column):
        return True
    if column.share(shapes.is_titled) >= 0.1 or (column.vouching & {"place", "birthplace"} and begin_small(column)):
        return True
    if column.vouching & {"place", "birthplace", "thing", "medicine"}:
        return False
    if column.share(shapes.names_after_a_word) >= 0.1:
        return True
    if column.vouching & (TOLD_IN_CLASSES - _OF_SOMEBODY):
        return False
    names = column.share(shapes.is_also_a_name)
    are_names = names >= 0.5 if column.distinct >= _SEVERAL else names >= 0.75 and column.distinct >= _SOME_NAMES
    are_places = column.share(lambda text: shapes.is_place(text) or is_town(text)) >= 0.6
    few = _FEW_OF_A_LIST if column.is_offered and column.share(str.isupper) == 1 else 0.0
    return are_names or (not are_places and column.share(holds_a_name) > few)


def _are_firms_or_sentences(column: Evidence) -> bool:
    """Firms, which may be called like their owners, or sentences with a stop: of nobody knows what."""
    return column.share(shapes.is_firm) > _HALF or column.share(shapes.ends_like_a_sentence) >= _HALF


_HALF = 0.5


def _are_called_so(column: Evidence) -> bool:
    """Whether most single words under a header of places or things are names of people, and unknown as anything else:
    a third of towns are called like somebody, too."""
    if column.word_count >= SINGLE or column.distinct < _SOME_NAMES:
        return False
    names = column.share(lambda text: plain(text) in names_of_people() and not is_known_word(text))
    return names >= _MOST_NAMES


_FEW_OF_A_LIST = 0.1
"""Of a list to choose from, words in capitals are called like somebody now and then: `GRAND LARCENY`."""
_MOST_NAMES = 0.6
_CALLED_LIKE_PEOPLE = frozenset(["place", "birthplace", "thing", "education"])
_OF_SOMEBODY = {"belief", "health", "crime", "origin"}
"""Headers that name such a property may also say whose it is: a doctor's, a board's, a lawyer's; or who sent it."""
_SEVERAL = 5
"""Fewer words of which half are names, too, are colours or seasons."""
_SOME_NAMES = 3


def are_random_codes(column: Evidence) -> bool:
    """Codes of one length with letters and digits, which stand as chance had it: those of a list are made alike,
    as those of postcodes, of illnesses and of medicines are.

    A letter or a digit at each place makes as many patterns; a list has a few of them.
    """
    low, high = column.digits
    if low != high or low < _SHORTEST_RANDOM or column.distinct < _SOME_NAMES or column.share(_is_mixed) < MOST:
        return False
    patterns = {_pattern(text) for text in column.sample}
    return len(patterns) >= min(_MANY_PATTERNS, 0.6 * len(column.sample)) and len(patterns) > 2


_SHORTEST_RANDOM = 4
_MANY_PATTERNS = 10


def _is_mixed(text: str) -> bool:
    return text.isalnum() and text.isascii()


def _pattern(text: str) -> str:
    return "".join("9" if sign.isdigit() else "a" for sign in text)


def are_words_with_numbers(column: Evidence) -> bool:
    """Words that nobody knows with a number behind them, as logins and addresses are: `bhavna36`, `j.quist.1975`,
    `Eichelkraut 7`. Things have their numbers apart."""
    form = _NUMBERED if column.vouching & _THINGS else _NUMBERED_APART
    stems = [found[1] for text in column.sample if (found := form.fullmatch(text)) is not None]
    words = [part for stem in stems for part in re.findall(r"[^\W\d_]{4,}", plain(stem))]
    unknown = {word for word in words if word not in common_words() and not is_known_or_ordinary(word)}
    return len(stems) >= MOST * len(column.sample) and len(unknown) >= max(2, 0.5 * len({*words}))


_NUMBERED = re.compile(r"([^\W\d_]+(?:[._-][^\W\d_]+)*)[._-]?\d{1,4}")
_NUMBERED_APART = re.compile(r"([^\W\d_]+(?:[. _-]{1,2}[^\W\d_]+)*)[. _-]{0,2}\d{1,4}")
_THINGS = frozenset(["thing", "item", "medicine"])


def begin_small(column: Evidence) -> bool:
    """Whether some values are three words or more that begin small, as people type: no place is written so."""
    return column.share(lambda text: text[:1].islower() and len(_WORDS.findall(text)) >= PHRASE) >= _SOME


PHRASE = 2.5
_SOME = 0.2
_WORDS = re.compile(r"[^\W\d_]{2,}")
