"""The audit of k^m-anonymity from counts says what the definition says, however the counts were made."""

from __future__ import annotations

from itertools import combinations
from random import Random

import numpy as np
import pytest

from support.seeds import each_seed
from tacit.audits import _counted_km
from tacit.audits._counted_km import LONGEST, MOST_ITEMS, Counts, itemset_of, judged, keys_of
from tacit.audits.result import AuditResult
from tacit.promises import KmAnonymity

NAMES = "abcdefg"
Baskets = list[tuple[tuple[int, ...], int]]


def some_baskets(seed: int) -> Baskets:
    """Baskets, and how many people have each."""
    rng = Random(seed)
    lots = [rng.sample(range(7), rng.choice([0, 1, 2, 3, 5])) for _ in range(rng.randint(1, 12))]
    return [(tuple(sorted(each)), rng.randint(1, 3)) for each in lots]


def supports(baskets: Baskets, m: int) -> dict[tuple[int, ...], int]:
    """By the definition: how many people hold each itemset of up to m items that somebody holds."""
    found: dict[tuple[int, ...], int] = {}
    for basket, people in baskets:
        for size in range(1, m + 1):
            for each in combinations(basket, size):
                found[each] = found.get(each, 0) + people
    return found


def counted(baskets: Baskets, m: int) -> dict[tuple[int, ...], int]:
    starts = np.cumsum([0, *(len(basket) for basket, _ in baskets)])
    items = np.array([item for basket, _ in baskets for item in basket], np.int32)
    people = np.array([people for _, people in baskets])
    found: dict[tuple[int, ...], int] = {}
    for size in range(1, m + 1):
        keys, often = keys_of((starts, items), size, people)
        found |= zip(map(itemset_of, keys.tolist()), often.tolist(), strict=True)
    return found


def verdict(found: dict[tuple[int, ...], int], k: int, m: int, asked_for: int = 1000, limit: int = 1000) -> AuditResult:
    weakest = sorted(found, key=lambda each: (found[each], each))[:asked_for]
    counts = Counts(9, 1, weakest, [found[each] for each in weakest])
    return judged(counts, NAMES, KmAnonymity(k=k, m=m), 5, limit=limit, asked_for=asked_for)


@pytest.mark.parametrize("at_once", [1, 7, 1 << 22])
@each_seed(range(30), fast=10)
def test_every_itemset_is_counted(seed: int, at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_counted_km, "_AT_ONCE", at_once)
    baskets = some_baskets(seed)
    for m in (1, 2, 3):
        assert counted(baskets, m) == supports(baskets, m)


def test_the_last_of_all_items_are_told_apart() -> None:
    last = tuple(range(MOST_ITEMS - LONGEST - 1, MOST_ITEMS))
    assert counted([(last, 2)], LONGEST) == supports([(last, 2)], LONGEST)


@each_seed(range(200), fast=60)
def test_the_verdict_is_that_of_the_definition(seed: int) -> None:
    m, k = 1 + seed % 3, 2 + seed % 4
    found = supports(some_baskets(seed), m)
    if not found:
        return
    rare = {each for each, often in found.items() if often < k}
    parts = {each: {part for size in range(1, len(each)) for part in combinations(each, size)} for each in rare}
    minimal = sorted((found[each], len(each), [NAMES[i] for i in each]) for each in rare if not parts[each] & rare)
    result = verdict(found, k, m)
    assert result.satisfied is not bool(rare)
    assert result.violations == [{"itemset": each, "support": often} for often, _, each in minimal]
    assert result.worst["support"] == min(found.values())
    assert result.worst["itemset"] == min((found[e], len(e), [NAMES[i] for i in e]) for e in found)[2]
    facts, level = result.facts, result.facts["level"]
    assert (facts["violation_count"], facts["violation_count_is_exact"]) == (len(minimal), True)
    assert (facts["records"], facts["empty_baskets"], facts["records_affected"]) == (9, 1, 5)
    assert level["k_for_this_m"] == min(found.values())
    assert level["m_for_this_k"] == (min(size for _, size, _ in minimal) - 1 if minimal else m)
    assert level["m_is_exact"] is bool(minimal)


def test_where_more_may_be_rare_than_were_counted_it_says_so() -> None:
    found = {(item,): 1 for item in range(5)}
    assert verdict(found, 2, 1, asked_for=6).facts["violation_count_in_words"] == "5"
    cut = verdict(found, 2, 1, asked_for=5)
    assert cut.satisfied is False and not cut.facts["violation_count_is_exact"]
    assert cut.facts["violation_count_in_words"] == "at least 5"
    assert (cut.facts["level"]["m_for_this_k"], cut.facts["level"]["m_is_exact"]) == (0, False)
    assert verdict({**found, (0,): 2}, 2, 1, asked_for=5).facts["violation_count_is_exact"]
    assert len(verdict(found, 2, 1, limit=3).violations) == 3


def test_nothing_to_count() -> None:
    assert verdict({}, 2, 2).satisfied is True
