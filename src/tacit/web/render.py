"""From a template to an answer. All text is escaped; nothing of a request says where an answer leads."""

from __future__ import annotations

import re
from datetime import datetime
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from tacit import __version__, languages
from tacit.web import words
from tacit.web.assets import stamp
from tacit.web.desk import Desk
from tacit.web.limits import shown_bytes
from tacit.web.workspace import Project, Workspace

STEPS = (
    ("data", "Data"),
    ("roles", "Roles"),
    ("hierarchies", "Hierarchies"),
    ("promise", "Promise"),
    ("run", "Run and result"),
    ("compare", "Compare"),
)


_BACKTICKS = re.compile("`([^`]+)`")
_CARET = re.compile(r"\^(\w+)")


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("tacit.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "tell": _tell,
        "coded": _coded,
        "raised": _raised,
        "as_in_job": _as_in_job,
        "when": _when,
        "bytes": _bytes,
        "percent": _percent,
        "count": _count,
        "decimal": _decimal,
        "digits": _digits,
        "written": _written,
    }
    return made


def language_of(request: Request) -> str:
    return words.chosen(request.cookies.get(words.COOKIE), request.headers.get("accept-language", ""))


def render(request: Request, template: str, *, status: int = 200, **context: Any) -> Response:
    """A page in the language of whoever asks."""
    language = language_of(request)
    project = context.get("project")
    known = {
        "_": words.translator(language),
        "language": language,
        "languages": words.LANGUAGES,
        "nonce": request.state.nonce,
        "version": __version__,
        "assets": stamp(),
        "is_part": "hx-request" in request.headers,
        "steps": STEPS,
        "step": context.get("step", ""),
        "project": project,
        "desk": Desk(project) if isinstance(project, Project) else None,
        "is_scratch": workspace_of(request).is_scratch,
    }
    text = _environment().get_template(template).render({**known, **context})
    return HTMLResponse(text, status_code=status)


def say(request: Request, text: str, **values: object) -> str:
    return words.translator(language_of(request))(text, **values)


def to(path: str) -> Response:
    """Sends the browser to one of our own pages, after something was done."""
    return RedirectResponse(path, status_code=303)


def workspace_of(request: Request) -> Workspace:
    found: Workspace = request.app.state.workspace
    return found


def project_of(request: Request) -> Project:
    return workspace_of(request).project(request.path_params["project"])


@pass_context
def _tell(context: Context, text: object) -> str:
    """What others than pages said in English, in the language of the page."""
    return languages.teller(context["language"])(str(text))


def _coded(text: object) -> Markup:
    """What stands between backticks in texts that the command line shows, too, as code."""
    return Markup(_BACKTICKS.sub(r"<code>\1</code>", str(escape(text))))


def _raised(text: object) -> Markup:
    """What follows a caret in the name of a promise, as an exponent: k^m."""
    return Markup(_CARET.sub(r"<sup>\1</sup>", str(escape(text))))


def _as_in_job(value: object) -> str:
    """A parameter as the job file has it, not as Python does.

    >>> _as_in_job(False), _as_in_job(3)
    ('false', '3')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)


def _when(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).strftime("%Y-%m-%d %H:%M")


@pass_context
def _percent(context: Context, share: float | None, digits: int = 1) -> str:
    return "–" if share is None else languages.written(f"{100 * share:.{digits}f} %", context["language"])


@pass_context
def _count(context: Context, number: int) -> str:
    return languages.written(f"{number:,}", context["language"])


@pass_context
def _decimal(context: Context, number: float, digits: int) -> str:
    return languages.written(f"{number:,.{digits}f}", context["language"])


@pass_context
def _digits(context: Context, number: float) -> str:
    """A number with as many digits as tell points of a picture apart."""
    return languages.written(f"{number:.4g}", context["language"])


@pass_context
def _written(context: Context, number: str) -> str:
    return languages.written(number, context["language"])


@pass_context
def _bytes(context: Context, size: int) -> str:
    return languages.written(shown_bytes(size), context["language"])
