"""Several tables in one job: what other tables hold of the same persons is put beside what the first one says.

Every person of the first table stays, and nobody is added. No row is looked at on its own.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.arrays.order import each_once
from tacit.errors import InputError
from tacit.io.text import as_text
from tacit.job.model import Input, Join


def joined(persons: pa.Table, other: pa.Table, join: Join, given: Input) -> tuple[pa.Table, list[str]]:
    """The persons' table with what the join adds, and what has to be said about it."""
    source = given.source if join.source is None else join.source
    _check_names(persons, other, join, given.source, source)
    keys, theirs = _keys(persons[join.key]), _keys(other[join.on or join.key])
    _refuse_repeated(keys, given.source, join.key, "persons have several rows in the table that others are joined to")
    person = pc.fill_null(pc.index_in(theirs, value_set=keys), -1).to_numpy(zero_copy_only=False)
    orphans, what = int((person < 0).sum()), ", ".join(join.gives)
    left_out = f"{orphans:,} rows that were to be joined ({what}) belong to nobody in the data, and were left out"
    notes = [left_out] if orphans else []
    if join.items is not None:
        sets = _sets(as_text(other[join.items]), person, len(keys), given.missing)
        without = int((np.diff(sets.offsets.to_numpy()) == 0).sum())
        notes += [f"{without:,} persons have no {what}: their sets are empty"] if without else []
        return persons.append_column(join.gives[0], sets), notes
    _refuse_repeated(theirs, source, join.on or join.key, "persons have several rows in the table that is joined")
    row = np.full(len(keys), -1, np.int64)
    row[person[person >= 0]] = np.flatnonzero(person >= 0)
    places = pa.array(row, mask=row < 0)
    for name in join.columns:
        persons = persons.append_column(name, other[name].take(places))
    without = int((row < 0).sum())
    return persons, [*notes, f"{without:,} persons have no {what}"] if without else notes


def _check_names(persons: pa.Table, other: pa.Table, join: Join, first: Path | str, second: Path | str) -> None:
    looked_for = [(join.key, persons, first), *((each, other, second) for each in sorted(join.needs))]
    for name, table, file in looked_for:
        if name not in table.column_names:
            hint = f"It has: {', '.join(map(repr, table.column_names[:20]))}."
            raise InputError("the data has no such column to join by", file=file, column=name, hint=hint)
    for name in join.gives:
        if name in persons.column_names:
            hint = 'Give it another one: name = "..." under [[input.join]].'
            problem = "the persons' table has a column of this name already"
            raise InputError(problem, file=second, column=name, hint=hint)


def _keys(column: pa.ChunkedArray) -> pa.Array:
    """Whose rows they are, as text, so that a file and a database mean the same."""
    found = as_text(column)
    return found.combine_chunks() if isinstance(found, pa.ChunkedArray) else found


def _refuse_repeated(keys: pa.Array, source: Path | str, column: str, problem: str) -> None:
    known = keys.drop_null()
    repeated = len(known) - len(pc.unique(known))
    if repeated or keys.null_count:
        told = f"{problem} ({repeated:,} rows)" if repeated else f"{keys.null_count:,} rows have no key"
        hint = "A key stands in one row; gather what has several by `items`, or choose another key."
        raise InputError(told, file=source, column=column, hint=hint)


def _sets(items: pa.ChunkedArray, person: np.ndarray, persons: int, missing: tuple[str, ...]) -> pa.ListArray:
    """For each person the different items of their rows, in the order of their texts."""
    texts = items.combine_chunks() if isinstance(items, pa.ChunkedArray) else items
    is_item = pc.and_(texts.is_valid(), pc.invert(pc.is_in(texts, value_set=pa.array([*missing, ""], texts.type))))
    wanted = is_item.to_numpy(zero_copy_only=False) & (person >= 0)
    encoded = texts.filter(pa.array(wanted)).dictionary_encode()
    order = pc.sort_indices(encoded.dictionary)
    rank = np.empty(len(order), np.int64)
    rank[order.to_numpy()] = np.arange(len(order))
    pairs = each_once(person[wanted].astype(np.int64) * max(len(order), 1) + rank[encoded.indices.to_numpy()])
    whose, item = pairs // max(len(order), 1), pairs % max(len(order), 1)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(whose, minlength=persons))]).astype(np.int32)
    values = encoded.dictionary.take(order).take(pa.array(item)).cast(pa.string())
    return pa.ListArray.from_arrays(pa.array(offsets), values)
