"""Dhumal & Patil's slicing of several attributes in several columns, with the experiments of Li et al. 2012."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import tacit
from studies.cells import Setting
from studies.common import DATA, Point, measured
from studies.slices_claims import claims
from studies.slices_figures import figures
from studies.slices_five import READINGS, five_people
from studies.slices_five import SLICED as FIVE_SLICED
from studies.slices_measures import as_groups, as_it_is, as_slices, level, measures
from tacit.commands.samples import demo_job
from tacit.flow import make_release
from tacit.io import read_table
from tacit.job import Column, Input, Job, Method, Output
from tacit.release import Release
from tacit.taxonomy import Taxonomy, build

__all__ = ["LIMIT", "PAPER", "SERIES", "TITLE", "claims", "figures", "measure", "settings"]
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
SERIES = TECHNIQUES = ("original", "generalization", *SLICED)
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
SMALL = "adults"
LIMIT = 300
"""Seconds of processor time that a cell may take, reading and measuring included."""


@dataclass(frozen=True, eq=False)
class People:
    """A table of people, with what an attacker knows and what nobody shall learn."""

    name: str
    table: pa.Table
    known: tuple[str, ...]
    sensitive: tuple[str, ...]
    l: float  # noqa: E741

    def part(self, size: int) -> People:
        order = np.random.default_rng(2012).permutation(self.table.num_rows)[:size]
        return replace(self, table=self.table.take(pa.array(np.sort(order))))


def settings(size: str) -> Iterator[Setting]:
    """Each technique on each data set; privacy against rows and attributes; classifiers against ℓ; membership."""
    yield from ({"what": "five", "table": table, "sensitive": reading} for reading in READINGS for table in FIVE_SLICED)
    if size == "small":
        yield from _each_technique(what="data", data=SMALL)
        yield from ({"what": "columns", "data": SMALL, "technique": "slicing", "asked": n} for n in (2, 4, 8))
        return
    for data in ("Adult", "heart disease", "diabetes130"):
        yield from _each_technique(what="data", data=data)
    for rows in ROWS:
        yield from _each_technique(what="rows", data="Adult", rows=rows)
    for count in ATTRIBUTES:
        yield from _each_technique(what="attributes", data="Adult", rows=PART, attributes=count)
    for l in LS:  # noqa: E741
        yield from _each_technique(what="l", data="Adult", rows=PART, l=l)
    yield from ({"what": "columns", "data": "Adult", "technique": "slicing", "asked": n} for n in COLUMNS)


def _each_technique(**setting: Any) -> Iterator[Setting]:
    yield from (setting | {"technique": technique} for technique in TECHNIQUES)


def measure(
    what: str,
    data: str = "",
    technique: str = "",
    table: str = "",
    sensitive: str = "",
    rows: int | None = None,
    attributes: int | None = None,
    l: float | None = None,  # noqa: E741
    asked: int | None = None,
) -> list[Point]:
    """The point of one setting; a table of the five people has a point for each row."""
    if what == "five":
        return five_people(table, sensitive)
    people = load(data)
    _warm_up(data)
    people = people if rows is None else people.part(rows)
    people = people if attributes is None else replace(people, known=people.known[-attributes:])
    people = people if l is None else replace(people, l=l)
    if asked is not None:
        return [_sliced(people, technique, columns=asked) | {"what": what, "asked": asked}]
    return [_published(people, technique) | _about(people, what)]


def _about(people: People, what: str) -> Point:
    return {"what": what, "attributes": len(people.known), "rows": people.table.num_rows}


@cache
def load(data: str) -> People:
    return {"Adult": adult, "heart disease": heart, "diabetes130": diabetes, SMALL: sample}[data]()


@cache
def _warm_up(data: str) -> None:
    """Compiled code is loaded before anything is timed."""
    if data != SMALL:
        for technique in TECHNIQUES:
            _published(load("Adult").part(1_000), technique)


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
    return People(SMALL, table, known, ("occupation",), 4)


def _published(people: People, technique: str) -> Point:
    """What a technique publishes of these people."""
    if technique == "original":
        release = make_release(people.table, _job(people, "bucketization", {}))
        return {"data": people.name, "technique": technique, "l": people.l, **measures(as_it_is(release))}
    return _generalized(people) if technique == "generalization" else _sliced(people, technique)


def _sliced(people: People, technique: str, **more: Any) -> Point:
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
    columns = (*(Column(n, "quasi") for n in people.known), *(Column(n, "sensitive") for n in people.sensitive))
    promise = tacit.SlicedDiversity(people.l)
    return Job(Input("a study"), columns, promise, Output(DATA), Method(method, 1, dict(options)))
