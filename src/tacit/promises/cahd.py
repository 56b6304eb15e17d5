"""Privacy degree p of groups (CAHD)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from tacit.promises.base import INFINITE, WHOLE, Promise


@dataclass(frozen=True)
class Cahd(Promise):
    """A sensitive item has a probability of at most 1/p in its group."""

    name: ClassVar[str] = "cahd"
    title: ClassVar[str] = "privacy degree p of groups (CAHD)"
    stops: ClassVar[str] = "links a sensitive item to a person, knowing all other items"
    not_stopped: ClassVar[str] = (
        "It does not hide who is in the file, nor which items that are not sensitive a person has, nor that a person "
        "has one of several sensitive items."
    )
    says: ClassVar[str] = (
        "baskets come in groups; in each, a sensitive item is in at most 1/`p` of the baskets, and whose it is cannot "
        "be told. Other items are **not** protected"
    )
    takes: ClassVar[Mapping[str, str]] = {"p": "a sensitive item is in at most 1/p of the rows of a group"}
    accepts: ClassVar[Mapping[str, str]] = {"p": WHOLE}
    example: ClassVar[Mapping[str, Any]] = {"p": 4}
    weakest: ClassVar[Mapping[str, Any] | None] = {"p": 1}
    kind_of_data: ClassVar[str] = "baskets"
    roles: ClassVar[tuple[str, ...]] = ("items",)
    default_method: ClassVar[str] = "cahd"
    audit: ClassVar[str] = "tacit.audits.cahd"
    reach: ClassVar[str] = "tacit.baskets.reach:rare_enough_in_groups"
    about_sensitive_items: ClassVar[bool] = True
    shows_groups: ClassVar[bool] = True
    own_meaning: ClassVar[tuple[str, ...]] = ("p",)
    holds_by_groups: ClassVar[bool] = True
    p: int

    def __post_init__(self) -> None:
        self._check_whole("p", 1)

    @property
    def bound(self) -> Fraction:
        return Fraction(1, self.p)

    @property
    def items_known(self) -> float | None:
        return INFINITE

    def learns(self, *, quasi: bool = False, items: float = 0) -> Fraction | None:
        return self.bound

    def in_words(self, **facts: Any) -> str:
        return (
            "Even someone who knows all items of a person that are not sensitive cannot link any one sensitive item to "
            f"that person with a probability above 1/{self.p}."
        )
