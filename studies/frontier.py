"""`python -m studies.frontier`: the frontier of records with baskets against the six configurations of Poulis et al.

For each data set one run gives our whole curve; each of the six runs once for each δ. It writes
docs/studies/frontier.md and its images, with the numbers in studies/points/frontier.json.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from studies.common import DATA, picture
from studies.generated import Made, clinic, market, shop
from tacit.errors import PromiseError
from tacit.io import format_named, read_table
from tacit.job import Column, Input, Job, Method, Output
from tacit.promises import KKmAnonymity, KLmDiversity
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
RECORDS, L, SEED = 4_000, 3, 7


class Case(NamedTuple):
    """A promise on a data set."""

    data: str
    promise: str  # k-km | k-lm
    k: int
    m: int = 2

    @property
    def words(self) -> str:
        return f"{'(k, k^m)' if self.promise == 'k-km' else '(k, ℓ^m)'}, k = {self.k}"


def informs() -> Made:
    """The wave of 2005 with the quasi-identifiers that `init` finds."""
    table = read_table(DATA / "rt/informs2005_rt.csv.gz")
    return table.drop_columns(["id", "income", "poverty"]), "conditions"


def youtube() -> Made:
    """The piece of the paper's crawl that is to be had, with the 936 videos that are related most often."""
    table = read_table(DATA / "rt/youtube_sfu_sample.csv.gz")
    related = [text.split() for text in table["related"].to_pylist()]
    often = {item for item, _ in Counter(item for each in related for item in each).most_common(936)}
    baskets = [" ".join(item for item in each if item in often) for each in related]
    table = table.select(["age", "category", "length", "rate", "ratings", "comments"])
    table = table.append_column("related", pa.array(baskets))
    return table.filter(pc.not_equal(table["related"], "")), "related"


def diabetes() -> Made:
    """Encounters: demographics, with the three diagnoses as items."""
    table = read_table(DATA / "relational/diabetes130.csv.gz")
    diagnoses = [table[f"diag_{i}"].to_pylist() for i in (1, 2, 3)]
    baskets = [
        " ".join(sorted({f"d{text.split('.')[0].zfill(3)}" for text in row if text not in (None, "", "?")}))
        for row in zip(*diagnoses, strict=True)
    ]
    known = ["race", "gender", "age", "admission_type_id", "discharge_disposition_id", "time_in_hospital"]
    return table.select(known).append_column("items", pa.array(baskets)), "items"


SETS: dict[str, Callable[[], Made]] = {
    "INFORMS": informs,
    "INFORMS, ICD-9 chapters": informs,
    "YouTube": youtube,
    "diabetes130": diabetes,
    "shop": shop,
    "market": market,
    "clinic": clinic,
}
HIERARCHIES = {"INFORMS, ICD-9 chapters": DATA / "taxonomies/icd9_tree.txt"}
FRESH = ("market", "clinic")
"""What is compared by more promises than the others."""
PROMISES = ("k-km", "k-lm")
CASES = [Case(*each) for each in product([each for each in SETS if each not in FRESH], PROMISES, (5, 25))]
MORE = [Case(*each) for each in product(FRESH, PROMISES, (2, 5, 10, 25, 50), (1, 2, 3))]


def posed(case: Case) -> RecordProblem:
    """A sample of the records. For (k, ℓ^m) a few of the more frequent items are sensitive."""
    table, items = SETS[case.data]()
    drawn = np.random.default_rng(SEED).permutation(table.num_rows)[:RECORDS]
    table = table.take(pa.array(np.sort(drawn)))
    columns = [Column(name, "quasi") for name in table.column_names if name != items]
    often = [item for item, _ in Counter(" ".join(table[items].to_pylist()).split()).most_common(20)]
    columns.append(
        Column(
            items, "items", separator=" ", hierarchy=HIERARCHIES.get(case.data),
            sensitive_items=tuple(often[5::5]) if case.promise == "k-lm" else (),
        )
    )  # fmt: skip
    promise = KKmAnonymity(case.k, case.m) if case.promise == "k-km" else KLmDiversity(case.k, L, case.m)
    missing = ("", "?", "-1", "-7", "-8", "-9")
    job = Job(Input("study", missing=missing), tuple(columns), promise, Output(Path("out")), Method(seed=SEED))
    return record_problem(read_records(table, job, {}, format_named("csv"))[0], promise)


