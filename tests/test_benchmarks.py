"""The benchmark: how it measures, that its workloads are solved as recorded, and that the pages show the last run."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from benchmarks import page, records
from benchmarks.__main__ import main
from benchmarks.workloads import SEARCHES, WORKLOADS, K, Workload, load, write_sample

from tacit.arrays.sparse import as_sets, keep_where, take_rows
from tacit.audits.km import check
from tacit.baskets.solvers.problem import pose_baskets
from tacit.promises import KmAnonymity

ROOT = Path(__file__).resolve().parents[1]
QUICK = {("bms_webview2", "mhghs", 2)}


def marked(workload: Workload) -> object:
    quick = (workload.data, workload.method, workload.m) in QUICK
    return pytest.param(workload, id=workload.label, marks=() if quick else pytest.mark.slow)


@pytest.mark.parametrize("workload", [marked(workload) for workload in WORKLOADS])
def test_workloads_are_solved_as_recorded(workload: Workload, shared_data: Path) -> None:
    data = load(workload.data, shared_data)
    problem = pose_baskets(data)
    found = SEARCHES[workload.method](problem, K, workload.m)
    recorded = records.read().search(workload.data, workload.method, workload.m)
    assert found.cost / problem.unit == pytest.approx(recorded.ncp, abs=1e-9)

    becomes = np.full(len(problem), -1, np.int32)
    for code, node in enumerate(np.setdiff1d(found.cut, found.suppressed).tolist()):
        becomes[node : problem.tree.end[node]] = code
    shown = becomes[problem.items]
    everyone = np.repeat(np.arange(problem.weight.size), problem.weight)
    baskets = take_rows(*as_sets(*keep_where(problem.indptr, shown, shown >= 0)), everyone)
    labels = [str(code) for code in range(becomes.max() + 1)]
    audited = check(*baskets, labels, KmAnonymity(K, workload.m))
    assert audited.satisfied


def test_the_pages_show_the_last_records() -> None:
    last = records.read()
    readme = (ROOT / "README.md").read_text("utf-8")
    assert (ROOT / "docs" / "benchmarks.md").read_text("utf-8") == page.page(last)
    assert page.with_comparison(readme, last) == readme


def test_the_records_cover_every_workload() -> None:
    last = records.read()
    assert [(s.data, s.method, s.m) for s in last.searches] == [(w.data, w.method, w.m) for w in WORKLOADS]


def test_a_bar_that_is_broken_shows() -> None:
    slow = dataclasses.replace(records.read(), help_seconds=0.5)
    assert "`tacit --help`" in [bar.workload for bar in page.bars(slow) if not bar.holds]
    assert "| `tacit --help` | 0.50 s | 0.4 s | **no** |" in page.page(slow)


def test_another_lg_of_the_same_run_is_a_bar() -> None:
    lg = records.read().command("partition", None).seconds
    for times, holds in ((11, True), (9, False), (None, None)):
        other = None if times is None else times * lg
        found = page.bars(dataclasses.replace(records.read(), other_lg_seconds=other))
        assert [bar.holds for bar in found if "in the same run" in bar.workload] == ([] if holds is None else [holds])


def test_records_survive_their_file(tmp_path: Path) -> None:
    last = records.read()
    records.save(last, tmp_path / "records.json")
    assert records.read(tmp_path / "records.json") == last


def test_without_the_data_it_says_so_and_ends_well(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["--data", str(tmp_path / "absent")])
    assert capsys.readouterr().out.startswith("skipped:")


def test_a_child_is_measured_by_its_own_time_and_memory() -> None:
    code = "import time; block = b'x' * (200 << 20); time.sleep(0.2); raise SystemExit(3)"
    ballast = np.ones(300 << 17)  # 300 MiB in this process must not count
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks.child", sys.executable, "-c", code],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    found = json.loads(run.stdout)
    assert found["exit_code"] == 3
    assert found["seconds"] >= 0.2
    assert 200 <= found["peak_mib"] < 290
    assert ballast[-1] == 1


def test_samples_are_seeded_and_of_the_size_asked_for(tmp_path: Path) -> None:
    lines = np.array([b"1 2\n", b"\n", b"3\n"], object)
    sizes = [write_sample(lines, 4, tmp_path / name, at_once=5) for name in ("one", "two")]
    first, second = ((tmp_path / name).read_bytes() for name in ("one", "two"))
    assert sizes == [12, 12]
    assert first == second
    assert first.count(b"\n") == 12
    assert set(first.splitlines(keepends=True)) <= set(lines)
