"""The audit of ℓ^m-diversity of baskets (Terrovitis, Mamoulis, Kalnis 2011).

The attacker's story: I know up to m public items of somebody's basket, perhaps none; how sure can I be of a sensitive
item? Of the baskets that hold what I know, the share that holds the sensitive item must not exceed 1/ℓ, whatever I
know.

More knowledge may make me more or less sure, so every itemset that occurs beside a sensitive item is looked at, size by
size. Combinations of sensitive items need no look of their own: they are in fewer baskets than each of their items.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from tacit.audits import _lm_kernels
from tacit.audits._lm_kernels import COMPLETE, EXHAUSTED, STOPPED, Distinct
from tacit.audits.km import _Distinct, _merge
from tacit.audits.result import AuditResult, in_words
from tacit.audits.views.baskets import BasketView
from tacit.promises import LmDiversity, exact

_HOW_MANY = {COMPLETE: "", STOPPED: "more than ", EXHAUSTED: "at least "}
_MOST = 2**31
"""A larger ℓ asks for no sensitive item at all in files of the machine's size."""


COUNTS_PEOPLE = True


@dataclass
class _Findings:
    """What the search met; a violation is (public items, sensitive item, people with it, people)."""

    worst: tuple[tuple[int, ...], int]
    share: np.ndarray  # of the worst: people with the sensitive item, people
    violations: list[tuple[tuple[int, ...], int, int, int]] = field(default_factory=list)
    affected: int = 0
    outcome: int = COMPLETE
    satisfied: bool = True


def audit(view: BasketView, promise: LmDiversity, *, limit: int = 1000) -> AuditResult:
    """Check published baskets; the verdict is exact, at most `limit` violations are listed."""
    view.require_sensitive_items()
    view = view.meant
    l = min(promise.l, float(_MOST))  # noqa: E741
    result = check(
        view.starts, view.items, view.names, view.is_sensitive, l, promise.m, limit=limit, people=view.people
    )
    return replace(result, parameters=promise.parameters())


def check(
    indptr: np.ndarray,
    items: np.ndarray,
    labels: Sequence[str],
    sensitive: np.ndarray,
    l: float,  # noqa: E741 - its name in the promise
    m: int | float,
    *,
    limit: int = 1000,
    count_limit: int = 10_000,
    budget: int = 300_000_000,
    people: np.ndarray | None = None,
) -> AuditResult:
    """The same for arrays: basket r holds the items[indptr[r]:indptr[r + 1]] of `labels`, and those marked in
    `sensitive` are what an attacker wants to learn. It stands for `people[r]` records, if that is given.

    The verdict is exact. At most `limit` violations are listed and `count_limit` counted. Where the promise does not
    hold, `budget` bounds the steps of the search for how badly, and the result says what that left open.
    """
    distinct = _merge(indptr, items, labels, people)
    wanted = {label for label, is_wanted in zip(labels, sensitive.tolist(), strict=True) if is_wanted}
    is_sensitive = np.array([name in wanted for name in distinct.names], bool)
    public = [name for name in distinct.names if name not in wanted]
    present = [name for name in distinct.names if name in wanted]
    found = _search(_split(distinct, is_sensitive), l, m, count_limit, budget) if present else None

    def entry(itemset: Sequence[int], item: int, count: int, people: int) -> dict[str, Any]:
        return {
            "itemset": [public[x] for x in itemset],
            "sensitive": present[item],
            "support": people,
            "with_sensitive": count,
            "share": count / people,
        }

    listed = [entry(*violation) for violation in found.violations] if found else []
    listed.sort(
        key=lambda e: (-Fraction(e["with_sensitive"], e["support"]), len(e["itemset"]), e["itemset"], e["sensitive"])
    )
    outcome = found.outcome if found else COMPLETE
    worst = entry(*found.worst, *found.share.tolist()) if found else None
    result = AuditResult(
        model="lm",
        parameters={"l": l, "m": "inf" if m == math.inf else m},
        satisfied=found is None or found.satisfied,
        worst=worst,
        violations=listed[:limit],
        facts={
            "records": distinct.records,
            "empty_baskets": distinct.empty,
            "violation_count": len(listed),
            "violation_count_is_exact": outcome == COMPLETE,
            "violation_count_in_words": f"{_HOW_MANY[outcome]}{len(listed):,}",
            "violation_unit": "minimal itemsets with a sensitive item",
            "records_affected": found.affected if found else 0,
            "violation_count_limit": count_limit,
            "level": worst
            and {
                "l_for_this_m": worst["support"] / worst["with_sensitive"],
                "l_is_exact": outcome == COMPLETE or worst["support"] == worst["with_sensitive"],
            },
        },
    )
    return replace(result, explanation=_explain(result))


