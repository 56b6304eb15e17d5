"""What cannot work on an engine is told before any work: no Java, an old one, an old Spark, executors without tacit."""

from __future__ import annotations

import os
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from support.commands import tacit as tacit_command
from tacit.engines import flow
from tacit.engines import session as sessions
from tacit.engines.session import Session
from tacit.errors import InputError
from tacit.job import Engine


def _job(folder: Path) -> Path:
    (folder / "data.dat").write_text("a b\na b\na b c\n")
    (folder / "job.toml").write_text(
        '[input]\nsource = "data.dat"\n[columns.items]\nrole = "items"\n[privacy]\nmodel = "km"\nk = 2\nm = 2\n'
    )
    return folder / "job.toml"


def _java(folder: Path, said: str) -> Path:
    """A program that says that it is some Java."""
    (folder / "bin").mkdir()
    program = folder / "bin/java"
    program.write_text(f"#!/bin/sh\necho '{said}' >&2\n")
    program.chmod(0o755)
    return folder


def _refused(folder: Path) -> str:
    """What the command tells, which must leave nothing behind."""
    job = _job(folder)
    before = sorted(folder.iterdir())
    ended = tacit_command("anonymize", job, "-o", folder / "out", "--engine", "spark")
    assert ended.code == 2
    assert sorted(folder.iterdir()) == before
    return ended.err


def test_a_machine_without_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspark")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    told = _refused(tmp_path)
    assert "Spark needs Java 17 or newer on this machine, and there is none" in told
    assert "--engine sail" in told


def test_a_java_home_without_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspark")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nowhere"))
    assert "JAVA_HOME names a folder that has none" in _refused(tmp_path)


@pytest.mark.parametrize(
    ("said", "version"), [('openjdk version "11.0.2" 2019-01-15', "11"), ('java version "1.8.0_402"', "8")]
)
def test_a_java_that_is_too_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, version: str) -> None:
    pytest.importorskip("pyspark")
    monkeypatch.setenv("JAVA_HOME", str(_java(tmp_path, said)))
    assert f"Spark needs Java 17 or newer on this machine, and this is {version}" in _refused(tmp_path)


@pytest.mark.parametrize("said", ['openjdk version "17.0.15" 2025-04-15', 'openjdk version "21" 2023-09-19', "eh"])
def test_a_java_that_will_do_or_says_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    monkeypatch.setenv("JAVA_HOME", str(_java(tmp_path, said)))
    sessions._require_java()


@pytest.mark.parametrize("package", ["pyspark", "grpc", "pandas", "pysail"])
def test_a_package_that_is_missing(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, package, None)
    with pytest.raises(InputError, match=f"needs the package '{package}', which is not installed") as told:
        sessions._require("sail")
    assert "pip install 'tacit[sail]'" in str(told.value)


@pytest.mark.parametrize("version", ["3.5.6", "2.4.8"])
def test_a_spark_that_is_too_old(version: str) -> None:
    with pytest.raises(InputError, match=f"this is Spark {version}, and tacit needs 4.0 or newer"):
        sessions._check_version(SimpleNamespace(version=version), Engine("spark"))
    sessions._check_version(SimpleNamespace(version="4.0.0"), Engine("spark"))


def test_sail_does_not_forget_a_session_while_this_process_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would after 15 minutes. That the setting is heeded is seen by one that is short."""
    pytest.importorskip("pysail")
    monkeypatch.setenv(sessions.IDLE, "1")
    with pytest.raises(InputError, match="the engine could not do its work"), sessions.opened(Engine("sail")) as short:
        for _ in range(100):
            time.sleep(2)
            short.spark.range(3).count()
    monkeypatch.delenv(sessions.IDLE)
    with sessions.opened(Engine("sail")):
        assert int(os.environ[sessions.IDLE]) >= 24 * 3600


def _with_executors(answer: list[dict[str, str]] | Exception) -> Session:
    """A cluster whose executors answer so when they are asked for their tacit."""

    def collect() -> list[dict[str, str]]:
        if isinstance(answer, Exception):
            raise answer
        return answer

    asked = SimpleNamespace(distinct=lambda: SimpleNamespace(collect=collect))
    spark: Any = SimpleNamespace(range=lambda *given: SimpleNamespace(mapInArrow=lambda function, schema: asked))
    return Session("spark", spark)


def test_executors_without_this_tacit() -> None:
    own = {"found": sessions._versions()}
    sessions._check_executors(_with_executors([own]))
    with pytest.raises(InputError, match=r"the executors have tacit none \(ModuleNotFoundError\)") as told:
        sessions._check_executors(_with_executors([own, {"found": "none (ModuleNotFoundError)"}]))
    assert "Install the same tacit[spark] on all machines" in str(told.value)
    for said, told_of in (
        ("PYTHON_VERSION_MISMATCH\nmore", "PYTHON_VERSION_MISMATCH"),
        (
            "An exception was thrown:\n  File x\nModuleNotFoundError: No module named 'tacit'\n SQLSTATE",
            "ModuleNotFound",
        ),
    ):
        with pytest.raises(InputError, match=f"the executors cannot run Python as this process does: {told_of}"):
            sessions._check_executors(_with_executors(RuntimeError(said)))


@pytest.mark.parametrize(("engine", "told"), [("local", "JDBC is read on Spark alone"), ("sail", "Sail reads no JDBC")])
def test_databases_by_jdbc_need_spark(tmp_path: Path, engine: str, told: str) -> None:
    job = _job(tmp_path)
    job.write_text(job.read_text().replace('source = "data.dat"', 'source = "jdbc:derby:shop"\ntable = "sold"'))
    ended = tacit_command("anonymize", job, "-o", tmp_path / "out", "--engine", engine)
    assert ended.code == 2
    assert told in ended.err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("content", [b"PAR1garbagePAR1", b"PAR1", b""])
def test_a_damaged_parquet_file(tmp_path: Path, content: bytes) -> None:
    job = _job(tmp_path)
    job.write_text(job.read_text().replace("data.dat", "data.parquet"))
    (tmp_path / "data.parquet").write_bytes(content)
    ended = tacit_command("anonymize", job, "-o", tmp_path / "out", "--engine", "sail")
    assert ended.code == 2
    assert "this is not a whole Parquet file" in ended.err
    assert not (tmp_path / "out").exists()


def test_what_tasks_still_write_when_a_release_has_failed_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*given: object, **named: object) -> None:
        (tmp_path / ".out.tacit-1-late/public.unchecked/work").mkdir(parents=True)
        raise InputError("the disk is full")

    monkeypatch.setattr(flow, "place", fails)
    before = {*tmp_path.iterdir()}
    job = _job(tmp_path)
    ended = tacit_command("anonymize", job, "-o", tmp_path / "out", "--engine", "sail")
    assert ended.code == 2
    assert "the disk is full" in ended.err
    assert not [file for file in {*tmp_path.iterdir()} - before if "tacit" in file.name]
