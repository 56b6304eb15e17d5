"""What others counted of one group of records is judged as the group itself would be."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import tacit
from support.seeds import each_seed
from tacit import KKmAnonymity, KLmDiversity, KmAnonymity
from tacit.audits import k_km, k_lm
from tacit.audits.k_lm import Telling
from tacit.audits.result import AuditResult

KNOWN, SENSITIVE = ["a", "b", "c"], ["s", "t"]
GROUP = {"age": "1"}


def drawn(seed: int) -> list[set[str]]:
    rng = np.random.default_rng(seed)
    chances = rng.random(5)
    return [
        {x for x, chance in zip(KNOWN + SENSITIVE, chances, strict=True) if rng.random() < chance} for _ in range(9)
    ]


def identity_of(rows: list[set[str]], k: int, m: int) -> AuditResult:
    known = pa.table({"b": [sorted(row & {*KNOWN}) for row in rows]})
    return k_km.of_one_group(tacit.audit(known, KmAnonymity(k, m), items="b"), GROUP, KKmAnonymity(k, m))


def plain(entries: Any) -> list[dict[str, Any]]:
    return sorted(({**each, "itemset": sorted(each["itemset"])} for each in entries), key=str)


@each_seed(range(60), fast=12)
def test_known_items_of_one_group(seed: int) -> None:
    rows, k, m = drawn(seed), 1 + seed % 5, 1 + seed % 3
    table = pa.table({"age": ["1"] * 9, "b": [sorted(row & {*KNOWN}) for row in rows]})
    found, whole = identity_of(rows, k, m), tacit.audit(table, KKmAnonymity(k, m), quasi="age", items="b")
    assert found.satisfied is whole.satisfied
    assert plain(found.violations) == plain(whole.violations)
    assert found.facts["records_affected"] == whole.facts["records_affected"]
    assert (found.worst or {})["support"] == (whole.worst or {})["support"]


@each_seed(range(60), fast=12)
def test_sensitive_items_of_one_group(seed: int) -> None:
    rows, promise = drawn(seed), KLmDiversity(1 + seed % 3, (1.5, 2, 3)[seed % 3], 1 + seed % 2)
    itemsets = [itemset for size in range(int(promise.m) + 1) for itemset in combinations(range(3), size)]
    found = []
    for itemset in itemsets:
        held = [row for row in rows if {KNOWN[item] for item in itemset} <= row]
        both = [sum(name in row for row in held) for name in SENSITIVE]
        found += [Telling(itemset, item, many, len(held)) for item, many in enumerate(both) if many]
    found.sort(key=lambda each: (-each.both / each.people, len(each.itemset), each.itemset, each.sensitive))
    minimal = k_lm.minimal_of(found, k_lm.bound_of(promise))
    affected = sum(any({SENSITIVE[s], *(KNOWN[i] for i in itemset)} <= row for itemset, s in minimal) for row in rows)
    identity, labels = identity_of(rows, promise.k, int(promise.m)), (KNOWN, SENSITIVE)
    result = k_lm.of_one_group(identity, found, labels, affected, GROUP, promise, asked_for=len(found) + 1)
    table = pa.table({"age": ["1"] * 9, "b": [sorted(row) for row in rows]})
    whole = tacit.audit(table, promise, quasi="age", items="b", sensitive_items=SENSITIVE)
    assert result.satisfied is whole.satisfied
    assert plain(result.violations) == plain(whole.violations)
    for fact in ("violation_count", "diversity_violations", "violation_count_is_exact"):
        assert result.facts[fact] == whole.facts[fact]


@pytest.mark.parametrize(("both", "is_all"), [(1, True), (2, False)])
def test_all_is_known_once_the_last_of_those_asked_for_is_within_the_bound(both: int, is_all: bool) -> None:
    """As far as the surest go: others may be above the bound, unless one of these is not."""
    rows = [{"a", "b", "s"}, {"a", "b"}, {"a", "b"}, {"a", "b"}]
    found = [Telling((0,), 0, 2, 2), Telling((1,), 0, both, 2)]
    identity, promise = identity_of(rows, 2, 1), KLmDiversity(2, 2, 1)
    result = k_lm.of_one_group(identity, found, (KNOWN, SENSITIVE), 2, GROUP, promise, asked_for=2)
    assert result.facts["violation_count_is_exact"] is is_all
    assert result.facts["violation_count"] == both and not result.satisfied
