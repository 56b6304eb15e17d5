"""A first job file for a table with a row per person (records, slices), and for ratings."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from tacit.errors import InputError
from tacit.init.columns import ColumnGuess, guess_columns, missing_markers
from tacit.init.first_job import Table, job_text, key, quoted, refuse_existing, relative
from tacit.init.layout import Guess, guess_layout
from tacit.init.ratings import Scale, guess_log, guess_survey, repeated_ratings, scale_of_all
from tacit.io.text import as_text
from tacit.job.sources import Source
from tacit.taxonomy import build, write_hierarchy

_K, _M, _EPS = 5, 2, 1
_MOST_IN_A_SET = 12
"""A category with more values than this gets a hierarchy: sets of them would be long."""


class Draft(NamedTuple):
    """What the job file will say, and the hierarchies that have to be written for it."""

    tables: list[Table]
    hierarchies: dict[Path, list[str]]
    roles: dict[str, str]


def write_first_table_job(
    source: Source, data: Path, job: Path, kind: str, *, format: str | None, force: bool
) -> dict[str, Any]:
    """Writes a commented job file for records, slices or ratings, and the hierarchies it names; tells what it found."""
    refuse_existing(job, force)
    missing = missing_markers(source.table)
    draft = _DRAFTS[kind](source, data, job, missing)
    for file in draft.hierarchies:
        refuse_existing(file, force)
    job.parent.mkdir(parents=True, exist_ok=True)
    for file, labels in draft.hierarchies.items():
        write_hierarchy(build(labels), file)
    given = [f"source = {quoted(relative(data, job.absolute().parent))}"]
    given += [f"format = {quoted(format)}"] if format else []
    given += (
        ['layout = "long"                 # one row per person and issue'] if "person" in draft.roles.values() else []
    )
    given += [f"missing = [{', '.join(map(quoted, missing))}]"]
    job.write_text(job_text([("input", given), *draft.tables]), encoding="utf-8")
    return {
        "job": str(job),
        "kind": kind,
        "records": source.table.num_rows,
        "roles": draft.roles,
        "hierarchies": list(map(str, draft.hierarchies)),
    }


def looks_like_ratings(source: Source) -> bool:
    """Whether a table is a survey, or a log of ratings."""
    missing = missing_markers(source.table)
    if guess_survey(source.table, missing) is not None:
        return True
    log = guess_log(source.table, missing)
    return log is not None and log.is_named


def _draft_records(source: Source, data: Path, job: Path, missing: Sequence[str]) -> Draft:
    baskets = _baskets(source, data)
    columns = [
        guess for guess in guess_columns(source.table, missing) if baskets is None or guess.name != baskets.items
    ]
    draft = _draft_columns(source.table, columns, job, missing)
    if baskets is not None:
        draft.tables.append((f"columns.{key(baskets.items)}", _items(baskets)))
        draft.roles[baskets.items] = "items"
        model = [
            'model = "k-km"                  # whoever knows the quasi-identifiers and m items finds at least k people',
            f"k = {_k(source.table)}",
            f"m = {_M}",
        ]
    else:
        model = [
            'model = "k"                     # whoever knows the quasi-identifiers finds at least k people',
            f"k = {_k(source.table)}",
            '# model = "l" with l = 2 also hides which sensitive value a person has',
        ]
    _require(draft, "quasi", data)
    draft.tables.append(("privacy", model))
    return draft


def _draft_slices(source: Source, data: Path, job: Path, missing: Sequence[str]) -> Draft:
    draft = _draft_columns(source.table, guess_columns(source.table, missing), job, missing, hierarchies=False)
    _require(draft, "sensitive", data)
    promised = [
        'model = "sliced-l"              # all that is known of a person implies no sensitive value above 1/l',
        "l = 2",
    ]
    draft.tables.append(("privacy", promised))
    return draft


def _draft_ratings(source: Source, data: Path, job: Path, missing: Sequence[str]) -> Draft:
    table = source.table
    issues = guess_survey(table, missing)
    repeated = 0
    if issues is not None:
        scale = scale_of_all(table, issues, missing)
        tables: list[Table] = [(f"columns.{key(issue)}", _rating(scale)) for issue in issues]
        roles = dict.fromkeys(issues, "rating")
        people = table.num_rows
    else:
        log = guess_log(table, missing)
        if log is None:
            raise InputError(
                "no columns look like ratings, and no three like a person, an issue and a rating",
                file=data,
                hint='Write the job file by hand: role = "rating" with its scale.',
            )
        scale, repeated = scale_of_all(table, [log.rating], missing), repeated_ratings(table, log)
        roles = {log.person: "person", log.issue: "items", log.rating: "rating"}
        tables = [
            (f"columns.{key(log.person)}", ['role = "person"                 # fresh numbers are published']),
            (f"columns.{key(log.issue)}", ['role = "items"                  # what is rated']),
            (f"columns.{key(log.rating)}", [*_rating(scale), *_unlisted(table, roles)]),
        ]
        people = pc.count_distinct(table[log.person]).as_py()
    promised = [
        'model = "k-eps"                 # every person has k - 1 others who rated the same, within eps',
        f"k = {min(_K, max(people, 1))}",
        f"eps = {_eps(scale)}",
    ]
    tables.append(("privacy", promised))
    if repeated:
        rows = f"{repeated:,} {'row rates' if repeated == 1 else 'rows rate'}"
        tables.append(("method", [f'duplicates = "last"             # {rows} an issue once more; or "mean", "error"']))
    return Draft(tables, {}, roles)


_DRAFTS = {"records": _draft_records, "slices": _draft_slices, "ratings": _draft_ratings}


def _draft_columns(
    table: pa.Table, columns: Sequence[ColumnGuess], job: Path, missing: Sequence[str], *, hierarchies: bool = True
) -> Draft:
    draft = Draft([], {}, {})
    for column in columns:
        lines = [f'role = "{column.role}"'.ljust(32) + f"# {column.why}"]
        if column.role == "quasi":
            lines.append(f'type = "{column.type}"')
            if hierarchies and column.type == "category" and column.distinct > _MOST_IN_A_SET:
                file = job.with_name(f"{job.stem}-{_plain(column.name)}.csv")
                draft.hierarchies[file] = _labels(table[column.name], missing)
                lines.append(f"hierarchy = {quoted(file.name)}")
        draft.tables.append((f"columns.{key(column.name)}", lines))
        draft.roles[column.name] = column.role
    return draft


def _baskets(source: Source, data: Path) -> Guess | None:
    """The set-valued column of a table with a row per person, if there is one."""
    try:
        guess = guess_layout(source.table, data, is_dat=source.format.name == "dat")
    except InputError:
        return None
    return guess if guess.person is None and guess.is_sure else None


def _items(guess: Guess) -> list[str]:
    lines = ['role = "items"                  # a set of items a person']
    lines += [f"separator = {quoted(guess.separator)}"] if guess.separator else []
    return [*lines, '# hierarchy = "..."             # `tacit hierarchy build` makes one']


def _rating(scale: Scale | None) -> list[str]:
    if scale is None:
        return ['role = "rating"', "# scale = [1, 5]                # the lowest and the highest rating"]
    step = f"step = {_number(scale.step)}" if scale.step else "step = 0                        # any value"
    return ['role = "rating"', f"scale = [{_number(scale.low)}, {_number(scale.high)}]", step]


def _eps(scale: Scale | None) -> str:
    """A step or two of a coarse scale; of a fine one, a twentieth of it."""
    return f"{float(f'{(scale.high - scale.low) / 20:.1g}'):g}" if scale is not None and scale.is_fine else str(_EPS)


def _number(number: float) -> str:
    """A number with all its digits, as TOML writes it."""
    return str(int(number)) if number == int(number) else repr(number)


def _unlisted(table: pa.Table, roles: Collection[str]) -> list[str]:
    """What is said of columns that have no role."""
    names = [quoted(name) for name in table.column_names if name not in roles]
    return ["", f"# Not published, because not listed: {', '.join(names)}"] if names else []


def _require(draft: Draft, role: str, data: Path) -> None:
    if role not in draft.roles.values():
        hint = f'Write the job file by hand, and give a column role = "{role}".'
        raise InputError(f"no column looks like one with the role {role!r}", file=data, hint=hint)


def _k(table: pa.Table) -> int:
    return min(_K, max(table.num_rows, 1))


def _labels(column: pa.ChunkedArray, missing: Sequence[str]) -> list[str]:
    return [label for label in pc.unique(as_text(column)).to_pylist() if label not in {*missing, None}]


def _plain(name: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "-_" else "_" for letter in name)
