"""How the audit looks at published baskets: as an attacker does, who knows items that are not declared sensitive."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tacit.audit.km import audit_km
from tacit.audit.result import AuditResult
from tacit.models import KmAnonymity

if TYPE_CHECKING:
    from tacit.baskets import ItemColumns

_MOST_PEOPLE = 2**62
"""No file holds so many baskets, and whole numbers of the machine go no further."""


def audit_baskets(items: ItemColumns, promise: KmAnonymity) -> AuditResult:
    """Check baskets, the items of several columns told apart by the column's name."""
    vocabulary, column_of = items.baskets.vocabulary, items.column_of.tolist()
    secret = [set(column.sensitive_items) for column in items.columns]
    prefix = [f"{column.name}: " if len(items.columns) > 1 else "" for column in items.columns]
    labels = [prefix[number] + label for label, number in zip(vocabulary, column_of, strict=True)]
    is_known = np.array(
        [label not in secret[number] for label, number in zip(vocabulary, column_of, strict=True)], bool
    )
    known = is_known[items.baskets.items]
    indptr = np.concatenate(([0], np.cumsum(known)))[items.baskets.indptr]
    countable = replace(promise, k=min(promise.k, _MOST_PEOPLE))
    result = audit_km(indptr, items.baskets.items[known], labels, countable)
    return replace(result, parameters=promise.parameters())
