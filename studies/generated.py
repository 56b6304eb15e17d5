"""Records with baskets that nobody has seen before: three generators, of two shops and a clinic."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

Made = tuple[pa.Table, str]
"""A table, and its set-valued column."""


def shop(records: int = 10_000, seed: int = 18) -> Made:
    """An online shop: a few tastes, which hang together with age and town; popular products in every basket."""
    rng = np.random.default_rng(seed)
    taste = rng.choice(6, records, p=[0.3, 0.2, 0.2, 0.15, 0.1, 0.05])
    age = np.clip(rng.normal(25 + 8 * taste, 9, records), 18, 90).astype(int)
    town = (taste * 5 + rng.zipf(1.6, records) - 1) % 40
    spent = np.round(rng.lognormal(3.5 + 0.2 * taste, 0.8, records)).astype(int)
    popular = 1 / np.arange(1, 301) ** 0.9
    baskets = []
    for mine in taste.tolist():
        shifted = np.roll(popular, mine * 40) + 0.2 * popular
        size = min(1 + rng.poisson(3), 20)
        bought = rng.choice(300, size, replace=False, p=shifted / shifted.sum())
        baskets.append(" ".join(f"p{item:03d}" for item in sorted(bought)))
    table = pa.table({
        "age": age, "town": [f"town {each:02d}" for each in town], "sex": rng.choice(["f", "m"], records),
        "spent": spent, "basket": baskets,
    })  # fmt: skip
    return table, "basket"


def market(records: int = 2_000, seed: int = 41) -> Made:
    """A larger shop: each customer likes a few of twenty topics, which values hardly tell; some buy very much."""
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(600, 0.04), 20)
    likes = rng.dirichlet(np.full(20, 0.15), records)
    country = rng.choice(12, records, p=rng.dirichlet(np.full(12, 0.6)))
    since = (2024 - np.minimum(rng.geometric(0.22, records), 20) + country % 3).astype(int)
    device = np.where(rng.random(records) < 0.2 + 0.03 * (since - 2004).clip(0, 20), "phone", "desk")
    orders = np.maximum(np.round(rng.pareto(1.4, records) * 2), 1).astype(int).clip(1, 400)
    sizes = np.minimum(1 + rng.geometric(1 / (2 + np.log1p(orders))), 60)
    baskets = []
    for mine, size in zip(likes, sizes.tolist(), strict=True):
        bought = np.unique(rng.choice(600, size, p=mine @ topics))
        baskets.append(" ".join(f"a{item:04d}" for item in bought))
    table = pa.table({
        "country": [f"country {each:02d}" for each in country], "since": since, "device": device, "orders": orders,
        "basket": baskets,
    })  # fmt: skip
    return table, "basket"


def clinic(records: int = 2_000, seed: int = 43) -> Made:
    """Patients: codes of illnesses grow with age and come in syndromes; some have none, some ages are missing."""
    rng = np.random.default_rng(seed)
    age = np.where(rng.random(records) < 0.15, rng.integers(0, 16, records), rng.normal(55, 19, records))
    age = age.clip(0, 99).astype(int)
    sex = rng.choice(["female", "male"], records, p=[0.56, 0.44])
    ward = rng.choice(9, records, p=rng.dirichlet(np.full(9, 2)))
    days = rng.poisson(1 + age / 20 + 2 * (ward == 3))
    syndromes = [rng.choice(180, rng.integers(3, 10), replace=False) for _ in range(14)]
    starts = rng.uniform(0, 70, 14)
    baskets = []
    for years, where in zip(age.tolist(), ward.tolist(), strict=True):
        likely = 0.03 + 0.2 * (years > starts) * (1 + (np.arange(14) % 9 == where)) / 2
        has = [each for each, hit in zip(syndromes, rng.random(14) < likely, strict=True) if hit]
        found = {int(code) for each in has for code in each[rng.random(each.size) < 0.5]}
        found |= set(rng.choice(180, rng.poisson(0.4)).tolist())
        baskets.append(" ".join(f"c{code:03d}" for code in sorted(found)))
    shown = [None if blank else int(years) for years, blank in zip(age, rng.random(records) < 0.04, strict=True)]
    table = pa.table({
        "age": shown, "sex": sex, "ward": [f"ward {each}" for each in ward], "days": days, "codes": baskets,
    })  # fmt: skip
    return table, "codes"
