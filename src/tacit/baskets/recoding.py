"""Decisions about baskets: by which names items are published. Those here are the same for every record."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from tacit.recoding import Recoding, text
from tacit.taxonomy import Taxonomy
from tacit.taxonomy.nodes import ROOT, first_few, free_name

if TYPE_CHECKING:
    from tacit.baskets.data import ItemColumns


@dataclass(frozen=True, eq=False)
class Applied:
    """What a recoding makes of baskets, occurrence by occurrence."""

    recoding: BasketRecoding
    names: tuple[tuple[str, ...], ...]
    """For each column the names that can appear in it."""
    code: np.ndarray
    """int32: for each occurrence the code of its name in its column; −1 if it is suppressed."""
    record: np.ndarray | None = None
    """int64: the record that each occurrence is published in, if not always its own."""


class BasketRecoding(Recoding):
    """A decision about baskets: by which name each occurrence of an item is published, and what names stand for."""

    @abstractmethod
    def applied(self, items: ItemColumns) -> Applied:
        """What becomes of these baskets."""

    @abstractmethod
    def groups(self, column: str) -> Mapping[str, Sequence[str]]:
        """For each name of a column that stands for other items than the one of that name: the leaves that it does."""

    @abstractmethod
    def leaves(self, items: ItemColumns, column: int) -> int:
        """How many leaves there are in a column; sensitive items are none."""

    @abstractmethod
    def suppressed(self, column: str) -> tuple[str, ...]:
        """The nodes of a column whose items are suppressed in every record."""

    @abstractmethod
    def summary(self, column: str) -> str:
        """What was done to a column, on a line."""


@dataclass(frozen=True)
class ItemCut:
    """What becomes of the items of one column: the same everywhere in the data.

    >>> cut = ItemCut({"beer": "alcohol", "wine": "alcohol", "opium": None}, suppressed=("opium",))
    >>> cut.published
    ('alcohol',)
    >>> cut.lookup(["wine", "opium"]).tolist()
    [0, -1]
    """

    becomes: Mapping[str, str | None]
    """For each leaf of the hierarchy the node it is published as; None if it is suppressed."""
    suppressed: tuple[str, ...] = ()
    """The nodes whose items are suppressed."""
    sensitive: Mapping[str, str] = field(default_factory=dict)
    """For each item that is declared sensitive the name it is published by: no leaf, and never generalized."""

    @cached_property
    def published(self) -> tuple[str, ...]:
        """The names that can appear in the release: nodes in the taxonomy's order, then sensitive items."""
        nodes = (name for name in self.becomes.values() if name is not None)
        return tuple(dict.fromkeys((*nodes, *self.sensitive.values())))

    @cached_property
    def groups(self) -> frozenset[str]:
        """The names that stand for other items than the one of that name."""
        return frozenset(node for leaf, node in self.becomes.items() if node not in (leaf, None))

    def name_of(self, label: str) -> str | None:
        """The name that an item is published by; None if it is suppressed."""
        return self.sensitive[label] if label in self.sensitive else self.becomes[label]

    def knows(self, label: str) -> bool:
        return label in self.becomes or label in self.sensitive

    def lookup(self, labels: Sequence[str]) -> np.ndarray:
        """For each label the code of its name in `published`, −1 if it is suppressed."""
        code_of: dict[str | None, int] = {name: i for i, name in enumerate(self.published)}
        code_of[None] = -1
        return np.array([code_of[self.name_of(label)] for label in labels], np.int32)

    def as_tree(self) -> Taxonomy:
        """The hierarchy as far as the recoding tells it: leaves below the nodes that they become, below one root."""
        names, parents = [free_name(ROOT, {*self.becomes, *self.published})], [-1]
        above: dict[str, int] = {}
        for leaf, node in self.becomes.items():
            if node not in (leaf, None) and node not in above:
                above[node] = len(names)
                names.append(node)
                parents.append(0)
            names.append(leaf)
            parents.append(0 if node in (leaf, None) else above[node])
        return Taxonomy.from_parents(names, parents)

    def __str__(self) -> str:
        kept = sum(leaf == node for leaf, node in self.becomes.items())
        named = f" ({first_few(self.suppressed)})" if self.suppressed else ""
        sensitive = f"; sensitive: {len(self.sensitive):,}" if self.sensitive else ""
        return (
            f"items of the hierarchy kept: {kept:,} of {len(self.becomes):,}; groups: {len(self.groups):,}; "
            f"suppressed: {len(self.suppressed):,}{named}{sensitive}"
        )


@dataclass(frozen=True, eq=False)
class CutRecoding(BasketRecoding):
    """A cut of each set-valued column's hierarchy, with the nodes that are suppressed: a global recoding."""

    kind: ClassVar[str] = "cut"
    columns: Mapping[str, ItemCut]
    lower_bound: float | None = None
    """No cut and suppression has less NCP on the data that it was found for; None if that was not looked into."""
    in_names: float | None = None
    """The NCP of the best cut and suppression, where sets of items lose less, and the hierarchy has names."""
    in_related_sets: float | None = None
    """The NCP of sets of items that lie together in the hierarchy, on the same data; None if they were not tried."""
    is_nested: bool = False
    """Rare sets of items were too many to look at: each basket is within those of k people, whatever m is."""

    def applied(self, items: ItemColumns) -> Applied:
        code = np.full(len(items.baskets.vocabulary), -1, np.int32)
        for index, column in enumerate(items.columns):
            code[items.column_of == index] = self.columns[column.name].lookup(items.vocabulary(index))
        names = tuple(self.columns[column.name].published for column in items.columns)
        return Applied(self, names, code[items.baskets.items])

    def groups(self, column: str) -> Mapping[str, Sequence[str]]:
        leaves: dict[str, list[str]] = {name: [] for name in self.columns[column].published}
        for leaf, node in self.columns[column].becomes.items():
            if node is not None:
                leaves[node].append(leaf)
        return {name: leaves[name] for name in leaves if name in self.columns[column].groups}

    def leaves(self, items: ItemColumns, column: int) -> int:
        return len(self.columns[items.columns[column].name].becomes)

    def suppressed(self, column: str) -> tuple[str, ...]:
        return self.columns[column].suppressed

    def summary(self, column: str) -> str:
        return str(self.columns[column])

    def to_dict(self) -> dict[str, Any]:
        """The cuts alone: the rest is about the data, not about the decision."""
        return {"columns": asdict(self)["columns"]}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> CutRecoding:
        return cls({text(name): _cut(cut) for name, cut in content["columns"].items()})

    def __str__(self) -> str:
        return "\n".join(f"{name}: {cut}" for name, cut in self.columns.items())


def _cut(content: Mapping[str, Any]) -> ItemCut:
    """A cut as it was saved; every name in it must be one, for items are looked up in it and published by it."""
    becomes = {text(leaf): None if node is None else text(node) for leaf, node in content["becomes"].items()}
    sensitive = {text(item): text(name) for item, name in content["sensitive"].items()}
    cut = ItemCut(becomes, tuple(map(text, content["suppressed"])), sensitive)
    if cut.groups & becomes.keys():
        raise ValueError("an item has the name of a group")
    return cut
