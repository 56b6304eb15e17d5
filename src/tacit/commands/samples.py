"""The samples that ship with the package: each is a directory with data, a hierarchy and a job file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

from tacit.errors import InputError
from tacit.job import Job, read_job

SAMPLES = ("baskets", "records", "slices", "ratings")


@contextmanager
def demo_job(name: str, output: Path) -> Iterator[Job]:
    """The job of a sample, its release going to `output`; its files are there while the block runs."""
    if name not in SAMPLES:
        raise InputError(f"there is no sample {name!r}", hint=f"Choose one of: {', '.join(SAMPLES)}.")
    with _folder(name) as folder:
        job = read_job(folder / "job.toml")
        yield replace(job, output=replace(job.output, directory=output.absolute()))


@contextmanager
def _folder(name: str) -> Iterator[Path]:
    """The directory of a sample; where the package lies in a zip, a copy that lives as long as the block."""
    inside = files("tacit") / "samples" / name
    if isinstance(inside, Path):
        yield inside
        return
    with TemporaryDirectory() as copy:  # `as_file` takes a directory of a zip only from Python 3.12 on
        for file in inside.iterdir():
            Path(copy, file.name).write_bytes(file.read_bytes())
        yield Path(copy)
