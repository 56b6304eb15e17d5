"""Starting the server: what is refused before it starts, and what the first line says."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from support.browser import Server
from support.commands import tacit


def test_without_the_extra_the_command_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tacit.web.serve", None)
    ended = tacit("serve", "--no-browser")
    assert ended.code == 2 and "pip install 'tacit[serve]'" in ended.err


@pytest.mark.parametrize("password", [None, "short"])
def test_another_host_than_loopback_needs_a_password(monkeypatch: pytest.MonkeyPatch, password: str | None) -> None:
    monkeypatch.delenv("TACIT_PASSWORD", raising=False)
    if password is not None:
        monkeypatch.setenv("TACIT_PASSWORD", password)
    ended = tacit("serve", "--host", "0.0.0.0", "--port", "0", "--no-browser")
    assert ended.code == 2 and "needs a password" in ended.err and "this machine alone" in ended.err


def test_a_port_that_is_taken_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = tacit("serve", "--port", port, "--no-browser")
    assert ended.code == 2 and f"port {port}" in ended.err
    assert tacit("serve", "--port", "70000", "--no-browser").code == 2


def test_a_workspace_that_is_none_is_told(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("x")
    ended = tacit("serve", "--workspace", tmp_path, "--port", "0", "--no-browser")
    assert ended.code == 2 and "something else than a workspace" in ended.err


def test_the_first_line_is_the_address_and_the_server_stops_when_asked(tmp_path: Path) -> None:
    server = Server(tmp_path / "workspace")
    assert server.url.startswith("http://127.0.0.1:") and "/?token=" in server.url
    server.stop()
    assert server.process.returncode == 143
    assert not (tmp_path / "workspace" / "scratch").exists()
