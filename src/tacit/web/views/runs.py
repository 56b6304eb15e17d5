"""The fifth step: a run, how far it is, and what came of it."""

from __future__ import annotations

import shutil
from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from tacit.web.desk import Desk
from tacit.web.files import read_json, write_text
from tacit.web.render import language_of, project_of, render, to
from tacit.web.report import doubts, sections
from tacit.web.uploads import form_of
from tacit.web.work import Work, Workers
from tacit.web.workspace import Project, fresh_id

_RISKS = (("before", "Original"), ("risk", "Release"))


async def overview(request: Request) -> Response:
    request.app.state.workers.tend()
    project = project_of(request)
    return _overview(request, project)


def _overview(request: Request, project: Project, status: int = 200) -> Response:
    runs = [{"work": work, "about": work.about, "progress": work.progress()} for work in project.works("anonymize")]
    problem = Desk(project).problem()
    return render(
        request, "run.html", status=status, project=project, step="run", runs=runs, problem=problem,
        output=Desk(project).tables.get("output", {}),
    )  # fmt: skip


async def start(request: Request) -> Response:
    project, form = project_of(request), await form_of(request, request.app.state.limits)
    if Desk(project).problem() is not None:
        return _overview(request, project, 400)
    replaces, password = bool(form.get("replace")), form.get("password")
    work = start_run(project, request.app.state.workers, replaces=replaces, password=password)
    return to(f"/projects/{project.id}/runs/{work.id}")


def start_run(project: Project, workers: Workers, *, replaces: bool = False, password: str = "") -> Work:
    """Runs the job file as it is now, whatever becomes of it afterwards: `tacit anonymize`, nothing else.

    The password is that of a database which the release is written to.
    """
    desk, name = Desk(project), f"run-{fresh_id()}.toml"
    write_text(project.folder / name, desk.text)
    privacy, method = desk.tables.get("privacy", {}), desk.tables.get("method", {})
    work = project.new_work("anonymize", [], job=name, privacy=privacy, method=method)
    words = ["tacit", "anonymize", name, "-o", str(work.release), "--progress", "json", "--json"]
    work.note(words=[*words, "--force"] if replaces else words)
    return workers.submit(work, password=password)


async def show(request: Request) -> Response:
    """A run that is under way, or its result."""
    request.app.state.workers.tend()
    project = project_of(request)
    work = project.work(request.path_params["work"])
    about, (done, stage) = work.about, work.progress()
    common: dict[str, Any] = {"project": project, "step": "run", "work": work, "about": about}
    if about["state"] != "done":
        return render(request, "running.html", **common, done=done, stage=stage, message=work.message())
    return render(request, "result.html", **common, **result_of(work, language_of(request)))


def result_of(work: Work, language: str) -> dict[str, Any]:
    """What a page shows of a release."""
    private = work.release / "private"
    attack = private / "attack.json"
    report = private / "report.html"
    found = read_json(attack) if attack.is_file() else {}
    told = sections(report, language) if report.is_file() else []
    return {
        "audit": read_json(private / "audit.json"),
        "utility": read_json(private / "utility.json"),
        "risks": [(when, found[key]["prosecutor"]) for key, when in _RISKS if (found.get(key) or {}).get("prosecutor")],
        "notes": work.printed().get("notes", []),
        "doubts": doubts(report) if report.is_file() else [],
        "sections": [(Markup(title), Markup(html)) for title, html in told],
        "files": sorted((each.name, each.stat().st_size) for each in (work.release / "public").iterdir()),
    }


async def cancel(request: Request) -> Response:
    project = project_of(request)
    work = project.work(request.path_params["work"])
    request.app.state.workers.cancel(work)
    return to(f"/projects/{project.id}/{_page_of(work)}")


def _page_of(work: Work) -> str:
    return {"anonymize": f"runs/{work.id}", "profile": "data", "estimate": "promise", "compare": "compare"}[work.kind]


async def delete(request: Request) -> Response:
    """A run with its release."""
    project = project_of(request)
    work = project.work(request.path_params["work"])
    if work.is_over:
        if name := work.about.get("job"):
            (project.folder / name).unlink(missing_ok=True)
        shutil.rmtree(work.folder, ignore_errors=True)
    return to(f"/projects/{project.id}/run")
