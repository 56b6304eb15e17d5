"""Whether the entropy of counts is at least log ℓ, exactly, also where it is just that."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np

_EPSILON = 2.0**-52


def is_at_least(where: np.ndarray, counts: np.ndarray, sizes: np.ndarray, l: Fraction) -> np.ndarray:  # noqa: E741
    """For each group, whether the entropy of its counts is at least log ℓ; count i is one of group where[i], ascending.

    The entropy of counts c with the sum n is log n − Σ c log c ÷ n. What floating-point numbers leave open, because
    the two are as good as equal, is decided in whole numbers.
    """
    n = sizes.astype(float)
    summed = np.bincount(where, counts * np.log(counts), sizes.size)
    terms = np.bincount(where, minlength=sizes.size)
    log_l = math.log(l.numerator) - math.log(l.denominator)
    ahead = n * np.log(np.maximum(n, 1.0)) - summed - n * log_l
    size = n * np.log(np.maximum(n, 1.0)) + summed + n * (math.log(l.numerator) + math.log(l.denominator))
    holds = ahead >= 0
    ends = np.cumsum(terms)
    for group in np.flatnonzero(np.abs(ahead) <= (terms + 16) * _EPSILON * size).tolist():
        holds[group] = _decided(tuple(sorted(counts[ends[group] - terms[group] : ends[group]].tolist())), l)
    return holds


@lru_cache(maxsize=1024)
def _decided(counts: tuple[int, ...], l: Fraction) -> bool:  # noqa: E741
    """n^n ≥ ℓ^n · Π c^c, in whole numbers; what all counts can be divided by does not matter.

    >>> _decided((5, 5), Fraction(2)), _decided((4, 5), Fraction(2)), _decided((1, 1, 2), Fraction(2828427, 10**6))
    (True, False, True)
    """
    shared = math.gcd(*counts)
    n = sum(counts) // shared
    most = math.prod((count // shared) ** (count // shared) for count in counts)
    return n**n * l.denominator**n >= l.numerator**n * most
