"""While an engine starts, what its programs complain of is held back: told in a line, or passed on if all went well."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tacit.engines import session as sessions
from tacit.engines.starting import Complaints, held_back
from tacit.errors import InputError
from tacit.job import Engine

_SAYS = [sys.executable, "-c", "import sys; sys.stderr.write(sys.argv[1])"]


@contextmanager
def standard_error(folder: Path) -> Iterator[Path]:
    """A file that standard error goes to: what is read of it stays there for those who still write."""
    file, own = folder / "standard error", os.dup(2)
    opened = os.open(file, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    os.dup2(opened, 2)
    try:
        yield file
    finally:
        os.dup2(own, 2)
        os.close(opened)
        os.close(own)


def _heard(file: Path, wanted: str) -> str:
    """What came to standard error, which may take a moment."""
    for _ in range(100):
        if file.read_text() == wanted:
            break
        time.sleep(0.05)
    return file.read_text()


def test_what_is_held_back_comes_when_all_went_well(tmp_path: Path) -> None:
    with standard_error(tmp_path) as file:
        with held_back():
            subprocess.run([*_SAYS, "first "], check=True)
            os.write(2, b"own ")
            assert file.read_text() == ""
        assert _heard(file, "first own ") == "first own "


def test_a_program_that_goes_on_is_heard_later(tmp_path: Path) -> None:
    with standard_error(tmp_path) as file:
        with held_back():
            program = subprocess.Popen([*_SAYS[:2], "import sys; sys.stdin.read(); sys.stderr.write('late')"],
                                       stdin=subprocess.PIPE)  # fmt: skip
        assert file.read_text() == ""
        program.communicate(b"")
        assert _heard(file, "late") == "late"


def test_what_fails_leaves_nothing_but_its_reason(tmp_path: Path) -> None:
    stack = "x.SparkException: no such master\\n\\tat a.b(C.scala:1)\\n"
    with standard_error(tmp_path) as file:
        with pytest.raises(RuntimeError), held_back() as complaints:
            subprocess.run([*_SAYS, stack.encode().decode("unicode_escape")], check=True)
            assert complaints.reason(RuntimeError()) == "no such master"
            raise RuntimeError
        assert file.read_text() == ""


@pytest.mark.parametrize(
    ("written", "error", "reason"),
    [
        ("", "", "ValueError"),
        ("", "a line\nanother", "a line"),
        ("ERROR x: Application has been killed. Reason: All masters are unresponsive! Giving up.\n"
         "java.net.ConnectException: refused", "o1", "All masters are unresponsive! Giving up."),
        ("", "o1\n: org.apache.spark.SparkException: Could not parse Master URL: 'x'\n\tat y",
         "Could not parse Master URL: 'x'"),
    ],
)  # fmt: skip
def test_the_reason_is_what_says_most(written: str, error: str, reason: str) -> None:
    found = Complaints()
    found.written += written.encode()
    assert found.reason(ValueError(error)) == reason


@pytest.mark.parametrize(
    ("master", "told"),
    [
        ("foo", "engine.master is 'foo', which Spark does not know"),
        ("spark://127.0.0.1:9", "no Spark cluster answers at spark://127.0.0.1:9"),
        ("spark://127.0.0.1:9,nobody.invalid:7077", "no Spark cluster answers at"),
    ],
)
def test_a_master_that_is_none(monkeypatch: pytest.MonkeyPatch, master: str, told: str) -> None:
    pytest.importorskip("pyspark")
    monkeypatch.setattr(sessions, "_require_java", lambda: None)
    with pytest.raises(InputError, match=told), sessions.opened(Engine("spark", master=master)):
        pass


@pytest.mark.parametrize(
    ("master", "are_few"),
    [("local[2]", True), ("local-cluster[2,1,1024]", True), ("spark://h:7077", False), ("yarn", False)],
)
def test_a_cluster_deals_rows_out_as_it_is_set_up_to(master: str, are_few: bool) -> None:
    assert ("spark.sql.shuffle.partitions" in sessions.settings_for(master)) is are_few


@pytest.mark.slow
def test_spark_says_nothing_of_its_own_where_it_does_not_start(tmp_path: Path) -> None:
    if not shutil.which("java"):
        pytest.skip("Spark needs Java 17, and there is none on this machine")
    (tmp_path / "data.dat").write_text("a b\na b\n")
    (tmp_path / "job.toml").write_text(
        '[input]\nsource = "data.dat"\n[columns.items]\nrole = "items"\n[privacy]\nmodel = "km"\nk = 2\nm = 2\n'
        '[engine]\nname = "spark"\nmaster = "local[none]"\n'
    )
    program = [sys.executable, "-c", "from tacit.cli import run; run()", "anonymize", tmp_path / "job.toml"]
    env = {name: value for name, value in os.environ.items() if not name.startswith("SPARK_")}  # of sessions before
    ended = subprocess.run([*program, "-o", tmp_path / "out"], capture_output=True, text=True, check=False, env=env)
    assert ended.returncode == 2
    assert ended.stderr.splitlines()[0] == "tacit: Spark did not start: Could not parse Master URL: 'local[none]'"
    assert len(ended.stderr.splitlines()) == 2
    assert not (tmp_path / "out").exists()


def test_a_server_that_takes_connections_and_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spark's client would wait for it without an end, and not even end when it is asked to."""
    monkeypatch.setattr(sessions, "_PATIENCE", 0.3)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        remote = f"sc://127.0.0.1:{silent.getsockname()[1]}"
        with (
            pytest.raises(InputError, match=f"no Spark Connect server answers at {remote}: it takes connections"),
            sessions.opened(Engine("spark", remote=remote)),
        ):
            raise AssertionError("nobody said anything")


def test_an_address_that_spark_cannot_read() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        remote = f"sc://127.0.0.1:{silent.getsockname()[1]}/path"
        with (
            pytest.raises(InputError, match=r"no Spark Connect server answers at .*path component"),
            sessions.opened(Engine("spark", remote=remote)),
        ):
            raise AssertionError("there is no such address")
