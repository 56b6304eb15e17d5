"""The audit of transactional k-anonymity against the definition and what LG publishes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
import pytest

from support.views import basket_view
from tacit.audits import AuditResult, transactional_k
from tacit.promises import TransactionalK

# Fig. 1(a) of Liu & Wang 2010: the data, and its third column (local generalization, k = 2)
FIGURE_1 = ["bcd", "afg", "dfyz", "cdfx", "abcfg", "ei", "e", "i"]
PUBLISHED = ["T", "Pfg", "KfM", "KfM", "Pfg", "T", "T", "T"]


def audit(baskets: Sequence[Iterable[str]], k: int, **options: int) -> AuditResult:
    return transactional_k.audit(basket_view(baskets), TransactionalK(k), **options)


def test_figure_1() -> None:
    result = audit(PUBLISHED, 2)
    assert result.satisfied
    assert result.worst == {"itemset": ["K", "M", "f"], "support": 2}
    assert result.facts["level"] == {"k": 2, "k_is_exact": True}
    before = audit(FIGURE_1, 2)
    assert not before.satisfied
    assert before.facts["violation_count"] == before.facts["records_affected"] == 8
    assert before.violations[0] == before.worst == {"itemset": ["e"], "support": 1}


def test_agrees_with_the_definition_on_random_baskets() -> None:
    rng = np.random.default_rng(2009)
    verdicts = []
    for _ in range(400):
        kinds = [frozenset("abcd"[i] for i in np.flatnonzero(rng.random(4) < 0.5)) for _ in range(rng.integers(1, 6))]
        baskets = [kinds[i] for i in rng.integers(0, len(kinds), rng.integers(0, 25))]
        k = int(rng.integers(1, 6))
        counts = Counter(baskets)
        rare = {basket: count for basket, count in counts.items() if count < k}
        result = audit(baskets, k)
        verdicts.append(result.satisfied)
        assert result.satisfied == (not rare)
        assert {frozenset(v["itemset"]): v["support"] for v in result.violations} == rare
        assert result.facts["records_affected"] == sum(rare.values())
        assert result.facts["empty_baskets"] == counts[frozenset()]
        assert (result.worst and result.worst["support"]) == min(counts.values(), default=None)
    assert 0.2 < np.mean(verdicts) < 0.8


def test_an_empty_basket_needs_equals() -> None:
    assert not audit(["a", "a", ""], 2).satisfied
    assert audit(["a", "a", "", ""], 2).satisfied


def test_order_and_repetition_inside_a_basket_do_not_matter() -> None:
    assert audit(["ab", "bab"], 2).satisfied


def test_no_basket_and_limits() -> None:
    result = audit([], 2)
    assert result.satisfied
    assert result.worst is None
    assert "trivially" in str(result)
    limited = audit(FIGURE_1, 2, limit=3)
    assert (len(limited.violations), limited.facts["violation_count"]) == (3, 8)


@pytest.mark.parametrize(("baskets", "says"), [(PUBLISHED, "at least 2 times"), (FIGURE_1, "8 distinct baskets (8")])
def test_says_what_it_found(baskets: list[str], says: str) -> None:
    result = audit(baskets, 2)
    assert says in str(result)
    assert json.loads(json.dumps(result.to_dict()))["model"] == "transactional-k"
