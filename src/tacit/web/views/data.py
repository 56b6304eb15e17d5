"""The first step: what there is, and loading data from a file or a sample."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from tacit.errors import InputError
from tacit.job import FORMATS, PACKABLE
from tacit.web import words
from tacit.web.desk import Desk
from tacit.web.files import FIRST_JOB, write_text
from tacit.web.limits import Limits
from tacit.web.render import language_of, project_of, render, say, to, workspace_of
from tacit.web.roles import MASKED, role_of
from tacit.web.sources import keep_joins, known_joins, left_out
from tacit.web.toml import as_text
from tacit.web.uploads import LOADABLE, Form, drop, form_of, format_of
from tacit.web.work import Work
from tacit.web.workspace import Project

KINDS = ("auto", "records", "baskets", "slices", "ratings")
SAMPLES = ("records", "baskets", "slices", "ratings", "hospital")


async def home(request: Request) -> Response:
    return home_page(request)


def home_page(
    request: Request,
    problem: str = "",
    where: str = "",
    status: int = 200,
    *,
    url: str = "",
    tables: list[str] | None = None,
) -> Response:
    listed = [_listed(project) for project in workspace_of(request).projects()]
    limits: Limits = request.app.state.limits
    return render(
        request, "home.html", status=status, projects=listed, formats=LOADABLE, samples=SAMPLES, problem=problem,
        where=where, most=limits.upload, url=url, tables=tables, packable=PACKABLE,
    )  # fmt: skip


def _listed(project: Project) -> dict[str, Any]:
    """A project with the state of its data and of its releases."""
    return {"project": project, "about": project.about, "profile": project.profile, "runs": project.works("anonymize")}


async def upload(request: Request) -> Response:
    """A file that was dropped on the page, or chosen."""
    workspace, limits = workspace_of(request), request.app.state.limits
    scratch = workspace.scratch_file()
    try:
        form = await form_of(request, limits, scratch)
        project = new_project_from(request, form)
    except InputError as error:
        return home_page(request, str(error), "file", 400)
    finally:
        drop(scratch)
    return to(f"/projects/{project.id}")


def new_project_from(request: Request, form: Form) -> Project:
    """A project for a file that was sent; what is in it is looked at in a process of its own."""
    if form.file is None or not form.file_name or not form.file.stat().st_size:
        raise InputError("no file was sent, or an empty one", hint="Choose a file with data.")
    ending = format_of(form.file_name, form.get("format"), LOADABLE)
    project = workspace_of(request).new_project(form.get("title") or form.file_name)
    form.file.rename(project.folder / f"data.{ending}")
    project.note(source=f"data.{ending}", file_name=form.file_name)
    look_at(request, project, "auto")
    return project


async def sample(request: Request) -> Response:
    """A sample that ships with the package, with its own job."""
    form = await form_of(request, request.app.state.limits)
    name = form.get("name")
    if name not in SAMPLES:
        raise InputError("there is no such sample", hint=f"Choose one of: {', '.join(SAMPLES)}.")
    inside = files("tacit") / "samples" / name
    tables = tomllib.loads((inside / "job.toml").read_text("utf-8"))
    source = str(tables["input"]["source"])
    project = workspace_of(request).new_project(say(request, f"sample-{name}"))
    own = f"data.{source.rpartition('.')[2]}"
    (project.folder / own).write_bytes((inside / source).read_bytes())
    for column in tables.get("columns", {}).values():
        if hierarchy := column.get("hierarchy"):
            (project.folder / f"given-{hierarchy}").write_bytes((inside / hierarchy).read_bytes())
            column["hierarchy"] = f"given-{hierarchy}"
    joins = tables["input"].get("join", [])
    for join in joins:
        (project.folder / f"join-{join['source']}").write_bytes((inside / join["source"]).read_bytes())
        join["source"] = f"join-{join['source']}"
    keep_joins(project.folder, joins)
    tables["input"]["source"] = own
    write_text(project.folder / FIRST_JOB, as_text(tables))
    project.note(source=own, file_name=source)
    look_at(request, project, "auto")
    return to(f"/projects/{project.id}")


def look_at(request: Request, project: Project, kind: str, said: bytes = b"") -> Work:
    """Has the data looked at anew, as data of this kind."""
    limits, workers = request.app.state.limits, request.app.state.workers
    if "language" not in project.about:  # whoever loads data reads the report
        project.note(language=language_of(request))
    words = ["tacit.web.profile", str(project.folder), kind, str(limits.unpacked)]
    before = list(project.works("profile"))
    work: Work = workers.submit(project.new_work("profile", words), said)
    for old in before:  # not sooner: with the last look at them, data that nobody knows yet would go
        workers.cancel(old)
    return work


async def show(request: Request) -> Response:
    """The data of a project: how far it is looked at, or what was found."""
    project, workers = project_of(request), request.app.state.workers
    workers.tend()
    latest = next(iter(project.works("profile")), None)
    failed = latest is not None and latest.state in ("failed", "cancelled") and project.profile is not None
    if latest is not None and latest.state != "done" and not failed:
        done, stage = latest.progress()
        formats = FORMATS if "database" not in project.about else ()
        return render(
            request, "loading.html", project=project, work=latest, done=done, stage=stage, step="data", formats=formats
        )
    return page_of(request, project, latest.message() if latest is not None and failed else "")


def page_of(request: Request, project: Project, problem: str = "", *, mistake: str = "", status: int = 200) -> Response:
    """What was found in the data; `mistake` is about the form that joins a table."""
    return render(
        request, "data.html", status=status, project=project, step="data", profile=project.profile, kinds=KINDS,
        masked=_masked(project), problem=problem, mistake=mistake, joins=known_joins(project.folder),
        database=project.about.get("database"), left_out=left_out(project.folder),
    )  # fmt: skip


def _masked(project: Project) -> list[bool]:
    columns = Desk(project).tables.get("columns", {})
    profile = project.profile or {"columns": []}
    return [role_of(columns, each["name"]) in MASKED for each in profile["columns"]]


async def kind(request: Request) -> Response:
    """The data are of another kind than was guessed: they are looked at anew."""
    project, form = project_of(request), await form_of(request, request.app.state.limits)
    if form.get("kind") in KINDS:
        look_at(request, project, form.get("kind"))
    return to(f"/projects/{project.id}/data")


async def read_as(request: Request) -> Response:
    """A file that could not be read is read as one of another format, and need not be sent again."""
    project, form = project_of(request), await form_of(request, request.app.state.limits)
    about, chosen = project.about, form.get("format")
    if (
        project.profile is None
        and "database" not in about
        and chosen in FORMATS
        and project.works("profile")[0].is_over
    ):
        packed = ".gz" if about["source"].endswith(".gz") and chosen in PACKABLE else ""
        source = f"data.{chosen}{packed}"
        (project.folder / about["source"]).rename(project.folder / source)
        project.note(source=source)
        look_at(request, project, "auto")
    return to(f"/projects/{project.id}/data")


async def rename(request: Request) -> Response:
    project, form = project_of(request), await form_of(request, request.app.state.limits)
    if form.get("title").strip():
        project.note(title=form.get("title").strip()[:120])
    return to(f"/projects/{project.id}/data")


async def delete(request: Request) -> Response:
    """The project with all its files and releases."""
    project, workers = project_of(request), request.app.state.workers
    workers.end(project.works())
    workspace_of(request).delete(project)
    return to("/")


async def language(request: Request) -> Response:
    form = await form_of(request, request.app.state.limits)
    answer = to("/")
    back = _own_path(request)
    if back is not None:
        answer = to(back)
    if form.get("language") in words.LANGUAGES:
        answer.set_cookie(words.COOKIE, form.get("language"), httponly=True, samesite="strict", max_age=31_536_000)
    return answer


def _own_path(request: Request) -> str | None:
    """The page that somebody is on, by its own project and step: rebuilt from what we know, not taken from outside."""
    parts = urlsplit(request.headers.get("referer", "")).path.split("/")
    if len(parts) >= 3 and parts[1] == "projects":
        found = [project.id for project in workspace_of(request).projects() if project.id == parts[2]]
        step = next(
            (step for step in ("data", "roles", "hierarchies", "promise", "run", "compare") if step in parts), "data"
        )
        return f"/projects/{found[0]}/{step}" if found else None
    return None
