"""Decisions about baskets that are not the same for every record: a cut for each part of the records, and groups in
which sensitive items are dealt out anew. Neither can be used for other records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from tacit.arrays.order import put_back
from tacit.baskets.recoding import Applied, BasketRecoding
from tacit.recoding import numbers_from, numbers_text
from tacit.shuffle import GROUPS, SENSITIVE_ITEMS, Shuffle

if TYPE_CHECKING:
    from tacit.baskets.data import ItemColumns


class Nodes(NamedTuple):
    """The nodes bounds[p] to bounds[p + 1] are published in part p; node n is above the leaves starts[n] to ends[n]."""

    bounds: np.ndarray  # int64
    starts: np.ndarray  # int32, ascending in a part
    ends: np.ndarray  # int32
    codes: np.ndarray  # int32: its code among the column's names


@dataclass(frozen=True)
class LocalColumn:
    """What may be published of one column, and which of it each part of the records uses."""

    leaves: tuple[str, ...]
    """Of the hierarchy, in its order."""
    groups: Mapping[str, tuple[str, ...]]
    """For each published node that is no leaf the leaves below it, which are neighbours in `leaves`."""
    parts: tuple[tuple[str, ...], ...]
    """For each part its published nodes, in the order of the hierarchy; what is below none of them is suppressed."""
    sensitive: tuple[str, ...] = ()
    """Items that are published as they are, everywhere."""

    @cached_property
    def places(self) -> Mapping[str, tuple[int, int]]:
        """For each published node the place of the first leaf below it, and how many there are."""
        place = {leaf: index for index, leaf in enumerate(self.leaves)}
        below = {name: self.groups.get(name, (name,)) for name in dict.fromkeys(chain.from_iterable(self.parts))}
        return {name: (place[leaves[0]], len(leaves)) for name, leaves in below.items()}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All names that can appear in the release: nodes, the first leaf below them first, then sensitive items."""
        return (*sorted(self.places, key=lambda name: (self.places[name][0], -self.places[name][1])), *self.sensitive)

    @cached_property
    def nodes(self) -> Nodes:
        """The nodes of every part, one part after the other."""
        code_of = {name: i for i, name in enumerate(self.names) if name in self.places}
        starts, sizes = np.array([self.places[name] for name in code_of], np.int32).reshape(-1, 2).T
        bounds = np.zeros(len(self.parts) + 1, np.int64)
        np.cumsum(np.fromiter(map(len, self.parts), np.int64, len(self.parts)), out=bounds[1:])
        codes = np.fromiter(map(code_of.__getitem__, chain.from_iterable(self.parts)), np.int32, bounds[-1])
        return Nodes(bounds, starts[codes], (starts + sizes)[codes], codes)


@dataclass(frozen=True, eq=False)
class LocalRecoding(BasketRecoding):
    """Records in parts, and for each part a cut of its own: an item may have another name in another part."""

    kind: ClassVar[str] = "local"
    part: np.ndarray
    """Of each original record; −1 for one that has no items but sensitive ones."""
    columns: Mapping[str, LocalColumn]

    @property
    def sizes(self) -> np.ndarray:
        """Records of each part."""
        return np.bincount(self.part[self.part >= 0])

    def applied(self, items: ItemColumns) -> Applied:
        from tacit.baskets._recoding_kernels import cover

        baskets, part = items.baskets, self.part.astype(np.int64, copy=False)
        code = np.full(baskets.items.size, -1, np.int32)
        names = []
        for index, column in enumerate(items.columns):
            local = self.columns[column.name]
            names.append(local.names)
            place = {leaf: i for i, leaf in enumerate(local.leaves)}
            first_sensitive = len(local.names) - len(local.sensitive)
            sensitive = {label: i for i, label in enumerate(local.sensitive, first_sensitive)}
            place_of_item = np.full(len(baskets.vocabulary), -1, np.int32)
            code_of_item = place_of_item.copy()
            for item in np.flatnonzero(items.column_of == index).tolist():
                label = baskets.vocabulary[item]
                if label in sensitive:
                    code_of_item[item] = sensitive[label]
                else:
                    place_of_item[item] = place[label]
            cover(baskets.indptr, baskets.items, part, place_of_item, *local.nodes, code)
            if sensitive:
                np.maximum(code, code_of_item[baskets.items], out=code)
        return Applied(self, tuple(names), code)

    def groups(self, column: str) -> Mapping[str, Sequence[str]]:
        return self.columns[column].groups

    def leaves(self, items: ItemColumns, column: int) -> int:
        return len(self.columns[items.columns[column].name].leaves)

    def put_back(self, order: np.ndarray) -> LocalRecoding:
        """The decision about the records that were taken in this order, as they stood before."""
        return replace(self, part=put_back(self.part, order))

    def suppressed(self, column: str) -> tuple[str, ...]:
        return ()

    def summary(self, column: str) -> str:
        local, sizes = self.columns[column], self.sizes
        of = f" of {sizes.min():,} to {sizes.max():,} records" if sizes.size else ""
        sensitive = f"; sensitive: {len(local.sensitive):,}" if local.sensitive else ""
        nodes = len(local.names) - len(local.sensitive)
        return (
            f"parts: {sizes.size:,}{of}, each with a cut of its own; names used: {nodes:,}, of which groups: "
            f"{len(local.groups):,}{sensitive}"
        )

    def to_dict(self) -> dict[str, Any]:
        columns = {
            name: {
                "leaves": list(local.leaves),
                "groups": {group: list(leaves) for group, leaves in local.groups.items()},
                "parts": [list(nodes) for nodes in local.parts],
                "sensitive": list(local.sensitive),
            }
            for name, local in self.columns.items()
        }
        return {"part_of_record": numbers_text(self.part), "columns": columns}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> LocalRecoding:
        columns = {
            name: LocalColumn(
                tuple(local["leaves"]),
                {group: tuple(leaves) for group, leaves in local["groups"].items()},
                tuple(tuple(nodes) for nodes in local["parts"]),
                tuple(local["sensitive"]),
            )
            for name, local in content["columns"].items()
        }
        return cls(numbers_from(content["part_of_record"], np.int64), columns)

    def __str__(self) -> str:
        return "\n".join(f"{name}: {self.summary(name)}" for name in self.columns)


