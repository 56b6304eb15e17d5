"""The decision behind a release of records: clusters of them, and what each cluster became. A local recoding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np

from tacit.arrays.attributes import Spans
from tacit.arrays.order import put_back
from tacit.recoding import Comparable, Recoding, numbers_from, numbers_text

_NAMED = 12
"""How many attributes are told on a line."""


@dataclass(frozen=True, eq=False)
class ClusterValues(Comparable):
    """What an attribute became in each cluster: a code into the texts that are published."""

    texts: tuple[str, ...]
    value: np.ndarray  # int32 per cluster

    def to_dict(self) -> dict[str, Any]:
        return {"published": list(self.texts), "of_cluster": numbers_text(self.value)}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> ClusterValues:
        return cls(tuple(content["published"]), numbers_from(content["of_cluster"], np.int32))


@dataclass(frozen=True, eq=False)
class ClusterItems(Comparable):
    """What the items became in each cluster. An item is the same in all records of a cluster, but another cluster may
    publish it by another name. Sensitive items are not part of it: they stay as they are."""

    columns: tuple[str, ...]  # the set-valued columns
    labels: tuple[str, ...]  # of the items, by their code in the data
    column_of: np.ndarray  # int32 per item
    names: tuple[str, ...]  # what is published
    column_of_name: np.ndarray  # int32
    leaves: np.ndarray  # int64 per name: the leaves it stands for, those that the data lacks included
    member_indptr: np.ndarray  # int64: name n stands for the items members[member_indptr[n]:member_indptr[n + 1]]
    members: np.ndarray  # int32, ascending
    indptr: np.ndarray  # int64: cluster c holds the items items[indptr[c]:indptr[c + 1]]
    items: np.ndarray  # int32, ascending
    name: np.ndarray  # int32: the name of each of them; −1 if it is suppressed in this cluster

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.name not in ("columns", "labels", "names"):
                kind = np.int64 if field.name in ("leaves", "member_indptr", "indptr") else np.int32
                object.__setattr__(self, field.name, np.asarray(getattr(self, field.name), kind))

    def to_dict(self) -> dict[str, Any]:
        names = [
            {
                "column": self.columns[column],
                "name": name,
                "items": [self.labels[i] for i in self.members[start:stop]],
                "leaves": leaves,
            }
            for name, column, leaves, start, stop in zip(
                self.names,
                self.column_of_name.tolist(),
                self.leaves.tolist(),
                self.member_indptr[:-1].tolist(),
                self.member_indptr[1:].tolist(),
                strict=True,
            )
        ]
        in_column = [[] for _ in self.columns]  # type: list[list[str]]
        for label, column in zip(self.labels, self.column_of.tolist(), strict=True):
            in_column[column].append(label)
        return {
            "vocabulary": dict(zip(self.columns, in_column, strict=True)),
            "names": names,
            "clusters": [self._cluster(index) for index in range(self.indptr.size - 1)],
        }

    def _cluster(self, index: int) -> dict[str, dict[str, int | None]]:
        """For each column the code of the name of each item of a cluster; None if it is suppressed."""
        becomes: dict[str, dict[str, int | None]] = {}
        here = slice(self.indptr[index], self.indptr[index + 1])
        for item, name in zip(self.items[here].tolist(), self.name[here].tolist(), strict=True):
            column = self.columns[self.column_of[item]]
            becomes.setdefault(column, {})[self.labels[item]] = None if name < 0 else name
        return becomes

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> ClusterItems:
        columns = tuple(content["vocabulary"])
        place = {column: i for i, column in enumerate(columns)}
        keys = [(place[column], label) for column, labels in content["vocabulary"].items() for label in labels]
        item = {key: i for i, key in enumerate(keys)}
        names = content["names"]
        members = [[item[place[each["column"]], label] for label in each["items"]] for each in names]
        clusters = [
            sorted(
                (item[place[column], label], -1 if name is None else name)
                for column, becomes in cluster.items()
                for label, name in becomes.items()
            )
            for cluster in content["clusters"]
        ]
        pairs = np.array([pair for cluster in clusters for pair in cluster], np.int32).reshape(-1, 2)
        return cls(
            columns,
            tuple(label for _, label in keys),
            np.array([column for column, _ in keys], np.int32),
            tuple(each["name"] for each in names),
            np.array([place[each["column"]] for each in names], np.int32),
            np.array([each["leaves"] for each in names], np.int64),
            _bounds(members),
            np.array([i for each in members for i in each], np.int32),
            _bounds(clusters),
            pairs[:, 0],
            pairs[:, 1],
        )


@dataclass(frozen=True, eq=False)
class RecordRecoding(Recoding):
    """Records in clusters; in a cluster all attributes are alike, and an item means the same everywhere."""

    kind: ClassVar[str] = "records"
    group: np.ndarray  # int32: the cluster of each original record
    attributes: Mapping[str, ClusterValues]
    items: ClusterItems | None = None
    curve: tuple[Mapping[str, Any], ...] = ()  # points between loss in values and in items; the chosen one is marked
    six: tuple[Mapping[str, Any], ...] = ()  # what the six configurations of the paper would lose
    lower_bound: float | None = None
    """No grouping has less NCP on the data that it was found for; None if that was not looked into. It is about the
    data, not about the decision, so JSON has none of it."""
    spans: tuple[Spans, ...] | None = None
    """What each attribute became on the data that it was found for; None of a decision that was read. Not in JSON."""

    @property
    def n_clusters(self) -> int:
        return next(iter(self.attributes.values())).value.size

    @property
    def sizes(self) -> np.ndarray:
        """Records of each cluster."""
        return np.bincount(self.group, minlength=self.n_clusters)

    def put_back(self, order: np.ndarray) -> RecordRecoding:
        """The decision about the records that were taken in this order, as they stood before."""
        return replace(self, group=put_back(self.group, order))

    def to_dict(self) -> dict[str, Any]:
        return {
            "cluster_of_record": numbers_text(self.group),
            "attributes": {name: values.to_dict() for name, values in self.attributes.items()},
            "items": None if self.items is None else self.items.to_dict(),
            **({"frontier": {"points": list(self.curve), "six": list(self.six)}} if self.curve else {}),
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> RecordRecoding:
        attributes = {name: ClusterValues.from_dict(values) for name, values in content["attributes"].items()}
        items = None if content["items"] is None else ClusterItems.from_dict(content["items"])
        known = content.get("frontier", {"points": (), "six": ()})
        group = numbers_from(content["cluster_of_record"], np.int32)
        return cls(group, attributes, items, tuple(known["points"]), tuple(known["six"]))

    def __str__(self) -> str:
        sizes = self.sizes
        between = f" of {sizes.min():,} to {sizes.max():,} records" if sizes.size else ""
        named = [f"{name}: {len(values.texts):,}" for name, values in self.attributes.items()]
        more = [f"and {len(named) - _NAMED:,} more attributes"] * (len(named) > _NAMED)
        shown = "; ".join([*named[:_NAMED], *more])
        lines = [f"clusters: {sizes.size:,}{between}", f"different values published: {shown}"]
        if self.items is not None:
            suppressed = int(np.count_nonzero(self.items.name < 0))
            lines.append(
                f"different names of items published: {len(self.items.names):,}; "
                f"items suppressed in a cluster: {suppressed:,}"
            )
        return "\n".join(lines)


def _bounds(lists: Sequence[Sequence[Any]]) -> np.ndarray:
    return np.cumsum([0, *map(len, lists)])
