"""Roles of columns on the job file: what a change of role keeps, and which promise then fits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tacit.job import ROLE_KEYS
from tacit.job.model import NEVER_PUBLISHED
from tacit.promises import MODELS

Tables = dict[str, Any]
LEFT_OUT = "out"
"""Said of a column that the job does not list. It is no role of a job file."""
ROLES = (*ROLE_KEYS, LEFT_OUT)
MEANINGS = {
    "identifier": "whose record it is: never published",
    "person": "whose row it is, if a person has several: fresh numbers are published",
    "household": "whose home it is: never published",
    "weight": "for how many people the record stands: never published",
    "quasi": "may be known of a person from elsewhere: published in groups",
    "sensitive": "is not to be learnt of a person: published, no group has too much of one value",
    "items": "a set of items",
    "rating": "an answer on a scale",
    "plain": "published as it is: nothing protects it",
    LEFT_OUT: "not in the job: never published",
}
MASKED = (*NEVER_PUBLISHED, "person", LEFT_OUT)
"""Roles of columns whose values are not shown, not even to their owner, over whose shoulder somebody may look."""
_PROTECTED = {"quasi", "sensitive", "items", "rating"}


def with_roles(tables: Tables, roles: Mapping[str, str], profile: Mapping[str, Any]) -> Tables:
    """The job with other roles: what the new role does not take is left out, what init found for it comes back."""
    columns = dict(tables.get("columns", {}))
    found = {column["name"]: column for column in profile["columns"]}
    for name, role in roles.items():
        if role == LEFT_OUT:
            columns.pop(name, None)
        elif role in ROLES and name in found and role_of(columns, name) != role:
            columns[name] = _column(columns.get(name, {}), role, found[name])
    in_order = {name: columns[name] for name in dict.fromkeys((*found, *columns)) if name in columns}
    changed = {**tables, "columns": in_order}
    return changed if fits(changed, changed.get("privacy", {}).get("model")) else with_suggested_promise(changed)


def role_of(columns: Mapping[str, Any], name: str) -> str:
    """The role of a column of the data, by the job's columns."""
    return str(columns.get(name, {}).get("role", LEFT_OUT))


def _column(before: Tables, role: str, found: Mapping[str, Any]) -> Tables:
    settings = found.get("settings", {})
    known = {"type": found.get("type"), "separator": found.get("separator"), **settings, **before}
    kept = {key: known[key] for key in ROLE_KEYS[role] if known.get(key) is not None}
    if role == "items":
        kept.setdefault("separator", " ")
    if isinstance(kept.get("sensitive"), bool) != (role == "rating"):
        kept.pop("sensitive", None)
    return {"role": role, **kept}


def with_suggested_promise(tables: Tables) -> Tables:
    """The job with a promise that its roles allow, if there is one; its method is the best one then."""
    advised = [model for model, promise in MODELS.items() if promise.advised and fits(tables, model)]
    if not advised:
        return tables
    model = max(advised, key=lambda model: len(MODELS[model].roles))
    return with_model(tables, model, tables.get("privacy", {}))


def with_model(tables: Tables, model: str, given: Mapping[str, Any]) -> Tables:
    """The job with a promise of this model, whose parameters are those given, or else those of its example."""
    takes = MODELS[model].takes
    parameters = {**MODELS[model].example, **{key: value for key, value in given.items() if key in takes}}
    seed = {key: value for key, value in tables.get("method", {}).items() if key == "seed"}
    rest = {key: value for key, value in tables.items() if key not in ("privacy", "method", "output")}
    method = {"method": seed} if seed else {}
    output = {"output": tables["output"]} if "output" in tables else {}
    return {**rest, "privacy": {"model": model, **parameters}, **method, **output}


def replaced(before: Tables, now: Tables) -> dict[str, Any] | None:
    """The promise that was, and the one that stands in its place, if it is another."""
    was, there = before.get("privacy", {}), now.get("privacy", {})
    return {"was": was, "now": there} if was and was.get("model") != there.get("model") else None


def roles_of(tables: Tables) -> set[str]:
    return {str(column.get("role")) for column in tables.get("columns", {}).values()}


def fits(tables: Tables, model: str | None) -> bool:
    """Whether the roles of a job are those that a promise is about."""
    if model not in MODELS:
        return False
    have, needs = roles_of(tables), set(MODELS[model].roles)
    protects = needs | ({"sensitive"} if "quasi" in needs else set()) | ({"items"} if "rating" in needs else set())
    has_sensitive = not MODELS[model].about_sensitive_items or any(
        column.get("role") == "items" and column.get("sensitive") for column in tables.get("columns", {}).values()
    )
    return needs <= have and have & _PROTECTED <= protects and has_sensitive


def fitting(tables: Tables) -> list[str]:
    """The promises that a job's roles allow."""
    return [model for model in MODELS if fits(tables, model)]
