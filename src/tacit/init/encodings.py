"""In which encoding a text is that is not UTF-8: that of a region in which its words are known."""

from __future__ import annotations

import codecs
import re

from tacit.init.vocabulary import common_words, names_of_people, plain, towns

_REGIONS = ("cp1252", "cp1250", "cp1254", "cp1257")
"""Of the west, of the middle of Europe, of Turkey, of the Baltic states; the first of equals counts."""
_CYRILLIC = "cp1251"
_LOOKED_AT = 2_000_000
_MORE = 1.2
_BETWEEN = re.compile(r"[\s\d_,;:|\"'()/<>=.-]+")
_LONGEST = 40
"""Longer ones are no words."""
_MOSTLY = 0.6


def encoding_of(content: bytes) -> str:
    """The likeliest encoding.

    >>> texts = {"cp1252": "Müller, Straße, année", "cp1250": "Łódź, Kraków, żółty, część", "cp1251": "Москва, Казань"}
    >>> [encoding_of(text.encode(name)) for name, text in texts.items()]
    ['cp1252', 'cp1250', 'cp1251']
    """
    if content[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return "utf-16"
    known = {name: _known_words(content, name) for name in _REGIONS if _can_be_read(content, name)}
    if not known:
        return "latin1"
    if _is_cyrillic(content):
        return _CYRILLIC
    first = next(iter(known))
    best = max(known, key=lambda name: known[name])
    return best if known[best] > _MORE * known[first] + 1 else first


def _can_be_read(content: bytes, encoding: str) -> bool:
    try:
        content.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _words(content: bytes, encoding: str) -> set[str]:
    """The different words with a letter beyond ASCII; signs within them stay."""
    words = {*_BETWEEN.split(content[:_LOOKED_AT].decode(encoding, "replace"))}
    return {word for word in words if len(word) <= _LONGEST and not word.isascii()}


def _known_words(content: bytes, encoding: str) -> int:
    known = (common_words(), names_of_people(), towns())
    return sum(word.isalpha() and any(plain(word) in each for each in known) for word in _words(content, encoding))


def _is_cyrillic(content: bytes) -> bool:
    """Whether words have hardly a letter of ASCII: in no language of the west are they so."""
    words = [word for word in _words(content, _CYRILLIC) if len(word) > 2]
    foreign = [word for word in words if word.isalpha() and sum("а" <= sign.lower() <= "я" for sign in word) > 2]
    return len(foreign) >= 2 and len(foreign) > _MOSTLY * len(words)
