"""Schemathesis sends to the API what its document allows, and what it does not; answers are as the document says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

schemathesis = pytest.importorskip("schemathesis")

from hypothesis import HealthCheck, given, settings  # noqa: E402
from hypothesis.errors import Unsatisfiable  # noqa: E402
from schemathesis.checks import CHECKS  # noqa: E402

from support.web import PORT  # noqa: E402
from tacit.web.api import ROUTES  # noqa: E402
from tacit.web.app import make_app  # noqa: E402
from tacit.web.door import Door  # noqa: E402
from tacit.web.work import Work, Workers  # noqa: E402
from tacit.web.workspace import open_workspace  # noqa: E402

pytestmark = pytest.mark.slow
_NOT_OURS = ("positive_data_acceptance",)
"""Not every text that is no job file can be told from one by a schema."""


@schemathesis.serializer("application/toml")
def toml(context: Any, value: Any) -> Any:
    return str(value).encode("utf-8", errors="surrogatepass")


class _Owned:
    """The application as its owner calls it."""

    def __init__(self, app: Any, cookie: str) -> None:
        self.app, self.headers = app, [(b"host", f"127.0.0.1:{PORT}".encode()), (b"cookie", cookie.encode())]

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            others = [pair for pair in scope["headers"] if pair[0] not in (b"host", b"cookie", b"origin")]
            scope = {**scope, "headers": [*others, *self.headers]}
        await self.app(scope, receive, send)


@pytest.fixture
def document(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The document of a server that starts no process: what is submitted waits."""

    def waits(self: Workers, work: Work, said: bytes = b"") -> Work:
        return work

    monkeypatch.setattr(Workers, "submit", waits)
    workspace = open_workspace(tmp_path_factory.mktemp("schema") / "workspace")
    door = Door(PORT)
    app = make_app(workspace, door)
    yield schemathesis.openapi.from_asgi("/api/openapi.json", _Owned(app, door.cookie_header().split(";")[0]))
    workspace.close()


@pytest.mark.parametrize("path", list(dict.fromkeys(route.path for route in ROUTES)))
def test_answers_are_as_the_document_says(document: Any, path: str) -> None:
    excluded = [check for check in CHECKS.get_all() if check.__name__ in _NOT_OURS]
    methods = sorted(document[path])
    for method in methods:
        for mode in schemathesis.GenerationMode:

            @given(case=document[path][method].as_strategy(generation_mode=mode))
            @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
            def check(case: Any) -> None:
                case.call_and_validate(excluded_checks=excluded)

            try:
                check()
            except Unsatisfiable:  # whatever is sent there is allowed
                assert mode == schemathesis.GenerationMode.NEGATIVE
    assert methods
