"""Engines to test on: Sail always; Spark with real executors, and by Spark Connect, where there is Java."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tacit.engines.session import Session, opened
from tacit.job import Engine


@pytest.fixture(scope="session")
def sail() -> Iterator[Session]:
    pytest.importorskip("pysail", reason="Sail is not installed: pip install 'tacit[sail]'")
    with opened(Engine("sail")) as session:
        yield session


@pytest.fixture(scope="session")
def spark_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where Spark keeps what its tasks give to others."""
    return tmp_path_factory.mktemp("spark")


@pytest.fixture(scope="session")
def spark(spark_files: Path) -> Iterator[Session]:
    _require_java()
    os.environ["SPARK_LOCAL_DIRS"] = str(spark_files)
    try:
        with opened(Engine("spark", master="local-cluster[2,1,1024]")) as session:
            yield session
    finally:
        del os.environ["SPARK_LOCAL_DIRS"]


@pytest.fixture(scope="session")
def connect(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """A server of Spark Connect, as a process of its own, which answers nobody but this machine."""
    _require_java()
    import pyspark

    home = Path(pyspark.__file__).parent
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {
        "spark.connect.grpc.binding.address": "127.0.0.1", "spark.connect.grpc.binding.port": port,
        "spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "4",
    }  # fmt: skip
    own = {**os.environ, "SPARK_HOME": str(home), "PYSPARK_PYTHON": sys.executable}
    listed = [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]
    server = subprocess.Popen(
        [home / "bin/spark-submit", "--master", "local[2]", "--class",
         "org.apache.spark.sql.connect.service.SparkConnectServer", *listed, "spark-internal"],
        cwd=tmp_path_factory.mktemp("connect"), env=own, start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        _wait_for(port, server)
        with opened(Engine("spark", remote=f"sc://127.0.0.1:{port}")) as session:
            yield session
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def _require_java() -> None:
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java 17, and there is none on this machine")
    pytest.importorskip("pyspark")


def _wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        with socket.socket() as asked:
            if asked.connect_ex(("127.0.0.1", port)) == 0:
                return
        if server.poll() is not None:
            break
        time.sleep(0.2)
    raise RuntimeError("the server of Spark Connect did not start")
