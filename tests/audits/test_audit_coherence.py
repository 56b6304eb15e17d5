"""The audit of coherence against the definition, the audit of k^m-anonymity (h = 1), and real data."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from naive import suppression as naive_suppression
from support.views import view_of
from tacit.audits import AuditResult, coherence, km
from tacit.promises import Coherence, KmAnonymity

LABELS = "abcdefghij"


def encode(baskets: Iterable[Iterable[int]]) -> tuple[np.ndarray, np.ndarray]:
    rows = [sorted(basket) for basket in baskets]
    return np.cumsum([0, *map(len, rows)]), np.array([x for row in rows for x in row], np.int32)


def audit(baskets: Sequence[set[int]], sensitive: set[int], h: float, k: int, p: float, **options: int) -> AuditResult:
    is_sensitive = np.isin(np.arange(len(LABELS)), list(sensitive))
    if options or p == math.inf or not sensitive:  # what no promise asks for
        return coherence.check(*encode(baskets), LABELS, is_sensitive, h, k, p, **options)
    view = view_of(*encode(baskets), LABELS, [LABELS[x] for x in sensitive])
    return coherence.audit(view, Coherence(h, k, int(p)))


def random_baskets(rng: np.random.Generator) -> tuple[list[set[int]], set[int]]:
    n = int(rng.integers(1, 10))
    density = rng.uniform(0.2, 0.8, n)
    baskets = [set(np.flatnonzero(rng.random(n) < density).tolist()) for _ in range(int(rng.integers(0, 40)))]
    if baskets and rng.random() < 0.5:
        baskets = [baskets[i] for i in rng.integers(0, len(baskets), int(rng.integers(1, 60)))]
    return baskets, set(np.flatnonzero(rng.random(n) < 0.25).tolist())


def named(itemsets: Iterable[Iterable[int]]) -> set[str]:
    return {"".join(LABELS[x] for x in sorted(itemset)) for itemset in itemsets}


def moles(baskets: list[set[int]], sensitive: set[int], h: Fraction, k: int, p: float) -> set[frozenset[int]]:
    """The minimal ones; the empty itemset is a part of all others, and all baskets hold it."""
    nothing = frozenset[int]()
    if baskets and naive_suppression.is_mole(nothing, baskets, sensitive, h, k):
        return {nothing}
    return naive_suppression.minimal_moles(baskets, sensitive, h, k, p)


@pytest.mark.parametrize("p", [1, 2, 3, math.inf])
def test_agrees_with_the_definition_on_random_baskets(p: float) -> None:
    rng = np.random.default_rng(2008 + int(min(p, 9)))
    verdicts = []
    for _ in range(250):
        baskets, sensitive = random_baskets(rng)
        k, h = int(rng.integers(1, 6)), Fraction(int(rng.integers(4, 11)), 10)
        expected = moles(baskets, sensitive, h, k, p)
        result = audit(baskets, sensitive, float(h), k, p)
        verdicts.append(result.satisfied)
        assert result.satisfied == (not expected)
        assert {"".join(v["itemset"]) for v in result.violations} == named(expected)
        assert result.facts["violation_count"] == len(expected)
        assert result.facts["violation_count_is_exact"]
        assert result.facts["records_affected"] == sum(any(mole <= basket for mole in expected) for basket in baskets)
        for violation in result.violations:
            mole = {LABELS.index(x) for x in violation["itemset"]}
            holders = [basket for basket in baskets if mole <= basket]
            shares = [sum(z in b for b in holders) / len(holders) for z in sensitive] if h < 1 else []
            assert violation["support"] == len(holders)
            assert violation["share"] == max(shares, default=0)
            assert violation["support"] < k or violation["share"] > h
    assert 0.1 < np.mean(verdicts) < 0.95


@pytest.mark.parametrize("p", [1, 2, 3, math.inf])
def test_weakest_spots_are_the_weakest_of_all(p: float) -> None:
    rng = np.random.default_rng(77)
    satisfied = 0
    for _ in range(200):
        baskets, sensitive = random_baskets(rng)
        h = Fraction(int(rng.integers(6, 11)), 10)
        result = audit(baskets, sensitive, float(h), 1, p)
        if not result.satisfied:
            continue
        satisfied += 1
        itemsets = naive_suppression.occurring([basket - sensitive for basket in baskets], p)
        itemsets |= {frozenset()} if baskets else set()
        holders = [[basket for basket in baskets if itemset <= basket] for itemset in itemsets]
        supports = [len(holding) for holding in holders]
        weakest = result.facts["weakest"]
        assert weakest["is_exact"]
        assert (weakest["support"]["support"] if supports else weakest["support"]) == min(supports, default=None)
        if h < 1:
            most = max((sum(z in b for b in held) / len(held) for held in holders for z in sensitive), default=0)
            assert (weakest["share"]["share"] if most else weakest["share"]) == (most or None)
    assert satisfied > 50


@pytest.mark.parametrize("m", [1, 2, 3, math.inf])
def test_agrees_with_the_audit_of_km_if_h_is_1(m: float) -> None:
    rng = np.random.default_rng(2010)
    for _ in range(200):
        baskets, sensitive = random_baskets(rng)
        k = int(rng.integers(1, min(len(baskets), 5) + 2))
        result = audit(baskets, sensitive, 1, k, m)
        if 0 < len(baskets) < k:  # k^m-anonymity lets whoever knows nothing find fewer
            assert [v["itemset"] for v in result.violations] == [[]]
            continue
        known = [basket - sensitive for basket in baskets]
        other = km.audit(view_of(*encode(known), LABELS), KmAnonymity(k=k, m=m))
        assert result.satisfied == other.satisfied
        assert result.facts["records"] == other.facts["records"]
        assert result.facts["empty_baskets"] == other.facts["empty_baskets"]
        if result.satisfied and other.worst is not None:
            assert result.worst is not None
            assert result.worst["support"] == other.worst["support"]
        if m < math.inf:
            assert result.facts["violation_count"] == other.facts["violation_count"]
            assert result.facts["records_affected"] == other.facts["records_affected"]
            assert [v["itemset"] for v in result.violations] == [v["itemset"] for v in other.violations]


def test_says_what_it_found() -> None:
    """Item a is with the sensitive z (here j) in 3 of 4 baskets; b and c are together once."""
    a, b, c, z = 0, 1, 2, 9
    baskets = [{a, z}, {a, z}, {a, z}, {a}, {b, c}, {b}, {b}, {c}, {c}, {z}]
    result = audit(baskets, {z}, 0.7, 2, 2)
    assert not result.satisfied
    assert result.violations == [
        {"itemset": ["b", "c"], "support": 1, "private": None, "share": 0},
        {"itemset": ["a"], "support": 4, "private": "j", "share": 0.75},
    ]
    assert result.worst == result.violations[0]
    assert result.facts["records_affected"] == 5
    assert "2 minimal itemsets" in str(result)
    assert "The largest share of a private item is 0.75, of 4 baskets." in str(result)
    assert json.loads(json.dumps(result.to_dict()))["parameters"] == {"h": 0.7, "k": 2, "p": 2}
    assert audit(baskets, {z}, 0.75, 1, 2).satisfied


def test_a_share_of_exactly_h_is_no_violation() -> None:
    baskets = [{0, 1}] * 29 + [{0}] * 71
    assert audit(baskets, {1}, 0.29, 2, 2).satisfied
    assert not audit(baskets, {1}, 0.28, 2, 2).satisfied


def test_nothing_to_find() -> None:
    result = audit([], {9}, 0.5, 5, 3)
    assert result.satisfied
    assert result.worst is None
    assert "trivially" in str(result)


def test_whoever_knows_nothing_is_an_attacker_too() -> None:
    """No basket holds a public item, or none that harms: what all of them have is known all the same."""
    for baskets, share in (([{9}, {9}, set()], 2 / 3), ([{0, 9}, {9}, {9}, {0}, {1}, {1}], 3 / 6)):
        result = audit(baskets, {9}, 0.4, 2, 3)
        assert result.violations == [{"itemset": [], "support": len(baskets), "private": "j", "share": share}]
        assert result.facts["records_affected"] == len(baskets)
        assert audit(baskets, {9}, 0.7, 2, 3).satisfied
    assert [v["itemset"] for v in audit([set()], {9}, 0.5, 5, 3).violations] == [[]]


def test_items_in_any_order_and_more_than_once() -> None:
    indptr, items = np.array([0, 3, 5]), np.array([1, 0, 1, 0, 1], np.int32)
    result = coherence.check(indptr, items, "ab", np.zeros(2, bool), 1, 2, 2)
    assert result.satisfied
    assert result.worst["support"] == 2


def test_stops_counting_at_the_limit() -> None:
    baskets = [{0, x} for x in range(1, 9)] + [{0}]
    result = audit(baskets, set(), 1, 2, 2, count_limit=3, limit=2)
    assert len(result.violations) == 2
    assert result.facts["violation_count_in_words"] == "more than 3"
    assert not result.facts["violation_count_is_exact"]


def test_the_verdict_does_not_depend_on_the_budget() -> None:
    rng = np.random.default_rng(5)
    for _ in range(150):
        baskets, sensitive = random_baskets(rng)
        k, h = int(rng.integers(1, 6)), float(rng.integers(4, 11) / 10)
        for p in (2, math.inf):
            cut_off, full = (audit(baskets, sensitive, h, k, p, budget=budget) for budget in (0, 10**9))
            assert cut_off.satisfied == full.satisfied
            whole = [v["itemset"] for v in full.violations]
            assert all(v["itemset"] in whole for v in cut_off.violations)
            assert bool(cut_off.violations) == bool(full.violations)


def test_long_baskets_for_any_p() -> None:
    """Twelve baskets of 200 items, each without another one: nobody could count their itemsets."""
    everything = set(range(200))
    baskets = [everything - {x} for x in range(12)]
    labels = [str(x) for x in range(200)]
    nobody = np.zeros(200, bool)
    assert coherence.check(*encode(baskets), labels, nobody, 1, 1, math.inf).satisfied
    result = coherence.check(*encode(baskets), labels, nobody, 1, 3, math.inf, budget=10**6)
    assert not result.satisfied
    assert result.violations[0]["support"] == 2
    assert coherence.check(*encode(baskets), labels, nobody, 1, 10, 2, budget=10**6).satisfied


def test_real_data(shared_data: Path) -> None:
    with gzip.open(shared_data / "transactions" / "msweb.dat.gz", "rt") as lines:
        rows = [line.split() for line in lines]
    labels = sorted({x for row in rows for x in row})
    code_of = {label: i for i, label in enumerate(labels)}
    arrays = encode([{code_of[x] for x in row} for row in rows])
    for k in (5, 25):
        result = coherence.check(*arrays, labels, np.zeros(len(labels), bool), 1, k, 2)
        other = km.audit(view_of(*arrays, labels), KmAnonymity(k=k, m=2))
        assert result.facts["violation_count"] == other.facts["violation_count"] > 100
        assert result.facts["records_affected"] == other.facts["records_affected"]
