"""The second step: what each column is. One at a time, or many at once."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from tacit.web.desk import Desk
from tacit.web.render import project_of, render, to
from tacit.web.roles import LEFT_OUT, MASKED, MEANINGS, ROLES, replaced, with_roles
from tacit.web.uploads import form_of
from tacit.web.workspace import NotFound, Project

_PREFIX = "role-"


async def show(request: Request) -> Response:
    project = project_of(request)
    profile = profile_of(project)
    columns = Desk(project).tables.get("columns", {})
    listed = [_listed(index, found, columns.get(found["name"], {})) for index, found in enumerate(profile["columns"])]
    asked = request.query_params.get("find", "")
    shown = [column for column in listed if asked.lower() in column["name"].lower()]
    return render(
        request, "roles.html", project=project, step="roles", columns=shown, total=len(listed), find=asked, roles=ROLES,
        meanings=MEANINGS, decide=profile["decide"], rows=profile["rows"],
    )  # fmt: skip


def profile_of(project: Project) -> dict[str, Any]:
    """What was found in the data; there is no page before that."""
    profile = project.profile
    if profile is None:
        raise NotFound
    return profile


def _listed(index: int, found: dict[str, Any], table: dict[str, Any]) -> dict[str, Any]:
    role = table.get("role", LEFT_OUT)
    return {**found, "index": index, "guess": found["role"], "role": role, "is_masked": role in MASKED,
            "is_changed": role != found["role"], "hierarchy": table.get("hierarchy")}  # fmt: skip


async def change(request: Request) -> Response:
    """Roles as chosen: each column's own, and one for all that are ticked."""
    project, form = project_of(request), await form_of(request, request.app.state.limits)
    desk, profile = Desk(project), profile_of(project)
    names = [column["name"] for column in profile["columns"]]
    asked = {
        names[int(key.removeprefix(_PREFIX))]: values[-1]
        for key, values in form.fields.items()
        if key.startswith(_PREFIX) and _is_index(key.removeprefix(_PREFIX), names)
    }
    together = form.get("together")
    if together and form.get("do") == "together":
        asked |= {names[int(index)]: together for index in form.all("column") if _is_index(index, names)}
    before, now = desk.tables, with_roles(desk.tables, asked, profile)
    desk.save(now)
    if (instead := replaced(before, now)) is not None:
        project.note(replaced=instead)
    return to(f"/projects/{project.id}/roles")


def _is_index(text: str, names: list[str]) -> bool:
    return text.isascii() and text.isdigit() and int(text) < len(names)
