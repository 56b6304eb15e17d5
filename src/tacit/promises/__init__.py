"""The promises a release can make: frozen, checked at birth, refusing with a reason."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import MISSING, asdict, dataclass, fields
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational, Real
from typing import Any, ClassVar

from tacit.errors import InputError

INFINITE = math.inf
DIVERSITIES = ("frequency", "distinct", "entropy")
_FINEST = 10**6


def exact(number: float | Fraction) -> Fraction:
    """The fraction that a parameter is meant to be: 2.3333333333333335 is 7/3.

    >>> exact(7 / 3), exact(0.8)
    (Fraction(7, 3), Fraction(4, 5))
    """
    return Fraction(number).limit_denominator(_FINEST)


@dataclass(frozen=True)
class Promise(ABC):
    """What every promise has: a name in job files, parameters, and words for people who do not read papers."""

    name: ClassVar[str]
    title: ClassVar[str]
    """How the field calls it."""
    not_stopped: ClassVar[str]
    """What it does not stop, for the report and the public note."""
    kind_of_data: ClassVar[str]
    """The room of what it is about: baskets, records, slices or ratings."""
    roles: ClassVar[tuple[str, ...]]
    """Columns that it is about, and that a job must have."""
    audit: ClassVar[str]
    """The module that checks it, which has a function `audit`."""
    about_sensitive_items: ClassVar[bool] = False
    """Whether items must be declared sensitive."""
    shows_groups: ClassVar[bool] = False
    """Whether the file has a column that tells the groups of records."""

    def parameters(self) -> dict[str, Any]:
        """As written in a job file or audit.json, where infinity is the string "inf"; what is not set is left out."""
        given = {key: value for key, value in asdict(self).items() if value is not None}
        return {key: "inf" if value == INFINITE else value for key, value in given.items()}

    @abstractmethod
    def in_words(self) -> str:
        """The promise for people who do not read papers."""

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

    def _check_whole(self, name: str, least: int) -> None:
        value = self._number(name)
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise InputError(
                f"privacy.{name} is {value!r}, but it must be a whole number of at least {least}",
                hint=f"Set {name} = {max(least, 2)} or more in [privacy].",
            )

    def _check_known_items(self) -> None:
        """m counts items: a whole number, or infinity, for which job files write "inf"."""
        if getattr(self, "m") in ("inf", INFINITE):  # noqa: B009
            object.__setattr__(self, "m", INFINITE)
        else:
            self._check_whole("m", 1)

    def _check_l(self) -> None:
        value = self._number("l")
        self._check("l", _is_number(value) and value > 1, "a number above 1", 2)


def _plain(value: Any) -> Any:
    """Numbers of NumPy and decimal ones as Python's own, by what they are written as; anything else as it is."""
    if isinstance(value, bool | int):
        return value
    if isinstance(value, Integral):
        return int(value)
    return float(str(value)) if isinstance(value, Decimal | Real) and not isinstance(value, Rational) else value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _knows(m: int | float) -> str:
    return "any number of items" if m == INFINITE else f"up to {m} item{'s' * (m != 1)}"


_MORE_KNOWLEDGE = (
    "It does not stop somebody who knows more than that, and it does not hide what is common to many people."
)
_NO_DIVERSITY = (
    "It does not stop somebody from learning what all people of such a group have in common, nor somebody who knows "
    "more than the promise says."
)


@dataclass(frozen=True)
class KmAnonymity(Promise):
    """k^m-anonymity: whoever knows up to m items of a person finds at least k people who have them.

    >>> KmAnonymity(k=5, m=2)
    KmAnonymity(k=5, m=2)
    >>> KmAnonymity(k=5, m="inf").m
    inf
    """

    name: ClassVar[str] = "km"
    kind_of_data: ClassVar[str] = "baskets"
    roles: ClassVar[tuple[str, ...]] = ("items",)
    audit: ClassVar[str] = "tacit.audits.km"
    title: ClassVar[str] = "k^m-anonymity"
    not_stopped: ClassVar[str] = _MORE_KNOWLEDGE
    k: int
    m: int | float

    def __post_init__(self) -> None:
        self._check_whole("k", 1)
        self._check_known_items()

    def in_words(self) -> str:
        return (
            f"Someone who knows {_knows(self.m)} of a person's basket cannot narrow that person down "
            f"to fewer than {self.k} baskets of this file."
        )


