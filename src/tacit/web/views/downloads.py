"""What is taken away: the public part, the private part, the report, and the job as it was run; each on its own."""

from __future__ import annotations

import io
import tomllib
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse

from tacit.languages.reports import in_language
from tacit.web.render import language_of, project_of
from tacit.web.toml import as_text
from tacit.web.views.job import attachment
from tacit.web.work import Work
from tacit.web.workspace import NotFound

_PIECE = 1 << 18
_REPORT_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'"


def _done(request: Request) -> Work:
    work = project_of(request).work(request.path_params["work"])
    if work.kind != "anonymize" or work.state != "done":
        raise NotFound
    return work


async def public(request: Request) -> Response:
    return zipped(_done(request).release / "public", "public.zip")


async def private(request: Request) -> Response:
    folder = _done(request).release / "private"
    file = folder / "report.html"
    told = {file.name: in_language(file.read_text("utf-8"), language_of(request)).encode()} if file.is_file() else {}
    return zipped(folder, "private.zip", told)


def zipped(folder: Path, name: str, told: Mapping[str, bytes] = MappingProxyType({})) -> Response:
    """A folder as an archive, made while it is sent: it is nowhere whole. Files in `told` are as they are there."""
    if not folder.is_dir():
        raise NotFound
    headers = {"content-disposition": f'attachment; filename="{name}"', "content-security-policy": "sandbox"}
    return StreamingResponse(_zip(folder, told), media_type="application/zip", headers=headers)


def _zip(folder: Path, told: Mapping[str, bytes]) -> Iterator[bytes]:
    out = _Pipe()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as archive:
        for file in sorted(each for each in folder.iterdir() if each.is_file()):
            source = io.BytesIO(told[file.name]) if file.name in told else file.open("rb")
            with source as content, archive.open(f"{folder.name}/{file.name}", "w", force_zip64=True) as entry:
                while piece := content.read(_PIECE):
                    entry.write(piece)
                    yield out.taken()
            yield out.taken()
    yield out.taken()


class _Pipe(io.RawIOBase):
    """What was written, to be taken piece by piece."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, piece: object) -> int:
        written = bytes(piece)  # type: ignore[call-overload]
        self._pieces.append(written)
        return len(written)

    def taken(self) -> bytes:
        pieces, self._pieces = self._pieces, []
        return b"".join(pieces)


async def report(request: Request) -> Response:
    """The report as a page of its own, which may do nothing but show itself."""
    file = _done(request).release / "private" / "report.html"
    if not file.is_file():
        raise NotFound
    told = in_language(file.read_text("utf-8"), language_of(request))
    return HTMLResponse(told, headers={"content-security-policy": _REPORT_POLICY})


async def job_as_run(request: Request) -> Response:
    """The job file that was run, with the method and the seed that it was run with: it makes the same again."""
    work = _done(request)
    return attachment(job_text(work), "job.toml", "application/toml")


def job_text(work: Work) -> str:
    asked = tomllib.loads((work.project / work.about["job"]).read_text("utf-8"))
    made = tomllib.loads((work.release / "private" / "job.toml").read_text("utf-8"))
    return as_text(
        {**asked, "method": {**asked.get("method", {}), **{key: made["method"][key] for key in ("name", "seed")}}}
    )
