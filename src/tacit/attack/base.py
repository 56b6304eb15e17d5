"""What every attacker says of itself. An attacker is one file of `tacit.attack.attackers`; nothing else lists them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from tacit.attack.statistics import Share

if TYPE_CHECKING:
    import numpy as np

    from tacit.attack.scene import Scene

SINGLING_OUT, LINKABILITY, INFERENCE = "singling-out", "linkability", "inference"
HEADINGS = (SINGLING_OUT, LINKABILITY, INFERENCE)
"""What the Article 29 Working Party asks of anonymous data: Opinion 05/2014."""
COMPOSITION = "composition"
"""The attacker who holds several releases, which is a row of its own in reports."""
UNIFORM = "uniform among candidates"
BEST = "best guess"


@dataclass(frozen=True)
class Outcome:
    """What an attack came to, with some knowledge."""

    knows: str
    success: Share | None
    """How often it was right; None where it could not be played."""
    baseline: float | None = None
    """The same guesses without the release."""
    control: Share | None = None
    """The same against people who are not in the release."""
    bound: Fraction | None = None
    """How often it may be right, if the promise covers it."""
    why: str = ""
    """What was missing."""
    no_control: str = ""
    """Why there is no control, which the runner says."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    witnesses: np.ndarray | None = field(default=None, compare=False)
    """People of the original whom it found for certain: for the owner alone."""


@dataclass(frozen=True)
class Attacker:
    """An attacker as users see it, and how it plays."""

    name: str
    heading: str
    story: str
    """What is known, and what is guessed: two sentences."""
    kinds: tuple[str, ...]
    """The kinds of data that it is on: baskets, records, slices, ratings."""
    play: Callable[[Scene], Iterable[Outcome]]
    rule: str
    """How it guesses."""
    advice: str
    """What to change if it is right too often."""
    no_control: str = ""
    """Why it means nothing to play it against people who are not in the file, if so."""
    needs: str = ""
    """What it cannot do without, in words; nothing if the published file and what it knows are enough."""
    fits: Callable[[Scene], bool] = lambda scene: True
    """Whether it is about such data: sensitive values, for example, must be there to be learnt."""
    quick: bool = True
    """Whether `anonymize` plays it, too."""


def nothing(knows: str, why: str) -> Outcome:
    """An attack that could not be played, and the reason."""
    return Outcome(knows, None, why=why)
