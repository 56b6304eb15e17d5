"""What a header tells of somebody, without the words that say of whom."""

from __future__ import annotations

from functools import cache
from itertools import dropwhile

from tacit.init.vocabulary import spoken, topics_of, words_for_people


@cache
def told_of_whom(header: str) -> str:
    """A header without words for the person of whom it tells something that is no name, number or address of theirs:
    they stand in front, for the last word says what it is. A `birth mother` is no birth.

    >>> [told_of_whom(header) for header in ("SUSPECT_HEIGHT", "mother's education", "co-applicant age")]
    ['height', 'education', 'age']
    >>> [told_of_whom(header) for header in ("Customer name", "patient", "health worker", "birth mother")]
    ['Customer name', 'patient', 'health worker', 'birth mother']
    """
    words = spoken(header)[0].split()
    rest = [*dropwhile(_says_of_whom, words)]
    told = topics_of(" ".join(rest)) if 0 < len(rest) < len(words) else frozenset()
    return " ".join(rest) if told & _TOLD and not told & _WHO else header


def _says_of_whom(word: str) -> bool:
    return word in words_for_people() or word in ("s", "co")


_TOLD = frozenset(
    ["birth", "age", "sex", "origin", "family", "education", "job", "body", "health", "medicine", "money", "belief",
     "crime", "measure", "result"]
)  # fmt: skip
_WHO = frozenset(
    ["name", "somebody", "address", "email", "phone", "online", "coordinate", "number", "id", "text", "question",
     "household", "weight", "person"]
)  # fmt: skip
