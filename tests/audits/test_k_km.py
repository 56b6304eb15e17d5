"""The audit of (k, k^m)-anonymity: the paper's tables, and a literal twin."""

from __future__ import annotations

import ast
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tacit
from naive.audit_records import Record, identity_violations, published, weakest
from support.rt_figures import FIG_1B, FIG_2A, FIG_2B, FIG_2C, FIG_2D, NAMES, SENSITIVE
from tacit.audits.k_km import audit_k_km
from tacit.audits.record_groups import PublishedColumn, PublishedRecords
from tacit.promises import KKmAnonymity


def without_text(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value for key, value in entry.items() if key != "text"} for entry in entries]


def random_records(rng: np.random.Generator) -> tuple[list[Record], tuple[str, ...]]:
    """Two columns with few values, up to five known and two sensitive items; few distinct baskets, or many."""
    labels = [*"abcde"[: rng.integers(0, 6)], *"XY"[: rng.integers(0, 3)]]
    chance = rng.uniform(0.2, 1) * rng.uniform(0.2, 1, len(labels))
    kinds = [
        frozenset(x for x, p in zip(labels, chance, strict=True) if rng.random() < p) for _ in range(rng.integers(1, 9))
    ]
    values = [(f"v{rng.integers(0, 2)}", f"w{rng.integers(0, 3)}") for _ in range(rng.integers(1, 4))]
    n = int(rng.integers(1, 60))
    records = [
        Record(values[i], kinds[j])
        for i, j in zip(rng.integers(0, len(values), n), rng.integers(0, len(kinds), n), strict=True)
    ]
    return records, ("X", "Y")


@pytest.mark.parametrize("m", [1, 2, 3, math.inf])
def test_agrees_with_the_definition_on_random_records(m: float) -> None:
    rng = np.random.default_rng(2013 + int(min(m, 9)))
    verdicts = []
    for seed in range(100):
        records, sensitive = random_records(rng)
        k = int(rng.integers(1, 6))
        expected = identity_violations(("q", "r"), records, sensitive, k, m)
        result = audit_k_km(published(("q", "r"), records, sensitive, seed), KKmAnonymity(k, m))
        assert without_text(result.violations) == expected
        assert result.satisfied == (not expected)
        assert result.facts["violation_count"] == len(expected)
        assert result.worst is not None
        assert result.worst["support"] == weakest(records, sensitive, m)
        level = result.facts["level"]
        assert level["k_for_this_m"] == weakest(records, sensitive, m)
        if level["m_for_this_k"] != "inf":
            assert (level["m_for_this_k"] >= m) == result.satisfied
        verdicts.append(result.satisfied)
    assert 12 < sum(verdicts) < 88, "both verdicts must be common for the comparison to mean something"


def test_fig_1b_names_both_groups() -> None:
    result = audit_k_km(published(NAMES, FIG_1B, SENSITIVE), KKmAnonymity(2, 2))
    assert result.satisfied is False
    africa = {"Age": "[55:70]", "Origin": "Africa", "Gender": "All"}
    assert {"group": africa, "itemset": ["F"], "support": 1} in without_text(result.violations)
    ages = {violation["group"]["Age"] for violation in result.violations}
    assert ages == {"[55:70]", "[28:39]"}, "and the men of 19 to 22 are safe"
    assert "Age [55:70], Origin Africa, Gender All: {F}: 1 record" in str(result)


@pytest.mark.parametrize("table", [FIG_2A, FIG_2B, FIG_2C, FIG_2D])
def test_fig_2_holds(table: list[Record]) -> None:
    result = audit_k_km(published(NAMES, table, SENSITIVE), KKmAnonymity(2, 2))
    assert result.satisfied
    assert result.violations == []
    assert result.facts["level"]["k_for_this_m"] == 2


def test_sensitive_items_are_not_known() -> None:
    """Counted as known, G and H of Fig. 2(a) would tell two people apart."""
    assert audit_k_km(published(NAMES, FIG_2A), KKmAnonymity(2, 2)).satisfied is False


def test_clusters_with_equal_values_count_together() -> None:
    """Two clusters that ended with the same values: alone, the itemset {a} of the first one would be too rare."""
    cluster = [Record(("All",), frozenset("a")), Record(("All",), frozenset())]
    other = [Record(("All",), frozenset("ab")), Record(("All",), frozenset("b"))]
    assert audit_k_km(published(("q",), cluster + other), KKmAnonymity(2, 1)).satisfied
    assert audit_k_km(published(("q",), cluster), KKmAnonymity(2, 1)).satisfied is False


def test_a_group_that_is_too_small_is_a_violation_without_items() -> None:
    records = [Record(("x",), frozenset()), Record(("y",), frozenset("a")), Record(("y",), frozenset("a"))]
    result = audit_k_km(published(("q",), records), KKmAnonymity(2, 2))
    assert without_text(result.violations) == [{"group": {"q": "x"}, "itemset": [], "support": 1}]
    assert result.facts["level"]["m_for_this_k"] == 0
    assert result.facts["records_affected"] == 1
    assert "q x: 1 record" in str(result)


def test_texts_that_are_equal_are_one_value_whatever_their_codes() -> None:
    column = PublishedColumn("q", np.array([0, 1], np.int32), ["same", "same"])
    empty = PublishedRecords((column,), np.zeros(3, np.int64), np.empty(0, np.int32), [], np.empty(0, bool))
    result = audit_k_km(empty, KKmAnonymity(2, 2))
    assert result.satisfied
    assert result.facts["groups"] == 1


def test_without_quasi_identifiers_all_records_are_one_group() -> None:
    records = [Record((), frozenset("a")), Record((), frozenset("a"))]
    assert audit_k_km(published((), records), KKmAnonymity(2, 1)).satisfied
    assert "all records: 2 records" in str(audit_k_km(published((), records), KKmAnonymity(3, 1)))


def test_no_record_at_all() -> None:
    result = audit_k_km(published(("q",), []), KKmAnonymity(2, 2))
    assert result.satisfied
    assert (result.worst, result.facts["level"]) == (None, None)


def test_k_beyond_the_numbers_of_the_machine() -> None:
    result = audit_k_km(published(("q",), FIG_2A and [Record(("x",), frozenset("a"))]), KKmAnonymity(10**30, 1))
    assert result.satisfied is False
    assert result.parameters["k"] == 10**30


def test_it_can_be_written_as_json() -> None:
    content = audit_k_km(published(NAMES, FIG_1B, SENSITIVE), KKmAnonymity(2, math.inf)).to_dict()
    assert json.loads(json.dumps(content)) == content
    assert content["model"] == "k-km"
    assert content["parameters"] == {"k": 2, "m": "inf"}


@pytest.mark.parametrize("module", ["k_km", "k_lm", "record_groups"])
def test_shares_no_code_with_the_methods(module: str) -> None:
    source = (Path(tacit.__file__).parent / "audits" / f"{module}.py").read_text(encoding="utf-8")
    imports = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {node.module or "" for node in imports if isinstance(node, ast.ImportFrom)}
    names |= {alias.name for node in imports if isinstance(node, ast.Import) for alias in node.names}
    ours = {name for name in names if name.startswith("tacit")}
    assert ours
    allowed = ("tacit.audits", "tacit.promises", "tacit.errors", "tacit.arrays.jit", "tacit.arrays.blocks")
    assert all(name.startswith(allowed) for name in ours), ours
