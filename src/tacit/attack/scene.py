"""What an attacker finds: the published file as a stranger reads it, and the judge, who knows the original.

The judge draws what an attacker is to know of some people, and counts how often a guess is right. An attacker looks at
`view` and `cells`, at what the judge tells, and at hierarchies, which are taken for public; never at `people`.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.attack.statistics import Share
from tacit.audits.views.cells import Cells

if TYPE_CHECKING:
    from fractions import Fraction

    from tacit.promises import Promise
    from tacit.taxonomy import Taxonomy

GUESSES = 2_000
"""So many people are attacked by each attacker, if there are as many."""
NO_ROWS = "it is not known which row is whose: give private/rows.csv of the release (--rows FILE)"
NO_CONTROL = "it takes people who are not in the release (--control FILE)"


@dataclass(frozen=True, eq=False)
class Earlier:
    """Another release of the same people: what a stranger reads in it, and who is who in it, if that is known."""

    name: str
    view: Any
    people: np.ndarray | None
    """The record of this original that each record there is of; −1 for somebody who is not in it."""
    why: str = ""
    """Why that is not known."""


@dataclass(frozen=True, eq=False)
class Scene:
    """A published file, and all that is known to the judge."""

    view: Any
    original: Any
    people: np.ndarray | None
    """The original record of each published one (slices: [slice, row]); None if nobody knows."""
    cells: tuple[Cells, ...] = ()
    """Every published column with one value a record, as labels."""
    ids: tuple[Sequence[str], Sequence[str]] | None = None
    """The ids of people in the file, and those that the original gives them, if both have such a column."""
    promise: Promise | None = None
    """What is promised of the file; None of the original, which promises nothing."""
    control: Any = None
    """People who are not in the file, as an original of the same columns."""
    earlier: tuple[Earlier, ...] = ()
    known: tuple[str, ...] | None = None
    """The columns that the attacker knows; None: all quasi-identifiers."""
    sensitive_trees: Mapping[str, Taxonomy] = field(default_factory=dict)
    """Hierarchies of sensitive columns, for guesses at what is above a value."""
    identifiers: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The values of columns that no file may have, by their names, for the judge to look for."""
    rerun: Any = None
    """The method that made the file, which is no secret, to be run again on other sensitive values: `groups`,
    `likelihood` and the judge's `values`; None if it is not known."""
    guesses: int = GUESSES
    seed: int = 0
    exact: bool = False
    shared: bool = False
    """Whether an attacker shares its guesses among all that it may know, or has as many for each."""
    memo: dict[str, Any] = field(default_factory=dict, init=False)
    """What several attackers look things up in, made once."""
    of_original: dict[int, Any] = field(default_factory=dict)
    """The same about an original, by its identity: it is judged by in several scenes."""

    @property
    def kind(self) -> str:
        return str(self.view.kind_of_data)

    def once(self, what: str, make: Callable[[], Any]) -> Any:
        """What several attackers need, made by the first of them."""
        if what not in self.memo:
            self.memo[what] = make()
        return self.memo[what]

    def forget(self) -> None:
        """Lets go of what was made for several attackers, when all have played."""
        self.memo.clear()

    def promised(self, way: str, **knowledge: Any) -> Fraction | None:
        """How often the promise lets somebody with such knowledge be right; `way` is finds or learns."""
        return None if self.promise is None else getattr(self.promise, way)(**knowledge)

    def rng(self, *what: str | int) -> np.random.Generator:
        """Random numbers for a use of their own, the same before and after."""
        words = [zlib.crc32(str(each).encode()) for each in what]
        return np.random.default_rng((self.seed, *words))

    def sample(
        self, eligible: np.ndarray | int, *what: str | int, most: int | None = None, parts: int = 1
    ) -> np.ndarray:
        """Some of the eligible, each as likely; all of them if there are few, or if all are wanted.

        `parts` is how many samples the attacker draws, `most` how large one can be at all.
        """
        number = eligible if isinstance(eligible, int) else eligible.size
        guesses = min(self.guesses // parts if self.shared else self.guesses, most or self.guesses)
        wanted = number if self.exact else min(number, guesses)
        drawn = np.arange(number) if wanted == number else self.rng("sample", *what).permutation(number)[:wanted]
        return drawn if isinstance(eligible, int) else eligible[drawn]

    @cached_property
    def place(self) -> np.ndarray | None:
        """The published record of each original one; −1 if it is not in the file. Of slices, in the first slice."""
        if self.people is None:
            return None
        rows = self.people if self.people.ndim == 1 else self.people[0]
        place = np.full(len(self.original), -1, np.int64)
        place[rows] = np.arange(rows.size)
        return place

    @cached_property
    def whose(self) -> np.ndarray | None:
        """Whose each published record is, if somebody has several and it is known; of slices, in the first one."""
        persons = getattr(self.original, "persons", None)
        if persons is None or self.people is None:
            return None
        found: np.ndarray = persons[self.people if self.people.ndim == 1 else self.people[0]]
        return found

    @property
    def nobody(self) -> float:
        """How often somebody is right who takes any record of the file."""
        return 1.0 / max(len(self.view), 1)


def tally(chances: np.ndarray) -> Share:
    """Chances to be right as a share of right guesses."""
    return Share(float(chances.sum()), int(chances.size))


def counted(candidates: np.ndarray, is_among: np.ndarray | None) -> np.ndarray:
    """The chance to be right for each person attacked, by taking any candidate.

    `is_among` says whether the person's own record is one of them; None if nobody knows: then it is taken for one, and
    people without any candidate are left out.
    """
    if is_among is None:
        return 1.0 / candidates[candidates > 0]
    return np.where(is_among, 1.0 / np.maximum(candidates, 1), 0.0)


def claims(candidates: Iterable[np.ndarray]) -> Share | None:
    """How often a guess among candidates names a record for somebody who is not in the file; None for nobody."""
    sizes = np.array([some.size for some in candidates])
    return tally(np.where(sizes > 0, 1.0 / np.maximum(sizes, 1), 0.0)) if sizes.size else None


def surest(people: np.ndarray, chances: np.ndarray) -> np.ndarray | None:
    """The people who are found for certain."""
    return people[chances >= 1 - 1e-9] if people.size == chances.size else None


def in_words(names: Sequence[str], most: int = 4) -> str:
    """Columns on a line."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
