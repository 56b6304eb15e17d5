"""ℓ^m-diversity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from tacit.promises.base import ABOVE_ONE, ONE_OF_SEVERAL, WHOLE_OR_ANY, L, M, Promise, exact, knows


@dataclass(frozen=True)
class LmDiversity(Promise):
    """ℓ^m-diversity: up to m known items of a person imply no sensitive item with a probability above 1/ℓ."""

    name: ClassVar[str] = "lm"
    title: ClassVar[str] = "ℓ^m-diversity"
    stops: ClassVar[str] = "learns a sensitive item by a few known items"
    not_stopped: ClassVar[str] = ONE_OF_SEVERAL
    says: ClassVar[str] = (
        "whoever knows up to `m` items of a person that are not sensitive, or none, infers no one sensitive item with "
        "a probability above 1/`l`"
    )
    takes: ClassVar[Mapping[str, str]] = {"l": L, "m": M}
    accepts: ClassVar[Mapping[str, str]] = {"l": ABOVE_ONE, "m": WHOLE_OR_ANY}
    example: ClassVar[Mapping[str, Any]] = {"l": 3, "m": 2}
    weakest: ClassVar[Mapping[str, Any] | None] = None
    kind_of_data: ClassVar[str] = "baskets"
    roles: ClassVar[tuple[str, ...]] = ("items",)
    default_method: ClassVar[str] = "vpa"
    audit: ClassVar[str] = "tacit.audits.lm"
    reach: ClassVar[str] = "tacit.baskets.reach:rare_enough"
    about_sensitive_items: ClassVar[bool] = True
    l: float  # noqa: E741
    m: int | float

    def __post_init__(self) -> None:
        self._check_l()
        self._check_known_items()

    @property
    def bound(self) -> Fraction:
        return 1 / exact(self.l)

    @property
    def items_known(self) -> float | None:
        return self.m

    def learns(self, *, quasi: bool = False, items: float = 0) -> Fraction | None:
        return self.bound if items <= self.m else None

    def in_words(self, **facts: Any) -> str:
        return (
            f"Someone who knows {knows(self.m, some_sensitive=True)} cannot tell of any one sensitive item that the "
            f"person has it, with a probability above 1/{self.l:g}."
        )
