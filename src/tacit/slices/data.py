"""A table of people as slicing sees it: attributes that an attacker knows, sensitive ones, and others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from tacit.arrays.attributes import Attribute
from tacit.arrays.order import Content
from tacit.arrays.persons import read_persons
from tacit.errors import InputError
from tacit.io import FileFormat
from tacit.job import Column, Job
from tacit.job.checks import check_columns
from tacit.records.data import attribute_in, ranged_attribute
from tacit.taxonomy import Taxonomy

Slices = tuple[tuple[int, ...], ...]
"""The columns of a sliced table: each one the indices of its attributes."""

_ROLES = ("quasi", "sensitive", "plain")


@dataclass(frozen=True, eq=False)
class PersonTable:
    """Records of people. What is neither known nor sensitive is published and of no use to an attacker."""

    attributes: tuple[Attribute, ...]
    known: tuple[int, ...]  # quasi-identifiers: what an attacker knows
    sensitive: tuple[int, ...]
    persons: np.ndarray | None = None  # int32: whose record each one is; None if everybody has one

    def __len__(self) -> int:
        return len(self.attributes[0]) if self.attributes else 0

    def content(self) -> Content:
        """The values of all attributes."""
        whose = [] if self.persons is None else [(self.persons, int(self.persons.max(initial=0)) + 1)]
        return Content(len(self), [*(attribute.content for attribute in self.attributes), *whose])

    def at(self, order: np.ndarray) -> PersonTable:
        """The records at these places."""
        persons = None if self.persons is None else self.persons[order]
        return replace(self, attributes=tuple(attribute.at(order) for attribute in self.attributes), persons=persons)

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
    def meanings(self) -> tuple[np.ndarray, ...]:
        """The same, with one code for all spellings of a sensitive value."""
        return tuple(attribute.meanings for attribute in self.attributes)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        return tuple(len(attribute.texts) for attribute in self.attributes)

    @cached_property
    def kept_apart(self) -> np.ndarray:
        """[attribute, record]: what no two records of a bucket should have in common, but for sensitive values."""
        return np.zeros((0, len(self)), np.int32) if self.persons is None else self.persons[None, :]

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
        if not (column.round is column.top is column.bottom is None or "generalize_k" in job.method.options):
            raise InputError(
                "round, top and bottom are for ranges, and slicing changes no value",
                file=job.file,
                column=column.name,
                hint="Leave them out, or set generalize_k under [method].",
            )
    persons = read_persons(table, job)
    attributes = tuple(_read(table, column, job, hierarchies, persons) for column in columns)
    return PersonTable(
        attributes,
        tuple(i for i, column in enumerate(columns) if column.role == "quasi"),
        tuple(i for i, column in enumerate(columns) if column.role == "sensitive"),
        persons,
    )


def _read(
    table: pa.Table, column: Column, job: Job, hierarchies: Mapping[str, Taxonomy], persons: np.ndarray | None
) -> Attribute:
    """A sensitive or plain column is never generalized: a few cells that are no numbers make it one of categories."""
    tree = hierarchies.get(column.name)
    k = job.method.options.get("generalize_k")
    if column.role == "quasi" and k is not None:
        return ranged_attribute(table, job, column, tree, k, persons)
    try:
        found = attribute_in(table, job, column, tree)
    except InputError:
        if column.role == "quasi" or column.type is not None:
            raise
        found = attribute_in(table, job, replace(column, type="category"), tree)
    return replace(found, fold=column.role == "sensitive" and column.fold)
