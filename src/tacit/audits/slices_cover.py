"""Which original values a published one stands for: itself, a range, a set, the values below a node, or all (`*`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tacit.sliced import range_ends, set_members

if TYPE_CHECKING:
    from tacit.arrays.attributes import Attribute

_ANYTHING = "*"


@dataclass(frozen=True, eq=False)
class Cover:
    """For each published value the codes that it stands for: those between two ends, and for sets a row of flags."""

    low: np.ndarray
    high: np.ndarray
    row: np.ndarray  # of `flags`; −1 if the ends say it all
    flags: np.ndarray  # [set, code]

    def fits(self, codes: np.ndarray, published: np.ndarray) -> np.ndarray:
        """Whether each code may be published as each value; both arrays are broadcast."""
        between = (self.low[published] <= codes) & (codes <= self.high[published])
        if not len(self.flags):
            return between
        return between & ((self.row[published] < 0) | self.flags[self.row[published], codes])


def original_texts(attribute: Attribute) -> list[str]:
    """The values of the original as a published table is read: a missing one is the empty text."""
    return [*attribute.texts[: attribute.missing], ""] if attribute.missing >= 0 else list(attribute.texts)


def is_generalized(attribute: Attribute, published: Sequence[str]) -> bool:
    """Whether something is published that is no value of the original."""
    return not set(published) <= set(original_texts(attribute))


def exact_codes(attribute: Attribute, published: Sequence[str]) -> np.ndarray:
    """The code of each published value that is one of the original; −1 for others."""
    code_of = {text: code for code, text in enumerate(original_texts(attribute))}
    return np.array([code_of.get(text, -1) for text in published], np.int64)


def cover_of(attribute: Attribute, published: Sequence[str]) -> Cover:
    """What each published value stands for in the original."""
    exact = exact_codes(attribute, published)
    low, high, row = exact.copy(), exact.copy(), np.full(exact.size, -1, np.int64)
    low[exact < 0], high[exact < 0] = 1, 0
    code_of = {text: code for code, text in enumerate(attribute.texts)}  # a missing value in a set: as it is written
    code_of |= {text: code for code, text in enumerate(original_texts(attribute))}
    flags: list[np.ndarray] = []
    for number in np.flatnonzero(exact < 0).tolist():
        codes = _codes_below(attribute, published[number], code_of)
        if codes.size:
            low[number], high[number] = codes.min(), codes.max()
            if codes.size <= high[number] - low[number]:
                row[number] = len(flags)
                flags.append(np.isin(np.arange(len(attribute.texts)), codes))
    return Cover(low, high, row, np.array(flags) if flags else np.zeros((0, len(attribute.texts)), bool))


def _codes_below(attribute: Attribute, text: str, code_of: dict[str, int]) -> np.ndarray:
    """The codes that a generalized value stands for."""
    codes = np.arange(len(attribute.texts))
    if text == _ANYTHING:
        return codes
    if attribute.tree is not None and attribute.leaf_of_code is not None:
        if text not in attribute.tree.names:
            return codes[:0]
        node = attribute.tree.node(text)
        return codes[(attribute.leaf_of_code >= node) & (attribute.leaf_of_code < attribute.tree.end[node])]
    if attribute.numbers is not None:
        ends = _ends_of_range(text, code_of)
        if ends is not None:
            return codes[(codes >= ends[0]) & (codes <= ends[1]) & (codes != attribute.missing)]
        numbers = range_ends(text)
        if numbers is not None:
            with np.errstate(invalid="ignore"):
                return codes[(attribute.numbers >= numbers[0]) & (attribute.numbers <= numbers[1])]
    return np.array([code_of[label] for label in set_members(text) if label in code_of], np.int64)


def _ends_of_range(text: str, code_of: dict[str, int]) -> tuple[int, int] | None:
    """The codes of both ends of a range whose ends are values of the original, which may hold colons."""
    if not (text.startswith("[") and text.endswith("]")):
        return None
    inside = text[1:-1]
    for at, sign in enumerate(inside):
        if sign == ":" and inside[:at] in code_of and inside[at + 1 :] in code_of:
            return code_of[inside[:at]], code_of[inside[at + 1 :]]
    return None
