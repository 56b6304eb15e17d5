"""Database servers for tests: on this machine alone, in a directory of their own, ended with the test."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from signal import SIGINT, SIGTERM
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import sqlalchemy
from sqlalchemy.exc import OperationalError

from support.waiting import until

PLACES = os.pathsep.join(["/usr/sbin", *map(str, sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True))])


@contextmanager
def postgresql() -> Iterator[str]:
    """The URL of a new PostgreSQL server."""
    initdb, server = found("initdb"), found("postgres")
    pytest.importorskip("psycopg", reason="the driver of PostgreSQL is not installed")
    with _folder() as folder:
        subprocess.run(
            [initdb, "-D", folder / "data", "-U", "test", "-A", "trust", "-N"], check=True, **_not_root(folder)
        )
        port = _free_port()
        words = [server, "-D", folder / "data", "-p", str(port), "-k", folder, "-h", "127.0.0.1", "-F"]
        yield from _running(words, folder, f"postgresql://test@127.0.0.1:{port}/postgres", "postgresql+psycopg", SIGINT)


@contextmanager
def mariadb() -> Iterator[str]:
    """The URL of a new MariaDB server."""
    install, server = found("mariadb-install-db"), found("mariadbd")
    pytest.importorskip("pymysql", reason="the driver of MariaDB is not installed")
    with _folder() as folder:
        where = [f"--datadir={folder / 'data'}", f"--tmpdir={folder}", "--no-defaults"]
        words = [install, where[2], *where[:2], "--auth-root-authentication-method=normal", "--skip-test-db"]
        subprocess.run(words, check=True, **_not_root(folder))
        port = _free_port()
        more = [f"--socket={folder / 'socket'}", f"--port={port}", "--bind-address=127.0.0.1", "--skip-grant-tables"]
        words = [server, where[2], *where[:2], *more, "--skip-networking=0"]
        yield from _running(words, folder, f"mariadb://root@127.0.0.1:{port}/mysql", "mariadb+pymysql", SIGTERM)


def found(program: str) -> str:
    """Where a program is; without it the test is skipped."""
    path = shutil.which(program) or shutil.which(program, path=PLACES)
    if path is None:
        pytest.skip(f"there is no {program} on this machine")
    return path


@contextmanager
def _folder() -> Iterator[Path]:
    with TemporaryDirectory(prefix="tacit-server-", dir="/tmp") as name:  # a socket's path must be short
        if os.getuid() == 0:
            shutil.chown(name, "nobody")
        yield Path(name)


def _not_root(folder: Path) -> dict[str, Any]:
    """How a server is started: no server runs as root."""
    home = {**os.environ, "HOME": str(folder)}
    as_nobody = {"user": "nobody"} if os.getuid() == 0 else {}
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return {"cwd": folder, "env": home, **quiet, **as_nobody}


def _running(words: list[Any], folder: Path, url: str, driver: str, end: int) -> Iterator[str]:
    server = subprocess.Popen(words, **_not_root(folder))
    engine = sqlalchemy.create_engine(sqlalchemy.make_url(url).set(drivername=driver))
    try:
        until(_answers(engine, server))
        yield url
    finally:
        engine.dispose()
        server.send_signal(end)
        server.wait()


def _answers(engine: sqlalchemy.Engine, server: subprocess.Popen[bytes]) -> Callable[[], bool]:
    def answers() -> bool:
        assert server.poll() is None, "the server ended"
        try:
            engine.connect().close()
        except OperationalError:
            return False
        return True

    return answers


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
