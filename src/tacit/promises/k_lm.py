"""(k, ℓ^m)-diversity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from tacit.promises.base import ABOVE_ONE, MORE_KNOWLEDGE, WHOLE, WHOLE_OR_ANY, K, L, M, Promise, exact, knows


@dataclass(frozen=True)
class KLmDiversity(Promise):
    """(k, ℓ^m)-diversity: quasi-identifiers and up to m items imply no sensitive items above 1/ℓ."""

    name: ClassVar[str] = "k-lm"
    title: ClassVar[str] = "(k, ℓ^m)-diversity"
    stops: ClassVar[str] = "learns a sensitive item by the quasi-identifiers and a few known items"
    not_stopped: ClassVar[str] = MORE_KNOWLEDGE
    says: ClassVar[str] = (
        "every record shares its quasi-identifiers with at least `k` − 1 others, and whoever knows these and up to "
        "`m` items of a person infers no sensitive item, nor several, with a probability above 1/`l`"
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
    k: int
    l: float  # noqa: E741
    m: int | float

    def __post_init__(self) -> None:
        self._check_whole("k", 1)
        self._check_l()
        self._check_known_items()

    @property
    def bound(self) -> Fraction:
        return 1 / exact(self.l)

    def in_words(self, **facts: Any) -> str:
        return (
            f"At least {self.k} records of this file share the quasi-identifiers of any person. Someone who knows them "
            f"and {knows(self.m)} of the person's basket cannot tell that the person has a sensitive item, or several "
            f"of them, with a probability above 1/{self.l:g}."
        )
