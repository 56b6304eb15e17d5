"""(h,k,p)-coherence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from tacit.promises.base import ONE_OF_SEVERAL, WHOLE, K, Promise, exact, is_number, knows


@dataclass(frozen=True)
class Coherence(Promise):
    """(h,k,p)-coherence: up to p public items of a person are shared by k people, at most h with one sensitive item."""

    name: ClassVar[str] = "coherence"
    title: ClassVar[str] = "(h,k,p)-coherence"
    stops: ClassVar[str] = "finds a person, or learns a sensitive item, by a few known items"
    not_stopped: ClassVar[str] = ONE_OF_SEVERAL
    says: ClassVar[str] = (
        "whoever knows up to `p` items of a person that are not sensitive, or none, finds at least `k` baskets that "
        "have them all, and no one sensitive item in more than the share `h` of these"
    )
    takes: ClassVar[Mapping[str, str]] = {
        "h": "the share of such people that may have one sensitive item in common",
        "k": K,
        "p": "how many items an attacker knows at most",
    }
    accepts: ClassVar[Mapping[str, str]] = {"h": "a share from 0 to 1", "k": WHOLE, "p": WHOLE}
    example: ClassVar[Mapping[str, Any]] = {"h": 0.8, "k": 5, "p": 2}
    weakest: ClassVar[Mapping[str, Any] | None] = {"h": 1, "k": 1, "p": 2}
    kind_of_data: ClassVar[str] = "baskets"
    roles: ClassVar[tuple[str, ...]] = ("items",)
    default_method: ClassVar[str] = "suppression"
    audit: ClassVar[str] = "tacit.audits.coherence"
    reach: ClassVar[str] = "tacit.baskets.reach:some_item_left"
    about_sensitive_items: ClassVar[bool] = True
    stricter_below: ClassVar[tuple[str, ...]] = ("h",)
    h: float
    k: int
    p: int

    def __post_init__(self) -> None:
        h = self._number("h")
        self._check("h", is_number(h) and 0 <= h <= 1, "a share between 0 and 1", 0.8)
        self._check_whole("k", 1)
        self._check_whole("p", 1)

    @property
    def bound(self) -> Fraction:
        return max(Fraction(1, self.k), exact(self.h))

    @property
    def items_known(self) -> float | None:
        return self.p

    def finds(self, *, quasi: bool = False, items: float = 0, absent: bool = False) -> Fraction | None:
        return Fraction(1, self.k) if items <= self.p and not absent else None

    def learns(self, *, quasi: bool = False, items: float = 0) -> Fraction | None:
        return exact(self.h) if items <= self.p else None

    def in_words(self, **facts: Any) -> str:
        return (
            f"Someone who knows {knows(self.p, some_sensitive=True)}, or none, finds at least {self.k} baskets of this "
            f"file that hold them, and no one sensitive item in more than {100 * self.h:.6g} % of those."
        )
