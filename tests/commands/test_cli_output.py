"""What commands print and where: results to standard output, the rest to standard error, a bar on a terminal."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.commands import JOB, make_shop, shop_rows, tacit, write_csv
from support.seeds import first_fast
from tacit.commands import progress
from tacit.commands.progress import COMPILING
from tacit.methods import METHODS
from tacit.steps.stages import STAGES

HEAVY = (
    "numpy",
    "pyarrow",
    "numba",
    "scipy",
    "sklearn",
    "pandas",
    "polars",
    "narwhals",
    "sqlalchemy",
    "altair",
    "rich",
)


def stages_in(err: str) -> list[str]:
    """The stages that were told, a line each; of a long one there may be lines on how it goes, too."""
    told = [line.removeprefix("tacit: ") for line in err.splitlines() if line.startswith("tacit: ")]
    assert len(told) == len(err.splitlines())
    return [line for line in told if not line.startswith(" ") and not line.startswith(COMPILING)]


def test_results_and_progress_do_not_mix(tmp_path: Path) -> None:
    ended = tacit("anonymize", make_shop(tmp_path))
    assert stages_in(ended.err) == list(STAGES)
    assert ended.out.startswith("The promise holds.")
    assert ended.out.endswith(f"To publish: {tmp_path / 'out/public'}\nFor you alone: {tmp_path / 'out/private'}\n")
    assert "; NCP 12.05%" in ended.out


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


@pytest.mark.slow
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
    make_shop(tmp_path)
    shown = on_a_terminal(tmp_path, "anonymize", "job.toml", "--no-report")
    assert "━" in shown.decode()
    assert b"searching" in shown


def on_a_terminal(folder: Path, *words: str, **environment: str) -> bytes:
    """What a command shows on a terminal; its result goes elsewhere."""
    import pty

    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "tacit", *words]
    around = {**{k: v for k, v in os.environ.items() if k != "NO_COLOR"}, "TERM": "xterm-256color", "COLUMNS": "100"}
    with subprocess.Popen(
        command, cwd=folder, env=around | environment, stdout=subprocess.PIPE, stderr=theirs
    ) as running:
        os.close(theirs)
        shown = b""
        while piece := _read(ours):
            shown += piece
        assert running.stdout is not None
        result = running.stdout.read()
    os.close(ours)
    assert running.returncode == 0 and result
    return shown


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 1 << 16)
    except OSError:  # how Linux says that the other end is closed
        return b""


def test_a_name_that_the_terminal_cannot_show(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text("žemlička,*\nbread,*\n", encoding="utf-8")
    command = [sys.executable, "-m", "tacit", "hierarchy", "show", "h.csv"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False)
    assert ended.returncode == 0
    assert rb"\u017eemli\u010dka" in ended.stdout


def test_json_is_json_whatever_the_encoding(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text("žemlička,*\nbread,*\n", encoding="utf-8")
    command = [sys.executable, "-m", "tacit", "hierarchy", "show", "h.csv", "--json"]
    for encoding in ("ascii", "utf-8"):
        environment = {**os.environ, "PYTHONIOENCODING": encoding}
        ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=True)
        assert ["žemlička", "*"] in json.loads(ended.stdout)["paths"]


@pytest.mark.parametrize("closed", first_fast([">&- 2>&-", ">&-", "2>&-"]))
def test_closed_streams_do_not_change_the_outcome(tmp_path: Path, closed: str) -> None:
    (tmp_path / "h.csv").write_text("beer,*\nbread,*\n", encoding="utf-8")
    for command, code in (("methods", 0), ("hierarchy check h.csv", 0), ("hierarchy check none.csv", 2)):
        words = f"{sys.executable} -m tacit {command} {closed}"
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


# Told to nobody, to other programs, without colours


def events_in(err: str) -> list[dict[str, Any]]:
    """What other programs read: an object of JSON on each line, and nothing else."""
    return [json.loads(line) for line in err.splitlines()]


def test_quiet(tmp_path: Path) -> None:
    job = make_shop(tmp_path)
    ended = tacit("anonymize", job, "--quiet", "--set", "output.directory=quiet")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("The promise holds.")
    assert tacit("audit", job, tmp_path / "shop.csv", "--quiet").err == ""
    ended = tacit("audit", job, tmp_path / "none.csv", "--quiet")
    assert ended.code == 2 and ended.err.startswith(f"tacit: {tmp_path / 'none.csv'}: there is no such file")


def test_quiet_keeps_notes_to_itself(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text("child,parent\nbeer,drink\nmilk,food\n")
    assert tacit("hierarchy", "show", tmp_path / "h.csv").err.startswith("note: ")
    assert tacit("hierarchy", "show", tmp_path / "h.csv", "--quiet").err == ""


def test_progress_as_events(tmp_path: Path) -> None:
    ended = tacit("anonymize", make_shop(tmp_path), "--no-report", "--progress", "json")
    events = events_in(ended.err)
    told = [event for event in events if event["event"] == "stage"]
    assert [event["stage"] for event in told] == [stage for stage in STAGES if stage != "reporting"]
    shares = [event["done"] for event in events]
    assert shares == sorted(shares) and shares[0] == 0
    assert events[-1] == {"event": "done", "stage": None, "message": None, "done": 1.0, "exit_code": 0}
    assert all(event.keys() >= {"event", "stage", "message", "done"} for event in events)
    assert ended.out.startswith("The promise holds.")


def test_notes_and_errors_as_events(tmp_path: Path) -> None:
    job = make_shop(tmp_path, JOB + "[output]\nescape_formulas = false\n")
    write_csv(tmp_path / "shop.csv", [row | {"town": f"={row['town']}"} for row in shop_rows()])
    notes = [e for e in events_in(tacit("anonymize", job, "--progress=json").err) if e["event"] == "note"]
    assert len(notes) == 1 and "look like formulas" in notes[0]["message"]
    ended = tacit("anonymize", job, "--progress=json")
    failed = events_in(ended.err)[-1]
    assert (ended.code, failed["event"], failed["exit_code"]) == (2, "error", 2)
    assert "the output directory exists already" in failed["message"]
    for mistake in (["--progress", "json", "--forc"], ["--forc", "--progress=json"]):
        [failed] = events_in(tacit("anonymize", job, *mistake).err)
        assert failed["event"] == "error" and failed["message"].startswith("No such option: --forc.")
    assert tacit("anonymize", job, "--progress", "loud").err.startswith("tacit: --progress: 'loud' is not one of ")


def test_a_promise_that_does_not_hold_is_a_result(tmp_path: Path) -> None:
    ended = tacit("audit", make_shop(tmp_path), tmp_path / "shop.csv", "--progress=json")
    assert (ended.code, events_in(ended.err)[-1]["exit_code"]) == (1, 1)


@pytest.mark.slow
def test_cells_as_events(tmp_path: Path) -> None:
    job, there = make_shop(tmp_path), tmp_path / "there"
    ended = tacit("compare", job, "-o", there, "--vary", "privacy.k=2,99", "--progress=json", "--workers", "1")
    *cells, done = events_in(ended.err)
    assert [(cell["event"], cell["stage"], cell["done"]) for cell in cells] == [
        ("message", "comparing", 0.5),
        ("message", "comparing", 1.0),
    ]
    assert cells[0]["message"].startswith("1 of 2: ") and done["exit_code"] == 0
    assert tacit("compare", job, "-o", there, "--vary", "privacy.k=2,99", "--quiet").err == ""


class Clock:
    """Time that goes on when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_words_on_how_it_goes_are_shown_now_and_then(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    clock = Clock()
    monkeypatch.setattr("tacit.commands.progress.time.monotonic", clock)
    with progress.lines() as tell:
        tell("searching")
        for clock.now in range(1, 26):
            tell(f"loss {clock.now} %")
        tell("recoding")
        tell("as ever")
        tell(COMPILING)
    told = ["searching", "  loss 10 %", "  loss 20 %", "recoding", COMPILING]
    assert capsys.readouterr().err.splitlines() == [f"tacit: {line}" for line in told]
    with progress.events() as tell:
        tell("searching")
        for _ in range(100_000):
            tell("loss")
        clock.now += 1
        tell("less")
        tell(COMPILING)
    messages = [event["message"] for event in events_in(capsys.readouterr().err)]
    assert messages == [None, "less", COMPILING]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
@pytest.mark.parametrize(
    "command",
    [
        ["anonymize", "job.toml", "--no-report", "--no-attack"],
        pytest.param(["compare", "job.toml", "-o", "there"], marks=pytest.mark.slow),
    ],
)
def test_no_colour_where_none_is_wanted(tmp_path: Path, command: list[str]) -> None:
    make_shop(tmp_path)
    colour = re.compile(rb"\x1b\[[0-9;]*?[34]\d[0-9;]*m")
    plain = on_a_terminal(tmp_path, *command, NO_COLOR="1")
    assert b"\x1b[" in plain and not colour.search(plain)
    shutil.rmtree(tmp_path / "out", ignore_errors=True)
    assert colour.search(on_a_terminal(tmp_path, *command))
    shutil.rmtree(tmp_path / "out", ignore_errors=True)
    assert on_a_terminal(tmp_path, *command, "--quiet") == b""


AROUND = "import gc, os, signal, sys\ndef around(): return (gc.get_threshold(), list(sys.meta_path), dict(os.environ), "
AROUND += "[signal.getsignal(n) for n in (2, 15)], gc.get_freeze_count())\nbefore = around()\n"


def test_importing_the_package_leaves_python_as_it_was() -> None:
    program = f"{AROUND}import tacit.cli, tacit.flow, tacit.commands.releases\nprint(around() == before)"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout == "True\n"


def test_the_command_changes_no_way_of_importing() -> None:
    program = f"{AROUND}sys.argv[1:] = ['methods']\nfrom tacit.cli import run\ntry: run()\nexcept SystemExit: pass\n"
    program += "sys.exit(around()[1] != before[1])"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, check=False).returncode == 0


