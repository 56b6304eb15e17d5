"""(k, k^m)-anonymity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from tacit.promises.base import NO_DIVERSITY, WHOLE, WHOLE_OR_ANY, K, M, Promise, knows


@dataclass(frozen=True)
class KKmAnonymity(Promise):
    """(k, k^m)-anonymity: quasi-identifiers and up to m items of a person are shared by at least k people."""

    name: ClassVar[str] = "k-km"
    title: ClassVar[str] = "(k, k^m)-anonymity"
    stops: ClassVar[str] = "finds a person by the quasi-identifiers and a few known items"
    not_stopped: ClassVar[str] = NO_DIVERSITY
    says: ClassVar[str] = (
        "whoever knows all quasi-identifiers of a person and up to `m` items that are not sensitive finds at least `k` "
        "records that fit, or none"
    )
    takes: ClassVar[Mapping[str, str]] = {"k": K, "m": M}
    accepts: ClassVar[Mapping[str, str]] = {"k": WHOLE, "m": WHOLE_OR_ANY}
    example: ClassVar[Mapping[str, Any]] = {"k": 5, "m": 2}
    weakest: ClassVar[Mapping[str, Any] | None] = {"k": 1, "m": 2}
    kind_of_data: ClassVar[str] = "records"
    roles: ClassVar[tuple[str, ...]] = ("quasi", "items")
    default_method: ClassVar[str] = "rum-bound"
    audit: ClassVar[str] = "tacit.audits.k_km"
    reach: ClassVar[str] = "tacit.records.reach:enough_people"
    holds_by_groups: ClassVar[bool] = True
    advised: ClassVar[bool] = True
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

    def in_words(self, *, some_sensitive: bool = False, **facts: Any) -> str:
        known = knows(self.m, some_sensitive=some_sensitive).replace("a person's", "the person's")
        return (
            f"Someone who knows all quasi-identifiers of a person and {known} cannot "
            f"narrow that person down to fewer than {self.k} records of this file."
        )