@dataclass(frozen=True)
class LmDiversity(Promise):
    """ℓ^m-diversity: up to m known items of a person imply no sensitive item with a probability above 1/ℓ."""

    name: ClassVar[str] = "lm"
    kind_of_data: ClassVar[str] = "baskets"
    roles: ClassVar[tuple[str, ...]] = ("items",)
    audit: ClassVar[str] = "tacit.audits.lm"
    about_sensitive_items: ClassVar[bool] = True
    title: ClassVar[str] = "ℓ^m-diversity"
    not_stopped: ClassVar[str] = _MORE_KNOWLEDGE
    l: float  # noqa: E741
    m: int | float

    def __post_init__(self) -> None:
        self._check_l()
        self._check_known_items()

    def in_words(self) -> str:
        return (
            f"Someone who knows {_knows(self.m)} of a person's basket cannot tell that the person has a sensitive "
            f"item with a probability above 1/{self.l:g}."
        )


@dataclass(frozen=True)
class Coherence(Promise):
    """(h,k,p)-coherence: up to p public items of a person are shared by k people, of whom at most h share a secret."""

    name: ClassVar[str] = "coherence"
    kind_of_data: ClassVar[str] = "baskets"
    roles: ClassVar[tuple[str, ...]] = ("items",)
    audit: ClassVar[str] = "tacit.audits.coherence"
    about_sensitive_items: ClassVar[bool] = True
    title: ClassVar[str] = "(h,k,p)-coherence"
    not_stopped: ClassVar[str] = _MORE_KNOWLEDGE
    h: float
    k: int
    p: int

    def __post_init__(self) -> None:
        h = self._number("h")
        self._check("h", _is_number(h) and 0 <= h <= 1, "a share between 0 and 1", 0.8)
        self._check_whole("k", 1)
        self._check_whole("p", 1)

    def in_words(self) -> str:
        return (
            f"Someone who knows {_knows(self.p)} of a person's basket finds at least {self.k} baskets of this file "
            f"that hold them, and no sensitive item in more than {self.h:.0%} of those."
        )


@dataclass(frozen=True)
class TransactionalK(Promise):
    """Transactional k-anonymity: every basket has k − 1 equals."""

    name: ClassVar[str] = "transactional-k"
    kind_of_data: ClassVar[str] = "baskets"
    roles: ClassVar[tuple[str, ...]] = ("items",)
    audit: ClassVar[str] = "tacit.audits.transactional_k"
    title: ClassVar[str] = "transactional k-anonymity"
    not_stopped: ClassVar[str] = _NO_DIVERSITY
    k: int

    def __post_init__(self) -> None:
        self._check_whole("k", 1)

    def in_words(self) -> str:
        return f"Every basket of this file stands there at least {self.k} times, so that nobody's can be told apart."


@dataclass(frozen=True)
class Cahd(Promise):
    """A sensitive item has a probability of at most 1/p in its group."""

    name: ClassVar[str] = "cahd"
    kind_of_data: ClassVar[str] = "baskets"
    roles: ClassVar[tuple[str, ...]] = ("items",)
    audit: ClassVar[str] = "tacit.audits.cahd"
    about_sensitive_items: ClassVar[bool] = True
    shows_groups: ClassVar[bool] = True
    title: ClassVar[str] = "privacy degree p of groups (CAHD)"
    not_stopped: ClassVar[str] = (
        "It does not hide who is in the file, nor which items that are not sensitive a person has."
    )
    p: int

    def __post_init__(self) -> None:
        self._check_whole("p", 1)

    def in_words(self) -> str:
        return (
            "Even someone who knows all items of a person that are not sensitive cannot link a sensitive item to "
            f"that person with a probability above 1/{self.p}."
        )


@dataclass(frozen=True)
class KAnonymity(Promise):
    """k-anonymity: every record shares its quasi-identifiers with k − 1 others."""

    name: ClassVar[str] = "k"
    kind_of_data: ClassVar[str] = "records"
    roles: ClassVar[tuple[str, ...]] = ("quasi",)
    audit: ClassVar[str] = "tacit.audits.k"
    title: ClassVar[str] = "k-anonymity"
    not_stopped: ClassVar[str] = _NO_DIVERSITY
    k: int

    def __post_init__(self) -> None:
        self._check_whole("k", 1)

    def in_words(self) -> str:
        return (
            "Someone who knows all quasi-identifiers of a person cannot narrow that person down "
            f"to fewer than {self.k} records of this file."
        )


