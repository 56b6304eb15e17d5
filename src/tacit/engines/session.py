"""Opening an engine: Sail inside this process, or Spark by its address; refused, with the reason, before any work."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from tacit.engines.starting import held_back
from tacit.errors import InputError
from tacit.io.passwords import without_password
from tacit.job.model import Engine

OLDEST_SPARK = (4, 0)
OLDEST_JAVA = 17
_ALL_CORES = "local[*]"
_MASTERS = ("local", "spark://", "yarn", "k8s://")
_KNOWN_MASTERS = "local[2] and the like, spark://host:7077, yarn, k8s://..."
_LOOPBACK = "127.0.0.1"
_PATIENCE = 20.0
"""Seconds in which a server must take a connection, and then greet as one of Spark Connect does."""
IDLE = "SAIL_SPARK__SESSION_TIMEOUT_SECS"
"""After how many seconds Sail forgets a session that asks for nothing: 900, unless told. A search may take longer."""
_A_WEEK = "604800"
ROWS_AT_ONCE = "tacit.rows.at.once"
"""The setting of a session that says how many rows it may deal out or sort at a time; unset: it spills them to disk."""
_OF_SAIL = {ROWS_AT_ONCE: "16000000"}
_SETTINGS = {
    "spark.sql.execution.arrow.maxRecordsPerBatch": "65536",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
}
_OF_A_MASTER = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.executorEnv.PYTHONHASHSEED": "0",
}
_OF_ONE_MACHINE = {"spark.sql.shuffle.partitions": "8"}
"""A cluster has its own, or Spark's 200: with 8, no more than 8 cores of it would work after rows are dealt out."""


@dataclass(frozen=True)
class Session:
    """An engine that is open."""

    name: str
    spark: Any
    """A `SparkSession`, be it of Spark Connect or not."""


@contextmanager
def opened(engine: Engine) -> Iterator[Session]:
    """The engine that a job names, for as long as the block lasts; its executors have this very tacit."""
    _require(engine.name)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="pyspark")  # of pandas versions, which nothing here depends on
        with _sail() if engine.name == "sail" and engine.remote is None else _spark(engine) as spark, _explained():
            yield Session(engine.name, spark)


@contextmanager
def _explained() -> Iterator[None]:
    """What an engine refuses is told by its kind: its own words may quote rows. A fault of our functions is one."""
    try:
        yield
    except Exception as error:
        kind = type(error)
        if not kind.__module__.startswith(("pyspark", "py4j", "grpc")) or kind.__name__ == "PythonException":
            raise
        name = getattr(error, "getCondition", lambda: None)() or kind.__name__
        raise InputError(
            f"the engine could not do its work: {name}",
            hint="Its log says more. Files that are damaged or of several schemas, and machines that are lost or full, "
            "are what it is most often. Nothing was published.",
        ) from error


def session_of(frame: Any) -> Session:
    """The engine that a Spark DataFrame lives on."""
    session = Session("spark", frame.sparkSession)
    _check_executors(session)
    return session


def is_spark_frame(frame: Any) -> bool:
    """Whether this is a DataFrame of Spark, told without loading Spark."""
    return type(frame).__module__.startswith("pyspark.sql.") and hasattr(frame, "mapInArrow")


def _require(name: str) -> None:
    needed = ("pyspark", "grpc", "pandas") + (("pysail",) if name == "sail" else ())
    for package in needed:
        try:
            __import__(package)
        except ImportError:
            raise InputError(
                f"the engine {name!r} needs the package {package!r}, which is not installed",
                hint=f"Install it with: pip install 'tacit[{name}]'",
            ) from None


