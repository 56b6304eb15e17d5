"""`python -m studies.frontier`: the frontier of records with baskets against the six configurations of Poulis et al.

For each data set one run gives our whole curve; each of the six runs once for each δ. It writes
docs/studies/frontier.md and its images, with the numbers in studies/points/frontier.json.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from benchmarks.youtube_like import youtube_like

from studies.common import DATA, picture
from tacit.errors import PromiseError
from tacit.io import format_named, read_table
from tacit.job import Column, Input, Job, Method, Output
from tacit.promises import KKmAnonymity
from tacit.records.data import read_records
from tacit.records.items import record_problem
from tacit.records.solvers.bounds import Choice, bounded
from tacit.records.solvers.cutting import losses_together
from tacit.records.solvers.frontier import balanced, item_losses
from tacit.records.solvers.merge import MERGES
from tacit.records.solvers.parts import TRANSFORMATIONS, Parts
from tacit.records.solvers.posing import first_clusters
from tacit.records.solvers.problem import RecordProblem, rows_by_group
from tacit.report.charts import curve_and_points

POINTS = Path(__file__).with_name("points") / "frontier.json"
PAGE = Path(__file__).resolve().parents[1] / "docs" / "studies" / "frontier.md"
STEPS = (0.02, 0.2, 0.4, 0.6, 0.8)
"""Where δ of Rum-bound lies between the loss of the first clusters and that of one for all."""
SEED = 7

Made = tuple[pa.Table, str, dict[str, Any]]


def informs() -> Made:
    """The wave of 2005 with the quasi-identifiers that `init` finds."""
    table = read_table(DATA / "rt/informs2005_rt.csv.gz")
    return table.drop_columns(["id", "income", "poverty"]), "conditions", {"k": 5}


def informs_tree() -> Made:
    """The same with the chapters of ICD-9: items become nodes."""
    table, items, promise = informs()
    return table, items, {**promise, "hierarchy": DATA / "taxonomies/icd9_tree.txt"}


def youtube() -> Made:
    """In the shape of the paper's YouTube data."""
    return youtube_like(20_000), "related", {"k": 25}


def diabetes() -> Made:
    """Encounters: demographics, with the three diagnoses and the medicines that were given as items."""
    table = read_table(DATA / "relational/diabetes130.csv.gz")
    table = table.take(pa.array(np.sort(np.random.default_rng(130).permutation(table.num_rows)[:20_000])))
    medicines = [name for name in table.column_names[24:47] if name in table.column_names]
    diagnoses = [np.array([text.split(".")[0] for text in table[f"diag_{i}"].to_pylist()]) for i in (1, 2, 3)]
    given = [np.array(pc.not_equal(table[name], "No").to_pylist()) for name in medicines]
    baskets = [
        " ".join(
            sorted(
                {f"d{diagnosis[row]}" for diagnosis in diagnoses if diagnosis[row] != "?"}
                | {name for name, is_given in zip(medicines, given, strict=True) if is_given[row]}
            )
        )
        for row in range(table.num_rows)
    ]
    known = ["race", "gender", "age", "admission_type_id", "discharge_disposition_id", "time_in_hospital"]
    values = table.select(known)
    return values.append_column("items", pa.array(baskets)), "items", {"k": 10}


def shop(records: int = 10_000, seed: int = 18) -> Made:
    """An online shop: a few tastes, which hang together with age and town; popular products in every basket."""
    rng = np.random.default_rng(seed)
    taste = rng.choice(6, records, p=[0.3, 0.2, 0.2, 0.15, 0.1, 0.05])
    age = np.clip(rng.normal(25 + 8 * taste, 9, records), 18, 90).astype(int)
    town = (taste * 5 + rng.zipf(1.6, records) - 1) % 40
    spent = np.round(rng.lognormal(3.5 + 0.2 * taste, 0.8, records)).astype(int)
    popular = 1 / np.arange(1, 301) ** 0.9
    baskets = []
    for mine in taste.tolist():
        shifted = np.roll(popular, mine * 40) + 0.2 * popular
        size = min(1 + rng.poisson(3), 20)
        bought = rng.choice(300, size, replace=False, p=shifted / shifted.sum())
        baskets.append(" ".join(f"p{item:03d}" for item in sorted(bought)))
    table = pa.table({
        "age": age, "town": [f"town {each:02d}" for each in town], "sex": rng.choice(["f", "m"], records),
        "spent": spent, "basket": baskets,
    })  # fmt: skip
    return table, "basket", {"k": 10}


SETS: dict[str, Callable[[], Made]] = {
    "INFORMS": informs,
    "INFORMS, ICD-9 chapters": informs_tree,
    "YouTube-shaped": youtube,
    "diabetes130": diabetes,
    "shop": shop,
}


def posed(made: Made) -> RecordProblem:
    table, items, how = made
    columns = [Column(name, "quasi") for name in table.column_names if name != items]
    columns.append(Column(items, "items", separator=" ", hierarchy=how.get("hierarchy")))
    promise = KKmAnonymity(how["k"], 2)
    missing = ("", "?", "-1", "-7", "-8", "-9")
    job = Job(Input("study", missing=missing), tuple(columns), promise, Output(Path("out")), Method(seed=SEED))
    return record_problem(read_records(table, job, {}, format_named("csv"))[0], promise)


