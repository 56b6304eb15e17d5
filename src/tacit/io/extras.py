"""Packages that only some formats need: imported when they are, and named by the extra that brings them."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from tacit.errors import InputError


def needed(module: str, extra: str, what: str) -> ModuleType:
    """A module of an extra; without it the error says what to install."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != module.partition(".")[0]:
            raise
        hint = f"pip install 'tacit[{extra}]'"
        raise InputError(f"{what} need {module}, which is not installed", hint=hint) from None
