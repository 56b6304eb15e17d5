"""A table of people as slicing sees it: attributes that an attacker knows, sensitive ones, and others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from tacit.arrays.attributes import Attribute
from tacit.arrays.order import Content
from tacit.errors import InputError
from tacit.io import FileFormat
from tacit.job import Column, Job
from tacit.job.checks import check_columns
from tacit.records.data import attribute_in
from tacit.taxonomy import Taxonomy

Slices = tuple[tuple[int, ...], ...]
"""The columns of a sliced table: each one the numbers of its attributes."""

_ROLES = ("quasi", "sensitive", "plain")


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


def read_people(
    table: pa.Table, job: Job, hierarchies: Mapping[str, Taxonomy], output: FileFormat | None
) -> PersonTable:
    """The columns of the job that are published, checked; plain ones are published, and known to nobody."""
    check_columns(table, job)
    columns = [column for column in job.columns if column.role in _ROLES]
    if output is not None and output.name == "dat":
        raise InputError(
            "a .dat file cannot hold a sliced table", file=job.file, hint='Set format = "csv" under [output].'
        )
    for column in columns:
        if column.missing == "suppress":
            raise InputError(
                'slicing changes no value, so that missing = "suppress" cannot be done',
                file=job.file,
                column=column.name,
                hint='Leave it out: a missing value is a value of its own (missing = "value").',
            )
    attributes = tuple(_read(table, column, job, hierarchies) for column in columns)
    return PersonTable(
        attributes,
        tuple(i for i, column in enumerate(columns) if column.role == "quasi"),
        tuple(i for i, column in enumerate(columns) if column.role == "sensitive"),
    )


def _read(table: pa.Table, column: Column, job: Job, hierarchies: Mapping[str, Taxonomy]) -> Attribute:
    """A sensitive or plain column is never generalized: a few cells that are no numbers make it one of categories."""
    tree = hierarchies.get(column.name)
    try:
        return attribute_in(table, job, column, tree)
    except InputError:
        if column.role == "quasi" or column.type is not None:
            raise
        return attribute_in(table, job, replace(column, type="category"), tree)
