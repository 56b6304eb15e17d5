"""The one thing in front of every page, file and stream: whatever it does not let through is refused.

It checks whom a request calls (`Host`), where a request that changes something comes from, and who sends it; it bounds
what is sent, and adds what browsers are to be told to every answer.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import sys
from collections.abc import Awaitable, Callable, MutableMapping
from html import escape
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

from starlette.datastructures import Headers, MutableHeaders

from tacit.process.faults import paragraph
from tacit.web.door import Door
from tacit.web.limits import Limits, TooMuch

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

SAFE = ("GET", "HEAD")
STATIC = "/static/"
_LONGEST_LOGIN = 4096
_POLICY = (
    "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'self' 'nonce-{nonce}'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:36rem;margin:4rem auto;padding:0 1rem;"
    "color:#1c2430;background:#fff}input,button{font:inherit;padding:.5rem .8rem}"
    "@media(prefers-color-scheme:dark){body{color:#e6e9ee;background:#14181e}}"
)


class Gate:
    """Lets the owner through to the application, and nobody else."""

    def __init__(self, app: App, door: Door, limits: Limits | None = None) -> None:
        self.app, self.door, self.limits = app, door, limits or Limits()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] == "http":
            nonce = secrets.token_urlsafe(16)
            scope.setdefault("state", {})["nonce"] = nonce
            await self._answer(scope, receive, _with_headers(send, nonce, scope["path"]), nonce)
        else:  # nothing here speaks anything else
            await receive()
            await send({"type": "websocket.close", "code": 1008})

    async def _answer(self, scope: Scope, receive: Receive, send: Send, nonce: str) -> None:
        headers, method, path = Headers(scope=scope), scope["method"], scope["path"]
        refuse = _Refusal(send, nonce, wants_json=path.startswith("/api/"))
        if len(headers.getlist("host")) != 1 or not self.door.is_ours(headers["host"]):
            return await refuse(
                421, "This server answers by the address that it printed when it started, and no other."
            )
        if method not in SAFE and not _is_same_origin(headers):
            return await refuse(403, "This request came from another site, so it was refused.")
        tokens = parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
        if path == "/" and tokens and method in SAFE:
            return await self._exchange(tokens[0], headers, method, refuse)
        if self.door.knows(_cookie(headers, self.door.cookie)):
            return await self._guarded(scope, receive, send, refuse)
        if path == "/login" and self.door.password is not None:
            return await self._login(method, headers, receive, refuse)
        if self.door.password is not None and method == "GET" and not refuse.wants_json:
            return await refuse(303, "", {"location": "/login"})
        return await refuse(
            403,
            "This page belongs to whoever started the server. Open the whole address that `tacit serve` printed; "
            "it works once. If it was used already, and not by you, stop the server and start it anew.",
        )

    async def _exchange(self, token: str, headers: Headers, method: str, refuse: _Refusal) -> None:
        """The secret of the start for a cookie. A look ahead, or a request for headers alone, does not spend it."""
        if method == "HEAD":
            return await refuse(200, "")
        if any(word in headers.get(name, "") for name in _AHEAD for word in ("prefetch", "prerender", "preview")):
            return await refuse(204, "")
        cookie = {"set-cookie": self.door.cookie_header()}
        if self.door.spend(token):
            if headers.get("sec-fetch-site") in ("cross-site", "same-site"):  # a redirect would not carry the cookie
                return await refuse(
                    200, "", cookie, '<meta http-equiv="refresh" content="0;url=/"><a href="/">tacit</a>'
                )
            return await refuse(303, "", {**cookie, "location": "/"})
        if self.door.knows(_cookie(headers, self.door.cookie)):
            return await refuse(303, "", {"location": "/"})
        return await refuse(
            403, "This address was used already: it works once. Stop the server and start it anew for another one."
        )

    async def _login(self, method: str, headers: Headers, receive: Receive, refuse: _Refusal) -> None:
        form = (
            '<form method="post" action="/login"><p><label>Password <input type="password" name="password" '
            'autocomplete="current-password" required></label> <button>Open</button></p></form>'
        )
        if method in SAFE:
            return await refuse(200, "", None, form)
        try:
            body = b"".join([part async for part in self.limits.bounded(receive, headers, _LONGEST_LOGIN)])
        except TooMuch as error:
            return await refuse(error.status, str(error))
        given = dict(parse_qsl(body.decode("utf-8", errors="replace"))).get("password", "")
        admitted = self.door.admits(given)
        if admitted:
            return await refuse(303, "", {"set-cookie": self.door.cookie_header(), "location": "/"})
        if admitted is None:
            return await refuse(429, "There were too many wrong passwords. Wait a minute.", {"retry-after": "60"})
        await asyncio.sleep(0.5)
        return await refuse(403, "That is not the password.", None, form)

    async def _guarded(self, scope: Scope, receive: Receive, send: Send, refuse: _Refusal) -> None:
        """The application, with a body that has bounds. What goes wrong is told without a value of the data."""
        started = False

        async def watched(message: MutableMapping[str, Any]) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            bounded = self.limits.receiver(receive, Headers(scope=scope), scope["path"])
            await self.app(scope, bounded, watched)
        except TooMuch as error:
            if not started:
                await refuse(error.status, str(error))
        except Exception as error:  # noqa: BLE001, what is not expected is our fault, and told so
            print(f"tacit: {paragraph(error)}", file=sys.stderr, flush=True)
            if not started:
                await refuse(500, paragraph(error))


_AHEAD = ("sec-purpose", "purpose", "x-purpose", "x-moz")


class _Refusal:
    """An answer of the gate's own: a small page, or an object of JSON for programs."""

    def __init__(self, send: Send, nonce: str, *, wants_json: bool) -> None:
        self.send, self.nonce, self.wants_json = send, nonce, wants_json

    async def __call__(self, status: int, text: str, more: dict[str, str] | None = None, html: str = "") -> None:
        if self.wants_json:
            body, kind = json.dumps({"error": text}).encode(), "application/json"
        else:
            inside = html + (f"<p>{escape(text)}</p>" if text else "")
            body, kind = _small_page(inside, self.nonce).encode() if inside else b"", "text/html; charset=utf-8"
        headers = {"content-type": kind, "content-length": str(len(body)), "connection": "close", **(more or {})}
        if status == 204:
            headers, body = {}, b""
        raw = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
        await self.send({"type": "http.response.start", "status": status, "headers": raw})
        await self.send({"type": "http.response.body", "body": body})


