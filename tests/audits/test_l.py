"""The audit of ℓ-diversity, against its definitions."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from test_k import column, columns, random_rows

from naive.relational import reached
from support.views import record_view
from tacit.audits import l as audited
from tacit.audits.result import AuditResult
from tacit.audits.views.cells import Cells
from tacit.promises import LDiversity


def audit_l(quasi: list[Cells], sensitive: list[Cells], promise: LDiversity) -> AuditResult:
    return audited.audit(record_view(quasi, sensitive), promise)


@pytest.mark.parametrize("kind", ["frequency", "distinct", "entropy"])
def test_agrees_with_the_definition_on_random_tables(kind: str) -> None:
    verdicts = []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        rows, k = random_rows(rng), int(rng.integers(1, 3))
        l = int(rng.integers(2, 4)) if kind == "distinct" else float(rng.choice([1.2, 1.5, 2, 7 / 3]))  # noqa: E741
        drawn = [[f"s{n}" for n in rng.integers(0, 4, len(rows))] for _ in range(rng.integers(1, 3))]
        groups = defaultdict(list)
        for record, row in enumerate(rows):
            groups[row].append(record)
        broken = {(row, "size") for row, held in groups.items() if len(held) < k}
        levels = []
        for index, values in enumerate(drawn):
            for row, held in groups.items():
                levels.append(reached([values[r] for r in held], kind))
                if levels[-1] < l - 1e-9:
                    broken.add((row, f"s{index}"))
        sensitive = [column(f"s{index}", values, rng) for index, values in enumerate(drawn)]
        result = audit_l(columns(rows, rng), sensitive, LDiversity(k, l, kind))
        verdicts.append(result.satisfied)
        assert result.satisfied == (not broken)
        assert {(tuple(v["group"].values()), v.get("column", "size")) for v in result.violations} == broken
        assert result.facts["violation_count"] == len(broken)
        hit = {row for row, _ in broken}
        assert result.facts["records_affected"] == sum(len(groups[row]) for row in hit)
        assert result.facts["level"]["l"] == pytest.approx(min(levels), abs=2e-6)
        assert result.facts["level"]["l"] <= min(levels) + 1e-9
    assert 10 < sum(verdicts) < 190


def test_the_worst_is_the_best_guess_of_an_attacker() -> None:
    rows = [("young",)] * 4 + [("old",)] * 3
    sick = column("illness", ["flu", "flu", "flu", "cold", "flu", "cold", "cold"])
    result = audit_l(columns(rows), [sick], LDiversity(2, 2))
    assert result.worst is not None
    assert (result.worst["group"], result.worst["value"], result.worst["share"]) == ({"q0": "young"}, "flu", 0.75)
    assert "q0 young: 3 of 4 records have illness flu" in str(result)
    assert result.facts["level"] == {"k": 3, "k_is_exact": True, "l": 1.333333, "l_is_exact": True}
    assert audit_l(columns(rows), [sick], LDiversity(2, 4 / 3)).satisfied
    assert audit_l(columns(rows), [sick], LDiversity(3, 2, "distinct")).satisfied
    assert not audit_l(columns(rows), [sick], LDiversity(4, 2, "distinct")).satisfied


def test_a_missing_value_is_a_value() -> None:
    sick = column("illness", ["flu", ""])
    assert audit_l(columns([("x",), ("x",)]), [sick], LDiversity(2, 2)).satisfied


def test_no_record_breaks_no_promise() -> None:
    empty = Cells("q", np.empty(0, np.int32), ())
    result = audit_l([empty], [empty], LDiversity(2, 2))
    assert result.satisfied
    assert result.worst is None
