"""The audit of (k, ℓ^m)-diversity against its literal twin."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import numpy as np
import pytest
from test_k_km import random_records, without_text

from naive.audit_records import Record, diversity_violations, identity_violations, largest_share, published
from support.rt_figures import FIG_2A, FIG_2B, NAMES, SENSITIVE
from tacit.audits._groups import grouped
from tacit.audits.k_lm import audit as audit_k_lm
from tacit.audits.k_lm import check
from tacit.promises import KLmDiversity

BOUNDS = [Fraction(11, 10), Fraction(3, 2), Fraction(2), Fraction(7, 3), Fraction(6)]


@pytest.mark.parametrize("m", [1, 2, math.inf])
def test_agrees_with_the_definition_on_random_records(m: float) -> None:
    rng = np.random.default_rng(1999 + int(min(m, 9)))
    verdicts, implied = [], 0
    for seed in range(100):
        records, sensitive = random_records(rng)
        k, bound = int(rng.integers(1, 4)), BOUNDS[rng.integers(0, len(BOUNDS))]
        rare = identity_violations(("q", "r"), records, sensitive, k, m)
        sure = diversity_violations(("q", "r"), records, sensitive, bound, m)
        result = audit_k_lm(published(("q", "r"), records, sensitive, seed), KLmDiversity(k, float(bound), m))
        assert without_text(result.violations) == rare + sure
        assert result.satisfied == (not rare and not sure)
        assert (result.facts["identity_violations"], result.facts["diversity_violations"]) == (len(rare), len(sure))
        share = largest_share(records, sensitive, m)
        reached = result.facts["level"]["l_for_this_m"]
        assert reached == (float(1 / share) if share else None), "no combination is surer than one item"
        held = {s for r in records for s in r.items & set(sensitive)}
        if held and not rare:
            assert result.worst is not None
            assert result.worst["share"] == float(share)
        verdicts.append(result.satisfied)
        implied += bool(sure)
    assert 6 < sum(verdicts) < 94
    assert implied > 12


def test_the_tables_of_the_paper() -> None:
    """In each group of Fig. 2(a) one of two has G, the other H."""
    assert audit_k_lm(published(NAMES, FIG_2A, SENSITIVE), KLmDiversity(2, 2, 2)).satisfied
    result = audit_k_lm(published(NAMES, FIG_2A, SENSITIVE), KLmDiversity(2, 3, 2))
    assert result.satisfied is False
    assert result.facts["identity_violations"] == 0
    assert "1 of 2 records hold G" in str(result)


def test_fig_2b_gives_away_who_bought_f_without_e() -> None:
    """Of the four with F two have both E and F; whoever has E and F has G or H evenly."""
    result = audit_k_lm(published(NAMES, FIG_2B, SENSITIVE), KLmDiversity(2, 1.3, 2))
    assert result.satisfied
    assert result.facts["level"]["l_for_this_m"] == pytest.approx(4 / 3)
    assert result.facts["most_given_away"]["itemset"] in (["E"], ["F"])


def test_knowing_no_item_counts() -> None:
    """All of one group have the sensitive item; no known item is needed."""
    records = [Record(("x",), frozenset("X")), Record(("x",), frozenset("X")), Record(("y",), frozenset())]
    result = audit_k_lm(published(("q",), records, ("X",)), KLmDiversity(1, 1.5, 2))
    assert result.satisfied is False
    assert without_text(result.violations) == [
        {"group": {"q": "x"}, "itemset": [], "sensitive": "X", "support": 2, "with_sensitive": 2, "share": 1.0}
    ]
    assert "q x: 2 of 2 records hold X" in str(result)


def test_one_group_may_be_sure_where_the_whole_file_is_not() -> None:
    records = [Record(("x",), frozenset("aX")), Record(("x",), frozenset("a"))] + [Record(("y",), frozenset("a"))] * 6
    assert audit_k_lm(published(("q",), records, ("X",)), KLmDiversity(2, 3, 1)).satisfied is False
    assert audit_k_lm(published(("q",), records, ("X",)), KLmDiversity(2, 2, 1)).satisfied


def test_without_sensitive_items_it_is_about_identity_alone() -> None:
    records = [Record(("x",), frozenset("a"))] * 3
    result = audit_k_lm(published(("q",), records, ("X",)), KLmDiversity(3, 100, 2))
    assert result.satisfied
    assert "No record holds a sensitive item." in str(result)
    assert audit_k_lm(published(("q",), records, ("X",)), KLmDiversity(4, 100, 2)).satisfied is False


def test_limits_on_counting_leave_gaps_but_nothing_false() -> None:
    records = [Record((f"g{i % 5}",), frozenset({f"i{i}", "X"})) for i in range(40)]
    records += [Record((f"g{i % 5}",), frozenset()) for i in range(400)]
    data = published(("q",), records, ("X",))
    full = audit_k_lm(data, KLmDiversity(1, 2, 2))
    assert full.facts["diversity_violations"] == 40
    few = check(grouped(data), KLmDiversity(1, 2, 2), count_limit=7)
    assert few.facts["diversity_violations"] == 7
    assert not few.facts["violation_count_is_exact"]
    assert few.satisfied is False
    hasty = check(grouped(data), KLmDiversity(1, 2, 2), budget=0)
    assert hasty.satisfied is False
    assert all(violation in full.violations for violation in hasty.violations)


def test_it_can_be_written_as_json() -> None:
    content = audit_k_lm(published(NAMES, FIG_2A, SENSITIVE), KLmDiversity(2, 3, math.inf)).to_dict()
    assert json.loads(json.dumps(content)) == content
    assert content["parameters"] == {"k": 2, "l": 3, "m": "inf"}
