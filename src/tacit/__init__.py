"""Publish data about people without giving the people away: anonymize, prove, and show the cost."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tacit.errors import AuditFailure, InputError, PromiseError, TacitError
from tacit.promises import (
    Cahd,
    Coherence,
    KAnonymity,
    KEpsAnonymity,
    KKmAnonymity,
    KLmDiversity,
    KmAnonymity,
    LDiversity,
    LmDiversity,
    SlicedDiversity,
    TransactionalK,
)

if TYPE_CHECKING:
    from tacit.api import anonymize, audit
    from tacit.audits.result import AuditResult
    from tacit.release import Release
    from tacit.taxonomy import Taxonomy, read_hierarchy
__all__ = [
    "AuditFailure",
    "AuditResult",
    "Cahd",
    "Coherence",
    "InputError",
    "KAnonymity",
    "KEpsAnonymity",
    "KKmAnonymity",
    "KLmDiversity",
    "KmAnonymity",
    "LDiversity",
    "LmDiversity",
    "PromiseError",
    "Release",
    "SlicedDiversity",
    "TacitError",
    "Taxonomy",
    "TransactionalK",
    "anonymize",
    "audit",
    "read_hierarchy",
]

_ON_FIRST_USE = {
    "anonymize": "tacit.api",
    "audit": "tacit.api",
    "AuditResult": "tacit.audits.result",
    "Release": "tacit.release",
    "Taxonomy": "tacit.taxonomy",
    "read_hierarchy": "tacit.taxonomy",
}


def __getattr__(name: str) -> Any:
    """Arrow, Numba and their like are imported when something of theirs is needed: `import tacit` stays quick."""
    if name == "__version__":
        from importlib.metadata import version

        return version("tacit")
    if name not in _ON_FIRST_USE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_ON_FIRST_USE[name]), name)
