"""One basket a person, where a table has several rows of one: the rows are united before anything else is done."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa

from tacit.arrays.persons import by_first_record, read_persons
from tacit.arrays.reading import codes_beside
from tacit.arrays.sparse import as_sets, take_rows
from tacit.baskets.data import BasketData
from tacit.errors import InputError
from tacit.job import Job
from tacit.job.places import place_of


def united(data: BasketData, table: pa.Table, job: Job) -> BasketData:
    """The same with one basket for each person: all items of the person's rows. Persons go by their first rows."""
    persons = None if job.input.layout == "long" else read_persons(table, job)
    if persons is None:
        return data
    person, first = by_first_record(persons)
    _check_plain(table, person, first, job)
    baskets, rows = data.items.baskets, np.argsort(person, kind="stable")
    indptr, items = take_rows(baskets.indptr, baskets.items, rows)
    ends = np.cumsum(np.bincount(person))
    indptr, items = as_sets(indptr[np.append(0, ends)], items)
    whole = replace(data.items, baskets=replace(baskets, indptr=indptr, items=items))
    plain = tuple(column.take(pa.array(first)) for column in data.plain)
    return replace(data, items=whole, plain=plain, person_of_row=person)


def notes_on_persons(data: BasketData) -> Iterator[str]:
    """What uniting rows made of them."""
    if data.person_of_row is not None:
        rows, persons = data.person_of_row.size, len(data.items.baskets)
        yield f"rows of one person were united to one basket: {rows:,} rows became {persons:,} baskets"


def first_rows(data: BasketData, table: pa.Table) -> pa.Table:
    """The table with one row for each basket, which has what is published beside it."""
    if data.person_of_row is None:
        return table
    return table.take(pa.array(by_first_record(data.person_of_row)[1]))


def rows_of_persons(person_of_row: np.ndarray, original: np.ndarray) -> pa.Table:
    """For every row of the table the published basket that it is part of, in the order of these."""
    published = np.empty(original.size, np.int64)
    published[original] = np.arange(original.size)
    rows = np.argsort(published[person_of_row], kind="stable")
    return pa.table({"published": published[person_of_row][rows], "original": rows})


def _differs(column: pa.ChunkedArray, other: np.ndarray) -> np.ndarray:
    """For each row, whether its value is another one than that of its other row."""
    if found := codes_beside([column]):
        codes = found[0][0]
        return codes != codes[other]
    values = column.to_pylist()  # lists, which have no codes
    return np.array([value != values[at] for value, at in zip(values, other.tolist(), strict=True)], bool)


def _check_plain(table: pa.Table, person: np.ndarray, first: np.ndarray, job: Job) -> None:
    """Refuses plain columns of which a person has several values: only one can stand beside the person's basket."""
    for column in job.columns_with("plain"):
        differs = _differs(table[column.name], first[person])
        if differs.any():
            words, line = place_of(int(np.argmax(differs)), job.input)
            raise InputError(
                f"rows of one person have different values, and only one basket of the person is published{words}",
                file=job.input.source,
                line=line,
                column=column.name,
                hint="Leave the column out: it is not published then.",
            )
