"""What the definition of a promise, written out in tests/naive/audits, says of a published table."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

import pyarrow as pa

from tacit.promises import Promise


def written_out(model: type[Promise]) -> ModuleType:
    """The module that has the definition."""
    return import_module(f"naive.audits.{model.__module__.rpartition('.')[2]}")


def definition_holds(
    table: pa.Table, promise: Promise, roles: Mapping[str, Any], original: pa.Table | None = None
) -> bool:
    """`original` is the table that slices were made of: its people are those whom an attacker may look for."""
    exactly = {"original": original} if promise.kind_of_data == "slices" else {}
    return written_out(type(promise)).holds(table, promise, dict(roles), **exactly)
