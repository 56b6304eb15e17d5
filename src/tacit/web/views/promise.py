"""The fourth step: what is promised, in plain words, how it is reached, and what it would cost."""

from __future__ import annotations

import shutil
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from tacit.errors import InputError
from tacit.io.passwords import without_password
from tacit.job import FORMATS
from tacit.methods import METHODS, method_for
from tacit.promises import MODELS, promise
from tacit.web.desk import Desk, Problem
from tacit.web.outcomes import loss_by_value
from tacit.web.parameters import option_fields, parameter_fields, read_value, tried
from tacit.web.render import project_of, render, to
from tacit.web.roles import Tables, fits, fitting, with_model
from tacit.web.uploads import Form, form_of
from tacit.web.views.roles import profile_of
from tacit.web.work import Workers
from tacit.web.workspace import Project

_SAMPLE = 2000
_PATIENCE = "30"


async def show(request: Request) -> Response:
    request.app.state.workers.tend()
    project = project_of(request)
    return _page(request, project, Desk(project).tables)


def _page(request: Request, project: Project, tables: Tables, problem: Problem | None = None) -> Response:
    profile = profile_of(project)
    privacy, method = tables.get("privacy", {}), tables.get("method", {})
    model = privacy.get("model")
    known = model if model in MODELS else None
    name = _method_name(known, method.get("name"))
    return render(
        request,
        "promise.html",
        status=400 if problem else 200,
        project=project,
        step="promise",
        models=MODELS,
        fitting=list(dict.fromkeys([*([known] if known else []), *fitting(tables)])),
        fits_now=fits(tables, known),
        others=[each for each in MODELS if not fits(tables, each) and each != known],
        model=known,
        fields=parameter_fields(known, privacy) if known else [],
        words=_in_words(known, privacy),
        methods={each: METHODS[each] for each in METHODS if known in METHODS[each].makes},
        method=name,
        is_default=method.get("name") is None,
        options=option_fields(name, method) if name else [],
        seed=method.get("seed"),
        formats=FORMATS,
        output=tables.get("output", {}),
        of_texts=tables.get("release", {}).get("language"),
        mistake=problem,
        estimates=_estimates(project, tables),
        records=profile["records"],
        sample=_SAMPLE,
    )


def _method_name(model: str | None, name: str | None) -> str | None:
    if model is None:
        return None
    try:
        return method_for(model, name).name
    except InputError:
        return MODELS[model].default_method


def _in_words(model: str | None, privacy: Tables) -> str:
    """The promise with its parameters, as the report says it."""
    if model is None:
        return ""
    try:
        return promise(model, {key: value for key, value in privacy.items() if key != "model"}).in_words()
    except InputError:
        return MODELS[model].says.replace("`", "")


async def change(request: Request) -> Response:
    """What was chosen; what is wrong is told beside its field, and nothing is changed then."""
    project, form = project_of(request), await form_of(request, request.app.state.limits)
    desk = Desk(project)
    tables = _changed(desk.tables, form)
    problem = desk.problem(tables)
    if problem is not None and (problem.key or "").startswith(("privacy.", "method.", "release.", "output.")):
        return _page(request, project, tables, problem)
    desk.save(tables)
    project.note(replaced=None)
    return to(f"/projects/{project.id}/promise")


def _changed(tables: Tables, form: Form) -> Tables:
    """The job as the form says. Another promise begins with its own parameters, another method with its own options."""
    before = tables.get("privacy", {}).get("model")
    model = form.get("model", before or "")
    if model not in MODELS:
        return tables
    if model != before:
        return with_model(tables, model, tables.get("privacy", {}))
    parameters = {
        field.key: value
        for field in parameter_fields(model, {})
        if (value := _value(form, f"privacy-{field.key}", field.shape)) is not None
    }
    name = form.get("method")
    method: dict[str, Any] = {"name": name} if name in METHODS and model in METHODS[name].makes else {}
    seen = _method_name(model, tables.get("method", {}).get("name"))
    if seen is not None and seen == (method.get("name") or MODELS[model].default_method):
        for field in option_fields(seen, {}):
            value = _value(form, f"method-{field.key}", field.shape)
            if value is not None and value != field.default:
                method[field.key] = value
    if form.get("seed").strip():
        method["seed"] = read_value(form.get("seed"))
    release = {key: value for key, value in tables.get("release", {}).items() if key != "language"}
    if form.get("language"):
        release["language"] = form.get("language")
    rest = {key: value for key, value in tables.items() if key not in ("privacy", "method", "release", "output")}
    return {
        **rest,
        "privacy": {"model": model, **parameters},
        **({"method": method} if method else {}),
        **({"release": release} if release else {}),
        "output": _output(tables.get("output", {}), form),
    }


def _output(before: Tables, form: Form) -> Tables:
    """Where the release goes, as the form says; a password in an address is asked for again when it is run."""
    said = {
        "format": form.get("format"),
        "escape_formulas": bool(form.get("escape_formulas")),
        "database": without_password(form.get("output-database").strip()),
        "table": form.get("output-table").strip(),
    }
    rest = {key: value for key, value in before.items() if key not in said}
    return {**rest, **{key: value for key, value in said.items() if value}}


def _value(form: Form, name: str, shape: str) -> Any:
    text = form.get(name).strip()
    if shape == "flag":
        return True if text == "true" else False if text == "false" else None
    if text == "":
        return None
    return text if shape == "choice" else read_value(text)


async def estimate(request: Request) -> Response:
    """Tries neighbouring values of each parameter on a sample, in processes of their own."""
    project, workers = project_of(request), request.app.state.workers
    desk = Desk(project)
    tables = desk.tables
    if desk.problem(tables) is None:
        start_estimates(project, workers, tables)
    return to(f"/projects/{project.id}/promise")


def start_estimates(project: Project, workers: Workers, tables: Tables) -> None:
    for old in project.works("estimate"):
        workers.cancel(old)
        if old.is_over:
            shutil.rmtree(old.folder, ignore_errors=True)
    records = profile_of(project)["records"]
    share = min(1.0, _SAMPLE / max(records, 1))
    privacy = tables["privacy"]
    for field in parameter_fields(privacy["model"], privacy):
        if field.shape == "number" and isinstance(field.value, int | float):
            vary = f"privacy.{field.key}={','.join(tried(field.key, field.value))}"
            words = [
                "tacit", "compare", "job.toml", "-o", f"estimates-{field.key}", "--vary", vary,
                "--sample", f"{share:.6f}",
                "--timeout", _PATIENCE, "--workers", "1", "--keep-failed", "--no-attack",
                "--progress", "json", "--json",
            ]  # fmt: skip
            workers.submit(project.new_work("estimate", words, key=field.key, promise=dict(privacy)))


def _estimates(project: Project, tables: Tables) -> dict[str, Any]:
    """By parameter: how far its estimate is, and what each value would lose; those of other promises are left out."""
    found: dict[str, Any] = {}
    for work in project.works("estimate"):
        about = work.about
        key = about["key"]
        others = {name: value for name, value in tables.get("privacy", {}).items() if name != key}
        if key not in found and others == {name: value for name, value in about["promise"].items() if name != key}:
            found[key] = {"state": about["state"], "work": work, **loss_by_value(work.printed(), f"privacy.{key}")}
    return found
