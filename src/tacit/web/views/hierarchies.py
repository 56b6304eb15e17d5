"""The third step: hierarchies, built, loaded or changed by hand. Each is a file of the project that the job names."""

from __future__ import annotations

from itertools import islice
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from tacit.errors import InputError
from tacit.web.desk import Desk
from tacit.web.render import project_of, render, to, workspace_of
from tacit.web.uploads import Form, drop, form_of
from tacit.web.views.columns import column_at
from tacit.web.views.job import attachment
from tacit.web.views.roles import profile_of
from tacit.web.workspace import NotFound, Project

_WITH_HIERARCHY = ("quasi", "items", "sensitive")
_MOST_GROUPS = 2000


async def overview(request: Request) -> Response:
    """The columns that can have one."""
    project = project_of(request)
    columns = Desk(project).tables.get("columns", {})
    listed = [
        {**found, "index": index, "table": columns[found["name"]]}
        for index, found in enumerate(profile_of(project)["columns"])
        if columns.get(found["name"], {}).get("role") in _WITH_HIERARCHY
    ]
    return render(request, "hierarchies.html", project=project, step="hierarchies", columns=listed)


def _table(project: Project, column: dict[str, Any]) -> dict[str, Any]:
    table = Desk(project).tables.get("columns", {}).get(column["name"], {})
    if table.get("role") not in _WITH_HIERARCHY:
        raise NotFound
    return dict(table)


async def show(request: Request) -> Response:
    return await run_in_threadpool(_page, request)


def _page(request: Request, mistake: str = "", where: str = "", wrong: Any = ()) -> Response:
    from tacit.taxonomy import KINDS
    from tacit.web import trees

    project = project_of(request)
    column = column_at(request, project)
    table = _table(project, column)
    values = trees.values_of(project, column["index"], table)
    find = request.query_params.get("find", "")
    context: dict[str, Any] = {
        "tree": None,
        "faults": [],
        "groups": [],
        "shape": "",
        "tree_version": "",
        "tree_notes": (),
    }
    name = table.get("hierarchy")
    if name and (project.folder / name).is_file():
        context["tree_version"] = trees.version_of((project.folder / name).read_text("utf-8", errors="replace"))
        try:
            tree = trees.read_tree(project, name, values)
        except InputError:
            context["faults"] = trees.faults(project.folder / name, values)
        else:
            context |= {
                "tree": trees.drawn(tree, values, find), "shape": trees.shape(tree), "tree_notes": tree.notes,
                "groups": list(islice(trees.groups_of(tree), _MOST_GROUPS)),
            }  # fmt: skip
    return render(
        request, "hierarchy.html", status=400 if mistake else 200, project=project, step="hierarchies", column=column,
        table=table, kinds=list(KINDS), values=len(values), find=find, mistake=mistake, where=where,
        wrong=wrong, **context,
    )  # fmt: skip


async def change(request: Request) -> Response:
    """One change of the tree; what cannot be done is told, and nothing is changed then."""
    form = await form_of(request, request.app.state.limits)
    return await run_in_threadpool(_change, request, form)


def _change(request: Request, form: Form) -> Response:
    from tacit.web import trees

    project = project_of(request)
    column = column_at(request, project)
    table = _table(project, column)
    name = table.get("hierarchy")
    if not name:
        raise NotFound
    text = (project.folder / name).read_text("utf-8", errors="replace")
    if form.get("version") != trees.version_of(text):
        return _page(request, "the hierarchy was changed meanwhile; nothing was done", "edit")
    try:
        tree = trees.read_tree(project, name, trees.values_of(project, column["index"], table))
        made = trees.changed(tree, form)
        _save(project, column, trees.text_of(made, project))
    except InputError as error:
        return _page(request, str(error), "edit")
    return to(_address(project, column))


def _save(project: Project, column: dict[str, Any], text: str | None) -> None:
    """Puts a hierarchy into the project, and its name into the job; both in one step that can be undone."""
    from tacit.web.trees import file_name

    desk, name = Desk(project), file_name(column["index"])
    tables = desk.tables
    table = {key: value for key, value in tables["columns"][column["name"]].items() if key != "hierarchy"}
    table |= {"hierarchy": name} if text is not None else {}
    columns = {**tables["columns"], column["name"]: table}
    desk.save({**tables, "columns": columns}, {name: text} if text is not None else None)


def _address(project: Project, column: dict[str, Any]) -> str:
    return f"/projects/{project.id}/hierarchies/{column['index']}"


async def build(request: Request) -> Response:
    form = await form_of(request, request.app.state.limits)
    return await run_in_threadpool(_build, request, form)


def _build(request: Request, form: Form) -> Response:
    from tacit.web import trees

    project = project_of(request)
    column = column_at(request, project)
    table = _table(project, column)
    try:
        made = trees.built(trees.values_of(project, column["index"], table), form.get("kind", "auto"), form)
        _save(project, column, trees.text_of(made, project))
    except InputError as error:
        return _page(request, str(error), "build")
    return to(_address(project, column))


async def load(request: Request) -> Response:
    """A file of the user's: ARX's layout, or child and parent. What is wrong with it is told by line."""
    scratch = workspace_of(request).scratch_file()
    try:
        form = await form_of(request, request.app.state.limits, scratch)
        return await run_in_threadpool(_load, request, form)
    finally:
        drop(scratch)


def _load(request: Request, form: Form) -> Response:
    from tacit.web import trees

    project = project_of(request)
    column = column_at(request, project)
    table = _table(project, column)
    if form.file is None or not form.file.stat().st_size:
        return _page(request, "no file was sent, or an empty one", "load")
    values = trees.values_of(project, column["index"], table)
    found = trees.faults(form.file, values)
    if found:
        return _page(request, "the hierarchy cannot be used; what is wrong with it:", "load", found)
    try:
        from tacit.taxonomy import read_hierarchy

        _save(project, column, trees.text_of(read_hierarchy(form.file, values or None), project))
    except InputError as error:
        return _page(request, error.problem, "load")
    return to(_address(project, column))


async def remove(request: Request) -> Response:
    project = project_of(request)
    column = column_at(request, project)
    _table(project, column)
    _save(project, column, None)
    return to(_address(project, column))


async def file(request: Request) -> Response:
    project = project_of(request)
    name = _table(project, column_at(request, project)).get("hierarchy")
    if not name or not (project.folder / name).is_file():
        raise NotFound
    return attachment((project.folder / name).read_bytes(), "hierarchy.csv", "text/csv")
