"""`python -m benchmarks.least_loss`: what every method of k^m-anonymity loses on every data set of baskets.

Each with the hierarchy that `tacit hierarchy build` makes, and with its own where it has one. Only the search is run,
and what it decided is applied: the figure is NCP. Writes benchmarks/least_loss.json as it goes, what is there is left
alone, and then the table of docs/methods/best.md.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from functools import cache
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.workloads import DATA
from tacit.baskets.kind import apply, encode
from tacit.baskets.measures import measure_loss
from tacit.baskets.measures.shown import shown
from tacit.job import read_job
from tacit.job.sources import read_source
from tacit.methods import METHODS
from tacit.promises import KmAnonymity
from tacit.shuffle import Shuffle
from tacit.taxonomy import balanced
from tacit.taxonomy.read import write_hierarchy

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "benchmarks" / "least_loss.json"
PAGE = ROOT / "docs" / "methods" / "best.md"
BEGIN, END = "<!-- table: python -m benchmarks.least_loss -->\n", "<!-- end of the losses -->\n"
OWN = {
    "msweb": None,
    "bms_webview1": None,
    "groceries": "groceries_hierarchy.csv",
    "bms_webview2": "bms_webview2_tree.txt.gz",
    "fruithut": "fruithut_taxonomy.csv",
    "retail": None,
}
"""The data sets, and the hierarchy that each comes with."""
SEARCHES: dict[str, tuple[str, dict[str, Any]]] = {
    "best": ("best", {}),
    "best, related": ("best", {"sets": "related"}),
    "best, names": ("best", {"sets": False}),
    **{name: (name, {}) for name in ("coat", "pcta", "mhghs", "hghs", "apriori", "vpa", "lra", "suppression")},
}
"""What stands in the columns of the table: a method, and options other than its own defaults."""
CASES = [
    (name, hierarchy, m, k)
    for name, own in OWN.items()
    for hierarchy in ("built", "own")
    if hierarchy == "built" or own is not None
    for m, k in product((2, 3), (5, 25))
]


@cache
def data_of(name: str, hierarchy: str) -> Any:
    """A data set as methods see it."""
    separator = 'format = "dat.gz"\n[columns.items]\nseparator = ","\n' if name == "groceries" else "[columns.items]\n"
    ending = "csv" if name == "groceries" else "dat"
    with TemporaryDirectory() as folder:

        def encoded(tree: Path | None) -> Any:
            file = Path(folder) / "job.toml"
            file.write_text(
                f'[input]\nsource = "{DATA}/transactions/{name}.{ending}.gz"\n{separator}role = "items"\n'
                + ("" if tree is None else f'hierarchy = "{tree}"\n')
                + '[privacy]\nmodel = "km"\nk = 5\nm = 2\n',
                encoding="utf-8",
            )
            job = read_job(file)
            return encode(read_source(job)[0], job, {}, None).data

        if hierarchy == "own":
            return encoded(DATA / "taxonomies" / str(OWN[name]))
        built = Path(folder) / "built.csv"
        write_hierarchy(balanced(encoded(None).items.baskets.vocabulary), built)
        return encoded(built)


def measured(case: tuple[str, str, int, int], search: str) -> dict[str, float]:
    """NCP, and the CPU seconds of the search."""
    name, hierarchy, m, k = case
    data, (method, options) = data_of(name, hierarchy), SEARCHES[search]
    promise = KmAnonymity(k=k, m=m)
    declared = METHODS[method]
    began = time.process_time()
    decided = declared.search(promise)(
        data,
        promise,
        seed=1,
        hidden=Shuffle.keyed(bytes(32), "losses"),
        progress=lambda _: None,
        **declared.checked(options),
    )
    seconds = time.process_time() - began
    return {"ncp": measure_loss(shown(data.items, apply(data, decided)))["ncp"], "seconds": seconds}


def table(records: dict[str, dict[str, float]]) -> str:
    """NCP in percent, the least of each line in bold; a dash for what was not measured."""
    lines = [
        f"| data | hierarchy | m | k | {' | '.join(SEARCHES)} |",
        f"| --- | --- | ---: | ---: |{' ---: |' * len(SEARCHES)}",
    ]
    for case in CASES:
        losses = [records.get(_key(case, search), {}).get("ncp") for search in SEARCHES]
        least = min((loss for loss in losses if loss is not None), default=None)
        if least is not None:
            cells = " | ".join(_cell(loss, least) for loss in losses)
            lines.append(f"| {case[0]} | {case[1]} | {case[2]} | {case[3]} | {cells} |")
    return "\n".join(lines) + "\n"


def _cell(loss: float | None, least: float) -> str:
    if loss is None:
        return "–"
    return f"**{100 * loss:.2f}**" if loss == least else f"{100 * loss:.2f}"


def _key(case: tuple[str, str, int, int], search: str) -> str:
    return " ".join(map(str, (*case, search)))


def _read() -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = json.loads(FILE.read_text("utf-8")) if FILE.is_file() else {}
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.least_loss", description=__doc__)
    parser.add_argument("--data", nargs="*", default=list(OWN), choices=list(OWN), help="none: only the table")
    parser.add_argument("--m", nargs="*", type=int, default=[2, 3])
    parser.add_argument("--searches", nargs="*", default=list(SEARCHES), choices=list(SEARCHES))
    asked = parser.parse_args(arguments)
    for case, search in product(CASES, asked.searches):
        if case[0] in asked.data and case[2] in asked.m and _key(case, search) not in _read():
            found = measured(case, search)
            FILE.write_text(json.dumps(_read() | {_key(case, search): found}, indent=1) + "\n", encoding="utf-8")
            print(_key(case, search), found, flush=True)
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    PAGE.write_text(before + BEGIN + table(_read()) + END + rest.partition(END)[2], encoding="utf-8")


if __name__ == "__main__":
    main()
