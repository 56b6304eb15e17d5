"""`python -m benchmarks.best`: how much `best` wins on five real data sets, what it costs, and what its bound proves.

Writes benchmarks/best.json as it goes and then the table of docs/methods/best.md. What the file has is left alone,
so that a run can be taken up again.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.measure import anonymize
from benchmarks.workloads import DATA
from tacit.arrays.encode import Baskets, split_baskets
from tacit.baskets.solvers.best import best, certified
from tacit.baskets.solvers.hghs import mhghs
from tacit.baskets.solvers.lattice import Anonymization
from tacit.baskets.solvers.problem import Problem, pose
from tacit.io import read_table
from tacit.taxonomy import balanced, read_hierarchy
from tacit.taxonomy.read import write_hierarchy

ROOT = Path(__file__).resolve().parents[1]
RECORDS = ROOT / "benchmarks" / "best.json"
PAGE = ROOT / "docs" / "methods" / "best.md"
BEGIN, END = "<!-- table: python -m benchmarks.best -->\n", "<!-- end of the table -->\n"

HIERARCHIES = {
    "bms_webview1": None,
    "bms_webview2": "taxonomies/bms_webview2_tree.txt.gz",
    "fruithut": "taxonomies/fruithut_taxonomy.csv",
    "msweb": None,
    "retail": None,
}
"""Of each data set; None for one that is built over the sorted items."""
CASES = [(name, m, k) for name in HIERARCHIES for m in (2, 3, 5) for k in (5, 25)]


@cache
def problem_of(name: str) -> Problem:
    """A data set with its hierarchy, as the searches see it."""
    baskets, file = _baskets(name), HIERARCHIES[name]
    tree = balanced(baskets.vocabulary) if file is None else read_hierarchy(DATA / file, set(baskets.vocabulary))
    return pose(tree, baskets.indptr, baskets.items, tree.find_leaves(baskets.vocabulary))


def searches(name: str, m: int, k: int) -> dict[str, float]:
    """Losses, and the CPU time of each search: other work on the machine does not count."""
    problem = problem_of(name)
    found: dict[str, float] = {}
    for search in (mhghs, best):
        outcome, seconds = _timed(lambda search=search: search(problem, k, m))  # type: ignore[misc]
        found |= {search.__name__: float(outcome.cost / problem.unit), f"{search.__name__}_seconds": seconds}
    return found


def commands(name: str, m: int, k: int) -> dict[str, float]:
    """What the whole command takes with mHgHs and with `best`, names alone, and what `best` tells then."""
    found: dict[str, float] = {}
    with TemporaryDirectory() as folder:
        for method in ("mhghs", "best"):
            job = (
                f'[input]\nsource = "{DATA}/transactions/{name}.dat.gz"\n'
                f'[columns.items]\nrole = "items"\nhierarchy = "{hierarchy_of(name, Path(folder))}"\n'
                f'[privacy]\nmodel = "km"\nk = {k}\nm = {m}\n[method]\nname = "{method}"\nseed = 1\n'
                + ("sets = false\n" if method == "best" else "")
            )
            run, utility = anonymize(job, Path(folder), 1)
            found |= {f"{method}_command": run.cpu_seconds, f"{method}_mib": run.peak_mib}
    return {**found, "default": utility["ncp"], "default_bound": utility["ncp_lower_bound"]}


def bounds(name: str, m: int, k: int) -> dict[str, float]:
    """The thorough bound, what comes up on the way to it, and its CPU time."""
    problem = problem_of(name)
    start = best(problem, k, m)
    proved, seconds = _timed(lambda: certified(problem, k, m, start))
    loss, bound = float(proved.cost / problem.unit), float((proved.bound or 0) / problem.unit)
    return {"certified": loss, "bound": bound, "bound_seconds": seconds}


PARTS = {"searches": searches, "commands": commands, "bounds": bounds}


def hierarchy_of(name: str, folder: Path) -> Path:
    """The file of a data set's hierarchy, built if it has none."""
    if HIERARCHIES[name] is not None:
        return DATA / str(HIERARCHIES[name])
    path = folder / f"{name}.csv"
    if not path.is_file():
        write_hierarchy(balanced(_baskets(name).vocabulary), path)
    return path


def _baskets(name: str) -> Baskets:
    return split_baskets(read_table(DATA / f"transactions/{name}.dat.gz")["items"], separator=" ")


def _timed(work: Callable[[], Anonymization]) -> tuple[Anonymization, float]:
    start = time.process_time()
    return work(), time.process_time() - start


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.best", description=__doc__)
    parser.add_argument("--data", nargs="*", default=list(HIERARCHIES), choices=list(HIERARCHIES))
    parser.add_argument("--m", nargs="*", type=int, default=[2, 3, 5])
    parser.add_argument("--parts", nargs="*", default=list(PARTS), choices=list(PARTS), help="none: only the table")
    asked = parser.parse_args(arguments)
    if asked.parts:
        _compile()
    for part, (name, m, k) in product(asked.parts, CASES):
        if name in asked.data and m in asked.m and part not in _read().get(f"{name} {m} {k}", {}):
            found = PARTS[part](name, m, k)
            records = _read()
            records.setdefault(f"{name} {m} {k}", {})[part] = found
            RECORDS.write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")
            print(name, m, k, found, flush=True)
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    PAGE.write_text(before + BEGIN + table(_read()) + END + rest.partition(END)[2], encoding="utf-8")


def _read() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(RECORDS.read_text("utf-8")) if RECORDS.is_file() else {}
    return found


def table(records: dict[str, dict[str, dict[str, float]]]) -> str:
    """The records as Markdown; a dash for what has not been measured.

    `bounds_before`, in the records, are bounds of an earlier version, for as long as there are no new ones.
    """
    lines = [
        "| data | m | k | mHgHs | best | less than mHgHs | quick bound | thorough bound | left to win "
        "| search | command | thorough bound takes |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, m, k in CASES:
        parts = records.get(f"{name} {m} {k}", {})
        if "searches" not in parts:
            continue
        case = {key: value for part in parts.values() for key, value in part.items()}
        loss = min(case[key] for key in ("best", "default", "certified") if key in case)
        left = f"{1 - case['bound'] / loss:.1%}" if "bound" in case else "–"
        ends = f"{case['bound_seconds']:.1f} s" if "bound_seconds" in case else "–"
        lines.append(
            f"| {name} | {m} | {k} | {case['mhghs']:.2%} | {loss:.2%} | {1 - loss / case['mhghs']:.1%} "
            f"| {_share(case, 'default_bound')} | {_share(case, 'bound')} | {left} "
            f"| {_times(case, 'seconds')} | {_times(case, 'command')} | {ends} |"
        )
    return "\n".join(lines) + "\n"


def _share(case: dict[str, float], what: str) -> str:
    return f"{case[what]:.2%}" if what in case else "–"


def _times(case: dict[str, float], what: str) -> str:
    """What `best` takes, and how many times mHgHs that is."""
    if f"best_{what}" not in case:
        return "–"
    ratio = case[f"best_{what}"] / max(case[f"mhghs_{what}"], 1e-9)
    return f"{case[f'best_{what}']:.1f} s ({ratio:.1f}×)"


def _compile() -> None:
    """Compiling is no part of the times."""
    problem = problem_of("msweb")
    for m in (2, 3):
        certified(problem, 50, m, best(problem, 50, m))


if __name__ == "__main__":
    main()
