"""Poulis et al., ECML PKDD 2013: Rum-bound and Tum-bound on records with baskets (its Figs. 4 to 7)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import tacit
from studies.cells import Setting
from studies.common import DATA, Figure, Point, measured
from studies.records_claims import L, about, claims
from tacit.commands.samples import demo_job
from tacit.flow import make_release
from tacit.io import read_table
from tacit.job import Column, Input, Job, Method, Output
from tacit.kinds import kind_for
from tacit.records.measures.queries import relative_error, workload
from tacit.release import Release
from tacit.taxonomy import Taxonomy, build, read_hierarchy

__all__ = ["LIMIT", "PAPER", "SERIES", "TITLE", "claims", "figures", "measure", "settings"]
TITLE = "Study: records with baskets (Poulis et al. 2013)"
PAPER = (
    "Their INFORMS has 36,553 records; ours is the wave of 2005, of which 26,735 people have a diagnosis. Their "
    "YouTube has 131,780 videos; ours is a sample that leaves 2,821 with one of the 936 most frequent related videos, "
    "so we take k = 25 there instead of 100. Their hierarchies are not published: ours are the ICD-9 chapters and "
    "ranges of values for INFORMS, and balanced trees over the sorted values for YouTube. Which items they took as "
    "sensitive is not said; ours are the mental disorders (ICD-9 290 to 319), with ℓ = 4. R_MR, R_MT and R_MRT are "
    "Rum-bound with `merge` r, t and rt; T_MR and so on are Tum-bound. Items are generalized by COAT. The paper's "
    "loop ends when the cluster with the least loss finds no partner; ours goes on until δ is used up, so the three "
    "algorithms lose nearly the same in the values, and what the paper says of their order need not show here. ARE of "
    "items is large because a published set of items counts as any non-empty part of it. Times are processor time of "
    "one search each. There are few values of δ and k, so that the study ends in minutes."
)
MERGES = {"MR": "r", "MT": "t", "MRT": "rt"}
SERIES = (*(f"R_{label}" for label in MERGES), "CLUSTER", "R_MTUL", "R_MRTUL")
QUERY_NAMES = {"are_values": "(2, 0)", "are_11": "(1, 1)", "are": "(2, 2)", "are_items": "(0, 2)"}
K, M, DELTA = 25, 2, 0.65
INFORMS = ("DOBMM", "DOBYY", "RACEX", "EDUCYEAR", "income")
YOUTUBE = ("age", "category", "length", "rate", "ratings", "comments")
VIDEOS = 936
STEPS = (0.0, 0.33, 0.66, 0.95)
"""Where δ lies between the smallest possible one and 1."""
TUM_DELTAS = (0.4, 0.5, 0.6, 0.7)
SIZES = (5_000, 10_000, 20_000, 26_735)
KS = (25, 50, 100)
SUBSET = 4_000
EXACT = {"R": (0.6, 0.75, 0.9), "T": (0.5, 0.7)}
"""δ at which BTD is held against exact UL."""
SMALL, SMALL_K = "patients", 10
LIMIT = 300
"""Seconds of processor time that a cell may take, reading and measuring included."""


@dataclass(frozen=True, eq=False)
class Records:
    """A data set as a job reads it."""

    name: str
    table: pa.Table
    columns: tuple[Column, ...]
    trees: Mapping[str, Taxonomy] = field(default_factory=dict)

    def part(self, size: int, seed: int = 2013) -> Records:
        """So many records, all of them in every larger part."""
        order = np.random.default_rng(seed).permutation(self.table.num_rows)[:size]
        return replace(self, table=self.table.take(pa.array(np.sort(order))))

    def with_sensitive(self, sensitive: Sequence[str]) -> Records:
        *values, items = self.columns
        return replace(self, columns=(*values, replace(items, sensitive_items=tuple(sensitive))))


def settings(size: str) -> Iterator[Setting]:
    """Every figure of section 6; the small version has Figs. 4, 6 and 7 on the sample that ships with tacit."""
    yield from _small() if size == "small" else _full()


def _small() -> Iterator[Setting]:
    yield from _each_merge(what="delta", data=SMALL, k=SMALL_K, step=(0.0, 0.95))
    yield from _each_merge(what="tum", data=SMALL, records=1_000, k=SMALL_K, delta=(0.7, 0.8))
    yield from _exact(SMALL, 200, SMALL_K, {"R": (0.8,), "T": (0.75,)})
    yield from _each_merge(what="mergings", data=SMALL, records=300, k=SMALL_K)


def _full() -> Iterator[Setting]:
    yield from _each_merge(what="delta", data="INFORMS", k=K, step=STEPS)
    yield from _each_merge(what="delta", data="YouTube", k=K, step=STEPS)
    yield from _each_merge(what="tum", data="INFORMS", k=K, delta=TUM_DELTAS)
    yield from _each_merge(what="delta", data="INFORMS", k=K, l=L, step=STEPS[1:])
    yield from _each_merge(what="tum", data="INFORMS", k=K, l=L, delta=TUM_DELTAS[1::2])
    for what, some in (("size", [(size, K) for size in SIZES]), ("k", [(None, k) for k in KS])):
        for size, k in some:
            yield {"what": what, "data": "INFORMS", "records": size, "k": k, "merge": "CLUSTER"}
            yield from _each_merge(what=what, data="INFORMS", records=size, k=k)
    yield from _exact("INFORMS", SUBSET, K, EXACT)
    yield from _each_merge(what="mergings", data="INFORMS", records=SUBSET, k=K)


def _each_merge(
    step: Sequence[float | None] = (None,), delta: Sequence[float | None] = (None,), **setting: Any
) -> Iterator[Setting]:
    """Each of the three merges at each of some δ, given as such or by where it lies between the least one and 1."""
    for at in step:
        for bound in delta:
            more = {"step": at} if bound is None else {"delta": bound}
            yield from (setting | more | {"merge": label} for label in MERGES)


def _exact(data: str, size: int, k: int, deltas: Mapping[str, Sequence[float]]) -> Iterator[Setting]:
    """Alike by bits or by exact UL (Figs. 7c to 7f)."""
    for bound, some in deltas.items():
        for delta in some:
            for label in ("MT", "MRT"):
                for order in ("btd", "ul"):
                    yield {"what": "btd", "data": data, "records": size, "k": k, "bound": bound, "delta": delta,
                           "merge": label, "order": order}  # fmt: skip


def measure(
    what: str,
    data: str,
    k: int,
    merge: str,
    records: int | None = None,
    l: int | None = None,  # noqa: E741
    step: float | None = None,
    delta: float | None = None,
    bound: str = "R",
    order: str | None = None,
) -> list[Point]:
    """The points of one setting: many for the trace of the mergings, else one."""
    _warm_up(data)
    people = load(data, records, with_sensitive=l is not None)
    if what == "mergings":
        return list(_mergings(people, k, merge))
    if merge == "CLUSTER":
        return [_clusters(people, k) | {"what": what}]
    if delta is None:
        least = math.ceil(_first_ncp(data, records, k) * 100) / 100
        delta = max(DELTA, least + 0.05) if step is None else round(least + 0.01 + step * (0.99 - least), 3)
    method = "tum-bound" if what == "tum" or bound == "T" else "rum-bound"
    options = {"merge": MERGES[merge], "delta": delta} | ({} if order is None else {"order": order})
    return [_measured(people, what, method, k, l, **options)]


@cache
def load(data: str, records: int | None = None, *, with_sensitive: bool = False) -> Records:
    """A data set, or so many records of it."""
    if records is not None:
        return load(data, with_sensitive=with_sensitive).part(records)
    if with_sensitive:
        whole = load(data)
        held = _items_of(whole)
        return whole.with_sensitive([code for code in map(str, range(290, 320)) if code in held])
    return {"INFORMS": informs, "YouTube": youtube, SMALL: sample}[data]()


@cache
def _first_ncp(data: str, records: int | None, k: int) -> float:
    """The NCP of the first clusters, below which no δ can be reached."""
    return _clusters(load(data, records), k)["ncp"]


def informs() -> Records:
    """INFORMS: people with a diagnosis, with the attributes of the paper."""
    folder = DATA / "taxonomies"
    table = read_table(DATA / "rt" / "informs2005_rt.csv.gz").select([*INFORMS, "conditions"])
    table = table.filter(pc.fill_null(pc.not_equal(table["conditions"], ""), False))
    file = {name: folder / f"informs_{name}_tree.txt{'.gz' * (name == 'income')}" for name in INFORMS}
    items = Column("conditions", "items", separator=" ", hierarchy=folder / "icd9_tree.txt")
    return Records("INFORMS", table, (*(Column(n, "quasi", hierarchy=file[n]) for n in INFORMS), items))


def youtube() -> Records:
    """YouTube: videos, each with those of its related videos that are among the most frequent ones."""
    table = read_table(DATA / "rt" / "youtube_sfu_sample.csv.gz").select([*YOUTUBE, "related"])
    related = [(cell or "").split() for cell in table["related"].to_pylist()]
    counts = Counter(video for each in related for video in each)
    kept = {video for video, _ in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:VIDEOS]}
    cells = [" ".join(video for video in each if video in kept) for each in related]
    table = table.set_column(len(YOUTUBE), "related", pa.array(cells)).filter(pa.array([bool(cell) for cell in cells]))
    trees = {name: build(_sorted(table[name]), "balanced") for name in YOUTUBE}
    columns = (*(Column(name, "quasi") for name in YOUTUBE), Column("related", "items", separator=" "))
    return Records("YouTube", table, columns, {**trees, "related": build(sorted(kept), "balanced")})


def sample() -> Records:
    """The patients that ship with tacit."""
    with demo_job("records", Path("unused")) as job:
        assert isinstance(job.input.source, Path)
        names = [column.name for column in job.columns if column.role != "identifier"]
        table = read_table(job.input.source).select(names)
        trees = {column.name: read_hierarchy(column.hierarchy) for column in job.columns if column.hierarchy}
        columns = tuple(replace(column, hierarchy=None) for column in job.columns if column.name in names)
    return Records("patients", table, columns, trees)


def _sorted(column: pa.ChunkedArray) -> list[str]:
    values = {str(value) for value in column.to_pylist() if value is not None and str(value)}
    try:
        return sorted(values, key=float)
    except ValueError:
        return sorted(values)


def _items_of(records: Records) -> set[str]:
    return {item for cell in records.table[records.columns[-1].name].to_pylist() for item in cell.split()}


@cache
def _warm_up(data: str) -> None:
    """Compiled code is loaded before anything is timed."""
    if data == SMALL:
        return
    records = load("INFORMS", 1_000)
    for method in ("rum-bound", "tum-bound"):
        for merge in MERGES.values():
            _measured(records, "", method, 50, merge=merge, delta=1.0)
    _clusters(records, 50)


def _mergings(records: Records, k: int, label: str) -> Iterator[Point]:
    """UL after every merge, until one cluster is left (Figs. 7g and 7h: with δ = 1 both bounds permit everything)."""
    from tacit.records.items import record_problem
    from tacit.records.solvers.cluster import cluster
    from tacit.records.solvers.clusters import Clusters
    from tacit.records.solvers.merge import MERGES as PICKS
    from tacit.records.solvers.merge import Step
    from tacit.records.solvers.order import ORDERS
    from tacit.records.solvers.parts import TRANSFORMATIONS, Parts
    from tacit.records.solvers.rum import RUM

    encoded = kind_for(tacit.KKmAnonymity(k, M)).encode(
        records.table, _job(records, "rum-bound", k), records.trees, None
    )
    problem = record_problem(encoded.data, tacit.KKmAnonymity(k, M))
    parts = Parts(problem, TRANSFORMATIONS["coat"](problem))
    clusters = Clusters(problem, cluster(problem.attributes, k, seed=1), RUM["ncp"])
    order = ORDERS["btd"](parts)
    loss = {one: parts.of(clusters.rows(one)).ul for one in clusters.alive.tolist()}
    while True:
        ul = sum(loss[one] for one in clusters.alive.tolist()) / len(problem)
        what = {"what": "mergings", "data": records.name, "method": label, "k": k, "records": len(problem)}
        yield what | {"mergings": clusters.merges, "ul": ul, "ncp": clusters.rum_of_data}
        if len(clusters) == 1:
            break
        seed = int(clusters.alive[clusters.values[clusters.alive].argmin()])
        others = clusters.others(seed)
        step = Step(clusters, seed, others, clusters.losses_with(seed, others), np.ones(others.size, bool))
        merged = clusters.merge(seed, PICKS[MERGES[label]](step, order))
        loss[merged] = parts.of(clusters.rows(merged)).ul


def _job(records: Records, method: str, k: int, l: int | None = None, **options: Any) -> Job:  # noqa: E741
    promise = tacit.KKmAnonymity(k, M) if l is None else tacit.KLmDiversity(k, l, M)
    return Job(Input("a study"), records.columns, promise, Output(DATA), Method(method, 1, options))


def _measured(records: Records, what: str, method: str, k: int, l: int | None = None, **options: Any) -> Point:  # noqa: E741
    label = next(name for name, merge in MERGES.items() if merge == options["merge"])
    job = _job(records, method, k, l, **options)
    said = {key: value for key, value in options.items() if key != "merge"}
    return measured(
        lambda watch: make_release(records.table, job, hierarchies=records.trees, progress=watch),
        _more, what=what, data=records.name, method=f"{method[0].upper()}_{label}", k=k, l=l, **said,
    )  # fmt: skip


def _more(release: Release) -> dict[str, Any]:
    """ARE of queries for one value and one item, which the utility of a release does not have; sizes of groups."""
    queries = workload(release.before, values=1, items=1, seed=11)
    sizes = release.utility["group_sizes"]
    error = relative_error(release.before, release.applied, queries)
    return {"are_11": error, "largest": sizes["largest"], "mean_size": sizes["mean"]}


def _clusters(records: Records, k: int) -> Point:
    """CLUSTER alone: k-anonymity of the relational values."""
    *values, _ = records.columns
    method = Method("cluster", 1)
    job = Job(Input("a study"), tuple(values), tacit.KAnonymity(k), Output(DATA), method)
    trees = {column.name: records.trees[column.name] for column in values if column.name in records.trees}
    table = records.table.select([column.name for column in values])
    return measured(
        lambda watch: make_release(table, job, hierarchies=trees, progress=watch),
        data=records.name, method="CLUSTER", k=k,
    )  # fmt: skip


def figures(points: Sequence[Point]) -> list[Figure]:
    rum, tum = about(points, "delta"), about(points, "tum")
    found = [_are(rum, "are-rum", "ARE of queries for (x, y) values and items against δ, Rum-bound (Figs. 4a to 4g)"),
             _are(tum, "are-tum", "ARE against δ, Tum-bound: δ bounds UL (Fig. 4h)")]  # fmt: skip
    diverse = about(points, "delta", l=L)
    if diverse:
        found.append(
            _are(diverse, "are-rum-l", f"(k, ℓ^m)-diversity, ℓ = {L}: ARE against δ, Rum-bound (Figs. 5a to 5c)")
        )
        found.append(
            _are(
                about(points, "tum", l=L),
                "are-tum-l",
                f"(k, ℓ^m)-diversity, ℓ = {L}: ARE against δ, Tum-bound (Fig. 5d)",
            )
        )
    found += [
        Figure("sizes", "Largest cluster against δ (Figs. 6a and 6b)", rum, "delta", "largest", "method", "data",
               x_title="δ", y_title="records of the largest group"),
        Figure("ul", "UL against δ (Figs. 6c and 6d)", rum, "delta", "ul", "method", "data", x_title="δ", y_title="UL",
               caption=_original_ul(rum)),
    ]  # fmt: skip
    by_size, by_k = about(points, "size"), about(points, "k")
    if by_size:
        time = "seconds of the search"
        found.append(Figure("time-size", f"Time against the number of records, k = {K} (Fig. 7a)", by_size, "records",
                            "seconds", "method", y_title=time, caption=_AT_LEAST))  # fmt: skip
        found.append(Figure("time-k", "Time against k, INFORMS (Fig. 7b)", by_k, "k", "seconds", "method",
                            y_title=time, caption=_AT_LEAST))  # fmt: skip
    exact = [_with_order(point) for point in about(points, "btd")]
    if exact:
        n = exact[0]["records"]
        found += [
            Figure("btd-time", f"BTD against exact UL: time, {n:,} records (Figs. 7c and 7d)", exact, "delta",
                   "seconds", "method", "bound", x_title="δ", y_title="seconds of the search", log_y=True),
            Figure("btd-ul", f"BTD against exact UL: UL, {n:,} records (Figs. 7e and 7f)", exact, "delta", "ul",
                   "method", "bound", x_title="δ", y_title="UL"),
        ]  # fmt: skip
    merged = about(points, "mergings")
    if merged:
        title = "UL against the number of mergings, δ = 1 (Figs. 7g and 7h)"
        why = "With δ = 1 either bound permits every merge, so one picture is enough."
        found.append(Figure("mergings", title, merged, "mergings", "ul", "method", y_title="UL", caption=why))
    return found


_AT_LEAST = (
    "CLUSTER is the time of the first clusters, which the others include. δ is 0.65, or 0.05 above the least possible."
)


def _are(points: Sequence[Point], name: str, title: str) -> Figure:
    long = [
        {"method": point["method"], "delta": point["delta"], "ARE": point[key],
         "panel": f"{point['data']}: {QUERY_NAMES[key]}"}
        for key in QUERY_NAMES for point in points
    ]  # fmt: skip
    long.sort(key=lambda point: point["panel"].partition(":")[0])
    return Figure(name, title, long, "delta", "ARE", "method", "panel", x_title="δ")


def _original_ul(points: Sequence[Point]) -> str:
    before = {point["data"]: point["ul_original"] for point in points}
    return "UL of the original: " + ", ".join(f"{name} {ul:.3f}" for name, ul in before.items()) + "."


def _with_order(point: Point) -> Point:
    exact = {"btd": "", "ul": "UL"}[point["order"]]
    return {**point, "bound": f"{point['method'][0]}um-bound", "method": point["method"] + exact}
