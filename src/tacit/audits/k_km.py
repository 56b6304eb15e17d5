"""The audit of (k, k^m)-anonymity (Poulis et al. 2013, Definitions 1 and 2).

The attacker's story: I know the quasi-identifiers of somebody, so I know the group of records with the values that
mine became. I know up to m items of the person as well. How few records of that group hold them all? Fewer than k is a
violation, and so is a group of fewer than k records, for which I need no item.

The items of each group are told apart from those of every other group. An itemset that some record holds then lies
within one group, and counting it in the whole file is counting it in the group: the audit of k^m-anonymity does. Groups
in which persons have several records are looked at one by one, and persons are counted in place of records.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from tacit.audits._groups import Groups, entry_text, grouped
from tacit.audits._holders import Members, holdings
from tacit.audits._sets import only, some
from tacit.audits.km import check
from tacit.audits.result import AuditResult, in_words
from tacit.audits.views.records import RecordView
from tacit.promises import KKmAnonymity, KmAnonymity

_MOST_PEOPLE = 2**62
"""No file holds so many records, and whole numbers of the machine go no further."""
_UNIT = "minimal itemsets of a group, the empty one for a group that is too small"
COUNTS_PEOPLE = True


def audit(view: RecordView, promise: KKmAnonymity, *, limit: int = 1000) -> AuditResult:
    """Check published records with baskets; the verdict is exact, at most `limit` violations are listed."""
    result = audit_groups(grouped(view), promise.k, promise.m, limit=limit)
    result = replace(result, model=promise.name, parameters=promise.parameters())
    some_sensitive = bool(view.items.is_sensitive.any())
    return replace(result, explanation=_explain(result, promise, some_sensitive=some_sensitive))


def audit_groups(groups: Groups, k: int, m: int | float, *, limit: int) -> AuditResult:
    """Whether k records or none hold what an attacker may know of somebody, in each group.

    A group of fewer than k records is a violation by itself. Its items are no further ones.
    """
    k = min(k, _MOST_PEOPLE)
    promise = KmAnonymity(k, m)
    simple = ~groups.with_repeats
    of_all = check(*_told_apart(groups, simple), promise, limit=limit, people=groups.times)
    small = groups.people < k
    of_larger = of_all
    if small.any():
        of_larger = check(*_told_apart(groups, simple & ~small), promise, limit=limit, people=groups.times)
    by_few = _held_by_few(groups, k, m)

    too_small = [_group_alone(groups, group) for group in np.flatnonzero(small).tolist()]
    named = [_named(groups, entry) for entry in of_larger.violations]
    violations = sorted(too_small + named + by_few.entries, key=weakest_first)
    weak = [_group_alone(groups, int(groups.people.argmin()))] if groups.sizes.size else []
    weak += [_named(groups, of_all.worst)] if of_all.worst else []
    worst = min(weak + by_few.entries, key=weakest_first, default=None)
    counted, exact = of_larger.facts["violation_count"], of_larger.facts["violation_count_is_exact"]
    in_all = counted + len(too_small) + len(by_few.entries)
    in_front = of_larger.facts["violation_count_in_words"].removesuffix(f"{counted:,}")
    return AuditResult(
        model="k-km",
        parameters={},
        satisfied=bool(of_all.satisfied) and not too_small and not by_few.entries,
        worst=worst,
        violations=violations[:limit],
        facts={
            "records": groups.records,
            **({} if groups.persons is None else {"persons": int(np.unique(groups.persons).size)}),
            "groups": groups.sizes.size,
            "smallest_group": int(groups.people.min(initial=groups.records)),
            "largest_group": int(groups.people.max(initial=0)),
            "empty_baskets": _how_many(groups, np.diff(groups.known[0]) == 0),
            "violation_count": in_all,
            "violation_count_is_exact": exact,
            "violation_count_in_words": f"{in_front}{in_all:,}",
            "violation_unit": _UNIT,
            "records_affected": int(groups.sizes[small].sum()) + of_larger.facts["records_affected"] + by_few.records,
            "level": _level(of_all.facts["level"], groups, k, m, by_few),
        },
    )


def _how_many(groups: Groups, wanted: np.ndarray) -> int:
    """How many records the wanted rows stand for."""
    return int(wanted.sum() if groups.times is None else groups.times[wanted].sum())


def of_one_group(found: AuditResult, group: dict[str, str], promise: KKmAnonymity) -> AuditResult:
    """What is found in the baskets of one group of k or more records, in terms of the group."""
    records = found.facts["records"]

    def named(itemset: list[str], support: int) -> dict[str, Any]:
        entry = {"group": group, "itemset": itemset, "support": support}
        return {**entry, "text": entry_text(entry, "record")}

    weak = [named(each["itemset"], each["support"]) for each in ([found.worst] if found.worst else [])]
    level = found.facts["level"] or {
        "k_for_this_m": records, "k_is_exact": True, "m_for_this_k": "inf", "m_is_exact": True,
    }  # fmt: skip
    result = replace(
        found,
        model=promise.name,
        parameters=promise.parameters(),
        worst=min([named([], records), *weak], key=weakest_first),
        violations=sorted((named(each["itemset"], each["support"]) for each in found.violations), key=weakest_first),
        facts={
            **{name: value for name, value in found.facts.items() if name != "violation_count_limit"},
            "groups": 1,
            "smallest_group": records,
            "largest_group": records,
            "violation_unit": _UNIT,
            "level": {**level, "k_for_this_m": min(records, level["k_for_this_m"])},
        },
    )
    return replace(result, explanation=_explain(result, promise, some_sensitive=False))


class _HeldByFew(NamedTuple):
    """Sets of items of groups in which persons have several records, held by fewer than k of them; and the records."""

    entries: list[dict[str, Any]]
    records: int


def _held_by_few(groups: Groups, k: int, m: int | float) -> _HeldByFew:
    """What fewer than k persons hold in groups that have k, and several records of a person."""
    entries, records = list[dict[str, Any]](), 0
    for group in np.flatnonzero(groups.with_repeats & (groups.people >= k)).tolist():
        rows = np.flatnonzero(groups.of_record == group)
        holders, labels, _ = members_of(groups, rows)
        affected = np.zeros(rows.size, bool)
        for held in holdings(holders, k, m, None):
            if held.people < k:
                named = [groups.known_labels[labels[item]] for item in held.itemset]
                entries.append(_entry(groups, group, named, held.people))
                affected[held.rows] = True
        records += int(affected.sum())
    return _HeldByFew(entries, records)


def members_of(groups: Groups, rows: np.ndarray) -> tuple[Members, np.ndarray, np.ndarray]:
    """Some records with codes of their own, and what the codes of known and of sensitive items are."""
    assert groups.persons is not None
    (starts, items), (sensitive_starts, sensitive) = some(*groups.known, rows), some(*groups.sensitive, rows)
    labels, own = np.unique(items, return_inverse=True)
    sensitive_labels, own_sensitive = np.unique(sensitive, return_inverse=True)
    person = np.unique(groups.persons[rows], return_inverse=True)[1]
    return Members((starts, own), (sensitive_starts, own_sensitive), person), labels, sensitive_labels


def weakest_first(entry: dict[str, Any]) -> tuple[int, int, list[str], list[str]]:
    return entry["support"], len(entry["itemset"]), list(entry["group"].values()), entry["itemset"]


def _told_apart(groups: Groups, wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Baskets of the wanted groups, in which an item is (group, item), and the labels of these in their order."""
    starts, items = groups.known
    group = np.repeat(groups.of_record, np.diff(starts))
    starts, items = only(starts, group * max(len(groups.known_labels), 1) + items, wanted[group])
    pairs, codes = np.unique(items, return_inverse=True)
    return starts, codes.astype(np.int32), [f"{pair:020d}" for pair in pairs.tolist()]


