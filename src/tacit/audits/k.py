"""The audit of k-anonymity: every record shares its published quasi-identifiers with k − 1 others.

The attacker's story: I know all quasi-identifiers of somebody, so I know which published values they became. How few
records have just these values? Which group a method put a record into does not matter: values that are equal in the
file are one group.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tacit.audits.result import AuditResult, how_many, itemset_text
from tacit.audits.views.cells import Cells
from tacit.audits.views.records import RecordView
from tacit.promises import KAnonymity


class ValueGroups(NamedTuple):
    """Records with equal published values, in order of the values' texts; codes of one text are one value."""

    columns: Sequence[Cells]
    of_record: np.ndarray
    sizes: np.ndarray
    some_record: np.ndarray  # of each group

    def text(self, group: int) -> dict[str, str]:
        """The published values of a group, by column."""
        record = self.some_record[group]
        return {column.name: str(column.texts[column.codes[record]]) for column in self.columns}


def value_groups(view: RecordView) -> ValueGroups:
    """The groups that an attacker sees."""
    of_record = np.zeros(len(view), np.int64)
    for column in view.quasi:
        written, number = np.unique(np.array(column.texts, object), return_inverse=True)
        _, of_record = _counted(of_record * max(len(written), 1) + number[column.codes])
    sizes = np.bincount(of_record)
    some_record = np.empty(sizes.size, np.int64)
    some_record[of_record] = np.arange(len(view))
    return ValueGroups(view.quasi, of_record, sizes, some_record)


def _counted(keys: np.ndarray) -> tuple[int, np.ndarray]:
    """How many different keys there are, and which one each is, in their order: by marking, or by sorting if sparse."""
    top = int(keys.max(initial=-1)) + 1
    if top > 16 * keys.size:
        different, number = np.unique(keys, return_inverse=True)
        return different.size, number
    occurs = np.zeros(top, bool)
    occurs[keys] = True
    number = np.cumsum(occurs) - 1
    return int(occurs.sum()), number[keys]


def audit(view: RecordView, promise: KAnonymity, *, limit: int = 1000) -> AuditResult:
    """Check published records; the verdict and all counts are exact, at most `limit` violations are listed."""
    groups = value_groups(view)
    small = smallest_first(groups, np.flatnonzero(groups.sizes < promise.k))
    worst = smallest_first(groups, np.flatnonzero(groups.sizes == groups.sizes.min(initial=groups.of_record.size)))[:1]
    facts = {
        **facts_about(groups),
        "violation_count": len(small),
        "violation_count_is_exact": True,
        "violation_count_in_words": f"{len(small):,}",
        "violation_unit": "groups of records with equal values",
        "records_affected": int(groups.sizes[small].sum()),
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
        explanation=_explain(facts, entry, promise.k),
    )


def facts_about(groups: ValueGroups) -> dict[str, Any]:
    return {
        "records": int(groups.of_record.size),
        "groups": int(groups.sizes.size),
        "smallest_group": int(groups.sizes.min(initial=groups.of_record.size)),
        "largest_group": int(groups.sizes.max(initial=0)),
    }


def smallest_first(groups: ValueGroups, some: np.ndarray) -> list[int]:
    """Groups by size; equals in the order of their values."""
    return some[np.argsort(groups.sizes[some], kind="stable")].tolist()


def size_entry(groups: ValueGroups, group: int) -> dict[str, Any]:
    """A group, its size, and both as a line to read."""
    values, size = groups.text(group), int(groups.sizes[group])
    return {"group": values, "support": size, "text": f"{group_text(values)}: {size:,} record{'s' * (size != 1)}"}


def group_text(values: dict[str, str]) -> str:
    """The values of a group on a line, such as `age [19:22], sex Male`."""
    return ", ".join(f"{name} {itemset_text([text])[1:-1]}" for name, text in values.items()) or "all records"


def _explain(facts: dict[str, Any], worst: dict[str, Any] | None, k: int) -> tuple[str, ...]:
    """The result in sentences for a data steward."""
    if worst is None:
        return ("It does so trivially: there is no record.",)
    if facts["violation_count"]:
        groups, affected = how_many(facts["violation_count"], "group"), how_many(facts["records_affected"], "record")
        has = "has" if facts["violation_count"] == 1 else "have"
        finding = f"{groups} with equal quasi-identifiers ({affected}) {has} fewer than {k:,} records."
    else:
        finding = f"Every record shares its quasi-identifiers with at least {how_many(k - 1, 'other')}."
    records, groups = how_many(facts["records"], "record"), how_many(facts["groups"], "group")
    checked = f"Checked {records} in {groups} with equal quasi-identifiers."
    return finding, checked, f"The smallest is {worst['text']}."
