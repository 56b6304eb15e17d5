"""The same on Spark: with executors that are processes of their own, one of which dies, and by Spark Connect."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacit.engines import flow, frames, records
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


_SHAPES = {
    "baskets": (
        '[columns.basket]\nrole = "items"\n', 'model = "km"\nk = 3\nm = 2', 'name = "suppression"',
    ),
    "records": (
        '[columns.age]\nrole = "quasi"\n[columns.ill]\nrole = "sensitive"\n', 'model = "l"\nk = 3\nl = 1.5', "",
    ),
    "ratings": (
        '[columns.q0]\nrole = "rating"\nscale = [1, 5]\nstep = 1\n'
        '[columns.q1]\nrole = "rating"\nscale = [1, 5]\nstep = 1\n[columns.id]\nrole = "person"\n',
        'model = "rating-km"\nk = 3\nm = 2', "",
    ),
    "close ratings": (
        '[columns.q0]\nrole = "rating"\nscale = [1, 5]\nstep = 1\n'
        '[columns.q1]\nrole = "rating"\nscale = [1, 5]\nstep = 1\n[columns.id]\nrole = "person"\n',
        'model = "k-eps"\nk = 3\neps = 1', "",
    ),
}  # fmt: skip


def _each_kind(folder: Path) -> dict[str, Job]:
    """A job for each kind of data, of one file."""
    draw, rows = np.random.default_rng(2), 300
    baskets = [draw.choice(list("abcdef"), draw.integers(0, 4), replace=False).tolist() for _ in range(rows)]
    table = pa.table({
        "id": [f"p{i}" for i in range(rows)], "basket": baskets, "age": draw.integers(18, 70, rows),
        "ill": draw.choice(["flu", "cold", "gout"], rows), "q0": draw.integers(1, 6, rows),
        "q1": draw.integers(1, 6, rows),
    })  # fmt: skip
    pq.write_table(table, folder / "data.parquet", row_group_size=100)
    jobs = {}
    for kind, (columns, promise, method) in _SHAPES.items():
        (folder / f"{kind}.toml").write_text(
            f'[input]\nsource = "data.parquet"\n{columns}[privacy]\n{promise}\n[method]\nseed = 1\n{method}\n'
        )
        jobs[kind] = read_job(folder / f"{kind}.toml")
    return jobs


def _released(session: Session, job: Job, target: Path) -> list[dict[str, object]]:
    frame, _ = frames.read(session, job.input)
    parquet = format_named("parquet")
    if job.promise.kind_of_data == "baskets":
        decided = flow.decide(frame, job, parquet, {}, bytes(32), silent)
        flow.place(session, decided, target, force=False, report=False, progress=silent)
    else:
        flow.place_shares(session, frame, job, parquet, {}, bytes(32), target, force=False, report=False, strict=False,
                          progress=silent)  # fmt: skip
    return pq.read_table(target / "public/data").to_pylist()


@pytest.mark.parametrize("engine", ["spark", "connect"])
def test_every_engine_gives_the_same_release(
    engine: str, request: pytest.FixtureRequest, sail: Session, tmp_path: Path
) -> None:
    session = request.getfixturevalue(engine)
    for kind, job in _each_kind(tmp_path).items():
        own = _released(session, job, tmp_path / f"{engine} {kind}")
        assert own == _released(sail, job, tmp_path / f"sail {kind}")
        decisions = [(tmp_path / f"{name} {kind}/private/recoding.json").read_bytes() for name in (engine, "sail")]
        assert decisions[0] == decisions[1]


def test_lost_shuffle_files_change_nothing(spark: Session, spark_files: Path, tmp_path: Path) -> None:
    job = _job(tmp_path, 4_000)
    undisturbed = _placed(spark, job, tmp_path / "one")
    before, lost = set(spark_files.rglob("shuffle_*")), list[Path]()
    is_done = threading.Event()

    def lose() -> None:
        while not lost and not is_done.is_set():
            for file in set(spark_files.rglob("shuffle_*.data")) - before:
                file.unlink(missing_ok=True)
                lost.append(file)
            time.sleep(0.01)

    thread = threading.Thread(target=lose)
    thread.start()
    disturbed = _placed(spark, job, tmp_path / "two")
    is_done.set()
    thread.join()
    assert lost
    assert disturbed == undisturbed


def test_a_driver_that_is_killed_leaves_no_release(tmp_path: Path) -> None:
    _job(tmp_path, 400_000)
    out = tmp_path / "out"
    command = [
        sys.executable,
        "-m",
        "tacit",
        "anonymize",
        str(tmp_path / "job.toml"),
        "-o",
        str(out),
        "--engine",
        "sail",
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    begun: list[Path] = []
    while process.poll() is None and not begun:
        begun = [file for file in tmp_path.rglob("*.parquet") if file.parent != tmp_path]
        time.sleep(0.002)
    process.kill()
    process.wait()
    assert begun
    assert not [folder for folder in tmp_path.rglob("public") if folder.is_dir()]
    assert not out.exists()


def test_a_group_with_half_of_all_records_and_a_basket_with_everything(sail: Session, tmp_path: Path) -> None:
    """Skewed data: one value of half of all, divided between parts, so that no task has it all."""
    draw, rows = np.random.default_rng(3), 4_000
    age = np.where(np.arange(rows) % 2 == 0, 40, draw.integers(18, 70, rows))
    pq.write_table(pa.table({"age": age, "pay": draw.integers(1, 9, rows)}), tmp_path / "data.parquet")
    (tmp_path / "job.toml").write_text(
        '[input]\nsource = "data.parquet"\n[columns.age]\nrole = "quasi"\n[columns.pay]\nrole = "quasi"\n'
        '[privacy]\nmodel = "k"\nk = 3\n[method]\nseed = 1\n'
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records, "PART_ROWS", 500)
        job = read_job(tmp_path / "job.toml")
        shown = _released(sail, job, tmp_path / "out")
    assert len(shown) == rows
    baskets = _placed(sail, _job(tmp_path, 500), tmp_path / "baskets")
    assert len(baskets) == 500


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
