"""A sliced table as published: reading it, drawing records from it, and answering counting queries.

In a bucket only the attributes of one slice belong together. Every linking of the slices' rows that agrees on shared
attributes is equally likely; what follows is computed on that footing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from tacit.errors import InputError
from tacit.queries import Condition

if TYPE_CHECKING:
    from tacit.slices.measures.conditions import PublishedValues
    from tacit.taxonomy import Taxonomy

BUCKET = "bucket"
_NO_SLICE = "A sliced table has a column `bucket` and columns headed `1.age`: number of the slice, dot, attribute."
_NUMBER = re.compile(r"0|[1-9][0-9]{0,8}")
"""Of a slice. Another way to write it, such as `01`, could be a second column of the same slice."""


@dataclass(frozen=True, eq=False)
class SlicedTable:
    """The rows of each slice with the bucket that they are in. A missing value is the empty text.

    >>> frame = pa.table({"bucket": [1, 1], "1.age": [30, 40], "2.disease": ["flu", "cold"]})
    >>> table = read_sliced(frame)
    >>> table.slices
    (('age',), ('disease',))
    >>> count(table, {"age": (30, 35), "disease": "flu"})
    0.5
    """

    slices: tuple[tuple[str, ...], ...]
    bucket: np.ndarray  # int32 per row
    buckets: tuple[str, ...]  # their names
    codes: tuple[tuple[np.ndarray, ...], ...]  # of each slice, of each of its attributes: int32 per row
    texts: Mapping[str, tuple[str, ...]]  # of each attribute: what its codes stand for, the same in all slices

    def __len__(self) -> int:
        return len(self.bucket)

    @property
    def attributes(self) -> tuple[str, ...]:
        """Each attribute once, in the order of the slices."""
        return tuple(dict.fromkeys(name for one in self.slices for name in one))

    @cached_property
    def _joins(self) -> list[_Join]:
        return _joins(self)

    @cached_property
    def _read_values(self) -> dict[str, PublishedValues]:
        return {}

    def _values(self, name: str) -> PublishedValues:
        """The published values of an attribute, read on first use."""
        from tacit.slices.measures.conditions import published_values

        if name not in self._read_values:
            self._read_values[name] = published_values(name, self.texts[name])
        return self._read_values[name]


@dataclass(frozen=True, eq=False)
class _Join:
    """How a slice is linked with those before it: rows of one group are exchangeable."""

    slice: int
    parent: int  # position in the order; −1 for the first one
    group: np.ndarray  # int32 per row of the slice: its bucket and values of shared attributes
    parent_group: np.ndarray  # the same per row of the parent
    sizes: np.ndarray  # rows per group


def read_sliced(frame: Any, *, missing: Collection[str] = ("",)) -> SlicedTable:
    """A sliced table from a frame (pandas, Polars, Arrow) or a file."""
    from tacit.arrays.reading import read_values
    from tacit.io import read_table
    from tacit.io.frames import to_table

    if isinstance(frame, str | Path):
        table = read_table(Path(frame))
    else:
        table = frame if isinstance(frame, pa.Table) else to_table(frame, None)[0]
    names = _slices_in(table)
    code_of: dict[str, dict[str, int]] = {name: {} for one in names.values() for name in one}
    codes = []
    for number, attributes in names.items():
        columns = []
        for name in attributes:
            values = read_values(table[f"{number}.{name}"], missing)
            texts = [*values.known, *([""] * (values.missing >= 0))]
            shared = code_of[name]
            columns.append(np.array([shared.setdefault(text, len(shared)) for text in texts], np.int32)[values.codes])
        codes.append(tuple(columns))
    bucket = read_values(table[BUCKET], ())
    texts_of = {name: tuple(shared) for name, shared in code_of.items()}
    return SlicedTable(tuple(map(tuple, names.values())), bucket.codes, bucket.texts, tuple(codes), texts_of)


def sample(table: SlicedTable, *, seed: int | None = None) -> pa.Table:
    """Records drawn from a sliced table: as many as it has, each row of each slice used once.

    Attributes of one slice belong together as in the original; the others only as far as buckets tell. Draw several
    times to see how much of a result is due to the drawing.
    """
    rows = linked_rows(table, np.random.default_rng(seed))
    arrays = {}
    for name in table.attributes:
        index = next(i for i, one in enumerate(table.slices) if name in one)
        texts = pa.array([text or None for text in table.texts[name]], pa.string())
        column = table.codes[index][table.slices[index].index(name)]
        arrays[name] = texts.take(pa.array(column[rows[index]]))
    return pa.table(arrays)


def linked_rows(table: SlicedTable, rng: np.random.Generator) -> list[np.ndarray]:
    """One of the equally likely linkings: for each slice the row that each record takes."""
    rows: list[np.ndarray] = [np.arange(len(table))] * len(table.slices)
    order = table._joins
    for join in order:
        if join.parent < 0:
            continue
        wanted = join.parent_group[rows[order[join.parent].slice]]
        chosen = np.empty(len(table), np.int64)
        chosen[np.argsort(wanted, kind="stable")] = np.lexsort((rng.random(len(table)), join.group))
        rows[join.slice] = chosen
    return rows


def count(
    table: SlicedTable, where: Mapping[str, Condition], *, hierarchies: Mapping[str, Taxonomy] | None = None
) -> float:
    """How many people meet all conditions, as expected over all linkings; no record is drawn.

    A condition is one value, a number or date, a pair of them (lowest, highest), None for a missing value, or a list of
    these. A generalized value that a condition meets in part counts in part; for groups of a hierarchy give it.
    """
    unknown = [name for name in where if name not in table.attributes]
    if unknown:
        raise InputError(f"no attribute {unknown[0]!r}", hint=f"There are: {', '.join(table.attributes)}.")
    return expected_count(table, where, hierarchies or {}, strict=True)


def expected_count(
    table: SlicedTable, where: Mapping[str, Condition], hierarchies: Mapping[str, Taxonomy], *, strict: bool
) -> float:
    """The count of conditions on attributes of the table. Unless `strict`, nobody has a value that it does not show."""
    from tacit.slices.measures.conditions import shares

    order = table._joins
    met: dict[int, np.ndarray] = {}  # slices that the conditions are about: how far each row meets them
    for name, condition in where.items():
        index = next(i for i, one in enumerate(table.slices) if name in one)
        share = shares(table._values(name), condition, hierarchies.get(name), strict=strict)
        meets = share[table.codes[index][table.slices[index].index(name)]]
        met[index] = met[index] * meets if index in met else meets
    for join in reversed(order):
        if join.parent >= 0 and join.slice in met:
            in_group = np.bincount(join.group, weights=met[join.slice], minlength=join.sizes.size)
            meets = (in_group / np.maximum(join.sizes, 1))[join.parent_group]
            above = order[join.parent].slice
            met[above] = met[above] * meets if above in met else meets
    return float(met[order[0].slice].sum()) if where else float(len(table))


def _slices_in(table: pa.Table) -> dict[int, list[str]]:
    """The attributes of each slice by its number."""
    if BUCKET not in table.column_names:
        raise InputError("the table has no column 'bucket'", hint=_NO_SLICE)
    found: dict[int, list[str]] = {}
    for name in table.column_names:
        if name == BUCKET:
            continue
        number, dot, attribute = name.partition(".")
        if not (_NUMBER.fullmatch(number) and dot and attribute):
            raise InputError("the column belongs to no slice", column=name, hint=_NO_SLICE)
        found.setdefault(int(number), []).append(attribute)
    if not found:
        raise InputError("the table has no slice", hint=_NO_SLICE)
    return dict(sorted(found.items()))


def _joins(table: SlicedTable) -> list[_Join]:
    from tacit.arrays.order import joint_codes
    from tacit.slices.solvers.join_tree import join_tree

    names = {name: i for i, name in enumerate(table.attributes)}
    tree = join_tree([[names[name] for name in one] for one in table.slices])
    if tree is None:
        raise InputError("the slices overlap in a cycle, so it is not defined how their rows are linked")
    joins = []
    for here in tree.order:
        above = tree.parent[here]
        shared = [name for name in table.slices[here] if names[name] in tree.separator[here]]
        own = _columns(table, here, shared)
        parents = own if above < 0 else _columns(table, above, shared)
        both = [np.concatenate(pair) for pair in zip(own, parents, strict=True)]
        sizes = [len(table.buckets), *(len(table.texts[name]) for name in shared)]
        group, n_groups = joint_codes(both, sizes, 2 * len(table))
        own_group = group[: len(table)]
        joins.append(
            _Join(
                here,
                tree.order.index(above) if above >= 0 else -1,
                own_group,
                group[len(table) :],
                np.bincount(own_group, minlength=n_groups),
            )
        )
    return joins


def _columns(table: SlicedTable, index: int, names: Sequence[str]) -> list[np.ndarray]:
    return [table.bucket, *(table.codes[index][table.slices[index].index(name)] for name in names)]
