"""What every promise has. A promise is one file of this package: whatever the rest of tacit needs to know of it, it
finds here, and nothing else asks which promise it is."""

from __future__ import annotations

import math
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational, Real
from typing import Any, ClassVar

from tacit.errors import InputError

INFINITE = math.inf
_FINEST = 10**6


def exact(number: float | Fraction) -> Fraction:
    """The fraction that a parameter is meant to be: 2.3333333333333335 is 7/3.

    >>> exact(7 / 3), exact(0.8)
    (Fraction(7, 3), Fraction(4, 5))
    """
    return Fraction(number).limit_denominator(_FINEST)


@dataclass(frozen=True)
class Promise(ABC):
    """A promise with its parameters: frozen, checked at birth, refusing with a reason."""

    name: ClassVar[str]
    """In job files."""
    title: ClassVar[str]
    """How the field calls it."""
    stops: ClassVar[str]
    """What nobody can do with the data, in half a sentence, for tables of promises."""
    not_stopped: ClassVar[str]
    """What it does not stop, for the report and the public note."""
    says: ClassVar[str]
    """What is promised, by the names of its parameters, as the documentation writes it."""
    takes: ClassVar[Mapping[str, str]]
    """What each parameter means."""
    accepts: ClassVar[Mapping[str, str]]
    """What each parameter may be, as the documentation writes it."""
    example: ClassVar[Mapping[str, Any]]
    """Parameters as somebody may choose them."""
    weakest: ClassVar[Mapping[str, Any] | None]
    """Parameters with which any data keep it as they are; None if there are none such."""
    kind_of_data: ClassVar[str]
    """The room of what it is about: baskets, records, slices or ratings."""
    roles: ClassVar[tuple[str, ...]]
    """Columns that it is about, and that a job must have."""
    default_method: ClassVar[str]
    """The best method there is for it."""
    audit: ClassVar[str]
    """The module that checks it, which has a function `audit`."""
    reach: ClassVar[str]
    """The function, `module:name`, that refuses what no method can keep on some data."""
    about_sensitive_items: ClassVar[bool] = False
    """Whether items must be declared sensitive."""
    shows_groups: ClassVar[bool] = False
    """Whether the file has a column that tells the groups of records."""
    measures_distances: ClassVar[bool] = False
    """Whether it matters how far sensitive values are apart, by order or hierarchy."""
    by_column: ClassVar[tuple[str, ...]] = ()
    """What can be asked otherwise of a sensitive column, by a key of it: how diverse it must be, say."""
    shows_ranges: ClassVar[bool] = False
    """Whether ratings may be published as ranges."""
    own_meaning: ClassVar[tuple[str, ...]] = ()
    """Parameters that mean something else than those of the same name in other promises."""
    stricter_below: ClassVar[tuple[str, ...]] = ()
    """Parameters of which less promises more."""
    reached_at_most: ClassVar[tuple[str, ...]] = ()
    """Parameters of which an audit tells the most that may be reached, not the least, where it is not exact."""
    holds_by_groups: ClassVar[bool] = False
    """Whether a file keeps it of which all groups do, each by itself, so that shares of them can be audited. Of
    ratings, all who rated the same issues are a group; what is compared with the whole file is told to each share."""
    holds_by_supports: ClassVar[bool] = False
    """Whether nothing counts but how many people hold each set of up to `m` items, or fit as many ratings, so that sets
    can be counted in shares of a file and their counts be summed."""
    asks_enough_people: ClassVar[bool] = False
    """Whether no more is asked of a group than that enough people are in it: more of whoever it is never hurt."""
    advised: ClassVar[bool] = False
    """Whether it is the one to begin with for columns of its roles."""

    @property
    def protects(self) -> tuple[str, ...]:
        """The roles of columns that it may be told of; others can only be published as they are."""
        return (*self.roles, *(("sensitive",) if "quasi" in self.roles else ()))

    @property
    @abstractmethod
    def bound(self) -> Fraction:
        """How often the attacker of its sentence is right at most, exactly."""

    @property
    def items_known(self) -> float | None:
        """How many items, or ratings, of a person the attacker of its sentence knows; None if it is about none."""
        return None

    def finds(self, *, quasi: bool = False, items: float = 0, absent: bool = False) -> Fraction | None:
        """How often somebody finds a person's record at most who knows the quasi-identifiers, so many items (or
        ratings), and what is `absent`; None if nothing is promised against that."""
        return None

    def learns(self, *, quasi: bool = False, items: float = 0) -> Fraction | None:
        """The same for a guess at something sensitive of a person."""
        return None

    @abstractmethod
    def in_words(self, **facts: Any) -> str:
        """The promise for people who do not read papers; `facts` are what its kind of data says of some data."""

    def check_column(self, name: str, asked: Mapping[str, Any]) -> None:
        """Refuses what is asked otherwise of a sensitive column, by keys of `by_column`, and makes no sense."""
        return

    def parameters(self) -> dict[str, Any]:
        """As written in a job file or audit.json, where infinity is the string "inf"; what is not set is left out."""
        given = {key: value for key, value in asdict(self).items() if value is not None}
        return {key: "inf" if value == INFINITE else value for key, value in given.items()}

    def _check(self, name: str, fits: bool, wanted: str, example: object) -> None:
        if not fits:
            raise InputError(
                f"privacy.{name} is {getattr(self, name)!r}, but it must be {wanted}",
                hint=f"Set {name} = {example} in [privacy], for example.",
            )

    def _number(self, name: str) -> Any:
        """A parameter, which from here on is a plain number of Python if it is one at all."""
        object.__setattr__(self, name, _plain(getattr(self, name)))
        return getattr(self, name)

    def _check_whole(self, name: str, least: int, *, otherwise: str = "") -> None:
        value = self._number(name)
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise InputError(
                f"privacy.{name} is {value!r}, but it must be a whole number of at least {least}{otherwise}",
                hint=f"Set {name} = {max(least, 2)} or more in [privacy].",
            )

    def _check_known_items(self) -> None:
        """m counts items: a whole number, or infinity, for which job files write "inf"."""
        if getattr(self, "m") in ("inf", INFINITE):  # noqa: B009
            object.__setattr__(self, "m", INFINITE)
        else:
            self._check_whole("m", 1, otherwise=', or "inf"')

    def _check_l(self) -> None:
        value = self._number("l")
        self._check("l", is_number(value) and value > 1, "a number above 1", 2)


