"""Published records with baskets as an attacker sees them: grouped by what is published of the quasi-identifiers.

Which cluster a record came from does not matter. Records with equal published values are one group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.audits._sets import Sets, as_sets, only
from tacit.audits.k import group_text, summed
from tacit.audits.result import how_many, itemset_text
from tacit.audits.views.records import RecordView


@dataclass(frozen=True, eq=False)
class Groups:
    """The groups in the order of their published values, and the baskets with items in the order of their labels."""

    names: tuple[str, ...]
    of_record: np.ndarray  # int64
    sizes: np.ndarray
    values: tuple[np.ndarray, ...]  # for each column the code of each group's text
    texts: tuple[list[str], ...]
    known: Sets  # what an attacker may know
    sensitive: Sets
    known_labels: list[str]
    sensitive_labels: list[str]
    people: np.ndarray  # of each group: its records or, if somebody has several, its different persons
    persons: np.ndarray | None = None  # whose record each one is
    times: np.ndarray | None = None  # how many records each row stands for, if not for one

    @property
    def records(self) -> int:
        return int(self.sizes.sum())

    @property
    def unit(self) -> str:
        """What is counted."""
        return "record" if self.persons is None else "person"

    @property
    def with_repeats(self) -> np.ndarray:
        """Which groups have several records of a person."""
        return self.people < self.sizes

    def text(self, group: int) -> dict[str, str]:
        """The published values of a group, by column."""
        return {
            name: texts[value[group]] for name, texts, value in zip(self.names, self.texts, self.values, strict=True)
        }


def entry_text(entry: dict[str, Any], unit: str) -> str:
    """A finding on a line, such as `Age [55:70], Origin Africa: {F}: 1 record`."""
    named = group_text(entry["group"])
    known = f"{itemset_text(entry['itemset'])}: " if entry["itemset"] else ""
    count = entry["support"]
    if "sensitive" in entry:
        return f"{named}: {known}{entry['with_sensitive']:,} of {count:,} {unit}s hold {_plain(entry['sensitive'])}"
    return f"{named}: {known}{how_many(count, unit)}"


def _plain(label: str) -> str:
    return itemset_text([label])[1:-1]


def grouped(view: RecordView) -> Groups:
    """The records in their groups, known and sensitive items apart."""
    held = view.items.meant
    labels, is_sensitive = held.names, held.is_sensitive
    of_record, values, texts = np.zeros(len(view), np.int64), [], []
    for column in view.quasi:
        written, code = np.unique(np.array(column.texts, object), return_inverse=True)
        texts.append([column.written.get(str(text), str(text)) for text in written])
        values.append(code[column.codes])
        _, of_record = np.unique(of_record * max(len(written), 1) + values[-1], return_inverse=True)
    groups, first = np.unique(of_record, return_index=True)
    sizes = summed(of_record, view.times, groups.size)
    starts, items = as_sets(held.starts, held.items)
    known_labels, known = _apart(starts, items, labels, ~is_sensitive)
    sensitive_labels, sensitive = _apart(starts, items, labels, is_sensitive)
    return Groups(
        names=tuple(column.name for column in view.quasi),
        of_record=of_record,
        sizes=sizes,
        values=tuple(value[first] for value in values),
        texts=tuple(texts),
        known=known,
        sensitive=sensitive,
        known_labels=known_labels,
        sensitive_labels=sensitive_labels,
        people=sizes if view.persons is None else _different_persons(of_record, view.persons, groups.size),
        persons=view.persons,
        times=view.times,
    )


def _different_persons(of_record: np.ndarray, persons: np.ndarray, groups: int) -> np.ndarray:
    n_persons = int(persons.max(initial=0)) + 1
    return np.bincount(np.unique(of_record * n_persons + persons) // n_persons, minlength=groups)


def _apart(starts: np.ndarray, items: np.ndarray, labels: Sequence[str], wanted: np.ndarray) -> tuple[list[str], Sets]:
    """The wanted items alone, coded in the order of their labels."""
    kept = np.flatnonzero(wanted).tolist()
    written = sorted({labels[item] for item in kept})
    place = {label: code for code, label in enumerate(written)}
    code = np.zeros(len(labels), np.int64)
    code[kept] = [place[labels[item]] for item in kept]
    rows, own = only(starts, items, wanted[items])
    return written, as_sets(rows, code[own])
