"""Values that differ in spelling alone, which are one value to whoever reads them."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Sequence

import numpy as np

NOBODY_SEES = "Cf"
"""The kind of characters without any width: joiners, marks of direction and of byte order, soft hyphens."""


def plain(text: str) -> str:
    """A text in the form that all its spellings have in common.

    >>> plain(" Flu\\u200d") == plain("ｆｌｕ") == "flu"
    True
    """
    shown = [character for character in unicodedata.normalize("NFKC", text)
             if unicodedata.category(character) != NOBODY_SEES]  # fmt: skip
    return unicodedata.normalize("NFKC", "".join(shown).strip().casefold())


def meanings(texts: Sequence[str], missing: int) -> np.ndarray:
    """The code of each text by its meaning, from 0 on; a missing value is one with blanks."""
    code_of: dict[str, int] = {}
    forms = [plain(text) for text in texts]
    if missing >= 0:
        forms[missing] = ""
    return np.array([code_of.setdefault(form, len(code_of)) for form in forms], np.int32)


def note_on_spellings(name: str, texts: Sequence[str], missing: int) -> Iterable[str]:
    """How many spellings were counted as one, without quoting any."""
    several = np.bincount(meanings(texts, missing), minlength=1)
    spelled = int(several[several > 1].sum())
    if spelled:
        values = int((several > 1).sum())
        yield (
            f"{spelled:,} spellings of {values:,} value{'s' * (values != 1)} of {name!r} counted as {values:,}: they "
            "differ in case, blanks or characters without width alone (fold = false takes them apart)"
        )


def all_spellings(declared: Sequence[str], labels: Iterable[str]) -> tuple[str, ...]:
    """What is declared, and behind it whatever of the data is the same but for its spelling.

    >>> all_spellings(["HIV"], ["hiv ", "flu", "HIV", "Hiv"])
    ('HIV', 'Hiv', 'hiv ')
    """
    forms = {plain(label) for label in declared}
    return (*declared, *sorted({label for label in labels if plain(label) in forms} - set(declared)))


def first_spellings(labels: Sequence[str]) -> np.ndarray:
    """For each label the place of the first one that is the same but for its spelling."""
    first: dict[str, int] = {}
    return np.array([first.setdefault(plain(label), place) for place, label in enumerate(labels)], np.int64)


def note_on_items(name: str, held: Sequence[str]) -> Iterable[str]:
    """How many spellings of sensitive items, of those that baskets hold, counted as one item, without quoting any."""
    several = np.bincount(first_spellings(held), minlength=1)
    spelled = int(several[several > 1].sum())
    if spelled:
        items = int((several > 1).sum())
        yield (
            f"{spelled:,} spellings of {items:,} sensitive item{'s' * (items != 1)} of {name!r} counted as {items:,}, "
            "whichever of them is declared: they differ in case, blanks or characters without width alone "
            "(fold = false takes them apart)"
        )


def note_on_undeclared(name: str, labels: Iterable[str], declared: Collection[str]) -> Iterable[str]:
    """How many items are a sensitive one in another spelling, and are not declared so."""
    forms = {plain(label) for label in declared}
    count = sum(label not in declared and plain(label) in forms for label in labels)
    if count:
        yield (
            f"items of {name!r} that are a sensitive one in another spelling, and are not declared so: {count:,}. They "
            "count as items that an attacker may know (fold = false)"
        )
