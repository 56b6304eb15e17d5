"""Every promise at its very bound, on thousands of records: just kept, and broken by one record less."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from support.views import basket_view, cells, record_view
from tacit import audits
from tacit.audits._entropy import is_at_least
from tacit.job import Column, Input, Job, Output
from tacit.promises import (
    Cahd,
    Coherence,
    KAnonymity,
    KEpsAnonymity,
    KKmAnonymity,
    KLmDiversity,
    KmAnonymity,
    LDiversity,
    LmDiversity,
    Promise,
    SlicedDiversity,
    TransactionalK,
)

Case = tuple[Promise, Callable[[int], Any]]
"""A promise, and a view that lacks so many records to be just at its bound."""


def with_sensitive(count: int, total: int) -> list[list[str]]:
    """So many baskets, of which some hold the sensitive item s, and half of all the item a."""
    return [["s"] if i < count else ["a"] if i % 2 else [] for i in range(total)]


def people(groups: list[str], sensitive: list[str]) -> Any:
    return record_view([cells("q", groups)], [cells("s", sensitive)])


def held(rows: list[list[str]], groups: list[str]) -> Any:
    return record_view([cells("q", groups)], held=basket_view(rows, ["s"]))


def sliced(count: int, total: int) -> Any:
    """One bucket, in which so many rows have the value x."""
    job = Job(Input("test"), (Column("q", "quasi"), Column("s", "sensitive")), SlicedDiversity(2), Output(Path("out")))
    values = ["x"] * count + [f"v{i}" for i in range(total - count)]
    known = ["1"] * total
    return audits.read_view(pa.table({"bucket": known, "1.q": known, "2.s": values}), job)


def rated(ratings: list[str], sensitive: list[str]) -> Any:
    columns = (Column("i", "rating", scale=(1, 5), step=0), Column("s", "rating", scale=(1, 5), sensitive=True))
    job = Job(Input("test"), columns, KEpsAnonymity(2, 1), Output(Path("out")))
    return audits.read_view(pa.table({"i": ratings, "s": sensitive}), job)


CASES: dict[str, Case] = {
    "km": (KmAnonymity(1000, 2), lambda less: basket_view([["a", "b"]] * (1000 - less) + [["a"], ["b"]] * 1500)),
    "km-inf": (
        KmAnonymity(1000, math.inf),
        lambda less: basket_view([["a", "b"]] * (1000 - less) + [["a"]] * 1500 + [["b"]] * 1500),
    ),
    "lm": (LmDiversity(7 / 3, 1), lambda less: basket_view(with_sensitive(900, 2100 - less), ["s"])),
    "lm-known": (
        LmDiversity(2, 1),
        lambda less: basket_view([["a", "s"]] * 1000 + [["a"]] * (1000 - less) + [[]] * 999, ["s"]),
    ),
    "coherence-k": (
        Coherence(1, 1000, 1),
        lambda less: basket_view([["a"]] * (1000 - less) + [["b", "s"]] * 1500, ["s"]),
    ),
    "coherence-h": (
        Coherence(0.29, 2, 1),
        lambda less: basket_view([["a", "s"]] * 580 + [["a"]] * (1420 - less), ["s"]),
    ),
    "transactional-k": (TransactionalK(1000), lambda less: basket_view([["a"]] * 1000 + [["b"]] * (1000 - less))),
    "cahd": (Cahd(4), lambda less: basket_view(with_sensitive(500, 2000 - less), ["s"], [7] * (2000 - less))),
    "k": (KAnonymity(1000), lambda less: people(["x"] * (1000 - less) + ["y"] * 1000, ["s"] * (2000 - less))),
    "l-frequency": (
        LDiversity(2, 7 / 3),
        lambda less: people(["x"] * (2100 - less), ["s"] * 900 + [str(i) for i in range(1200 - less)]),
    ),
    "l-distinct": (
        LDiversity(2, 1000, "distinct"),
        lambda less: people(["x"] * (2000 - less), [str(i) for i in range(1000 - less)] + ["0"] * 1000),
    ),
    "l-entropy": (
        LDiversity(2, 4, "entropy"),
        lambda less: people(["x"] * (2000 - less), ([*"abcd"] * 500)[: 2000 - less]),
    ),
    "k-km": (KKmAnonymity(1000, 1), lambda less: held([["a"]] * (1000 - less) + [[]] * 1000, ["x"] * (2000 - less))),
    "k-km-groups": (
        KKmAnonymity(1000, 1),
        lambda less: held([[]] * (2000 - less), ["x"] * (1000 - less) + ["y"] * 1000),
    ),
    "k-lm": (
        KLmDiversity(2, 7 / 3, 1),
        lambda less: held([["s"]] * 900 + [[]] * (1200 - less), ["x"] * (2100 - less)),
    ),
    "sliced-l": (SlicedDiversity(2), lambda less: sliced(1000, 2000 - less)),
    "k-eps": (
        KEpsAnonymity(1000, 1),
        lambda less: rated(["2.0"] * (1000 - less) + ["4"] * 1000, ["1"] * (2000 - less)),
    ),
    "k-eps-l": (
        KEpsAnonymity(2, 1, 7 / 3),
        lambda less: rated(["2"] * (2100 - less), ["1"] * 900 + ["2"] * 700 + ["3"] * (500 - less)),
    ),
}


@pytest.mark.parametrize(("promise", "view"), CASES.values(), ids=list(CASES))
def test_at_the_bound(promise: Promise, view: Callable[[int], Any]) -> None:
    audit = import_module(promise.audit).audit
    assert audit(view(0), promise).satisfied is True
    broken = audit(view(1), promise)
    assert broken.satisfied is False
    assert broken.violations


def test_the_distance_that_is_just_near_enough() -> None:
    promise = KEpsAnonymity(2000, 0.3)
    audit = import_module(promise.audit).audit
    near = ["2.1"] * 1000 + ["2.4"] * 1000  # 0.3 apart, whatever floating-point numbers say
    assert audit(rated(near, ["1"] * 2000), promise).satisfied
    assert not audit(rated([*near[:-1], "2.400001"], ["1"] * 2000), promise).satisfied


# Entropy: what floating-point numbers cannot tell apart


@pytest.mark.parametrize("size", [1, 500, 10**6, 10**9])
@pytest.mark.parametrize("values", [2, 3, 7])
def test_equal_shares_reach_just_their_number(size: int, values: int) -> None:
    where, counts = np.zeros(values, np.int64), np.full(values, size)
    assert is_at_least(where, counts, np.array([size * values]), Fraction(values)).all()
    above = Fraction(values) + Fraction(1, 10**6)
    assert not is_at_least(where, counts, np.array([size * values]), above).any()


@pytest.mark.parametrize("size", [2, 500, 20_000])
def test_one_less_than_equal_shares_is_too_little(size: int) -> None:
    """At 20,000 of each the entropies differ by 1e-10 of a bit and less."""
    counts = np.array([size, size, size - 1])
    assert not is_at_least(np.zeros(3, np.int64), counts, np.array([3 * size - 1]), Fraction(3)).any()


def test_entropy_as_whole_numbers_say() -> None:
    """Against n^n ≥ ℓ^n · Π c^c, for groups of all sizes at once."""
    rng = np.random.default_rng(5)
    for _ in range(200):
        groups = [rng.integers(1, 9, rng.integers(1, 6)) for _ in range(8)]
        where = np.repeat(np.arange(8), [len(group) for group in groups])
        bound = Fraction(int(rng.integers(11, 40)), 10) if rng.random() < 0.5 else Fraction(int(rng.integers(2, 5)))
        found = is_at_least(where, np.concatenate(groups), np.array([group.sum() for group in groups]), bound)
        for group, holds in zip(groups, found.tolist(), strict=True):
            n, most = int(group.sum()), math.prod(int(c) ** int(c) for c in group)
            assert holds == (n**n * bound.denominator**n >= bound.numerator**n * most)