@dataclass(frozen=True, eq=False)
class GroupRecoding(BasketRecoding):
    """Records in groups; nothing is changed but whose the sensitive items of a group are."""

    kind: ClassVar[str] = "groups"
    group: np.ndarray
    """The id of each original record's group: as it is published, once it is drawn."""
    source: np.ndarray
    """The record of the same group whose sensitive items each record is published with."""

    @classmethod
    def undrawn(cls, group: np.ndarray) -> GroupRecoding:
        """Groups as a method found them, coded from 0; everybody still has their own sensitive items."""
        return cls(group, np.arange(group.size))

    def drawn(self, hidden: Shuffle) -> GroupRecoding:
        """The groups with random ids, and in each the sensitive items dealt out at random."""
        ids = hidden.ids(int(self.group.max(initial=-1)) + 1, GROUPS)
        source = np.empty(self.group.size, np.int64)
        source[np.argsort(self.group, kind="stable")] = hidden.within(self.group, SENSITIVE_ITEMS)
        return GroupRecoding(ids[self.group], source)

    @property
    def sizes(self) -> np.ndarray:
        """Records of each group."""
        return np.unique(self.group, return_counts=True)[1]

    def applied(self, items: ItemColumns) -> Applied:
        baskets = items.baskets
        code_of_item = np.empty(len(baskets.vocabulary), np.int32)
        is_sensitive = np.zeros(len(baskets.vocabulary), bool)
        for index, column in enumerate(items.columns):
            here = np.flatnonzero(items.column_of == index)
            code_of_item[here] = np.arange(here.size)
            is_sensitive[here] = [baskets.vocabulary[i] in column.sensitive_items for i in here.tolist()]
        goes_to = np.empty_like(self.source)
        goes_to[self.source] = np.arange(self.source.size)
        record = np.repeat(np.arange(len(baskets)), baskets.lengths)
        moves = is_sensitive[baskets.items]
        record[moves] = goes_to[record[moves]]
        names = tuple(tuple(items.vocabulary(index)) for index in range(len(items.columns)))
        return Applied(self, names, code_of_item[baskets.items], record)

    def groups(self, column: str) -> Mapping[str, Sequence[str]]:
        return {}

    def leaves(self, items: ItemColumns, column: int) -> int:
        return len(set(items.vocabulary(column)) - set(items.columns[column].sensitive_items))

    def put_back(self, order: np.ndarray) -> GroupRecoding:
        """The decision about the records that were taken in this order, as they stood before."""
        return GroupRecoding(put_back(self.group, order), put_back(order[self.source], order))

    def suppressed(self, column: str) -> tuple[str, ...]:
        return ()

    def summary(self, column: str) -> str:
        return "all items as they are; sensitive ones dealt out at random among the records of a group"

    def to_dict(self) -> dict[str, Any]:
        return {"group_of_record": numbers_text(self.group), "sensitive_items_from": numbers_text(self.source)}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> GroupRecoding:
        return cls(*(numbers_from(content[key], np.int64) for key in ("group_of_record", "sensitive_items_from")))

    def __str__(self) -> str:
        sizes = self.sizes
        of = f" of {sizes.min():,} to {sizes.max():,} records" if sizes.size else ""
        return f"groups: {sizes.size:,}{of}; in each, sensitive items are dealt out at random"
