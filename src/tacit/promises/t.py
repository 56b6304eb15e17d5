"""k-anonymity and t-closeness."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from tacit.promises.base import WHOLE, K, Promise, is_number


@dataclass(frozen=True)
class TCloseness(Promise):
    """k-anonymity and t-closeness: people with equal quasi-identifiers have about the sensitive values of all.

    >>> TCloseness(k=5, t=0.2)
    TCloseness(k=5, t=0.2)
    """

    name: ClassVar[str] = "t"
    title: ClassVar[str] = "k-anonymity and t-closeness"
    stops: ClassVar[str] = "finds a person, or learns much of a sensitive value, by the quasi-identifiers"
    not_stopped: ClassVar[str] = (
        "It does not stop somebody who knows more than the quasi-identifiers, and it does not hide what is true of all "
        "people of this file: a value that most of them have can be told of anybody. Nor does it stop somebody who "
        "knows the method and works out from the groups that it chose what people's values must be."
    )
    says: ClassVar[str] = (
        "every record shares its quasi-identifiers with at least `k` − 1 others, and the values of each sensitive "
        "column among such records are distributed as in the whole file, to a distance of `t`"
    )
    takes: ClassVar[Mapping[str, str]] = {
        "k": K,
        "t": "how far the sensitive values of such people are from those of all at most, from 0 (not itself) to 1",
    }
    accepts: ClassVar[Mapping[str, str]] = {"k": WHOLE, "t": "a number above 0, and 1 at most"}
    example: ClassVar[Mapping[str, Any]] = {"k": 5, "t": 0.3}
    weakest: ClassVar[Mapping[str, Any] | None] = {"k": 1, "t": 1}
    kind_of_data: ClassVar[str] = "records"
    roles: ClassVar[tuple[str, ...]] = ("quasi", "sensitive")
    measures_distances: ClassVar[bool] = True
    default_method: ClassVar[str] = "mondrian"
    audit: ClassVar[str] = "tacit.audits.t"
    reach: ClassVar[str] = "tacit.records.reach:enough_records"
    stricter_below: ClassVar[tuple[str, ...]] = ("t",)
    holds_by_groups: ClassVar[bool] = True
    k: int
    t: float

    def __post_init__(self) -> None:
        self._check_whole("k", 1)
        t = self._number("t")
        self._check("t", is_number(t) and 0 < t <= 1, "a number above 0, and 1 at most", 0.2)

    @property
    def bound(self) -> Fraction:
        """Whose record it is; what is learned of a value is bounded by how frequent it is among all."""
        return Fraction(1, self.k)

    def finds(self, *, quasi: bool = False, items: float = 0, absent: bool = False) -> Fraction | None:
        return None if items else self.bound

    def in_words(self, **facts: Any) -> str:
        return (
            "Someone who knows all quasi-identifiers of a person cannot narrow that person down to fewer than "
            f"{self.k} records of this file, and the values of every sensitive column among them are distributed as in "
            f"the whole file, to a distance of {self.t:g} (0: just so, 1: as differently as can be)."
        )
