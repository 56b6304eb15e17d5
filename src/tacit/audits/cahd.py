"""The audit of CAHD's promise (Ghinita, Tao & Kalnis 2008): groups in which a sensitive item is rare.

The attacker's story: I know which row is somebody's by the items that are not sensitive, and so the group. The
sensitive items of a group are published without saying whose they are. How likely does the person have one of them?
As likely as it is frequent in the group: at most 1/p is promised.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tacit.audits._sets import as_sets
from tacit.audits.result import AuditResult, itemset_text
from tacit.audits.views.baskets import BasketView
from tacit.promises import Cahd

_MOST_PEOPLE = 2**31
"""No file holds so many rows; such numbers can be multiplied with others."""


def audit(view: BasketView, promise: Cahd, *, limit: int = 1000) -> AuditResult:
    """Check published groups.

    The verdict and all counts are exact; at most `limit` violations, items in a group, are listed.
    """
    view = view.meant
    group, labels, p = view.groups(), view.names, min(promise.p, _MOST_PEOPLE)
    indptr, items = as_sets(*view.sensitive())
    names, code, sizes = np.unique(group, return_inverse=True, return_counts=True)
    pairs, counts = np.unique(np.repeat(code, np.diff(indptr)) * len(labels) + items, return_counts=True)
    where = pairs // max(len(labels), 1)
    too_many = np.flatnonzero(counts * p > sizes[where])

    def entry(pair: int) -> dict[str, Any]:
        size, count = int(sizes[where[pair]]), int(counts[pair])
        item = labels[int(pairs[pair] % len(labels))]
        group_name = names[where[pair]].item()
        return {"group": group_name, "itemset": [item], "support": count, "group_size": size, "share": count / size}

    share = counts / sizes[where]
    frequent = np.flatnonzero(share == share.max(initial=0))
    worst = min(map(entry, frequent.tolist()), key=_most_frequent_first, default=None)
    violations = sorted(map(entry, too_many.tolist()), key=_most_frequent_first)
    affected = np.unique(where[too_many])
    facts = {
        "records": int(group.size),
        "groups": int(names.size),
        "smallest_group": int(sizes.min(initial=group.size)),
        "violation_count": len(violations),
        "violation_count_is_exact": True,
        "violation_count_in_words": f"{len(violations):,}",
        "violation_unit": "sensitive items in a group",
        "records_affected": int(sizes[affected].sum()),
        "level": None if worst is None else {"p": worst["group_size"] // worst["support"], "p_is_exact": True},
    }
    return AuditResult(
        model=promise.name,
        parameters=promise.parameters(),
        satisfied=not violations,
        worst=worst,
        violations=violations[:limit],
        facts=facts,
        explanation=_explain(facts, worst, p),
    )


def _most_frequent_first(entry: dict[str, Any]) -> tuple[Any, ...]:
    return -entry["share"], entry["group"], entry["itemset"]


def _explain(facts: dict[str, Any], worst: dict[str, Any] | None, p: int) -> tuple[str, ...]:
    """The result in sentences for a data steward."""
    checked = f"Checked {facts['records']:,} rows in {facts['groups']:,} groups."
    if worst is None:
        return ("It does so trivially: no row holds a sensitive item.", checked)
    if facts["violation_count"]:
        finding = (
            f"{facts['violation_count_in_words']} times a sensitive item is in more than 1/{p} of the rows of a group; "
            f"{facts['records_affected']:,} rows are in such groups."
        )
    else:
        finding = f"In every group each sensitive item is in at most 1/{p} of the rows."
    rows = f"{worst['support']:,} of {worst['group_size']:,} rows of group {worst['group']}"
    most = f"The most frequent is {itemset_text(worst['itemset'])}, in {rows}."
    return finding, checked, most
