"""The audit of transactional k-anonymity (He & Naughton 2009): every basket has k − 1 equals.

The attacker's story: I know somebody's whole basket, or enough of it to say which published basket it became. How
many are published just like it? An empty basket is a basket, and needs equals, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tacit.audits._sets import as_sets, equal_ones, some, weighed
from tacit.audits.result import AuditResult, in_words
from tacit.audits.views.baskets import BasketView
from tacit.promises import TransactionalK

COUNTS_PEOPLE = True


def audit(view: BasketView, promise: TransactionalK, *, limit: int = 1000) -> AuditResult:
    """Check published baskets.

    The verdict and all counts are exact; at most `limit` of the distinct baskets that are too rare are listed.
    """
    k, labels = promise.k, view.names
    indptr, items = as_sets(*view.known())
    first, people = equal_ones(indptr, items) if view.people is None else weighed(indptr, items, view.people)
    starts, held = some(indptr, items, first)
    rare = np.flatnonzero(people < k)
    violations = sorted((_entry(starts, held, labels, people, row) for row in rare.tolist()), key=_rarest_first)
    lengths = np.diff(starts)
    rarest = np.flatnonzero(people == people.min(initial=people.sum()))
    rarest = rarest[lengths[rarest] == lengths[rarest].min(initial=items.size)]
    worst = min((_entry(starts, held, labels, people, row) for row in rarest.tolist()), key=_rarest_first, default=None)
    facts = {
        "records": int(people.sum()),
        "empty_baskets": int(people[lengths == 0].sum()),
        "distinct_baskets": int(people.size),
        "violation_count": len(violations),
        "violation_count_is_exact": True,
        "violation_count_in_words": f"{len(violations):,}",
        "violation_unit": "distinct baskets",
        "records_affected": int(people[rare].sum()),
        "level": None if worst is None else {"k": worst["support"], "k_is_exact": True},
    }
    return AuditResult(
        model=promise.name,
        parameters=promise.parameters(),
        satisfied=not violations,
        worst=worst,
        violations=violations[:limit],
        facts=facts,
        explanation=_explain(facts, worst, promise, some_sensitive=bool(view.is_sensitive.any())),
    )


def _entry(starts: np.ndarray, held: np.ndarray, labels: Sequence[str], people: np.ndarray, row: int) -> dict[str, Any]:
    basket = held[starts[row] : starts[row + 1]].tolist()
    return {"itemset": sorted(labels[x] for x in basket), "support": int(people[row])}


def _rarest_first(entry: dict[str, Any]) -> tuple[int, int, list[str]]:
    return entry["support"], len(entry["itemset"]), entry["itemset"]


def _explain(
    facts: dict[str, Any], worst: dict[str, Any] | None, promise: TransactionalK, *, some_sensitive: bool
) -> tuple[str, ...]:
    """The result in sentences for a data steward."""
    if worst is None:
        return ("It does so trivially: there is no basket.",)
    if facts["violation_count"]:
        finding = (
            f"{facts['violation_count_in_words']} distinct baskets ({facts['records_affected']:,} baskets) are "
            f"shown fewer than {promise.k:,} times."
        )
    else:
        finding = promise.in_words(some_sensitive=some_sensitive)
    return (
        finding,
        f"Checked {facts['records']:,} baskets, {facts['distinct_baskets']:,} of them distinct, "
        f"{facts['empty_baskets']:,} empty.",
        f"The rarest is {in_words(worst)}.",
    )