def _named(groups: Groups, entry: dict[str, Any]) -> dict[str, Any]:
    """What the audit of items found, in terms of groups."""
    pairs = [divmod(int(label), len(groups.known_labels)) for label in entry["itemset"]]
    return _entry(groups, pairs[0][0], [groups.known_labels[item] for _, item in pairs], entry["support"])


def _group_alone(groups: Groups, group: int) -> dict[str, Any]:
    return _entry(groups, group, [], int(groups.people[group]))


def _entry(groups: Groups, group: int, itemset: list[str], support: int) -> dict[str, Any]:
    entry = {"group": groups.text(group), "itemset": itemset, "support": support}
    return {**entry, "text": entry_text(entry, groups.unit)}


def _level(
    of_items: dict[str, Any] | None, groups: Groups, k: int, m: int | float, by_few: _HeldByFew
) -> dict[str, Any] | None:
    """The largest k that holds for this m, and the largest m for this k; m = 0 if some group is too small."""
    if not groups.sizes.size:
        return None
    smallest = int(groups.people.min())
    if groups.with_repeats.any():
        of_items = _level_of_persons(of_items, groups, k, m, by_few)
    if of_items is None:
        of_items = {"k_for_this_m": smallest, "k_is_exact": True, "m_for_this_k": "inf", "m_is_exact": True}
    if smallest <= of_items["k_for_this_m"]:
        of_items = {**of_items, "k_for_this_m": smallest, "k_is_exact": True}
    return of_items if smallest >= k else {**of_items, "m_for_this_k": 0, "m_is_exact": True}


