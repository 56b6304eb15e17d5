"""What runs beside the pages: the same commands as in a terminal, each in a process of its own.

A work is a directory: what was asked for, what the process told (an object of JSON a line), and what it printed. So it
outlives the server; the process does not.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tacit.io.passwords import VARIABLE
from tacit.process import child
from tacit.web.files import read_json, write_json
from tacit.web.sources import without_leftovers

OVER = ("done", "failed", "cancelled")
_PATIENCE = 1.0
"""Seconds between asking a process to end and ending it."""
_HEAVY = ("anonymize", "compare")


@dataclass(frozen=True)
class Work:
    """One process, now or in the past."""

    folder: Path

    @property
    def id(self) -> str:
        return self.folder.name

    @property
    def about(self) -> dict[str, Any]:
        return read_json(self.folder / "work.json")

    @property
    def kind(self) -> str:
        return str(self.about["kind"])

    @property
    def state(self) -> str:
        """waiting, running, done, failed or cancelled."""
        return str(self.about["state"])

    @property
    def is_over(self) -> bool:
        return self.state in OVER

    @property
    def project(self) -> Path:
        return self.folder.parent.parent

    @property
    def release(self) -> Path:
        """Where the release of a run is, if it came to one."""
        return self.folder / "release"

    def note(self, **more: Any) -> None:
        write_json(self.folder / "work.json", {**self.about, **more})

    def events(self) -> list[dict[str, Any]]:
        """What the process told so far."""
        try:
            lines = (self.folder / "events").read_text("utf-8", errors="replace").splitlines(keepends=True)
        except FileNotFoundError:
            return []
        return [*_objects(line for line in lines if line.endswith("\n"))]

    def printed(self) -> dict[str, Any]:
        """The result that the process printed, if it is one."""
        try:
            content = json.loads((self.folder / "printed").read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return content if isinstance(content, dict) else {}

    def message(self) -> str:
        """Why there is no result, with the values that it is about: for the owner, who reads it on the page."""
        about = self.about
        if about["state"] == "cancelled":
            return "stopped; nothing was published"
        told = [event["message"] for event in self.events() if event.get("event") == "error"]
        said = self.printed().get("error") or (told[-1] if told else "")
        text = str(said or about.get("message") or "").replace(f"{self.project}{os.sep}", "")
        return self._as_its_owner_calls_it(text)

    def _as_its_owner_calls_it(self, text: str) -> str:
        """A message that begins with the project's own name of the data, with the name that the file was sent with."""
        of = read_json(self.project / "project.json")
        own, sent = of.get("source"), of.get("file_name")
        return f"{sent}{text.removeprefix(own)}" if own and sent and re.match(rf"{re.escape(own)}[:,]", text) else text

    def progress(self) -> tuple[float, str]:
        """The share that is done, and the last word on it."""
        done, stage, message = 0.0, "", ""
        for event in self.events():
            told = event.get("done")
            done = float(told) if isinstance(told, int | float) else done
            stage = event.get("stage") or stage
            message = event.get("message") or "" if event.get("event") in ("stage", "message") else message
        return done, message or stage


def _objects(lines: Iterator[str]) -> Iterator[dict[str, Any]]:
    for line in lines:
        with suppress(ValueError):
            found = json.loads(line)
            if isinstance(found, dict):
                yield found


