"""What is checked of records before a search, and what the data's owner is told about their columns."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction

import numpy as np
import pyarrow as pa

from tacit.arrays.attributes import Attribute, holds_star
from tacit.baskets.checks import check_columns, check_output, check_people, identifies
from tacit.errors import InputError, PromiseError
from tacit.io import FileFormat
from tacit.job import Job
from tacit.promises import KKmAnonymity, KLmDiversity, LDiversity
from tacit.records.data import RecordData
from tacit.values.writing import SUPPRESSED

_FINEST = 10**6
"""Of denominators: 2.3333333333333335 is meant to be 7/3."""


def check_records(table: pa.Table, job: Job, output: FileFormat | None) -> None:
    """Refuses a layout, columns and a format that do not suit records."""
    model = job.promise.name
    if job.input.layout == "long":
        raise InputError(
            f"the model {model!r} needs one row per person, but the layout is long",
            file=job.file,
            hint='Bring the data to one row per person, with the items of a person in one cell: layout = "wide".',
        )
    if not job.columns_with("quasi"):
        raise InputError(
            f"the model {model!r} needs a column with the role 'quasi'; there is none",
            file=job.file,
            hint="Say what an attacker may know of a person: age, sex, origin and the like. Identifiers are never "
            "published, so that nothing would be left.",
        )
    check_columns(table, job, protected=("quasi", "sensitive", *(("items",) if model in ("k-km", "k-lm") else ())))
    if model == "k-lm" and not any(column.sensitive_items for column in job.columns_with("items")):
        raise InputError(
            "the model 'k-lm' needs sensitive items; no column lists any",
            file=job.file,
            hint='List what must not be inferred: sensitive = ["G", "H"] under [columns.NAME] of the items.',
        )
    if output is None:
        return
    check_output(table, job, output)
    if output.name == "dat":
        raise InputError(
            "a .dat file holds nothing but one column of baskets, named 'items'",
            file=job.file,
            column=job.columns_with("quasi")[0].name,
            hint='Write another format, such as format = "csv" under [output].',
        )


def check_identifiers(data: RecordData, job: Job) -> None:
    """Refuses categories that tell everybody apart: sets of k names give the names away."""
    for attribute in data.attributes:
        is_flat = attribute.tree is None and attribute.numbers is None
        if is_flat and identifies(len(data), len(attribute.texts)):
            raise InputError(
                f"{len(data):,} records have {len(attribute.texts):,} different values here and no hierarchy: the "
                "column identifies people",
                file=job.input.source,
                column=attribute.name,
                hint='Set role = "identifier", and it is not published; or give a hierarchy that puts its values into '
                "groups.",
            )


def notes_on_stars(attributes: Iterable[Attribute]) -> Iterator[str]:
    """Values that will be read as suppressed ones."""
    for attribute in attributes:
        if holds_star(attribute):
            yield (
                f"column {attribute.name!r} has a value '{SUPPRESSED}', which also stands for a value that is not "
                "shown, and the file does not tell the two apart: rename it, or list it under `missing` in [input]"
            )


def check_stars(data: RecordData, job: Job) -> None:
    """Refuses sensitive values that would be one with the missing ones, once these are suppressed."""
    for column, attribute in zip(job.columns_with("sensitive"), data.sensitive, strict=True):
        if column.missing == "suppress" and attribute.missing >= 0 and holds_star(attribute):
            raise InputError(
                f"a value of this column is '{SUPPRESSED}', as missing ones would be written",
                file=job.input.source,
                column=attribute.name,
                hint=f"Rename the value, list '{SUPPRESSED}' under `missing` in [input], or set missing = \"value\".",
            )


def check_reachable(data: RecordData, job: Job) -> None:
    """Not even all records as one group keep a promise above these bounds."""
    promise, records, k = job.promise, len(data), job.promise.parameters()["k"]
    if not records:
        return
    if k > records:
        reach = f"k = {records} could be reached" if records > 1 else "No k above 1 could be reached"
        raise PromiseError(f"k = {k}, but there are only {records:,} records.\n  {reach}.")
    if isinstance(promise, LDiversity):
        for attribute in data.sensitive:
            _check_column(attribute, promise)
    if isinstance(promise, KKmAnonymity) and data.baskets is not None:
        check_people(data.baskets, k)
    if isinstance(promise, KLmDiversity) and data.baskets is not None:
        _check_items(data, promise)


def notes_on_roles(job: Job) -> Iterator[str]:
    """Columns that the promise lets be learnt."""
    if job.promise.name == "l":
        return
    for column in job.columns_with("sensitive"):
        yield (
            f"column {column.name!r} stays as it is: the promise {job.promise.name!r} hides whose record it "
            "is, not what records that look alike have in common (model 'l' limits that)"
        )


def _check_column(attribute: Attribute, promise: LDiversity) -> None:
    """A sensitive column of the whole table must be as diverse as each group is to be."""
    counts = np.bincount(attribute.codes, minlength=len(attribute.texts))
    counts = counts[counts > 0]
    wanted = Fraction(promise.l).limit_denominator(_FINEST)
    if promise.kind == "distinct":
        reached, why = float(counts.size), f"has only {counts.size:,} different value{'s' * (counts.size != 1)}"
        holds = counts.size >= wanted
    elif promise.kind == "entropy":
        share = counts / counts.sum()
        reached, why = math.exp(-float(share @ np.log(share))), "is less diverse than that in the whole table"
        holds = reached >= promise.l * (1 - 1e-12)
    else:
        reached = counts.sum() / counts.max()
        why = f"has one value in {counts.max():,} of {counts.sum():,} records"
        holds = int(counts.max()) * wanted <= int(counts.sum())
    if not holds:
        raise PromiseError(f"ℓ = {promise.l:g}, but the column {attribute.name!r} {why}.\n  {_reach(reached)}.")


def _check_items(data: RecordData, promise: KLmDiversity) -> None:
    """No sensitive item may be in more than 1/ℓ of all records."""
    assert data.baskets is not None
    baskets = data.baskets.items.baskets
    held = np.bincount(baskets.items, minlength=len(baskets.vocabulary))[data.baskets.leaf_of_item < 0]
    most, wanted = int(held.max(initial=0)), Fraction(promise.l).limit_denominator(_FINEST)
    if most * wanted > len(data):
        raise PromiseError(
            f"ℓ = {promise.l:g}, but one sensitive item is in {most:,} of {len(data):,} records.\n"
            f"  {_reach(len(data) / most)}."
        )


def _reach(l: float) -> str:  # noqa: E741 - its name in the promise
    """The largest ℓ that could be reached, rounded down, so that it can be set."""
    rounded = math.floor(l * 1000) / 1000
    return f"ℓ = {rounded:g} could be reached" if rounded > 1 else "No ℓ above 1 could be reached"
