"""The audit of k-anonymity: every record shares its published quasi-identifiers with k − 1 others.

The attacker's story: I know all quasi-identifiers of somebody, so I know which published values they became. How few
records have just these values? Which group a method put a record into does not matter: values that are equal in the
file are one group. Where persons have several records, the different persons of a group are counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.audits._nearness import Repeats
from tacit.audits.result import AuditResult, how_many, itemset_text
from tacit.audits.views.cells import Cells
from tacit.audits.views.records import RecordView
from tacit.promises import KAnonymity

_NAMED = 8
"""How many columns of a group are told on a line."""
_CELLS_A_RECORD = 16
_MOST_KEYS = 1 << 62
COUNTS_PEOPLE = True


class ValueGroups(NamedTuple):
    """Records with equal published values, in order of the values' texts; codes of one text are one value."""

    columns: Sequence[Cells]
    of_record: np.ndarray
    sizes: np.ndarray  # of each group: its records or, if somebody has several, its different persons
    some_record: np.ndarray  # of each group
    persons: np.ndarray | None = None  # whose record each one is
    times: np.ndarray | None = None  # how many records each row stands for, if not for one
    alike: np.ndarray | None = None  # how many persons the person of each row stands for, if not for one

    @property
    def records(self) -> int:
        return self.of_record.size if self.times is None else int(self.times.sum())

    @property
    def unit(self) -> str:
        """What is counted."""
        return "record" if self.persons is None else "person"

    def held(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Group and value of each record, and how many it counts for, if not all for one.

        Several records of a person in a group with one value are one.
        """
        if self.persons is None:
            return self.of_record, values, self.times
        first = _once(self.of_record, self.persons, values)
        return self.of_record[first], values[first], None if self.alike is None else self.alike[first]

    def repeats(self, values: np.ndarray) -> Repeats | None:
        """The records in groups where somebody has several; None if persons are not told apart."""
        if self.persons is None:
            return None
        some = np.isin(self.of_record, np.flatnonzero(summed(self.of_record, self.times, self.sizes.size) > self.sizes))
        alike = np.ones(values.size, np.int64) if self.alike is None else self.alike
        return Repeats(self.of_record[some], self.persons[some], values[some], alike[some])

    def held_by_all(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """The value of each record, and how many it counts for, if not all for one.

        Several records of a person with one value, in whatever group, are one.
        """
        if self.persons is None:
            return values, self.times
        first = _once(self.persons, values)
        return values[first], None if self.alike is None else self.alike[first]

    def records_in(self, some: Sequence[int] | np.ndarray) -> int:
        """How many records these groups have."""
        return int(summed(self.of_record, self.times, self.sizes.size)[np.asarray(some, np.int64)].sum())

    def text(self, group: int) -> dict[str, str]:
        """The published values of a group, by column."""
        record = self.some_record[group]
        return {column.name: column.told(column.codes[record]) for column in self.columns}


def value_groups(view: RecordView) -> ValueGroups:
    """The groups that an attacker sees."""
    of_record, count = np.zeros(len(view), np.int64), 1
    for column in view.quasi:
        code = _ranks(column.texts)
        values = int(code.max(initial=0)) + 1
        can_be_marked = count <= _CELLS_A_RECORD * len(view) < count * values
        if can_be_marked or count * values > _MOST_KEYS:  # sorting takes longer, so it is put off
            count, of_record = _counted(of_record)
        of_record *= values
        of_record += code[column.codes]
        count *= values
    _, of_record = _counted(of_record)
    if view.persons is None:
        sizes = summed(of_record, view.times)
    else:
        first = _once(of_record, view.persons)
        sizes = summed(of_record[first], None if view.alike is None else view.alike[first])
    some_record = np.empty(sizes.size, np.int64)
    some_record[of_record] = np.arange(len(view))
    return ValueGroups(view.quasi, of_record, sizes, some_record, view.persons, view.times, view.alike)


def summed(where: np.ndarray, often: np.ndarray | None, least: int = 0) -> np.ndarray:
    """How many there are at each place, of which there are so many at least; each counts once, or `often`."""
    if often is None:
        return np.bincount(where, minlength=least)
    found = np.zeros(max(least, int(where.max(initial=-1)) + 1), np.int64)
    np.add.at(found, where, often)
    return found


def counted(keys: np.ndarray, often: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """The different keys, rising, and how many there are of each; each counts once, or `often`."""
    if often is None:
        return np.unique(keys, return_counts=True)
    different, which = np.unique(keys, return_inverse=True)
    return different, summed(which, often, different.size)


def _ranks(texts: Sequence[str]) -> np.ndarray:
    """The place of each text among the different ones in their order."""
    return np.from_dlpack(pc.rank(pa.array(texts, pa.large_string()), tiebreaker="dense")).astype(np.int64) - 1


def _once(*codes: np.ndarray) -> np.ndarray:
    """The first record of each combination of codes."""
    code = np.zeros(codes[0].size, np.int64)
    for column in codes:
        _, code = np.unique(code * (int(column.max(initial=0)) + 1) + column, return_inverse=True)
    return np.unique(code, return_index=True)[1]


def _counted(keys: np.ndarray) -> tuple[int, np.ndarray]:
    """How many different keys there are, and which one each is, in their order: by marking, or by sorting if sparse."""
    top = int(keys.max(initial=-1)) + 1
    if top > _CELLS_A_RECORD * keys.size:
        different, code = np.unique(keys, return_inverse=True)
        return different.size, code
    occurs = np.zeros(top, bool)
    occurs[keys] = True
    code = np.cumsum(occurs) - 1
    return int(occurs.sum()), code[keys]


def audit(view: RecordView, promise: KAnonymity, *, limit: int = 1000) -> AuditResult:
    """Check published records; the verdict and all counts are exact, at most `limit` violations are listed."""
    groups = value_groups(view)
    small = smallest_first(groups, np.flatnonzero(groups.sizes < promise.k))
    worst = smallest_first(groups, np.flatnonzero(groups.sizes == groups.sizes.min(initial=groups.records)))[:1]
    facts = {
        **facts_about(groups),
        "violation_count": len(small),
        "violation_count_is_exact": True,
        "violation_count_in_words": f"{len(small):,}",
        "violation_unit": "groups of records with equal values",
        "records_affected": groups.records_in(small),
        "level": {"k": int(groups.sizes.min()), "k_is_exact": True} if groups.sizes.size else None,
    }
    entry = size_entry(groups, worst[0]) if worst else None
    return AuditResult(
        model=promise.name,
        parameters=promise.parameters(),
        satisfied=not small,
        worst=entry,
        violations=[size_entry(groups, group) for group in small[:limit]],
        facts=facts,
        explanation=_explain(facts, entry, promise.k, groups.unit),
    )


def facts_about(groups: ValueGroups) -> dict[str, Any]:
    persons = {}
    if groups.persons is not None and groups.alike is None:  # who stands for several may be in several groups
        persons["persons"] = int(np.unique(groups.persons).size)
    return {
        "records": groups.records,
        **persons,
        "groups": int(groups.sizes.size),
        "smallest_group": int(groups.sizes.min(initial=groups.records)),
        "largest_group": int(groups.sizes.max(initial=0)),
    }


def smallest_first(groups: ValueGroups, some: np.ndarray) -> list[int]:
    """Groups by size; equals in the order of their values."""
    return some[np.argsort(groups.sizes[some], kind="stable")].tolist()


def size_entry(groups: ValueGroups, group: int) -> dict[str, Any]:
    """A group, its size, and both as a line to read."""
    values, size = groups.text(group), int(groups.sizes[group])
    return {"group": values, "support": size, "text": f"{group_text(values)}: {how_many(size, groups.unit)}"}


def group_text(values: dict[str, str]) -> str:
    """The values of a group on a line, such as `age [19:22], sex Male`; of many columns the first."""
    named = [f"{name} {itemset_text([text])[1:-1]}" for name, text in values.items()]
    more = [f"and {len(named) - _NAMED:,} more"] if len(named) > _NAMED + 1 else []
    return ", ".join([*named[:_NAMED], *more] if more else named) or "all records"


def checked_in_words(facts: dict[str, Any]) -> str:
    """What was looked at."""
    records, groups = how_many(facts["records"], "record"), how_many(facts["groups"], "group")
    of_persons = f" of {how_many(facts['persons'], 'person')}" if "persons" in facts else ""
    return f"Checked {records}{of_persons} in {groups} with equal quasi-identifiers."


def _explain(facts: dict[str, Any], worst: dict[str, Any] | None, k: int, unit: str) -> tuple[str, ...]:
    """The result in sentences for a data steward."""
    if worst is None:
        return ("It does so trivially: there is no record.",)
    if facts["violation_count"]:
        groups, affected = how_many(facts["violation_count"], "group"), how_many(facts["records_affected"], "record")
        has = "has" if facts["violation_count"] == 1 else "have"
        finding = f"{groups} with equal quasi-identifiers ({affected}) {has} fewer than {k:,} {unit}s."
    else:
        finding = f"Every {unit} shares its quasi-identifiers with at least {how_many(k - 1, 'other')}."
    return finding, checked_in_words(facts), f"The smallest is {worst['text']}."
