"""The job file of a project, which is all that a run reads: forms change it, and every change can be undone."""

from __future__ import annotations

import re
import secrets
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tacit.errors import InputError
from tacit.job import Job, read_job
from tacit.methods import METHODS
from tacit.web.files import private_folder, read_json, write_json, write_text
from tacit.web.toml import as_text
from tacit.web.workspace import Project

_JOB = "job.toml"
_MOST_STEPS = 100
Files = Mapping[str, str | None]
"""Texts of files by name; None for one that is not there."""


@dataclass(frozen=True)
class Problem:
    """What is wrong with a job, the key that it is about, and what to do."""

    text: str
    hint: str | None = None
    key: str | None = None


@dataclass(frozen=True)
class Desk:
    """Where the job file of a project lies, with the hierarchies that it names."""

    project: Project

    @property
    def text(self) -> str:
        return self.project.job.read_text("utf-8")

    @property
    def tables(self) -> dict[str, Any]:
        try:
            return tomllib.loads(self.text)
        except ValueError:  # written by hand: what is wrong with it is told beside it
            return {}

    def save(self, tables: dict[str, Any], files: Files | None = None) -> None:
        """Changes the job, and hierarchies beside it, in a step that can be undone."""
        self.save_text(as_text(tables), files)

    def save_text(self, text: str, files: Files | None = None) -> None:
        changed = {_JOB: text, **(files or {})}
        before = self._held(changed)
        if before != changed:
            self._push("undo", before)
            for file in self._steps("redo"):
                file.unlink()
            self._put(changed)

    def undo(self) -> bool:
        """Takes the last step back; False if there is none."""
        return self._swap("undo", "redo")

    def redo(self) -> bool:
        return self._swap("redo", "undo")

    @property
    def can_undo(self) -> bool:
        return bool(self._steps("undo"))

    @property
    def can_redo(self) -> bool:
        return bool(self._steps("redo"))

    def problem(self, tables: dict[str, Any] | None = None) -> Problem | None:
        """What keeps a job from being run, as far as that can be told without opening the data."""
        text = self.text if tables is None else as_text(tables)
        return self.problem_of(text)

    def problem_of(self, text: str) -> Problem | None:
        trial = self.project.folder / f".{secrets.token_hex(6)}.toml"
        write_text(trial, text)
        try:
            self._check_places(read_job(trial))
        except InputError as error:
            named = re.match(
                r"(input|columns|privacy|method|release|output)\.(\"[^\"]*\"|[\w-]+)(?:\.(\w+))?", error.problem
            )
            key = named[0].replace('"', "") if named else None
            line = f"line {error.line}: " if error.line and key is None else ""
            return Problem(line + error.problem, error.hint, key)
        finally:
            trial.unlink()
        return None

    def _check_places(self, job: Job) -> None:
        """Files of a job lie in its project: nothing else is read through a page, and the data stay on this machine."""
        takes = METHODS[job.method.name].options if job.method.name else {}
        named = [
            job.method.options[key] for key, option in takes.items() if option.is_path and key in job.method.options
        ]
        joined = [join.source for join in job.input.join if join.source is not None]
        places = [job.input.source, *joined, *(column.hierarchy for column in job.columns if column.hierarchy), *named]
        for place in places:
            inside = (self.project.folder / place).resolve().is_relative_to(self.project.folder.resolve())
            if not inside or "://" in str(place) or str(place).startswith("jdbc:"):
                hint = "Load the file on this page, or use `tacit anonymize` in a terminal."
                raise InputError("the job names a file that is not part of this project", hint=hint)
        if job.engine.remote or not (job.engine.master or "local").startswith("local"):
            hint = "Use `tacit anonymize` in a terminal for a cluster."
            raise InputError("the job names another machine, and data do not leave this one from here", hint=hint)

    def _held(self, names: Files) -> dict[str, str | None]:
        places = {name: self.project.folder / name for name in names}
        return {name: file.read_text("utf-8") if file.is_file() else None for name, file in places.items()}

    def _put(self, files: Files) -> None:
        for name, text in files.items():
            file = self.project.folder / Path(name).name
            if text is None:
                file.unlink(missing_ok=True)
            else:
                write_text(file, text)

    def _steps(self, way: str) -> list[Path]:
        return sorted((self.project.folder / way).glob("*.json"))

    def _push(self, way: str, files: Files) -> None:
        steps = self._steps(way)
        number = int(steps[-1].stem) + 1 if steps else 1
        write_json(private_folder(self.project.folder / way) / f"{number:06}.json", dict(files))
        for old in steps[: max(0, len(steps) + 1 - _MOST_STEPS)]:
            old.unlink()

    def _swap(self, way: str, back: str) -> bool:
        steps = self._steps(way)
        if not steps:
            return False
        files = read_json(steps[-1])
        self._push(back, self._held(files))
        self._put(files)
        steps[-1].unlink()
        return True