@pytest.mark.slow
def test_what_only_some_measures_need_is_loaded_by_them(tmp_path: Path) -> None:
    """Scikit-learn serves the classifiers of slices, SciPy some searches and audits."""
    make_shop(tmp_path)
    words = ["anonymize", str(tmp_path / "job.toml"), "--no-report", "--quiet"]
    assert loaded(COMMAND.format(words=words)).isdisjoint({"sklearn", "sqlalchemy", "altair", "rich"})


REFUSED = """
import sys
from pathlib import Path
from tacit.errors import InputError
from tacit.io import delimited, read_table
delimited._BLOCK_SIZES = (1 << 16,)
try:
    read_table(Path(sys.argv[1]))
except InputError as error:
    print(error.line)
"""


@pytest.mark.slow
def test_a_process_that_refused_a_file_ends_in_peace(tmp_path: Path) -> None:
    """Threads of Arrow may still be at work then. Those that hold objects of Python's can abort the process."""
    rows = [f"{i},{i % 77},word" for i in range(200_000)]
    rows[100] = "1,2"
    (tmp_path / "bad.csv").write_text("a,b,c\n" + "\n".join(rows) + "\n")
    for _ in range(5):
        command = [sys.executable, "-c", REFUSED, str(tmp_path / "bad.csv")]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (ended.returncode, ended.stdout, ended.stderr) == (0, "102\n", "")
