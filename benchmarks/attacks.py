"""How long the quick attackers take on every real data set, and on a million records: `python -m benchmarks.attacks`.

For each data set below it makes a release, which is not measured, and runs `tacit attack JOB --release DIR --quick` on
it: reading, both risk figures, and every quick attacker against the release and against the original. A name measures
that one alone; figures are kept in benchmarks/attacks.json, and `--write` makes docs/benchmarks-attacks.md of them.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from benchmarks import fresh_rows
from benchmarks.workloads import DATA, write_sample

RECORDS = Path(__file__).with_name("attacks.json")
PAGE = Path(__file__).parents[1] / "docs" / "benchmarks-attacks.md"
TREES = DATA / "taxonomies"
KM = 'model = "km"\nk = 5\nm = 2'


class Work(NamedTuple):
    """A data set and what is promised of it; `roles` says the columns of each role."""

    source: str
    promise: str
    roles: Mapping[str, Sequence[str]] = {}
    settings: Mapping[str, str] = {}
    """More lines for a column."""
    input: str = ""

    def job(self) -> str:
        columns = [(name, role) for role, names in self.roles.items() for name in names]
        tables = [f'[columns."{name}"]\nrole = "{role}"\n{self.settings.get(name, "")}' for name, role in columns]
        head = f'[input]\nsource = "{(DATA / self.source).as_posix()}"\n{self.input}'
        return "\n".join(
            [head, *tables, f"[privacy]\n{self.promise}", "[method]\nseed = 1", '[output]\ndirectory = "out"']
        )


def _tree(name: str) -> str:
    return f'hierarchy = "{(TREES / name).as_posix()}"'


def _columns(source: str, but: Sequence[str] = ()) -> list[str]:
    from tacit.io import read_table

    return [name for name in read_table(DATA / source).column_names if name not in but]


def baskets(source: str, more: str = "", promise: str = KM, input: str = "") -> Callable[[], Work]:
    return lambda: Work(f"transactions/{source}", promise, {"items": ["items"]}, {"items": more}, input)


def records(source: str, sensitive: Sequence[str], but: Sequence[str] = (), promise: str = 'model = "k"\nk = 5',
            input: str = "", trees: str = "") -> Callable[[], Work]:  # fmt: skip
    def made() -> Work:
        quasi = _columns(source, (*sensitive, *but))
        settings = {name: _tree(f"{trees}{name}.csv") for name in quasi} if trees else {}
        return Work(source, promise, {"quasi": quasi, "sensitive": sensitive}, settings, input)

    return made


_DIABETES = "relational/diabetes130.csv.gz"
_WITHOUT = ("encounter_id", "patient_nbr")
_FEW = ["race", "gender", "age", "admission_type_id", "time_in_hospital"]
_SURVEY = "ratings/young_people_survey.csv.gz"
WORKS: dict[str, Callable[[], Work]] = {
    "bms_webview1": baskets("bms_webview1.dat.gz"),
    "bms_webview2": baskets("bms_webview2.dat.gz", _tree("bms_webview2_tree.txt.gz")),
    "fruithut": baskets("fruithut.dat.gz", _tree("fruithut_taxonomy.csv")),
    "groceries": baskets("groceries.csv.gz", 'separator = ","', input='format = "dat.gz"'),
    "msweb": baskets("msweb.dat.gz"),
    "msweb, CAHD": baskets("msweb.dat.gz", 'sensitive = ["1040", "1041"]', 'model = "cahd"\np = 5'),
    "retail": baskets("retail.dat.gz"),
    "informs2005_rt": lambda: Work("rt/informs2005_rt.csv.gz", 'model = "k-km"\nk = 5\nm = 2', {
        "quasi": ["DOBMM", "DOBYY", "RACEX", "EDUCYEAR", "marry"], "items": ["conditions"]},
        {"conditions": f'separator = " "\n{_tree("icd9_tree_even.txt")}'}),
    "youtube": lambda: Work("rt/youtube_sfu_sample.csv.gz", 'model = "k-km"\nk = 5\nm = 2', {
        "quasi": ["age", "category", "length", "rate"], "items": ["related"]}, {"related": 'separator = " "'}),
    "informs2005_demographics": records("rt/informs2005_demographics.csv.gz", ["poverty"], ["DUID", "PID", "DUPERSID"]),
    "informs2005_conditions": lambda: Work("rt/informs2005_conditions.csv.gz", KM, {
        "person": ["DUPERSID"], "items": ["ICD9CODX"]}, input='layout = "long"'),
    "adult_arx": records("relational/adult_arx.csv.gz", ["salary-class"], trees="adult_hierarchy_"),
    "adult_uci, l-diversity": records("relational/adult_uci.csv.gz", ["occupation"], ["split"],
                                      'model = "l"\nk = 5\nl = 2', 'missing = ["?"]'),
    "diabetes130, all columns": records(_DIABETES, ["readmitted", "diag_1"], (*_WITHOUT, "diag_2", "diag_3"),
                                        input='missing = ["?"]'),
    "diabetes130, slices": lambda: Work(_DIABETES, 'model = "sliced-l"\nl = 1.5', {
        "quasi": _FEW, "sensitive": ["readmitted"]}),
    "heart_disease": records("relational/heart_disease.csv", ["num"]),
    "national2019": records("nist/national2019.csv.gz", ["PINCP"], ["PWGTP", "WGTP"], input='missing = ["N"]'),
    "ml-latest-small": lambda: Work("ratings/ml-latest-small/ratings.csv.gz", 'model = "rating-km"\nk = 5\nm = 2', {
        "person": ["userId"], "items": ["movieId"], "rating": ["rating"]},
        {"rating": "scale = [0.5, 5]\nstep = 0.5"}, 'layout = "long"'),
    "young_people_survey": lambda: Work(_SURVEY, 'model = "k-eps"\nk = 5\neps = 1', {
        "rating": _columns(_SURVEY)[:60]},
        dict.fromkeys(_columns(_SURVEY)[:60], "scale = [1, 5]\nstep = 1")),
}  # fmt: skip
MILLION = "1,000,000 records, all different", "1,091,820 baskets"


def job_of(name: str, folder: Path) -> Path:
    """Writes the job, and its data where they are made up."""
    if name == MILLION[0]:
        return fresh_rows.write_job(folder, 1_000_000)
    job = folder / "job.toml"
    if name == MILLION[1]:
        with gzip.open(DATA / "transactions/fruithut.dat.gz") as file:
            lines = np.array(file.read().splitlines(keepends=True), object)
        write_sample(lines, 6, folder / "baskets.dat")
        work = baskets("fruithut.dat.gz", _tree("fruithut_taxonomy.csv"))()
        job.write_text(work._replace(source=(folder / "baskets.dat").as_posix()).job(), encoding="utf-8")
    else:
        job.write_text(WORKS[name]().job(), encoding="utf-8")
    return job


def run(*arguments: str) -> dict[str, Any]:
    """One command of tacit's: seconds of CPU, memory and how it ended."""
    watched = [sys.executable, "-m", "benchmarks.child", sys.executable, "-m", "tacit", *arguments]
    found: dict[str, Any] = json.loads(subprocess.run(watched, capture_output=True, check=True).stdout)
    if found["exit_code"]:
        raise SystemExit(f"tacit {arguments[0]}: {found['said']}")
    return found


