"""How many records that are alone in a sample are alone in the population, too: three models, and which to believe.

Pitman (Hoshino 2001), Zayatz (1991) and the slide negative binomial, SNB (Chen & Keller-McNulty 1998); the rule for
choosing is that of Dankar et al. (2012).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

_SMALL_SAMPLE = 0.1
"""Up to this sampling fraction Pitman's model is the best one."""


def population_uniqueness(sizes: np.ndarray, population: float) -> dict[str, Any]:
    """The share of the population that is alone in it by each model, and by the one that the rule chooses.

    `sizes` are those of the classes of the sample. A model that does not settle is None.
    """
    sample, population = float(sizes.sum()), float(population)
    fraction = sample / population
    found: dict[str, float | None] = {"pitman": None, "zayatz": None, "snb": None}
    if not (sizes == 1).any():
        found, name = dict.fromkeys(found, 0.0), "none is alone in the sample"
    elif fraction >= 1:
        found, name = dict.fromkeys(found, float((sizes == 1).sum() / sample)), "the sample is the population"
    else:
        found = {"pitman": pitman(sizes, population), "zayatz": zayatz(sizes, population), "snb": snb(sizes, fraction)}
        name = _chosen(found, fraction)
    value = found.get(name, next(iter(found.values())))
    return {"size": population, "sampling_fraction": fraction, **found, "model": name, "uniqueness": value}


def _chosen(found: dict[str, float | None], fraction: float) -> str:
    if fraction <= _SMALL_SAMPLE and found["pitman"] is not None:
        return "pitman"
    larger = {name: found[name] for name in ("zayatz", "snb") if found[name] is not None}
    return min(larger, key=lambda name: larger[name] or 0.0) if larger else "zayatz"


def pitman(sizes: np.ndarray, population: float) -> float | None:
    """By Pitman's sampling formula, whose θ and α are those of the greatest likelihood."""
    from scipy.optimize import minimize, root
    from scipy.special import digamma, expit, gammaln

    sample, classes = int(sizes.sum()), sizes.size
    size, count = np.unique(sizes, return_counts=True)
    before = np.arange(1, classes)

    def unlikely(point: np.ndarray) -> float:
        theta, alpha = math.exp(min(point[0], 500.0)), float(expit(point[1]))
        terms = np.log(theta + before * alpha).sum() - gammaln(theta + sample) + gammaln(theta + 1)
        return -float(terms + (count * (gammaln(size - alpha) - gammaln(1 - alpha))).sum())

    def slopes(point: np.ndarray) -> list[float]:
        theta, alpha = point
        each = theta + before * alpha
        return [
            float((1 / each).sum() - digamma(theta + sample) + digamma(theta + 1)),
            float((before / each).sum() - (count * (digamma(size - alpha) - digamma(1 - alpha))).sum()),
        ]

    near = minimize(unlikely, [math.log(max(classes / 4, 1.0)), 0.0], method="Nelder-Mead")
    found = root(slopes, [math.exp(min(near.x[0], 500.0)), float(expit(near.x[1]))], tol=1e-14)
    theta, alpha = map(float, found.x)
    if not (theta > 0 and 0 < alpha < 1):
        return None
    share = math.exp(math.lgamma(theta + 1) - math.lgamma(theta + alpha) + (alpha - 1) * math.log(population))
    return share if math.isfinite(share) and share <= 1 else None


def zayatz(sizes: np.ndarray, population: float) -> float | None:
    """By how likely a class of each size shows one member in a sample, if classes are as large as they look."""
    from scipy.stats import hypergeom

    size, count = np.unique(sizes, return_counts=True)
    sample, people = int(sizes.sum()), int(population)
    shows_one = hypergeom.pmf(1, people, size, sample)
    alone = int(count[size == 1].sum())
    total = float((count * shows_one).sum())
    return float(alone * shows_one[0] / total) * alone / sample if total else None


def snb(sizes: np.ndarray, fraction: float) -> float | None:
    """By sizes that are 1 and a negative binomial number, of which a sample shows each member by chance."""
    from scipy.optimize import minimize
    from scipy.stats import nbinom

    size, count = np.unique(sizes, return_counts=True)

    def shown(point: np.ndarray, at: np.ndarray) -> np.ndarray:
        """How likely a class shows so many members: the first by chance, of the others a thinned number."""
        shape, chance = math.exp(min(point[0], 50.0)), 1 / (1 + math.exp(-max(min(point[1], 50.0), -50.0)))
        thinned = chance / (chance + fraction * (1 - chance))
        less = np.where(at > 0, nbinom.pmf(at - 1, shape, thinned), 0.0)
        return (1 - fraction) * nbinom.pmf(at, shape, thinned) + fraction * less

    def unlikely(point: np.ndarray) -> float:
        chances = np.maximum(shown(point, size), 1e-300)
        return -float((count * np.log(chances / max(1 - shown(point, np.zeros(1))[0], 1e-300))).sum())

    found = minimize(unlikely, [0.0, 0.0], method="Nelder-Mead", options={"maxiter": 2000})
    seen = 1 - shown(found.x, np.zeros(1))[0]
    chance = 1 / (1 + math.exp(-max(min(found.x[1], 50.0), -50.0)))
    alone = sizes.size / seen * chance ** math.exp(min(found.x[0], 50.0))
    share = alone * fraction / sizes.sum()
    return float(share) if found.success and math.isfinite(share) and 0 <= share <= 1 else None
