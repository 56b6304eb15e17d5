"""What a decision makes of a table of people: found once, then published and measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays.attributes import Attribute
from tacit.slices.data import PersonTable
from tacit.slices.recoding import SliceRecoding


@dataclass(frozen=True, eq=False)
class AppliedSlices:
    """The attributes with the values that are published, record by record: before each slice is permuted."""

    recoding: SliceRecoding
    shown: tuple[Attribute, ...]

    def attribute(self, name: str) -> Attribute:
        return next(each for each in self.shown if each.name == name)


def apply_slices(data: PersonTable, recoding: SliceRecoding) -> AppliedSlices:
    """What these people become."""
    return AppliedSlices(recoding, tuple(_shown(attribute, recoding) for attribute in data.attributes))


def _shown(attribute: Attribute, recoding: SliceRecoding) -> Attribute:
    """An attribute as it is, unless its column was generalized."""
    for one in recoding.regions:
        if attribute.name in one.attributes:
            texts = [values[one.attributes.index(attribute.name)] for values in one.values]
            code_of = {text: i for i, text in enumerate(dict.fromkeys(texts))}
            codes = np.array([code_of[text] for text in texts], np.int32)[one.of_record]
            return Attribute(attribute.name, codes, tuple(code_of))
    return attribute
