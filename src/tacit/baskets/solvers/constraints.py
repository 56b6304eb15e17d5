"""What COAT and PCTA may and must do: privacy constraints, utility constraints, weights, and how much may be lost.

The file is TOML:

    privacy = [["beer", "wine"], ["bread"]]              # sets that an attacker may know
    utility = [["beer", "wine", "cider"], ["bread", "rolls"]]   # what may be published together
    max_suppressed = 0.15                                # share of the items that may be left out
    [weights]                                            # how much an item matters; 1 unless said otherwise
    beer = 2.5
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from tacit.errors import InputError

_KEYS = ("privacy", "utility", "weights", "max_suppressed")
_WEIGHT_STEPS, _HEAVIEST = 1000, 1000  # weights count in thousandths

Sets = tuple[frozenset[str], ...]


@dataclass(frozen=True)
class Constraints:
    """Constraints on the items with these labels; item i of the baskets is labels[i].

    `privacy`: each set shall be held by nobody or by k people at least; None: only k^m is asked for. `utility`: items
    of one set may be published together, others are kept or suppressed; None: all items are one such set.
    """

    labels: tuple[str, ...]
    privacy: Sets | None = None
    utility: Sets | None = None
    weights: Mapping[str, float] = field(default_factory=dict)
    max_suppressed: float = 1.0
    source: Path | None = None  # for messages

    def __post_init__(self) -> None:
        for kind, sets in (("privacy", self.privacy), ("utility", self.utility)):
            for place, items in enumerate(sets or (), start=1):
                if not items:
                    self._refuse(f"{kind} constraint {place} is empty", "Name at least one item, or take it out.")
                self._check_known(items, f"{kind} constraint {place}")
        owner: dict[str, int] = {}
        for place, items in enumerate(self.utility or (), start=1):
            for item in sorted(items):
                if owner.setdefault(item, place) != place:
                    problem = f"item {item!r} is in utility constraints {owner[item]} and {place}"
                    self._refuse(problem, "An item may be published in one set only: take it out of one.", item)
        self._check_known(self.weights, "[weights]")
        for item, weight in self.weights.items():
            if not 1 / _WEIGHT_STEPS <= weight <= _HEAVIEST:
                hint = f"Weights go from {1 / _WEIGHT_STEPS} to {_HEAVIEST}; leave ordinary items out, they weigh 1."
                self._refuse(f"item {item!r} weighs {weight}", hint, item)
        if not 0 <= self.max_suppressed <= 1:
            hint = "Write the share of the items that may be suppressed, from 0 to 1."
            self._refuse(f"max_suppressed is {self.max_suppressed}", hint, "max_suppressed")

    @cached_property
    def _code_of(self) -> dict[str, int]:
        return {label: code for code, label in enumerate(self.labels)}

    def _check_known(self, items: Iterable[str], where: str) -> None:
        for item in sorted(items):
            if item not in self._code_of:
                hint = "Items are written exactly as in the data."
                self._refuse(f"{where} names item {item!r}, which is not in the data", hint, item)

    def _refuse(self, problem: str, hint: str, near: str | None = None) -> None:
        raise InputError(problem, file=self.source, line=_line_with(self.source, near), hint=hint)

    def privacy_items(self) -> tuple[np.ndarray, np.ndarray]:
        """The items of all privacy constraints one after another, and where each ends."""
        sets = [sorted(self._code_of[item] for item in items) for items in self.privacy or ()]
        members = np.array([item for items in sets for item in items], np.int32)
        return members, np.cumsum([len(items) for items in sets], dtype=np.int64)

    def permit(self) -> np.ndarray:
        """For each item the index of its utility constraint, or −1."""
        if self.utility is None:
            return np.zeros(len(self.labels), np.int32)
        permit = np.full(len(self.labels), -1, np.int32)
        for code, items in enumerate(self.utility):
            permit[[self._code_of[item] for item in items]] = code
        return permit

    def importance(self) -> np.ndarray:
        """The items' weights as whole numbers, as small as their ratios permit."""
        weight = np.full(len(self.labels), _WEIGHT_STEPS, np.int64)
        for item, value in self.weights.items():
            weight[self._code_of[item]] = round(value * _WEIGHT_STEPS)
        return weight // max(int(np.gcd.reduce(weight)), 1)

    def within(self, column_of: Sequence[int], columns: Sequence[str]) -> Constraints:
        """The same for items of several columns, item i in columns[column_of[i]]: no set spans two of them."""
        if len(columns) == 1:
            return self
        for place, items in enumerate(self.utility or (), start=1):
            spanned = sorted({column_of[self._code_of[item]] for item in items})
            if len(spanned) > 1:
                named = " and ".join(repr(columns[column]) for column in spanned[:2])
                problem = f"utility constraint {place} has items of the columns {named}, which cannot be one set"
                self._refuse(problem, "Write one utility constraint for each column.", sorted(items)[0])
        if self.utility is not None:
            return self
        sets: dict[int, set[str]] = {}
        for label, column in zip(self.labels, column_of, strict=True):
            sets.setdefault(column, set()).add(label)
        return replace(self, utility=tuple(frozenset(sets[column]) for column in sorted(sets)))

    def may_suppress(self, n_items: int) -> int:
        """How many of so many items may be left out."""
        return int(self.max_suppressed * n_items + 1e-9)


