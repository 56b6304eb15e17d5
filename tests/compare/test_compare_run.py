"""Cells in processes of their own: what they come to, resumed, too slow, failing; table and page."""

from __future__ import annotations

import csv
import html
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from support.commands import BASKETS, JOB, make_shop, shop_rows, tacit, write_csv
from tacit.commands.samples import demo_job
from tacit.compare import run
from tacit.compare.cell import run_cell, sampled
from tacit.compare.grid import Cell, plan
from tacit.compare.page import comparison_page, plots
from tacit.compare.scratch import scratch
from tacit.compare.table import as_csv, as_text, exit_code, judged, measures_of, rows_of
from tacit.errors import InputError, PromiseError
from tacit.job import Input


@pytest.fixture(scope="module")
def comparison(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """A finished comparison of the shop: two cells that are done, one whose promise is out of reach."""
    folder = tmp_path_factory.mktemp("shop")
    make_shop(folder)
    arguments = ("--methods", "mhghs,partition", "--vary", "privacy.k=2,40", "-o", folder / "cmp", "--json")
    ended = tacit("compare", folder / "job.toml", *arguments)
    assert ended.code == 0, ended.err
    return folder, ended


def test_what_a_cell_comes_to(tmp_path: Path) -> None:
    outcome = run_cell(plan(make_shop(tmp_path))[0])
    assert (outcome["status"], outcome["exit_code"]) == ("done", 0)
    assert outcome["utility"]["ncp"] == pytest.approx(0.1205, abs=1e-4)
    assert outcome["peak_mib"] > 10
    assert set(outcome["stages"]) == {"reading", "encoding", "searching", "recoding", "auditing"}
    assert sum(outcome["stages"].values()) <= outcome["seconds"]
    with pytest.raises(PromiseError, match="only 15 of 16 baskets"):
        run_cell(plan(make_shop(tmp_path), vary=["privacy.k=40"])[0])


def test_the_command(comparison: tuple[Path, Any]) -> None:
    folder, ended = comparison
    cells = ended.json()["cells"]
    assert [(cell["method"], cell["model"], cell["parameters"], cell["status"]) for cell in cells] == [
        ("mhghs", "km", {"k": 2, "m": 2}, "done"),
        ("mhghs", "km", {"k": 40, "m": 2}, "failed"),
        ("partition", "transactional-k", {"k": 2}, "done"),
        ("partition", "transactional-k", {"k": 40}, "failed"),
    ]
    assert cells[1]["exit_code"] == 3
    assert "only 15 of 16 baskets are not empty" in cells[1]["message"]
    assert "4 of 4" in ended.err
    names = {path.relative_to(folder / "cmp").as_posix() for path in (folder / "cmp").rglob("*")}
    assert names == {
        "cells",
        "cells.json",
        "table.csv",
        "index.html",
        *(f"cells/{cell['cell']}.json" for cell in cells),
    }
    assert json.loads((folder / "cmp/cells.json").read_text())["cells"] == cells
    table = list(csv.DictReader((folder / "cmp/table.csv").open(newline="")))
    assert [row["status"] for row in table] == ["done", "failed", "done", "failed"]
    assert [row["m"] for row in table] == ["2", "2", "", ""]
    assert float(table[0]["ncp"]) == pytest.approx(cells[0]["utility"]["ncp"], rel=1e-9)


def test_nobody_else_may_read_the_files(comparison: tuple[Path, Any]) -> None:
    folder, _ = comparison
    files = [path for path in (folder / "cmp").rglob("*") if path.is_file()]
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}, "messages may name items"
    assert "for the data's owner alone" in html.unescape((folder / "cmp/index.html").read_text())


@pytest.mark.slow
def test_cells_that_are_done_tell_nothing_of_the_data(comparison: tuple[Path, Any]) -> None:
    folder, ended = comparison
    for path in (folder / "cmp").rglob("*.*"):
        text = path.read_text()
        for word in ("caviar", "scone", "dairy", "N1", "T1"):
            assert not re.search(rf"\b{word}\b", text), f"{path.name} holds {word}"
    assert "caviar" not in ended.out + ended.err


def test_finished_cells_are_taken_and_failed_ones_tried_again(comparison: tuple[Path, Any]) -> None:
    folder, first = comparison
    arguments = (folder / "job.toml", "--methods", "mhghs", "--vary", "privacy.k=2,40", "-o", folder / "cmp", "--json")
    again = tacit("compare", *arguments)
    assert again.json()["cells"][0] == first.json()["cells"][0], "to the last digit of its time"
    assert again.err.count("from before") == 1
    kept = tacit("compare", *arguments, "--keep-failed")
    assert kept.err.count("from before") == 2
    assert kept.json()["cells"] == again.json()["cells"]


