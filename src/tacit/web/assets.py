"""The files that pages load: all from here, none from elsewhere."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import Response

from tacit.web.workspace import NotFound

_KINDS = {
    "look.css": "text/css; charset=utf-8",
    "page.css": "text/css; charset=utf-8",
    "page.js": "text/javascript; charset=utf-8",
    "htmx.min.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
"""What there is; nothing is looked up by a name that was sent."""


@cache
def content(name: str) -> bytes:
    """A file of ours; `look.css` is what reports look like."""
    if name == "look.css":
        from tacit.report.html import STYLE

        return STYLE.encode()
    return (files("tacit.web") / "static" / name).read_bytes()


@cache
def stamp() -> str:
    """Changes with any of the files: browsers keep them until then."""
    return sha256(b"".join(map(content, _KINDS))).hexdigest()[:12]


async def static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in _KINDS:
        raise NotFound
    headers = {"cache-control": "private, max-age=86400"} if "v" in request.query_params else {}
    return Response(content(name), media_type=_KINDS[name], headers=headers)