def measure(case: Case, known: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """Our curve, and the points of the six unless they are known already."""
    problem = posed(case)
    ours, theirs = ("nodes", "apriori") if case.data in HIERARCHIES else ("sets", "coat")
    parts = Parts(problem, TRANSFORMATIONS[ours](problem))
    balanced(problem, parts, 0.5, SEED)  # compiles
    begin = time.process_time()
    found = balanced(problem, parts, 0.5, SEED)
    seconds, n = time.process_time() - begin, len(problem)
    return {
        **case._asdict(), "records": n, "items": problem.n_items, "seconds": seconds,
        "curve": [[each.values, each.items, len(each)] for each in found.points], "chosen": found.chosen,
        "six": known or [*six(case, problem, theirs)],
    }  # fmt: skip


def six(case: Case, problem: RecordProblem, baskets: str) -> Iterator[dict[str, Any]]:
    """Rum-bound at some δ, and Tum-bound at the UL that Rum-bound reached, by each of the merges."""
    n, parts = len(problem), Parts(problem, TRANSFORMATIONS[baskets](problem))
    group = first_clusters(problem, "cluster", SEED)
    least = losses_together(problem, rows_by_group(group, int(group.max()) + 1)).sum() / n
    most = losses_together(problem, [np.arange(n)])[0] / n
    for merge, step in product(MERGES, STEPS):
        delta = float(least + step * (most - least))
        for bound in ("rum", "tum"):
            begin = time.process_time()
            try:
                one = bounded(problem, group, Choice(bound, merge, delta, baskets, seed=SEED))
            except PromiseError:
                break
            values = losses_together(problem, rows_by_group(one.group, one.published.indptr.size - 1)).sum() / n
            yield {
                "method": f"{bound}-bound", "merge": merge, "delta": delta, "values": float(values),
                "items": item_losses(problem, parts, one) / problem.items.size,
                "seconds": time.process_time() - begin,
            }  # fmt: skip
            print(*case, bound, merge, f"{values:.4f}", flush=True)
            delta = one.tum + 1e-9


def ours_at(curve: Sequence[Sequence[float]], values: float) -> float | None:
    """The least loss in items of the points that lose no more in values."""
    return min((items for at, items, _ in curve if at <= values + 1e-9), default=None)


def ratios(case: Mapping[str, Any], configuration: tuple[str, str] | None = None) -> list[float]:
    """Our loss in items ÷ theirs at no more loss in values, at each of their points; infinite where we have none."""
    asked = [each for each in case["six"] if configuration in (None, (each["method"], each["merge"]))]
    ours = [ours_at(case["curve"], each["values"]) for each in asked]
    pairs = zip(ours, asked, strict=True)
    return [np.inf if mine is None else mine / each["items"] if each["items"] else 1.0 + mine for mine, each in pairs]


def page(found: Sequence[Mapping[str, Any]]) -> str:
    lines = [
        "# Study: the frontier against the six",
        "",
        "Made by `python -m studies.frontier`. One run without `delta` gives our curve; each of the six configurations "
        f"of Poulis et al. (2013) runs at {len(STEPS)} places of the way from the clusters of CLUSTER to one for all: "
        "Rum-bound with that δ, Tum-bound with the UL that Rum-bound reached. Losses are NCP of the values and of "
        f"the items; m = 2, for (k, ℓ^m) ℓ = {L} with three frequent items sensitive; {RECORDS:,} records drawn of "
        "each data set, or all. *Where we lose more*: at how many of their points our curve loses more in items at no "
        "more loss in values.",
        "",
        "| data | promise | records | published: values, items | CPU s, whole curve | CPU s, one of the six "
        "| their points | where we lose more | our loss in items ÷ theirs: mean, largest |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for each in found:
        if _case(each) in MORE:
            continue
        shares = ratios(each)
        at, times = each["curve"][each["chosen"]], [one["seconds"] for one in each["six"]]
        lines.append(
            f"| {each['data']} | {_case(each).words} | {each['records']:,} | {at[0]:.1%}, {at[1]:.2%} | "
            f"{each['seconds']:.1f} | {min(times):.1f} to {max(times):.1f} | {len(shares)} | "
            f"{sum(share > 1 + 1e-9 for share in shares)} | {np.mean(shares):.0%}, {max(shares):.0%} |"
        )
    found, more = ([each for each in found if _case(each) in some] for some in (CASES, MORE))
    lines += _more(more)
    for data in dict.fromkeys(each["data"] for each in found):
        some = [each for each in found if each["data"] == data]
        lines += ["", f"## {data}", "", "Our loss in items ÷ theirs, at each of their points from left to right.", ""]
        lines += ["| configuration | " + " | ".join(_case(each).words for each in some) + " |"]
        lines += ["| --- |" + " --- |" * len(some)]
        for method, merge in product(("rum-bound", "tum-bound"), MERGES):
            cells = (" ".join(f"{share:.2f}" for share in ratios(each, (method, merge))) or "–" for each in some)
            lines.append(f"| {method} {merge} | " + " | ".join(cells) + " |")
        lines += [""]
        lines += [f"[![{data}, {_case(each).words}](images/{_image(each)})](images/{_image(each)})" for each in some]
    return "\n".join(lines) + "\n"


def _more(found: Sequence[Mapping[str, Any]]) -> list[str]:
    """A table of what was generated for this study alone: other k and m."""
    if not found:
        return []
    lines = [
        "", "## Fresh data", "",
        f"Two more generators ({', '.join(FRESH)}; 2,000 records each): a shop whose customers' values hardly tell "
        "what they buy, and a clinic. For each m the same figures: published values and items; where we lose more, of "
        "so many points; the largest of our loss in items ÷ theirs.", "",
        "| data | promise | m = 1 | m = 2 | m = 3 |", "| --- | --- | --- | --- | --- |",
    ]  # fmt: skip
    by_case = {_case(each): each for each in found}
    for data, promise, k in dict.fromkeys(case[:3] for case in MORE if case in by_case):
        cells = []
        for m in (1, 2, 3):
            each = by_case.get(Case(data, promise, k, m))
            if each is None:
                cells.append("not run")
                continue
            shares, at = ratios(each), each["curve"][each["chosen"]]
            lost = sum(share > 1 + 1e-9 for share in shares)
            cells.append(f"{at[0]:.1%}, {at[1]:.2%}; {lost} of {len(shares)}; {max(shares):.0%}")
        lines.append(f"| {data} | {Case(data, promise, k).words} | " + " | ".join(cells) + " |")
    return lines


def _case(each: Mapping[str, Any]) -> Case:
    return Case(each["data"], each["promise"], each["k"], each.get("m", 2))


def _image(each: Mapping[str, Any]) -> str:
    data = each["data"].lower().replace(", ", "-").replace(" ", "-")
    return f"frontier-{data}-{each['promise']}-{each['k']}.svg"


def draw(found: Sequence[Mapping[str, Any]]) -> None:
    for each in found:
        if _case(each) in MORE:
            continue
        curve = [{"values": values, "items": items} for values, items, _ in each["curve"]]
        points = [{**curve[each["chosen"]], "kind": "published"}]
        points += [
            {"values": one["values"], "items": one["items"], "kind": f"{one['method']} {one['merge']}"}
            for one in each["six"]
        ]
        chart = curve_and_points(
            f"{each['data']}, {_case(each).words}", curve, points, "values", "items", "kind",
            x_axis="loss in values (NCP)", y_axis="loss in items (NCP)",
        )  # fmt: skip
        (PAGE.parent / "images" / _image(each)).write_text(picture(chart), "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="*", default=list(SETS), help="which data sets")
    parser.add_argument("--curve", action="store_true", help="only our curve anew")
    parser.add_argument("--page", action="store_true", help="only write the page anew")
    asked = parser.parse_args()
    known = {_case(each): each for each in json.loads(POINTS.read_text("utf-8"))} if POINTS.exists() else {}
    every = [*CASES, *MORE]
    anew = [] if asked.page else [each for each in every if each.data in asked.data]
    for case in [each for each in anew if each in known or not asked.curve]:
        known[case] = measure(case, known[case]["six"] if asked.curve else None)
        POINTS.write_text(json.dumps([known[each] for each in every if each in known], indent=1) + "\n", "utf-8")
    found = [known[each] for each in every if each in known]
    draw(found)
    PAGE.write_text(page(found), "utf-8")


if __name__ == "__main__":
    main()
