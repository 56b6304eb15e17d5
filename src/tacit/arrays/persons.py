"""Whose record is whose, where a person or a household may have several: what promises count then."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tacit.arrays.order import joint_codes
from tacit.arrays.reading import read_values
from tacit.errors import InputError
from tacit.job import Column, Job
from tacit.job.places import place_of


def read_persons(table: pa.Table, job: Job) -> np.ndarray | None:
    """The person of each record (int32), or the household if the job names one; None if each has one record.

    They are numbered in the order of their ids' texts, so that nothing depends on where a record stands.
    """
    counted = None
    for column in (*job.columns_with("person"), *job.columns_with("household")):
        codes = _codes(table, column, job)
        if counted is not None:
            _check_homes(counted, codes, column, job)
        counted = codes
    return counted if counted is not None and repeats(counted) else None


def repeats(persons: np.ndarray) -> bool:
    """Whether some person has several records."""
    return bool((np.bincount(persons) > 1).any())


def by_first_record(persons: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The persons numbered by their first records, and where these stand.

    >>> person, first = by_first_record(np.array([4, 2, 4, 0]))
    >>> person.tolist(), first.tolist()
    ([0, 1, 0, 2], [0, 1, 3])
    """
    _, first, code = np.unique(persons, return_index=True, return_inverse=True)
    rank = np.empty(first.size, np.int32)
    rank[np.argsort(first)] = np.arange(first.size, dtype=np.int32)
    return rank[code], np.sort(first)


def once_each(persons: np.ndarray, *codes: np.ndarray) -> np.ndarray:
    """Some record for each person and combination of codes: who has a value in several records has it once.

    >>> once_each(np.array([0, 0, 1]), np.array([5, 5, 5])).tolist()
    [0, 2]
    """
    columns = [persons, *codes]
    code, _ = joint_codes(columns, [int(each.max(initial=0)) + 1 for each in columns], persons.size)
    return np.sort(np.unique(code, return_index=True)[1])


def _codes(table: pa.Table, column: Column, job: Job) -> np.ndarray:
    """The ids of a column as numbers; a missing one is refused: nobody knows who is counted then."""
    try:
        values = read_values(table[column.name], job.input.missing)
    except InputError as error:
        raise InputError(error.problem, file=job.input.source, column=column.name, hint=error.hint) from None
    if values.missing >= 0:
        words, line = place_of(int(np.argmax(values.codes == values.missing)), job.input)
        raise InputError(
            f"records have no {column.role} id{words}",
            file=job.input.source,
            line=line,
            column=column.name,
            hint=f"Fill the id in, or take the record out: nobody can tell which {column.role} it counts for.",
        )
    rank = np.empty(len(values.texts), np.int32)
    rank[sorted(range(len(values.texts)), key=values.texts.__getitem__)] = np.arange(len(values.texts), dtype=np.int32)
    return rank[values.codes]


def _check_homes(persons: np.ndarray, households: np.ndarray, column: Column, job: Job) -> None:
    """Refuses a person in two households."""
    code, first = by_first_record(persons)
    moved = households != households[first][code]
    if moved.any():
        words, line = place_of(int(np.argmax(moved)), job.input)
        raise InputError(
            f"persons are in two households{words}",
            file=job.input.source,
            line=line,
            column=column.name,
            hint="Give every person one household, or leave the household out: then persons are counted.",
        )