def _level_of_persons(
    of_items: dict[str, Any] | None, groups: Groups, k: int, m: int | float, by_few: _HeldByFew
) -> dict[str, Any]:
    """The same where persons have several records: of those nothing is counted beyond what the promise asks for.

    What contains an itemset that few hold was not looked at, and may be held by fewer.
    """
    least, asked = min(k, int(groups.people.min())), "inf" if math.isinf(m) else m
    level = of_items or {"k_for_this_m": least, "k_is_exact": False, "m_for_this_k": asked, "m_is_exact": False}
    if by_few.entries:
        size = min(len(entry["itemset"]) for entry in by_few.entries)
        surely = any(entry["support"] == 1 for entry in by_few.entries)
        level = {**level, "k_for_this_m": 1, "k_is_exact": surely}
        return level if level["m_for_this_k"] != "inf" and level["m_for_this_k"] < size else {
            **level, "m_for_this_k": size - 1, "m_is_exact": True
        }  # fmt: skip
    if least < level["k_for_this_m"]:
        level = {**level, "k_for_this_m": least, "k_is_exact": False}
    if asked != "inf" and (level["m_for_this_k"] == "inf" or asked < level["m_for_this_k"]):
        level = {**level, "m_for_this_k": asked, "m_is_exact": False}
    return level


def _explain(result: AuditResult, promise: KKmAnonymity, *, some_sensitive: bool) -> tuple[str, ...]:
    """The result in sentences for a data steward."""
    facts, level = result.facts, result.facts["level"]
    if result.worst is None:
        return ("It does so trivially: there is no record.",)
    finding = broken_in_words(facts, promise.k)
    if result.satisfied:
        finding = promise.in_words(some_sensitive=some_sensitive)
    k = f"{'' if level['k_is_exact'] else 'at least '}{level['k_for_this_m']:,}"
    m = f"{'' if level['m_is_exact'] else 'at least '}{level['m_for_this_k']}"
    return (
        finding,
        checked_in_words(facts),
        f"The weakest spot{'' if level['k_is_exact'] else ' met'} is {in_words(result.worst)}.",
        f"Level reached: k = {k} for m = {result.parameters['m']}; m = {m} for k = {promise.k:,}.",
    )


def broken_in_words(facts: dict[str, Any], k: int) -> str:
    too_few = f"are held by fewer than {k:,} persons" if "persons" in facts else f"occur in fewer than {k:,} records"
    return (
        f"Quasi-identifiers, alone or with known items, give people away: {facts['violation_count_in_words']} minimal "
        f"itemsets of a group, or whole groups, {too_few}; {facts['records_affected']:,} "
        "records are in such a group or hold one of those counted."
    )


def checked_in_words(facts: dict[str, Any]) -> str:
    groups = f"{facts['groups']:,} groups of {facts['smallest_group']:,} to {facts['largest_group']:,}"
    if facts["groups"] == 1:
        groups = "one group"
    of_persons = f" of {facts['persons']:,} persons" if "persons" in facts else ""
    return (
        f"Checked {facts['records']:,} records{of_persons} in {groups}; {facts['empty_baskets']:,} have no item that "
        "an attacker may know."
    )
