"""The audit of ℓ-diversity, with k-anonymity: sensitive values differ enough among records that look alike.

The attacker's story: I know all quasi-identifiers of somebody, so I know the group of records that the person is in.
What do I learn of the sensitive columns, each by itself? By frequency: the most frequent value of the group is my best
guess, right with its share, which must not be above 1/ℓ. Distinct: the group has at least ℓ values. Entropy: that of
the group is at least log ℓ. A missing value is a value.

The job may ask otherwise of a column. Its own ℓ. Values that are harmless: I may learn them, so that only guesses of
others are bounded, and a group without others is fine. A width: I do not mind whether I miss a number by less than
that. So I guess a window, all numbers from one of the group's on that are less than the width above it, and am right
with the share of those in it; where values are counted, the group has ℓ of them no two of which are less than the width
apart. Numbers are compared as they are written, without rounding.

Where persons have several records, shares are of persons: somebody has every value that one of the person's records in
the group has. In distributions, a person counts once for each of them. A value that all persons of a group have is
certain, however many others there are.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tacit.audits._entropy import is_at_least
from tacit.audits._nearness import Values, apart, in_windows
from tacit.audits.k import (
    ValueGroups,
    checked_in_words,
    counted,
    facts_about,
    group_text,
    size_entry,
    smallest_first,
    summed,
    value_groups,
)
from tacit.audits.result import AuditResult, how_many, itemset_text
from tacit.audits.views.cells import Cells
from tacit.audits.views.records import RecordView
from tacit.job.checks import asked_of
from tacit.job.model import Column
from tacit.promises import LDiversity, exact

_ROUNDING = 1e-12
"""Of a level that is told; no verdict hangs on it."""
COUNTS_PEOPLE = True


def audit(view: RecordView, promise: LDiversity, *, limit: int = 1000) -> AuditResult:
    """Check published records; the verdict and all counts are exact, at most `limit` violations are listed."""
    groups = value_groups(view)
    small = smallest_first(groups, np.flatnonzero(groups.sizes < promise.k))
    pairs = zip(view.meant, view.columns, strict=True)
    columns = [_Diversity(groups, cells, column, promise, view) for cells, column in pairs]
    violations = [size_entry(groups, group) for group in small[:limit]]
    for column in columns:
        violations += [column.entry(group) for group in column.least_diverse(np.flatnonzero(~column.holds))[:limit]]
    count = len(small) + sum(int((~column.holds).sum()) for column in columns)
    affected = np.zeros(groups.sizes.size, bool)
    affected[small] = True
    for column in columns:
        affected |= ~column.holds
    weakest = min(columns, key=lambda column: (column.reached / column.l).min(initial=math.inf), default=None)
    worst = weakest.worst() if weakest is not None and groups.sizes.size else None
    if small:
        worst = size_entry(groups, small[0])
    level = None
    if groups.sizes.size:
        levels = [column.level() for column in columns if not column.asks_otherwise]
        reached = min((each for each in levels if each is not None), default=None)
        level = {"k": int(groups.sizes.min()), "k_is_exact": True, "l": reached, "l_is_exact": True}
    facts = {
        **facts_about(groups),
        "violation_count": count,
        "violation_count_is_exact": True,
        "violation_count_in_words": f"{count:,}",
        "violation_unit": "groups of records with equal values, for size and for each sensitive column",
        "records_affected": groups.records_in(np.flatnonzero(affected)),
        "level": level,
    }
    if asked := [{"name": column.name, **asked_of(column)} for column in view.columns if asked_of(column)]:
        facts["asked_by_column"] = asked
    return AuditResult(
        model=promise.name,
        parameters=promise.parameters(),
        satisfied=count == 0,
        worst=worst,
        violations=violations[:limit],
        facts=facts,
        explanation=_explain(facts, weakest, promise, groups.unit),
    )


class _Diversity:
    """A sensitive column: how diverse it is in each group."""

    def __init__(
        self, groups: ValueGroups, cells: Cells, column: Column, promise: LDiversity, view: RecordView
    ) -> None:
        self.groups, self.column, self.kind = groups, cells, promise.kind
        self.asks_otherwise = column.l is not None
        self.l = column.l if column.l is not None else promise.l
        self.width = column.width
        self.values = Values.of(cells, column, view.markers, is_share=view.is_share)
        n_values = max(len(self.values.texts), 1)
        where, value, often = groups.held(self.values.of_code[cells.codes])
        pairs, self.counts = counted(where * n_values + value, often)
        self.where, self.value = pairs // n_values, pairs % n_values
        n = groups.sizes.size
        held = summed(where, often, n)
        self.guesses = in_windows(pairs, self.counts, self.values, groups.repeats(self.values.of_code[cells.codes]))
        self.most = np.zeros(n, np.int64)
        np.maximum.at(self.most, self.where, self.guesses)
        self.distinct = apart(pairs, self.values, n)
        bound = exact(self.l)
        if promise.kind == "frequency":
            most, size = self.most.astype(object), groups.sizes.astype(object)  # whole numbers of any length
            self.holds = (most * bound.numerator <= size * bound.denominator).astype(bool)
            self.reached = groups.sizes / np.maximum(self.most, 1)
        elif promise.kind == "distinct":
            self.holds, self.reached = self.distinct >= self.l, self.distinct.astype(float)
        else:
            share = self.counts / held[self.where]
            self.reached = np.exp(np.bincount(self.where, weights=-share * np.log(share), minlength=n))
            self.holds = is_at_least(self.where, self.counts, held, bound)
        if groups.persons is not None and promise.kind != "frequency":
            is_certain = self.most == groups.sizes
            self.holds, self.reached = self.holds & ~is_certain, np.where(is_certain, 1.0, self.reached)
        is_harmless = self.most == 0
        self.holds, self.reached = self.holds | is_harmless, np.where(is_harmless, math.inf, self.reached)

    def least_diverse(self, some: np.ndarray) -> list[int]:
        """Groups by what they reach; equals in the order of their values."""
        return some[np.argsort(self.reached[some], kind="stable")].tolist()

    def worst(self) -> dict[str, Any]:
        return self.entry(int(np.argmin(self.reached)))

    def level(self) -> float | int | None:
        """The largest ℓ that holds, a fraction rounded down; none if all that people have is harmless."""
        least = self.reached.min()
        if math.isinf(least):
            return None
        return int(least) if self.kind == "distinct" else math.floor(float(least) * 10**6 + _ROUNDING) / 10**6

    def entry(self, group: int) -> dict[str, Any]:
        """A group with the guess that is right most often, and both as a line to read."""
        values, size = self.groups.text(group), int(self.groups.sizes[group])
        here = np.flatnonzero(self.where == group)
        place = here[np.argmax(self.guesses[here])]
        value, count = self.values.texts[self.value[place]], int(self.guesses[place])
        shown = itemset_text([value])[1:-1]
        if self.width is not None and self.values.is_number[self.value[place]]:
            shown = f"from {shown} to less than {self.width:g} above it"
        apart = "different values" if self.width is None else f"values at least {self.width:g} apart"
        told = {
            "frequency": f"{count:,} of {size:,} {self.groups.unit}s have {self.column.name} {shown}",
            "distinct": f"{how_many(size, self.groups.unit)} with {self.distinct[group]:,} {apart} of "
            f"{self.column.name}, most often {shown}",
            "entropy": f"the entropy of {self.column.name} is log {self.reached[group]:.4g}, most often {shown}",
        }
        level = float(self.reached[group])
        return {
            "group": values,
            "support": size,
            "column": self.column.name,
            "value": value,
            "with_value": count,
            "share": count / size,
            "distinct": int(self.distinct[group]),
            "reached_l": None if math.isinf(level) else level,
            "text": f"{group_text(values)}: {told[self.kind]}",
        }


def _explain(facts: dict[str, Any], weakest: _Diversity | None, promise: LDiversity, unit: str) -> tuple[str, ...]:
    """The result in sentences for a data steward."""
    if not facts["records"]:
        return ("It does so trivially: there is no record.",)
    checked = checked_in_words(facts)
    if facts["violation_count"]:
        finding = (
            f"{how_many(facts['violation_count'], 'time')} a group is too small or not diverse enough; "
            f"{how_many(facts['records_affected'], 'record is', 'records are')} in such groups."
        )
    else:
        diverse = {
            "frequency": f"no sensitive value is in more than 1/{promise.l:g} of them",
            "distinct": f"they have at least {promise.l:g} different values in every sensitive column",
            "entropy": f"the entropy of every sensitive column among them is at least log {promise.l:g}",
        }
        otherwise = "".join(f"; {each}" for each in map(promise.otherwise, facts.get("asked_by_column", ())))
        finding = f"Every group has at least {how_many(promise.k, unit)}, and {diverse[promise.kind]}{otherwise}."
    if weakest is None:
        return finding, checked
    return finding, checked, f"The least diverse: {weakest.worst()['text']}."
