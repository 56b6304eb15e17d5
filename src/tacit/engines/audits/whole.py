"""One verdict from those on shares of a file, each of which has whole groups: what one machine finds in all of it."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import Any

from tacit.audits import counts_people
from tacit.audits.result import AuditResult
from tacit.engines.audits.buckets import FILE
from tacit.errors import InputError
from tacit.job.model import Job
from tacit.promises import MODELS, Promise

_SHOWN = 1000
_SIZE, _COLUMN = range(2)


def can_judge(promise: Promise | type[Promise]) -> bool:
    """Whether an engine can judge it, by what its file says: share by share, or equal baskets at once."""
    match promise.kind_of_data:
        case "ratings":
            return promise.holds_by_groups or promise.holds_by_supports
        case "baskets" if not promise.shows_groups:
            return counts_people(promise)
        case _:
            return promise.holds_by_groups


def together(found: Sequence[dict[str, Any]], job: Job) -> AuditResult:
    """One verdict from those on all buckets."""
    for each in found:
        if "error" in each:
            raise InputError(each["error"], file=FILE, column=each["column"], hint=each["hint"])
    worst = min(found, key=_strength)
    spot = _weakest([each["worst"] for each in found if each["worst"] is not None], job) or worst["worst"]
    facts = {name: value for name, value in worst.items() if name not in _OWN}
    facts |= {name: sum(each[name] for each in found) for name in _SUMS if worst.get(name) is not None}
    facts |= {name: min(each[name] for each in found) for name in ("smallest_group",) if name in worst}
    facts |= {name: max(each[name] for each in found) for name in ("largest_group",) if name in worst}
    if found[1:]:
        facts.pop("persons", None)  # some are in several shares
    count = facts["violation_count"]
    is_exact = all(each.get("violation_count_is_exact", True) for each in found)
    facts |= {"violation_count_is_exact": is_exact} if "violation_count_is_exact" in facts else {}
    facts["violation_count_in_words"] = f"{'' if is_exact else 'at least '}{count:,}"
    if "records_implied" in facts:
        facts["records_affected"] = max(facts["records_identified"], facts["records_implied"])
        told_most = [each["most_given_away"] for each in found if each["most_given_away"] is not None]
        facts["most_given_away"] = _weakest(told_most, job)
    facts["level"] = _level([each["level"] for each in found if each["level"] is not None], job.promise.stricter_below)
    said = [each["satisfied"] for each in found]
    satisfied = False if False in said else None if None in said else True
    violations = _in_order([each for one in found for each in one["violations"]], job)[:_SHOWN]
    many = f"{facts['records']:,} records" if "records" in facts else f"{facts['people']:,} people"
    for name in ("each", "joint") if found[1:] else ():
        if name in facts:
            facts[name] = _surest([each[name] for each in found])
    if found[1:] and "sensitive" in facts:
        of_all = [each["sensitive"] for each in found if "sensitive" in each]
        facts["sensitive"] = {"highest_share": max(each["highest_share"] for each in of_all)}
    told = f"Checked {many}" + (f" in {len(found):,} shares of the groups." if found[1:] else ".")
    first = worst["explanation"][0]
    if count and found[1:]:
        first = f"In the weakest share of the groups: {first} In all shares: {count:,}."
    return AuditResult(
        worst["model"], worst["parameters"], satisfied, spot, violations, facts, (first, told)
    )  # fmt: skip


def _surest(found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """How sure somebody can be in any share, of one thing or of each of several."""
    if "probability" in found[0]:
        return max(found, key=lambda each: each["probability"])
    return {name: _surest([each[name] for each in found]) for name in found[0]}


_OWN = ("version", "model", "parameters", "satisfied", "worst", "violations", "explanation")
_SUMS = (
    "records", "people", "people_without_enough_close_others", "groups", "violation_count",
    "records_affected", "empty_baskets", "buckets", "buckets_in_doubt",
    "identity_violations", "diversity_violations", "records_identified", "records_implied",
)  # fmt: skip


def _strength(found: dict[str, Any]) -> tuple[float, ...]:
    """The weakest verdict has the least."""
    level = [value for value in (found["level"] or {}).values() if _is_number(value)]
    less = [-found["level"][name] for name in MODELS[found["model"]].stricter_below if level and name in found["level"]]
    weakest = min(less or level, default=math.inf)
    return {False: 0.0, None: 1.0, True: 2.0}[found["satisfied"]], weakest


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _level(levels: Sequence[dict[str, Any]], stricter_below: Collection[str]) -> dict[str, Any] | None:
    """Of each parameter what all of them reach."""
    if not levels:
        return None
    found: dict[str, Any] = {}
    for name, value in levels[0].items():
        values = [each.get(name) for each in levels]
        if isinstance(value, bool):
            found[name] = all(values)
        else:
            known: list[float] = [each for each in values if each is not None and _is_number(each)]
            found[name] = (max if name in stricter_below else min)(known) if known else value
    return found


def _is_of_groups(entry: dict[str, Any]) -> bool:
    """Whether this is found in a group of records with equal values, which entries then name by its values."""
    return isinstance(entry.get("group"), dict)


def _weakest(entries: Sequence[dict[str, Any]], job: Job) -> dict[str, Any] | None:
    """Of the weakest spots of all shares that of the file, as the audits choose it; None if they are no groups."""
    if not entries or not all(map(_is_of_groups, entries)):
        return None
    return min(entries, key=lambda entry: _weakness(entry, job))


def _weakness(entry: dict[str, Any], job: Job) -> tuple[Any, ...]:
    """What breaks the promise by its number of people comes first, then what tells most, then what few hold."""
    values, promise = list(entry["group"].values()), job.promise
    parameters: dict[str, Any] = promise.parameters()
    if "sensitive" in entry:
        return 1, -Fraction(entry["with_sensitive"], entry["support"]), values
    if "column" not in entry:
        itemset = entry.get("itemset", [])
        return 0 if entry["support"] < parameters["k"] else 2, entry["support"], len(itemset), values, itemset
    place, column = _column(entry, job)
    if "distance" in entry:
        return 1, -entry["distance"], place, values
    reached, asked = entry["reached_l"], parameters["l"] if column.l is None else column.l
    return 1, math.inf if reached is None else reached / asked, place, values


def _column(entry: dict[str, Any], job: Job) -> tuple[int, Any]:
    """The place of a finding's column among the sensitive ones, and the column."""
    columns = job.columns_with("sensitive")
    place = next(at for at, column in enumerate(columns) if column.name == entry["column"])
    return place, columns[place]


def _in_order(violations: Sequence[dict[str, Any]], job: Job) -> list[dict[str, Any]]:
    """The violations of all shares in the order in which the audits tell those of a file."""
    if not all(map(_is_of_groups, violations)):
        return list(violations)

    def place(entry: dict[str, Any]) -> tuple[Any, ...]:
        values, itemset = list(entry["group"].values()), entry.get("itemset", [])
        if "sensitive" in entry:
            share = Fraction(entry["with_sensitive"], entry["support"])
            return _COLUMN, -share, len(itemset), values, itemset, entry["sensitive"]
        if "column" not in entry:
            return _SIZE, entry["support"], len(itemset), values, itemset
        reached = -entry["distance"] if "distance" in entry else entry["reached_l"]
        return _COLUMN, _column(entry, job)[0], reached, values

    return sorted(violations, key=place)
