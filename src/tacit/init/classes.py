"""Few values that many rows share, made of words that nobody is called: classes, and answers to choose from."""

from __future__ import annotations

import re

from tacit.init import meanings, shapes
from tacit.init.evidence import Evidence
from tacit.init.explaining import (
    AMONG_LOGINS,
    SINGLE,
    TOLD_IN_CLASSES,
    is_known_or_ordinary,
    is_known_word,
    words_of_all,
)
from tacit.init.finding import MOST, is_code_list
from tacit.init.unfolding import head_of
from tacit.init.vocabulary import common_words, is_doer, ordinary_words, plain, small_words


def common_classes(column: Evidence) -> bool:
    """Few values, each of several rows, of which nearly all are made of words that nobody is called, or that stand in
    small letters behind one with a capital. Remarks are made of them, too: they begin small, and tell of somebody."""
    is_answer = column.is_chosen and column.word_count >= SINGLE and column.begins_small <= 1 - MOST
    are_shared = is_code_list(column) or (column.shared_by >= _OF_MANY_ROWS and column.distinct <= _MANY)
    if not are_shared or (column.share(shapes.tells_of_somebody) and not is_answer):
        return False
    are_two_words = column.distinct == 2 and all(common_words().issuperset(words) for words in column.words)
    if column.topics & OF_PEOPLE and not (is_answer and column.is_question) and not are_two_words:
        return False
    longest = _LABEL if column.vouching & TOLD_IN_CLASSES else SINGLE
    if column.word_count >= longest and column.begins_small > 1 - MOST:
        return False
    return are_nobody(column)


def are_nobody(column: Evidence) -> bool:
    """Whether nearly all values are made of words that nobody is called."""
    everywhere = words_of_all(column)
    told = sum(_is_told(text, words, everywhere) for text, words in zip(column.sample, column.words, strict=True))
    return told >= max(_SOME_CLASSES, (_NEARLY_ALL if column.is_few else _MANY_OF_MANY) * len(column.sample))


_MANY = 200
"""More different values are no classes."""
_LABEL = 2.5
"""Words of a label; remarks have more."""
_NEARLY_ALL = 0.75
_MANY_OF_MANY = 0.6
"""Of more values than a few: one family name in twenty is a word that no list of names has."""


def _is_told(text: str, words: tuple[str, ...], everywhere: frozenset[str]) -> bool:
    """Whether nothing of a value can be a name; one letter with small words, as in `R on L`, is none."""
    large = [word for word in words if len(word) > 1 and not word.isdigit() and word not in small_words()]
    large = [word for word in large if word not in everywhere] or large
    if shapes.is_band(text) or not large:
        return shapes.is_band(text) or not small_words().isdisjoint(words)
    if len(words) == 1 and len(text) < _SHORTEST_CLASS:
        return is_known_word(words[0])
    small = {plain(word) for word in re.findall(r"[^\W\d_]+", text) if word.islower()} if text[0].isupper() else set()
    unknown = [word for word in large if not _is_nobody(word) and not (len(word) == 2 and word in small)]
    return small.issuperset(unknown) and len(unknown) <= _OF_A_PHRASE * len(large)


_OF_A_PHRASE = 1 / 3
"""Unknown words in small letters; of a name behind one other word it would be half."""
_SHORTEST_CLASS = 4
"""Fewer letters alone may be somebody's initials."""


def _is_nobody(word: str) -> bool:
    return (word in common_words() or is_known_word(word)) and word not in AMONG_LOGINS


def small_classes(column: Evidence) -> bool:
    """Few words in small letters, each of many rows, half of them known, and nothing that sounds like somebody: names
    have capitals, and logins have fewer known words among them. What merely ends like a word tells nothing alone, for
    families are called so, too: `manning`, `estrada`, `rosengarten`."""
    if not column.is_few or column.shared_by < _OF_MANY_ROWS or column.word_count >= SINGLE or is_doer(column.about):
        return False
    if column.topics & OF_PEOPLE or column.share(lambda text: text.islower() or shapes.is_band(text)) < 1:
        return False
    if column.share(lambda text: shapes.is_also_a_name(text) or shapes.is_login(text) or shapes.is_letters(text)):
        return False
    said = [text for text in column.sample if plain(text) not in _OF_NOTHING and not meanings.is_no_answer(text)]
    known = sum(is_known_or_ordinary(text) or shapes.is_band(text) for text in said)
    with_endings = sum(is_known_or_ordinary(text) or shapes.is_band(text) or _ends_like_a_word(text) for text in said)
    return known >= _SOME_KNOWN and with_endings >= max(_SOME_CLASSES, 0.5 * column.distinct)


_OF_MANY_ROWS = 10
_SOME_KNOWN, _SOME_CLASSES = 1, 2
OF_PEOPLE = frozenset(["name", "somebody", "person", "email", "phone", "online", "address", "text", "question"])
_OF_NOTHING = AMONG_LOGINS | {"team", "office", "other", "unknown", "none"}


def _ends_like_a_word(text: str) -> bool:
    """A compound with an ordinary word at its end, or what things are like."""
    word = plain(text)
    is_compound = len(word) >= _LONG_COMPOUND and head_of(word, ordinary_words()) is not None
    is_denied = word.startswith(_NOT) and any(word.removeprefix(no) in common_words() for no in _NOT)
    return is_compound or is_denied or meanings.is_like_an_adjective(word)


_NOT = ("no", "non", "un", "not")
_LONG_COMPOUND = 9
