"""k^m-anonymity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from tacit.promises.base import MORE_KNOWLEDGE, FewKnown, K, M, knows


@dataclass(frozen=True)
class KmAnonymity(FewKnown):
    """k^m-anonymity: whoever knows up to m items of a person finds at least k people who have them.

    >>> KmAnonymity(k=5, m=2)
    KmAnonymity(k=5, m=2)
    >>> KmAnonymity(k=5, m="inf").m
    inf
    """

    name: ClassVar[str] = "km"
    title: ClassVar[str] = "k^m-anonymity"
    stops: ClassVar[str] = "finds a person by a few known items"
    not_stopped: ClassVar[str] = MORE_KNOWLEDGE
    says: ClassVar[str] = (
        "whoever knows up to `m` items of a person that are not sensitive finds at least `k` baskets that have them "
        "all, or none"
    )
    takes: ClassVar[Mapping[str, str]] = {"k": K, "m": M}
    kind_of_data: ClassVar[str] = "baskets"
    roles: ClassVar[tuple[str, ...]] = ("items",)
    default_method: ClassVar[str] = "best"
    holds_by_supports: ClassVar[bool] = True
    audit: ClassVar[str] = "tacit.audits.km"
    reach: ClassVar[str] = "tacit.baskets.reach:enough_people"
    advised: ClassVar[bool] = True

    def in_words(self, *, some_sensitive: bool = False, **facts: Any) -> str:
        return (
            f"Someone who knows {knows(self.m, some_sensitive=some_sensitive)} cannot narrow that person down "
            f"to fewer than {self.k} baskets of this file."
        )