def test_a_cell_that_is_too_slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job = make_shop(tmp_path)
    monkeypatch.setattr(sys, "executable", make_program(tmp_path, "exec sleep 1000"))
    ended = tacit("compare", job, "-o", tmp_path / "cmp", "--timeout", 0.1, "--json")
    assert ended.code == 1, "no cell was done"
    (cell,) = ended.json()["cells"]
    assert (cell["status"], cell["message"], cell["exit_code"]) == ("timeout", "took longer than 0.1 s", None)
    assert "too slow" in (tmp_path / "cmp/index.html").read_text()


def test_how_it_ends_if_no_cell_is_done(tmp_path: Path) -> None:
    job = make_shop(tmp_path)
    assert tacit("compare", job, "-o", tmp_path / "one", "--set", "privacy.k=40").code == 3
    assert tacit("compare", job, "-o", tmp_path / "two", "--vary", "input.rows=400").code == 2
    assert [exit_code([{"exit_code": c} for c in codes]) for codes in ([3, 0], [2, 3], [None, None])] == [0, 1, 1]


def test_a_process_that_dies_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cells = plan(make_shop(tmp_path))
    (tmp_path / "cells").mkdir()

    def outcome(*code: str) -> dict[str, Any]:
        aside = tmp_path / "aside"
        shutil.rmtree(aside, ignore_errors=True)
        aside.mkdir()
        monkeypatch.setattr(sys, "executable", make_program(tmp_path, *code))
        options = {"timeout": None, "workers": 1, "keep_failed": False, "tell": lambda *ended: None}
        return run.run_cells(cells, tmp_path / "cells", aside, **options)[0]

    assert "SIGKILL" in outcome("kill -9 $$")["message"]
    assert outcome("echo boom >&2", "exit 7")["message"] == "boom"
    assert outcome("exit 7") == {
        **cells[0].about(),
        "status": "failed",
        "exit_code": 7,
        "message": "ended with exit code 7",
    }


def make_program(folder: Path, *lines: str) -> str:
    program = folder / "program.sh"
    program.write_text("\n".join(["#!/bin/sh", *lines]) + "\n")
    program.chmod(0o700)
    return str(program)


def test_one_at_a_time_where_memory_is_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cell = plan(make_shop(tmp_path))[0]
    monkeypatch.setattr(run, "_free_mib", lambda: 1000.0)
    assert run._fits(cell, 500.0)
    assert not run._fits(cell, 900.0)
    assert run._fits(cell, 0.0), "a small file, and nothing known yet"
    monkeypatch.setattr(run, "_free_mib", lambda: None)
    assert run._fits(cell, 1e9), "nothing is known, nothing is held back"


def test_samples_are_nested_and_leave_the_order() -> None:
    table = pa.table({"basket": [str(i) for i in range(50)]})
    cell = Cell(replace(plan_of_nothing(), input=Input("x")), {})
    small, large = sampled(table, replace(cell, rows=10))["basket"], sampled(table, replace(cell, share=0.5))["basket"]
    assert (len(small), len(large)) == (10, 25)
    assert set(small.to_pylist()) < set(large.to_pylist())
    assert [int(i) for i in large.to_pylist()] == sorted(int(i) for i in large.to_pylist())
    assert sampled(table, cell) is table
    with pytest.raises(InputError, match=r"input\.rows is 51, but the data has 50 records"):
        sampled(table, replace(cell, rows=51))


def plan_of_nothing() -> Any:
    from tacit.job import Column, Job, Output
    from tacit.promises import KmAnonymity

    columns = (Column("who", "person"), Column("what", "items"))
    return Job(Input("x", layout="long"), columns, KmAnonymity(2, 2), Output(Path("out")))


def test_a_sample_of_a_long_layout_is_one_of_people() -> None:
    table = pa.table({"who": ["a", "b", "a", "c", "d", "b"], "what": list("xyzxyz")})
    people = sampled(table, Cell(plan_of_nothing(), {}, rows=2))["who"].to_pylist()
    assert len(set(people)) == 2
    assert all(people.count(who) == table["who"].to_pylist().count(who) for who in set(people))


