"""The audit of (k, ℓ^m)-diversity (Poulis et al. 2013, section 5).

The attacker's story: I know the quasi-identifiers of somebody, so I know the group of records with the values that
mine became. I know up to m items of the person that are not sensitive, perhaps none. Fewer than k records of the group
that hold them are a violation, as for (k, k^m)-anonymity. Of those records, the share that holds a sensitive item must
not exceed 1/ℓ. Combinations of sensitive items need no look of their own: they are in fewer records than each of their
items.

Where persons have several records, persons are counted: somebody has a sensitive item if any of the person's records in
the group has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from tacit.audits._groups import Groups, entry_text, grouped
from tacit.audits._holders import Holding, everybody, holdings
from tacit.audits._lm_kernels import COMPLETE, EXHAUSTED, STOPPED, Distinct, mark_affected, search
from tacit.audits._sets import some
from tacit.audits.k import summed
from tacit.audits.k_km import audit_groups, broken_in_words, checked_in_words, members_of
from tacit.audits.result import AuditResult, in_words
from tacit.audits.views.records import RecordView
from tacit.promises import KLmDiversity, exact

_HOW_MANY = {COMPLETE: "", STOPPED: "more than ", EXHAUSTED: "at least "}
_MOST = 2**31
"""A larger ℓ asks for no sensitive item at all in files of the machine's size."""
COUNTS_PEOPLE = True


class _Group(NamedTuple):
    """A group with its own codes of items, and what they are."""

    group: int
    data: Distinct
    items: np.ndarray
    sensitive: np.ndarray

    def entry(self, groups: Groups, itemset: Sequence[int], code: int, count: int, records: int) -> dict[str, Any]:
        entry = {
            "group": groups.text(self.group),
            "itemset": [groups.known_labels[self.items[item]] for item in itemset],
            "sensitive": groups.sensitive_labels[self.sensitive[code]],
            "support": records,
            "with_sensitive": count,
            "share": count / records,
        }
        return {**entry, "text": entry_text(entry, groups.unit)}


class _Implied(NamedTuple):
    """What the search for implied sensitive items met."""

    worst: dict[str, Any] | None
    violations: list[dict[str, Any]]
    affected: int
    outcome: int


def audit(view: RecordView, promise: KLmDiversity, *, limit: int = 1000) -> AuditResult:
    """Check published records with baskets and sensitive items; the verdict is exact, at most `limit` violations are
    listed."""
    view.items.require_sensitive_items()
    return check(grouped(view), promise, limit=limit)


def check(
    groups: Groups,
    promise: KLmDiversity,
    *,
    limit: int = 1000,
    count_limit: int = 10_000,
    budget: int = 300_000_000,
) -> AuditResult:
    """The same for groups of records. At most `count_limit` violations are counted of each kind. Where the promise
    does not hold, `budget` bounds the steps of the search for how badly.
    """
    identity = audit_groups(groups, promise.k, promise.m, limit=limit)
    return _answer(identity, _implied(groups, promise, count_limit, budget), promise, limit)


def _answer(identity: AuditResult, implied: _Implied, promise: KLmDiversity, limit: int) -> AuditResult:
    """One verdict from what gives people away and what gives sensitive items away."""
    facts, worst = identity.facts, implied.worst
    is_diverse = worst is None or _holds(worst, promise.l)
    in_all = facts["violation_count"] + len(implied.violations)
    is_exact = facts["violation_count_is_exact"] and implied.outcome == COMPLETE
    return AuditResult(
        model=promise.name,
        parameters=promise.parameters(),
        satisfied=bool(identity.satisfied) and is_diverse,
        worst=worst if identity.satisfied and worst else identity.worst,
        violations=(identity.violations + implied.violations)[:limit],
        facts={
            **facts,
            "violation_count": in_all,
            "violation_count_is_exact": is_exact,
            "violation_count_in_words": f"{'' if is_exact else 'at least '}{in_all:,}",
            "violation_unit": "minimal itemsets of a group, alone or with a sensitive item",
            "records_affected": max(facts["records_affected"], implied.affected),  # some may be in both
            "identity_violations": facts["violation_count"],
            "diversity_violations": len(implied.violations),
            "most_given_away": worst,
            "records_identified": facts["records_affected"],
            "records_implied": implied.affected,
            "level": facts["level"] and _level(facts["level"], implied),
        },
        explanation=_explain(identity, implied, promise, is_diverse),
    )


def bound_of(promise: KLmDiversity) -> Fraction:
    """ℓ as a fraction, which whole numbers of the machine hold."""
    return exact(min(promise.l, _MOST))


class Telling(NamedTuple):
    """An itemset, a sensitive item, how many hold both, and how many hold the itemset."""

    itemset: tuple[int, ...]
    sensitive: int
    both: int
    people: int


