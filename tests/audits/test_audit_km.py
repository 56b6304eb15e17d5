"""The audit of k^m-anonymity against its literal twin, the paper's running example, and real data."""

from __future__ import annotations

import functools
import gzip
import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pytest

from naive import audit_km as naive_audit
from support.views import view_of
from tacit.audits import AuditResult, _few_itemsets, _trie_kernels, km
from tacit.promises import KmAnonymity

# Fig. 1(a) of Liu & Wang 2010: the data, and its last column (cut P, f, g, M, e, i; item i suppressed)
FIGURE_1 = ["bcd", "afg", "dfyz", "cdfx", "abcfg", "ei", "e", "i"]
PUBLISHED = ["P", "Pfg", "PfM", "PfM", "Pfg", "e", "e", ""]
NOTHING_SUPPRESSED = [*PUBLISHED[:5], "ei", "e", "i"]


def encode(baskets: Iterable[Iterable[str]]) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Baskets as the arrays the audit takes; labels in order of first appearance."""
    vocabulary: dict[str, int] = {}
    rows = [sorted({vocabulary.setdefault(label, len(vocabulary)) for label in basket}) for basket in baskets]
    indptr = np.cumsum([0, *map(len, rows)])
    return indptr, np.array([x for row in rows for x in row], np.int32), list(vocabulary)


def audit(baskets: Sequence[Iterable[str]], k: int, m: float | str, **options: int) -> AuditResult:
    if options:
        return km.check(*encode(baskets), KmAnonymity(k=k, m=m), **options)
    return km.audit(view_of(*encode(baskets)), KmAnonymity(k=k, m=m))


def random_baskets(rng: np.random.Generator, most: int = 12) -> list[set[str]]:
    """Up to 7 items in up to 2 * most baskets: some skewed, some with many equal baskets, some empty."""
    labels = rng.permutation(list("abcdefg"))[: rng.integers(1, 8)].tolist()
    chance = rng.uniform(0.1, 0.9) * rng.uniform(0.2, 1, len(labels))
    kinds = [{x for x, p in zip(labels, chance, strict=True) if rng.random() < p} for _ in range(rng.integers(1, most))]
    return [kinds[i] for i in rng.integers(0, len(kinds), rng.integers(1, 2 * most))]


@pytest.mark.parametrize("how", ["counted", "searched"])
@pytest.mark.parametrize("m", [1, 2, 3, 4, math.inf])
def test_agrees_with_the_definition_on_random_baskets(m: float, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few itemsets are counted, many are searched for by a kernel."""
    monkeypatch.setattr(_few_itemsets, "_FEW", 1000 if how == "counted" else -1)
    rng = np.random.default_rng(20100 + int(min(m, 9)))
    verdicts = []
    for _ in range(300):
        baskets, k = random_baskets(rng), int(rng.integers(1, 6))
        expected = naive_audit.audit_km(baskets, k, m)
        result = audit(baskets, k, m)
        verdicts.append(result.satisfied)
        assert result.satisfied == expected.satisfied
        assert result.worst == expected.worst
        assert result.facts["records_affected"] == expected.records_affected
        level = result.facts["level"]
        if expected.worst is None:
            assert level is None
            continue
        assert (level["k_for_this_m"], level["k_is_exact"]) == (expected.k_for_this_m, True)
        assert (level["m_for_this_k"], level["m_is_exact"]) == (expected.m_for_this_k, True)
        assert result.facts["violation_count_is_exact"]
        assert result.violations == expected.violations
        assert result.facts["violation_count"] == len(expected.violations)
    assert 30 < sum(verdicts) < 270, "both verdicts must be common for the comparison to mean something"


