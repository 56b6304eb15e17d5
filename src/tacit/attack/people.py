"""Who is who, for the judge of attacks: the original record of each published one, here and in other releases."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit import audits
from tacit.arrays.order import each_once
from tacit.attack.scene import NO_ROWS, Earlier
from tacit.audits.views.persons import read_persons
from tacit.errors import InputError
from tacit.io.fingerprint import file_sha256
from tacit.io.text import as_text
from tacit.job import Job
from tacit.job.sources import read_file, read_published, read_source
from tacit.release import SavedRelease, saved_release

_STRANGERS = (
    "the other release was made from other data, and no column of role person or identifier says who is in both"
)


def earlier_release(
    directory: Path, everything: pa.Table, table: pa.Table, kept: np.ndarray | None, job: Job
) -> Earlier:
    """Another release of the same people, for somebody who has both.

    `everything` is the original of this release with those who were held out, `table` without them, `kept` who is left.
    """
    saved = saved_release(directory)
    if saved.job.promise.kind_of_data != job.promise.kind_of_data or saved.job.input.layout != job.input.layout:
        raise InputError("this release is about another kind of data", file=directory)
    shown = read_published(saved.file(), saved.job).table
    view = audits.read_view(shown, saved.job, saved.file())
    file = directory / "private" / "rows.csv"
    if not file.is_file():
        return Earlier(directory.name, view, None, NO_ROWS)
    rows = read_file(file).table
    if job.input.layout == "long":  # people have names of their own there, which later deliveries have, too
        return Earlier(directory.name, view, _by_name(rows, shown, table, job, file))
    if _is_of(saved, job):
        people = rows_of(rows, shown, everything, saved.job, file)
        return Earlier(directory.name, view, people if kept is None else _placed(kept, everything.num_rows)[people])
    names = [column.name for role in ("person", "identifier") for column in job.columns_with(role)]
    there = saved.job.input.source
    if not names or not isinstance(there, Path) or not there.is_file():
        return Earlier(directory.name, view, None, _STRANGERS)
    other = read_source(saved.job).table
    name = next((each for each in names if each in other.column_names and each in table.column_names), None)
    ids = None if name is None else [as_text(each[name]).to_pylist() for each in (other, table)]
    if ids is None or any(len(set(each)) < len(each) for each in ids) or read_persons(table, job) is not None:
        return Earlier(directory.name, view, None, _STRANGERS)
    place = {text: row for row, text in enumerate(ids[1])}
    here = np.array([place.get(text, -1) for text in ids[0]], np.int64)
    return Earlier(directory.name, view, here[rows_of(rows, shown, other, saved.job, file)])


def _is_of(saved: SavedRelease, job: Job) -> bool:
    """Whether a release was made from the very data of a job; if nothing says so, from a file that is older than it."""
    source = job.input.source
    if not isinstance(source, Path) or not source.is_file():
        return saved.job.input.source == source
    proof = saved.directory / "private" / "attack.json"
    try:
        digest = json.loads(proof.read_text("utf-8"))["made_from"]["input"] if proof.is_file() else None
    except (ValueError, LookupError, TypeError, RecursionError):
        raise InputError("these are no attacks that tacit saved", file=proof) from None
    if digest is not None:
        return bool(file_sha256(source) == digest)
    there = saved.job.input.source
    is_same = isinstance(there, Path) and there.is_file() and there.samefile(source)
    return is_same and source.stat().st_mtime <= saved.file().stat().st_mtime


def _placed(kept: np.ndarray, count: int) -> np.ndarray:
    """The place of each among those who are left; −1 for others."""
    place = np.full(count, -1, np.int64)
    place[kept] = np.arange(kept.size)
    return place


def _by_name(rows: pa.Table, published: pa.Table, table: pa.Table, job: Job, source: Path) -> np.ndarray:
    """In a long layout: the person of this original whom each published one is; −1 for somebody who is not in it."""
    name = job.columns_with("person")[0].name
    now, was = (_in_order_of_appearance(each[name]) for each in (published, table))
    said = dict(_pairs(rows, source))
    return np.array([was.get(said.get(each, ""), -1) for each in now], np.int64)


def without_held_out(
    rows: pa.Table, table: pa.Table, job: Job, source: Path
) -> tuple[pa.Table, pa.Table, pa.Table | None, np.ndarray | None]:
    """The original without people who are not in the file, as the file of rows tells it; they are a control.

    The last part are the places of those who are in it, if some are not.
    """
    if "original" not in rows.column_names:
        return rows, table, None, None
    texts = as_text(rows["original"])
    if job.input.layout == "long":
        there = pc.is_in(as_text(table[job.columns_with("person")[0].name]), value_set=texts.combine_chunks())
        if pc.all(there).as_py():
            return rows, table, None, None
        return rows, table.filter(there), table.filter(pc.invert(there)), None
    if not pc.all(pc.fill_null(pc.match_substring_regex(texts, "^[0-9]{1,18}$"), False)).as_py():
        return rows, table, None, None
    numbers = np.concatenate([np.empty(0, np.int64), *map(np.from_dlpack, pc.cast(texts, pa.int64()).chunks)])
    kept = each_once(numbers)
    if kept.size and kept[-1] >= table.num_rows:
        hint = "Give the data that the release was made from, and the `rows.csv` that was written with it."
        raise InputError("this names records that the original does not have", file=source, hint=hint)
    if kept.size == table.num_rows:
        return rows, table, None, None
    place = rows.column_names.index("original")
    rows = rows.set_column(place, "original", pa.array(np.searchsorted(kept, numbers)))
    rest = np.setdiff1d(np.arange(table.num_rows), kept)
    return rows, table.take(pa.array(kept)), table.take(pa.array(rest)), kept


def only_published(
    rows: np.ndarray, published: pa.Table, table: pa.Table, job: Job
) -> tuple[np.ndarray, pa.Table, pa.Table | None, np.ndarray]:
    """The same for rows as an array, which are looked at first: they name the people of the file once in every slice.

    The last part says of each person of the whole original the place among those who are in the file; −1 for others.
    """
    whose = _persons_of_rows(table, job)
    people = check_rows(rows, published, whose, job)
    place = _placed(each_once(rows), people)
    if (place >= 0).all():
        return rows, table, None, place
    is_in = pa.array(place[whose] >= 0)
    return place[rows], table.filter(is_in), table.filter(pc.invert(is_in)), place


def check_rows(rows: np.ndarray, published: pa.Table, whose: np.ndarray, job: Job, release: str = "") -> int:
    """Refuses rows that do not name people of the original, once in every slice; gives how many people there are.

    `whose` says whose each row of the original is, `release` names another release, if they are of one.
    """
    people, shown = int(whose.max(initial=-1)) + 1, published.num_rows
    if job.input.layout == "long":
        shown = len(_in_order_of_appearance(published[job.columns_with("person")[0].name]))
    shape = (_slices(published), shown) if job.promise.kind_of_data == "slices" else (shown,)
    hint = "`rows[i]` is the place of the original record of published record i, of slices a list for each of them."
    name = f"rows of {release!r}" if release else "rows"
    if rows.shape != shape:
        raise InputError(f"{name} must be {' x '.join(f'{each:,}' for each in shape)} numbers", hint=hint)
    if rows.size and (rows.min() < 0 or rows.max() >= people):
        raise InputError(f"{name} must be places in the original, from 0 to {people - 1:,}", hint=hint)
    if any(each_once(each).size < each.size for each in np.atleast_2d(rows)):
        raise InputError(f"{name} must not name a record of the original twice", hint=hint)
    return people


def another_release(name: str, published: pa.Table, rows: np.ndarray | None, table: pa.Table, job: Job) -> Earlier:
    """A file of the same people that is no release of ours, for somebody who holds it, too."""
    if rows is not None:
        check_rows(rows, published, _persons_of_rows(table, job), job, name)
    return Earlier(name, audits.read_view(published, job, None), rows)


def _persons_of_rows(table: pa.Table, job: Job) -> np.ndarray:
    """Whose each row of a table is: people are numbered as they first appear."""
    if job.input.layout == "long":
        texts = as_text(table[job.columns_with("person")[0].name])
        return np.asarray(pc.index_in(texts, value_set=pc.unique(texts)), np.int64)
    persons = read_persons(table, job) if job.promise.kind_of_data == "baskets" else None
    return np.arange(table.num_rows) if persons is None else _as_they_appear(persons)


def _as_they_appear(persons: np.ndarray) -> np.ndarray:
    """The same people, numbered as they first appear."""
    _, first, code = np.unique(persons, return_index=True, return_inverse=True)
    found: np.ndarray = np.argsort(np.argsort(first))[code]
    return found


def called(table: pa.Table, kept: np.ndarray | None, job: Job) -> np.ndarray:
    """What `rows.csv` calls each person of the original: the row of the input or, in a long layout, the person's id.

    `kept` are the rows of the input that `table` has, if it lacks some; of a person with several it is the first.
    """
    if job.input.layout == "long":
        return np.array(list(_in_order_of_appearance(table[job.columns_with("person")[0].name])), object)
    rows = np.arange(table.num_rows) if kept is None else kept
    persons = read_persons(table, job) if job.promise.kind_of_data == "baskets" else None
    return rows if persons is None else rows[np.sort(np.unique(persons, return_index=True)[1])]


def rows_of(rows: pa.Table, published: pa.Table, table: pa.Table, job: Job, source: Path) -> np.ndarray:
    """The original record of each published one, as a file of rows tells it, for any kind of data and layout."""
    from tacit.audits.views.persons import read_rows

    if job.promise.kind_of_data == "slices":
        return read_rows(rows, (_slices(published), published.num_rows), source)
    if job.input.layout != "long":
        persons = read_persons(table, job) if job.promise.kind_of_data == "baskets" else None
        if persons is None:
            return read_rows(rows, (published.num_rows,), source)
        place = _as_they_appear(persons)
        pairs = {int(p): int(place[int(o)]) for p, o in _pairs(rows, source)}
        return np.array([pairs[i] for i in range(published.num_rows)], np.int64)
    name = job.columns_with("person")[0].name
    now, was = (_in_order_of_appearance(each[name]) for each in (published, table))
    said = dict(_pairs(rows, source))
    try:
        return np.array([was[said[each]] for each in now], np.int64)
    except KeyError:
        hint = "Give the `rows.csv` that was written with this very file: published,original."
        raise InputError("this does not say of each published person who it is", file=source, hint=hint) from None


def _slices(published: pa.Table) -> int:
    return len({name.partition(".")[0] for name in published.column_names if "." in name})


def _pairs(rows: pa.Table, source: Path) -> list[tuple[str, str]]:
    for name in ("published", "original"):
        if name not in rows.column_names:
            raise InputError("the file of rows has no such column", file=source, column=name)
    return list(zip(*(as_text(rows[name]).to_pylist() for name in ("published", "original")), strict=True))


def _in_order_of_appearance(column: pa.ChunkedArray) -> dict[str, int]:
    return {text: place for place, text in enumerate(dict.fromkeys(as_text(column).to_pylist()))}
