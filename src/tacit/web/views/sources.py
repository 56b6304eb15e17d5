"""Databases as the source of a project, which are read again when somebody wishes; and tables that are joined to it."""

from __future__ import annotations

import json
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from tacit.errors import InputError
from tacit.io.databases import tables_of
from tacit.io.passwords import with_given, without_password
from tacit.job import FORMATS
from tacit.web.render import project_of, to, workspace_of
from tacit.web.sources import known_joins
from tacit.web.uploads import Form, drop, form_of, format_of
from tacit.web.views.data import home_page, look_at, page_of
from tacit.web.views.roles import profile_of
from tacit.web.workspace import NotFound, Project, fresh_id


async def database(request: Request) -> Response:
    """A table or a query of a database, read into the project."""
    form = await form_of(request, request.app.state.limits)
    url, table, query = (form.get(name).strip() for name in ("url", "table", "query"))
    bare = without_password(url)
    if "://" not in url:
        hint = "Write it as postgresql://user@host/database, mysql://... or sqlite:///file.db."
        return home_page(request, f"this is not the address of a database\n  {hint}", "url", 400)
    url = with_given(url, form.get("password"))
    if form.get("list"):
        try:
            found = await run_in_threadpool(tables_of, url, ask=False)
        except InputError as error:
            return home_page(request, str(error), "url", 400, url=bare)
        return home_page(request, url=bare, tables=found)
    if bool(table) == bool(query):
        return home_page(request, "give either a table or a query", "table", 400, url=bare)
    project = workspace_of(request).new_project(form.get("title") or table or "query")
    asked = {"url": bare, "table": table, "query": query}
    project.note(source="data.parquet", file_name=table or "query", database=asked)
    look_at(request, project, "auto", _said(database={**asked, "url": url}))
    return to(f"/projects/{project.id}")


def _said(**asked: Any) -> bytes:
    return json.dumps(asked).encode()


async def read_again(request: Request) -> Response:
    """The same table or query, as it is now; what was said of its columns stays."""
    project, form = project_of(request), await form_of(request, request.app.state.limits)
    asked = project.about.get("database")
    if asked is None:
        raise NotFound
    url = with_given(asked["url"], form.get("password"))
    look_at(request, project, _kind(project), _said(database={**asked, "url": url}, keep=True))
    return to(f"/projects/{project.id}/data")


def _kind(project: Project) -> str:
    return str((project.profile or {"kind": "auto"})["kind"])


async def join(request: Request) -> Response:
    """Another table about the same persons: a file, or a table of the same database."""
    project, limits = project_of(request), request.app.state.limits
    profile = profile_of(project)
    scratch = workspace_of(request).scratch_file()
    try:
        form = await form_of(request, limits, scratch)
        joined = _join_of(form, [column["name"] for column in profile["columns"]])
        said: dict[str, Any] = {"keep": True}
        kept = project.about.get("database")
        if form.get("table").strip() and kept is not None:
            joined["source"] = f"join-{fresh_id()}.parquet"
            url = with_given(kept["url"], form.get("password"))
            said["joined"] = {"url": url, "table": form.get("table").strip(), "into": joined["source"]}
        else:
            joined["source"] = _put_file(form, project)
    except InputError as error:
        return page_of(request, project, mistake=str(error), status=400)
    finally:
        drop(scratch)
    look_at(request, project, "auto", _said(**said, joins=[*known_joins(project.folder), joined]))
    return to(f"/projects/{project.id}/data")


def _join_of(form: Form, names: list[str]) -> dict[str, Any]:
    """What the form says of a join, but for its source."""
    key, on, items = (form.get(name).strip() for name in ("key", "on", "items"))
    columns = [name.strip() for name in form.get("columns").split(",") if name.strip()]
    if key not in names:
        raise InputError(
            "the column that says who it is is not one of the data", hint=f"They have: {', '.join(names)}."
        )
    if bool(items) == bool(columns):
        hint = "Name the column whose values become a set a person, or columns to stand beside the others."
        raise InputError("it is not said what the other table brings", hint=hint)
    found: dict[str, Any] = {"key": key, **({"on": on} if on else {})}
    if items:
        return {**found, "items": items, **({"name": f"{items} (joined)"} if items in names else {})}
    return {**found, "columns": columns}


def _put_file(form: Form, project: Project) -> str:
    if form.file is None or not form.file_name or not form.file.stat().st_size:
        raise InputError("no file was sent, or an empty one", hint="Choose a file with data.")
    name = f"join-{fresh_id()}.{format_of(form.file_name, '', FORMATS)}"
    form.file.rename(project.folder / name)
    return name


async def remove_join(request: Request) -> Response:
    """A joined table goes, with its columns."""
    project, form = project_of(request), await form_of(request, request.app.state.limits)
    joins = [join for join in known_joins(project.folder) if join["source"] != form.get("source")]
    look_at(request, project, "auto", _said(joins=joins, keep=True))
    return to(f"/projects/{project.id}/data")
