"""What words and phrases speak of: single words are looked up, phrases and stems are patterns.

A star stands for letters of a word: `*nummer`, `vorname*`. Of what fits at one place, the longest phrase counts, and a
phrase is more than the words in it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

_OF_WHOM = frozenset(
    ["id", "number", "person", "somebody", "name", "household", "online", "email", "phone", "named_thing"]
)
"""What is said beside what is told: `customer id` is still a customer's."""
_WORD = re.compile(r"\w+")


class Said(NamedTuple):
    """Where a text speaks of a topic."""

    topic: str
    start: int
    end: int

    def is_within(self, other: Said) -> bool:
        """Whether the words stand in longer ones that speak of something else."""
        is_part = other.start <= self.start and self.end <= other.end and other[1:] != self[1:]
        return other.topic != self.topic and is_part


class Lexicon(NamedTuple):
    """Topics of single words, and a pattern for all else that speaks of a topic."""

    words: Mapping[str, tuple[str, ...]]
    patterns: Mapping[str, re.Pattern[str]]

    def spoken_of(self, texts: Iterable[str]) -> set[str]:
        """What texts speak of.

        >>> lexicon = lexicon_of({"health": ["medical"], "job": ["medical specialty", "*beruf"]})
        >>> [sorted(lexicon.spoken_of([text])) for text in ("medical specialty", "medical", "lehrberuf", "berufe")]
        [['job'], ['health'], ['job'], []]
        """
        found: set[str] = set()
        for text in frozenset(texts):
            said = list(self._said(text))
            phrases = [each for each in said if " " in text[each.start : each.end] and each.topic not in _OF_WHOM]
            found |= {each.topic for each in said if not any(map(each.is_within, phrases))}
        return found

    def told_in(self, texts: Iterable[str]) -> set[str]:
        """The same, with what the words of phrases speak of alone."""
        return {each.topic for text in frozenset(texts) for each in self._said(text)}

    def _said(self, text: str) -> Iterator[Said]:
        for word in _WORD.finditer(text):
            for topic in self.words.get(word[0], ()):
                yield Said(topic, *word.span())
            for topic, pattern in self.patterns.items():
                if (found := pattern.match(text, word.start())) is not None:
                    yield Said(topic, *found.span())


def lexicon_of(phrases: Mapping[str, Iterable[str]]) -> Lexicon:
    """Phrases by topic, ready to be found in texts."""
    words, patterns = defaultdict[str, list[str]](list), {}
    for topic, said in phrases.items():
        different = {phrase.replace("_", " ").strip() for phrase in said}
        single = {phrase for phrase in different if _WORD.fullmatch(phrase)}
        for word in sorted(single):
            words[word].append(topic)
        if others := sorted(sorted(different - single), key=len, reverse=True):
            parts = (re.escape(phrase).replace(r"\*", r"\w*") for phrase in others)
            patterns[topic] = re.compile(rf"(?:{'|'.join(parts)})\b")
    return Lexicon({word: tuple(topics) for word, topics in words.items()}, patterns)
