"""Every method on real data, by `tacit compare`: `python -m benchmarks.grids`, a part of `make bench`.

Each grid is a job file and what of it varies. Cells run one after the other, so that times can be compared; a cell's
`seconds` are those of its process from reading the file to the audit, `search` those of the method alone.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.workloads import DATA
from tacit.compare import compare
from tacit.compare.grid import plan
from tacit.compare.table import rows_of
from tacit.taxonomy import build, write_hierarchy

FILE = Path(__file__).with_name("grids.json")
PAGE = Path(__file__).parents[1] / "docs" / "benchmarks-methods.md"
TIMEOUT = 600.0
WARMING_SHARE = 0.02
SHOWN = ("ncp", "ncp_lower_bound", "ncp_leaf_share", "ncp_items", "ul", "are", "correlation_kept", "kept", "distortion")
"""The measures of a table, as far as its kind of data has them."""


@dataclass(frozen=True)
class Grid:
    """A table of the page: a job, the methods, and what varies."""

    name: str
    title: str
    job: str
    methods: tuple[str, ...]
    vary: tuple[str, ...] = ()


BASKET_METHODS = ("mhghs", "best", "apriori", "vpa", "lra", "suppression", "coat", "pcta", "partition")
COMPARED = "mhghs"
"""The method that the searches of others are compared with, at the same k and m."""


def baskets(name: str, hierarchy: str, methods: tuple[str, ...] = BASKET_METHODS, m: str = "2,3") -> Grid:
    job = (
        f'[input]\nsource = "{{data}}/transactions/{name}.dat.gz"\n'
        f'[columns.items]\nrole = "items"\nhierarchy = "{hierarchy}"\n'
        '[privacy]\nmodel = "km"\nk = 5\nm = 2\n[method]\nseed = 1\n'
    )
    title, only = f"Baskets: {name}", "" if m == "2,3" else f"-m{m}"
    return Grid(f"baskets-{name}{only}", title, job, methods, ("privacy.k=5,25", f"privacy.m={m}"))


def _columns(role: str, hierarchies: dict[str, str]) -> str:
    return "".join(f'[columns.{name}]\nrole = "{role}"\nhierarchy = "{file}"\n' for name, file in hierarchies.items())


def adult(names: Sequence[str], sensitive: str = "") -> str:
    columns = _columns("quasi", {name: f"{{data}}/taxonomies/adult_hierarchy_{name}.csv" for name in names})
    role = f'[columns.{sensitive}]\nrole = "sensitive"\n' if sensitive else ""
    model = '"l"\nk = 5\nl = 2\nkind = "distinct"' if sensitive else '"k"\nk = 5'
    return (
        f'[input]\nsource = "{{data}}/relational/adult_arx.csv.gz"\n{columns}{role}'
        f"[privacy]\nmodel = {model}\n[method]\nseed = 1\n"
    )


SEVEN = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass")
NINE = (*SEVEN, "occupation", "salary-class")
INFORMS = {name: f"{{data}}/taxonomies/informs_{name}_tree.txt" for name in ("DOBMM", "DOBYY", "RACEX", "EDUCYEAR")}
RT = (
    '[input]\nsource = "{persons}"\n'
    + _columns("quasi", {**INFORMS, "income": "{data}/taxonomies/informs_income_tree.txt.gz"})
    + '[columns.conditions]\nrole = "items"\nhierarchy = "{data}/taxonomies/icd9_tree.txt"\n'
    '[privacy]\nmodel = "k-km"\nk = 25\nm = 2\n[method]\nseed = 1\ndelta = 0.65\n'
)
MOVIES = (
    '[input]\nsource = "{data}/ratings/ml-latest-small/ratings.csv.gz"\nlayout = "long"\n'
    '[columns.userId]\nrole = "person"\n[columns.movieId]\nrole = "items"\n'
    '[columns.rating]\nrole = "rating"\nscale = [0.5, 5]\nstep = 0.5\n'
    '[privacy]\nmodel = "k-eps"\nk = 5\neps = 1\n[method]\nseed = 1\n'
)
_ADULT_UCI = ("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "relationship", "race",
              "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income")  # fmt: skip
SLICES = (
    '[input]\nsource = "{adults}"\n'
    + "".join(f'[columns.{name}]\nrole = "quasi"\n' for name in _ADULT_UCI)
    + '[columns.occupation]\nrole = "sensitive"\n[privacy]\nmodel = "sliced-l"\nl = 5\n[method]\nseed = 1\n'
)
GRIDS = (
    baskets("bms_webview1", "{built}/bms_webview1.csv"),
    baskets("bms_webview2", "{data}/taxonomies/bms_webview2_tree.txt.gz"),
    baskets("fruithut", "{data}/taxonomies/fruithut_taxonomy.csv"),
    baskets("retail", "{built}/retail.csv", m="2"),
    baskets("retail", "{built}/retail.csv", ("mhghs", "best", "apriori", "suppression", "partition"), m="3"),
    Grid("adult-7", "Tables: adult_arx, 7 attributes", adult(SEVEN), ("mondrian", "cluster"), ("privacy.k=5,25",)),
    Grid("adult-9", "Tables: adult_arx, 9 attributes", adult(NINE), ("mondrian", "cluster"), ("privacy.k=5,25",)),
    Grid(
        "adult-l",
        "Tables: adult_arx, 7 attributes, 2 distinct occupations",
        adult(SEVEN, "occupation"),
        ("mondrian", "cluster"),
    ),
    Grid(
        "informs",
        "Records with baskets: INFORMS, 26,735 persons",
        RT,
        ("rum-bound", "tum-bound"),
        ("method.merge=r,t,rt",),
    ),
    Grid(
        "informs-ul",
        "Records with baskets: INFORMS, exact order",
        RT,
        ("rum-bound",),
        ("method.merge=t", "method.order=btd,ul"),
    ),
    Grid(
        "informs-first",
        "Records with baskets: INFORMS, the simple methods",
        RT.replace("delta = 0.65\n", ""),
        ("rfirst", "tfirst"),
    ),
    Grid("slices", "Slices: adult_uci, 45,222 complete rows, ℓ = 5", SLICES, ("slicing", "bucketization")),
    Grid("movies", "Ratings: ml-latest-small, ε = 1", MOVIES, ("neighbours", "hamming"), ("privacy.k=5,10,40",)),
)


def run(names: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """The rows of each grid that is asked for; those of the others as they were."""
    found: dict[str, list[dict[str, Any]]] = json.loads(FILE.read_text(encoding="utf-8")) if FILE.is_file() else {}
    with tempfile.TemporaryDirectory() as folder:
        places = _prepared(Path(folder))
        for grid in (grid for grid in GRIDS if not names or grid.name in names):
            print(f"benchmark: {grid.title}", file=sys.stderr, flush=True)
            job = Path(folder) / f"{grid.name}.toml"
            text = grid.job
            for key, place in places.items():
                text = text.replace(f"{{{key}}}", place.as_posix())
            job.write_text(text, encoding="utf-8")
            warming = plan(job, grid.methods, grid.vary, [WARMING_SHARE])
            compare(
                job, warming, Path(folder) / "warm" / grid.name, timeout=TIMEOUT
            )  # compiles what there is to compile
            cells = plan(job, grid.methods, grid.vary)
            outcomes = compare(job, cells, Path(folder) / grid.name, timeout=TIMEOUT, workers=1)
            found[grid.name] = [_kept(row) for row in rows_of(outcomes)]
            found = {grid.name: found[grid.name] for grid in GRIDS if grid.name in found}
            FILE.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return found


def _prepared(folder: Path) -> dict[str, Path]:
    """What the jobs name: the data sets, hierarchies built for those without one, and parts of data sets."""
    import pyarrow.compute as pc

    from tacit.io import format_named, read_table, write_table

    for name in ("bms_webview1", "retail"):
        table = read_table(DATA / "transactions" / f"{name}.dat.gz")
        items = {item for basket in table["items"].to_pylist() for item in basket.split()}
        write_hierarchy(build(sorted(items, key=int), "balanced"), folder / f"{name}.csv")
    persons = read_table(DATA / "rt" / "informs2005_rt.csv.gz")
    with_conditions = persons.filter(pc.greater(pc.utf8_length(persons["conditions"]), 0))
    write_table(with_conditions, folder / "persons.csv", format_named("csv"))
    adults = read_table(DATA / "relational" / "adult_uci.csv.gz")
    for name in adults.column_names:
        adults = adults.filter(pc.not_equal(adults[name], "?"))
    write_table(adults, folder / "adults.csv", format_named("csv"))
    return {"data": DATA, "built": folder, "persons": folder / "persons.csv", "adults": folder / "adults.csv"}


def _kept(row: dict[str, Any]) -> dict[str, Any]:
    """What the page shows of a cell, rounded; nothing of it depends on where it ran but its times."""
    left_out = ("exit_code",)
    return {
        key: float(f"{value:.5g}") if isinstance(value, float) else value
        for key, value in row.items()
        if key not in left_out and value is not None
    }


def page(found: dict[str, list[dict[str, Any]]]) -> str:
    """docs/benchmarks-methods.md."""
    parts = [
        "# Benchmarks: every method",
        "Generated by `python -m benchmarks.grids` with `tacit compare`; do not edit. One cell at a time on two cores, "
        "kernels compiled. `whole` is from reading the file to the audit, no report; `search` is the method, with "
        "the loading of its kernels, and `times mhghs` how long that is against mHgHs at the same k and m (LG, which "
        "has no m: at m = 2).",
    ]
    titles = {grid.name: grid.title for grid in GRIDS}
    for name, rows in found.items():
        settings = [key for key in rows[0] if key in ("k", "m", "l", "method.merge", "method.order")]
        measures = [key for key in SHOWN if any(key in row for row in rows)]
        times = {(row["k"], row.get("m")): row["search_seconds"] for row in rows if row["method"] == COMPARED}
        head = ("method", *settings, "search", *([f"times {COMPARED}"] * bool(times)), "whole", "memory", *measures)
        lines = [head, ("---",) * len(head), *(_line(row, settings, measures, times) for row in rows)]
        parts += [f"## {titles[name]}", "\n".join("| " + " | ".join(line) + " |" for line in lines)]
    return "\n\n".join(parts) + "\n"


def _line(
    row: dict[str, Any], settings: Sequence[str], measures: Sequence[str], times: dict[tuple[int, int], float]
) -> tuple[str, ...]:
    first = (row["method"], *(str(row.get(key, "")) for key in settings))
    if row["status"] != "done":
        said = f"{row['status']}: {row.get('message', '')[:80]}"
        return (*first, said, *([""] * bool(times)), "", "", *("" for _ in measures))
    numbers = (f"{row[key]:.4g}" if key in row else "" for key in measures)
    against = times.get((row.get("k"), row.get("m", min((m for _, m in times), default=0))))
    ratio = [f"{row['search_seconds'] / against:.1f}" if against else ""] if times else []
    whole = (f"{row['seconds']:.1f} s", f"{row['peak_mib']:.0f} MiB")
    return (*first, f"{row['search_seconds']:.2f} s", *ratio, *whole, *numbers)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.grids", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="GRID", help=", ".join(grid.name for grid in GRIDS))
    parser.add_argument("--tables", action="store_true", help="only write the page anew")
    asked = parser.parse_args()
    if not DATA.is_dir():
        print("skipped: the benchmark needs the data sets (shared/data beside the project), which are not here")
        return
    found = json.loads(FILE.read_text(encoding="utf-8")) if asked.tables else run(asked.names)
    PAGE.write_text(page(found), encoding="utf-8")


if __name__ == "__main__":
    main()
