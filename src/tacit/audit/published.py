"""How the audit looks at published baskets: as an attacker does, who knows items that are not declared sensitive."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.audit.km import audit_km
from tacit.audit.result import AuditResult
from tacit.models import KmAnonymity

if TYPE_CHECKING:
    from tacit.baskets import ItemColumns


def audit_baskets(items: ItemColumns, promise: KmAnonymity) -> AuditResult:
    """Check baskets, the items of several columns told apart by the column's name."""
    labels, secret = [], np.zeros(len(items.baskets.vocabulary), bool)
    for i, (label, number) in enumerate(zip(items.baskets.vocabulary, items.column_of.tolist(), strict=True)):
        column = items.columns[number]
        secret[i] = label in column.sensitive_items
        labels.append(f"{column.name}: {label}" if len(items.columns) > 1 else label)
    known = ~secret[items.baskets.items]
    indptr = np.concatenate(([0], np.cumsum(known)))[items.baskets.indptr]
    return audit_km(indptr, items.baskets.items[known], labels, promise)
