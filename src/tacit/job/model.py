"""A job: everything about a release, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tacit.promises import Promise

FORMATS = (
    *("csv", "tsv", "parquet", "feather", "dat", "jsonl", "ndjson"),
    *("xlsx", "ods", "sav", "zsav", "dta", "sas7bdat", "xpt"),
)
PACKABLE = FORMATS[:7]
NEVER_WRITTEN = ("ods", "sas7bdat")
"""As in tacit.io.formats, which takes longer to import; a test compares them."""
_STYLE = ("decimal", "thousands", "date_format", "first_year")
ROLE_KEYS: dict[str, tuple[str, ...]] = {
    "identifier": (),
    "person": (),
    "household": (),
    "weight": ("decimal", "thousands"),
    "quasi": ("type", "weight", "missing", "hierarchy", *_STYLE, "round", "top", "bottom"),
    "sensitive": (
        *("type", "missing", "hierarchy", "distance", "fold"),
        *("l", "harmless", "width"),
        *_STYLE,
    ),
    "items": ("separator", "hierarchy", "sensitive", "fold", "weight"),
    "rating": ("scale", "step", "sensitive", "decimal"),
    "plain": ("type",),
}
NEVER_PUBLISHED = ("identifier", "household", "weight")
"""Roles of columns that no release may have: whose record it is, whose home, and for how many people it stands."""
FIRST_YEAR = 1930
"""Years of two digits are those from here on, as spreadsheets take them."""
BLANK = " "
"""What stands between the items of a text column, unless the job says otherwise."""


@dataclass(frozen=True)
class Join:
    """Another table about the same persons: its items become a set a person, or its columns stand beside the others."""

    key: str
    """The column of the persons' table that says whose rows of the other one are theirs."""
    source: Path | str | None = None  # None: the database, or the workbook, of the persons' table
    query: str | None = None
    table: str | None = None
    format: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    on: str | None = None  # the key in the other table; None: it has the same name
    items: str | None = None
    name: str | None = None  # what the column of sets is called; None: as the items are
    columns: tuple[str, ...] = ()

    @property
    def gives(self) -> tuple[str, ...]:
        """The columns that it adds."""
        return self.columns if self.items is None else (self.name or self.items,)

    @property
    def needs(self) -> set[str]:
        """The columns that it reads of the other table."""
        return {self.on or self.key, *self.columns, *([self.items] if self.items else [])}


@dataclass(frozen=True)
class Input:
    """Where the data come from: a file, or a query or table of a database."""

    source: Path | str  # a str is a database URL
    query: str | None = None
    table: str | None = None
    format: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    layout: str = "wide"
    missing: tuple[str, ...] = ("",)
    population: float | None = None  # of how many people the records are a sample
    join: tuple[Join, ...] = ()

    @property
    def is_dat(self) -> bool:
        """Whether the data are bare baskets, one a line, which have the one column `items`."""
        name = self.format or (self.source.name if isinstance(self.source, Path) else "")
        return name.removesuffix(".gz").split(".")[-1] == "dat"

    @property
    def is_workbook(self) -> bool:
        """Whether the data are a sheet of a workbook, which `table` can name."""
        name = self.format or (self.source.name if isinstance(self.source, Path) else "")
        return name.lower().split(".")[-1] in ("xlsx", "ods")


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
    decimal: str | None = None  # what stands between whole and parts, in text; None: a point
    thousands: str | None = None  # what stands between thousands, in text; None: nothing
    date_format: str | None = None  # of days in text, such as D.M.YYYY; None: YYYY-MM-DD
    first_year: int | None = None  # of the hundred years that years of two digits are; None: 1930
    round: float | str | None = None  # ends of ranges are multiples of it; "exact": they are values
    top: float | str | None = None  # what is not below it is published as one open range; a date is a text
    bottom: float | str | None = None
    fold: bool = True  # of sensitive values and items: those that differ in spelling alone count as one
    l: float | None = None  # noqa: E741 - of sensitive values: how diverse they must be, if not as the promise says
    harmless: tuple[str, ...] = ()  # sensitive values that may be learnt
    width: float | None = None  # of sensitive numbers, and of days: those less than it apart count as one

    def __post_init__(self) -> None:
        """Whoever says how numbers or days are written says that these are some."""
        implied = "number" if self.decimal or self.thousands else "date" if self.date_format else None
        if self.type is None and implied is not None:
            object.__setattr__(self, "type", implied)

    @property
    def years(self) -> tuple[int, int] | None:
        """The first and the last year that days can be of, if they are written with two digits."""
        if self.date_format is None or "YYYY" in self.date_format:
            return None
        first = FIRST_YEAR if self.first_year is None else self.first_year
        return first, first + 99

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
    database: str | None = None  # a URL: the release becomes a table there, too
    table: str | None = None


@dataclass(frozen=True)
class Engine:
    """Where the work is done: on this machine, on a Spark cluster, or by Sail, which needs no Java."""

    name: str = "local"
    remote: str | None = None  # a Spark Connect server
    master: str | None = None  # or the master of a cluster
    key: str | None = None  # the column that tells records apart: for the order, and for private/rows

    def __bool__(self) -> bool:
        return self != Engine()


@dataclass(frozen=True)
class About:
    """What the page to sign says of a release, in the words of whoever answers for it; the language of all texts."""

    title: str | None = None
    operator: str | None = None
    recipient: str | None = None
    purpose: str | None = None
    legal_basis: str | None = None
    review: str | None = None
    threshold: float | None = None  # the highest risk that is accepted
    language: str | None = None  # of the report and the public note; English if nothing is said

    def __bool__(self) -> bool:
        return any(value is not None for value in vars(self).values())


@dataclass(frozen=True)
class Job:
    """A job file, checked; all paths in it are absolute."""

    input: Input
    columns: tuple[Column, ...]
    promise: Promise
    output: Output
    method: Method = Method()
    file: Path | None = field(default=None, compare=False)
    about: About = About()
    engine: Engine = Engine()

    def columns_with(self, role: str) -> tuple[Column, ...]:
        """The columns of one role, in the order of the job file."""
        return tuple(column for column in self.columns if column.role == role)

    @property
    def never_published(self) -> tuple[str, ...]:
        """The names of columns that no release may have, in the order of the job file."""
        return tuple(column.name for column in self.columns if column.role in NEVER_PUBLISHED)

    def filled(self, method: Method, output_format: str) -> Job:
        """The job as run: what it left open is taken from the arguments, what it says stays."""
        seed = method.seed if self.method.seed is None else self.method.seed
        return replace(
            self,
            columns=tuple(column.filled() for column in self.columns),
            method=Method(self.method.name or method.name, seed, {**method.options, **self.method.options}),
            output=replace(self.output, format=self.output.format or output_format),
        )
