"""More about one column: whatever the job file can say of it."""

from __future__ import annotations

import json
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from tacit.job import ROLE_KEYS
from tacit.job.keys import COLUMN, FLAG
from tacit.web.desk import Desk, Problem
from tacit.web.render import project_of, render, to
from tacit.web.roles import LEFT_OUT, MASKED
from tacit.web.uploads import Form, form_of
from tacit.web.views.roles import profile_of
from tacit.web.workspace import NotFound, Project

LABELS = {
    "type": "Type of the values",
    "weight": "Importance in the loss",
    "missing": "A missing value is",
    "decimal": "Decimal sign",
    "thousands": "Sign between thousands",
    "date_format": "How days are written, such as D.M.YYYY",
    "first_year": "First of the hundred years that years of two digits can be",
    "round": "Ends of ranges are multiples of",
    "top": "From here on: one open range",
    "bottom": "Up to here: one open range",
    "distance": "How far values are apart",
    "fold": "Spellings that differ in case or blanks count as one",
    "l": "Diversity of this column, if other than the promise's",
    "harmless": "Values that nobody minds being known, one a line",
    "width": "Numbers closer than this count as one value",
    "separator": "What stands between items",
    "sensitive": "Sensitive items, one a line",
    "scale": "Lowest and highest rating",
    "step": "Step of the scale",
}
CHOICES = {
    "number": "numbers",
    "category": "categories",
    "date": "dates",
    "value": "a value of its own",
    "suppress": "not shown",
    "equal": "all alike",
    "ordered": "by their order",
    "hierarchical": "by their hierarchy",
    ",": "comma",
    ".": "point",
    " ": "blank",
    "'": "apostrophe",
    "\u2019": "typographic apostrophe",
    "\u00a0": "blank that does not break",
    "\u202f": "narrow blank",
}
"""What a choice of the job file is called."""
_LINES = ("sensitive", "harmless")
_NUMBERS = ("weight", "round", "top", "bottom", "step", "l", "width", "first_year")
_OF_NUMBERS, _OF_DATES = ("decimal", "thousands"), ("date_format", "first_year")
_NOT_OF = {
    "category": (*_OF_NUMBERS, *_OF_DATES, "round", "top", "bottom", "width"),
    "number": _OF_DATES,
    "date": _OF_NUMBERS,
}
"""What says nothing of values of a type."""


def column_at(request: Request, project: Project) -> dict[str, Any]:
    """What was found in the column that a path names, by its place."""
    columns = profile_of(project)["columns"]
    index = request.path_params["column"]
    if index >= len(columns):
        raise NotFound
    return {**columns[index], "index": index}


async def show(request: Request) -> Response:
    project = project_of(request)
    column = column_at(request, project)
    return _page(request, project, column, Desk(project).tables["columns"].get(column["name"], {"role": LEFT_OUT}))


def _page(
    request: Request, project: Project, column: dict[str, Any], table: dict[str, Any], problem: Problem | None = None
) -> Response:
    without = _NOT_OF.get(table.get("type", ""), ())
    takes = [key for key in ROLE_KEYS.get(table["role"], ()) if key != "hierarchy"]
    fields = [_field(key, table) for key in takes if key in table or key not in without]
    return render(
        request, "column.html", status=400 if problem else 200, project=project, step="roles", column=column,
        table=table, fields=fields, mistake=problem, is_masked=table["role"] in MASKED,
    )  # fmt: skip


def _field(key: str, table: dict[str, Any]) -> dict[str, Any]:
    kind = FLAG if key == "sensitive" and table["role"] == "rating" else COLUMN[key]
    value = table.get(key)
    if isinstance(value, list):
        value = "\n".join(map(str, value)) if key in _LINES else " ".join(map(str, value))
    shape = "flag" if kind is FLAG else "choice" if kind.choices else "lines" if key in _LINES else "text"
    label = (
        "Sensitive: published as it is, nobody knows it beforehand"
        if kind is FLAG and key == "sensitive"
        else LABELS[key]
    )
    choices = [(choice, CHOICES.get(choice, choice)) for choice in kind.choices]
    wanted = "" if kind.choices else kind.wanted
    return {"key": key, "shape": shape, "choices": choices, "value": value, "label": label, "wanted": wanted}


async def change(request: Request) -> Response:
    """What was filled in; what is wrong is told beside its field, and nothing is changed then."""
    project, form = project_of(request), await form_of(request, request.app.state.limits)
    column, desk = column_at(request, project), Desk(project)
    tables = desk.tables
    before = tables["columns"].get(column["name"])
    if before is None:
        raise NotFound
    table = {"role": before["role"], **({"hierarchy": before["hierarchy"]} if "hierarchy" in before else {})}
    for key in ROLE_KEYS[before["role"]]:
        value = _read(key, before["role"], form)
        if key != "hierarchy" and value is not None:
            table[key] = value
    changed = {**tables, "columns": {**tables["columns"], column["name"]: table}}
    problem = desk.problem(changed)
    if problem is not None and problem.key is not None and problem.key.startswith(f"columns.{column['name']}."):
        return _page(request, project, column, table, problem)
    desk.save(changed)
    return to(f"/projects/{project.id}/columns/{column['index']}")


def _read(key: str, role: str, form: Form) -> Any:
    """A value of the form as TOML has it; None for what is left out."""
    text = form.get(key) if key in ("separator", "thousands") else form.get(key).strip()
    if key == "sensitive" and role == "rating":
        return True if text else None
    if key == "fold":
        return None if text else False
    if key in _LINES:
        return [line.strip() for line in text.splitlines() if line.strip()] or None
    if text == "":
        return None
    if key == "scale":
        return [_number(part) for part in text.replace(",", " ").split()]
    return _number(text) if key in _NUMBERS else text


def _number(text: str) -> Any:
    """A number if it is one; a text is left to be refused, or to be a date."""
    try:
        found = json.loads(text)
    except ValueError:
        return text
    return found if isinstance(found, int | float) and not isinstance(found, bool) else text
