"""What is checked of records before a search, and what the data's owner is told about their columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from tacit.arrays.attributes import Attribute, holds_star
from tacit.errors import InputError
from tacit.io import FileFormat
from tacit.job import Job
from tacit.job.checks import check_columns, check_output, identifies
from tacit.records.data import RecordData
from tacit.values.writing import SUPPRESSED

_NAMED = 3
"""So many columns are named in a note about more."""


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
    check_columns(table, job)
    if job.promise.about_sensitive_items and not any(column.sensitive_items for column in job.columns_with("items")):
        raise InputError(
            f"the model {model!r} needs sensitive items; no column lists any",
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
        check_attribute(attribute, len(data), job)


def check_attribute(attribute: Attribute, records: int, job: Job) -> None:
    """The same for one of so many records."""
    is_flat = attribute.tree is None and attribute.numbers is None
    if is_flat and identifies(records, len(attribute.texts)):
        raise InputError(
            f"{records:,} records have {len(attribute.texts):,} different values here and no hierarchy: the "
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


def notes_on_roles(job: Job) -> Iterator[str]:
    """Columns that the promise lets be learnt: one note, however many there are."""
    names = [column.name for column in job.columns_with("sensitive")]
    if "sensitive" in job.promise.roles or not names:
        return
    first = ", ".join(map(repr, names[:_NAMED]))
    others = f" and {len(names) - _NAMED} others" if len(names) > _NAMED else ""
    yield (
        f"{first}{others} {'stays as it is' if len(names) == 1 else 'stay as they are'}: the promise "
        f"{job.promise.name!r} hides whose record it is, not what records that look alike have in common "
        "(model 'l' limits that)"
    )
