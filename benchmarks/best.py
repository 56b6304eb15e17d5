"""`python -m benchmarks.best`: how much `best` wins on five real data sets, what it costs, and what its bound proves.

Writes benchmarks/best.json as it goes and then the table of docs/methods/best.md. Cases that the file has are left
alone, so that a run can be taken up again.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.workloads import DATA
from tacit.encode import split_baskets
from tacit.io import read_table
from tacit.taxonomy import balanced, read_hierarchy
from tacit.transactions.best import best, certified
from tacit.transactions.hghs import hghs, mhghs
from tacit.transactions.problem import Problem, pose

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


def problem_of(name: str, folder: Path = DATA) -> Problem:
    """A data set with its hierarchy, as the searches see it."""
    baskets = split_baskets(read_table(folder / f"transactions/{name}.dat.gz")["items"], separator=" ")
    file = HIERARCHIES[name]
    tree = balanced(baskets.vocabulary) if file is None else read_hierarchy(folder / file, set(baskets.vocabulary))
    return pose(tree, baskets.indptr, baskets.items, tree.find_leaves(baskets.vocabulary))


def measured(problem: Problem, m: int, k: int) -> dict[str, float]:
    """Losses, and the CPU time of each search: other work on the machine does not count."""
    found: dict[str, float] = {}
    for search in (mhghs, hghs, best):
        start = time.process_time()
        outcome = search(problem, k, m)
        found[f"{search.__name__}_seconds"] = time.process_time() - start
        found[search.__name__] = outcome.cost / problem.unit
    start = time.process_time()
    proved = certified(problem, k, m, outcome)
    found["bound_seconds"] = time.process_time() - start
    found["certified"], found["bound"] = proved.cost / problem.unit, (proved.bound or 0) / problem.unit
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.best", description=__doc__)
    parser.add_argument("--data", nargs="*", default=list(HIERARCHIES), choices=list(HIERARCHIES))
    parser.add_argument("--m", nargs="*", type=int, default=[2, 3, 5])
    parser.add_argument("--tables", action="store_true", help="only write the table anew")
    asked = parser.parse_args(arguments)
    records: dict[str, Any] = json.loads(RECORDS.read_text("utf-8")) if RECORDS.is_file() else {}
    if not asked.tables:
        _compile()
        for name in asked.data:
            problem = problem_of(name)
            for m, k in ((m, k) for each, m, k in CASES if each == name and m in asked.m):
                if f"{name} {m} {k}" not in records:
                    records[f"{name} {m} {k}"] = measured(problem, m, k)
                    RECORDS.write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")
                    print(name, m, k, records[f"{name} {m} {k}"], flush=True)
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    PAGE.write_text(before + BEGIN + table(records) + END + rest.partition(END)[2], encoding="utf-8")


def table(records: dict[str, dict[str, float]]) -> str:
    """The records as Markdown."""
    lines = [
        "| data | m | k | mHgHs | HgHs | best | less than mHgHs | at least | left to win | best takes | bound takes |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, m, k in CASES:
        case = records.get(f"{name} {m} {k}")
        if case is None:
            continue
        loss = case["certified"]
        times = case["best_seconds"] / max(case["mhghs_seconds"], 1e-9)
        lines.append(
            f"| {name} | {m} | {k} | {case['mhghs']:.2%} | {case['hghs']:.2%} | {loss:.2%} "
            f"| {1 - loss / case['mhghs']:.1%} "
            f"| {case['bound']:.2%} | {1 - case['bound'] / loss:.1%} | {case['best_seconds']:.1f} s ({times:.1f}×) "
            f"| {case['bound_seconds']:.1f} s |"
        )
    return "\n".join(lines) + "\n"


def _compile() -> None:
    """Compiling is no part of the times."""
    problem = problem_of("msweb")
    for m in (2, 3):
        certified(problem, 50, m, best(problem, 50, m))


if __name__ == "__main__":
    main()
