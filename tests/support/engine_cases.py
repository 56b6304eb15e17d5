"""Small jobs for tests of engines, and releases of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import tacit
from tacit.engines import flow, frames
from tacit.engines.forms import form_of
from tacit.engines.session import Session
from tacit.flow import make_release
from tacit.io.formats import format_named
from tacit.job import Job, read_job
from tacit.steps.stages import silent


def basket_job(folder: Path, rows: int) -> Job:
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


def placed(session: Session, job: Job, target: Path) -> list[list[str]]:
    frame, _ = frames.read(session, job.input)
    decided = flow.decide(frame, job, format_named("parquet"), {}, bytes(32), silent)
    flow.place(session, decided, target, force=False, report=False, progress=silent)
    return pq.read_table(target / "public/data")["basket"].to_pylist()


_SHAPES = {
    "baskets": (
        '[columns.basket]\nrole = "items"\n', 'model = "km"\nk = 3\nm = 2', 'name = "suppression"',
    ),
    "records": (
        '[columns.age]\nrole = "quasi"\n[columns.ill]\nrole = "sensitive"\n', 'model = "l"\nk = 3\nl = 1.5', "",
    ),
    "persons": (
        '[columns.age]\nrole = "quasi"\n[columns.ill]\nrole = "sensitive"\n[columns.who]\nrole = "person"\n',
        'model = "l"\nk = 3\nl = 1.5', "",
    ),
    "sets of items": ('[columns.basket]\nrole = "items"\n', 'model = "km"\nk = 3\nm = 2', 'name = "coat"'),
    "local names": ('[columns.basket]\nrole = "items"\n', 'model = "km"\nk = 3\nm = 2', 'name = "lra"'),
    "slicing": (
        '[columns.age]\nrole = "quasi"\n[columns.q0]\nrole = "quasi"\n[columns.ill]\nrole = "sensitive"\n',
        'model = "sliced-l"\nl = 2', 'name = "slicing"',
    ),
    "equal baskets": ('[columns.basket]\nrole = "items"\n', 'model = "transactional-k"\nk = 3', ""),
    "groups": ('[columns.basket]\nrole = "items"\nsensitive = ["f"]\n', 'model = "cahd"\np = 2', ""),
    "slices": (
        '[columns.age]\nrole = "quasi"\n[columns.ill]\nrole = "sensitive"\n', 'model = "sliced-l"\nl = 2',
        'name = "bucketization"',
    ),
    "ratings": (
        '[columns.q0]\nrole = "rating"\nscale = [1, 5]\nstep = 1\n'
        '[columns.q1]\nrole = "rating"\nscale = [1, 5]\nstep = 1\n[columns.id]\nrole = "person"\n',
        'model = "rating-km"\nk = 3\nm = 2', "",
    ),
    "a log of ratings": (
        'layout = "long"\n[columns.who]\nrole = "person"\n[columns.film]\nrole = "items"\n'
        '[columns.q0]\nrole = "rating"\nscale = [1, 5]\nstep = 1\n',
        'model = "rating-km"\nk = 3\nm = 1', "",
    ),
    "close ratings": (
        '[columns.q0]\nrole = "rating"\nscale = [1, 5]\nstep = 1\n'
        '[columns.q1]\nrole = "rating"\nscale = [1, 5]\nstep = 1\n[columns.id]\nrole = "person"\n',
        'model = "k-eps"\nk = 3\neps = 1', "",
    ),
}  # fmt: skip


def each_kind(folder: Path) -> dict[str, Job]:
    """A job for each kind of data, of one file."""
    draw, rows = np.random.default_rng(2), 300
    baskets = [draw.choice(list("abcdef"), draw.integers(0, 4), replace=False).tolist() for _ in range(rows)]
    table = pa.table({
        "id": [f"p{i}" for i in range(rows)], "basket": baskets, "age": draw.integers(18, 70, rows),
        "ill": draw.choice(["flu", "cold", "gout"], rows), "q0": draw.integers(1, 6, rows),
        "q1": draw.integers(1, 6, rows), "who": [f"p{i % 200}" for i in range(rows)],
        "film": [f"f{i // 200}" for i in range(rows)],
    })  # fmt: skip
    pq.write_table(table, folder / "data.parquet", row_group_size=100)
    jobs = {}
    for kind, (columns, promise, method) in _SHAPES.items():
        (folder / f"{kind}.toml").write_text(
            f'[input]\nsource = "data.parquet"\n{columns}[privacy]\n{promise}\n[method]\nseed = 1\n{method}\n'
        )
        jobs[kind] = read_job(folder / f"{kind}.toml")
    return jobs


def frame_in_and_out(session: Session, folder: Path) -> None:
    """A frame of the engine's own goes in, one comes out, and what is saved of it is the same."""
    job = each_kind(folder)["baskets"]
    frame = session.spark.read.parquet(str(job.input.source)).select("basket")
    release = tacit.anonymize(frame, job.promise, items="basket", method="suppression", seed=1)
    assert type(release.data) is type(frame)
    local = make_release(pq.read_table(job.input.source, columns=["basket"]), job)
    shown = [row["basket"] for row in release.data.collect()]
    assert sorted(shown) == sorted(local.table["basket"].to_pylist())
    release.save(folder / "saved", report=False)
    assert pq.read_table(folder / "saved/public/data")["basket"].to_pylist() == shown


def released(session: Session, job: Job, target: Path) -> list[dict[str, object]]:
    frame, _ = frames.read(session, job.input)
    parquet = format_named("parquet")
    if form_of(job) is None:
        decided = flow.decide(frame, job, parquet, {}, bytes(32), silent)
        flow.place(session, decided, target, force=False, report=False, progress=silent)
    else:
        flow.place_shares(session, frame, job, parquet, {}, bytes(32), target, force=False, report=False, strict=False,
                          progress=silent)  # fmt: skip
    return pq.read_table(target / "public/data").to_pylist()
