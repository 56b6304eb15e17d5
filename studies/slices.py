"""Dhumal & Patil's slicing of several attributes in several columns, with the experiments of Li et al. 2012."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import tacit
from studies.common import (
    CANNOT_SAY,
    DATA,
    Claim,
    Figure,
    Point,
    Table,
    below,
    by_case,
    curves,
    measured,
    ordering,
    share,
    verdict,
    where,
)  # fmt: skip
from studies.slices_measures import as_groups, as_it_is, as_slices, level, measures
from tacit.demo import demo_job
from tacit.flow import make_release
from tacit.io import read_table
from tacit.job import Column, Input, Job, Method, Output
from tacit.release import Release
from tacit.taxonomy import Taxonomy, build

TITLE = "Study: slicing (Dhumal & Patil; Li, Li, Zhang & Molloy 2012)"
PAPER = (
    "Dhumal & Patil print five people, and three graphs of privacy whose axes and data are not told; their pictures "
    "are missing here. So privacy is measured as follows: an attacker knows all quasi-identifiers of a person, and "
    "computes how probable the true sensitive value is; privacy is 1 less the mean of that over 300 people. Li et al. "
    "measured on Adult without its incomplete rows, as we do (45,222 people, occupation sensitive; we leave out "
    "`fnlwgt` and `education-num`), with ℓ = 5. Heart disease has the severity as sensitive attribute (ℓ = 2); of "
    "diabetes130 we take the first encounters of 20,000 patients, with first diagnosis and insulin sensitive (ℓ = 2). "
    "*MCMA*, multiple columns with multiple attributes, is slicing with `overlap`. *Generalization* is Mondrian with "
    "ℓ-diversity; categories have balanced trees over their sorted values. Classifiers learn from records drawn from "
    "the release, without a third of the people, and are tried on the original values of that third."
)
SLICED: dict[str, tuple[str, dict[str, Any]]] = {
    "bucketization": ("bucketization", {}),
    "one per column": ("one-per-column", {}),
    "slicing": ("slicing", {}),
    "MCMA": ("slicing", {"overlap": True}),
}
TECHNIQUES = ("original", "generalization", *SLICED)
ADULT = (
    "age", "workclass", "education", "marital-status", "relationship", "race", "sex", "capital-gain", "capital-loss",
    "hours-per-week", "native-country", "income",
)  # fmt: skip
HEART = ("age", "sex", "cp", "trestbps", "chol", "fbs", "restecg", "thalach", "exang", "oldpeak")
DIABETES = (
    "race", "gender", "age", "admission_type_id", "time_in_hospital", "num_lab_procedures", "num_medications",
    "number_diagnoses", "A1Cresult", "metformin", "readmitted",
)  # fmt: skip
ROWS, ATTRIBUTES, LS, COLUMNS = (2_500, 5_000, 10_000, 20_000), (2, 4, 6, 8, 10, 12), (2, 3, 5, 7), (2, 3, 4, 6, 8)
PART, PATIENTS = 10_000, 20_000
FIVE = {
    "Resting BP": (80, 110, 75, 40, 105), "Hypertension": (95, 85, 93, 115, 90), "Pulse Rate": (68, 72, 87, 98, 82),
    "Severity Index": (4, 3, 2, 1, 3), "Treatment": ("Kavil", "Hypertension", "Flu", "Kavil", "Cancer"),
    "Medicines": ("Gijamine", "Santrifon", "Oghil", "Matrogin", "Albhome"),
}  # fmt: skip
"""Table I of Dhumal & Patil, without the columns on education, profession and salary."""
FIVE_SLICED = {
    "II": [["Resting BP", "Hypertension"], ["Severity Index", "Treatment"], ["Pulse Rate", "Medicines"]],
    "III": [[name] for name in FIVE],
    "IV": [["Resting BP", "Hypertension", "Pulse Rate"], ["Severity Index", "Treatment", "Medicines"]],
}

FIVE_SECRETS = {
    "Treatment": ("Treatment",),
    "Severity Index, Treatment and Medicines": ("Severity Index", "Treatment", "Medicines"),
}
"""The paper does not say which attributes are sensitive."""


@dataclass(frozen=True, eq=False)
class People:
    """A table of people, with what an attacker knows and what nobody shall learn."""

    name: str
    table: pa.Table
    known: tuple[str, ...]
    secret: tuple[str, ...]
    l: float  # noqa: E741

    def part(self, size: int) -> People:
        order = np.random.default_rng(2012).permutation(self.table.num_rows)[:size]
        return replace(self, table=self.table.take(pa.array(np.sort(order))))


def run(size: str) -> list[Point]:
    """Each technique on each data set; privacy against rows and attributes; classifiers against ℓ; membership."""
    return list(_small() if size == "small" else _full())


def _small() -> Iterator[Point]:
    yield from _five_people()
    adults = sample()
    yield from _techniques(adults, "data")
    yield from _columns(adults, (2, 4, 8))


def _full() -> Iterator[Point]:
    yield from _five_people()
    adults = adult()
    list(_techniques(adults.part(1_000), "warm-up"))
    for people in (adults, heart(), diabetes()):
        yield from _techniques(people, "data")
    for rows in ROWS:
        yield from _techniques(adults.part(rows), "rows")
    few = adults.part(PART)
    for number in ATTRIBUTES:
        yield from _techniques(replace(few, known=ADULT[-number:]), "attributes")
    for l in LS:  # noqa: E741
        yield from _techniques(replace(few, l=l), "l")
    yield from _columns(adults, COLUMNS)


def adult() -> People:
    """Adult without incomplete rows."""
    table = read_table(DATA / "relational" / "adult_uci.csv.gz").select([*ADULT, "occupation"])
    whole = np.ones(table.num_rows, bool)
    for name in table.column_names:
        whole &= np.array([value != "?" for value in table[name].to_pylist()])
    return People("Adult", table.filter(pa.array(whole)), ADULT, ("occupation",), 5)


def heart() -> People:
    table = read_table(DATA / "relational" / "heart_disease.csv")
    return People("heart disease", table, HEART, ("num",), 2)


def diabetes() -> People:
    """The first encounter of each patient, the diagnosis cut to three digits."""
    table = read_table(DATA / "relational" / "diabetes130.csv.gz")
    patients = table["patient_nbr"].to_pylist()
    first = list(dict(zip(reversed(patients), range(len(patients) - 1, -1, -1), strict=True)).values())
    table = table.take(pa.array(sorted(first))).select([*DIABETES, "diag_1", "insulin"])
    cut = pa.array([code.partition(".")[0] for code in table["diag_1"].to_pylist()])
    table = table.set_column(len(DIABETES), "diag_1", cut)
    return People("diabetes130", table, DIABETES, ("diag_1", "insulin"), 2).part(PATIENTS)


def sample() -> People:
    """The adults that ship with tacit."""
    with demo_job("slices", Path("unused")) as job:
        assert isinstance(job.input.source, Path)
        table = read_table(job.input.source)
    known = tuple(column.name for column in job.columns_with("quasi"))
    return People("adults", table, known, ("occupation",), 4)


def _techniques(people: People, what: str) -> Iterator[Point]:
    """Every technique on the same people with the same ℓ."""
    told = {"what": what, "attributes": len(people.known), "rows": people.table.num_rows}
    for name in SLICED:
        yield _sliced(people, name) | told
    yield _generalized(people) | told
    release = make_release(people.table, _job(people, "bucketization", {}))
    yield {"data": people.name, "technique": "original", "l": people.l, **told, **measures(as_it_is(release))}


def _columns(people: People, numbers: Sequence[int]) -> Iterator[Point]:
    """Membership against the number of columns (Li et al., section 6.4)."""
    for number in numbers:
        yield _sliced(people, "slicing", columns=number) | {"what": "columns", "asked": number}


def _sliced(people: People, technique: str, **more: Any) -> Point:
    print(f"{people.name}: {technique}, {people.table.num_rows:,} rows, l = {people.l} {more}", file=sys.stderr)
    method, options = SLICED[technique]
    job = _job(people, method, {**options, **more})

    def measure(release: Release) -> dict[str, Any]:
        buckets = release.utility["matching_buckets"]
        return {
            "level": level(release.audit),
            "matching_people": buckets["people"],
            "matching_fakes": buckets["fake_tuples"],
            **measures(as_slices(release, np.random.default_rng(1))),
        }

    return measured(lambda watch: make_release(people.table, job, progress=watch), measure,
                    data=people.name, technique=technique, l=people.l)  # fmt: skip


def _generalized(people: People) -> Point:
    print(f"{people.name}: generalization, {people.table.num_rows:,} rows, l = {people.l}", file=sys.stderr)
    promise = tacit.LDiversity(int(np.ceil(people.l)), people.l)
    job = replace(_job(people, "mondrian", {}), promise=promise)
    trees = _trees(people)

    def measure(release: Release) -> dict[str, Any]:
        return {"level": level(release.audit), **measures(as_groups(release, np.random.default_rng(1)))}

    return measured(lambda watch: make_release(people.table, job, hierarchies=trees, progress=watch), measure,
                    data=people.name, technique="generalization", l=people.l)  # fmt: skip


def _trees(people: People) -> dict[str, Taxonomy]:
    """A balanced tree for every known attribute that is not made of numbers."""
    trees = {}
    for name in people.known:
        values = sorted({str(value) for value in people.table[name].to_pylist() if value not in (None, "")})
        if not all(_is_number(value) for value in values):
            trees[name] = build(values, "balanced", fanout=2)
    return trees


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _job(people: People, method: str, options: Mapping[str, Any]) -> Job:
    columns = (*(Column(n, "quasi") for n in people.known), *(Column(n, "sensitive") for n in people.secret))
    promise = tacit.SlicedDiversity(people.l)
    return Job(Input("a study"), columns, promise, Output(DATA), Method(method, 1, dict(options)))


def _five_people() -> Iterator[Point]:
    """Tables II to IV of Dhumal & Patil from its Table I: one bucket, each slice permuted."""
    table = pa.table({name: [str(value) for value in values] for name, values in FIVE.items()})
    for reading, secret in FIVE_SECRETS.items():
        people = People("five people", table, tuple(name for name in FIVE if name not in secret), secret, 2)
        for number, columns in FIVE_SLICED.items():
            what = {"what": "five", "table": number, "sensitive": reading}
            try:
                release = make_release(table, _job(people, "slicing", {"columns": columns}))
            except tacit.PromiseError as error:
                yield {**what, "failed": str(error).splitlines()[0]}
                continue
            for row in release.table.to_pylist():
                yield {**what, "level": level(release.audit), **_tuples(row)}


def _tuples(row: Mapping[str, Any]) -> dict[str, str]:
    """The values of each slice together, as the paper prints them."""
    slices: dict[str, dict[str, str]] = {}
    for column, value in row.items():
        number, dot, name = column.partition(".")
        if dot:
            slices.setdefault(number, {})[name] = str(value)
    return {", ".join(one): f"({', '.join(one.values())})" for one in slices.values()}


def figures(points: Sequence[Point]) -> list[Figure | Table]:
    found: list[Figure | Table] = [_printed(points, number) for number in FIVE_SLICED if _rows(points, number)]
    data = where(points, what="data")
    bars: dict[str, Any] = {"mark": "bar", "x_title": " "}
    part = "share"
    found += [
        Figure("privacy", "Privacy by technique (Fig. 1)", data, "technique", "privacy", "technique", "data", **bars,
               y_title="1 − belief in the true value"),
    ]  # fmt: skip
    for what, number in (("rows", 2), ("attributes", 3)):
        some = where(points, what=what)
        title = f"Privacy against the number of {what}, Adult (Fig. {number})"
        if some:
            found.append(Figure(f"privacy-{what}", title, some, what, "privacy", "technique",
                                y_title="1 − belief in the true value"))  # fmt: skip
    found += [
        Figure("correlation", "Correlation kept: all pairs, and pairs with a sensitive attribute",
               _long(data, {"correlation": "all pairs", "correlation_secret": "with a sensitive one"}), "technique",
               "value", "technique", "panel", **bars, y_title=part),
        Figure("membership", "Membership: records drawn from the release whose known values are nobody's", data,
               "technique", "fake", "technique", "data", **bars, y_title=part),
        Figure("classify", "Classifiers on all data (Li et al., section 6.2)", _long(data, CLASSIFIERS), "technique",
               "value", "technique", "panel", **bars, y_title="share of people predicted right"),
    ]  # fmt: skip
    by_l = where(points, what="l")
    if by_l:
        title = f"Classifiers against ℓ, Adult, {PART:,} people"
        found.append(Figure("classify-l", title, _long(by_l, CLASSIFIERS), "l", "value", "technique", "panel",
                            x_title="ℓ", y_title="share of people predicted right"))  # fmt: skip
    columns = where(points, what="columns")
    matching = _long(columns, {"matching_people": "people", "matching_fakes": "fake tuples"}, "who")
    found.append(Figure("fakes-columns", "Fake tuples against the number of columns (Li et al., section 6.4)", columns,
                        "columns", "fake", "technique", y_title="share of drawn records"))  # fmt: skip
    found.append(Figure("matching", "Buckets that a tuple matches, by number of columns", matching, "columns", "value",
                        "who", y_title="buckets, mean"))  # fmt: skip
    times = where(points, what="rows")
    if times:
        measured_times = [point for point in times if "seconds" in point]
        found.append(Figure("time-rows", "Time against the number of rows, Adult", measured_times, "rows", "seconds",
                            "technique", y_title="seconds of the search"))  # fmt: skip
    return found


CLASSIFIERS = {
    "bayes_sensitive": "Naive Bayes, sensitive attribute", "tree_sensitive": "tree, sensitive attribute",
    "bayes_known": "Naive Bayes, known attribute", "tree_known": "tree, known attribute",
}  # fmt: skip


def claims(points: Sequence[Point]) -> list[Claim]:
    data = [point for what in ("data", "rows", "attributes", "l") for point in where(points, what=what)]
    others = ("generalization", "bucketization", "one per column", "slicing")
    privacy = [case for case in _cases(data, "privacy") if len(case) == len(TECHNIQUES)]
    fakes = [case for case in _cases(data, "fake") if len(case) == len(TECHNIQUES)]
    kept, kept_secret = _cases(data, "correlation"), _cases(data, "correlation_secret")
    of_secret, of_known = (_cases(data, f"bayes_{x}") + _cases(data, f"tree_{x}") for x in ("sensitive", "known"))
    promised = [p["level"] >= p["l"] - 1e-6 for p in data if p.get("level") is not None]
    columns = curves(where(points, what="columns"), ("data",), "asked", "fake")
    return [
        *_tables_hold(points),
        ordering("ℓ-diverse slicing: nobody's value can be told with a probability above 1/ℓ.", promised),
        ordering("Slicing (MCMA) protects privacy at least as well as every other technique, within 2 points (Figs. 1 "
                 "to 3).", [c["MCMA"] >= max(c[name] for name in others) - 0.02 for c in privacy],
                 why=_more_private(privacy, others)),
        ordering("Bucketization does not protect membership; slicing does.",
                 [c["bucketization"] <= 1e-9 < min(c["slicing"], c["MCMA"]) for c in fakes]),
        ordering("Slicing keeps more correlation than generalization.", below(kept, "generalization", "slicing")),
        ordering("Slicing keeps more correlation with sensitive attributes than bucketization.",
                 below(kept_secret, "bucketization", "slicing")),
        ordering("One attribute per column keeps less correlation than slicing.",
                 below(kept, "one per column", "slicing")),
        ordering("Overlap (MCMA) keeps more correlation than slicing without it.", below(kept, "slicing", "MCMA")),
        ordering("Classifying a sensitive attribute: slicing is better than bucketization.",
                 below(of_secret, "bucketization", "slicing")),
        ordering("Classifying a sensitive attribute: slicing is better than generalization.",
                 below(of_secret, "generalization", "slicing"), why=_by_classifier(data)),
        ordering("Classifying a known attribute: slicing is better than generalization.",
                 below(of_known, "generalization", "slicing")),
        ordering("Classifying a known attribute: bucketization is as good as the original (within 2 points).",
                 [c["bucketization"] >= c["original"] - 0.02 for c in of_known]),
        ordering("More columns make more fake tuples.", [curve[-1] > curve[0] for curve in columns]),
        _matching(points),
        Claim("The heights of the bars and curves of Figs. 1 to 3.", "the pictures are missing, and their axes are not "
              "told", CANNOT_SAY),
    ]  # fmt: skip


def _cases(points: Sequence[Point], measure: str) -> list[dict[str, float]]:
    return by_case(points, ("what", "data", "rows", "attributes", "l"), "technique", measure)


def _tables_hold(points: Sequence[Point]) -> list[Claim]:
    """Whether the columns that the paper prints can keep ℓ = 2 at all."""
    found = []
    for reading in FIVE_SECRETS:
        broken = [p["table"] for p in points if p["what"] == "five" and p["sensitive"] == reading and "failed" in p]
        here = f"no buckets can make it so: Table {' and '.join(broken)}" if broken else "they can be made so"
        why = (
            "A column of theirs that holds the sensitive value beside others is linked to a person by those values, as "
            "the tool found for each such table: see Out of reach."
        )
        found.append(Claim(f"Tables II to IV hide {reading} (here: ℓ = 2).", here, verdict(not broken), why))
    return found


def _more_private(cases: Sequence[Mapping[str, float]], others: Sequence[str]) -> str:
    """Which technique protects more than MCMA, and by how much."""
    missed = [case for case in cases if case["MCMA"] < max(case[name] for name in others) - 0.02]
    best = [max(others, key=lambda name: case[name]) for case in missed]
    gaps = [max(case[name] for name in others) - case["MCMA"] for case in missed]
    if not missed:
        return ""
    first = max(set(best), key=best.count)
    return (
        f"In {share(best.count(first), len(missed))} where it does not, {first} protects most, by {min(gaps):.2f} to "
        f"{max(gaps):.2f}. All keep the bound of 1/ℓ; slicing goes up to it, to keep more of the data."
    )


def _by_classifier(points: Sequence[Point]) -> str:
    """For which classifiers generalization is better."""
    missed = {
        name: len(hits) - sum(hits)
        for name in ("bayes", "tree")
        for hits in [below(_cases(points, f"{name}_sensitive"), "generalization", "slicing")]
    }
    return (
        f"Of the other cases {missed['tree']} are decision trees and {missed['bayes']} Naive Bayes: a tree learns from "
        "combinations of attributes, which slicing cuts wherever they are in different columns."
    )


def _matching(points: Sequence[Point]) -> Claim:
    pairs = [(p["matching_people"], p["matching_fakes"]) for p in where(points, what="columns") if p["matching_fakes"]]
    alike = [fakes >= people / 2 for people, fakes in pairs]
    why = ""
    if pairs:
        people, fakes = ([pair[i] for pair in pairs] for i in (0, 1))
        why = (
            f"A fake tuple fits {min(fakes):.1f} to {max(fakes):.1f} buckets, a person {min(people):.1f} to "
            f"{max(people):.1f}: people's values are frequent ones, those of a fake tuple are a mixture that few "
            "buckets hold."
        )
    return ordering("People and fake tuples match about as many buckets (half as many at least).", alike, why=why)


def _long(points: Sequence[Point], keys: Mapping[str, str], name: str = "panel") -> list[Point]:
    """A row for each of several measures; the data set is named where there are several."""
    several = len({point["data"] for point in points}) > 1
    return [
        {**point, "value": point[key], name: f"{point['data']}: {label}" if several else label}
        for key, label in keys.items() for point in points if point.get(key) is not None
    ]  # fmt: skip


def _rows(points: Sequence[Point], number: str) -> list[Point]:
    """The table under the last reading in which it can be made."""
    made = [where(points, what="five", table=number, sensitive=reading) for reading in FIVE_SECRETS]
    return next((rows for rows in reversed(made) if rows), [])


def _printed(points: Sequence[Point], number: str) -> Table:
    rows = _rows(points, number)
    columns = {key: key for key in rows[0] if key not in ("what", "table", "sensitive", "level")}
    why = (
        f"Sliced by tacit with ℓ = 2, sensitive: {rows[0]['sensitive']}; the audit says ℓ = {rows[0]['level']:.3g}. "
        "Rows of different columns do not belong together; the paper prints its tables without permuting them."
    )
    return Table(f"Table {number}: the five people of Table I", rows, columns, why)
