"""The job file beside every form: written by hand, undone, taken away."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from tacit.web.desk import Desk
from tacit.web.render import STEPS, project_of, render, to
from tacit.web.uploads import form_of
from tacit.web.workspace import Project


async def change(request: Request) -> Response:
    """The whole text, as somebody wrote it; what cannot be read is shown again with what is wrong."""
    project, form = project_of(request), await form_of(request, request.app.state.limits)
    text = form.get("text").replace("\r\n", "\n")
    desk = Desk(project)
    problem = desk.problem_of(text)
    if problem is not None:
        return render(request, "job.html", status=400, project=project, text=text, mistake=problem)
    desk.save_text(text)
    return to(f"/projects/{project.id}/{_step(request)}")


async def undo(request: Request) -> Response:
    project = project_of(request)
    Desk(project).undo()
    return to(_back(request, project))


async def redo(request: Request) -> Response:
    project = project_of(request)
    Desk(project).redo()
    return to(_back(request, project))


async def file(request: Request) -> Response:
    return attachment(Desk(project_of(request)).text, "job.toml", "application/toml")


def attachment(content: str | bytes, name: str, kind: str) -> Response:
    """A file to be saved, under a name of ours; no browser opens it as a page."""
    headers = {"content-disposition": f'attachment; filename="{name}"', "content-security-policy": "sandbox"}
    return Response(content, media_type=kind, headers=headers)


def _back(request: Request, project: Project) -> str:
    """The step that somebody is on, as the browser says; one of ours in any case."""
    parts = urlsplit(request.headers.get("referer", "")).path.split("/")
    if "hierarchies" in parts and parts[-1].isdigit() and len(parts[-1]) < 6:
        return f"/projects/{project.id}/hierarchies/{int(parts[-1])}"
    return f"/projects/{project.id}/{_step(request)}"


def _step(request: Request) -> str:
    parts = urlsplit(request.headers.get("referer", "")).path.split("/")
    return next((step for step, _ in STEPS if step in parts), "roles")
