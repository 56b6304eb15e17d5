"""(k, ℓ^m)-diversity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from tacit.promises.base import ABOVE_ONE, ONE_OF_SEVERAL, WHOLE, WHOLE_OR_ANY, K, L, M, Promise, exact, knows


@dataclass(frozen=True)
class KLmDiversity(Promise):
    """(k, ℓ^m)-diversity: (k, k^m)-anonymity, and what is known implies no sensitive items above 1/ℓ."""

    name: ClassVar[str] = "k-lm"
    title: ClassVar[str] = "(k, ℓ^m)-diversity"
    stops: ClassVar[str] = "finds a person, or learns a sensitive item, by the quasi-identifiers and a few known items"
    not_stopped: ClassVar[str] = ONE_OF_SEVERAL
    says: ClassVar[str] = (
        "whoever knows all quasi-identifiers of a person and up to `m` items that are not sensitive finds at least `k` "
        "records that fit, or none, and infers no one sensitive item, nor several together, with a probability above "
        "1/`l`"
    )
    takes: ClassVar[Mapping[str, str]] = {"k": K, "l": L, "m": M}
    accepts: ClassVar[Mapping[str, str]] = {"k": WHOLE, "l": ABOVE_ONE, "m": WHOLE_OR_ANY}
    example: ClassVar[Mapping[str, Any]] = {"k": 5, "l": 3, "m": 2}
    weakest: ClassVar[Mapping[str, Any] | None] = None
    kind_of_data: ClassVar[str] = "records"
    roles: ClassVar[tuple[str, ...]] = ("quasi", "items")
    default_method: ClassVar[str] = "rum-bound"
    audit: ClassVar[str] = "tacit.audits.k_lm"
    reach: ClassVar[str] = "tacit.records.reach:rare_enough"
    about_sensitive_items: ClassVar[bool] = True
    holds_by_groups: ClassVar[bool] = True
    k: int
    l: float  # noqa: E741
    m: int | float

    def __post_init__(self) -> None:
        self._check_whole("k", 1)
        self._check_l()
        self._check_known_items()

    @property
    def bound(self) -> Fraction:
        """Of a guess at what is sensitive; whose record it is, is bounded by k."""
        return 1 / exact(self.l)

    @property
    def items_known(self) -> float | None:
        return self.m

    def finds(self, *, quasi: bool = False, items: float = 0, absent: bool = False) -> Fraction | None:
        return Fraction(1, self.k) if items <= self.m and not absent else None

    def learns(self, *, quasi: bool = False, items: float = 0) -> Fraction | None:
        return self.bound if items <= self.m else None

    def in_words(self, **facts: Any) -> str:
        known = knows(self.m, some_sensitive=True).replace("a person's", "the person's")
        return (
            f"Someone who knows all quasi-identifiers of a person and {known} cannot "
            f"narrow that person down to fewer than {self.k} records of this file, and cannot tell of any one "
            f"sensitive item, or of several together, that the person has it, with a probability above 1/{self.l:g}."
        )
