"""The audit of CAHD's groups against the definition."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest

import tacit
from support.views import view_of
from tacit import InputError
from tacit.audits import AuditResult, cahd
from tacit.promises import Cahd

LABELS = ["u", "v", "w"]


def audit(groups: list[int], sensitive: list[str], p: int, **options: int) -> AuditResult:
    indptr = np.cumsum([0, *map(len, sensitive)])
    items = np.array([LABELS.index(s) for row in sensitive for s in row], np.int32)
    return cahd.audit(view_of(indptr, items, LABELS, LABELS, groups), Cahd(p), **options)


def test_agrees_with_the_definition_on_random_groups() -> None:
    rng = np.random.default_rng(2008)
    verdicts = []
    for _ in range(400):
        n = int(rng.integers(0, 40))
        groups = rng.integers(0, rng.integers(1, 6), n).tolist()
        rarity = rng.uniform(0, 0.4)
        sensitive = ["".join(s for s in LABELS if rng.random() < rarity) for _ in range(n)]
        p = int(rng.integers(1, 6))
        expected = {}
        shares = []
        for group in set(groups):
            rows = [row for g, row in zip(groups, sensitive, strict=True) if g == group]
            for s in LABELS:
                count = sum(s in row for row in rows)
                shares.append(count / len(rows))
                if count * p > len(rows):
                    expected[group, s] = count
        result = audit(groups, sensitive, p)
        verdicts.append(result.satisfied)
        assert result.satisfied == (not expected)
        assert {(v["group"], *v["itemset"]): v["support"] for v in result.violations} == expected
        assert (result.worst["share"] if result.worst else 0) == max(shares, default=0)
        affected = {group for group, _ in expected}
        assert result.facts["records_affected"] == sum(group in affected for group in groups)
    assert 0.2 < np.mean(verdicts) < 0.8


def test_says_what_it_found() -> None:
    groups, sensitive = [7, 7, 7, 9, 9], ["u", "", "v", "w", "w"]
    result = audit(groups, sensitive, 3)
    assert not result.satisfied
    assert result.violations == [{"group": 9, "itemset": ["w"], "support": 2, "group_size": 2, "share": 1.0}]
    assert result.facts["level"] == {"p": 1, "p_is_exact": True}
    assert "in 2 of 2 rows of group 9" in str(result)
    assert json.loads(json.dumps(result.to_dict()))["parameters"] == {"p": 3}
    fine = audit(groups, ["u", "", "v", "", ""], 3)
    assert fine.satisfied
    assert fine.facts["level"]["p"] == 3
    assert "at most 1/3" in str(fine)


def test_nothing_sensitive_and_no_rows() -> None:
    for groups, sensitive in (([], []), ([0, 0], ["", ""])):
        result = audit(groups, sensitive, 4)
        assert result.satisfied
        assert result.worst is None
        assert "trivially" in str(result)


def test_at_most_so_many_are_listed() -> None:
    result = audit([0, 1, 2], ["u", "u", "u"], 2, limit=2)
    assert len(result.violations) == 2
    assert result.facts["violation_count"] == 3


@pytest.mark.parametrize("odd", ["01", " 1", "1 ", "+1", "-1", "1.0", "1e0", "one", "\u0661", "9" * 19])
def test_groups_are_numbered_in_plain_form(odd: str) -> None:
    """`1` and `01` were one group, in which the item was rare enough."""
    frame = pa.table({"basket": [["u"], [], ["w"], []], "group": ["1", "1", odd, "1"]})
    with pytest.raises(InputError, match="column 'group': some groups are no whole numbers"):
        tacit.audit(frame, Cahd(2), items="basket", sensitive_items=["u"])


def test_groups_of_any_size_are_compared_as_they_are_written() -> None:
    frame = pa.table({"basket": [["u"], [], ["u"], []], "group": ["0", "0", "9" * 18, "9" * 18]})
    result = tacit.audit(frame, Cahd(2), items="basket", sensitive_items=["u"])
    assert result.satisfied and result.facts["groups"] == 2
