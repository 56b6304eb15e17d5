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


def note_on_undeclared(name: str, labels: Iterable[str], declared: Collection[str]) -> Iterable[str]:
    """How many items are a sensitive one in another spelling, and are not declared so."""
    forms = {plain(label) for label in declared}
    count = sum(label not in declared and plain(label) in forms for label in labels)
    if count:
        yield (
            f"items of {name!r} that are a sensitive one in another spelling, and are not declared so: {count:,}. They "
            "count as items that an attacker may know; list them under `sensitive`, too, or correct the data"
        )
