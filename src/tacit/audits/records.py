"""Which audit looks at published records, for each promise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.audits.labels import labels_of
from tacit.audits.record_groups import PublishedColumn, PublishedRecords
from tacit.audits.result import AuditResult
from tacit.promises import KAnonymity, KKmAnonymity, KLmDiversity, LDiversity, Promise

if TYPE_CHECKING:
    from tacit.arrays.attributes import Attribute
    from tacit.baskets.data import ItemColumns
    from tacit.records.data import SeenRecords


def audit_records(seen: SeenRecords, promise: Promise) -> AuditResult:
    """The verdict on a published table; each audit is imported when it is needed."""
    quasi = [_column(attribute) for attribute in seen.quasi]
    match promise:
        case KAnonymity():
            from tacit.audits.k import audit_k

            return audit_k(quasi, promise)
        case LDiversity():
            from tacit.audits.l import audit_l

            return audit_l(quasi, [_column(attribute) for attribute in seen.sensitive], promise)
        case KKmAnonymity():
            from tacit.audits.k_km import audit_k_km

            return audit_k_km(_with_items(quasi, seen.items), promise)
        case KLmDiversity():
            from tacit.audits.k_lm import audit_k_lm

            return audit_k_lm(_with_items(quasi, seen.items), promise)
    raise ValueError(f"{promise.name!r} is no promise about records")


def _column(attribute: Attribute) -> PublishedColumn:
    return PublishedColumn(attribute.name, attribute.codes, attribute.texts)


def _with_items(quasi: list[PublishedColumn], items: ItemColumns | None) -> PublishedRecords:
    assert items is not None
    return PublishedRecords(quasi, items.baskets.indptr, items.baskets.items, *labels_of(items))
