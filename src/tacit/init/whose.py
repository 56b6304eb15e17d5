"""What a header tells of somebody, without the words that say of whom."""

from __future__ import annotations

from functools import cache

from tacit.init.vocabulary import small_words, spoken, topics_of, words_for_people


@cache
def told_of_whom(header: str) -> str:
    """A header without words for the person of whom it tells something that is no name, number or address of theirs.

    >>> [told_of_whom(header) for header in ("SUSPECT_HEIGHT", "mother's education", "Customer name", "patient")]
    ['height', 'education', 'Customer name', 'patient']
    """
    words = spoken(header)[0].split()
    rest = [word for word in words if word not in words_for_people() and word not in small_words() and word != "s"]
    told = topics_of(" ".join(rest)) if 0 < len(rest) < len(words) else frozenset()
    return " ".join(rest) if told & _TOLD and not told & _WHO else header


_TOLD = frozenset(
    ["birth", "age", "sex", "origin", "family", "education", "job", "body", "health", "medicine", "money", "belief",
     "crime", "measure", "result"]
)  # fmt: skip
_WHO = frozenset(
    ["name", "somebody", "address", "email", "phone", "online", "coordinate", "number", "id", "text", "question",
     "household", "weight", "person"]
)  # fmt: skip