def measure(name: str) -> dict[str, Any]:
    made = SETS[name]()
    problem, baskets = posed(made), "apriori" if "hierarchy" in made[2] else "coat"
    parts = Parts(problem, TRANSFORMATIONS[baskets](problem))
    balanced(problem, parts, 0.5, SEED)  # compiles
    begin = time.process_time()
    found = balanced(problem, parts, 0.5, SEED)
    seconds, n, occurrences = time.process_time() - begin, len(problem), problem.items.size
    curve = [[each.values, each.items, len(each)] for each in found.points]
    group = first_clusters(problem, "cluster", SEED)
    least = losses_together(problem, rows_by_group(group, int(group.max()) + 1)).sum() / n
    most = losses_together(problem, [np.arange(n)])[0] / n
    six = []
    for merge in MERGES:
        for step in STEPS:
            delta, reached = float(least + step * (most - least)), None
            for bound in ("rum", "tum"):
                given = delta if bound == "rum" else reached
                if given is None:
                    continue
                begin = time.process_time()
                try:
                    one = bounded(problem, group, Choice(bound, merge, given, baskets, seed=SEED))
                except PromiseError:
                    continue
                reached = one.tum + 1e-9 if bound == "rum" and step in STEPS[1::2] else None
                values = losses_together(problem, rows_by_group(one.group, one.published.indptr.size - 1)).sum() / n
                six.append({
                    "method": f"{bound}-bound", "merge": merge, "delta": given, "values": float(values),
                    "items": item_losses(problem, parts, one) / occurrences, "ul": one.tum,
                    "seconds": time.process_time() - begin,
                })  # fmt: skip
                print(name, six[-1], flush=True)
    return {
        "data": name, "records": n, "k": problem.promise.k, "items": problem.n_items, "baskets": baskets,
        "seconds": seconds, "curve": curve, "chosen": found.chosen, "ul": found.decided.tum, "six": six,
        "first": float(least),
    }  # fmt: skip


def ours_at(curve: Sequence[Sequence[float]], values: float) -> float | None:
    """The least loss in items of the points that lose no more in values."""
    return min((items for at, items, _ in curve if at <= values + 1e-9), default=None)


def page(found: Sequence[Mapping[str, Any]]) -> str:
    lines = [
        "# Study: the frontier against the six",
        "",
        "Made by `python -m studies.frontier`. One run without `delta` gives the curve; each of the six configurations "
        "of Poulis et al. (2013) runs once for each δ, from the clusters of CLUSTER on. Losses are NCP of the values "
        "and NCP of the items; (k, k²)-anonymity. *Where we lose more*: at how many points of the six our curve loses "
        "more in items at no more loss in values. The last column is the mean over all their points.",
        "",
        "| data | records | k | items | published: values, items | CPU s, whole curve | CPU s, one of the six "
        "| their points | where we lose more | our loss in items ÷ theirs |",
        "| --- | ---: | ---: | --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for each in found:
        ratios = [(ours_at(each["curve"], six["values"]), six["items"]) for six in each["six"]]
        worse = sum(ours is None or ours > theirs + 1e-9 for ours, theirs in ratios)
        share = float(np.mean([ours / theirs for ours, theirs in ratios if ours is not None and theirs > 0]))
        at = each["curve"][each["chosen"]]
        times = [six["seconds"] for six in each["six"]]
        lines.append(
            f"| {each['data']} | {each['records']:,} | {each['k']} | {each['baskets']} | {at[0]:.1%}, {at[1]:.2%} | "
            f"{each['seconds']:.1f} | {min(times):.1f} to {max(times):.1f} | {len(ratios)} | {worse} | {share:.0%} |"
        )
    for each in found:
        image = f"images/frontier-{each['data'].split(',')[0].lower()}-{each['baskets']}.svg"
        lines += ["", f"## {each['data']}", "", f"[![{each['data']}]({image})]({image})", ""]
        lines += ["| configuration | δ | loss in values | loss in items | ours at no more loss in values |"]
        lines += ["| --- | ---: | ---: | ---: | ---: |"]
        for six in each["six"]:
            ours = ours_at(each["curve"], six["values"])
            lines.append(
                f"| {six['method']} {six['merge']} | {six['delta']:.3f} | {six['values']:.2%} | {six['items']:.2%} | "
                f"{'none' if ours is None else format(ours, '.2%')} |"
            )
    return "\n".join(lines) + "\n"


def draw(found: Sequence[Mapping[str, Any]]) -> None:
    for each in found:
        curve = [{"values": values, "items": items} for values, items, _ in each["curve"]]
        at = curve[each["chosen"]]
        points = [{**at, "kind": "published"}]
        points += [
            {"values": six["values"], "items": six["items"], "kind": f"{six['method']} {six['merge']}"}
            for six in each["six"]
        ]
        chart = curve_and_points(
            each["data"], curve, points, "values", "items", "kind", x_axis="loss in values (NCP)",
            y_axis="loss in items (NCP)",
        )  # fmt: skip
        name = f"frontier-{each['data'].split(',')[0].lower()}-{each['baskets']}.svg"
        (PAGE.parent / "images" / name).write_text(picture(chart), "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="*", default=list(SETS), help="which data sets")
    parser.add_argument("--page", action="store_true", help="only write the page anew")
    asked = parser.parse_args()
    known = {each["data"]: each for each in json.loads(POINTS.read_text("utf-8"))} if POINTS.exists() else {}
    for name in [] if asked.page else asked.data:
        known[name] = measure(name)
        POINTS.write_text(json.dumps([known[each] for each in SETS if each in known], indent=1) + "\n", "utf-8")
    found = [known[each] for each in SETS if each in known]
    draw(found)
    PAGE.write_text(page(found), "utf-8")


if __name__ == "__main__":
    main()
