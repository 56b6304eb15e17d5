"""The same on Spark: with executors that are processes of their own, one of which dies, and by Spark Connect."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacit.engines import flow, frames
from tacit.engines.session import Session
from tacit.flow import make_release, silent
from tacit.io.formats import format_named
from tacit.job import Job, read_job
from tacit.recoding import to_json

pytestmark = pytest.mark.slow


def _job(folder: Path, rows: int) -> Job:
    """Baskets with one of many items, and one item in all of them."""
    draw = np.random.default_rng(1)
    baskets = [
        ["all", *draw.choice(list("abcdefgh"), draw.integers(0, 4), replace=False).tolist()] for _ in range(rows)
    ]
    baskets[0] = ["all", *(f"item{i}" for i in range(10_000))]
    pq.write_table(pa.table({"basket": baskets}), folder / "data.parquet", row_group_size=max(rows // 4, 1))
    (folder / "job.toml").write_text(
        '[input]\nsource = "data.parquet"\n[columns.basket]\nrole = "items"\n'
        '[privacy]\nmodel = "km"\nk = 3\nm = 2\n[method]\nname = "suppression"\nseed = 1\n'
    )
    return read_job(folder / "job.toml")


def _placed(session: Session, job: Job, target: Path) -> list[list[str]]:
    frame, _ = frames.read(session, job.input)
    decided = flow.decide(frame, job, format_named("parquet"), {}, bytes(32), silent)
    flow.place(session, decided, target, force=False, report=False, progress=silent)
    return pq.read_table(target / "public/data")["basket"].to_pylist()


def _executors() -> Iterator[int]:
    """The processes of executors that this one started."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        if "--executor-id" in words and f"{os.getpid()}" in _ancestors(int(folder.name)):
            yield int(folder.name)


def _ancestors(process: int) -> set[str]:
    found: set[str] = set()
    while process > 1:
        status = Path(f"/proc/{process}/status").read_text().splitlines()
        process = int(next(line.split()[1] for line in status if line.startswith("PPid:")))
        found.add(str(process))
    return found


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are looked up in /proc")
def test_an_executor_that_dies_changes_nothing(spark: Session, tmp_path: Path) -> None:
    job = _job(tmp_path, 4_000)
    local = make_release(pq.read_table(job.input.source), job)
    undisturbed = _placed(spark, job, tmp_path / "one")
    assert (tmp_path / "one/private/recoding.json").read_text() == to_json(local.recoding)
    assert sorted(undisturbed) == sorted(local.table["basket"].to_pylist())
    killed: list[int] = []

    def kill() -> None:
        time.sleep(1)
        for process in list(_executors())[:1]:
            os.kill(process, signal.SIGKILL)
            killed.append(process)

    thread = threading.Thread(target=kill)
    thread.start()
    disturbed = _placed(spark, job, tmp_path / "two")
    thread.join()
    assert killed
    assert disturbed == undisturbed
    recodings = [(tmp_path / name / "private/recoding.json").read_bytes() for name in ("one", "two")]
    assert recodings[0] == recodings[1]
