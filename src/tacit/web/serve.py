"""Starting the server: a port, a secret, a workspace, and the address that is printed once."""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
import webbrowser
from pathlib import Path
from typing import Any

import uvicorn

from tacit.errors import InputError
from tacit.web.app import make_app
from tacit.web.door import Door, is_loopback
from tacit.web.limits import Limits
from tacit.web.workspace import open_workspace

PASSWORD = "TACIT_PASSWORD"
"""The variable of the environment that holds the password for another host than loopback."""


def serve(
    host: str, port: int, workspace: Path | None, *, browser: bool, as_json: bool, quiet: bool, limits: Limits
) -> None:
    """Serves until it is stopped."""
    password = _password(host)
    bound = _bound(host, port)
    port = bound.getsockname()[1]
    names = () if is_loopback(host) else (socket.gethostname().lower(), socket.getfqdn().lower())
    door = Door(port, host, password, names)
    app = make_app(open_workspace(workspace), door, limits)
    address = f"http://{_shown_host(host)}:{port}/?token={door.token}"
    server = _Server(
        uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            lifespan="on",
            server_header=False,
            timeout_keep_alive=30,
            timeout_graceful_shutdown=2,
            limit_concurrency=200,
            h11_max_incomplete_event_size=65536,
        )
    )
    server.when_ready = lambda: _announce(address, host, as_json=as_json, quiet=quiet, browser=browser)
    server.run([bound])


class _Server(uvicorn.Server):
    """Tells when it answers."""

    when_ready: Any = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if not self.should_exit:
            self.when_ready()


def _announce(address: str, host: str, *, as_json: bool, quiet: bool, browser: bool) -> None:
    if as_json:
        print(json.dumps({"url": address}), flush=True)
    else:
        print(address, flush=True)
        if not quiet:
            print("Open this address; it works once. Ctrl-C stops the server.", file=sys.stderr, flush=True)
    if not is_loopback(host) and not quiet:
        print(
            f"tacit: the server listens on {host}: whoever reaches this machine and has the password sees the data, "
            "and all of it goes over the network unencrypted. Put a server with TLS in front of it, or use loopback "
            "and a tunnel (ssh -L).",
            file=sys.stderr,
            flush=True,
        )
    if browser:
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()


def _password(host: str) -> str | None:
    """For another host than loopback: from the environment, or asked for; never from the command line."""
    if is_loopback(host):
        return None
    given = os.environ.pop(PASSWORD, "")
    if not given and sys.stdin is not None and sys.stdin.isatty():
        import getpass

        given = getpass.getpass("Password for the page: ")
    if len(given) < 8:
        raise InputError(
            f"{host} can be reached from other machines, so the page needs a password of at least 8 characters",
            file="--host",
            hint=f"Set {PASSWORD} in the environment, or leave --host out: the page is for this machine alone then.",
        )
    return given


def _bound(host: str, port: int) -> socket.socket:
    """A socket on the address; if its port is taken, an error that says so."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        made = socket.socket(family, socket.SOCK_STREAM)
        if os.name == "posix":
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise InputError(
            f"cannot listen on {host}, port {port}: {why}", file="--port", hint="Choose another one, or 0 for any."
        ) from None
    return made


def _shown_host(host: str) -> str:
    if host in ("0.0.0.0", "::"):
        return socket.gethostname()
    return f"[{host}]" if ":" in host else host
