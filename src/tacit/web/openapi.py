"""The OpenAPI document, from the routes themselves and from what each one declares beside its code."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tacit import __version__
from tacit.job import PACKABLE
from tacit.web.uploads import LOADABLE

Endpoint = Callable[[Request], Awaitable[Response]]
_ID = {"type": "string", "pattern": "^[0-9a-f]{12}$"}
_TEXT, _NUMBER = {"type": "string"}, {"type": "number"}
_STATE = {"type": "string", "enum": ["waiting", "running", "done", "failed", "cancelled"]}


_QUERY = {
    "name": {"type": "string"},
    "format": {"type": "string", "enum": [*LOADABLE, *(f"{name}.gz" for name in PACKABLE)]},
}


def _maybe(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"anyOf": [dict(schema), {"type": "null"}]}


def _object(properties: Mapping[str, Any], needs: Sequence[str] | None = None, **more: Any) -> dict[str, Any]:
    required = list(properties) if needs is None else list(needs)
    return {"type": "object", "properties": dict(properties), "required": required, **more}


SCHEMAS: dict[str, Any] = {
    "Error": _object({"error": _TEXT, "hint": _maybe(_TEXT), "key": _maybe(_TEXT)}, ["error"]),
    "Project": _object(
        {
            "id": _ID, "title": _TEXT, "created": _NUMBER, "state": _STATE, "message": _maybe(_TEXT),
            "kind": _maybe({"type": "string", "enum": ["baskets", "records", "slices", "ratings"]}),
            "rows": _maybe({"type": "integer"}),
            "columns": {
                "type": "array",
                "items": _object(
                    {"name": _TEXT, "guess": _TEXT, "why": _TEXT, "distinct": _maybe({"type": "integer"})}
                ),
            },
        }
    ),
    "Projects": _object({"projects": {"type": "array", "items": {"$ref": "#/components/schemas/Project"}}}),
    "Job": _object(
        {
            "id": _ID, "project": _ID, "state": _STATE, "created": _NUMBER, "started": _maybe(_NUMBER),
            "ended": _maybe(_NUMBER), "exit_code": _maybe({"type": "integer"}), "done": _NUMBER, "stage": _TEXT,
            "message": _maybe(_TEXT),
        }
    ),
    "Jobs": _object({"jobs": {"type": "array", "items": {"$ref": "#/components/schemas/Job"}}}),
    "Submission": _object({"project": _ID, "job": _TEXT}, ["project"], additionalProperties=False),
    "Result": _object(
        {
            "job": {"$ref": "#/components/schemas/Job"}, "audit": {"type": "object"}, "utility": {"type": "object"},
            "notes": {"type": "array", "items": _TEXT},
        }
    ),
    "Document": {"type": "object"},
}  # fmt: skip
_ALWAYS = {403: "Error", 421: "Error"}
"""What the gate answers to whoever may not come in."""


@dataclass(frozen=True)
class Operation:
    """What a route of the API does, takes and answers."""

    summary: str
    takes: str | None = None
    """The name of a schema, or a type of media."""
    query: Mapping[str, str] = field(default_factory=dict)
    answers: Mapping[int, str | None] = field(default_factory=dict)


def operation(
    summary: str,
    *,
    takes: str | None = None,
    query: Mapping[str, str] | None = None,
    answers: Mapping[int, str | None],
) -> Callable[[Endpoint], Endpoint]:
    """Declares what a route does, beside its code."""

    def declared(endpoint: Endpoint) -> Endpoint:
        endpoint.operation = Operation(summary, takes, query or {}, answers)  # type: ignore[attr-defined]
        return endpoint

    return declared


def document(routes: Sequence[Route]) -> dict[str, Any]:
    """The document of these routes."""
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        said: Operation = vars(route.endpoint)["operation"]
        for method in sorted((route.methods or set()) - {"HEAD"}):
            paths.setdefault(route.path, {})[method.lower()] = _operation(route, said)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "tacit",
            "version": __version__,
            "description": "Load data, submit its job file, follow the job, fetch the release. Whoever exchanged the "
            "token of a start, or the password, is its owner: their cookie opens all of it.",
        },
        "paths": paths,
        "components": {"schemas": SCHEMAS},
    }


def _operation(route: Route, said: Operation) -> dict[str, Any]:
    inside = re.findall(r"\{(\w+)\}", route.path)
    given = [{"name": name, "in": "path", "required": True, "schema": _ID} for name in inside]
    given += [
        {"name": name, "in": "query", "required": name == "name", "description": meaning, "schema": _QUERY[name]}
        for name, meaning in said.query.items()
    ]
    made: dict[str, Any] = {
        "operationId": route.endpoint.__name__,
        "summary": said.summary,
        "parameters": given,
        "responses": {
            str(status): _answer(status, kind) for status, kind in sorted({**said.answers, **_ALWAYS}.items())
        },
    }
    if said.takes is not None:
        made["requestBody"] = {"required": True, "content": _content(said.takes)}
    return made


def _answer(status: int, kind: str | None) -> dict[str, Any]:
    about = {"description": "as asked" if status < 400 else "refused, with the reason"}
    return about if kind is None else {**about, "content": _content(kind)}


def _content(kind: str) -> dict[str, Any]:
    if kind in SCHEMAS:
        return {"application/json": {"schema": {"$ref": f"#/components/schemas/{kind}"}}}
    return {kind: {"schema": {"type": "string"}}}
