"""The decision about records that were made in parts: where the parts are divided. Each part decided for itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from tacit.recoding import Recoding, text
from tacit.records.recoding import ClusterValues


@dataclass(frozen=True, eq=False)
class PartsRecoding(Recoding):
    """How many parts there were, and how they were divided; what became of each record is in private/rows."""

    kind: ClassVar[str] = "parts"
    parts: int
    splits: tuple[tuple[str, int, int, int], ...]
    """Column, the last place in the order of its values that goes below, where each side goes on (−1 − its part)."""
    attributes: Mapping[str, ClusterValues] = field(default_factory=dict)
    """The values that are published, by column; not saved."""
    shown: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The names of items that are published, by column; not saved."""
    nodes: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    """The groups of items that there are, by column, and what each stands for; not saved."""
    slices: tuple[tuple[str, ...], ...] = ()
    regions: ClassVar[tuple[()]] = ()  # nothing is generalized in slices that are made in parts

    def groups(self, column: str) -> Mapping[str, Sequence[str]]:
        return self.nodes.get(column, {})

    def suppressed(self, column: str) -> tuple[str, ...]:
        """No item is taken out of all parts by itself."""
        return ()

    def to_dict(self) -> dict[str, Any]:
        slices = {"slices": [list(each) for each in self.slices]} if self.slices else {}
        return {"parts": self.parts, "splits": [list(each) for each in self.splits], **slices}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> PartsRecoding:
        splits = tuple(
            (text(name), int(limit), int(below), int(above)) for name, limit, below, above in content["splits"]
        )
        slices = tuple(tuple(map(text, names)) for names in content.get("slices", ()))
        return cls(int(content["parts"]), splits, slices=slices)

    def __str__(self) -> str:
        return f"made in {self.parts:,} part{'s' * (self.parts != 1)}, each by itself"