def test_a_database_is_asked_once(tmp_path: Path) -> None:
    import sqlite3

    with sqlite3.connect(tmp_path / "shop.db") as database:
        database.execute("create table visits (basket text)")
        database.executemany("insert into visits values (?)", [(basket,) for basket in BASKETS])
    text = '[input]\nsource = "sqlite:///shop.db"\ntable = "visits"\n[columns.basket]\nrole = "items"\n'
    (tmp_path / "job.toml").write_text(text + '[privacy]\nmodel = "km"\nk = 2\nm = 2\n')
    cells = plan(tmp_path / "job.toml", ["mhghs", "suppression"])
    with scratch(tmp_path) as aside:
        ready = run.fetched(cells, aside)
        assert len({cell.copy for cell in ready}) == 1
        names = {cell.name for cell in ready}
        assert run_cell(ready[0])["utility"]["records"] == len(BASKETS)
        copy = ready[0].copy
        assert copy is not None
        assert aside.stat().st_mode & 0o077 == 0, "nobody else's business"
    assert not aside.exists()
    with sqlite3.connect(tmp_path / "shop.db") as database:
        database.execute("insert into visits values ('milk')")
    with scratch(tmp_path) as aside:
        ready = run.fetched(cells, aside)
        assert names.isdisjoint(cell.name for cell in ready), "other data, other cells"


def test_what_killed_runs_left_is_removed_and_what_others_use_is_not(tmp_path: Path) -> None:
    killed = "import os, sys; from pathlib import Path; from tacit.compare.scratch import scratch\n"
    killed += "with scratch(Path(sys.argv[1])) as aside: (aside / '0.parquet').touch(); os._exit(1)"
    subprocess.run([sys.executable, "-c", killed, tmp_path], check=False)
    (left,) = tmp_path.iterdir()
    assert (left / "0.parquet").is_file()
    reused = tmp_path / f".running-{os.getppid()}"
    reused.mkdir()
    with scratch(tmp_path) as one:
        assert list(tmp_path.iterdir()) == [one], "whatever number a process has now"
        (one / "0.parquet").touch()
        with scratch(tmp_path) as other:
            assert sorted(tmp_path.iterdir()) == sorted([one, other])
            assert (one / "0.parquet").is_file(), "in use, though by a process of the same number"
        assert list(tmp_path.iterdir()) == [one]
    assert not list(tmp_path.iterdir())


def test_a_folder_taken_for_abandoned_before_it_was_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import fcntl

    taken: list[Path] = []
    lock = fcntl.flock

    def late(descriptor: int, operation: int) -> None:
        if not taken:  # another run is quicker
            taken.extend(tmp_path.iterdir())
            shutil.rmtree(taken[0])
        lock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", late)
    with scratch(tmp_path) as aside:
        assert aside.is_dir()
        assert aside != taken[0]


def test_two_runs_write_the_same_file(tmp_path: Path) -> None:
    (tmp_path / "cells").mkdir()
    code = "import sys; from pathlib import Path; from tacit.compare.scratch import scratch, write_private\n"
    code += "with scratch(Path(sys.argv[1])) as aside:\n"
    code += " for _ in range(400): write_private(Path(sys.argv[1], 'cells', 'x.json'), sys.argv[2] * 5000, aside)"
    runs = [subprocess.Popen([sys.executable, "-c", code, tmp_path, text]) for text in "ab"]
    assert [run.wait() for run in runs] == [0, 0]
    assert (tmp_path / "cells/x.json").read_text() in ("a" * 5000, "b" * 5000)
    assert [path.name for path in tmp_path.rglob("*")] == ["cells", "x.json"]


def outcome(method: str, settings: dict[str, Any], ncp: float | None, **others: Any) -> dict[str, Any]:
    parameters = {key.removeprefix("privacy."): value for key, value in settings.items() if key.startswith("privacy.")}
    state = (
        {"status": "failed", "exit_code": 3, "message": "k = 9 <b>"}
        if ncp is None
        else {"status": "done", "exit_code": 0}
    )
    utility = {} if ncp is None else {"utility": {"records": 9, "suppressed": 0.5, "ncp": ncp, "odd": {"2": 0.1}}}
    return {"method": method, "model": "km", "parameters": parameters, "settings": settings, "seconds": 1.5,
            "peak_mib": 99.0, **state, **utility, **others}  # fmt: skip


GRID = [
    outcome("a", {"privacy.k": k, "privacy.m": m}, 0.01 * k * m if k < 9 else None) for k in (5, 2, 9) for m in (1, 2)
] + [outcome("b", {"privacy.k": k}, 0.5) for k in (2, 5)]


def test_the_records_of_the_plots() -> None:
    """A method that m means nothing to stands in the chart of every m; a cell that failed has no point."""
    one, two = plots(GRID, "privacy.k", "ncp")
    assert one.title == "ncp against k, m = 1"
    assert one.records == [
        {"method": "a", "x": 2, "y": 0.02}, {"method": "b", "x": 2, "y": 0.5},
        {"method": "a", "x": 5, "y": 0.05}, {"method": "b", "x": 5, "y": 0.5},
    ]  # fmt: skip
    assert [record["y"] for record in two.records if record["method"] == "a"] == [0.04, 0.10]
    assert [chart.title for chart in plots(GRID, "privacy.m", "seconds")] == [
        "time (seconds) against m, k = 5", "time (seconds) against m, k = 2", "time (seconds) against m, k = 9"
    ]  # fmt: skip
    assert plots(GRID[:1], "privacy.k", "ncp") == [], "one value makes no line"
    wide = [outcome("a", {"privacy.k": k}, 0.001 * k) for k in (1, 900)]
    assert plots(wide, "privacy.k", "ncp")[0].spec["encoding"]["y"]["title"] == "ncp, logarithmic"