@contextmanager
def _sail() -> Iterator[Any]:
    """A server of Sail in this process, which answers nobody but this machine."""
    os.environ.setdefault("RUST_LOG", "error")
    os.environ.setdefault(IDLE, _A_WEEK)
    from pysail.spark import SparkConnectServer
    from pyspark.sql import SparkSession

    server = SparkConnectServer(_LOOPBACK, 0)
    server.start(background=True)
    try:
        spark = SparkSession.builder.remote(f"sc://{_LOOPBACK}:{server.listening_address[1]}").create()
        for key, value in _OF_SAIL.items():
            spark.conf.set(key, value)
        try:
            _check(spark, Engine("sail"))
            yield spark
        finally:
            _stop(spark)
    finally:
        server.stop()


@contextmanager
def _spark(engine: Engine) -> Iterator[Any]:
    from pyspark.sql import SparkSession

    if engine.remote is not None:
        _require_server(engine.remote)
        try:
            spark = SparkSession.builder.remote(engine.remote).create()
            spark.range(1).count()
        except Exception as error:  # noqa: BLE001 - of many kinds, by what the network does
            raise InputError(
                f"no Spark Connect server answers at {without_password(engine.remote)}: {_first_line(error)}",
                hint="Check engine.remote, and that the server runs.",
            ) from None
        for key, value in {**_SETTINGS, **(_OF_SAIL if engine.name == "sail" else {})}.items():
            with suppress(Exception):
                spark.conf.set(key, value)
        _check(spark, engine)
    else:
        _require_java()
        _require_master(engine.master or _ALL_CORES)
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        master = engine.master or _ALL_CORES
        builder = SparkSession.builder.master(master).appName("tacit")
        for key, value in settings_for(master).items():
            builder = builder.config(key, value)
        with held_back() as complaints:
            try:
                spark = builder.getOrCreate()
            except Exception as error:  # noqa: BLE001 - of many kinds, from both sides of the bridge
                raise InputError(
                    f"Spark did not start: {complaints.reason(error)}",
                    hint="Check engine.master, and that Java is version 17 or newer.",
                ) from None
            _check(spark, engine)
    try:
        yield spark
    finally:
        _stop(spark)


def settings_for(master: str) -> dict[str, str]:
    """What Spark is started with."""
    return {**_OF_A_MASTER, **_SETTINGS, **(_OF_ONE_MACHINE if master.startswith("local") else {})}


def _stop(spark: Any) -> None:
    with suppress(Exception):
        spark.stop()


def _check(spark: Any, engine: Engine) -> None:
    """Refuses, and stops, an engine that cannot do the work."""
    try:
        _check_version(spark, engine)
        _check_executors(Session(engine.name, spark))
    except InputError:
        _stop(spark)
        raise


def _require_java() -> None:
    """Refuses a machine without the Java that Spark would start, whose own complaint has no word of Java."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=str(Path(home) / "bin")) if home else shutil.which("java")
    hint = (
        "Install it (Debian: openjdk-17-jre-headless), name a server by engine.remote, or use --engine sail, which "
        "needs no Java."
    )
    if java is None:
        problem = "JAVA_HOME names a folder that has none" if home else "there is none"
        raise InputError(f"Spark needs Java {OLDEST_JAVA} or newer on this machine, and {problem}", hint=hint)
    said = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    told = re.search(r'version "(?:1\.)?(\d+)', said)  # 1.8 is what is called Java 8
    if told is not None and int(told[1]) < OLDEST_JAVA:
        raise InputError(f"Spark needs Java {OLDEST_JAVA} or newer on this machine, and this is {told[1]}", hint=hint)


def _require_server(remote: str) -> None:
    """Refuses an address where nobody listens, or what listens is silent: Spark's client would wait, then for ever."""
    problem = _nobody_at(remote.removeprefix("sc://").partition("/")[0], "15002") or _silent_at(remote)
    if problem is not None:
        raise InputError(
            f"no Spark Connect server answers at {without_password(remote)}: {problem}",
            hint="Check engine.remote, and that the server runs.",
        )


