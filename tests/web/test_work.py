"""Works: processes that are started, cancelled, that die, and what is left of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.waiting import until
from tacit.web.files import write_text
from tacit.web.work import Work, Workers, mark_abandoned
from tacit.web.workspace import NotFound, Project, Workspace, open_workspace, within

_SLEEPER = """
import subprocess, sys, time, pathlib
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
pathlib.Path("child").write_text(str(child.pid))
time.sleep(3600)
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return open_workspace(tmp_path / "workspace").new_project("a project")


def _is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def _python(project: Project, code: str, monkeypatch: pytest.MonkeyPatch, kind: str = "anonymize") -> Work:
    """A work that runs some code in place of a module of ours."""
    import sys

    monkeypatch.setattr("tacit.process.child.command", lambda module, *words: [sys.executable, "-c", code])
    return project.new_work(kind, ["tacit"])


def _ended(workers: Workers, work: Work) -> bool:
    workers.tend()
    return work.is_over


def test_cancel_ends_a_process_and_all_that_it_started(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    workers = Workers()
    work = workers.submit(_python(project, _SLEEPER, monkeypatch))
    until(lambda: (project.folder / "child").exists() and (project.folder / "child").read_text() != "")
    child, own = int((project.folder / "child").read_text()), workers.running[work.id][1].pid
    workers.cancel(work)
    until(lambda: _ended(workers, work))
    assert work.state == "cancelled"
    until(lambda: not _is_alive(child) and not _is_alive(own))


def test_what_does_not_end_when_asked_is_ended(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    stubborn = (
        "import signal, time, pathlib\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "pathlib.Path('ready').write_text('x')\ntime.sleep(3600)"
    )
    workers = Workers()
    work = workers.submit(_python(project, stubborn, monkeypatch))
    until(lambda: (project.folder / "ready").exists())
    workers.cancel(work)
    until(lambda: _ended(workers, work))
    assert work.state == "cancelled"


def test_one_that_dies_is_shown_as_failed(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    workers = Workers()
    work = workers.submit(_python(project, "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", monkeypatch))
    until(lambda: _ended(workers, work))
    assert work.state == "failed" and "SIGSEGV" in work.message()
    silent = workers.submit(_python(project, "raise SystemExit(3)", monkeypatch))
    until(lambda: _ended(workers, silent))
    assert silent.state == "failed" and "exit code 3" in silent.message()


def test_what_a_process_tells_is_read_line_by_line(project: Project) -> None:
    work = project.new_work("anonymize", ["tacit"])
    write_text(
        work.folder / "events",
        '{"event": "stage", "stage": "reading", "done": 0.0}\nnot json\n'
        '{"event": "message", "stage": "searching", "message": "pass 2", "done": 0.4}\n{"event": "sta',
    )
    assert work.progress() == (0.4, "pass 2")
    assert len(work.events()) == 2


def test_messages_do_not_hold_the_machines_paths(project: Project) -> None:
    work = project.new_work("anonymize", ["tacit"])
    work.note(state="failed", message=f"{project.folder}/job.toml, line 3: wrong")
    assert work.message() == "job.toml, line 3: wrong"


def test_only_so_many_run_at_once(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    workers = Workers(at_once=1)
    first = workers.submit(_python(project, "import time; time.sleep(3600)", monkeypatch))
    second = workers.submit(_python(project, "pass", monkeypatch))
    light = workers.submit(_python(project, "pass", monkeypatch, "profile"))
    assert (first.state, second.state) == ("running", "waiting") and light.state != "waiting"
    workers.cancel(second)
    assert second.state == "cancelled"
    third = workers.submit(_python(project, "pass", monkeypatch))
    workers.cancel(first)
    until(lambda: _ended(workers, third))
    assert third.state == "done"


def test_the_end_of_the_server_ends_its_processes(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    workers = Workers()
    work = workers.submit(_python(project, _SLEEPER, monkeypatch))
    until(lambda: (project.folder / "child").exists() and (project.folder / "child").read_text() != "")
    workers.cancel_all()
    assert work.state == "failed" and not workers.running
    until(lambda: not _is_alive(int((project.folder / "child").read_text())))


def test_what_was_under_way_when_a_server_ended_is_over(project: Project) -> None:
    work = project.new_work("anonymize", ["tacit"])
    work.note(state="running")
    mark_abandoned(work)
    assert work.state == "failed" and "server was stopped" in work.message()
    whole = project.new_work("anonymize", ["tacit"])
    whole.note(state="running")
    (whole.release / "private").mkdir(parents=True)
    (whole.release / "private" / "audit.json").write_text("{}")
    mark_abandoned(whole)
    assert whole.state == "done"


# Workspaces


def test_a_workspace_has_one_server(tmp_path: Path) -> None:
    from tacit.errors import InputError

    held = open_workspace(tmp_path / "w")
    with pytest.raises(InputError, match="another `tacit serve`"):
        open_workspace(tmp_path / "w")
    held.close()
    assert isinstance(open_workspace(tmp_path / "w"), Workspace)


def test_a_directory_with_something_else_is_no_workspace(tmp_path: Path) -> None:
    from tacit.errors import InputError

    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(InputError, match="something else"):
        open_workspace(tmp_path)
    with pytest.raises(InputError, match="is a file"):
        open_workspace(tmp_path / "thesis.tex")


def test_without_a_workspace_everything_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At exit, and after a kill at the next start; what another server holds stays."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    first, second = open_workspace(None), open_workspace(None)
    first.new_project("a")
    killed = open_workspace(None)
    killed._lock.close()  # as the system does it
    foreign = tmp_path / "tacit-serve-foreign"
    foreign.mkdir()
    third = open_workspace(None)
    assert not killed.root.exists() and first.root.exists() and second.root.exists() and foreign.exists()
    for workspace in (first, second, third):
        workspace.close()
        assert not workspace.root.exists()


def test_scratch_of_a_kept_workspace_goes_at_the_next_start(tmp_path: Path) -> None:
    kept = open_workspace(tmp_path / "w")
    kept.scratch_file().write_text("half a file")
    project = kept.new_project("a")
    kept._lock.close()
    again = open_workspace(tmp_path / "w")
    assert not list((tmp_path / "w" / "scratch").iterdir())
    assert [each.id for each in again.projects()] == [project.id]


def test_a_link_does_not_lead_out_of_a_workspace(tmp_path: Path) -> None:
    workspace = open_workspace(tmp_path / "w")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "project.json").write_text("{}")
    (workspace.root / "projects" / ("a" * 12)).symlink_to(outside)
    with pytest.raises(NotFound):
        workspace.project("a" * 12)
    with pytest.raises(NotFound):
        within(workspace.root, "projects")


def test_a_look_that_failed_takes_no_data_that_another_one_is_for(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file to join arrives after a look has failed and before anybody noticed: the next look needs it."""
    workers = Workers()
    failed = workers.submit(_python(project, "raise SystemExit(2)", monkeypatch, "profile"))
    until(lambda: workers.running[failed.id][1].poll() is not None)
    (project.folder / "join-9.csv").write_text("id,code\n1,a\n")
    following = workers.submit(_python(project, "import time; time.sleep(3600)", monkeypatch, "profile"))
    workers.cancel(failed)
    assert (failed.state, following.state) == ("failed", "running")
    assert (project.folder / "join-9.csv").exists()
    workers.cancel_all()
