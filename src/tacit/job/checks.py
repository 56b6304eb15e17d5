"""What is checked of a job and its table, whatever the kind of data: columns, roles, the format of the release."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from tacit.errors import InputError
from tacit.io import FileFormat
from tacit.job.model import Column, Job
from tacit.job.weights import survey_weights
from tacit.taxonomy.nodes import first_few

_CERTAINLY, _NEARLY_ALL = 50, 0.9
"""If of so many records nearly all have a value of their own, a column is an identifier."""
_LOOKED_AT = 1000
_MOST_NAMED = 5
_PROTECTABLE = ("quasi", "sensitive", "items", "rating")


_NAMES_ARE_NAMES = frozenset(
    [".parquet", ".feather", ".jsonl", ".ndjson", ".sav", ".zsav", ".dta", ".sas7bdat", ".xpt"]
)
"""Files of which no record can be taken for the names of its columns."""


def require_columns(table: pa.Table, columns: Sequence[Column], source: str | Path) -> None:
    """Refuses a table that lacks one of the columns."""
    for column in columns:
        if column.name not in table.column_names:
            hint = what_it_has(table, [column.name for column in columns], source)
            raise InputError("the data has no such column", file=source, column=column.name, hint=hint)


def what_it_has(table: pa.Table, wanted: Collection[str], source: str | Path) -> str:
    """The names of a table's columns, for who looked for others.

    Without a header the first record is taken for one. So names are not repeated where they look like values, or where
    the file has none of those that are wanted.
    """
    names = table.column_names
    doubt = " Is the delimiter right?" if len(names) == 1 else ""
    is_text = isinstance(source, Path) and not set(source.suffixes) & _NAMES_ARE_NAMES
    if is_text and (not set(wanted) & set(names) or any(_is_value(name, table[name]) for name in names)):
        found = "one other name" if len(names) == 1 else f"{len(names):,} other names"
        advice = "If it is a record, put the names of the columns above it."
        return f"The first line has {found}. {advice}{doubt}"
    return f"It has: {first_few(names, most=20)}.{doubt}"


def _is_value(name: str, column: pa.ChunkedArray) -> bool:
    """Whether the name of a column looks like a value: a number, a day, an address, or what stands below it, too."""
    if re.fullmatch(r"[\s\d.,:/+-]*", name) or "@" in name:
        return True
    below = column.slice(0, _LOOKED_AT)
    return bool(pa.types.is_dictionary(column.type) or pa.types.is_string(column.type)) and name in below.to_pylist()


def check_columns(table: pa.Table, job: Job) -> None:
    """Refuses columns that the data lacks, weights that are none, and what would be published without protection."""
    require_columns(table, job.columns, job.input.source)
    survey_weights(table, job)
    check_household(job)
    check_asked(job)
    protected = {*job.promise.protects, *(("items",) if job.input.layout == "long" else ())}
    for column in job.columns:
        if column.role in _PROTECTABLE and column.role not in protected:
            raise InputError(
                f"the promise {job.promise.name!r} does not protect a column with the role {column.role!r}",
                file=job.file,
                column=column.name,
                hint='Leave the column out (it is not published then), or publish it as it is with role = "plain".',
            )
        if column.role == "plain" and job.input.layout == "long":
            raise InputError(
                "a long layout has one row per person and item, so a plain column cannot be published with it",
                file=job.file,
                column=column.name,
                hint="Leave the column out, or bring the data to one row per person.",
            )


def check_household(job: Job) -> None:
    """Refuses households where the data already say who is one: in a long layout, and among ratings."""
    for column in job.columns_with("household"):
        if job.input.layout == "long" or job.promise.kind_of_data == "ratings":
            raise InputError(
                "households cannot be counted in a long layout, nor for ratings",
                file=job.file,
                column=column.name,
                hint='To have one basket, or one set of ratings, for each household, give this column role = "person".',
            )


def check_sensitive_items(job: Job) -> None:
    """Refuses a promise about sensitive items for baskets of which none is declared sensitive."""
    if job.promise.about_sensitive_items and not any(column.sensitive_items for column in job.columns):
        raise InputError(
            f"the promise {job.promise.name!r} is about sensitive items, and none is declared",
            file=job.file,
            column=job.columns_with("items")[0].name,
            hint='List them at their column, such as sensitive = ["HIV"]; in Python: sensitive_items=["HIV"].',
        )


def asked_of(column: Column) -> dict[str, object]:
    """What is asked of a sensitive column otherwise than of all."""
    return {key: value for key in ("l", "harmless", "width") if (value := getattr(column, key)) not in (None, ())}


def check_asked(job: Job) -> None:
    """Refuses what cannot be asked of a sensitive column by the job's promise."""
    for column in job.columns_with("sensitive"):
        asked = asked_of(column)
        for key in asked:
            if key not in job.promise.by_column:
                raise InputError(
                    f"{key} cannot be set for a column by the promise {job.promise.name!r}",
                    file=job.file,
                    column=column.name,
                    hint=f"Leave {key} out; the promise 'l' knows it.",
                )
        try:
            job.promise.check_column(column.name, asked)
        except InputError as error:
            raise InputError(error.problem, file=job.file, column=column.name, hint=error.hint) from None