def measured(name: str) -> dict[str, Any]:
    """What the attackers take on one data set."""
    from tacit.job import read_job
    from tacit.job.sources import read_source

    with TemporaryDirectory() as made:
        folder = Path(made)
        job = job_of(name, folder)
        run("anonymize", str(job), "--no-attack", "--no-report", "--quiet")
        found = run("attack", str(job), "--release", str(folder / "out"), "--quick", "--quiet")
        table = read_source(read_job(job)).table
        return {
            "name": name, "rows": table.num_rows, "data_mib": table.nbytes / 2**20,
            **{key: found[key] for key in ("seconds", "cpu_seconds", "peak_mib")},
        }  # fmt: skip


def page(runs: Mapping[str, Mapping[str, Any]]) -> str:
    """The page of the documentation."""
    every = [*WORKS, *MILLION]
    lines = [
        f"| {name} | {each['rows']:,} | {each['cpu_seconds']:.1f} | {each['seconds']:.0f} | {each['data_mib']:.0f} "
        f"| {each['peak_mib']:.0f} |"
        for name in every
        if (each := runs.get(name))
    ]
    return "\n".join(
        [
            "# Benchmarks: quick attacks",
            "",
            "Generated by `python -m benchmarks.attacks --write`; do not edit. `tacit attack JOB --release DIR "
            "--quick`: reading both files, risk figures and every quick attacker, against the release and against the "
            "original, up to 2,000 guesses each. One run each, on a machine that did other things, too, so that CPU "
            "seconds say more than those by the clock. The bars are a minute by the clock for a data set, three for a "
            "million records, with two cores for themselves.",
            "",
            f"- cores: {os.cpu_count()}",
            "- data: the table in memory, as Arrow counts it, equal texts once; at its peak: the whole process, of "
            "which about 170 MiB are there for a file of 1,000 records, too: the interpreter, Arrow, NumPy and SciPy.",
            "",
            "| data | rows | CPU seconds | by the clock, shared | data (MiB) | at its peak (MiB) |",
            "| --- | ---: | ---: | ---: | ---: | ---: |",
            *lines,
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.attacks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="data sets, all if none is given")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks-attacks.md of what is measured")
    given = parser.parse_args()
    runs = json.loads(RECORDS.read_text("utf-8")) if RECORDS.is_file() else {}
    names = given.names or ([] if given.write else [*WORKS, *MILLION])
    for name in names:
        runs[name] = measured(name)
        print(name, runs[name], flush=True)
        RECORDS.write_text(json.dumps(runs, indent=1) + "\n", encoding="utf-8")
    if given.write:
        PAGE.write_text(page(runs) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