@dataclass(frozen=True)
class LDiversity(Promise):
    """k-anonymity and ℓ-diversity: the sensitive values of people with equal quasi-identifiers differ enough."""

    name: ClassVar[str] = "l"
    kind_of_data: ClassVar[str] = "records"
    roles: ClassVar[tuple[str, ...]] = ("quasi", "sensitive")
    audit: ClassVar[str] = "tacit.audits.l"
    title: ClassVar[str] = "k-anonymity and ℓ-diversity"
    not_stopped: ClassVar[str] = (
        "It does not stop somebody who knows more than the quasi-identifiers, nor somebody who knows which sensitive "
        "values a person does not have."
    )
    k: int
    l: float  # noqa: E741
    kind: str = "frequency"

    def __post_init__(self) -> None:
        self._check_whole("k", 1)
        self._check("kind", self.kind in DIVERSITIES, f"one of {', '.join(DIVERSITIES)}", '"frequency"')
        if self.kind == "distinct":
            self._check_whole("l", 2)
        else:
            self._check_l()

    def in_words(self) -> str:
        diverse = {
            "frequency": f"no sensitive value stands in more than 1/{self.l:g} of them",
            "distinct": f"they have at least {self.l:g} different values in every sensitive column",
            "entropy": f"the entropy of every sensitive column among them is at least log {self.l:g}",
        }
        return (
            "Someone who knows all quasi-identifiers of a person cannot narrow that person down to fewer than "
            f"{self.k} records of this file, and {diverse[self.kind]}."
        )


@dataclass(frozen=True)
class KKmAnonymity(Promise):
    """(k, k^m)-anonymity: quasi-identifiers and up to m items of a person are shared by at least k people."""

    name: ClassVar[str] = "k-km"
    kind_of_data: ClassVar[str] = "records"
    roles: ClassVar[tuple[str, ...]] = ("quasi", "items")
    audit: ClassVar[str] = "tacit.audits.k_km"
    title: ClassVar[str] = "(k, k^m)-anonymity"
    not_stopped: ClassVar[str] = _NO_DIVERSITY
    k: int
    m: int | float

    def __post_init__(self) -> None:
        self._check_whole("k", 1)
        self._check_known_items()

    def in_words(self) -> str:
        return (
            f"Someone who knows all quasi-identifiers of a person and {_knows(self.m)} of the person's basket cannot "
            f"narrow that person down to fewer than {self.k} records of this file."
        )


@dataclass(frozen=True)
class KLmDiversity(Promise):
    """(k, ℓ^m)-diversity: quasi-identifiers and up to m items imply no sensitive items above 1/ℓ."""

    name: ClassVar[str] = "k-lm"
    kind_of_data: ClassVar[str] = "records"
    roles: ClassVar[tuple[str, ...]] = ("quasi", "items")
    audit: ClassVar[str] = "tacit.audits.k_lm"
    about_sensitive_items: ClassVar[bool] = True
    title: ClassVar[str] = "(k, ℓ^m)-diversity"
    not_stopped: ClassVar[str] = _MORE_KNOWLEDGE
    k: int
    l: float  # noqa: E741
    m: int | float

    def __post_init__(self) -> None:
        self._check_whole("k", 1)
        self._check_l()
        self._check_known_items()

    def in_words(self) -> str:
        return (
            f"At least {self.k} records of this file share the quasi-identifiers of any person. Someone who knows them "
            f"and {_knows(self.m)} of the person's basket cannot tell that the person has a sensitive item, or several "
            f"of them, with a probability above 1/{self.l:g}."
        )


