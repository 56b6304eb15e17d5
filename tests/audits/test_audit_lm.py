"""The audit of ℓ^m-diversity against its literal twin."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction

import numpy as np
import pytest

from naive import audit_lm as naive_audit_lm
from support.views import basket_view
from tacit.audits import lm
from tacit.audits.result import AuditResult
from tacit.promises import LmDiversity


def audit(
    baskets: Sequence[Iterable[str]],
    sensitive: Collection[str],
    l: float,  # noqa: E741
    m: float,
    **options: int,
) -> AuditResult:
    view = basket_view(baskets, sensitive)
    if options or l <= 1:  # no promise, but a level that somebody reached
        return lm.check(view.starts, view.items, view.names, view.is_sensitive, l, m, **options)
    return lm.audit(view, LmDiversity(l, m))


def random_baskets(rng: np.random.Generator) -> tuple[list[set[str]], set[str]]:
    """Up to five public and three sensitive items in up to 120 baskets; few distinct ones, or many."""
    labels = [*"abcde"[: rng.integers(0, 6)], *"XYZ"[: rng.integers(0, 4)]]
    chance = rng.uniform(0.1, 0.9) * rng.uniform(0.1, 1, len(labels))
    kinds = [{x for x, p in zip(labels, chance, strict=True) if rng.random() < p} for _ in range(rng.integers(1, 40))]
    return [kinds[i] for i in rng.integers(0, len(kinds), rng.integers(1, 120))], {*"XYZ"}


BOUNDS = [Fraction(11, 10), Fraction(3, 2), Fraction(2), Fraction(7, 3), Fraction(3), Fraction(6)]


@pytest.mark.parametrize("m", [1, 2, 3, math.inf])
def test_agrees_with_the_definition_on_random_baskets(m: float) -> None:
    rng = np.random.default_rng(2011 + int(min(m, 9)))
    verdicts = []
    for _ in range(300):
        (baskets, sensitive), bound = random_baskets(rng), BOUNDS[rng.integers(0, len(BOUNDS))]
        expected = naive_audit_lm.audit_lm(baskets, sensitive, bound, m)
        result = audit(baskets, sensitive, float(bound), m)
        assert result.satisfied == expected.satisfied
        assert result.worst == expected.worst
        assert result.violations == expected.violations
        assert result.facts["violation_count"] == len(expected.violations)
        assert result.facts["violation_count_is_exact"]
        assert result.facts["records_affected"] == expected.records_affected
        level = result.facts["level"]
        assert level == (expected.worst and {"l_for_this_m": expected.l_for_this_m, "l_is_exact": True})
        if level:
            assert audit(baskets, sensitive, level["l_for_this_m"], m).satisfied, "the level reached can be promised"
        verdicts.append(result.satisfied)
    assert 60 < sum(verdicts) < 240, "both verdicts must be common for the comparison to mean something"


def test_a_starved_budget_leaves_gaps_but_nothing_false() -> None:
    rng = np.random.default_rng(7)
    gaps = 0
    for _ in range(300):
        (baskets, sensitive), bound = random_baskets(rng), BOUNDS[rng.integers(0, len(BOUNDS))]
        expected = naive_audit_lm.audit_lm(baskets, sensitive, bound, 3)
        result = audit(baskets, sensitive, float(bound), 3, budget=0, count_limit=2)
        assert result.satisfied == expected.satisfied
        assert all(violation in expected.violations for violation in result.violations)
        assert bool(result.violations) != result.satisfied
        if result.facts["violation_count_is_exact"]:
            assert result.violations == expected.violations
        else:
            assert len(result.violations) <= len(expected.violations)
            gaps += 1
        if expected.worst is not None:
            level = result.facts["level"]
            assert level["l_for_this_m"] >= expected.l_for_this_m
            assert not level["l_is_exact"] or level["l_for_this_m"] == expected.l_for_this_m
    assert gaps > 20


def test_knowing_nothing_counts() -> None:
    """Two of three people have G: nobody needs to know an item to infer it."""
    result = audit([["a", "G"], ["b", "G"], ["c"]], {"G"}, 2, 2)
    assert result.satisfied is False
    empty = {"itemset": [], "sensitive": "G", "support": 3, "with_sensitive": 2, "share": 2 / 3}
    assert result.violations == [empty], "larger itemsets are not minimal"
    assert result.worst == {"itemset": ["a"], "sensitive": "G", "support": 1, "with_sensitive": 1, "share": 1.0}


def test_empty_baskets_count_for_knowing_nothing_only() -> None:
    baskets = [["a", "G"], ["a"], [], ["G"]]
    result = audit(baskets, {"G"}, 2, 1)
    assert result.satisfied
    assert (result.facts["records"], result.facts["empty_baskets"]) == (4, 1)
    assert audit(baskets[:2] + baskets[3:], {"G"}, 2, 1).satisfied is False


def test_more_knowledge_may_be_less_sure() -> None:
    """In a and in b two of three have G, in both together none."""
    baskets = [["a", "G"], ["a", "G"], ["b", "G"], ["b", "G"], ["a", "b"], ["c"], ["c"], ["c"]]
    result = audit(baskets, {"G"}, 2, 2)
    assert [violation["itemset"] for violation in result.violations] == [["a"], ["b"]]
    assert result.facts["records_affected"] == 4


def test_shares_are_compared_exactly() -> None:
    baskets = [["a", "G"]] * 3 + [["a"]] * 4
    assert audit(baskets, {"G"}, 7 / 3, 1).satisfied
    assert audit(baskets, {"G"}, 2.3334, 1).satisfied is False


@pytest.mark.parametrize("baskets", [[], [[]], [["a"], ["b"]]])
def test_without_sensitive_items_it_holds_trivially(baskets: list[list[str]]) -> None:
    result = audit(baskets, {"G"}, 5, 2)
    assert result.satisfied
    assert (result.worst, result.facts["level"]) == (None, None)
    assert "trivially" in str(result)


def test_only_sensitive_items() -> None:
    result = audit([["G"], ["H"], ["G"]], {"G", "H"}, 1.5, 2)
    assert result.satisfied
    assert result.worst == {"itemset": [], "sensitive": "G", "support": 3, "with_sensitive": 2, "share": 2 / 3}


def test_the_result_in_words() -> None:
    baskets = [["a", "b", "G"], ["a"], ["b"], ["c"]]
    assert "{a, b}: 1 of 1 baskets hold G" in str(audit(baskets, {"G"}, 3, 2))
    assert "more than 1/3" in str(audit(baskets, {"G"}, 3, 2))
    fine = str(audit(baskets, {"G"}, 2, 1))
    assert "up to 1 public item of a person's basket" in fine
    assert "ℓ = 2 for m = 1" in fine
    assert "any number of public items" in str(audit(baskets, {"G"}, 1.5, math.inf))


def test_limits_on_listing_and_counting() -> None:
    baskets = [[label, "G"] for label in "abcdefij"] + [[]] * 100
    listed = audit(baskets, {"G"}, 2, 1, limit=3)
    assert (len(listed.violations), listed.facts["violation_count"]) == (3, 8)
    counted = audit(baskets, {"G"}, 2, 1, count_limit=5)
    assert (counted.facts["violation_count"], counted.facts["violation_count_is_exact"]) == (5, False)
    assert "more than 5" in str(counted)
    assert counted.facts["level"] == {"l_for_this_m": 1.0, "l_is_exact": True}, "nothing is worse than certainty"


def test_order_and_repetition_inside_a_basket_do_not_matter() -> None:
    once = [["a", "b", "G"], ["b", "a"], ["a"]]
    again = [["G", "b", "a", "b", "G"], ["a", "b", "a"], ["a", "a"]]
    assert audit(once, {"G"}, 2, 2) == audit(again, {"G"}, 2, 2)


def test_it_can_be_written_as_json() -> None:
    content = audit([["a", "G"], ["a"]], {"G"}, 3, math.inf).to_dict()
    assert json.loads(json.dumps(content)) == content
    assert content["parameters"] == {"l": 3, "m": "inf"}