def _plain(value: Any) -> Any:
    """Numbers of NumPy and decimal ones as Python's own, by what they are written as; anything else as it is."""
    if isinstance(value, bool | int):
        return value
    if isinstance(value, Integral):
        return int(value)
    return float(str(value)) if isinstance(value, Decimal | Real) and not isinstance(value, Rational) else value


def is_number(value: Any) -> bool:
    """Whether a value is a finite number, and no larger than a float can be; whole ones have no end in Python."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def knows(m: int | float, *, some_sensitive: bool) -> str:
    """So many items of a person's basket, in words; if some are sensitive, an attacker knows others."""
    items = "any number of items" if m == INFINITE else f"up to {m} item{'s' * (m != 1)}"
    return f"{items} of a person's basket{' that are not sensitive' * some_sensitive}"


K = "how many people are alike at least"
M = 'how many items an attacker knows at most; `"inf"`: any number'
L = "nothing sensitive is known with a probability above 1/ℓ"
WHOLE = "a whole number from 1 up"
WHOLE_OR_ANY = 'a whole number from 1 up, or `"inf"`'
ABOVE_ONE = "a number above 1"
MORE_KNOWLEDGE = (
    "It does not stop somebody who knows more than that, and it does not hide what is common to many people."
)
ONE_OF_SEVERAL = (
    "It does not stop somebody who knows more than that, nor somebody from learning that a person has one of several "
    "sensitive items, and it does not hide what is common to many people. Nor does it stop somebody who knows the "
    "method, and what is public of everybody, and works out from what it chose what people's sensitive items must be."
)
"""Methods look at sensitive items to choose what is published, so that the choice tells of them (minimality)."""
NO_DIVERSITY = (
    "It does not stop somebody from learning what all people of such a group have in common, nor somebody who knows "
    "more than the promise says."
)


@dataclass(frozen=True)
class FewKnown(Promise):
    """What promises by k and m have in common: whoever knows up to m of a person's items finds at least k who fit."""

    accepts: ClassVar[Mapping[str, str]] = {"k": WHOLE, "m": WHOLE_OR_ANY}
    example: ClassVar[Mapping[str, Any]] = {"k": 5, "m": 2}
    weakest: ClassVar[Mapping[str, Any] | None] = {"k": 1, "m": 2}
    k: int
    m: int | float

    def __post_init__(self) -> None:
        self._check_whole("k", 1)
        self._check_known_items()

    @property
    def bound(self) -> Fraction:
        return Fraction(1, self.k)

    @property
    def items_known(self) -> float | None:
        return self.m

    def finds(self, *, quasi: bool = False, items: float = 0, absent: bool = False) -> Fraction | None:
        return self.bound if items <= self.m and not absent else None
