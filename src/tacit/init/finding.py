"""What is found out about a column: a role, a reason, and what it is about."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from tacit.init import meanings, shapes
from tacit.init.evidence import Evidence
from tacit.init.vocabulary import common_words, words_of

NAMES_SOMEBODY = "names somebody"
"""The topic of what must not even become an item."""
NUMBER = "number"
"""The topic of what somebody, or something, is known by."""
TEXT = "text"
ASK = "what is it? "
"""Begins the reason of a column that could not be told."""
MOST = 0.8
PUBLISHED = ("quasi", "sensitive")
"""Roles of columns that stand in the release, and that therefore need a warrant."""


class Finding(NamedTuple):
    """A role, why, and what the column is about."""

    role: str
    why: str
    topic: str = ""


Rule = Callable[[Evidence], Finding | None]

BY_TOPIC = {
    "birthplace": ("quasi", "a place of birth may be known"),
    "birth": ("quasi", "a date of birth may be known"),
    "age": ("quasi", "an age may be known"),
    "sex": ("quasi", "a sex may be known"),
    "postcode": ("quasi", "where somebody lives may be known"),
    "body": ("quasi", "what somebody looks like may be known"),
    "health": ("sensitive", "health is not to be learnt of a person"),
    "medicine": ("sensitive", "what somebody takes is not to be learnt"),
    "belief": ("sensitive", "what somebody believes is not to be learnt"),
    "crime": ("sensitive", "what somebody did is not to be learnt"),
    "money": ("sensitive", "somebody's money is not to be learnt"),
    "measure": ("sensitive", "what was measured is not to be learnt of a person"),
    "family": ("quasi", "family may be known"),
    "origin": ("quasi", "origin may be known"),
    "result": ("sensitive", "a result is not to be learnt of a person"),
    "education": ("quasi", "education may be known"),
    "job": ("quasi", "work may be known"),
    "place": ("quasi", "where somebody lives or is may be known"),
    "conduct": ("sensitive", "what somebody did, got or needs is not to be learnt"),
    "count": ("quasi", "a count or a duration may be known"),
    "date": ("quasi", "a date may be known"),
    "year": ("quasi", "a year may be known"),
    "item": ("sensitive", "what somebody bought or used is not to be learnt"),
    "thing": ("quasi", "what kind of thing it is may be known"),
    "category": ("quasi", "a category may be known"),
}
"""Role and reason by what a header speaks of; the first of several topics decides.

What others can see or know of a person is quasi: who they are, where, when, what they look like, family and work. What
became of them, what they did, think, own or were tested for is sensitive.
"""
SENSITIVE = frozenset(topic for topic, (role, _) in BY_TOPIC.items() if role == "sensitive")


def hidden(why: str) -> Finding:
    """What names somebody."""
    return Finding("identifier", why, NAMES_SOMEBODY)


def is_flag(column: Evidence) -> bool:
    """Yes or no: no name, whatever the header."""
    if column.distinct > 2 or column.magnitudes is not None:
        return column.distinct <= 2
    return column.share(lambda text: shapes.is_label(text) or common_words().issuperset(words_of(text))) == 1


def is_yes_or_no(column: Evidence) -> bool:
    """An answer of yes or no, perhaps with "unknown" beside it."""
    if column.distinct == 1 and column.filled < column.rows:  # a mark, or nothing
        return meanings.is_yes(column.sample[0])
    return 1 <= column.distinct <= 4 and meanings.are_yes_or_no(column.sample)


def is_code_list(column: Evidence) -> bool:
    """Few values, each of many rows."""
    return (column.is_few and column.shared_by >= 5) or (column.distinct <= 50 and column.shared_by >= 10)
