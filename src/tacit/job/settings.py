"""What the Python API says about single columns, checked by the rules of the job file."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tacit.errors import InputError
from tacit.job.keys import COLUMN, FLAG
from tacit.job.model import ROLE_KEYS, Column

Settings = Mapping[str, Mapping[str, Any]]


def settings_of(column: str, role: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of a column's table in a job file, as a `Column` holds them.

    A hierarchy is not among them: it has an argument of its own, which takes trees, too.

    >>> settings_of("age", "quasi", {"type": "number", "weight": 2})
    {'type': 'number', 'weight': 2.0}
    """
    if not isinstance(settings, Mapping):
        raise InputError(
            f"its settings are {reprlib.repr(settings)}, but they must be a dictionary",
            column=column,
            hint='Write for example: {"type": "number", "weight": 2.0}',
        )
    allowed = [key for key in ROLE_KEYS[role] if key != "hierarchy"]
    kinds = {**COLUMN, "sensitive": FLAG} if role == "rating" else COLUMN
    held = {}
    for key, given in settings.items():
        if key not in allowed:
            hint = f"Here you can use: {', '.join(allowed)}." if allowed else "It takes none."
            raise InputError(f"{key!r} is no setting of a column with the role {role!r}", column=column, hint=hint)
        value = list(given) if isinstance(given, tuple) else given
        if not kinds[key].fits(value):
            raise InputError(
                f"{key} is {reprlib.repr(given)}, but it must be {kinds[key].wanted}",
                column=column,
                hint=f"Write for example: {kinds[key].example}",
            )
        held[key] = kinds[key].held(value)
    return held


def with_settings(column: Column, settings: Settings) -> Column:
    """The column as its settings say; they go before what was said of all columns."""
    held = settings_of(column.name, column.role, settings.get(column.name, {}))
    if column.role == "items" and "sensitive" in held:
        held["sensitive_items"] = held.pop("sensitive")
    return replace(column, **held)


def check_named(settings: Settings, columns: Mapping[str, str]) -> None:
    """Refuses settings of columns that have no role."""
    for name in settings:
        if name not in columns:
            raise InputError(
                "it has settings, but no role",
                column=name,
                hint=f"These have one: {', '.join(columns)}.",
            )