def minimal_of(found: Sequence[Telling], bound: Fraction) -> list[tuple[tuple[int, ...], int]]:
    """Of what tells a sensitive item of more than 1/bound that of which no part tells the same item so."""
    broken = {(frozenset(each.itemset), each.sensitive) for each in found if each.both * bound > each.people}
    return [
        (each.itemset, each.sensitive)
        for each in found
        if (frozenset(each.itemset), each.sensitive) in broken
        and not any((part, each.sensitive) in broken for part in _parts(each.itemset))
    ]


def _parts(itemset: tuple[int, ...]) -> Iterator[frozenset[int]]:
    """All sets of fewer of the items, the one of none included."""
    for size in range(len(itemset)):
        yield from map(frozenset, combinations(itemset, size))


def of_one_group(
    identity: AuditResult,
    found: Sequence[Telling],
    labels: tuple[Sequence[str], Sequence[str]],
    affected: int,
    group: dict[str, str],
    promise: KLmDiversity,
    *,
    asked_for: int,
    limit: int = 1000,
) -> AuditResult:
    """The verdict on one group of k or more records, of which others counted what tells most, the surest first.

    `identity` is that of its known items; `labels` are those of known and of sensitive items; so many records were
    found to be `affected`, and so many findings were `asked_for`.
    """
    bound = bound_of(promise)

    def entry(each: Telling) -> dict[str, Any]:
        told = {
            "group": group,
            "itemset": [labels[0][item] for item in each.itemset],
            "sensitive": labels[1][each.sensitive],
            "support": each.people,
            "with_sensitive": each.both,
            "share": each.both / each.people,
        }
        return {**told, "text": entry_text(told, "record")}

    minimal = set(minimal_of(found, bound))
    violations = [entry(each) for each in found if (each.itemset, each.sensitive) in minimal]
    is_all = len(found) < asked_for or found[-1].both * bound <= found[-1].people
    outcome = COMPLETE if is_all else EXHAUSTED
    worst = entry(found[0]) if found else None
    return _answer(identity, _Implied(worst, sorted(violations, key=_surest_first), affected, outcome), promise, limit)


def _holds(entry: dict[str, Any], l: float) -> bool:  # noqa: E741 - its name in the promise
    return entry["with_sensitive"] * exact(min(l, _MOST)) <= entry["support"]


def _level(identity: dict[str, Any], implied: _Implied) -> dict[str, Any]:
    """The largest k and the largest ℓ that hold for this m. There is no largest m: more knowledge may tell less."""
    reached = {"k_for_this_m": identity["k_for_this_m"], "k_is_exact": identity["k_is_exact"]}
    return reached | _diversity(implied)


def _diversity(implied: _Implied) -> dict[str, Any]:
    """The largest ℓ; none if no record holds a sensitive item."""
    worst = implied.worst
    if worst is None:
        return {"l_for_this_m": None, "l_is_exact": True}
    is_exact = implied.outcome == COMPLETE or worst["support"] == worst["with_sensitive"]
    return {"l_for_this_m": worst["support"] / worst["with_sensitive"], "l_is_exact": is_exact}


def _implied(groups: Groups, promise: KLmDiversity, count_limit: int, budget: int) -> _Implied:
    """What known items of a group say about sensitive ones: the most telling, and what says more than 1/ℓ.

    Once something breaks the promise, at most `budget` steps are spent on finding more.
    """
    bound = bound_of(promise)
    rows = np.argsort(groups.of_record, kind="stable")
    starts = np.concatenate(([0], np.cumsum(np.bincount(groups.of_record, minlength=groups.sizes.size))))
    with_sensitive = np.unique(groups.of_record[np.diff(groups.sensitive[0]) > 0])
    share, worst = np.array([0, 1], np.int64), None  # people with the sensitive item, people; where
    violations: list[dict[str, Any]] = []
    affected, outcome = 0, COMPLETE
    for index in with_sensitive.tolist():
        here = rows[starts[index] : starts[index + 1]]
        group = _one_group(groups, index, here)
        data, marked = group.data, np.zeros(here.size, bool)
        if groups.with_repeats[index]:
            for held in _known_of_persons(groups, here, promise, bound):
                if held.with_sensitive * int(share[1]) > int(share[0]) * held.people:
                    share[:], worst = (held.with_sensitive, held.people), (group, held.itemset, held.sensitive)
                if held.with_sensitive * bound > held.people:
                    counts = held.sensitive, held.with_sensitive, held.people
                    violations.append(group.entry(groups, held.itemset, *counts))
                    marked[held.rows] = True
            affected += int(marked.sum())
            continue
        for code, count in enumerate(data.with_sensitive.tolist()):
            if count * int(share[1]) > int(share[0]) * data.people:
                share[:], worst = (count, data.people), (group, (), code)
            if count * bound > data.people:
                violations.append(group.entry(groups, (), code, count, data.people))
                marked |= _has(data, code)
        for size in range(1, int(min(promise.m, np.diff(data.indptr).max(initial=0))) + 1):
            is_broken = int(share[0]) * bound > int(share[1])
            if is_broken and (budget < 0 or (len(violations) >= count_limit and share[0] == share[1])):
                outcome = max(outcome, EXHAUSTED if budget < 0 else STOPPED)
                break
            room = max(count_limit - len(violations), 0)
            surest, found, n, ended, steps = search(
                size, data, bound.numerator, bound.denominator, share, room, max(budget, 0)
            )
            budget, outcome = budget - steps, max(outcome, ended)
            if surest[-1] >= 0:
                worst = group, tuple(surest[:-1].tolist()), int(surest[-1])
            violations += [group.entry(groups, row[:size], *row[size:]) for row in found[:n].tolist()]
            mark_affected(data, found, n, size, marked)
        affected += int(data.weight[marked].sum())
    if len(violations) > count_limit:
        violations, outcome = violations[:count_limit], max(outcome, STOPPED)
    surely = None if worst is None else worst[0].entry(groups, *worst[1:], *share.tolist())
    return _Implied(surely, sorted(violations, key=_surest_first), affected, outcome)


