"""What a release costs on an engine: `python -m benchmarks.cluster KIND MILLIONS ENGINE FOLDER [K]`.

KIND is baskets (sampled from fruithut), varied (its items in baskets of four to eight, nearly all different: what the
driver holds), ratings (a log, like Netflix's) or survey (a row a person, with a hundred ratings), all with m = 2, and
k = 5 unless told. It
prints CPU seconds and the peak of the memory of this process and, where executors are processes of their own, of the
largest of those.
"""

from __future__ import annotations

import gzip
import json
import os
import resource
import shutil
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.workloads import DATA

_AT_ONCE = 1_000_000
_FILMS = 2_000
_QUESTIONS = 100


def write_baskets(target: Path, millions: int) -> None:
    """Baskets drawn from fruithut with replacement."""
    with gzip.open(DATA / "transactions/fruithut.dat.gz", "rt") as lines:
        baskets = pa.array([line.split() for line in lines], pa.list_(pa.string()))
    with pq.ParquetWriter(target, pa.schema([("items", baskets.type)])) as writer:
        for part in range(millions):
            drawn = np.random.default_rng(part).integers(0, len(baskets), _AT_ONCE)
            writer.write_table(pa.table({"items": baskets.take(pa.array(drawn))}))


def write_varied(target: Path, millions: int) -> None:
    """Baskets of fruithut's items, each drawn as often as it is met there, but by itself."""
    with gzip.open(DATA / "transactions/fruithut.dat.gz", "rt") as lines:
        names, met = np.unique([item for line in lines for item in line.split()], return_inverse=True)
    with pq.ParquetWriter(target, pa.schema([("items", pa.list_(pa.string()))])) as writer:
        for part in range(millions):
            draw = np.random.default_rng(part)
            lengths = draw.integers(4, 9, _AT_ONCE)
            items = pa.array(names.tolist()).take(pa.array(met[draw.integers(0, met.size, int(lengths.sum()))]))
            ends = pa.array(np.concatenate(([0], np.cumsum(lengths))), pa.int32())
            writer.write_table(pa.table({"items": pa.ListArray.from_arrays(ends, items)}))


