"""ℓ-diverse slicing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from tacit.promises.base import ABOVE_ONE, L, Promise, exact


@dataclass(frozen=True)
class SlicedDiversity(Promise):
    """ℓ-diverse slicing: all that is known of a person implies no sensitive value with a probability above 1/ℓ."""

    name: ClassVar[str] = "sliced-l"
    title: ClassVar[str] = "ℓ-diverse slicing"
    stops: ClassVar[str] = "tells a sensitive value, knowing all quasi-identifiers"
    not_stopped: ClassVar[str] = (
        "It does not stop somebody who already knows one sensitive value of a person, or one that the person does not "
        "have, from learning more about the others, and it does not hide that a person is in this file. Nor, unless "
        "the method is `bucketization`, does it stop somebody who knows the method and everybody's quasi-identifiers, "
        "and works out from the buckets that it chose what people's values must be."
    )
    says: ClassVar[str] = (
        "whoever knows all quasi-identifiers of a person, and joins the slices in every way, infers no sensitive "
        "value with a probability above 1/`l`"
    )
    takes: ClassVar[Mapping[str, str]] = {
        "l": L,
        "joint": "combinations of sensitive values, too, which follows from the promise for each; the audit then "
        "states how probable one can be",
    }
    accepts: ClassVar[Mapping[str, str]] = {"l": ABOVE_ONE, "joint": "`true` or `false`"}
    example: ClassVar[Mapping[str, Any]] = {"l": 3}
    weakest: ClassVar[Mapping[str, Any] | None] = None
    kind_of_data: ClassVar[str] = "slices"
    roles: ClassVar[tuple[str, ...]] = ("quasi", "sensitive")
    default_method: ClassVar[str] = "slicing"
    audit: ClassVar[str] = "tacit.audits.sliced_l"
    reach: ClassVar[str] = "tacit.slices.reach:frequencies_in_reach"
    holds_by_groups: ClassVar[bool] = True
    l: float  # noqa: E741
    joint: bool = False

    def __post_init__(self) -> None:
        self._check_l()
        self._check("joint", isinstance(self.joint, bool), "true or false", "true")

    @property
    def bound(self) -> Fraction:
        return 1 / exact(self.l)

    def learns(self, *, quasi: bool = False, items: float = 0) -> Fraction | None:
        return None if items else self.bound

    def in_words(self, **facts: Any) -> str:
        what = "sensitive value, nor a combination of them," if self.joint else "sensitive value"
        return (
            "Someone who knows all quasi-identifiers of a person, and joins the slices of this file in every way, "
            f"cannot tell a {what} of that person with a probability above 1/{self.l:g}."
        )
