"""How the audit looks at published baskets: as an attacker does, who knows items that are not declared sensitive."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tacit.audits._sets import only
from tacit.audits.labels import labels_of
from tacit.audits.result import AuditResult

if TYPE_CHECKING:
    from tacit.baskets.data import ItemColumns
    from tacit.promises import Promise

_MOST_PEOPLE = 2**62
"""No file holds so many baskets, and whole numbers of the machine go no further."""
_MOST_COUNTED = 2**31
"""The same for numbers that are multiplied with others."""


class _Baskets(NamedTuple):
    """Published baskets: all items with their labels, and which of them are declared sensitive."""

    indptr: np.ndarray
    items: np.ndarray
    labels: Sequence[str]
    sensitive: np.ndarray
    group: np.ndarray | None

    def known(self) -> tuple[np.ndarray, np.ndarray]:
        """What an attacker may know."""
        return only(self.indptr, self.items, ~self.sensitive[self.items])

    def wanted(self) -> tuple[np.ndarray, np.ndarray]:
        """What an attacker wants to learn."""
        return only(self.indptr, self.items, self.sensitive[self.items])


def audit_baskets(items: ItemColumns, promise: Promise) -> AuditResult:
    """Check baskets against any promise about them."""
    labels, sensitive = labels_of(items)
    seen = _Baskets(items.baskets.indptr, items.baskets.items, labels, sensitive, getattr(items, "group", None))
    return replace(AUDITS[promise.name](seen, promise), parameters=promise.parameters())


def _audit_km(seen: _Baskets, promise: Any) -> AuditResult:
    from tacit.audits.km import audit_km

    return audit_km(*seen.known(), seen.labels, replace(promise, k=min(promise.k, _MOST_PEOPLE)))


def _audit_lm(seen: _Baskets, promise: Any) -> AuditResult:
    from tacit.audits.lm import audit_lm

    return audit_lm(
        seen.indptr, seen.items, seen.labels, seen.sensitive, min(promise.l, float(_MOST_COUNTED)), promise.m
    )


def _audit_coherence(seen: _Baskets, promise: Any) -> AuditResult:
    from tacit.audits.coherence import audit_coherence

    k = min(promise.k, _MOST_COUNTED)
    return audit_coherence(seen.indptr, seen.items, seen.labels, seen.sensitive, promise.h, k, promise.p)


def _audit_transactional(seen: _Baskets, promise: Any) -> AuditResult:
    from tacit.audits.transactional import audit_transactional

    return audit_transactional(*seen.known(), seen.labels, promise.k)


def _audit_cahd(seen: _Baskets, promise: Any) -> AuditResult:
    from tacit.audits.cahd import audit_cahd

    assert seen.group is not None
    return audit_cahd(seen.group, *seen.wanted(), seen.labels, min(promise.p, _MOST_COUNTED))


AUDITS: dict[str, Callable[[_Baskets, Any], AuditResult]] = {
    "km": _audit_km,
    "lm": _audit_lm,
    "coherence": _audit_coherence,
    "transactional-k": _audit_transactional,
    "cahd": _audit_cahd,
}
"""What checks each promise about baskets."""