def _silent_at(remote: str) -> str | None:
    """Why there is no speaking with what takes connections at an address; None if it greets as it should."""
    import grpc  # type: ignore[import-untyped]
    from pyspark.sql.connect.client import DefaultChannelBuilder

    try:
        channel = DefaultChannelBuilder(remote).toChannel()
    except Exception as error:  # noqa: BLE001 - an address that Spark cannot read
        return _first_line(error)
    try:
        grpc.channel_ready_future(channel).result(timeout=_PATIENCE)
    except grpc.FutureTimeoutError:
        return f"it takes connections, and says nothing that Spark understands within {_PATIENCE:g} seconds"
    finally:
        channel.close()
    return None


def _require_master(master: str) -> None:
    """Refuses what is no master, and a cluster of Spark's own of which no machine answers: Spark tries for minutes."""
    if not master.startswith(_MASTERS):
        raise InputError(f"engine.master is {master!r}, which Spark does not know", hint=f"It knows: {_KNOWN_MASTERS}.")
    if not master.startswith("spark://"):
        return
    problems = [_nobody_at(each, "7077") for each in master.removeprefix("spark://").split(",")]
    if all(problem is not None for problem in problems):
        raise InputError(
            f"no Spark cluster answers at {master}: {problems[0]}",
            hint="Check engine.master, and that the cluster runs.",
        )


def _nobody_at(address: str, usual_port: str) -> str | None:
    """Why no connection can be made to host:port; None if it can."""
    host, _, port = address.rpartition(":")
    host, number = (host, port) if host and port.isdigit() else (host + port, usual_port)
    try:
        socket.create_connection((host.strip("[]"), int(number)), timeout=_PATIENCE).close()
    except (OSError, ValueError, OverflowError) as error:
        return _first_line(error)
    return None


def _check_version(spark: Any, engine: Engine) -> None:
    try:
        found = tuple(int(part) for part in str(spark.version).split(".")[:2])
    except Exception as error:  # noqa: BLE001 - a server that does not answer
        raise InputError(f"the engine {engine.name!r} did not answer: {_first_line(error)}") from None
    if found < OLDEST_SPARK:
        raise InputError(
            f"this is Spark {spark.version}, and tacit needs {'.'.join(map(str, OLDEST_SPARK))} or newer",
            hint="Use a newer cluster, or --engine sail on one machine.",
        )


def _check_executors(session: Session) -> None:
    """Executors run tacit's own code: they need the same version of it, beside the same Python."""
    here = _versions()
    if session.spark.__class__.__module__.startswith("pyspark.sql.connect") and session.name == "sail":
        return  # it runs in this very process

    def look(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for _ in batches:
            try:
                from importlib.metadata import version

                import numba  # noqa: F401
                import pandas  # noqa: F401

                found = version("tacit")
            except Exception as error:  # noqa: BLE001 - what is missing is what is asked for
                found = f"none ({type(error).__name__})"
            yield pa.RecordBatch.from_pydict({"found": [found]})

    try:
        rows = session.spark.range(0, 4, 1, 4).mapInArrow(look, "found string").distinct().collect()
    except Exception as error:  # noqa: BLE001 - a worker that cannot start says so in many ways
        raise InputError(
            f"the executors cannot run Python as this process does: {_cause(error)}",
            hint="They need the same Python version, and tacit[spark] installed.",
        ) from None
    strange = sorted({row["found"] for row in rows} - {here})
    if strange:
        raise InputError(
            f"the executors have tacit {strange[0]}, and this is {here}",
            hint="Install the same tacit[spark] on all machines of the cluster.",
        )


def _versions() -> str:
    try:
        return version("tacit")
    except PackageNotFoundError:
        return "unknown"


def _cause(error: BaseException) -> str:
    """What a worker that saw no data died of: the last exception that a long complaint quotes, or its first line."""
    found = re.findall(r"(?:^|[\s.])(\w*(?:Error|Exception): .+)$", str(error), re.MULTILINE)
    not_there = [each for each in found if "Cannot run program" in each]
    return (not_there or found)[-1][:300] if found else _first_line(error)


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[0] if lines else type(error).__name__)[:300]
