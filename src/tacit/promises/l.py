"""k-anonymity and ℓ-diversity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from tacit.errors import InputError
from tacit.promises.base import WHOLE, K, Promise, exact

KINDS = ("frequency", "distinct", "entropy")


@dataclass(frozen=True)
class LDiversity(Promise):
    """k-anonymity and ℓ-diversity: the sensitive values of people with equal quasi-identifiers differ enough."""

    name: ClassVar[str] = "l"
    title: ClassVar[str] = "k-anonymity and ℓ-diversity"
    stops: ClassVar[str] = "finds a person, or learns a sensitive value, by the quasi-identifiers"
    not_stopped: ClassVar[str] = (
        "It does not stop somebody who knows more than the quasi-identifiers, nor somebody who knows which sensitive "
        "values a person does not have; nor, unless the method is `guarded`, somebody who knows the method and works "
        "out from the groups that it chose what people's values must be."
    )
    says: ClassVar[str] = (
        "every record shares its quasi-identifiers with at least `k` − 1 others, and in each sensitive column such "
        'records differ enough: no value in more than 1/`l` of them (`"frequency"`), at least `l` different values '
        '(`"distinct"`), or an entropy of at least log `l` (`"entropy"`)'
    )
    takes: ClassVar[Mapping[str, str]] = {
        "k": K,
        "l": "how diverse the sensitive values of such people are",
        "kind": "frequency (no value above 1/ℓ), distinct (ℓ values) or entropy (at least log ℓ)",
    }
    accepts: ClassVar[Mapping[str, str]] = {
        "k": WHOLE,
        "l": 'a number above 1; with `kind = "distinct"` a whole number from 2 up',
        "kind": '`"frequency"`, `"distinct"` or `"entropy"`',
    }
    example: ClassVar[Mapping[str, Any]] = {"k": 5, "l": 2}
    weakest: ClassVar[Mapping[str, Any] | None] = None
    kind_of_data: ClassVar[str] = "records"
    roles: ClassVar[tuple[str, ...]] = ("quasi", "sensitive")
    default_method: ClassVar[str] = "mondrian"
    audit: ClassVar[str] = "tacit.audits.l"
    reach: ClassVar[str] = "tacit.records.reach:diverse_enough"
    by_column: ClassVar[tuple[str, ...]] = ("l", "harmless", "width")
    holds_by_groups: ClassVar[bool] = True
    advised: ClassVar[bool] = True
    k: int
    l: float  # noqa: E741
    kind: str = "frequency"

    def __post_init__(self) -> None:
        self._check_whole("k", 1)
        self._check("kind", self.kind in KINDS, f"one of {', '.join(KINDS)}", '"frequency"')
        if self.kind == "distinct":
            self._check_whole("l", 2)
        else:
            self._check_l()

    def check_column(self, name: str, asked: Mapping[str, Any]) -> None:
        """ℓ counts values where they are to be distinct; entropies know neither harmless values nor near ones."""
        for key in ("harmless", "width"):
            if self.kind == "entropy" and asked.get(key):
                raise InputError(
                    f'{key} is set, but an entropy (kind = "entropy") says nothing of single values',
                    column=name,
                    hint=f'Leave {key} out, or set kind = "frequency" or "distinct" in [privacy].',
                )
        own = asked.get("l")
        if self.kind == "distinct" and own is not None and own != int(own):
            raise InputError(
                f'l is {own:g}, but values are counted (kind = "distinct"): it must be a whole number of at least 2',
                column=name,
                hint="Set l = 2 or more.",
            )

    @property
    def bound(self) -> Fraction:
        """Only frequencies bound a guess; of the other kinds nothing but k does."""
        return 1 / exact(self.l) if self.kind == "frequency" else Fraction(1, self.k)

    def finds(self, *, quasi: bool = False, items: float = 0, absent: bool = False) -> Fraction | None:
        return None if items else Fraction(1, self.k)

    def learns(self, *, quasi: bool = False, items: float = 0) -> Fraction | None:
        return None if items or self.kind != "frequency" else self.bound

    def in_words(self, **facts: Any) -> str:
        diverse = {
            "frequency": f"no sensitive value stands in more than 1/{self.l:g} of them",
            "distinct": f"they have at least {self.l:g} different values in every sensitive column",
            "entropy": f"the entropy of every sensitive column among them is at least log {self.l:g}",
        }
        otherwise = [self.otherwise(each) for each in facts.get("asked_by_column", ())]
        return (
            "Someone who knows all quasi-identifiers of a person cannot narrow that person down to fewer than "
            f"{self.k} records of this file, and {diverse[self.kind]}{'; '.join(['', *otherwise])}."
        )

    @staticmethod
    def otherwise(asked: Mapping[str, Any]) -> str:
        """What is asked otherwise of a column.

        >>> LDiversity.otherwise({"name": "pay", "l": 3, "width": 100})
        "of 'pay' ℓ is 3, and values less than 100 apart count as one"
        """
        said = [] if asked.get("l") is None else [f"ℓ is {asked['l']:g}"]
        if asked.get("width") is not None:
            said.append(f"values less than {asked['width']:g} apart count as one")
        if asked.get("harmless"):
            said.append(f"{len(asked['harmless']):,} declared harmless may be learnt")
        return f"of {asked['name']!r} {', and '.join(said)}"
