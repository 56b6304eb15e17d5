"""The sixth step: methods and parameters side by side, as a picture; a point of it can be taken."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from tacit.methods import METHODS, method_for
from tacit.promises import MODELS
from tacit.web.desk import Desk
from tacit.web.files import read_json
from tacit.web.outcomes import axes, loss_of, meaning, measure_of, picture
from tacit.web.parameters import parameter_fields, read_value, tried
from tacit.web.render import project_of, render, to
from tacit.web.roles import Tables
from tacit.web.uploads import form_of
from tacit.web.views.roles import profile_of
from tacit.web.workspace import NotFound, Project

_FOLDER = "comparison"
_ENOUGH = 20_000
"""Of more records than these, a share is compared, unless somebody wants all."""


async def show(request: Request) -> Response:
    request.app.state.workers.tend()
    project = project_of(request)
    return _page(request, project)


def _page(request: Request, project: Project, asked: dict[str, Any] | None = None, mistake: str = "") -> Response:
    tables, profile = Desk(project).tables, profile_of(project)
    model = tables.get("privacy", {}).get("model")
    latest = next(iter(project.works("compare")), None)
    cells = cells_of(project)
    context: dict[str, Any] = {"picture": None, "x": "", "y": "", "axes": []}
    done = [cell for cell in cells if cell["status"] == "done"]
    if done:
        known = axes(cells)
        x, y = _chosen(request, known, done)
        context = {"picture": picture(cells, x, y), "x": x, "y": y, "axes": known}
    numbers = (
        [field for field in parameter_fields(model, tables["privacy"]) if field.shape == "number"]
        if model in MODELS
        else []
    )
    defaults = {
        "methods": _default_methods(tables, model),
        "vary": {field.key: ",".join(tried(field.key, field.value)) for field in numbers[:1]},
        "share": float(f"{min(1.0, _ENOUGH / max(profile['records'], 1)):.2g}"),
    }
    about = latest.about if latest else None
    is_running = about is not None and about["state"] in ("waiting", "running")
    last = (about or {}).get("asked", {})  # what was compared last stands there again, unless the promise is another
    shown = asked or (last if last.get("model") == model else defaults)
    return render(
        request, "compare.html", status=400 if mistake else 200, project=project, step="compare", work=latest,
        about=about, is_running=is_running, progress=latest.progress() if latest else (0.0, ""), cells=cells,
        methods=[METHODS[name] for name in METHODS if model in METHODS[name].makes], numbers=numbers, model=model,
        asked=shown, mistake=mistake, problem=Desk(project).problem(), meaning=meaning,
        loss=loss_of(done), measure_of=measure_of, records=profile["records"], **context,
    )  # fmt: skip


def cells_of(project: Project) -> list[dict[str, Any]]:
    file = project.folder / _FOLDER / "cells.json"
    return list(read_json(file)["cells"]) if file.is_file() else []


def _chosen(request: Request, known: list[str], done: list[dict[str, Any]]) -> tuple[str, str]:
    """What stands on the axes: as asked for, or a varied key against the loss."""
    x, y = request.query_params.get("x"), request.query_params.get("y")
    loss = loss_of(done)
    y = y if y in known else loss or known[-1]
    varied = [
        name for name in known if name.startswith("privacy.") and len({measure_of(cell, name) for cell in done}) > 1
    ]
    return (x if x in known else next(iter([*varied, "seconds"]))), y


def _default_methods(tables: Tables, model: Any) -> list[str]:
    if model not in MODELS:
        return []
    name = tables.get("method", {}).get("name")
    return list(
        dict.fromkeys([method_for(model, name).name if name in (None, *METHODS) else "", MODELS[model].default_method])
    )


async def start(request: Request) -> Response:
    """Runs `tacit compare` with what was chosen; cells that are there already are not run again."""
    project, workers = project_of(request), request.app.state.workers
    form, desk = await form_of(request, request.app.state.limits), Desk(project)
    methods = [name for name in form.all("method") if name in METHODS]
    model = desk.tables.get("privacy", {}).get("model")
    keys = [field.key for field in parameter_fields(model, {})] if model in MODELS else []
    vary = {key: ",".join(filter(None, map(str.strip, form.get(f"vary-{key}").split(",")))) for key in keys}
    vary = {key: values for key, values in vary.items() if values}
    asked: dict[str, Any] = {"methods": methods, "vary": vary, "share": form.get("share", "1")}
    share = read_value(form.get("share", "1").replace(",", "."))
    if not isinstance(share, int | float) or not 0 < share <= 1:
        return _page(request, project, asked, "the share of the records is a number above 0, and 1 at most")
    if desk.problem() is not None:
        return _page(request, project, asked)
    words = ["tacit", "compare", "job.toml", "-o", _FOLDER, "--timeout", "300", "--progress", "json", "--json"]
    words += ["--methods", ",".join(methods)] if methods else []
    words += [word for key, values in vary.items() for word in ("--vary", f"privacy.{key}={values}")]
    words += ["--sample", f"{share:g}"] if share != 1 else []
    workers.submit(project.new_work("compare", words, asked={**asked, "share": share, "model": model}))
    return to(f"/projects/{project.id}/compare")


async def take(request: Request) -> Response:
    """The promise and the method of a point become those of the job."""
    project, form = project_of(request), await form_of(request, request.app.state.limits)
    desk = Desk(project)
    cell = next((cell for cell in cells_of(project) if cell["cell"] == form.get("cell")), None)
    if cell is None:
        raise NotFound
    tables = desk.tables
    takes = METHODS[cell["method"]].options
    options = {key: value for key, value in tables.get("method", {}).items() if key in (*takes, "seed")}
    options |= {
        key.removeprefix("method."): value for key, value in cell["settings"].items() if key.startswith("method.")
    }
    changed = {
        **tables,
        "privacy": {"model": cell["model"], **cell["parameters"]},
        "method": {"name": cell["method"], **options},
    }
    in_order = dict.fromkeys(("input", "columns", "privacy", "method", *changed))
    desk.save({key: changed[key] for key in in_order if key in changed})
    return to(f"/projects/{project.id}/promise")
