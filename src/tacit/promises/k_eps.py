"""(k, ε)-anonymity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from tacit.promises.base import ABOVE_ONE, WHOLE, K, Promise, is_number


@dataclass(frozen=True)
class KEpsAnonymity(Promise):
    """(k, ε)-anonymity: every person has k − 1 others whose non-sensitive ratings are all within ε.

    Rows of the file are compared with each other. With ε = 0 those k rows are equal, and whatever is known of a person
    fits all of them alike. With ε above 0 they are not, and true ratings are closer to one of them than to the others.
    """

    name: ClassVar[str] = "k-eps"
    title: ClassVar[str] = "(k, ε)-anonymity"
    stops: ClassVar[str] = "finds a person by the person's ratings (with ε = 0)"
    not_stopped: ClassVar[str] = (
        "With ε above 0 it does not stop somebody who knows ratings that a person gave, be it roughly, and takes the "
        "closest row. With any ε it does not stop somebody from learning what all people who are close to a person "
        "have in common."
    )
    says: ClassVar[str] = (
        "rows are compared with each other: each has at least `k` − 1 others that rate the same issues, each rating "
        "that is not sensitive within `eps` (0: the very same ratings, so that whatever is known of a person fits `k` "
        "rows alike); with `l`, no sensitive rating is given by more than 1/`l` of them"
    )
    takes: ClassVar[Mapping[str, str]] = {
        "k": K,
        "eps": "how far ratings of alike people may be apart; left out: `0`, they are equal",
        "l": "no sensitive rating is given by more than 1/ℓ of them; left out: nothing is promised of those",
    }
    accepts: ClassVar[Mapping[str, str]] = {"k": WHOLE, "eps": "a number from 0 up", "l": ABOVE_ONE}
    example: ClassVar[Mapping[str, Any]] = {"k": 5, "eps": 0}
    weakest: ClassVar[Mapping[str, Any] | None] = {"k": 1}
    kind_of_data: ClassVar[str] = "ratings"
    roles: ClassVar[tuple[str, ...]] = ("rating",)
    default_method: ClassVar[str] = "neighbours"
    audit: ClassVar[str] = "tacit.audits.k_eps"
    reach: ClassVar[str] = "tacit.ratings.reach:enough_people"
    stricter_below: ClassVar[tuple[str, ...]] = ("eps",)
    holds_by_groups: ClassVar[bool] = True
    advised: ClassVar[bool] = True
    k: int
    eps: float = 0
    l: float | None = None  # noqa: E741

    def __post_init__(self) -> None:
        self._check_whole("k", 1)
        eps = self._number("eps")
        self._check("eps", is_number(eps) and eps >= 0, "a number of at least 0", 0)
        if self.l is not None:
            self._check_l()

    @property
    def bound(self) -> Fraction:
        return Fraction(1, self.k)

    def finds(self, *, quasi: bool = False, items: float = 0, absent: bool = False) -> Fraction | None:
        """With ε = 0 the rows of a group are equal: whoever knows whatever of them takes one of k at least."""
        return self.bound if self.eps == 0 else None

    def in_words(self, *, free: int = 0, all_free: bool = False, **facts: Any) -> str:
        """The promise for data with so many free issues: ε is so large there that rated and not rated are close."""
        diverse = ""
        if self.l is not None:
            diverse = f" No sensitive rating is given by more than 1/{self.l:g} of them."
        if all_free:
            return (
                f"With ε = {self.eps:g} even a rating and no rating count as close, so that any two people of this "
                "file are close by definition. This says nothing about what a person rated, and how: someone who "
                f"knows some of it may find that person.{diverse}"
            )
        left_out = ""
        if free:
            issues, their, them = ("1 issue", "its", "it") if free == 1 else (f"{free:,} issues", "their", "them")
            left_out = (
                f" This leaves out {issues}, for which even a rating and no rating count as close with this ε: {their} "
                f"ratings are as they were given, and someone who knows who rated {them} may find a person by that."
            )
        return f"{self._close()}{diverse}{left_out}"

    def _close(self) -> str:
        others = "1 other" if self.k == 2 else f"{self.k - 1:,} others"
        if self.eps == 0:
            return (
                f"Every person of this file has at least {others} who rated the same issues, and whose ratings that "
                "are not sensitive are the very same: whatever somebody knows of those ratings of a person, all of "
                f"these {self.k:,} people fit it alike."
            )
        return (
            f"Every person of this file has at least {others} who rated the same issues, each rating that is not "
            f"sensitive within {self.eps:g}. This compares the rows of the file with each other: someone who knows "
            "ratings that a person gave, be it roughly, and takes the closest row may well find that person."
        )
