"""The same on Spark: with executors that are processes, by Spark Connect, and when things go wrong."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from support.engine_cases import basket_job, each_kind, frame_in_and_out, placed, released
from tacit.engines import records
from tacit.engines.session import Session
from tacit.errors import InputError
from tacit.job import read_job

pytestmark = pytest.mark.slow


def test_classic_spark_gives_the_same_release(sail: Session, tmp_path: Path) -> None:
    """And what happens to executors and their files changes nothing: see `classic_spark.py`."""
    command = [sys.executable, "-m", "pytest", "-q", "-m", "slow", "-p", "no:cacheprovider", "-rs"]
    own = {name: value for name, value in os.environ.items() if not name.startswith("SPARK_")}  # of Sail's session
    ended = subprocess.run(
        [*command, str(Path(__file__).with_name("classic_spark.py"))],
        env={**own, "TACIT_TEST_FOLDER": str(tmp_path)}, capture_output=True, text=True,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stdout[-3000:]
    if "skipped" in ended.stdout:
        pytest.skip("Spark needs Java 17, and there is none on this machine")
    for kind, job in each_kind(tmp_path).items():
        shown = pq.read_table(tmp_path / f"spark {kind}/public/data").to_pylist()
        assert shown == released(sail, job, tmp_path / f"sail {kind}")


def test_spark_connect_gives_the_same_release(connect: Session, sail: Session, tmp_path: Path) -> None:
    for kind, job in each_kind(tmp_path).items():
        own = released(connect, job, tmp_path / f"connect {kind}")
        assert own == released(sail, job, tmp_path / f"sail {kind}")
        decisions = [(tmp_path / f"{name} {kind}/private/recoding.json").read_bytes() for name in ("connect", "sail")]
        assert decisions[0] == decisions[1]


def test_frames_in_and_out_by_spark_connect(connect: Session, tmp_path: Path) -> None:
    frame_in_and_out(connect, tmp_path)


def test_a_table_of_a_database_is_read_by_jdbc(connect: Session, tmp_path: Path) -> None:
    """Spark brings a database with it, which lives inside its one process."""
    baskets = [" ".join(row) for row in (["a", "b"], ["a", "b"], ["a", "b", "c"], ["a"]) for _ in range(5)]
    frame = connect.spark.createDataFrame([(text,) for text in baskets], "basket string")
    url = "jdbc:derby:memory:shop"
    frame.write.format("jdbc").option("url", f"{url};create=true").option("dbtable", "sold").save()
    shown = []
    for asked in ('table = "sold"', 'query = "SELECT * FROM sold"'):
        (tmp_path / "job.toml").write_text(
            f'[input]\nsource = "{url}"\n{asked}\n[columns.basket]\nrole = "items"\n[privacy]\nmodel = "km"\nk = 5\n'
            'm = 2\n[method]\nname = "suppression"\nseed = 1\n[engine]\nname = "spark"\n'
        )
        rows = released(connect, read_job(tmp_path / "job.toml"), tmp_path / asked[:5])
        shown.append(sorted(str(row["basket"]) for row in rows))
    assert shown == [sorted(baskets), sorted(baskets)]
    job = read_job(tmp_path / "job.toml", overrides=["input.query=SELECT nothing FROM sold"])
    with pytest.raises(InputError, match="the database: the engine cannot read this"):
        released(connect, job, tmp_path / "none")


def test_a_driver_that_is_killed_leaves_no_release(tmp_path: Path) -> None:
    basket_job(tmp_path, 400_000)
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
    process = subprocess.Popen([*command, "--engine", "sail"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
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
        shown = released(sail, job, tmp_path / "out")
    assert len(shown) == rows
    baskets = placed(sail, basket_job(tmp_path, 500), tmp_path / "baskets")
    assert len(baskets) == 500
