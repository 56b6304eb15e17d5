"""A table of people as slicing sees it: attributes that an attacker knows, sensitive ones, and others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tacit.arrays.attributes import Attribute
from tacit.arrays.order import Content

Slices = tuple[tuple[int, ...], ...]
"""The columns of a sliced table: each one the numbers of its attributes."""


@dataclass(frozen=True, eq=False)
class PersonTable:
    """One record a person. What is neither known nor sensitive is published and of no use to an attacker."""

    attributes: tuple[Attribute, ...]
    known: tuple[int, ...]  # quasi-identifiers: what an attacker knows
    sensitive: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.attributes[0]) if self.attributes else 0

    def content(self) -> Content:
        """The values of all attributes."""
        return Content(len(self), [attribute.content for attribute in self.attributes])

    def at(self, order: np.ndarray) -> PersonTable:
        """The records of these numbers."""
        return replace(self, attributes=tuple(attribute.at(order) for attribute in self.attributes))

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(attribute.name for attribute in self.attributes)

    @cached_property
    def hidden(self) -> frozenset[int]:
        """The attributes that an attacker does not know."""
        return frozenset(range(len(self.attributes))) - set(self.known)

    @cached_property
    def codes(self) -> tuple[np.ndarray, ...]:
        return tuple(attribute.codes for attribute in self.attributes)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        return tuple(len(attribute.texts) for attribute in self.attributes)

    def named(self, slices: Iterable[Sequence[int]]) -> list[list[str]]:
        """The slices by the names of their attributes."""
        return [[self.names[a] for a in one] for one in slices]
