"""Publish data about people without giving the people away: anonymize, prove, and show the cost."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tacit.errors import AuditFailure, InputError, PromiseError, TacitError
from tacit.promises import CLASSES

if TYPE_CHECKING:
    from tacit.api import anonymize, attack, audit
    from tacit.attack.result import Findings
    from tacit.audits.result import AuditResult
    from tacit.release import Release
    from tacit.taxonomy import Taxonomy, read_hierarchy
if TYPE_CHECKING:
    # promises:start
    from tacit.promises.cahd import Cahd as Cahd
    from tacit.promises.coherence import Coherence as Coherence
    from tacit.promises.k import KAnonymity as KAnonymity
    from tacit.promises.k_eps import KEpsAnonymity as KEpsAnonymity
    from tacit.promises.k_km import KKmAnonymity as KKmAnonymity
    from tacit.promises.k_lm import KLmDiversity as KLmDiversity
    from tacit.promises.km import KmAnonymity as KmAnonymity
    from tacit.promises.l import LDiversity as LDiversity
    from tacit.promises.lm import LmDiversity as LmDiversity
    from tacit.promises.rating_km import RatingKm as RatingKm
    from tacit.promises.sliced_l import SlicedDiversity as SlicedDiversity
    from tacit.promises.t import TCloseness as TCloseness
    from tacit.promises.transactional_k import TransactionalK as TransactionalK
    # promises:end

__all__ = [
    "AuditFailure",
    "AuditResult",
    "Findings",
    "InputError",
    "PromiseError",
    "Release",
    "TacitError",
    "Taxonomy",
    "anonymize",
    "attack",
    "audit",
    "read_hierarchy",
    *CLASSES,
]

globals().update(CLASSES)

_ON_FIRST_USE = {
    "anonymize": "tacit.api",
    "audit": "tacit.api",
    "AuditResult": "tacit.audits.result",
    "Findings": "tacit.attack.result",
    "Release": "tacit.release",
    "Taxonomy": "tacit.taxonomy",
    "read_hierarchy": "tacit.taxonomy",
}


def __getattr__(name: str) -> Any:
    """Arrow, Numba and their like are imported when something of theirs is needed: `import tacit` stays quick."""
    if name == "__version__":
        from importlib.metadata import version

        return version("tacit")
    if name == "attack":
        return import_module("tacit.attack")  # a package that can be called
    if name not in _ON_FIRST_USE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_ON_FIRST_USE[name]), name)