@dataclass(frozen=True)
class SlicedDiversity(Promise):
    """ℓ-diverse slicing: all that is known of a person implies no sensitive value with a probability above 1/ℓ."""

    name: ClassVar[str] = "sliced-l"
    kind_of_data: ClassVar[str] = "slices"
    roles: ClassVar[tuple[str, ...]] = ("quasi", "sensitive")
    audit: ClassVar[str] = "tacit.audits.sliced_l"
    title: ClassVar[str] = "ℓ-diverse slicing"
    not_stopped: ClassVar[str] = (
        "It does not stop somebody who already knows one sensitive value of a person, or one that the person does not "
        "have, from learning more about the others, and it does not hide that a person is in this file."
    )
    l: float  # noqa: E741
    joint: bool = False

    def __post_init__(self) -> None:
        self._check_l()
        self._check("joint", isinstance(self.joint, bool), "true or false", "true")

    def in_words(self) -> str:
        what = "sensitive value, nor a combination of them," if self.joint else "sensitive value"
        return (
            "Someone who knows all quasi-identifiers of a person, and joins the slices of this file in every way, "
            f"cannot tell a {what} of that person with a probability above 1/{self.l:g}."
        )


@dataclass(frozen=True)
class KEpsAnonymity(Promise):
    """(k, ε)-anonymity: every person has k − 1 others whose non-sensitive ratings are all within ε."""

    name: ClassVar[str] = "k-eps"
    kind_of_data: ClassVar[str] = "ratings"
    roles: ClassVar[tuple[str, ...]] = ("rating",)
    audit: ClassVar[str] = "tacit.audits.k_eps"
    title: ClassVar[str] = "(k, ε)-anonymity"
    not_stopped: ClassVar[str] = (
        "It does not stop somebody who knows a person's very ratings, and not only about how high they are, nor "
        "somebody from learning what all people who are close to a person have in common."
    )
    k: int
    eps: float
    l: float | None = None  # noqa: E741

    def __post_init__(self) -> None:
        self._check_whole("k", 1)
        eps = self._number("eps")
        self._check("eps", _is_number(eps) and eps >= 0, "a number of at least 0", 1)
        if self.l is not None:
            self._check_l()

    def in_words(self, free: int = 0, *, all_free: bool = False) -> str:
        """The promise for data with so many free issues: ε is so large there that rated and not rated are close."""
        diverse = ""
        if self.l is not None:
            diverse = f" No sensitive rating is given by more than 1/{self.l:g} of them."
        if all_free:
            return (
                f"With ε = {self.eps:g} even a rating and no rating count as close, so that any two people of this "
                "file are close by definition. This says nothing about what a person rated, and how: someone who "
                f"knows some of it may find that person.{diverse}"
            )
        left_out = ""
        if free:
            issues, their, them = ("1 issue", "its", "it") if free == 1 else (f"{free:,} issues", "their", "them")
            left_out = (
                f" This leaves out {issues}, for which even a rating and no rating count as close with this ε: {their} "
                f"ratings are as they were given, and someone who knows who rated {them} may find a person by that."
            )
        others = "1 other" if self.k == 2 else f"{self.k - 1:,} others"
        return (
            f"Every person of this file has at least {others} who rated the same issues, each rating "
            f"within {self.eps:g}: someone who knows what a person rated and, of ratings that are not sensitive, each "
            f"to within {self.eps:g}, finds at least {self.k:,} people who fit.{diverse}{left_out}"
        )


MODELS: dict[str, type[Promise]] = {
    model.name: model
    for model in (
        KmAnonymity,
        LmDiversity,
        Coherence,
        TransactionalK,
        Cahd,
        KAnonymity,
        LDiversity,
        KKmAnonymity,
        KLmDiversity,
        SlicedDiversity,
        KEpsAnonymity,
    )
}


def promise(model: str, parameters: dict[str, Any]) -> Promise:
    """The promise that a job file names, with its parameters checked."""
    if model not in MODELS:
        raise InputError(
            f"privacy.model is {model!r}, which is not a promise tacit knows",
            hint=f"Use one of: {', '.join(MODELS)}. `tacit methods` says what each one stops.",
        )
    kind = MODELS[model]
    wanted = {field.name: field.default is MISSING for field in fields(kind)}
    unknown = sorted(set(parameters) - set(wanted))
    if unknown:
        raise InputError(
            f"[privacy] has {', '.join(map(repr, unknown))}, which model {model!r} does not take",
            hint=f"Its parameters are: {', '.join(wanted)}.",
        )
    needed = [name for name, needs in wanted.items() if needs]
    missing = [name for name in needed if name not in parameters]
    if missing:
        raise InputError(f"[privacy] lacks {', '.join(missing)}", hint=f"Model {model!r} needs {', '.join(needed)}.")
    return kind(**parameters)
