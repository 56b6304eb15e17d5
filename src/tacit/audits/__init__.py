"""Checks published data against its promise: one file a promise, own code that imports no method and no kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacit.audits.result import AuditResult

if TYPE_CHECKING:
    from tacit.audits.km import audit_km

__all__ = ["AuditResult", "audit_km"]


def __getattr__(name: str) -> Any:
    """Load an audit, and Numba with it, on first use: `import tacit` stays quick."""
    if name == "audit_km":
        from tacit.audits.km import audit_km

        return audit_km
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
