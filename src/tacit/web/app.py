"""The application: which path leads to which page, and what becomes of errors. The gate stands in front of it."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tacit.errors import TacitError
from tacit.process.faults import paragraph
from tacit.web import api, assets
from tacit.web.door import Door
from tacit.web.gate import Gate
from tacit.web.limits import Limits, TooMuch
from tacit.web.render import render
from tacit.web.views import columns, compare, data, downloads, hierarchies, job, promise, roles, runs, sources
from tacit.web.work import Workers, mark_abandoned
from tacit.web.workspace import NotFound, Workspace

_PAUSE = 0.1
"""Seconds between two looks at the processes."""
_P, _R = "/projects/{project}", "/projects/{project}/runs/{work}"

ROUTES = [
    Route("/static/{name}", assets.static),
    Route("/", data.home),
    Route("/language", data.language, methods=["POST"]),
    Route("/projects", data.upload, methods=["POST"]),
    Route("/databases", sources.database, methods=["POST"]),
    Route("/samples", data.sample, methods=["POST"]),
    Route(_P, data.show),
    Route(f"{_P}/data", data.show),
    Route(f"{_P}/rename", data.rename, methods=["POST"]),
    Route(f"{_P}/delete", data.delete, methods=["POST"]),
    Route(f"{_P}/kind", data.kind, methods=["POST"]),
    Route(f"{_P}/format", data.read_as, methods=["POST"]),
    Route(f"{_P}/read-again", sources.read_again, methods=["POST"]),
    Route(f"{_P}/joins", sources.join, methods=["POST"]),
    Route(f"{_P}/joins/remove", sources.remove_join, methods=["POST"]),
    Route(f"{_P}/roles", roles.show),
    Route(f"{_P}/roles", roles.change, methods=["POST"]),
    Route(f"{_P}/columns/{{column:int}}", columns.show),
    Route(f"{_P}/columns/{{column:int}}", columns.change, methods=["POST"]),
    Route(f"{_P}/hierarchies", hierarchies.overview),
    Route(f"{_P}/hierarchies/{{column:int}}", hierarchies.show),
    Route(f"{_P}/hierarchies/{{column:int}}", hierarchies.change, methods=["POST"]),
    Route(f"{_P}/hierarchies/{{column:int}}/build", hierarchies.build, methods=["POST"]),
    Route(f"{_P}/hierarchies/{{column:int}}/load", hierarchies.load, methods=["POST"]),
    Route(f"{_P}/hierarchies/{{column:int}}/remove", hierarchies.remove, methods=["POST"]),
    Route(f"{_P}/hierarchies/{{column:int}}/file", hierarchies.file),
    Route(f"{_P}/promise", promise.show),
    Route(f"{_P}/promise", promise.change, methods=["POST"]),
    Route(f"{_P}/promise/estimate", promise.estimate, methods=["POST"]),
    Route(f"{_P}/job", job.change, methods=["POST"]),
    Route(f"{_P}/job.toml", job.file),
    Route(f"{_P}/undo", job.undo, methods=["POST"]),
    Route(f"{_P}/redo", job.redo, methods=["POST"]),
    Route(f"{_P}/run", runs.overview),
    Route(f"{_P}/run", runs.start, methods=["POST"]),
    Route(_R, runs.show),
    Route(f"{_R}/cancel", runs.cancel, methods=["POST"]),
    Route(f"{_R}/delete", runs.delete, methods=["POST"]),
    Route(f"{_R}/report", downloads.report),
    Route(f"{_R}/public.zip", downloads.public),
    Route(f"{_R}/private.zip", downloads.private),
    Route(f"{_R}/job.toml", downloads.job_as_run),
    Route(f"{_P}/compare", compare.show),
    Route(f"{_P}/compare", compare.start, methods=["POST"]),
    Route(f"{_P}/compare/take", compare.take, methods=["POST"]),
    *api.ROUTES,
]


def make_app(workspace: Workspace, door: Door, limits: Limits | None = None) -> Gate:
    """The application behind its gate."""
    limits = limits or Limits()
    app = Starlette(
        routes=ROUTES,
        lifespan=_tended,
        exception_handlers={
            HTTPException: _refused,  # type: ignore[dict-item]
            NotFound: _not_found,
            TacitError: _mistake,  # type: ignore[dict-item]
            TooMuch: _too_much,  # type: ignore[dict-item]
            Exception: _fault,
        },
    )
    app.router.redirect_slashes = False  # an address leads where it says, or nowhere
    app.state.workspace, app.state.limits, app.state.workers = workspace, limits, Workers()
    for project in workspace.projects():
        for work in project.works():
            mark_abandoned(work)
    return Gate(app, door, limits)


@asynccontextmanager
async def _tended(app: Starlette) -> AsyncIterator[None]:
    """Looks after the processes for as long as the server lives, and ends them with it."""
    workers: Workers = app.state.workers

    async def tend() -> None:
        while True:
            workers.tend()
            await asyncio.sleep(_PAUSE)

    task = asyncio.create_task(tend())
    threading.Thread(target=_warm, daemon=True).start()
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        workers.cancel_all()
        app.state.workspace.close()


def _warm() -> None:
    """Loads, beside the first page, what later ones need."""
    time.sleep(_PAUSE)
    for name in ("tacit.compare.table", "tacit.web.trees"):
        import_module(name)


def _answer(request: Request, status: int, text: str, **more: Any) -> Response:
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": text, **more}, status)
    return render(request, "error.html", status=status, text=text)


async def _refused(request: Request, error: HTTPException) -> Response:
    made = _answer(request, error.status_code, error.detail)
    made.headers.update(error.headers or {})
    return made


async def _not_found(request: Request, error: Exception) -> Response:
    return _answer(request, 404, "There is no such page, or it was deleted.")


async def _mistake(request: Request, error: TacitError) -> Response:
    return _answer(request, 400, error.in_full or str(error))


async def _fault(request: Request, error: Exception) -> Response:
    """A page; the gate, which the error reaches as well, tells it to whoever started the server."""
    return _answer(request, 500, paragraph(error))


async def _too_much(request: Request, error: TooMuch) -> Response:
    return _answer(request, error.status, str(error))
