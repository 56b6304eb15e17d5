"""All risk figures of a table: the content of `risk` in attack.json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tacit.attack.risk.classes import THRESHOLDS, Classes, classes_of, in_population, one_a_person, prosecutor
from tacit.attack.risk.columns import by_number_known, per_column_set
from tacit.attack.risk.population import population_uniqueness
from tacit.attack.risk.suda import suda2
from tacit.attack.risk.weights import household_risk, individual_risk

_MOST_NAMED = 10
_MOST_COLUMNS = 30
"""Of wider tables sets of columns are not listed."""


@dataclass(frozen=True, eq=False)
class Keys:
    """What is compared: columns as codes, by name, what the classes are of, and what is known beside the file."""

    records: int
    columns: tuple[tuple[str, np.ndarray], ...]
    """What an attacker may know; records with the same codes are a class."""
    everything: tuple[tuple[str, np.ndarray], ...]
    """Every published column."""
    of: str
    counted: np.ndarray | None = None
    """Whose each record is, if somebody has several: what the promise counts, households or persons."""
    persons: np.ndarray | None = None
    """The same of persons: weights and populations are about them, be they of one household."""
    weights: np.ndarray | None = None
    household: np.ndarray | None = None
    population: float | None = None
    reference: Mapping[str, Any] = field(default_factory=dict)
    """k-map and δ-presence, if there was a file of the population."""


def risk_figures(keys: Keys, *, threshold: float | None = None, seed: int = 0) -> dict[str, Any]:
    """All figures that can be had; what takes a population is None without one."""
    limits = sorted({*THRESHOLDS, *([threshold] if threshold is not None else [])})
    classes = classes_of([codes for _, codes in keys.columns], keys.records, keys.counted)
    found: dict[str, Any] = {
        "records": keys.records,
        "classes": int(classes.sizes.size),
        "classes_of": keys.of,
        "uniques": classes.uniques,
        "sample_uniqueness": classes.uniques / max(keys.records, 1),
        "smallest_class": int(classes.sizes.min(initial=keys.records)),
        "prosecutor": prosecutor(classes, limits),
        "journalist": None,
        "marketer": classes.average,
        **_of_population(keys, limits),
        **keys.reference,
        "columns": per_column_set(keys.columns, keys.records) if len(keys.columns) <= _MOST_COLUMNS else {},
        "by_number_known": _by_number(keys, seed),
        "all_columns": _everything(keys),
    }
    return found


def _of_population(keys: Keys, limits: Sequence[float]) -> dict[str, Any]:
    """From weights or from the size of the population, if either is known; every person counts once in a class.

    Who is in several classes is one person of the population all the same, and so are those whom the sample lacks.
    """
    found: dict[str, Any] = {"population": None, "individual": None, "household": None}
    people, weights, household, sample = keys.population, keys.weights, keys.household, keys.records
    if people is None and weights is None:
        return found
    classes = classes_of([codes for _, codes in keys.columns], keys.records, keys.persons)
    if keys.persons is not None:
        _, whose, own = np.unique(keys.persons, return_inverse=True, return_counts=True)
        sample = own.size
        if weights is not None:
            each = np.bincount(whose, weights) / own  # records of a person may differ in it
            people, weights = float(each.sum()) if people is None else people, each[whose]
        once = one_a_person(classes, keys.persons)
        classes = Classes(classes.of[once], classes.sizes)
        weights, household = (None if each is None else each[once] for each in (weights, household))
    if weights is not None:
        people = float(weights.sum()) if people is None else people
        risk = individual_risk(classes, weights)
        found["individual"] = {
            "highest": float(risk.max(initial=0)), "average": float(risk.mean()) if risk.size else 0.0,
            "expected_reidentifications": float(risk.sum()),
        }  # fmt: skip
        if household is not None:
            whole = household_risk(risk, household)
            found["household"] = {"highest": float(whole.max(initial=0)), "average": float(whole.mean())}
        total = np.bincount(classes.of, weights, minlength=classes.sizes.size)
        found |= in_population(total, classes, limits)
    if people is not None and classes.sizes.size:
        in_classes = people * int(classes.sizes.sum()) / sample
        found["population"] = population_uniqueness(classes.sizes, in_classes) | {"size": float(people)}
    return found


def _by_number(keys: Keys, seed: int) -> list[dict[str, Any]]:
    if not 1 < len(keys.columns) <= _MOST_COLUMNS:
        return []
    return by_number_known(keys.columns, keys.records, np.random.default_rng(seed), keys.counted)


def _everything(keys: Keys) -> dict[str, Any]:
    """Who is alone by all that is published, sensitive values, too, and the smallest sets of columns that do it."""
    names = [name for name, _ in keys.everything]
    codes = [column for _, column in keys.everything]
    uniques = classes_of(codes, keys.records, keys.counted).uniques
    found: dict[str, Any] = {"names": names, "uniques": uniques, "share": uniques / max(keys.records, 1)}
    if not 1 <= len(names) <= _MOST_COLUMNS:
        return found
    scored = suda2(codes, keys.records, people=keys.counted)
    most = sorted(scored.smallest.items(), key=lambda each: (len(each[0]), -each[1]))[:_MOST_NAMED]
    found["suda2"] = {
        "largest_set": scored.largest,
        "records_with_any": int(np.count_nonzero(scored.sets)),
        "highest_score": float(scored.score.max(initial=0)),
        "smallest_sets": [{"columns": [names[i] for i in some], "records": count} for some, count in most],
        "contribution": {name: float(share) for name, share in zip(names, scored.contribution, strict=True)},
    }
    return found
