"""The audit of (h, k, p)-coherence (Xu, Wang, Fu & Yu 2008), for any p including infinity.

The attacker's story: I know up to p public items of somebody's basket, or none. How few baskets have them all, and how
many of those hold one and the same sensitive item? Fewer than k, or more than the share h, is a violation.

Itemsets are counted size by size, smaller ones first. One that breaks the promise is not made longer: what is listed
are minimal itemsets. A sound one is made longer only where its baskets allow anything weaker (see the kernels).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from tacit.audits import _coherence_kernels as kernels
from tacit.audits._coherence_kernels import COMPLETE, EXHAUSTED, STOPPED, Counts, Weakest
from tacit.audits._holder_kernels import Bounds, Rows, judge, least_cover, mark_holders, write_covers
from tacit.audits._sets import as_sets, only, some, weighed
from tacit.audits._trie_kernels import merge_equal
from tacit.audits.result import AuditResult, in_words
from tacit.audits.views.baskets import BasketView
from tacit.promises import Coherence, exact

_NOBODY = 2**62
_MOST_PEOPLE = 2**31
"""No file holds so many baskets; such numbers can be multiplied with others."""
_ENOUGH = 8  # times k people: baskets that so many hold are not looked at more closely
_HOW_MANY = {COMPLETE: "", STOPPED: "more than ", EXHAUSTED: "at least "}


COUNTS_PEOPLE = True


class _Promise(NamedTuple):
    h: float
    k: int
    p: int | float

    @property
    def share(self) -> Fraction:
        return exact(self.h)

    def allows(self, people: int, most: int) -> bool:
        """Whether so many people may have known items in common, and the most of them one sensitive item."""
        return people >= self.k and most <= people * self.share

    def bounds(self) -> Bounds:
        return Bounds(self.k, self.share.numerator, self.share.denominator)

    def weakness(self, violation: dict[str, Any]) -> tuple[Any, ...]:
        """To sort by: itemsets that too few hold, fewest first; then those with a sensitive item, the most first."""
        order = len(violation["itemset"]), violation["itemset"]
        if violation["support"] < self.k:
            return 0, violation["support"], *order
        return 1, -violation["share"], *order


@dataclass(frozen=True)
class _Distinct:
    """The distinct baskets; public items numbered from the rarest on, sensitive ones apart, each by label."""

    records: int
    empty: int
    rows: Rows
    public: list[str]
    sensitive: list[str]


@dataclass
class _Found:
    """What the search met so far. `outcome` is about the violations, `is_exact` about the weakest spots."""

    weakest: Weakest
    itemsets: list[np.ndarray] = field(default_factory=list)
    example: np.ndarray | None = None  # a violation known beforehand
    outcome: int = COMPLETE
    is_exact: bool = True


def audit(view: BasketView, promise: Coherence, *, limit: int = 1000) -> AuditResult:
    """Check published baskets; the verdict is exact, at most `limit` violations are listed."""
    view.require_sensitive_items()
    view = view.meant
    k = min(promise.k, _MOST_PEOPLE)
    result = check(
        view.starts, view.items, view.names, view.is_sensitive, promise.h, k, promise.p, limit=limit, people=view.people
    )
    return replace(result, parameters=promise.parameters())


def check(
    indptr: np.ndarray,
    items: np.ndarray,
    labels: Sequence[str],
    is_sensitive: np.ndarray,
    h: float,
    k: int,
    p: int | float,
    *,
    limit: int = 1000,
    count_limit: int = 10_000,
    budget: int = 300_000_000,
    people: np.ndarray | None = None,
) -> AuditResult:
    """The same for arrays: basket r holds the items[indptr[r]:indptr[r + 1]] of `labels`, some of them sensitive.
    It stands for `people[r]` records, if that is given.

    The verdict is exact. At most `limit` violations are listed and `count_limit` counted; `budget` bounds the steps
    of search for all but the verdict, and the result says so where that left something open.
    """
    promise = _Promise(h, k, p)
    distinct = _read(indptr, items, labels, is_sensitive, people, guarded=promise.share < 1, enough=_ENOUGH * k)
    found = _search(distinct, promise, count_limit, budget)
    violations = sorted((_entry(distinct, itemset) for itemset in found.itemsets), key=promise.weakness)
    outcome, affected = found.outcome, _affected(distinct.rows, found.itemsets)
    everybody, most = _everybody(distinct)
    spots = _weakest_spots(distinct, found, everybody)
    if everybody is not None and not promise.allows(distinct.records, most):
        violations, outcome, affected = [everybody], COMPLETE, distinct.records  # it is a part of any other itemset
    worst = violations[0] if violations else spots["support"]
    facts = {
        "records": distinct.records,
        "empty_baskets": distinct.empty,
        "violation_count": len(violations),
        "violation_count_is_exact": outcome == COMPLETE,
        "violation_count_in_words": f"{_HOW_MANY[outcome]}{len(violations):,}",
        "violation_unit": "minimal itemsets",
        "records_affected": affected,
        "violation_count_limit": count_limit,
        "weakest": spots,
        "level": _level(spots),
    }
    return AuditResult(
        model="coherence",
        parameters={"h": h, "k": k, "p": "inf" if p == math.inf else p},
        satisfied=not violations,
        worst=worst,
        violations=violations[:limit],
        facts=facts,
        explanation=tuple(_explain(worst, facts, promise)),
    )


def _read(
    indptr: np.ndarray,
    items: np.ndarray,
    labels: Sequence[str],
    is_sensitive: np.ndarray,
    people: np.ndarray | None,
    *,
    guarded: bool,
    enough: int,
) -> _Distinct:
    """The baskets as codes, with covers of up to `enough`; sensitive items are left out unless they are guarded."""
    indptr, items = as_sets(np.asarray(indptr, np.int64), np.asarray(items, np.int32))
    people = np.ones(indptr.size - 1, np.int64) if people is None else people
    support = np.zeros(len(labels), np.int64)
    np.add.at(support, items, np.repeat(people, np.diff(indptr)))
    present = sorted(np.flatnonzero(support).tolist(), key=labels.__getitem__)
    public = sorted((x for x in present if not is_sensitive[x]), key=support.__getitem__)
    guarded_items = [x for x in present if is_sensitive[x] and guarded]
    code = np.full(len(labels), -1, np.int32)
    code[public + guarded_items] = np.arange(len(public) + len(guarded_items))
    starts, codes = as_sets(*only(indptr, code[items], code[items] >= 0))

    whole = (people == 1).all()
    first, weight = merge_equal(starts, codes) if whole else weighed(starts, codes, people)
    starts, codes = some(starts, codes, first)
    known = codes < len(public)
    start, own = only(starts, codes, known)
    sensitive_start, own_sensitive = only(starts, codes - len(public), ~known)
    head = np.append(0, np.cumsum(np.bincount(own, minlength=len(public))))
    holders = np.repeat(np.arange(weight.size, dtype=np.int32), np.diff(start))[np.argsort(own, kind="stable")]
    rows = Rows(start, own, sensitive_start, own_sensitive, weight, np.zeros(weight.size, np.int64), head, holders)
    write_covers(rows, enough)
    return _Distinct(
        records=int(people.sum()),
        empty=int(weight[np.diff(start) == 0].sum()),
        rows=rows,
        public=[labels[x] for x in public],
        sensitive=[labels[x] for x in guarded_items],
    )


def _search(distinct: _Distinct, promise: _Promise, count_limit: int, budget: int) -> _Found:
    """All minimal itemsets that break the promise, the short ones first, until they are too many."""
    rows, n_sensitive = distinct.rows, len(distinct.sensitive)
    longest = int(np.diff(rows.start).max(initial=0))
    found = _Found(_nothing_yet(longest))
    if promise.p >= longest > 0 and not n_sensitive:
        _look_at_whole_baskets(rows, promise.k, found)
    for size in range(1, int(min(promise.p, longest)) + 1):
        must_finish = not found.itemsets and found.example is None
        itemsets, outcome, steps, go_on = kernels.search(
            rows, size, promise.bounds(), n_sensitive, _counts(len(distinct.public)), found.weakest,
            *_one_after_another(found.itemsets if n_sensitive else []),
            count_limit - len(found.itemsets), budget, must_finish,
        )  # fmt: skip
        budget -= min(budget, int(steps))
        found.itemsets += list(itemsets)
        found.is_exact &= outcome == COMPLETE
        if outcome == STOPPED or (outcome == EXHAUSTED and not must_finish):
            found.outcome = outcome
            break
        if not go_on:
            break
    if not found.itemsets and found.example is not None:
        found.itemsets.append(found.example)
    return found


def _one_after_another(itemsets: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    starts = np.cumsum([0, *(itemset.size for itemset in itemsets)])
    return starts, np.concatenate([np.empty(0, np.int32), *itemsets])


def _look_at_whole_baskets(rows: Rows, k: int, found: _Found) -> None:
    """For p = infinity without sensitive items: nothing is weaker than the basket of least cover."""
    row, least = least_cover(rows)
    basket = rows.items[rows.start[row] : rows.start[row + 1]]
    weakest = _shrunk(rows, basket, least + 1)
    found.weakest.support[0], found.weakest.rare[0] = least, weakest.size
    found.weakest.rare[1 : weakest.size + 1] = weakest
    if least < k:
        found.example = _shrunk(rows, basket, k)


def _shrunk(rows: Rows, itemset: np.ndarray, k: int) -> np.ndarray:
    """A minimal itemset with fewer than k holders inside one that has fewer; the most frequent items go first."""
    for i in range(itemset.size - 1, -1, -1):
        fewer = np.delete(itemset, i)
        if fewer.size and judge(rows, fewer, 0)[0] < k:
            itemset = fewer
    return itemset


def _nothing_yet(longest: int) -> Weakest:
    """No spot met; an itemset is written behind its length."""
    return Weakest(
        np.array([_NOBODY]), np.zeros(longest + 1, np.int64), np.array([0, 1, -1]), np.zeros(longest + 1, np.int64)
    )


def _counts(n: int) -> Counts:
    return Counts(
        people=np.zeros(n, np.int64),
        baskets=np.zeros(n, np.int64),
        cover=np.zeros(n, np.int64),
        with_z=np.zeros(n, np.int64),
        most=np.zeros(n, np.int64),
        most_z=np.full(n, -1, np.int64),
        fill=np.full(n, -1, np.int64),
        met=np.empty(n, np.int32),
    )


def _entry(distinct: _Distinct, itemset: np.ndarray) -> dict[str, Any]:
    """An itemset with its support, and the sensitive item that is most frequent beside it."""
    people, most, z = judge(distinct.rows, itemset.astype(np.int32), len(distinct.sensitive))
    return {
        "itemset": sorted(distinct.public[x] for x in itemset),
        "support": int(people),
        "private": distinct.sensitive[z] if most else None,
        "share": int(most) / int(people),
    }


def _everybody(distinct: _Distinct) -> tuple[dict[str, Any] | None, int]:
    """The empty itemset, which all baskets hold, and how many of them have the most frequent sensitive item."""
    if not distinct.records:
        return None, 0
    rows = distinct.rows
    people = np.repeat(rows.weight, np.diff(rows.sensitive_start))
    held = np.zeros(len(distinct.sensitive), np.int64)
    np.add.at(held, rows.sensitive, people)
    most = int(held.max(initial=0))
    private = distinct.sensitive[int(held.argmax())] if most else None
    return {"itemset": [], "support": distinct.records, "private": private, "share": most / distinct.records}, most


def _weakest_spots(distinct: _Distinct, found: _Found, everybody: dict[str, Any] | None) -> dict[str, Any]:
    """The itemset that fewest hold, and the one whose holders have most of a sensitive item; None if there is none."""

    def spot(written: np.ndarray) -> dict[str, Any] | None:
        return _entry(distinct, written[1 : written[0] + 1]) if written[0] else None

    exposing = [each for each in (spot(found.weakest.exposing), everybody) if each is not None and each["private"]]
    return {
        "support": spot(found.weakest.rare) or everybody,
        "share": max(exposing, key=lambda each: each["share"], default=None),
        "is_exact": found.is_exact,
    }


def _level(spots: dict[str, Any]) -> dict[str, Any] | None:
    """The largest k and the smallest h that hold for this p; no h if no basket holds a private item."""
    if spots["support"] is None:
        return None
    share, is_exact = spots["share"] and spots["share"]["share"], spots["is_exact"]
    support = spots["support"]["support"]
    return {"k_for_this_p": support, "k_is_exact": is_exact, "h_for_this_p": share, "h_is_exact": is_exact}


def _affected(rows: Rows, itemsets: list[np.ndarray]) -> int:
    marked = np.zeros(rows.weight.size, bool)
    for itemset in itemsets:
        mark_holders(rows, itemset, marked)
    return int(rows.weight[marked].sum())


def _explain(worst: dict[str, Any] | None, facts: dict[str, Any], promise: _Promise) -> Iterator[str]:
    """The result in sentences for a data steward."""
    if worst is None:
        yield "It does so trivially: there is no basket."
        return
    known = "any number of" if promise.p == math.inf else f"up to {promise.p}"
    if not facts["violation_count"]:
        yield (
            f"Someone who knows {known} public items of a person finds at least {promise.k:,} baskets with them, "
            f"and no private item in more than {promise.h:.4g} of these."
        )
    else:
        yield (
            f"Knowing {known} public items gives people away: {facts['violation_count_in_words']} minimal itemsets "
            f"are in fewer than {promise.k:,} baskets or have a private item in more than {promise.h:.4g} of them; "
            f"{facts['records_affected']:,} baskets hold one of those counted."
        )
    yield f"Checked {facts['records']:,} baskets, {facts['empty_baskets']:,} of them without a public item."
    met = "" if facts["weakest"]["is_exact"] else " met"
    yield f"The weakest itemset{met} is {in_words(worst)}."
    exposing = facts["weakest"]["share"]
    if exposing:
        yield (
            f"The largest share{met} of a private item is {exposing['share']:.4g}, of {exposing['support']:,} baskets."
        )
