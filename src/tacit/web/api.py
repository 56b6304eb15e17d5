"""The same as the pages, for programs: JSON, server-sent events, and an OpenAPI document made from one table."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from tacit.errors import InputError
from tacit.web.desk import Desk
from tacit.web.files import read_json
from tacit.web.openapi import document, operation
from tacit.web.render import project_of, workspace_of
from tacit.web.uploads import LOADABLE, drop, file_of, format_of, shown_name
from tacit.web.views.data import look_at
from tacit.web.views.downloads import zipped
from tacit.web.views.runs import start_run
from tacit.web.work import Work, Workers
from tacit.web.workspace import NotFound, Project

_PAUSE = 0.1
_MOST_EVENTS = 1000


def _project(project: Project) -> dict[str, Any]:
    """A project as programs see it; no value of the data is part of it."""
    about, profile = project.about, project.profile
    latest = next(iter(project.works("profile")), None)
    columns = [
        {"name": each["name"], "guess": each["role"], "why": each["why"], "distinct": each["distinct"]}
        for each in (profile or {"columns": []})["columns"]
    ]
    return {
        "id": project.id,
        "title": about["title"],
        "created": about["created"],
        "state": latest.state if latest else "done",
        "message": latest.message() if latest and latest.state == "failed" else None,
        "kind": profile["kind"] if profile else None,
        "rows": profile["rows"] if profile else None,
        "columns": columns,
    }


def _job(project: Project, work: Work) -> dict[str, Any]:
    about, (done, stage) = work.about, work.progress()
    return {
        "id": work.id,
        "project": project.id,
        "state": about["state"],
        "created": about["created"],
        "started": about.get("started"),
        "ended": about.get("ended"),
        "exit_code": about.get("exit_code"),
        "done": 1.0 if about["state"] == "done" else done,
        "stage": stage,
        "message": work.message() or None if about["state"] in ("failed", "cancelled") else None,
    }


def _found(request: Request) -> tuple[Project, Work]:
    """The job of a path, in whichever project it is."""
    workers: Workers = request.app.state.workers
    workers.tend()
    for project in workspace_of(request).projects():
        for work in project.works("anonymize"):
            if work.id == request.path_params["job"]:
                return project, work
    raise NotFound


async def _object(request: Request) -> dict[str, Any]:
    try:
        content = json.loads(await request.body())
    except (ValueError, RecursionError):
        raise InputError("the body is not JSON", hint='Send an object such as {"project": "..."}.') from None
    if not isinstance(content, dict):
        raise InputError("the body is not an object", hint='Send an object such as {"project": "..."}.')
    return content


@operation("List the projects", answers={200: "Projects"})
async def projects(request: Request) -> Response:
    request.app.state.workers.tend()
    return JSONResponse({"projects": [_project(project) for project in workspace_of(request).projects()]})


@operation(
    "Load data: the body is the file",
    takes="application/octet-stream",
    query={
        "name": "what the file is called; its ending tells the format",
        "format": "the format, if the name does not",
    },
    answers={201: "Project", 400: "Error", 413: "Error"},
)
async def new_project(request: Request) -> Response:
    name = shown_name(request.query_params.get("name", ""))
    chosen = request.query_params.get("format", "")
    if chosen and chosen.removesuffix(".gz") not in LOADABLE:
        raise InputError(f"there is no format {chosen!r}", hint=f"Use one of: {', '.join(LOADABLE)}.")
    if not name:
        raise InputError("the name of the file is missing", hint="Say it in the address: /api/projects?name=visits.csv")
    ending = format_of(name, chosen, LOADABLE)
    scratch = workspace_of(request).scratch_file()
    try:
        file = await file_of(request, scratch)
        if not file.stat().st_size:
            raise InputError("the file is empty", hint="Send the data as the body of the request.")
        project = workspace_of(request).new_project(name)
        file.rename(project.folder / f"data.{ending}")
    finally:
        drop(scratch)
    project.note(source=f"data.{ending}", file_name=name)
    look_at(request, project, "auto")
    return JSONResponse(_project(project), 201, headers={"location": f"/api/projects/{project.id}"})


@operation("A project: how far its data are looked at, and what was found", answers={200: "Project", 404: "Error"})
async def one_project(request: Request) -> Response:
    request.app.state.workers.tend()
    return JSONResponse(_project(project_of(request)))


@operation("Delete a project with its data and releases", answers={204: None, 404: "Error"})
async def delete_project(request: Request) -> Response:
    project = project_of(request)
    request.app.state.workers.end(project.works())
    workspace_of(request).delete(project)
    return Response(status_code=204)


@operation("The job file of a project", answers={200: "application/toml", 404: "Error", 409: "Error"})
async def job_file(request: Request) -> Response:
    project = project_of(request)
    if not project.job.is_file():
        return JSONResponse({"error": "the data are not looked at yet"}, 409)
    return Response(Desk(project).text, media_type="application/toml")


@operation(
    "Replace the job file of a project",
    takes="application/toml",
    answers={204: None, 400: "Error", 404: "Error", 409: "Error", 413: "Error"},
)
async def put_job_file(request: Request) -> Response:
    project = project_of(request)
    if not project.job.is_file():
        return JSONResponse({"error": "the data are not looked at yet"}, 409)
    try:
        text = (await request.body()).decode("utf-8")
    except UnicodeDecodeError:
        raise InputError("the job file is not UTF-8 text", hint="Send it as UTF-8.") from None
    problem = Desk(project).problem_of(text)
    if problem is not None:
        return JSONResponse({"error": problem.text, "hint": problem.hint, "key": problem.key}, 400)
    Desk(project).save_text(text)
    return Response(status_code=204)


@operation("List the jobs that were submitted", answers={200: "Jobs"})
async def jobs(request: Request) -> Response:
    request.app.state.workers.tend()
    found = [
        _job(project, work)
        for project in workspace_of(request).projects()
        for work in project.works("anonymize")
    ]  # fmt: skip
    return JSONResponse({"jobs": found})


@operation(
    "Submit a job: the job file of a project is run as it is now, or as `job` says",
    takes="Submission",
    answers={202: "Job", 400: "Error", 404: "Error", 409: "Error", 413: "Error"},
)
async def submit(request: Request) -> Response:
    content = await _object(request)
    unknown = sorted(set(content) - {"project", "job"})
    if unknown or not isinstance(content.get("project"), str) or not isinstance(content.get("job", ""), str):
        raise InputError("the body has `project`, the id of one, and maybe `job`, the text of a job file")
    project = workspace_of(request).project(content["project"])
    if not project.job.is_file():
        return JSONResponse({"error": "the data are not looked at yet"}, 409)
    desk = Desk(project)
    problem = desk.problem_of(content["job"]) if "job" in content else desk.problem()
    if problem is not None:
        return JSONResponse({"error": problem.text, "hint": problem.hint, "key": problem.key}, 400)
    if "job" in content:
        desk.save_text(content["job"])
    work = start_run(project, request.app.state.workers)
    return JSONResponse(_job(project, work), 202, headers={"location": f"/api/jobs/{work.id}"})


@operation("A job: how far it is", answers={200: "Job", 404: "Error"})
async def one_job(request: Request) -> Response:
    return JSONResponse(_job(*_found(request)))


@operation("Stop a job", answers={202: "Job", 404: "Error"})
async def cancel(request: Request) -> Response:
    project, work = _found(request)
    request.app.state.workers.cancel(work)
    return JSONResponse(_job(project, work), 202)


@operation("Follow a job until it ends: server-sent events", answers={200: "text/event-stream", 404: "Error"})
async def events(request: Request) -> Response:
    project, work = _found(request)
    return StreamingResponse(_stream(request.app.state.workers, project, work), media_type="text/event-stream")


async def _stream(workers: Workers, project: Project, work: Work) -> AsyncIterator[str]:
    """What the command tells, one event each; at the end the job itself."""
    told = 0
    while True:
        workers.tend()
        is_over, known = work.is_over, work.events()
        for event in known[told : told + _MOST_EVENTS]:
            yield f"event: {event.get('event', 'message')}\ndata: {json.dumps(event)}\n\n"
        told = min(len(known), told + _MOST_EVENTS)
        if is_over and told == len(known):
            yield f"event: end\ndata: {json.dumps(_job(project, work))}\n\n"
            return
        await asyncio.sleep(_PAUSE)


@operation("What came of a job: audit, measures and notes", answers={200: "Result", 404: "Error", 409: "Error"})
async def result(request: Request) -> Response:
    project, work = _found(request)
    if work.state != "done":
        return JSONResponse({"error": f"the job is {work.state}"}, 409)
    private = work.release / "private"
    found = {name: read_json(private / f"{name}.json") for name in ("audit", "utility")}
    return JSONResponse({"job": _job(project, work), **found, "notes": work.printed().get("notes", [])})


@operation(
    "The part of a release to hand on, as an archive", answers={200: "application/zip", 404: "Error", 409: "Error"}
)
async def public(request: Request) -> Response:
    return _part(request, "public")


@operation("The part of a release for its owner alone", answers={200: "application/zip", 404: "Error", 409: "Error"})
async def private(request: Request) -> Response:
    return _part(request, "private")


def _part(request: Request, name: str) -> Response:
    _, work = _found(request)
    if work.state != "done":
        return JSONResponse({"error": f"the job is {work.state}"}, 409)
    return zipped(work.release / name, f"{name}.zip")


@operation("This document", answers={200: "Document"})
async def openapi(request: Request) -> Response:
    return JSONResponse(document(ROUTES))


ROUTES = [
    Route("/api/openapi.json", openapi),
    Route("/api/projects", projects),
    Route("/api/projects", new_project, methods=["POST"]),
    Route("/api/projects/{project}", one_project),
    Route("/api/projects/{project}", delete_project, methods=["DELETE"]),
    Route("/api/projects/{project}/job", job_file),
    Route("/api/projects/{project}/job", put_job_file, methods=["PUT"]),
    Route("/api/jobs", jobs),
    Route("/api/jobs", submit, methods=["POST"]),
    Route("/api/jobs/{job}", one_job),
    Route("/api/jobs/{job}/cancel", cancel, methods=["POST"]),
    Route("/api/jobs/{job}/events", events),
    Route("/api/jobs/{job}/result", result),
    Route("/api/jobs/{job}/public.zip", public),
    Route("/api/jobs/{job}/private.zip", private),
]
