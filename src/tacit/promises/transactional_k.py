"""Transactional k-anonymity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from tacit.promises.base import INFINITE, NO_DIVERSITY, WHOLE, K, Promise


@dataclass(frozen=True)
class TransactionalK(Promise):
    """Transactional k-anonymity: every basket has k − 1 equals."""

    name: ClassVar[str] = "transactional-k"
    title: ClassVar[str] = "transactional k-anonymity"
    stops: ClassVar[str] = "finds a person, knowing all of the basket that is not sensitive"
    not_stopped: ClassVar[str] = NO_DIVERSITY
    says: ClassVar[str] = (
        "every basket is published at least `k` times, but for sensitive items: whoever knows all others of a basket, "
        "and what is not in it, finds `k` people"
    )
    takes: ClassVar[Mapping[str, str]] = {"k": K}
    accepts: ClassVar[Mapping[str, str]] = {"k": WHOLE}
    example: ClassVar[Mapping[str, Any]] = {"k": 5}
    weakest: ClassVar[Mapping[str, Any] | None] = {"k": 1}
    kind_of_data: ClassVar[str] = "baskets"
    roles: ClassVar[tuple[str, ...]] = ("items",)
    default_method: ClassVar[str] = "partition"
    audit: ClassVar[str] = "tacit.audits.transactional_k"
    reach: ClassVar[str] = "tacit.baskets.reach:enough_people"
    k: int

    def __post_init__(self) -> None:
        self._check_whole("k", 1)

    @property
    def bound(self) -> Fraction:
        return Fraction(1, self.k)

    @property
    def items_known(self) -> float | None:
        return INFINITE

    def finds(self, *, quasi: bool = False, items: float = 0, absent: bool = False) -> Fraction | None:
        return self.bound

    def in_words(self, *, some_sensitive: bool = False, **facts: Any) -> str:
        if not some_sensitive:
            return (
                f"Every basket of this file stands there at least {self.k} times, so that nobody's can be told apart "
                "by what is in it, and what is not."
            )
        return (
            f"But for its sensitive items, every basket of this file stands there at least {self.k} times: someone who "
            "knows all other items of a person, and what is not among them, cannot tell whose basket it is. Who knows "
            "a sensitive item may."
        )