def test_a_starved_budget_leaves_gaps_but_nothing_false() -> None:
    rng = np.random.default_rng(7)
    gaps = {"count": 0, "k": 0, "m": 0}
    for _ in range(400):
        baskets, k, m = random_baskets(rng, most=60), int(rng.integers(1, 6)), int(rng.integers(2, 5))
        expected = naive_audit.audit_km(baskets, k, m)
        if expected.worst is None:
            continue
        result = audit(baskets, k, m, budget=int(rng.integers(0, 40)))
        level = result.facts["level"]
        assert result.satisfied == expected.satisfied
        assert all(violation in expected.violations for violation in result.violations)
        assert bool(result.violations) != result.satisfied
        assert result.facts["violation_count"] <= len(expected.violations)
        if result.facts["violation_count_is_exact"]:
            assert result.violations == expected.violations
        else:
            assert "at least" in str(result)
            gaps["count"] += 1
        if level["k_is_exact"]:
            assert level["k_for_this_m"] == expected.k_for_this_m
        else:
            assert level["k_for_this_m"] <= expected.k_for_this_m <= result.worst["support"]
            gaps["k"] += 1
        if level["m_is_exact"]:
            assert level["m_for_this_k"] == expected.m_for_this_k
        else:
            assert expected.m_for_this_k == "inf" or level["m_for_this_k"] <= expected.m_for_this_k
            gaps["m"] += 1
    assert min(gaps.values()) > 3, gaps


