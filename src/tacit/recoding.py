"""The decision behind a release: frozen, printable, to JSON and back, and all that is needed to recode new data."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np

from tacit.errors import InputError

_NAMED = 5


@dataclass(frozen=True)
class ItemCut:
    """What becomes of the items of one column: the same everywhere in the data.

    >>> ItemCut({"beer": "alcohol", "wine": "alcohol", "opium": None}).published
    ('alcohol',)
    """

    becomes: Mapping[str, str | None]
    """For each leaf of the hierarchy the node it is published as; None if it is suppressed."""
    suppressed: tuple[str, ...] = ()
    """The nodes whose items are suppressed."""

    @property
    def published(self) -> tuple[str, ...]:
        """The names that can appear in the release, in the taxonomy's order."""
        return tuple(dict.fromkeys(name for name in self.becomes.values() if name is not None))

    def lookup(self, labels: Sequence[str]) -> np.ndarray:
        """For each label the number of its name in `published`, −1 if suppressed; new labels are refused."""
        unknown = [label for label in labels if label not in self.becomes]
        if unknown:
            raise InputError(
                f"{len(unknown)} item{'s' * (len(unknown) != 1)} that the recoding has never seen: "
                + ", ".join(map(repr, unknown[:_NAMED]))
                + ", ..." * (len(unknown) > _NAMED),
                hint="Anonymize the new data afresh, with a hierarchy that has these items.",
            )
        number: dict[str | None, int] = {name: i for i, name in enumerate(self.published)}
        number[None] = -1
        return np.array([number[self.becomes[label]] for label in labels], np.int32)


@dataclass(frozen=True)
class CutRecoding:
    """A cut of each set-valued column's hierarchy, with the nodes that are suppressed: a global recoding."""

    kind: ClassVar[str] = "cut"
    columns: Mapping[str, ItemCut]

    def __str__(self) -> str:
        lines = []
        for name, cut in self.columns.items():
            groups = len({node for leaf, node in cut.becomes.items() if node not in (leaf, None)})
            kept = sum(leaf == node for leaf, node in cut.becomes.items())
            lines.append(
                f"{name}: {kept} items as they are, {groups} groups, {len(cut.suppressed)} suppressed"
                + (f" ({', '.join(cut.suppressed[:_NAMED])}{', ...' * (len(cut.suppressed) > _NAMED)})")
                * bool(cut.suppressed)
            )
        return "\n".join(lines)


Recoding = CutRecoding


def to_json(recoding: Recoding) -> str:
    """The content of private/recoding.json."""
    return json.dumps({"kind": recoding.kind, **asdict(recoding)}, ensure_ascii=False, indent=1)


def from_json(text: str) -> Recoding:
    """The recoding that `to_json` wrote."""
    content: dict[str, Any] = json.loads(text)
    columns: Iterable[tuple[str, dict[str, Any]]] = content["columns"].items()
    return CutRecoding({name: ItemCut(c["becomes"], tuple(c["suppressed"])) for name, c in columns})
