"""Spark with executors that are processes of their own, one of which dies, and whose files are lost.

It runs in a process of its own, which `test_engine_spark.py` starts: in one that has seen Spark Connect, be it by Sail,
pyspark makes no other session.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from engines import test_engine_large as large
from support.engine_cases import basket_job, each_kind, frame_in_and_out, placed, released
from tacit.engines.session import Session
from tacit.flow import make_release
from tacit.recoding import to_json

pytestmark = pytest.mark.slow


def test_releases_of_each_kind(spark: Session) -> None:
    """Their like by another engine is what they are compared with."""
    folder = Path(os.environ["TACIT_TEST_FOLDER"])
    for kind, job in each_kind(folder).items():
        assert len(released(spark, job, folder / f"spark {kind}")) == 300


def test_frames_in_and_out(spark: Session, tmp_path: Path) -> None:
    frame_in_and_out(spark, tmp_path)


def test_large_groups_are_judged_from_counts(spark: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    large.test_all_that_is_found_is_found_locally(spark, tmp_path, monkeypatch, "l by frequency", 3)
    large.test_itemsets_of_groups_are_counted_in_pieces(spark, tmp_path, monkeypatch, "k-lm, l = 1.5", 3)


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


def test_lost_shuffle_files_change_nothing(spark: Session, spark_files: Path, tmp_path: Path) -> None:
    job = basket_job(tmp_path, 4_000)
    undisturbed = placed(spark, job, tmp_path / "one")
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
    disturbed = placed(spark, job, tmp_path / "two")
    is_done.set()
    thread.join()
    assert lost
    assert disturbed == undisturbed


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are looked up in /proc")
def test_an_executor_that_dies_changes_nothing(spark: Session, tmp_path: Path) -> None:
    job = basket_job(tmp_path, 4_000)
    local = make_release(pq.read_table(job.input.source), job)
    undisturbed = placed(spark, job, tmp_path / "one")
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
    disturbed = placed(spark, job, tmp_path / "two")
    thread.join()
    assert killed
    assert disturbed == undisturbed
    recodings = [(tmp_path / name / "private/recoding.json").read_bytes() for name in ("one", "two")]
    assert recodings[0] == recodings[1]
