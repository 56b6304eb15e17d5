"""A job: everything about a release, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tacit.promises import Promise

FORMATS = ("csv", "tsv", "parquet", "feather", "dat")
ROLE_KEYS: dict[str, tuple[str, ...]] = {
    "identifier": (),
    "person": (),
    "quasi": ("type", "weight", "missing", "hierarchy"),
    "sensitive": ("type", "missing", "hierarchy", "distance"),
    "items": ("separator", "hierarchy", "sensitive", "weight"),
    "rating": ("scale", "step", "sensitive"),
    "plain": ("type",),
}
BLANK = " "
"""What stands between the items of a text column, unless the job says otherwise."""


@dataclass(frozen=True)
class Input:
    """Where the data come from: a file, or a query or table of a database."""

    source: Path | str  # a str is a database URL
    query: str | None = None
    table: str | None = None
    format: str | None = None
    delimiter: str | None = None
    layout: str = "wide"
    missing: tuple[str, ...] = ("",)

    @property
    def is_dat(self) -> bool:
        """Whether the data are bare baskets, one a line, which have the one column `items`."""
        name = self.format or (self.source.name if isinstance(self.source, Path) else "")
        return name.removesuffix(".gz").split(".")[-1] == "dat"


@dataclass(frozen=True)
class Column:
    """What one column of the data is, and how it is to be treated."""

    name: str
    role: str
    type: str | None = None
    weight: float = 1.0
    missing: str = "value"
    hierarchy: Path | None = None
    separator: str | None = None
    sensitive: bool = False  # of a rating
    sensitive_items: tuple[str, ...] = ()  # the key `sensitive` of an items column
    scale: tuple[float, float] | None = None
    step: float | None = None  # 0: any value of the scale
    distance: str | None = None  # of sensitive values, where a promise measures it

    def filled(self) -> Column:
        """The column with what is meant where nothing is said: a blank between items."""
        blank = self.role == "items" and self.separator is None
        return replace(self, separator=BLANK) if blank else self


@dataclass(frozen=True)
class Method:
    """How the promise is reached; None and no options where the choice is left to tacit."""

    name: str | None = None
    seed: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Output:
    """Where the release goes, and in which form."""

    directory: Path
    format: str | None = None
    escape_formulas: bool = False


@dataclass(frozen=True)
class Job:
    """A job file, checked; all paths in it are absolute."""

    input: Input
    columns: tuple[Column, ...]
    promise: Promise
    output: Output
    method: Method = Method()
    file: Path | None = field(default=None, compare=False)

    def columns_with(self, role: str) -> tuple[Column, ...]:
        """The columns of one role, in the order of the job file."""
        return tuple(column for column in self.columns if column.role == role)

    def filled(self, method: Method, output_format: str) -> Job:
        """The job as run: what it left open is taken from the arguments, what it says stays."""
        seed = method.seed if self.method.seed is None else self.method.seed
        return replace(
            self,
            columns=tuple(column.filled() for column in self.columns),
            method=Method(self.method.name or method.name, seed, {**method.options, **self.method.options}),
            output=replace(self.output, format=self.output.format or output_format),
        )