def test_a_long_basket_is_made_smaller_by_a_kernel_in_the_same_way(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(11)
    for _ in range(40):
        baskets = random_baskets(rng)
        expected = audit(baskets, 3, "inf", m_cap=1)
        with monkeypatch.context() as changed:
            changed.setattr(_trie_kernels, "_LONG", 1)
            assert audit(baskets, 3, "inf", m_cap=1) == expected


def test_running_example_of_the_paper() -> None:
    published = audit(PUBLISHED, 2, "inf")
    assert published.satisfied
    assert published.violations == []
    assert published.facts["empty_baskets"] == 1
    assert published.facts["level"]["m_for_this_k"] == "inf"

    original = audit(FIGURE_1, 2, "inf")
    assert original.satisfied is False
    assert {"itemset": ["e", "i"], "support": 1} in original.violations

    for m in (2, 5, math.inf):
        unsuppressed = audit(NOTHING_SUPPRESSED, 2, m)
        assert unsuppressed.violations == [{"itemset": ["e", "i"], "support": 1}]
        assert unsuppressed.facts["records_affected"] == 1
        assert unsuppressed.facts["level"]["m_for_this_k"] == 1


@pytest.mark.parametrize("baskets", [[], [""], ["", "", ""]])
def test_nothing_to_tell(baskets: list[str]) -> None:
    result = audit(baskets, 5, 2)
    assert result.satisfied
    assert result.worst is None
    assert result.facts["level"] is None
    assert result.facts["empty_baskets"] == result.facts["records"] == len(baskets)
    assert "trivially" in str(result)


def test_all_baskets_equal() -> None:
    assert audit(["abc"] * 5, 5, "inf").satisfied
    assert audit(["abc"] * 5, 5, 2).facts["level"]["m_for_this_k"] == "inf"
    failed = audit(["abc"] * 4, 5, 3)
    assert [violation["itemset"] for violation in failed.violations] == [["a"], ["b"], ["c"]]
    assert failed.facts["records_affected"] == 4


def test_one_basket_and_k_of_one() -> None:
    assert audit(["ab"], 1, 2).satisfied
    assert audit(["ab"], 2, 2).worst == {"itemset": ["a"], "support": 1}
    assert audit(FIGURE_1, 1, "inf").facts["level"]["m_for_this_k"] == "inf"


def test_m_beyond_the_longest_basket_is_any_m() -> None:
    assert audit(PUBLISHED, 2, 50).satisfied
    assert audit(NOTHING_SUPPRESSED, 2, 50).violations == [{"itemset": ["e", "i"], "support": 1}]


def test_the_cap_on_m_is_stated() -> None:
    """Nine items, k = 3: every itemset but the whole basket is held by three others."""
    whole = "abcdefghi"
    baskets = [whole, *(whole.replace(left_out, "") for left_out in whole for _ in range(3))]
    level = audit(baskets, 3, 2).facts["level"]
    assert (level["m_for_this_k"], level["m_is_exact"], level["m_cap"]) == (7, False, 7)
    level = audit(baskets, 3, 2, m_cap=12).facts["level"]
    assert (level["m_for_this_k"], level["m_is_exact"], level["m_cap"]) == (8, True, 12)


def test_limits_on_listing_and_counting() -> None:
    baskets = [f"{a}{b}" for a in "abcdefgh" for b in "pqrstuvw"]  # 64 pairs, each once; every item 8 times
    listed = audit(baskets, 2, 2, limit=10)
    assert (len(listed.violations), listed.facts["violation_count"]) == (10, 64)
    assert listed.facts["violation_count_is_exact"]
    counted = audit(baskets, 2, 2, count_limit=20)
    assert (len(counted.violations), counted.facts["violation_count"]) == (20, 20)
    assert counted.facts["violation_count_is_exact"] is False
    assert counted.facts["records_affected"] == 20
    assert "more than 20 minimal itemsets" in str(counted)
    assert audit(baskets, 2, 2, count_limit=64).facts["violation_count_is_exact"]
    single_items = audit(baskets, 9, 2, count_limit=16)
    assert (single_items.facts["violation_count"], single_items.facts["violation_count_is_exact"]) == (16, True)


def test_labels_are_only_labels() -> None:
    odd = ["", " ", "a,b", "ä\n", "{x}", "7", "='1'"]
    baskets = [[odd[0], odd[1]], [odd[2], odd[3], odd[4]], [odd[5]], [odd[6], odd[0]], odd]
    result = audit(baskets, 2, 2)
    assert result.violations == naive_audit.audit_km([set(b) for b in baskets], 2, 2).violations
    assert json.loads(json.dumps(result.to_dict()))["violations"] == result.violations
    assert "{'', '{x}'}: 1 basket" in str(result)


def test_order_and_repetition_inside_a_basket_do_not_matter() -> None:
    indptr, items, labels = encode(FIGURE_1)
    given_twice = np.concatenate([np.tile(row[::-1], 2) for row in np.split(items, indptr[1:-1])])
    promise = KmAnonymity(k=2, m=3)
    twice, once = view_of(2 * indptr, given_twice, labels), view_of(indptr, items, labels)
    assert km.audit(twice, promise) == km.audit(once, promise)


def test_names_itemsets_and_never_rows() -> None:
    content = audit(FIGURE_1, 2, 2).to_dict()
    assert list(content)[:5] == ["version", "model", "parameters", "satisfied", "worst"]
    assert content["parameters"] == {"k": 2, "m": 2}
    assert all(set(violation) == {"itemset", "support"} for violation in content["violations"])
    assert audit(FIGURE_1, 2, "inf").to_dict()["parameters"]["m"] == "inf"


def read_dat(path: Path) -> list[list[str]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [line.split() for line in lines]


def test_raw_clickstream_pairs_as_counted_by_hand(shared_data: Path) -> None:
    baskets = read_dat(shared_data / "transactions" / "msweb.dat.gz")
    result = audit(baskets, 5, 2, count_limit=10**6)
    indptr, items, labels = encode(baskets)
    held = np.zeros((len(baskets), len(labels)), np.float32)
    held[np.repeat(np.arange(len(baskets)), np.diff(indptr)), items] = 1
    pairs = held.T @ held
    rare = np.diag(pairs) < 5
    rare_pairs = (pairs > 0) & (pairs < 5) & ~rare[:, None] & ~rare[None, :]
    assert result.facts["violation_count"] == rare.sum() + np.triu(rare_pairs, 1).sum()
    assert result.facts["level"]["k_for_this_m"] == 1


def test_real_baskets_generalized_to_their_tops(shared_data: Path) -> None:
    """fruithut in 13 top categories: the rarest pair, by hand, and what the audit says of it."""
    rows = (shared_data / "taxonomies" / "fruithut_taxonomy.csv").read_text(encoding="utf-8").split()[1:]
    parent = dict(row.split(",") for row in rows)

    @functools.cache
    def top(label: str) -> str:
        while label in parent:
            label = parent[label]
        return label

    baskets = [
        [top(label) for label in basket] for basket in read_dat(shared_data / "transactions" / "fruithut.dat.gz")
    ]
    expected = naive_audit.audit_km([set(basket) for basket in baskets[:5000]], 5, 3)
    result = audit(baskets[:5000], 5, 3)
    assert (result.worst, result.violations) == (expected.worst, expected.violations)
    whole = audit(baskets, 2, "inf")
    assert whole.facts["records"] == 181970
    assert whole.facts["level"]["k_for_this_m"] == whole.worst["support"]
