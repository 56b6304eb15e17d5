"""`python -m benchmarks`, or `make bench`: measure, print, write docs/benchmarks.md and the comparison in README.md."""

from __future__ import annotations

import argparse
import gzip
import os
import platform
import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks import measure, page, records
from benchmarks.records import Command, Records, Scale, Search
from benchmarks.workloads import DATA, DATA_SETS, RIVALS, SCALES, WORKLOADS, job_text, load, write_sample


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave out the 18 million baskets; print, write nothing")
    parser.add_argument("--tables", action="store_true", help="only write the tables anew, from the last records")
    parser.add_argument("--repeat", type=int, default=5, help="runs per time (default 5); their median counts")
    parser.add_argument(
        "--other-lg", metavar="COMMAND", help="the public LG on bms_webview2, k = 5, to time beside ours"
    )
    parser.add_argument("--data", type=Path, default=DATA, help="where the data sets are")
    asked = parser.parse_args(arguments)
    if not asked.tables:
        if not asked.data.is_dir():
            print("skipped: the benchmark needs the data sets (shared/data beside the project), which are not here")
            return
        found = run(asked.data, asked.repeat, SCALES[:-1] if asked.quick else SCALES, asked.other_lg)
        print(page.page(found))
        if asked.quick:
            return
        records.save(found)
    write_tables(records.read())


def run(data: Path, repeat: int, scales: Sequence[int], other_lg: str | None = None) -> Records:
    """Measures everything, in one process where things are compared with each other."""
    _say("warming up")
    load_before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        measure.command("demo", "-o", f"{folder}/out")
    floor, searches = {}, []
    for name in DATA_SETS:
        loaded = load(name, data)
        counting: list[float] = []
        for work in (work for work in WORKLOADS if work.data == name):
            _say(work.label)
            counting += measure.count_pairs(loaded, repeat)
            searching = measure.search_seconds(loaded, work.method, work.m, repeat)
            with tempfile.TemporaryDirectory() as folder:
                files = DATA_SETS[name]
                job = job_text(data / files.baskets, data / files.hierarchy, work.method, work.m)
                whole, utility = measure.anonymize(job, Path(folder), max(1, repeat // 2))
            found = Search(name, work.method, work.m, searching, *whole, utility["ncp"], utility["ncp_leaf_share"])
            searches.append(found)
        floor[name] = median(counting)
    commands = tuple(_rivals(data, repeat))
    other = measure.other_program(other_lg, repeat) if other_lg else None
    _say("starting times")
    helping = measure.median_run([measure.command("--help") for _ in range(2 * repeat)]).seconds
    cold, warm = measure.cold_and_warm_demo(repeat)
    scaled = tuple(_scale(data, scales, repeat))
    busy = f"{load_before:.1f} before, {os.getloadavg()[0]:.1f} after; work other than the benchmark's is in it"
    machine = {**_machine(), "load average": busy}
    return Records(machine, floor, tuple(searches), commands, scaled, helping, cold, warm, other)


def _rivals(data: Path, repeat: int) -> Iterator[Command]:
    """The whole commands that stand beside those of other tools."""
    files = DATA_SETS["bms_webview2"]
    for method, m in RIVALS:
        _say(f"whole command with {method}, m = {m}")
        with tempfile.TemporaryDirectory() as folder:
            job = job_text(data / files.baskets, data / files.hierarchy, method, m)
            whole, utility = measure.anonymize(job, Path(folder), repeat)
        yield Command(method, m, *whole, utility["ncp_leaf_share"])


def _scale(data: Path, scales: Sequence[int], repeat: int) -> list[Scale]:
    """The whole command on ever more baskets; three runs are enough where one takes minutes."""
    files = DATA_SETS["fruithut"]
    with gzip.open(data / files.baskets) as file:
        lines = np.array(file.read().splitlines(keepends=True), object)
    found = []
    for times in scales:
        _say(f"fruithut, {times} times as many baskets")
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "baskets.dat"
            baskets = write_sample(lines, times, source)
            job = job_text(source, data / files.hierarchy, "mhghs", 2)
            whole, _ = measure.anonymize(job, Path(folder), min(repeat, 3))
        found.append(Scale(times, baskets, *whole))
    return found


def write_tables(found: Records) -> None:
    docs, readme = measure.ROOT / "docs" / "benchmarks.md", measure.ROOT / "README.md"
    docs.write_text(page.page(found), encoding="utf-8")
    readme.write_text(page.with_comparison(readme.read_text(encoding="utf-8"), found), encoding="utf-8")
    print(f"wrote {docs.relative_to(measure.ROOT)} and the comparison in {readme.name}")


def _machine() -> dict[str, str]:
    parts = ("numpy", "numba", "scipy", "pyarrow")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "machine": f"{os.cpu_count()} cores ({_processor()}), {memory:.0f} GiB of memory, {platform.system()}",
        "versions": f"tacit {version('tacit')}, Python {platform.python_version()}, "
        + ", ".join(f"{part} {version(part)}" for part in parts),
    }


def _processor() -> str:
    described = Path("/proc/cpuinfo")
    if described.is_file():
        for line in described.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.machine()


def _say(what: str) -> None:
    print(f"benchmark: {what}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
