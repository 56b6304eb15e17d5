"""What commands print and where: results to standard output, the rest to standard error, a bar on a terminal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.commands import make_shop, tacit
from tacit.flow import STAGES
from tacit.methods import METHODS

HEAVY = ("numpy", "pyarrow", "numba", "pandas", "polars", "narwhals", "sqlalchemy", "rich")


def test_results_and_progress_do_not_mix(tmp_path: Path) -> None:
    ended = tacit("anonymize", make_shop(tmp_path))
    assert ended.err == "".join(f"tacit: {stage}\n" for stage in STAGES)
    assert ended.out.startswith("The promise holds.")
    assert ended.out.endswith(f"To publish: {tmp_path / 'out/public'}\nFor you alone: {tmp_path / 'out/private'}\n")
    assert "loss: NCP 12.05%" in ended.out


def test_a_release_as_json(tmp_path: Path) -> None:
    result = tacit("anonymize", make_shop(tmp_path), "--json").json()
    assert result["directory"] == str(tmp_path / "out")
    assert result["audit"] == json.loads((tmp_path / "out/private/audit.json").read_text())
    assert result["utility"] == json.loads((tmp_path / "out/private/utility.json").read_text())
    assert result["notes"] == []


def test_methods(tmp_path: Path) -> None:
    result = tacit("methods", "--json").json()["methods"]
    assert [row["method"] for row in result] == list(METHODS)
    assert [row["method"] for row in result if "km" in row["default_for"]] == ["best"]
    assert all(row["summary"] and row["models"] for row in result)
    text = tacit("methods").out
    assert "(default)" in text
    for name in METHODS:
        assert name in text


def test_the_version() -> None:
    assert tacit("--version").out.startswith("tacit 0.")


def test_demo_replaces_only_a_demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert tacit("demo").code == 0
    assert tacit("demo", "--json").json()["audit"]["satisfied"] is True

    make_shop(tmp_path)
    assert tacit("anonymize", "job.toml", "--force", "--no-report").code == 0
    ended = tacit("demo")
    assert ended.code == 2
    assert "the output directory exists already" in ended.err
    assert (tmp_path / "out/public/data.csv").is_file()
    assert tacit("demo", "nosuch").code == 2


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
def test_a_bar_on_a_terminal(tmp_path: Path) -> None:
    import pty

    make_shop(tmp_path)
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "tacit.cli", "anonymize", "job.toml", "--no-report"]
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100"}
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=theirs) as running:
        os.close(theirs)
        shown = b""
        while piece := _read(ours):
            shown += piece
        assert running.stdout is not None
        result = running.stdout.read()
    os.close(ours)
    assert running.returncode == 0
    assert "━" in shown.decode()
    assert b"searching" in shown
    assert result.startswith(b"The promise holds.")


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 1 << 16)
    except OSError:  # how Linux says that the other end is closed
        return b""


def test_a_name_that_the_terminal_cannot_show(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text("žemlička,*\nbread,*\n", encoding="utf-8")
    command = [sys.executable, "-m", "tacit.cli", "hierarchy", "show", "h.csv"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False)
    assert ended.returncode == 0
    assert rb"\u017eemli\u010dka" in ended.stdout


def test_json_is_json_whatever_the_encoding(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text("žemlička,*\nbread,*\n", encoding="utf-8")
    command = [sys.executable, "-m", "tacit.cli", "hierarchy", "show", "h.csv", "--json"]
    for encoding in ("ascii", "utf-8"):
        environment = {**os.environ, "PYTHONIOENCODING": encoding}
        ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=True)
        assert ["žemlička", "*"] in json.loads(ended.stdout)["paths"]


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_closed_streams_do_not_change_the_outcome(tmp_path: Path, closed: str) -> None:
    (tmp_path / "h.csv").write_text("beer,*\nbread,*\n", encoding="utf-8")
    for command, code in (("methods", 0), ("hierarchy check h.csv", 0), ("hierarchy check none.csv", 2)):
        words = f"{sys.executable} -m tacit.cli {command} {closed}"
        assert subprocess.run(["sh", "-c", words], cwd=tmp_path, capture_output=True, check=False).returncode == code


# Quick to start


COMMAND = "import sys; sys.argv[1:] = {words}\nfrom tacit.cli import main\ntry: main()\nexcept SystemExit: pass"


def loaded(program: str) -> set[str]:
    """The heavy modules that a program loads."""
    report = f"import sys; print(*[name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    ended = subprocess.run([sys.executable, "-c", f"{program}\n{report}"], capture_output=True, text=True, check=True)
    return set(ended.stderr.splitlines()[-1].split())


@pytest.mark.parametrize(
    "program",
    [
        "import tacit",
        "import tacit; tacit.KmAnonymity(k=2, m=2); tacit.InputError",
        COMMAND.format(words=["--help"]),
        COMMAND.format(words=["anonymize", "--help"]),
        COMMAND.format(words=["anonymize", "--forc"]),
        COMMAND.format(words=["methods"]),
    ],
)
def test_nothing_heavy_is_loaded_before_it_is_needed(program: str) -> None:
    assert loaded(program) == set()


def test_the_check_of_loaded_modules_can_fail() -> None:
    assert "pyarrow" in loaded("import tacit; tacit.anonymize")


def test_help_is_quick() -> None:
    """In processor time, which a busy machine does not stretch."""

    def seconds() -> float:
        before = os.times()
        subprocess.run([sys.executable, "-m", "tacit.cli", "--help"], capture_output=True, check=True)
        after = os.times()
        return after.children_user + after.children_system - before.children_user - before.children_system

    assert min(seconds() for _ in range(3)) < 0.4
