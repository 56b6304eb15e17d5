"""Risk figures of records on an engine: classes of equal quasi-identifiers are counted there, before and after.

The same figures as `tacit.attack.risk` has, from how many classes have each size; those that take every set of columns,
and attackers, are for one machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tacit.attack.result import Findings
from tacit.attack.risk.classes import RECORDS_ARE_COUNTED, THRESHOLDS
from tacit.attack.risk.population import population_uniqueness
from tacit.audits.views.persons import counts_persons
from tacit.engines import frames
from tacit.job import Job

_NOT_PLAYED = {"all attackers": "they are played on one machine: `tacit attack JOB --published FILE`"}
_MOST_CLASSES = 20_000_000
"""Up to so many classes it is estimated who is alone in the population."""


def found_risk(written: Any, source: Any, job: Job) -> Findings | None:
    """The risk of published records, and of the original as if it were published; None for other kinds of data."""
    if job.promise.kind_of_data != "records":
        return None
    return Findings(risk_figures(written, job), risk_figures(source, job), (), _NOT_PLAYED)


def risk_figures(frame: Any, job: Job) -> dict[str, Any]:
    """Who is alone, and how likely a right guess is, for somebody who knows all quasi-identifiers."""
    quasi = [column.name for column in job.columns_with("quasi")]
    shown = [
        c.name for c in job.columns if c.name in frame.columns and c.role in ("quasi", "sensitive", "items", "plain")
    ]
    sizes, classes = _sizes(frame, quasi, job)
    records, count = int(sizes @ classes), int(classes.sum())
    all_sizes, all_classes = _sizes(frame, shown, job)
    alone = int(all_classes[all_sizes == 1].sum())
    people = job.input.population
    known = people is not None and 0 < count <= _MOST_CLASSES
    uniques = int(classes[sizes == 1].sum())
    return {
        "records": records,
        "classes": count,
        "classes_of": "records with the same quasi-identifiers" + f"; {RECORDS_ARE_COUNTED}" * counts_persons(job),
        "uniques": uniques,
        "sample_uniqueness": uniques / max(records, 1),
        "smallest_class": int(sizes.min(initial=records)),
        "prosecutor": prosecutor(sizes, classes),
        "journalist": None,
        "marketer": count / max(records, 1),
        "population": population_uniqueness(np.repeat(sizes, classes), people) if known and people else None,
        "individual": None,
        "household": None,
        "columns": {},
        "by_number_known": [],
        "all_columns": {"names": shown, "uniques": alone, "share": alone / max(records, 1)},
    }


def prosecutor(sizes: np.ndarray, classes: np.ndarray) -> dict[str, Any]:
    """Of somebody who knows that a person is in the file, from how many classes have each size.

    >>> prosecutor(np.array([1, 4]), np.array([2, 1]))["average"]
    0.5
    """
    records = int(sizes @ classes)
    above = {f"{limit:g}": int((sizes * classes)[1 / sizes > limit + 1e-12].sum()) for limit in THRESHOLDS}
    return {
        "highest": float(1 / sizes.min()) if sizes.size else 0.0,
        "average": float(classes.sum() / records) if records else 0.0,
        "above": {limit: some / max(records, 1) for limit, some in above.items()},
        "records_above": above,
    }


def _sizes(frame: Any, names: Sequence[str], job: Job) -> tuple[np.ndarray, np.ndarray]:
    """The sizes of classes of rows that are alike in some columns, and how many classes have each."""
    from pyspark.sql import functions as F

    nothing = ["", *job.input.missing]
    cells = []
    for place, name in enumerate(names):
        cell = F.col(frames.quoted(name))
        if frame.schema[name].dataType.typeName() == "string":
            cell = F.when(cell.isNull() | cell.isin(nothing), F.lit("")).otherwise(cell)
        cells.append(cell.alias(f"c{place}"))
    rows = frame.select(*cells)
    alike = frames.distinct(rows, rows.columns)
    found = alike.groupBy(frames.ROWS).agg(F.count(F.lit(1)).alias("classes")).toArrow()
    return found[frames.ROWS].to_numpy().astype(np.int64), found["classes"].to_numpy().astype(np.int64)
