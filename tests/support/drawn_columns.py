"""Columns drawn from a few values, and what `init` takes them for beside an age."""

from __future__ import annotations

import random

import pyarrow as pa

from tacit.init.columns import look_at

ROWS = 400


def drawn(values: str | list[str], seed: int = 5) -> list[str]:
    rng = random.Random(seed)
    return [rng.choice(values.split("|") if isinstance(values, str) else values) for _ in range(ROWS)]


def roles(**columns: list[str]) -> dict[str, str]:
    rng = random.Random(7)
    table = pa.table({"age": [str(rng.randint(18, 80)) for _ in range(ROWS)], **columns})
    return {name: finding.role for name, finding in look_at(table).findings.items()}


def role(header: str, values: list[str]) -> str:
    return roles(**{header: values})[header]
