"""Random data sets: no attack that a promise is about is right more often than it allows, for certain.

TACIT_ATTACK_SETS says how many there are; `make attack-exam` plays a thousand.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import tacit
from tacit import (
    Cahd,
    Coherence,
    KAnonymity,
    KEpsAnonymity,
    KKmAnonymity,
    KLmDiversity,
    KmAnonymity,
    LDiversity,
    LmDiversity,
    RatingKm,
    SlicedDiversity,
    TCloseness,
    TransactionalK,
)  # fmt: skip

SETS = int(os.environ.get("TACIT_ATTACK_SETS", "50"))
PROMISES = 13
ITEMS = [f"i{i}" for i in range(9)]


def table(rng: np.random.Generator, rows: int) -> pa.Table:
    """People with two quasi-identifiers, an illness, items, of which s1 and s2 are rare, and answers."""
    held = [[item for item in ITEMS if rng.random() < 0.35] or ["i0"] for _ in range(rows)]
    for basket in held:
        basket += [item for item in ("s1", "s2") if rng.random() < 0.12]
    for place, item in enumerate(("s1", "s2")):  # what is declared sensitive must be there
        held[place] += [item] if not any(item in basket for basket in held) else []
    answers = {f"q{i}": pa.array(rng.integers(1, 4, rows), mask=rng.random(rows) < 0.2) for i in range(4)}
    return pa.table(
        {
            "age": rng.integers(20, 60, rows),
            "sex": rng.choice(["f", "m"], rows),
            "ill": rng.choice(["flu", "cold", "pox", "ache"], rows),
            "basket": held,
            **answers,
        }
    )


def posed(which: int, rng: np.random.Generator) -> tuple[Any, dict[str, Any]]:
    """A promise and the columns that it is about."""
    k, items = int(rng.integers(2, 5)), {"items": "basket"}
    sensitive = {**items, "sensitive_items": ["s1", "s2"]}
    quasi = {"quasi": ["age", "sex"], "sensitive": "ill"}
    rated = {"rating": ["q0", "q1", "q2", "q3"], "scale": (1, 3), "step": 1}
    return [
        (KmAnonymity(k=k, m=2), items),
        (TransactionalK(k=k), items),
        (LmDiversity(l=2, m=2), sensitive),
        (Coherence(h=0.8, k=k, p=2), sensitive),
        (Cahd(p=2), sensitive),
        (KAnonymity(k=k), quasi),
        (LDiversity(k=k, l=1.7), quasi),
        (TCloseness(k=k, t=0.4), quasi),
        (KKmAnonymity(k=k, m=2), {"quasi": ["age", "sex"], **items}),
        (KLmDiversity(k=k, l=2, m=1), {"quasi": ["age", "sex"], **sensitive}),
        (SlicedDiversity(l=1.7), quasi),
        (KEpsAnonymity(k=k), rated),
        (RatingKm(k=k, m=2), rated),
    ][which]


def within_bounds(seed: int) -> int:
    """Plays all quick attackers on a random release; how many had a bound. 0 where the promise cannot be kept."""
    rng = np.random.default_rng(seed)
    promise, roles = posed(seed % PROMISES, rng)
    data = table(rng, int(rng.integers(30, 70)))
    try:
        made = tacit.anonymize(data, promise, seed=1, **roles)
    except tacit.PromiseError:
        return 0
    found = tacit.attack(data, made.data, promise, rows=made.original, quick=True, seed=seed, **roles)
    assert not found.above(), (seed, promise, [each.to_dict() for each in found.above()])
    return sum(each.after.bound is not None and each.after.success is not None for each in found.played)


def test_a_few_releases_stay_within_their_bounds() -> None:
    """Of every third promise; the slow test plays all."""
    played = [within_bounds(seed) for seed in range(0, 12, 3)]
    assert sum(count > 0 for count in played) >= 3, played


@pytest.mark.slow
def test_many_releases_stay_within_their_bounds() -> None:
    played = [within_bounds(seed) for seed in range(SETS)]
    assert sum(count > 0 for count in played) > 0.75 * SETS


def test_a_broken_promise_is_noticed() -> None:
    """The same, of a release that was not made: the exam can fail."""
    data = table(np.random.default_rng(1), 60)
    found = tacit.attack(
        data, data, KAnonymity(k=4), quasi=["age", "sex"], sensitive="ill", rows=np.arange(60), quick=True
    )
    assert {each.name for each in found.above()} >= {"known-values", "nearest-row"}
    assert found["verdict"]["within_bounds"] is False
