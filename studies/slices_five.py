"""The tables that Dhumal & Patil print: five people, sliced in three ways."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

import tacit
from studies.common import DATA, Claim, Point, Table, verdict, where
from studies.slices_measures import level
from tacit.flow import make_release
from tacit.job import Column, Input, Job, Method, Output

FIVE = {
    "Resting BP": (80, 110, 75, 40, 105), "Hypertension": (95, 85, 93, 115, 90), "Severity Index": (4, 3, 2, 1, 3),
    "Treatment": ("Kavil", "Hypertension", "Flu", "Kavil", "Cancer"), "Pulse Rate": (68, 72, 87, 98, 82),
    "Medicines": ("Gijamine", "Santrifon", "Oghil", "Matrogin", "Albhome"),
    "Education": ("ME", "MBA", "BA", "BE", "MBA"),
    "Profession": ("Teaching", "Marketing", "Student", "Student", "Business"),
    "salary": ("35000", "20000", "00000", "00000", "50000"),
}  # fmt: skip
"""Table I, without the names of the five."""
SLICED = {
    "II": [["Resting BP", "Hypertension"], ["Severity Index", "Treatment"], ["Pulse Rate", "Medicines"]],
    "III": [["Resting BP"], ["Hypertension"], ["Severity Index"], ["Treatment"]],
    "IV": [["Resting BP", "Hypertension", "Pulse Rate"], ["Severity Index", "Treatment", "Medicines"],
           ["Education", "Profession", "salary"]],
}  # fmt: skip
READINGS = {
    "Treatment": ("Treatment",),
    "Severity Index and Treatment": ("Severity Index", "Treatment"),
    "Severity Index, Treatment and Medicines": ("Severity Index", "Treatment", "Medicines"),
}
"""The paper does not say which attributes are sensitive."""
SMALLEST_L = 2
_ABOUT = ("what", "table", "sensitive", "level", "cell")


def five_people(numeral: str, reading: str) -> list[Point]:
    """A table of the paper from its Table I: one bucket, each slice permuted; a point for each row."""
    columns = SLICED[numeral]
    shown = [name for one in columns for name in one]
    sensitive = [name for name in READINGS[reading] if name in shown]
    table = pa.table({name: [str(value) for value in FIVE[name]] for name in shown})
    roles = tuple(Column(name, "sensitive" if name in sensitive else "quasi") for name in shown)
    method = Method("slicing", 1, {"columns": columns})
    job = Job(Input("a study"), roles, tacit.SlicedDiversity(SMALLEST_L), Output(DATA), method)
    what = {"what": "five", "table": numeral, "sensitive": reading}
    try:
        release = make_release(table, job)
    except tacit.PromiseError as error:
        return [{**what, "failed": str(error).splitlines()[0]}]
    return [{**what, "level": level(release.audit), **_tuples(row)} for row in release.table.to_pylist()]


def _tuples(row: Mapping[str, Any]) -> dict[str, str]:
    """The values of each slice together, as the paper prints them."""
    slices: dict[str, dict[str, str]] = {}
    for column, value in row.items():
        index, dot, name = column.partition(".")
        if dot:
            slices.setdefault(index, {})[name] = str(value)
    return {", ".join(one): f"({', '.join(one.values())})" for one in slices.values()}


def printed(points: Sequence[Point]) -> list[Table]:
    """Table I, and every other table under the last reading in which it can be made."""
    people = [dict(zip(FIVE, row, strict=True)) for row in zip(*FIVE.values(), strict=True)]
    tables = [Table("Table I: the five people", people, {name: name for name in FIVE}, "As the paper prints it.")]
    for numeral in SLICED:
        made = [where(points, what="five", table=numeral, sensitive=reading) for reading in READINGS]
        rows = next((rows for rows in reversed(made) if rows), [])
        if rows:
            columns = {key: key for key in rows[0] if key not in _ABOUT}
            shown = [name for one in SLICED[numeral] for name in one]
            sensitive = [name for name in READINGS[rows[0]["sensitive"]] if name in shown]
            about = _about(", ".join(sensitive), rows[0]["level"])
            tables.append(Table(f"Table {numeral}: the five people, sliced", rows, columns, about))
    return tables


def _about(sensitive: str, level_reached: float) -> str:
    return (
        f"Sliced by tacit with ℓ = {SMALLEST_L}, sensitive: {sensitive}; the audit says ℓ = {level_reached:.3g}. "
        "Rows of different columns do not belong together; the paper prints its tables without permuting them."
    )


def tables_hold(points: Sequence[Point]) -> list[Claim]:
    """Whether the columns that the paper prints can keep ℓ = 2 at all."""
    found = []
    for reading in READINGS:
        broken = [p["table"] for p in points if p["what"] == "five" and p["sensitive"] == reading and "failed" in p]
        here = f"no buckets can make it so: Table {' and '.join(broken)}" if broken else "they can be made so"
        why = (
            "A column of theirs that holds the sensitive value beside others is linked to a person by those values, as "
            "the tool found for each such table: see Out of reach."
        )
        paper = f"Tables II to IV hide {reading} (here: ℓ = {SMALLEST_L})."
        found.append(Claim(paper, here, verdict(not broken), why))
    return found