def _split(distinct: _Distinct, is_sensitive: np.ndarray) -> Distinct:
    """Public and sensitive items apart, each kind numbered in the order of labels."""
    code = np.where(is_sensitive, np.cumsum(is_sensitive), np.cumsum(~is_sensitive)).astype(np.int32) - np.int32(1)
    apart = is_sensitive[distinct.items]
    items, sensitive = code[distinct.items[~apart]], code[distinct.items[apart]]
    of_sensitive = np.r_[0, np.cumsum(apart)][distinct.indptr]
    indptr = distinct.indptr - of_sensitive
    head = np.r_[0, np.cumsum(np.bincount(items, minlength=int((~is_sensitive).sum())))]
    basket = np.repeat(np.arange(distinct.weight.size), np.diff(indptr))
    weight = np.repeat(distinct.weight, np.diff(of_sensitive))
    counts = np.bincount(sensitive, weight, int(is_sensitive.sum())).astype(np.int64)
    return Distinct(
        indptr, items, of_sensitive, sensitive, distinct.weight,
        head, basket[np.argsort(items, kind="stable")], counts, distinct.records,
    )  # fmt: skip


def _search(data: Distinct, l: float, m: int | float, count_limit: int, budget: int) -> _Findings:  # noqa: E741
    """Itemsets from the empty one up, the shorter ones first."""
    bound = exact(l)
    most = int(data.with_sensitive.argmax())
    found = _Findings(((), most), np.array([data.with_sensitive[most], data.people], np.int64))
    marked = np.zeros(data.weight.size, np.bool_)
    for item in np.flatnonzero(data.with_sensitive * bound.numerator > data.people * bound.denominator).tolist():
        found.violations.append(((), item, int(data.with_sensitive[item]), data.people))
        marked |= _has(data, item)
    for size in range(1, int(min(m, np.diff(data.indptr).max(initial=0))) + 1):
        room = count_limit - len(found.violations)
        worst, rows, n, found.outcome, steps = _lm_kernels.search(
            size, data, bound.numerator, bound.denominator, found.share, room, budget
        )
        budget -= steps
        if worst[-1] >= 0:
            found.worst = tuple(worst[:-1].tolist()), int(worst[-1])
        found.violations += [(tuple(row[:size]), *row[size:]) for row in rows[:n].tolist()]
        _lm_kernels.mark_affected(data, rows, n, size, marked)
        if found.outcome != COMPLETE:
            break
    found.affected = int(data.weight[marked].sum())
    found.satisfied = bool(found.share[0] * bound.numerator <= found.share[1] * bound.denominator)
    return found


def _has(data: Distinct, code: int) -> np.ndarray:
    """Which baskets hold the sensitive item."""
    basket = np.repeat(np.arange(data.weight.size), np.diff(data.sensitive_indptr))
    return np.bincount(basket[data.sensitive == code], minlength=data.weight.size) > 0


def _explain(result: AuditResult) -> tuple[str, ...]:
    """The result in sentences for a data steward."""
    facts, worst, l, m = result.facts, result.worst, result.parameters["l"], result.parameters["m"]  # noqa: E741
    knows = "any number of public items" if m == "inf" else f"up to {m} public item{'s' * (m != 1)}"
    if worst is None:
        return (f"It does so trivially: none of the {facts['records']:,} baskets holds a sensitive item.",)
    if result.satisfied:
        finding = (
            f"Someone who knows {knows} of a person's basket cannot infer any sensitive item "
            f"with a probability of more than 1/{l:g}."
        )
    else:
        finding = (
            f"Someone who knows {knows} can infer a sensitive item with a probability of more than 1/{l:g}: "
            f"{facts['violation_count_in_words']} minimal itemsets with a sensitive item show it, and "
            f"{facts['records_affected']:,} baskets hold one of those counted."
        )
    level = facts["level"]
    return (
        finding,
        f"Checked {facts['records']:,} baskets, {facts['empty_baskets']:,} of them empty.",
        f"Most is given away by {in_words(worst)}.",
        f"Level reached: ℓ = {'' if level['l_is_exact'] else 'at most '}{level['l_for_this_m']:g} for m = {m}.",
    )