def check_output(table: pa.Table, job: Job, output: FileFormat) -> None:
    """Refuses a format that cannot hold what is to be published."""
    if output.name == "dat" and job.promise.shows_groups:
        raise InputError(
            "a .dat file holds nothing but baskets, so that the groups cannot be published in it",
            file=job.file,
            hint='Write another format, such as format = "csv" under [output].',
        )
    for column in job.columns:
        published = column.role in ("items", "plain") or (column.role == "person" and job.input.layout == "long")
        if published and output.name == "dat" and column.name != "items":
            raise InputError(
                "a .dat file holds nothing but one column of baskets, named 'items'",
                file=job.file,
                column=column.name,
                hint='Write another format, such as format = "csv" under [output].',
            )
        if column.role == "plain" and pa.types.is_nested(table[column.name].type) and not output.has_lists:
            raise InputError(
                f"values of type {table[column.name].type} cannot be written as text",
                file=job.file,
                column=column.name,
                hint='Leave the column out, or write format = "parquet" under [output].',
            )


def notes_on_plain(table: pa.Table, job: Job) -> Iterator[str]:
    """Warns of columns that are published as they are if they tell people apart.

    Where ℓ is promised of sensitive columns, these are warned of with what that means for ℓ.
    """
    is_sensitive_told = job.promise.kind_of_data != "records" or job.promise.by_column
    for column in (*job.columns_with("plain"), *(() if is_sensitive_told else job.columns_with("sensitive"))):
        values = table[column.name]
        if pa.types.is_nested(values.type) and not pa.types.is_dictionary(values.type):
            continue
        different = len(pc.unique(values.drop_null()))
        if column.role == "plain" and not identifies(len(values), different) and _may_say_whose(values, different):
            yield (
                f"column {column.name!r} is plain, so that nothing protects it, and has {different:,} different values "
                f"in {len(values):,} records, most of them in a few: if it says whose they are, it tells who is who, "
                'whatever the promise (role = "person" counts people and publishes no number, "identifier" hides it)'
            )
        if identifies(len(values), different):
            how = "plain, so that nothing protects it" if column.role == "plain" else "published as it is"
            yield (
                f"column {column.name!r} is {how}, and has {different:,} different values in {len(values):,} records: "
                "it may tell who is who, whatever the promise"
            )


def _may_say_whose(values: pa.ChunkedArray, different: int) -> bool:
    """Whether texts or whole numbers come back in few records each, as numbers of people with several records do."""
    kind = values.type.value_type if pa.types.is_dictionary(values.type) else values.type
    is_measure = pa.types.is_floating(kind) or pa.types.is_decimal(kind) or pa.types.is_temporal(kind)
    return not is_measure and len(values) >= _CERTAINLY and different * _FEW_RECORDS > len(values)


_FEW_RECORDS = 10


def check_population(people: int, job: Job) -> None:
    """Refuses a population that is smaller than the sample."""
    population = job.input.population
    if population is not None and population < people:
        whose = "people" if job.columns_with("person") else "records"
        raise InputError(
            f"input.population is {population:g}, but the file has {people:,} {whose}",
            file=job.file,
            hint="It is the number of people of whom the records are a sample: at least as many.",
        )


def notes_on_names(table: pa.Table, job: Job) -> Iterator[str]:
    """Says which one is meant where the data has several columns of a name."""
    listed = {column.name for column in job.columns}
    for name in table.column_names:
        if name in listed and (second := f"{name} (2)") in table.column_names and second not in listed:
            yield f"the data has more than one column {name!r}; this is about the first, the next is called {second!r}"


def notes_on_repeats(table: pa.Table, job: Job) -> Iterator[str]:
    """Warns of identifiers that repeat where nothing says whose record is whose: a person may count several times."""
    yield from notes_on_repeated(repeated_identifiers(table, job))


def notes_on_repeated(names: Sequence[str]) -> Iterator[str]:
    """One sentence for all of these columns: a survey may have many that are not published."""
    if names:
        others = len(names) - _MOST_NAMED
        rest = "" if others < 1 else " and one more column" if others == 1 else f" and {others} more columns"
        yield (
            f"identifiers in {', '.join(map(repr, names[:_MOST_NAMED]))}{rest} repeat, and no column has the role "
            "'person': records are counted, not people, so that somebody with several records may be among few others, "
            'or alone (role = "person" counts people)'
        )


def repeated_identifiers(table: pa.Table, job: Job) -> list[str]:
    """The columns with identifiers that several records have, if the job does not say whose record is whose."""
    if job.columns_with("person") or job.columns_with("household"):
        return []
    return [
        column.name
        for column in job.columns_with("identifier")
        if column.name in table.column_names and _repeats(table[column.name])
    ]


def _repeats(values: pa.ChunkedArray) -> bool:
    if pa.types.is_nested(values.type) and not pa.types.is_dictionary(values.type):
        return False
    known = values.drop_null()
    return len(pc.unique(known)) < len(known)


def identifies(records: int, different: int) -> bool:
    """Whether a column with so many different values tells people apart; of few records it may be chance."""
    return records >= _CERTAINLY and different > _NEARLY_ALL * records
