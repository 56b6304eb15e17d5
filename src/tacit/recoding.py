"""The decision behind a release: frozen, printable, to JSON and back, and all that is needed to recode new data."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property, wraps
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, Self

import numpy as np

from tacit.errors import InputError
from tacit.taxonomy import Taxonomy
from tacit.taxonomy.nodes import ROOT, first_few, free_name

if TYPE_CHECKING:
    from tacit.baskets.data import ItemColumns


class Recoding(Protocol):
    """What every decision has: a kind, a text to read, and a form for JSON; equal decisions are equal."""

    kind: ClassVar[str]

    def to_dict(self) -> dict[str, Any]:
        """The decision in the types that JSON has."""

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """The decision that `to_dict` wrote."""


class Applied(NamedTuple):
    """What a recoding makes of baskets, occurrence by occurrence."""

    names: tuple[tuple[str, ...], ...]
    """For each column the names that can appear in it."""
    code: np.ndarray
    """int32: for each occurrence the number of its name in its column; −1 if it is suppressed."""
    record: np.ndarray | None = None
    """int64: the record that each occurrence is published in, if not always its own."""


_FEW = 1 << 22
"""So many occurrences that are recoded are kept; the numbers of more would need memory that big data has to share."""


class _Kept(NamedTuple):
    """What was made of which baskets. It is nothing to anybody who copies or saves the recoding: it holds raw data."""

    items: ItemColumns
    applied: Applied

    def __reduce__(self) -> tuple[Any, ...]:
        return type(None), ()


def kept_if_small(apply: Callable[[Any, ItemColumns], Applied]) -> Callable[[Any, ItemColumns], Applied]:
    """Keeps what a recoding last made of baskets: checks, the table to publish and the measures ask for the same."""

    @wraps(apply)
    def applied(recoding: Any, items: ItemColumns) -> Applied:
        kept = vars(recoding).get("_kept")
        if kept is None or kept.items is not items:
            kept = _Kept(items, apply(recoding, items))
            if kept.applied.code.size <= _FEW:
                vars(recoding)["_kept"] = kept
        return kept.applied

    return applied


class BasketRecoding(Recoding, Protocol):
    """A decision about baskets: by which name each occurrence of an item is published, and what names stand for."""

    def applied(self, items: ItemColumns) -> Applied:
        """What becomes of these baskets."""

    def groups(self, column: str) -> Mapping[str, Sequence[str]]:
        """For each name of a column that stands for other items than the one of that name: the leaves that it does."""

    def leaves(self, items: ItemColumns, column: int) -> int:
        """How many leaves there are in a column; sensitive items are none."""

    def suppressed(self, column: str) -> tuple[str, ...]:
        """The nodes of a column whose items are suppressed in every record."""

    def summary(self, column: str) -> str:
        """What was done to a column, on a line."""


class Comparable(ABC):
    """Equal if what JSON would hold is equal: arrays have no equality of their own."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The decision in the types that JSON has."""

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]


_ENCODER = json.JSONEncoder(ensure_ascii=False)
_MARK = "\x1f"
_MARKING_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(f",{_MARK}", ": "))
RECODINGS = {
    "cut": "tacit.recoding:CutRecoding",
    "local": "tacit.baskets.local_recodings:LocalRecoding",
    "groups": "tacit.baskets.local_recodings:GroupRecoding",
    "records": "tacit.records.recoding:RecordRecoding",
    "slices": "tacit.slices.recoding:SliceRecoding",
    "intervals": "tacit.ratings.recoding:IntervalRecoding",
}
"""Where each kind of recoding lives; its code is imported when one is read."""


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
        """For each label the number of its name in `published`, −1 if it is suppressed."""
        number: dict[str | None, int] = {name: i for i, name in enumerate(self.published)}
        number[None] = -1
        return np.array([number[self.name_of(label)] for label in labels], np.int32)

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
        gone = f" ({first_few(self.suppressed)})" if self.suppressed else ""
        secret = f"; sensitive: {len(self.sensitive):,}" if self.sensitive else ""
        return (
            f"items of the hierarchy kept: {kept:,} of {len(self.becomes):,}; groups: {len(self.groups):,}; "
            f"suppressed: {len(self.suppressed):,}{gone}{secret}"
        )


@dataclass(frozen=True)
class CutRecoding:
    """A cut of each set-valued column's hierarchy, with the nodes that are suppressed: a global recoding."""

    kind: ClassVar[str] = "cut"
    columns: Mapping[str, ItemCut]
    lower_bound: float | None = field(default=None, compare=False)
    """No cut and suppression has less NCP on the data that it was found for; None if that was not looked into."""

    @kept_if_small
    def applied(self, items: ItemColumns) -> Applied:
        code = np.full(len(items.baskets.vocabulary), -1, np.int32)
        for number, column in enumerate(items.columns):
            code[items.column_of == number] = self.columns[column.name].lookup(items.vocabulary(number))
        names = tuple(self.columns[column.name].published for column in items.columns)
        return Applied(names, code[items.baskets.items])

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
        """The cuts alone: the bound is about the data, not about the decision."""
        return {"columns": asdict(self)["columns"]}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> CutRecoding:
        return cls(
            {
                name: ItemCut(dict(cut["becomes"]), tuple(cut["suppressed"]), dict(cut["sensitive"]))
                for name, cut in content["columns"].items()
            }
        )

    def __str__(self) -> str:
        return "\n".join(f"{name}: {cut}" for name, cut in self.columns.items())


def to_json(recoding: Recoding) -> str:
    """The content of private/recoding.json."""
    return _laid_out({"kind": recoding.kind, **recoding.to_dict()}, "\n") + "\n"


def _laid_out(content: Any, line: str) -> str:
    """JSON with a line for each entry of a mapping and each list in a list: easy to look through, and soon written."""
    write, deeper = _ENCODER.encode, line + " "
    if isinstance(content, Mapping) and content:
        entries = (f"{write(str(key))}: {_laid_out(value, deeper)}" for key, value in content.items())
        return f"{{{deeper}{f',{deeper}'.join(entries)}{line}}}"
    if isinstance(content, list) and content and isinstance(content[0], list | Mapping):
        return f"[{deeper}{_each_laid_out(content, deeper)}{line}]"
    return write(content)


def _each_laid_out(content: list[Any], line: str) -> str:
    """The entries of a list, a line for each.

    Many lists are written at once and told apart afterwards: in the text of JSON no sign of control stands for itself.
    """
    text = _MARKING_ENCODER.encode(content)[1:-1]
    between = f"],{_MARK}["
    if all(isinstance(entry, list) for entry in content) and text.count(between) == len(content) - 1:
        return text.replace(between, f"],{line}[").replace(_MARK, " ")
    return f",{line}".join(map(_ENCODER.encode, content))


def from_json(text: str, *, file: Path | None = None) -> Recoding:
    """The recoding that `to_json` wrote."""
    try:
        content = json.loads(text)
        module, name = RECODINGS[content["kind"]].split(":")
        kind: type[Recoding] = getattr(import_module(module), name)
        return kind.from_dict(content)
    except (ValueError, KeyError, TypeError, AttributeError):
        hint = "Restore the file, or make the release again with `tacit anonymize`."
        raise InputError("this is not a recoding that tacit saved", file=file, hint=hint) from None
