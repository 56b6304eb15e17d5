"""k^m-anonymity of ratings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from tacit.promises.base import INFINITE, FewKnown, K


@dataclass(frozen=True)
class RatingKm(FewKnown):
    """k^m-anonymity of ratings: whoever knows up to m ratings of a person exactly finds at least k people who fit.

    Somebody fits a known rating whose published rating covers it, or who shows none where no published rating of that
    issue covers it.

    >>> RatingKm(k=5, m=2)
    RatingKm(k=5, m=2)
    """

    name: ClassVar[str] = "rating-km"
    title: ClassVar[str] = "k^m-anonymity of ratings"
    stops: ClassVar[str] = "finds a person by a few known ratings"
    not_stopped: ClassVar[str] = (
        "It does not stop somebody who knows more ratings of a person than that, or what the person did not rate; and "
        "it does not stop somebody from learning what all who fit have in common."
    )
    says: ClassVar[str] = (
        "whoever knows up to `m` ratings of a person that are not sensitive, which issues and how high, finds at least "
        "`k` people whose published ratings fit"
    )
    takes: ClassVar[Mapping[str, str]] = {
        "k": K,
        "m": 'how many ratings an attacker knows at most; `"inf"`: any number',
    }
    kind_of_data: ClassVar[str] = "ratings"
    roles: ClassVar[tuple[str, ...]] = ("rating",)
    default_method: ClassVar[str] = "cuts"
    audit: ClassVar[str] = "tacit.audits.rating_km"
    reach: ClassVar[str] = "tacit.ratings.reach:enough_for_ratings"
    shows_ranges: ClassVar[bool] = True
    holds_by_supports: ClassVar[bool] = True
    reached_at_most: ClassVar[tuple[str, ...]] = ("k",)

    def in_words(self, *, some_sensitive: bool = False, **facts: Any) -> str:
        many = "any number of ratings" if self.m == INFINITE else f"up to {self.m} rating{'s' * (self.m != 1)}"
        sensitive = " that are not sensitive" * some_sensitive
        return (
            f"Someone who knows {many} of a person{sensitive}, which issues and how high, finds at least {self.k:,} "
            f"{'person' if self.k == 1 else 'people'} of this file who fit."
        )