def read_constraints(path: Path, labels: Sequence[str]) -> Constraints:
    """Reads a constraints file for items with these labels, item i being labels[i]."""
    content = _parse(path)
    unknown = sorted(set(content) - set(_KEYS))
    if unknown:
        hint = f"The keys are: {', '.join(_KEYS)}."
        raise InputError(f"unknown key {unknown[0]!r}", file=path, line=_line_with(path, unknown[0]), hint=hint)
    return Constraints(
        tuple(labels),
        _sets(path, "privacy", content.get("privacy")),
        _sets(path, "utility", content.get("utility")),
        _weights(path, content.get("weights", {})),
        _number(path, "max_suppressed", content.get("max_suppressed", 1.0)),
        path,
    )


def _parse(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        hint = "Check the path of method.constraints in the job file."
        raise InputError(f"cannot read the constraints file: {error.strerror}", file=path, hint=hint) from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        hint = 'It is TOML, for example: utility = [["beer", "wine"], ["bread", "rolls"]]'
        raise InputError(f"cannot read the constraints file: {error}", file=path, hint=hint) from None


def _sets(path: Path, key: str, value: Any) -> Sets | None:
    if value is None:
        return None
    hint = f'Write a list of lists of items: {key} = [["beer", "wine"], ["bread"]]'
    if not isinstance(value, list) or not all(isinstance(items, list) for items in value):
        raise InputError(f"{key} is not a list of lists", file=path, line=_line_with(path, key), hint=hint)
    for items in value:
        for item in items:
            if not isinstance(item, str | int) or isinstance(item, bool):
                raise InputError(f"{key} holds {item!r}", file=path, line=_line_with(path, key), hint=hint)
    return tuple(frozenset(map(str, items)) for items in value)


def _weights(path: Path, value: Any) -> dict[str, float]:
    if not isinstance(value, dict):
        hint = 'Write a table: [weights], then lines such as "beer" = 2.5'
        raise InputError("weights is not a table", file=path, line=_line_with(path, "weights"), hint=hint)
    return {item: _number(path, item, weight) for item, weight in value.items()}


def _number(path: Path, key: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"{key} is {value!r}", file=path, line=_line_with(path, key), hint="Write a number.")
    return float(value)


def _line_with(path: Path | None, text: str | None) -> int | None:
    """The first line of the file that holds the text: good enough for messages."""
    if path is None or text is None:
        return None
    lines = path.read_text(encoding="utf-8-sig").splitlines()
    return next((number for number, line in enumerate(lines, start=1) if text in line), None)
