"""k-anonymity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from tacit.promises.base import NO_DIVERSITY, WHOLE, K, Promise


@dataclass(frozen=True)
class KAnonymity(Promise):
    """k-anonymity: every record shares its quasi-identifiers with k − 1 others."""

    name: ClassVar[str] = "k"
    title: ClassVar[str] = "k-anonymity"
    stops: ClassVar[str] = "finds a person by the quasi-identifiers"
    not_stopped: ClassVar[str] = NO_DIVERSITY
    says: ClassVar[str] = "every record shares its quasi-identifiers with at least `k` − 1 others"
    takes: ClassVar[Mapping[str, str]] = {"k": K}
    accepts: ClassVar[Mapping[str, str]] = {"k": WHOLE}
    example: ClassVar[Mapping[str, Any]] = {"k": 5}
    weakest: ClassVar[Mapping[str, Any] | None] = {"k": 1}
    kind_of_data: ClassVar[str] = "records"
    roles: ClassVar[tuple[str, ...]] = ("quasi",)
    default_method: ClassVar[str] = "mondrian"
    audit: ClassVar[str] = "tacit.audits.k"
    reach: ClassVar[str] = "tacit.records.reach:enough_records"
    holds_by_groups: ClassVar[bool] = True
    asks_enough_people: ClassVar[bool] = True
    advised: ClassVar[bool] = True
    k: int

    def __post_init__(self) -> None:
        self._check_whole("k", 1)

    @property
    def bound(self) -> Fraction:
        return Fraction(1, self.k)

    def finds(self, *, quasi: bool = False, items: float = 0, absent: bool = False) -> Fraction | None:
        return None if items else self.bound

    def in_words(self, **facts: Any) -> str:
        return (
            "Someone who knows all quasi-identifiers of a person cannot narrow that person down "
            f"to fewer than {self.k} records of this file."
        )
