"""How sure a measured share is: intervals of shares and of differences, and what several looks cost."""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist
from typing import NamedTuple

LEVEL = 0.95
_DIGITS = 10


class Share(NamedTuple):
    """So many right guesses of those that were tried; a guess among equals counts as its chance to be right."""

    right: float
    tried: int

    @property
    def value(self) -> float:
        return self.right / self.tried if self.tried else 0.0


def wilson(share: Share, level: float = LEVEL) -> tuple[float, float]:
    """The interval that holds the true share in so many of all samples (Wilson 1927).

    >>> wilson(Share(8, 10))
    (0.4901624715, 0.9433178485)
    >>> wilson(Share(0, 0))
    (0.0, 1.0)
    """
    tried = share.tried
    if not tried:
        return 0.0, 1.0
    sigmas = _sigmas(level)
    value, spread = share.value, sigmas**2 / tried
    middle = (value + spread / 2) / (1 + spread)
    half = sigmas / (1 + spread) * math.sqrt(value * (1 - value) / tried + spread / tried / 4)
    return _rounded(middle - half), _rounded(middle + half)


def newcombe(one: Share, other: Share, level: float = LEVEL) -> tuple[float, float]:
    """The interval of the difference of two shares, one less the other (Newcombe 1998, method 10).

    >>> newcombe(Share(56, 70), Share(48, 80))
    (0.0524, 0.3339)
    """
    (low, high), (other_low, other_high) = wilson(one, level), wilson(other, level)
    apart = one.value - other.value
    below = math.hypot(one.value - low, other_high - other.value)
    above = math.hypot(high - one.value, other.value - other_low)
    return round(max(apart - below, -1.0), 4), round(min(apart + above, 1.0), 4)


def bonferroni(looks: int, level: float = LEVEL) -> float:
    """The level at which each of several is looked at, so that all of them together are right at `level`.

    >>> round(bonferroni(5), 4)
    0.99
    """
    return 1 - (1 - level) / max(looks, 1)


def residual(success: float, control: float) -> float:
    """What is left of an attack beyond what it achieves against people who are not in the data; 0 where that is 1.

    >>> residual(0.75, 0.5), residual(1.0, 1.0)
    (0.5, 0.0)
    """
    return 0.0 if control >= 1 else (success - control) / (1 - control)


@cache
def _sigmas(level: float) -> float:
    return NormalDist().inv_cdf((1 + level) / 2)


def _rounded(share: float) -> float:
    return round(min(max(share, 0.0), 1.0), _DIGITS)