@dataclass
class Workers:
    """The processes of this server, and the works that wait for their turn.

    Processes are started by the thread that the server lives in: they end with it, whatever ends it.
    """

    at_once: int = field(default_factory=lambda: _cores())
    running: dict[str, tuple[Work, subprocess.Popen[bytes]]] = field(default_factory=dict)
    waiting: list[Work] = field(default_factory=list)
    ending: dict[str, float] = field(default_factory=dict)
    _said: dict[str, tuple[bytes, str]] = field(default_factory=dict, repr=False)

    def submit(self, work: Work, said: bytes = b"", password: str = "") -> Work:
        """Starts a work as soon as there is room for it; what only looks at data has room at once.

        `said` is what the process reads, and nobody else, and `password` that of its database: kept nowhere.
        """
        self.waiting.append(work)
        self._said[work.id] = said, password
        self.tend()
        return work

    def tend(self) -> None:
        """Notes what ended, ends what was asked to end and did not, and starts what waits."""
        for name, (work, process) in list(self.running.items()):
            code = process.poll()
            if code is None:
                if time.monotonic() > self.ending.get(name, float("inf")):
                    _signal_all(process, signal.SIGKILL)
                continue
            _signal_all(process, signal.SIGKILL)  # what it started ends with it
            del self.running[name]
            self._note_end(work, code, is_cancelled=self.ending.pop(name, None) is not None)
        busy = sum(work.kind in _HEAVY for work, _ in self.running.values())
        for work in list(self.waiting):
            if work.kind not in _HEAVY or busy < self.at_once:
                self.waiting.remove(work)
                self._start(work)
                busy += work.kind in _HEAVY

    def cancel(self, work: Work) -> None:
        """Has a work end, and all that it started."""
        if work in self.waiting:
            self.waiting.remove(work)
            work.note(state="cancelled", ended=time.time())
        elif work.id in self.running:
            self.ending.setdefault(work.id, time.monotonic() + _PATIENCE)
            _signal_all(self.running[work.id][1], signal.SIGTERM)
        self.tend()

    def end(self, works: Iterable[Work]) -> None:
        """Ends works at once, whose directories go."""
        for work in works:
            if work in self.waiting:
                self.waiting.remove(work)
            _, process = self.running.pop(work.id, (work, None))
            if process is not None:
                _signal_all(process, signal.SIGKILL)
                process.wait()
            self.ending.pop(work.id, None)

    def cancel_all(self) -> None:
        """Ends all of them, and waits for it: the server stops."""
        self.waiting.clear()
        for _, process in self.running.values():
            _signal_all(process, signal.SIGTERM)
        deadline = time.monotonic() + _PATIENCE
        for name, (work, process) in list(self.running.items()):
            with suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, deadline - time.monotonic()))
            _signal_all(process, signal.SIGKILL)
            del self.running[name]
            self._note_end(work, process.wait(), is_cancelled=False)

    def _note_end(self, work: Work, code: int, *, is_cancelled: bool) -> None:
        """How a process ended; data that a look has brought go with it, unless another one is on them."""
        noted = _ended(work, code, is_cancelled=is_cancelled)
        work.note(**noted)
        known = (*self.waiting, *(other for other, _ in self.running.values()))
        others = (other for other in known if other.project == work.project)
        is_looked_at = any(other.kind == "profile" for other in others)
        if work.kind == "profile" and noted["state"] != "done" and not is_looked_at:
            without_leftovers(work.project)

    def _start(self, work: Work) -> None:
        module, *words = work.about["words"]
        said, password = self._said.pop(work.id, (b"", ""))
        secrets = {VARIABLE: password} if password else {}
        with (work.folder / "events").open("wb") as told, (work.folder / "printed").open("wb") as printed:
            process = subprocess.Popen(
                child.command(module, *words), cwd=work.project, stdin=subprocess.PIPE, stdout=printed, stderr=told,
                start_new_session=True, env={**os.environ, "NO_COLOR": "1", **secrets},
            )  # fmt: skip
        assert process.stdin is not None
        with suppress(BrokenPipeError), process.stdin as pipe:
            pipe.write(said)
        self.running[work.id] = work, process
        work.note(state="running", started=time.time())


def _cores() -> int:
    """The processors that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _signal_all(process: subprocess.Popen[bytes], signum: int) -> None:
    """To a process and all that it started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signum)


def _ended(work: Work, code: int, *, is_cancelled: bool) -> dict[str, Any]:
    """What is noted of a process that ended."""
    noted: dict[str, Any] = {"ended": time.time(), "exit_code": code}
    if code == 0 or (work.kind == "anonymize" and (work.release / "private" / "audit.json").is_file()):
        return {**noted, "state": "done", "exit_code": 0}
    if is_cancelled:
        return {**noted, "state": "cancelled"}
    if code < 0:
        name = signal.Signals(-code).name if -code in set(signal.Signals) else str(-code)
        reason = "; the machine ran out of memory, most likely" if name == "SIGKILL" else ""
        noted["message"] = f"the process was ended by the system ({name}){reason}; nothing was published"
    elif not any(event.get("event") == "error" for event in work.events()):
        noted["message"] = f"the process ended with exit code {code}, and told nothing; nothing was published"
    return {**noted, "state": "failed"}


def mark_abandoned(work: Work) -> None:
    """A work that was under way when its server ended is over."""
    if not work.is_over:
        whole = work.kind == "anonymize" and (work.release / "private" / "audit.json").is_file()
        message = "the server was stopped while this ran; nothing was published"
        work.note(**({"state": "done", "exit_code": 0} if whole else {"state": "failed", "message": message}))
        if work.kind == "profile":
            without_leftovers(work.project)