def write_ratings(target: Path, millions: int) -> None:
    """Ratings from 1 to 5 of films that few or many rate, about 166 a person: of a million drawn 828,000 are left, for
    nobody rates a film twice."""
    schema = pa.schema([("user", pa.int32()), ("film", pa.int32()), ("stars", pa.int8())])
    chance = np.cumsum(1 / (np.arange(_FILMS) + 20.0))
    with pq.ParquetWriter(target, schema) as writer:
        for part in range(millions):
            draw = np.random.default_rng(part)
            film = np.searchsorted(chance / chance[-1], draw.random(_AT_ONCE, np.float32)).clip(0, _FILMS - 1)
            user = part * 5_000 + draw.integers(0, 5_000, _AT_ONCE)
            pair = np.unique(user * np.int64(_FILMS) + film)
            stars = np.rint(3.5 + pair % 7 / 10 + draw.standard_normal(pair.size, np.float32)).clip(1, 5)
            columns = [pair // _FILMS, pair % _FILMS, stars]
            writer.write_table(pa.table([pa.array(each).cast(f.type) for each, f in zip(columns, schema, strict=True)],
                                        schema=schema))  # fmt: skip


def write_survey(target: Path, millions: int) -> None:
    """Answers from 1 to 5 to a hundred questions, by people whose mood is in all of them; one in twenty is missing."""
    schema = pa.schema([(f"q{question}", pa.int8()) for question in range(_QUESTIONS)])
    with pq.ParquetWriter(target, schema) as writer:
        for part in range(millions):
            draw = np.random.default_rng(part)
            shape = _AT_ONCE // _QUESTIONS, _QUESTIONS
            mood, liked = draw.normal(3.2, 0.6, (shape[0], 1)), np.linspace(-0.8, 0.8, _QUESTIONS)
            answers = np.rint(mood + liked + draw.standard_normal(shape, np.float32)).clip(1, 5).astype(np.int8)
            is_missing = draw.random(shape, np.float32) < 0.05
            columns = [pa.array(each, mask=mask) for each, mask in zip(answers.T, is_missing.T, strict=True)]
            writer.write_table(pa.table(columns, schema=schema))


def job_text(kind: str, engine: str, k: int) -> str:
    where = {"sail": 'name = "sail"', "local": 'name = "local"'}.get(engine, f'name = "spark"\nmaster = "{engine}"')
    if kind not in ("ratings", "survey"):
        columns = '[columns.items]\nrole = "items"\nhierarchy = "tree.csv"\n'
        asked = f'[privacy]\nmodel = "km"\nk = {k}\nm = 2\n[method]\nname = "mhghs"\nseed = 1\n'
        head = f'[input]\nsource = "{kind}.parquet"\n'
    else:
        scale = 'role = "rating"\nscale = [1, 5]\nstep = 1\n'
        columns = f'[columns.user]\nrole = "person"\n[columns.film]\nrole = "items"\n[columns.stars]\n{scale}'
        asked = f'[privacy]\nmodel = "rating-km"\nk = {k}\nm = 2\n[method]\nseed = 1\n'
        head = f'[input]\nsource = "{kind}.parquet"\n'
        if kind == "survey":
            columns = "".join(f"[columns.q{question}]\n{scale}" for question in range(_QUESTIONS))
        else:
            head += 'layout = "long"\n'
    return head + columns + asked + f"[engine]\n{where}\n"


class Watch(threading.Thread):
    """The most memory of any other process that this one started, and the CPU time of all of them."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.peak: dict[int, int] = {}
        self.cpu: dict[int, float] = {}

    def run(self) -> None:
        while True:
            for process in _below(os.getpid()):
                try:
                    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
                    status = Path(f"/proc/{process}/status").read_text()
                except OSError:
                    continue
                self.cpu[process] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
                held = next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")), 0)
                self.peak[process] = max(self.peak.get(process, 0), held)
            time.sleep(0.5)


def _below(top: int) -> list[int]:
    parents: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(folder.name)] = int(fields[1])
    found: list[int] = []
    for process in parents:
        at = process
        while at in parents and at != top:
            at = parents[at]
        if at == top and process != top:
            found.append(process)
    return found


def main() -> None:
    kind, millions, engine, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3], Path(sys.argv[4])
    k = int(sys.argv[5]) if len(sys.argv) > 5 else 5
    folder.mkdir(parents=True, exist_ok=True)
    data = folder / f"{kind}.parquet"
    mark = folder / f"{kind}.{millions}"
    if not mark.exists():
        for old in folder.glob(f"{kind}.*"):
            old.unlink()
        writers = {
            "baskets": write_baskets, "varied": write_varied, "ratings": write_ratings, "survey": write_survey,
        }  # fmt: skip
        writers[kind](data, millions)
        if kind not in ("ratings", "survey"):
            write_tree(folder / "tree.csv")
        mark.touch()
    (folder / "job.toml").write_text(job_text(kind, engine, k))
    from tacit.flow import anonymize_job
    from tacit.job import read_job

    watch = Watch()
    watch.start()
    before, begun, stages = resource.getrusage(resource.RUSAGE_SELF), time.monotonic(), []

    def told(message: str) -> None:
        used = resource.getrusage(resource.RUSAGE_SELF)
        if ":" not in message:
            stages.append((message, round(used.ru_utime + used.ru_stime + sum(watch.cpu.values()), 1)))

    release = anonymize_job(
        read_job(folder / "job.toml"), directory=folder / "out", force=True, report=False, attacks=False, progress=told
    )
    after = resource.getrusage(resource.RUSAGE_SELF)
    own = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(json.dumps({
        "kind": kind, "k": k, "millions": millions, "engine": engine, "rows": pq.read_metadata(data).num_rows,
        "records": release.utility["records"],
        "cpu_seconds": round(own + sum(watch.cpu.values()), 1), "wall_seconds": round(time.monotonic() - begun, 1),
        "peak_gb_here": round(after.ru_maxrss / 1e6, 2),
        "peak_gb_of_others": [round(each / 1e6, 2) for each in sorted(watch.peak.values(), reverse=True)[:4]],
        "stages_cpu_at": stages, "cost": release.kind.cost_in_words(release.utility),
    }))  # fmt: skip
    shutil.rmtree(folder / "out")


def write_tree(target: Path) -> None:
    """The taxonomy of fruithut with one root."""
    parents = {}
    for line in (DATA / "taxonomies/fruithut_taxonomy.csv").read_text().splitlines()[1:]:
        child, parent = line.split(",")
        parents[child] = parent
    items = [child for child in parents if child not in set(parents.values())]
    lines = []
    for item in items:
        path = [item]
        while path[-1] in parents:
            path.append(parents[path[-1]])
        lines.append(";".join([*path, "*"]))
    target.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