def _small_page(inside: str, nonce: str) -> str:
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>tacit</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style nonce="{nonce}">{_STYLE}</style>'
        f"</head><body><main><h1>tacit</h1>{inside}</main></body></html>"
    )


def _is_same_origin(headers: Headers) -> bool:
    """Whether a browser says that a page of ours asked for this, or that somebody at its keyboard did.

    What sends neither header is no browser: it has no cookie unless its owner gave it one.
    """
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is not None:
        return site in ("same-origin", "none")
    return origin is None or (origin != "null" and urlsplit(origin).netloc.lower() == headers["host"].lower())


def _cookie(headers: Headers, name: str) -> str | None:
    """The value of a cookie that is there once; what other servers of this machine left in the browser is skipped."""
    pairs = (pair.strip().partition("=") for line in headers.getlist("cookie") for pair in line.split(";"))
    found = [value for key, _, value in pairs if key == name]
    return found[0] if len(found) == 1 else None


def _with_headers(send: Send, nonce: str, path: str) -> Send:
    """What every answer tells the browser; a page may be stricter on its own account, never laxer by accident."""

    async def told(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(raw=list(message["headers"]))
            headers.setdefault("content-security-policy", _POLICY.format(nonce=nonce))
            headers.setdefault("cache-control", "no-store")
            headers["x-content-type-options"] = "nosniff"
            headers["x-frame-options"] = "DENY"
            headers["referrer-policy"] = "same-origin"
            headers["cross-origin-opener-policy"] = "same-origin"
            headers["cross-origin-resource-policy"] = "same-origin"
            headers["permissions-policy"] = "camera=(), geolocation=(), microphone=()"
            message = {**message, "headers": headers.raw}
        await send(message)

    return told
