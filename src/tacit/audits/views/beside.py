"""Columns of a published file beside those that the promise is about: which of them say whose record is whose.

A promise is about the columns that the job lists. A number of a person in a column that it does not list undoes it all
the same, and nobody would see it from the verdict.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from tacit.audits.views.persons import telling_columns
from tacit.audits.views.spellings import meaning
from tacit.errors import InputError
from tacit.job.model import Job
from tacit.taxonomy.nodes import free_name

_NEARLY_ALL = 0.9
"""A column in which more records than this share have a value of their own tells people apart; of ten it is all."""
_SEPARATORS = re.compile(r"[\s_.\-]+")
_SECOND = re.compile(r" \([0-9]+\)$")
"""What the reader puts behind a name that stands in the header again."""
_BUCKET = "bucket"
_DECLARED = "which the job calls an identifier"


@dataclass(frozen=True)
class Beside:
    """The columns that the job does not list, and those that say whose record is whose, with the reason."""

    unlisted: tuple[str, ...] = ()
    telling: tuple[tuple[str, str], ...] = ()


NOTHING = Beside()


def all_of(several: Iterable[Beside]) -> Beside:
    """What stands beside the columns in any of some files."""
    found = list(several)
    unlisted = dict.fromkeys(name for each in found for name in each.unlisted)
    telling = dict.fromkeys(reason for each in found for reason in each.telling)
    return Beside(tuple(unlisted), tuple(telling))


def beside(table: pa.Table, job: Job, allowed: Collection[str], source: str | Path | None) -> Beside:
    """What a table has beside the columns of the job; those that are `allowed` may say what they will."""

    def different(headings: Collection[str]) -> tuple[int, Mapping[str, int]]:
        return _people(table, job), {heading: _different(table[heading]) for heading in headings}

    return beside_of(table.column_names, job, allowed, source, different)


def beside_of(
    headings: Sequence[str],
    job: Job,
    allowed: Collection[str],
    source: str | Path | None,
    different: Callable[[Collection[str]], tuple[int, Mapping[str, int]]],
) -> Beside:
    """The same for a file that need not be at hand as a table: `different` counts its people, and the different values
    of some columns. Of a sliced table, what stands behind the number of the slice is the name."""
    is_sliced = job.promise.kind_of_data == "slices"
    names = {
        heading: heading.partition(".")[2] if is_sliced and heading != _BUCKET else heading for heading in headings
    }
    _check_allowed(allowed, set(names.values()), job, source)
    listed = {column.name for column in job.columns} | _made_by_methods(job)
    unlisted = {heading: name for heading, name in names.items() if name not in listed}
    telling = [(name, _DECLARED) for name in telling_columns(job) if name in names.values()]
    people, counts = different([heading for heading, name in unlisted.items() if name not in allowed])
    for heading, count in counts.items():
        telling += [(unlisted[heading], reason) for reason in _reasons(unlisted[heading], count, people, job)]
    return Beside(tuple(dict.fromkeys(unlisted.values())), tuple(dict.fromkeys(telling)))


def counted_as_people(headings: Collection[str], job: Job) -> str | None:
    """The column whose different values are the people of a long layout; None where each row counts."""
    persons = [column.name for column in job.columns_with("person")] if job.input.layout == "long" else []
    return persons[0] if persons and persons[0] in headings else None


def _made_by_methods(job: Job) -> set[str]:
    """Columns that a release has of its own: numbers of buckets or of groups."""
    if job.promise.kind_of_data == "slices":
        return {_BUCKET}
    own = {column.name for column in job.columns}
    return {free_name("group", own)} if job.promise.shows_groups else set()


def _reasons(name: str, different: int, people: int, job: Job) -> Iterator[str]:
    """Why a column that is not listed says whose record is whose; nothing if it does not."""
    alike = [other.name for other in job.columns if _plain(other.name) == _plain(name)]
    if alike:
        is_telling = alike[0] in telling_columns(job)
        which = f"the {'identifier' if is_telling else 'column'} {alike[0]!r} but for case, blanks and signs"
        yield f"which the job does not list, and which is {which}"
    if people > 1 and different > _NEARLY_ALL * people:
        yield f"which the job does not list, and which has {different:,} different values for {people:,} records"


def _plain(name: str) -> str:
    """A name as readers take it: `Patient-ID` is `patient_id`, and so is a second column of that name."""
    return _SEPARATORS.sub("", _SECOND.sub("", meaning(name)))


def _people(table: pa.Table, job: Job) -> int:
    """How many there are: of a long layout not its rows, but the persons."""
    person = counted_as_people(table.column_names, job)
    return table.num_rows if person is None else _different(table[person])


def _different(values: pa.ChunkedArray) -> int:
    """How many different values there are, without null."""
    kind = values.type.value_type if pa.types.is_dictionary(values.type) else values.type
    if pa.types.is_nested(kind):
        return len({repr(value) for value in values.to_pylist() if value is not None})
    return int(pc.count_distinct(values.cast(kind), mode="only_valid").as_py())


def _check_allowed(allowed: Collection[str], there: Collection[str], job: Job, source: str | Path | None) -> None:
    for name in allowed:
        if name in telling_columns(job):
            problem, hint = "the job calls this an identifier, so that it cannot be allowed", "Correct its role."
        elif name not in there:
            problem, hint = "the data has no such column to allow", f"It has: {', '.join(sorted(there))}."
        else:
            continue
        raise InputError(problem, file=source, column=name, hint=hint)
