"""Settings as a job file has them, so that they can be copied from what people read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tacit.models import Promise


def setting(value: Any) -> str:
    """A value as TOML writes it; texts without their quotes.

    >>> setting(False), setting(0.65), setting("inf")
    ('false', '0.65', 'inf')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)


def parameters(promise: Promise) -> str:
    """The parameters of a promise on a line."""
    return ", ".join(f"{key} = {setting(value)}" for key, value in promise.parameters().items())
