"""Risk of single records from sampling weights (Benedetti & Franconi 1998, as in sdcMicro), and of households."""

from __future__ import annotations

import numpy as np

from tacit.attack.risk.classes import Classes

_MANY = 10
"""From more records in a class on, a short formula is as good."""


def individual_risk(classes: Classes, weights: np.ndarray, *, exact: bool = True) -> np.ndarray:
    """For each record how likely it is the person's, given that the population's class is about the sum of weights.

    With f records of a class and p = f ÷ sum of their weights it is E(1/F | f), F − f being negative binomial.
    """
    sizes = classes.sizes.astype(float)
    total = np.bincount(classes.of, weights, minlength=sizes.size)
    share = np.clip(sizes / np.maximum(total, sizes), 1e-12, 1.0)
    return np.where(share >= 1, 1.0 / sizes, _expected(sizes, np.minimum(share, 1 - 1e-12), exact))[classes.of]


def _expected(size: np.ndarray, share: np.ndarray, exact: bool) -> np.ndarray:
    """The mean of 1/F; `exact` with the hypergeometric function for any size, else only where it is short."""
    from scipy.special import hyp2f1

    left = 1 - share
    short = share / (size - left)
    if not exact:
        one = share / left * np.log(1 / share)
        two = share / left**2 * (share * np.log(share) + left)
        return np.where(size == 1, one, np.where(size == 2, two, short))
    few = np.minimum(size, _MANY)
    return np.where(size > _MANY, short, share**few / few * hyp2f1(few, few, few + 1, left))


def household_risk(risk: np.ndarray, household: np.ndarray) -> np.ndarray:
    """For each record how likely somebody of its household is found: 1 − Π (1 − risk)."""
    safe = np.bincount(household, np.log1p(-np.minimum(risk, 1 - 1e-15)))
    return -np.expm1(safe)[household]