def test_the_table() -> None:
    rows = rows_of(GRID)
    assert list(rows[0])[:9] == [
        "method",
        "model",
        "k",
        "m",
        "status",
        "exit_code",
        "seconds",
        "search_seconds",
        "peak_mib",
    ]
    assert judged(GRID) == ["ncp", "suppressed"], "the loss first; the others have no direction"
    assert rows[-1]["m"] is None
    text = as_csv(rows).splitlines()
    assert text[0].endswith("records,suppressed,ncp,odd.2,message")
    assert text[6] == "a,km,9,2,failed,3,1.5,,99,,,,,k = 9 <b>"
    lines = as_text(GRID).splitlines()
    assert lines[0].split() == ["method", "model", "k", "m", "status", "seconds", "peak_mib", "ncp", "message"]
    assert lines[1].split() == ["a", "km", "5", "1", "done", "1.5000", "99.0", "0.0500"]


def test_the_page_stands_alone_and_is_inert() -> None:
    evil = [*GRID, outcome("c", {"privacy.k": 2, "method.x": "<script>"}, None)]
    page = comparison_page("job <i>.toml", evil)
    assert not re.search(r"https?://|src=|href=|@import|url\(|<script|<i>|<b>", page)
    assert "k = 9 &lt;b&gt;" in page
    assert "failed (exit 3)" in page
    assert page.count("<svg") >= 6
    assert "Method by method" in comparison_page("job.toml", [outcome("a", {}, 0.1), outcome("b", {}, 0.2)])


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (("--methods", "magic"), "which is not a method tacit knows"),
        (("--vary", "privacy.k=0"), "privacy.k is 0"),
        (("--sample", "2"), "2 is no share of the data"),
    ],
)
def test_bad_input_runs_no_cell(tmp_path: Path, arguments: tuple[str, ...], wanted: str) -> None:
    ended = tacit("compare", make_shop(tmp_path), "-o", tmp_path / "cmp", *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert wanted in ended.err
    assert not (tmp_path / "cmp").exists()


def test_a_folder_that_holds_something_else(tmp_path: Path) -> None:
    job = make_shop(tmp_path)
    ended = tacit("compare", job, "-o", tmp_path)
    assert ended.code == 2
    assert "holds something else than a comparison" in ended.err
    assert tacit("compare", job, "-o", job).code == 2


def test_a_cell_file_that_is_broken(tmp_path: Path) -> None:
    job = make_shop(tmp_path)
    (tmp_path / "cmp/cells").mkdir(parents=True)
    (tmp_path / f"cmp/cells/{plan(job, attacks=True)[0].name}.json").write_text("{")
    ended = tacit("compare", job, "-o", tmp_path / "cmp")
    assert ended.code == 2
    assert "this is not a cell that tacit saved" in ended.err


@pytest.mark.slow
def test_long_data_in_the_command(tmp_path: Path) -> None:
    rows = [{"who": f"p{i}", "item": item} for i, row in enumerate(shop_rows()) for item in row["basket"].split()]
    make_shop(tmp_path)
    write_csv(tmp_path / "long.csv", rows)
    text = JOB.replace('source = "shop.csv"', 'source = "long.csv"\nlayout = "long"').replace(
        "columns.name", "columns.who"
    )
    text = text.replace('"identifier"', '"person"').replace("columns.basket", "columns.item")
    (tmp_path / "job.toml").write_text(text.replace('[columns.town]\nrole = "plain"\n', ""))
    ended = tacit("compare", tmp_path / "job.toml", "-o", tmp_path / "cmp", "--sample", "0.8", "--json")
    assert ended.code == 0, ended.err
    assert ended.json()["cells"][0]["utility"]["records"] == 12


@pytest.mark.parametrize("kind", ["baskets", "records", "slices", "ratings"])
def test_every_kind_of_data(kind: str) -> None:
    """The samples that ship with the package, a quarter of each: measures are numbers, and one stands for the loss."""
    with demo_job(kind, Path("out")) as job:
        assert job.file is not None
        (cell,) = plan(job.file, shares=[0.25])
        made = {**cell.about(), **run_cell(cell)}
    assert all(value is None or isinstance(value, int | float) for value in measures_of(made).values())
    assert judged([made])[0] in ("ncp", "distortion_per_rating", "are")
    assert rows_of([made])[0]["records"] > 100
