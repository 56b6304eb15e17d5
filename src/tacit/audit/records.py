"""Which audit looks at published records, for each promise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.audit.labels import labels_of
from tacit.audit.record_groups import PublishedColumn, PublishedRecords
from tacit.audit.result import AuditResult
from tacit.models import KAnonymity, KKmAnonymity, KLmDiversity, LDiversity, Promise

if TYPE_CHECKING:
    from tacit.baskets import ItemColumns
    from tacit.records import SeenRecords
    from tacit.relational.attributes import Attribute


def audit_records(seen: SeenRecords, promise: Promise) -> AuditResult:
    """The verdict on a published table; each audit is imported when it is needed."""
    quasi = [_column(attribute) for attribute in seen.quasi]
    match promise:
        case KAnonymity():
            from tacit.audit.k import audit_k

            return audit_k(quasi, promise)
        case LDiversity():
            from tacit.audit.l import audit_l

            return audit_l(quasi, [_column(attribute) for attribute in seen.sensitive], promise)
        case KKmAnonymity():
            from tacit.audit.k_km import audit_k_km

            return audit_k_km(_with_items(quasi, seen.items), promise)
        case KLmDiversity():
            from tacit.audit.k_lm import audit_k_lm

            return audit_k_lm(_with_items(quasi, seen.items), promise)
    raise ValueError(f"{promise.name!r} is no promise about records")


def _column(attribute: Attribute) -> PublishedColumn:
    return PublishedColumn(attribute.name, attribute.codes, attribute.texts)


def _with_items(quasi: list[PublishedColumn], items: ItemColumns | None) -> PublishedRecords:
    assert items is not None
    return PublishedRecords(quasi, items.baskets.indptr, items.baskets.items, *labels_of(items))
