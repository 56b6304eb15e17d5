"""The audit of k^m-anonymity (Liu & Wang 2010, section 2, Definition 1), for any m including infinity.

The attacker's story: I know up to m items of somebody's basket; how few baskets of the published file have them
all? An itemset that k or more baskets hold tells me too little, an itemset that fewer hold is a violation.

The audit finds the smallest such number over all itemsets that occur, size by size. More items only make weaker
spots, and no itemset is weaker than a whole basket around it (that is m = infinity, and needs no enumeration). So the
search at size j looks only below what size j - 1 gave, and ends where no basket has anything weaker to offer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from tacit.audits import _trie_kernels as _trie
from tacit.audits._few_itemsets import are_few, contained, counted, least_of, ways_up
from tacit.audits._km_kernels import COMPLETE, EXHAUSTED, STOPPED, search
from tacit.audits._sets import equal_ones, weighed
from tacit.audits._trie_kernels import Trie
from tacit.audits.result import AuditResult, in_words
from tacit.audits.views.baskets import BasketView
from tacit.promises import KmAnonymity

_NO_END = 2**62
_MOST_PEOPLE = 2**62
"""No file holds so many baskets, and whole numbers of the machine go no further."""
_HOW_MANY = {COMPLETE: "", STOPPED: "more than ", EXHAUSTED: "at least "}


COUNTS_PEOPLE = True


class Weakest(NamedTuple):
    """An itemset, as codes of the trie it was found in, and how many baskets hold it."""

    itemset: np.ndarray
    support: int


class Violations(NamedTuple):
    """Itemsets of one size, one a row, and their supports."""

    itemsets: np.ndarray
    supports: np.ndarray


@dataclass
class _Budget:
    """Steps of search still allowed for answers other than the verdict."""

    steps: int


@dataclass(frozen=True)
class _Distinct:
    """The different non-empty baskets with their number; items are numbered in the order of their labels."""

    records: int
    empty: int
    indptr: np.ndarray
    items: np.ndarray
    weight: np.ndarray
    names: list[str]


@dataclass(frozen=True)
class _Profile:
    """The weakest itemset of at most j items for j = 1, 2, ... as far as it was looked for, and of any size.

    Not `exact`: the budget ended the search, and the last of `by_size` may not be the very weakest. On which
    side of k it lies is certain all the same.
    """

    by_size: list[Weakest]
    any_size: Weakest
    exact: bool


def audit(view: BasketView, promise: KmAnonymity, *, limit: int = 1000) -> AuditResult:
    """Check published baskets; the verdict is exact, at most `limit` violations are listed."""
    countable = replace(promise, k=min(promise.k, _MOST_PEOPLE))
    some_sensitive = bool(view.is_sensitive.any())
    result = check(*view.known(), view.names, countable, limit=limit, some_sensitive=some_sensitive, people=view.people)
    return replace(result, parameters=promise.parameters())


def check(
    indptr: np.ndarray,
    items: np.ndarray,
    labels: Sequence[str],
    promise: KmAnonymity,
    *,
    limit: int = 1000,
    count_limit: int = 10_000,
    m_cap: int = 7,
    budget: int = 300_000_000,
    some_sensitive: bool = False,
    people: np.ndarray | None = None,
) -> AuditResult:
    """The same for arrays: basket r holds the items[indptr[r]:indptr[r + 1]] of `labels`, but for sensitive ones.
    It stands for `people[r]` records, if that is given.

    The verdict is exact. At most `limit` violations are listed and `count_limit` counted; the largest m that holds
    is looked for up to `m_cap`; `budget` bounds the steps of search for all but the verdict, and the result says so
    where that left something open.
    """
    distinct = _merge(indptr, items, labels, people)
    if distinct.records == distinct.empty:
        return nothing_to_find(distinct.records, promise, count_limit)
    order = _rarest_first(distinct)
    trie = _grow(distinct, order)
    names = [distinct.names[x] for x in order]
    left = _Budget(budget)

    profile = _profile(trie, promise, m_cap, left)
    weakest = _weakest(trie, promise, profile)
    satisfied = weakest.support >= promise.k
    level = _level(trie, promise, profile, satisfied, m_cap, left)
    if satisfied:
        found: list[Violations] = []
        counts = _counts(trie, [], 0, COMPLETE, "minimal itemsets")
    else:
        found, counts = _minimal_violations(trie, promise, weakest, count_limit, left)
        if promise.m == math.inf:
            counts["records_affected"] = _people_in_violation(trie, promise.k)
    listed = sorted(
        (_entry(names, *pair) for block in found for pair in zip(*block, strict=True)),
        key=lambda entry: (entry["support"], len(entry["itemset"]), entry["itemset"]),
    )
    result = AuditResult(
        model=promise.name,
        parameters=promise.parameters(),
        satisfied=satisfied,
        worst=_first_by_label(distinct, profile, weakest, left) or _entry(names, *weakest),
        violations=listed[:limit],
        facts={
            "records": distinct.records,
            "empty_baskets": distinct.empty,
            **counts,
            "violation_count_limit": count_limit,
            "level": level,
        },
    )
    return replace(result, explanation=explain(result, promise, some_sensitive=some_sensitive))


def _merge(indptr: np.ndarray, items: np.ndarray, labels: Sequence[str], people: np.ndarray | None = None) -> _Distinct:
    indptr = np.ascontiguousarray(indptr, np.int64)
    items = np.ascontiguousarray(items, np.int32)
    rising = np.ones(items.size, bool)
    if items.size:
        rising[1:] = items[1:] > items[:-1]
        rising[indptr[:-1][np.diff(indptr) > 0]] = True
    if not rising.all():  # a basket is a set, in whatever order and however often its items are given
        items = _trie.sort_baskets(indptr, items, len(labels))
        once = np.ones(items.size, bool)
        once[1:] = items[1:] != items[:-1]
        once[indptr[:-1][np.diff(indptr) > 0]] = True
        indptr, items = np.concatenate(([0], np.cumsum(once)))[indptr], items[once]
    lengths = np.diff(indptr)
    first, weight = equal_ones(indptr, items) if people is None else weighed(indptr, items, people)
    empty, records = int(weight[lengths[first] == 0].sum()), int(weight.sum())
    first, weight = first[lengths[first] > 0], weight[lengths[first] > 0]
    own_indptr = np.concatenate(([0], np.cumsum(lengths[first])))
    own_items = items[np.arange(own_indptr[-1]) + np.repeat(indptr[first] - own_indptr[:-1], lengths[first])]
    present = sorted(np.unique(own_items).tolist(), key=labels.__getitem__)
    code = np.zeros(len(labels), np.int32)
    code[present] = np.arange(len(present))
    names = [labels[x] for x in present]
    return _Distinct(records, empty, own_indptr, code[own_items], weight, names)


def _rarest_first(distinct: _Distinct) -> np.ndarray:
    each = np.repeat(distinct.weight, np.diff(distinct.indptr))
    support = np.bincount(distinct.items, weights=each, minlength=len(distinct.names))
    return np.argsort(support, kind="stable")


def _grow(distinct: _Distinct, order: np.ndarray) -> Trie:
    """The prefix tree in which item order[i] has the rank i."""
    rank = np.empty(order.size, np.int32)
    rank[order] = np.arange(order.size)
    falling = _trie.sort_baskets(distinct.indptr, rank[distinct.items], order.size)
    item, parent, depth, weight, own = _trie.plant(distinct.indptr, falling, distinct.weight)
    item[0] = order.size
    by_item = (np.argsort(item[1:], kind="stable") + 1).astype(np.int32)
    head = np.concatenate(([0], np.cumsum(np.bincount(item[1:], minlength=order.size))))
    support = np.bincount(item[1:], weights=weight[1:], minlength=order.size).astype(np.int64)
    return Trie(item, parent, depth, weight, own, head, by_item, support)


def _search_weakest(trie: Trie, size: int, below: int, floor: int, left: _Budget) -> tuple[Weakest | None, bool]:
    """The weakest itemset of that size with a support under `below`, if any; and whether the search was cut off.

    A search through many takes the first that does not exceed `floor`.
    """
    if are_few(trie, size) and ways_up(trie, size) <= left.steps:
        itemsets, supports = least_of(counted(trie, size), below)
        outcome, steps = COMPLETE, ways_up(trie, size)
    else:
        itemsets, supports, outcome, steps = search(trie, size, below, floor, 1, True, left.steps)
    left.steps = max(0, left.steps - steps)
    found = Weakest(itemsets[0], int(supports[0])) if len(supports) else None
    return found, outcome == EXHAUSTED


def _profile(trie: Trie, promise: KmAnonymity, m_cap: int, left: _Budget) -> _Profile:
    any_size = _least_contained(trie)
    by_size = [Weakest(np.zeros(1, np.int32), int(trie.support[0]))]  # item 0 is the rarest
    longest = int(trie.depth.max())
    verdict_open = promise.m < longest and any_size.support < promise.k
    exact = True
    for size in range(2, int(min(m_cap if promise.m == math.inf else promise.m, longest)) + 1):
        weakest = by_size[-1]
        if weakest.support == any_size.support:
            break
        if exact:
            found, cut_off = _search_weakest(trie, size, weakest.support, any_size.support, left)
            weakest, exact = found or weakest, not cut_off
        if not exact and not verdict_open:
            break
        if not exact and weakest.support >= promise.k:
            found, _ = _search_weakest(trie, size, promise.k, promise.k - 1, _Budget(_NO_END))
            weakest = found or weakest
        by_size.append(weakest)
    return _Profile(by_size, any_size, exact)


def _least_contained(trie: Trie) -> Weakest:
    """The weakest itemset of any size: inside the basket that is contained in the fewest baskets."""
    ends = np.flatnonzero(trie.own)
    ends = ends[np.lexsort((-trie.depth[ends], trie.own[ends]))]
    count = _containment(trie, ends, int(trie.weight[0]), shrinking=True)
    least = int(count.min())
    return Weakest(_trie.shrink(trie, _trie.way_up(trie, ends[count.argmin()]), least + 1), least)


def _containment(trie: Trie, ends: np.ndarray, stop: int, *, shrinking: bool) -> np.ndarray:
    count = contained(trie, ends)
    return _trie.containment(trie, ends, stop, shrinking) if count is None else count


def _weakest(trie: Trie, promise: KmAnonymity, profile: _Profile) -> Weakest:
    last, any_size = profile.by_size[-1], profile.any_size
    if last.support > any_size.support and (promise.m >= trie.depth.max() or any_size.itemset.size <= promise.m):
        return any_size
    return last


def _level(
    trie: Trie, promise: KmAnonymity, profile: _Profile, satisfied: bool, m_cap: int, left: _Budget
) -> dict[str, Any]:
    """The largest k that holds for this m, and the largest m that holds for this k; each exact, or "at least"."""
    least = profile.any_size.support
    weakest = _weakest(trie, promise, profile)
    k_is_exact = profile.exact or weakest.support == least
    k = weakest.support if k_is_exact else max(least, promise.k if satisfied else 1)
    cap = m_cap if promise.m == math.inf else max(m_cap, int(promise.m))
    m: int | str
    if least >= promise.k:
        m, m_is_exact = "inf", True
    else:
        m = sum(weak.support >= promise.k for weak in profile.by_size)
        m_is_exact = m < len(profile.by_size)
        cut_off = False
        while not m_is_exact and not cut_off and m < cap:
            found, cut_off = _search_weakest(trie, m + 1, promise.k, promise.k - 1, left)
            m_is_exact = found is not None
            m += found is None and not cut_off
    return {"k_for_this_m": k, "k_is_exact": k_is_exact, "m_for_this_k": m, "m_is_exact": m_is_exact, "m_cap": cap}


def _minimal_violations(
    trie: Trie, promise: KmAnonymity, weakest: Weakest, count_limit: int, left: _Budget
) -> tuple[list[Violations], dict[str, Any]]:
    """All minimal violating itemsets, the small ones first, until there are too many or the budget ends."""
    rare = np.flatnonzero(trie.support < promise.k).astype(np.int32)
    found = [Violations(rare[:count_limit, None], trie.support[rare[:count_limit]])]
    total, outcome = len(found[0].supports), COMPLETE if rare.size <= count_limit else STOPPED
    for size in range(2, int(min(promise.m, trie.depth.max())) + 1):
        if outcome != COMPLETE:
            break
        itemsets, supports, outcome, steps = search(trie, size, promise.k, 0, count_limit - total, False, left.steps)
        left.steps = max(0, left.steps - steps)
        found.append(Violations(itemsets, supports))
        total += len(supports)
    if not total:  # the budget ended before the one that decided the verdict was met again
        found, total = [_block(trie, _trie.shrink(trie, weakest.itemset, promise.k))], 1
    return found, _counts(trie, found, total, outcome, "minimal itemsets")


def _people_in_violation(trie: Trie, k: int) -> int:
    """For m = infinity: how many baskets are contained in fewer than k, each of which holds a violation."""
    ends = np.flatnonzero(trie.own)
    return int(trie.own[ends[_containment(trie, ends, k, shrinking=False) < k]].sum())


def _block(trie: Trie, itemset: np.ndarray) -> Violations:
    return Violations(itemset[None, :], np.array([_trie.count_support(trie, itemset)]))


def _counts(trie: Trie, found: list[Violations], total: int, outcome: int, unit: str) -> dict[str, Any]:
    marked = np.zeros(trie.item.size, np.bool_)
    for block in found:
        _trie.mark_holders(trie, block.itemsets, marked)
    return {
        "violation_count": total,
        "violation_count_is_exact": outcome == COMPLETE,
        "violation_count_in_words": f"{_HOW_MANY[outcome]}{total:,}",
        "violation_unit": unit,
        "records_affected": int(_trie.count_marked(trie, marked)),
    }


def _first_by_label(distinct: _Distinct, profile: _Profile, weakest: Weakest, left: _Budget) -> dict[str, Any] | None:
    """Of the itemsets as short and as weak, the first in the order of labels; None when `weakest` itself will do."""
    size = weakest.itemset.size
    if size == 1 or weakest is not profile.by_size[-1] or not profile.exact:
        return None
    trie = _grow(distinct, np.arange(len(distinct.names)))
    found, _ = _search_weakest(trie, size, weakest.support + 1, weakest.support, left)
    return None if found is None else _entry(distinct.names, *found)


def _entry(names: list[str], itemset: np.ndarray, support: int) -> dict[str, Any]:
    return {"itemset": sorted(names[x] for x in itemset), "support": int(support)}


def nothing_to_find(records: int, promise: KmAnonymity, count_limit: int) -> AuditResult:
    """No basket holds an item: the promise holds trivially, and no level can be named."""
    return AuditResult(
        model=promise.name,
        parameters=promise.parameters(),
        satisfied=True,
        worst=None,
        violations=[],
        facts={
            "records": records,
            "empty_baskets": records,
            "violation_count": 0,
            "violation_count_is_exact": True,
            "violation_count_in_words": "0",
            "violation_unit": "minimal itemsets",
            "records_affected": 0,
            "violation_count_limit": count_limit,
            "level": None,
        },
        explanation=(f"It does so trivially: none of the {records:,} baskets holds an item.",),
    )


def explain(result: AuditResult, promise: KmAnonymity, *, some_sensitive: bool) -> tuple[str, ...]:
    """The result in sentences for a data steward."""
    assert result.worst is not None
    facts, level = result.facts, result.facts["level"]
    how_many, affected = facts["violation_count_in_words"], f"{facts['records_affected']:,}"
    if result.satisfied:
        finding = promise.in_words(some_sensitive=some_sensitive)
    elif promise.m == math.inf:
        finding = (
            f"Known items give people away: {how_many} minimal itemsets occur in fewer than {promise.k:,} baskets, "
            f"and {affected} baskets hold such an itemset."
        )
    else:
        finding = (
            f"Up to {promise.m} known items give people away: {how_many} minimal itemsets occur in fewer than "
            f"{promise.k:,} baskets, and {affected} baskets hold one of those counted."
        )
    k = f"{'' if level['k_is_exact'] else 'at least '}{level['k_for_this_m']:,}"
    m = (
        str(level["m_for_this_k"])
        if level["m_is_exact"]
        else f"at least {level['m_for_this_k']} (of {level['m_cap']} tried)"
    )
    return (
        finding,
        f"Checked {facts['records']:,} baskets, {facts['empty_baskets']:,} of them empty.",
        f"The weakest itemset{'' if level['k_is_exact'] else ' met'} is {in_words(result.worst)}.",
        f"Level reached: k = {k} for m = {result.parameters['m']}; m = {m} for k = {promise.k:,}.",
    )