def _known_of_persons(groups: Groups, rows: np.ndarray, promise: KLmDiversity, bound: Fraction) -> Iterator[Holding]:
    """What the items of a group say in which persons have several records, those of nothing known first."""
    members, _, _ = members_of(groups, rows)
    everyone = everybody(members)
    yield everyone
    if everyone.with_sensitive * bound <= everyone.people:
        yield from holdings(members, promise.k, promise.m, bound)


def _one_group(groups: Groups, index: int, rows: np.ndarray) -> _Group:
    """The records of a group, every row for itself, items numbered in the order of their labels."""
    starts, items = some(*groups.known, rows)
    present, own = np.unique(items, return_inverse=True)
    sensitive_starts, sensitive = some(*groups.sensitive, rows)
    sensitive_present, own_sensitive = np.unique(sensitive, return_inverse=True)
    record = np.repeat(np.arange(rows.size), np.diff(starts))
    head = np.concatenate(([0], np.cumsum(np.bincount(own, minlength=present.size))))
    weight = np.ones(rows.size, np.int64) if groups.times is None else groups.times[rows]
    with_sensitive = summed(own_sensitive, np.repeat(weight, np.diff(sensitive_starts)), sensitive_present.size)
    data = Distinct(
        starts, own.astype(np.int32), sensitive_starts, own_sensitive.astype(np.int32), weight,
        head, record[np.argsort(own, kind="stable")], with_sensitive, int(weight.sum()),
    )  # fmt: skip
    return _Group(index, data, present, sensitive_present)


def _has(data: Distinct, code: int) -> np.ndarray:
    """Which records hold the sensitive item."""
    record = np.repeat(np.arange(data.weight.size), np.diff(data.sensitive_indptr))
    return np.bincount(record[data.sensitive == code], minlength=data.weight.size) > 0


def _surest_first(entry: dict[str, Any]) -> tuple[Any, ...]:
    share = Fraction(entry["with_sensitive"], entry["support"])
    return -share, len(entry["itemset"]), list(entry["group"].values()), entry["itemset"], entry["sensitive"]


def _explain(identity: AuditResult, implied: _Implied, promise: KLmDiversity, is_diverse: bool) -> tuple[str, ...]:
    """The result in sentences for a data steward."""
    facts, worst = identity.facts, implied.worst
    if not facts["records"]:
        return ("It does so trivially: there is no record.",)
    findings = [promise.in_words()] if identity.satisfied and is_diverse else []
    if not identity.satisfied:
        findings.append(broken_in_words(facts, promise.k))
    if not is_diverse:
        findings.append(
            f"Sensitive items can be told with a probability of more than 1/{promise.l:g}: "
            f"{_HOW_MANY[implied.outcome]}{len(implied.violations):,} minimal itemsets of a group with a sensitive "
            f"item show it, for {implied.affected:,} records."
        )
    if worst is None:
        return (*findings, checked_in_words(facts), "No record holds a sensitive item.")
    level, m = _diversity(implied), promise.parameters()["m"]
    return (
        *findings,
        checked_in_words(facts),
        f"Most is given away by {in_words(worst)}.",
        f"Level reached: ℓ = {'' if level['l_is_exact'] else 'at most '}{level['l_for_this_m']:g} for m = {m}.",
    )
