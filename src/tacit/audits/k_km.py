"""The audit of (k, k^m)-anonymity (Poulis et al. 2013, Definitions 1 and 2).

The attacker's story: I know the quasi-identifiers of somebody, so I know the group of records with the values that
mine became. I know up to m items of the person as well. How few records of that group hold them all? Fewer than k is a
violation, and so is a group of fewer than k records, for which I need no item.

The items of each group are told apart from those of every other group. An itemset that some record holds then lies
within one group, and counting it in the whole file is counting it in the group: the audit of k^m-anonymity does.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tacit.audits._groups import Groups, entry_text, grouped
from tacit.audits._sets import only
from tacit.audits.km import check
from tacit.audits.result import AuditResult, in_words
from tacit.audits.views.records import RecordView
from tacit.promises import KKmAnonymity, KmAnonymity

_MOST_PEOPLE = 2**62
"""No file holds so many records, and whole numbers of the machine go no further."""


def audit(view: RecordView, promise: KKmAnonymity, *, limit: int = 1000) -> AuditResult:
    """Check published records with baskets; the verdict is exact, at most `limit` violations are listed."""
    result = audit_groups(grouped(view), promise.k, promise.m, limit=limit)
    result = replace(result, model=promise.name, parameters=promise.parameters())
    return replace(result, explanation=_explain(result, promise))


def audit_groups(groups: Groups, k: int, m: int | float, *, limit: int) -> AuditResult:
    """Whether k records or none hold what an attacker may know of somebody, in each group.

    A group of fewer than k records is a violation by itself. Its items are no further ones.
    """
    k = min(k, _MOST_PEOPLE)
    promise = KmAnonymity(k, m)
    everything = _told_apart(groups, np.ones(groups.sizes.size, bool))
    of_all = check(*everything, promise, limit=limit)
    small = groups.sizes < k
    of_larger = check(*_told_apart(groups, ~small), promise, limit=limit) if small.any() else of_all

    too_small = [_group_alone(groups, group) for group in np.flatnonzero(small).tolist()]
    violations = sorted(too_small + [_named(groups, entry) for entry in of_larger.violations], key=weakest_first)
    weak = [_group_alone(groups, int(groups.sizes.argmin()))] if groups.sizes.size else []
    weak += [_named(groups, of_all.worst)] if of_all.worst else []
    worst = min(weak, key=weakest_first, default=None)
    counted, exact = of_larger.facts["violation_count"], of_larger.facts["violation_count_is_exact"]
    in_all = counted + len(too_small)
    in_front = of_larger.facts["violation_count_in_words"].removesuffix(f"{counted:,}")
    return AuditResult(
        model="k-km",
        parameters={},
        satisfied=bool(of_all.satisfied) and not too_small,
        worst=worst,
        violations=violations[:limit],
        facts={
            "records": groups.of_record.size,
            "groups": groups.sizes.size,
            "smallest_group": int(groups.sizes.min(initial=groups.of_record.size)),
            "largest_group": int(groups.sizes.max(initial=0)),
            "empty_baskets": int((np.diff(groups.known[0]) == 0).sum()),
            "violation_count": in_all,
            "violation_count_is_exact": exact,
            "violation_count_in_words": f"{in_front}{in_all:,}",
            "violation_unit": "minimal itemsets of a group, the empty one for a group that is too small",
            "records_affected": int(groups.sizes[small].sum()) + of_larger.facts["baskets_affected"],
            "level": _level(of_all.facts["level"], groups, k),
        },
    )


def weakest_first(entry: dict[str, Any]) -> tuple[int, int, list[str], list[str]]:
    return entry["support"], len(entry["itemset"]), list(entry["group"].values()), entry["itemset"]


def _told_apart(groups: Groups, wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Baskets of the wanted groups, in which an item is (group, item), and the labels of these in their order."""
    starts, items = groups.known
    group = np.repeat(groups.of_record, np.diff(starts))
    starts, items = only(starts, group * max(len(groups.known_labels), 1) + items, wanted[group])
    pairs, numbers = np.unique(items, return_inverse=True)
    return starts, numbers.astype(np.int32), [f"{pair:020d}" for pair in pairs.tolist()]


def _named(groups: Groups, entry: dict[str, Any]) -> dict[str, Any]:
    """What the audit of items found, in terms of groups."""
    pairs = [divmod(int(label), len(groups.known_labels)) for label in entry["itemset"]]
    return _entry(groups, pairs[0][0], [groups.known_labels[item] for _, item in pairs], entry["support"])


def _group_alone(groups: Groups, group: int) -> dict[str, Any]:
    return _entry(groups, group, [], int(groups.sizes[group]))


def _entry(groups: Groups, group: int, itemset: list[str], support: int) -> dict[str, Any]:
    entry = {"group": groups.text(group), "itemset": itemset, "support": support}
    return {**entry, "text": entry_text(entry)}


def _level(of_items: dict[str, Any] | None, groups: Groups, k: int) -> dict[str, Any] | None:
    """The largest k that holds for this m, and the largest m for this k; m = 0 if some group is too small."""
    if not groups.sizes.size:
        return None
    smallest = int(groups.sizes.min())
    if of_items is None:
        of_items = {"k_for_this_m": smallest, "k_is_exact": True, "m_for_this_k": "inf", "m_is_exact": True}
    if smallest <= of_items["k_for_this_m"]:
        of_items = {**of_items, "k_for_this_m": smallest, "k_is_exact": True}
    return of_items if smallest >= k else {**of_items, "m_for_this_k": 0, "m_is_exact": True}


def _explain(result: AuditResult, promise: KKmAnonymity) -> tuple[str, ...]:
    """The result in sentences for a data steward."""
    facts, level = result.facts, result.facts["level"]
    if result.worst is None:
        return ("It does so trivially: there is no record.",)
    finding = promise.in_words() if result.satisfied else broken_in_words(facts, promise.k)
    k = f"{'' if level['k_is_exact'] else 'at least '}{level['k_for_this_m']:,}"
    m = f"{'' if level['m_is_exact'] else 'at least '}{level['m_for_this_k']}"
    return (
        finding,
        checked_in_words(facts),
        f"The weakest spot{'' if level['k_is_exact'] else ' met'} is {in_words(result.worst)}.",
        f"Level reached: k = {k} for m = {result.parameters['m']}; m = {m} for k = {promise.k:,}.",
    )


def broken_in_words(facts: dict[str, Any], k: int) -> str:
    return (
        f"Quasi-identifiers, alone or with known items, give people away: {facts['violation_count_in_words']} minimal "
        f"itemsets of a group, or whole groups, occur in fewer than {k:,} records; {facts['records_affected']:,} "
        "records are in such a group or hold one of those counted."
    )


def checked_in_words(facts: dict[str, Any]) -> str:
    groups = f"{facts['groups']:,} groups of {facts['smallest_group']:,} to {facts['largest_group']:,}"
    if facts["groups"] == 1:
        groups = "one group"
    return (
        f"Checked {facts['records']:,} records in {groups}; {facts['empty_baskets']:,} have no item that an attacker "
        "may know."
    )
