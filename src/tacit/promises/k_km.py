"""(k, k^m)-anonymity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from tacit.promises.base import NO_DIVERSITY, FewKnown, K, M, knows


@dataclass(frozen=True)
class KKmAnonymity(FewKnown):
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
    kind_of_data: ClassVar[str] = "records"
    roles: ClassVar[tuple[str, ...]] = ("quasi", "items")
    default_method: ClassVar[str] = "rum-bound"
    audit: ClassVar[str] = "tacit.audits.k_km"
    reach: ClassVar[str] = "tacit.records.reach:enough_people"
    holds_by_groups: ClassVar[bool] = True
    advised: ClassVar[bool] = True

    def in_words(self, *, some_sensitive: bool = False, **facts: Any) -> str:
        known = knows(self.m, some_sensitive=some_sensitive).replace("a person's", "the person's")
        return (
            f"Someone who knows all quasi-identifiers of a person and {known} cannot "
            f"narrow that person down to fewer than {self.k} records of this file."
        )
