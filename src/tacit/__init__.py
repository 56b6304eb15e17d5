"""Publish data about people without giving the people away: anonymize, prove, and show the cost."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tacit.errors import AuditFailure, InputError, PromiseError, TacitError
from tacit.promises import CLASSES

if TYPE_CHECKING:
    from tacit.api import anonymize, audit
    from tacit.audits.result import AuditResult
    from tacit.promises import (  # promises:start
        Cahd as Cahd,
    )  # promises:end
    from tacit.promises import (
        Coherence as Coherence,
    )
    from tacit.promises import (
        KAnonymity as KAnonymity,
    )
    from tacit.promises import (
        KEpsAnonymity as KEpsAnonymity,
    )
    from tacit.promises import (
        KKmAnonymity as KKmAnonymity,
    )
    from tacit.promises import (
        KLmDiversity as KLmDiversity,
    )
    from tacit.promises import (
        KmAnonymity as KmAnonymity,
    )
    from tacit.promises import (
        LDiversity as LDiversity,
    )
    from tacit.promises import (
        LmDiversity as LmDiversity,
    )
    from tacit.promises import (
        SlicedDiversity as SlicedDiversity,
    )
    from tacit.promises import (
        TCloseness as TCloseness,
    )
    from tacit.promises import (
        TransactionalK as TransactionalK,
    )
    from tacit.release import Release
    from tacit.taxonomy import Taxonomy, read_hierarchy
__all__ = [
    "AuditFailure",
    "AuditResult",
    "InputError",
    "PromiseError",
    "Release",
    "TacitError",
    "Taxonomy",
    "anonymize",
    "audit",
    "read_hierarchy",
    *CLASSES,
]

globals().update(CLASSES)

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
