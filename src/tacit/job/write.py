"""A job as the TOML that reads as an equal one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tacit.io.passwords import without_password
from tacit.job.model import ROLE_KEYS, Job


def write_job(job: Job) -> str:
    """The job as TOML with all its defaults; its paths are absolute, so it runs from wherever it lies."""
    import tomli_w

    return tomli_w.dumps(as_tables(job))


def as_tables(job: Job) -> dict[str, Any]:
    """The same in the types that TOML has."""
    columns: dict[str, dict[str, Any]] = {}
    for column in job.columns:
        columns[column.name] = {key: getattr(column, key) for key in ("role", *ROLE_KEYS[column.role])}
        if column.role == "items":
            columns[column.name]["sensitive"] = column.sensitive_items
    tables: dict[str, Any] = {
        "input": {**vars(job.input), "source": _kept(job.input.source), "join": _joins(job)},
        "columns": columns,
        "privacy": {"model": job.promise.name, **job.promise.parameters()},
        "method": {"name": job.method.name, **job.method.options, "seed": job.method.seed},
        "output": {**vars(job.output), "database": _kept(job.output.database)},
    }
    if job.engine:
        tables["engine"] = {**vars(job.engine), "remote": _kept(job.engine.remote)}
    if job.about:
        tables["release"] = vars(job.about)
    return {name: _as_toml(table) for name, table in tables.items()}


def _joins(job: Job) -> list[dict[str, Any]] | None:
    given = [{**vars(join), "source": _kept(join.source)} for join in job.input.join]
    return [{key: value for key, value in each.items() if value != ()} for each in given] or None


def _kept(source: Path | str | None) -> Path | str | None:
    """A path, or a URL without its password: that is written nowhere."""
    return without_password(source) if isinstance(source, str) else source


def _as_toml(value: Any) -> Any:
    """The value in the types that TOML has: what is None is left out, a path is a text, a tuple a list."""
    if isinstance(value, Mapping):
        return {key: _as_toml(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list | tuple):
        return [_as_toml(inner) for inner in value]
    return str(value) if isinstance(value, Path) else value
