"""The published table of ratings: the input's layout and columns, fresh ids, people in random order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit import spreadsheet
from tacit.io import FileFormat
from tacit.io.text import as_text
from tacit.job import Job
from tacit.kinds import Published
from tacit.ratings.encode import Ratings, Style
from tacit.ratings.problem import rows_at
from tacit.ratings.recoding import IntervalRecoding, published_ratings
from tacit.ratings.scale import plain
from tacit.sparse import keep_where


@dataclass(frozen=True, eq=False)
class Released:
    """All ratings as published, sensitive ones too: person p rated issues[indptr[p]:indptr[p + 1]]."""

    indptr: np.ndarray
    issues: np.ndarray
    values: np.ndarray


def released_ratings(data: Ratings, recoding: IntervalRecoding) -> Released:
    """The ratings that a decision publishes: those it is about, and the others as they are."""
    indptr, issues, values = published_ratings(data.problem(1, False), recoding.cells)
    other = ~data.is_known[data.issues]
    if not other.any():
        return Released(indptr, issues, values)
    kept_indptr, kept_issues = keep_where(data.indptr, data.issues, other)
    rows = np.concatenate([np.repeat(np.arange(len(data)), np.diff(each)) for each in (indptr, kept_indptr)])
    both = np.concatenate((issues, kept_issues))
    order = np.lexsort((both, rows))
    return Released(indptr + kept_indptr, both[order], np.concatenate((values, data.values[other]))[order])


def publish_ratings(
    data: Ratings, recoding: IntervalRecoding, table: pa.Table, job: Job, output: FileFormat, rng: np.random.Generator
) -> Published:
    """The table to publish; people stand in random order, and nothing of the original order is left.

    A person's ratings stand in the order of the issues' texts. Issues are numbered as they appear in the data; in that
    order, what is new in a person's list would show who came first, and what else that person rated.
    """
    order = rng.permutation(len(data))
    released = released_ratings(data, recoding)
    indptr, at = rows_at(released.indptr, order)
    rank = np.empty(len(data.names), np.int64)
    rank[sorted(range(len(data.names)), key=data.names.__getitem__)] = np.arange(len(data.names))
    person = np.repeat(np.arange(order.size), np.diff(indptr))
    at = at[np.argsort(person * len(data.names) + rank[released.issues[at]], kind="stable")]
    issues, values = released.issues[at], released.values[at]
    arrays = (
        _long_columns(data, indptr, issues, values, table, job)
        if data.persons is not None
        else _wide_columns(data, indptr, issues, values, table, job, order)
    )
    published = pa.table({name: arrays[name] for name in table.column_names if name in arrays})
    if job.output.escape_formulas and output.delimited:
        published = spreadsheet.escape_columns(published, _text_columns(published, job))
    return Published(published, order)


def unescaped(table: pa.Table, job: Job) -> pa.Table:
    """A published table without the apostrophes that keep spreadsheets from taking a cell for a formula."""
    for name in _text_columns(table, job):
        text = as_text(table[name])
        bare = pc.utf8_replace_slice(text, 0, 1, "")
        is_escaped = pc.fill_null(pc.match_substring_regex(text, r"^'[=+\-@\t\r\n]"), False)
        table = table.set_column(table.column_names.index(name), name, pc.if_else(is_escaped, bare, text))
    return table


def _text_columns(table: pa.Table, job: Job) -> list[str]:
    """The published columns whose cells may be any text; ratings are numbers, and stay as they are."""
    named = [column.name for column in job.columns if column.role in ("items", "plain")]
    kinds = {name: table[name].type for name in named if name in table.column_names}
    plain_kinds = {name: kind.value_type if pa.types.is_dictionary(kind) else kind for name, kind in kinds.items()}
    return [name for name, kind in plain_kinds.items() if pa.types.is_string(kind) or pa.types.is_large_string(kind)]


def _wide_columns(
    data: Ratings,
    indptr: np.ndarray,
    issues: np.ndarray,
    values: np.ndarray,
    table: pa.Table,
    job: Job,
    order: np.ndarray,
) -> dict[str, pa.Array | pa.ChunkedArray]:
    """One column an issue; what is blanked is an empty cell. Sensitive columns keep their exact text."""
    people = np.repeat(np.arange(order.size), np.diff(indptr))
    by_issue = np.argsort(issues, kind="stable")
    bounds = np.searchsorted(issues[by_issue], np.arange(len(data.names) + 1))
    arrays: dict[str, pa.Array | pa.ChunkedArray] = {}
    for issue, name in enumerate(data.names):
        if data.is_secret[issue]:
            arrays[name] = table[name].take(pa.array(order))
            continue
        here = by_issue[bounds[issue] : bounds[issue + 1]]
        cells = np.full(order.size, -1, np.int64)
        cells[people[here]] = np.arange(here.size)
        written = _written(data, np.full(here.size, issue), values[here], data.styles[issue])
        missing = pa.array(cells, mask=cells < 0)
        arrays[name] = written.take(missing)
        if _is_text(data.styles[issue].kind):
            arrays[name] = pc.fill_null(arrays[name], "")
    for column in job.columns_with("plain"):
        arrays[column.name] = table[column.name].take(pa.array(order))
    for column in job.columns_with("person"):
        arrays[column.name] = pa.array(np.arange(1, order.size + 1))
    return arrays


def _long_columns(
    data: Ratings, indptr: np.ndarray, issues: np.ndarray, values: np.ndarray, table: pa.Table, job: Job
) -> dict[str, pa.Array | pa.ChunkedArray]:
    """One row a rating; who has none left gets a row without an issue."""
    person, items, rating = (job.columns_with(role)[0].name for role in ("person", "items", "rating"))
    lengths = np.diff(indptr)
    rows = np.maximum(lengths, 1)
    source = np.full(rows.sum(), -1, np.int64)
    source[np.arange(issues.size) + np.repeat(np.cumsum(rows) - rows - indptr[:-1], lengths)] = np.arange(issues.size)
    at = pa.array(source, mask=source < 0)
    labels = _labels(data.names, table[items].type)
    return {
        person: pa.array(np.repeat(np.arange(1, rows.size + 1), rows)),
        items: labels.take(pa.array(issues)).take(at),
        rating: _written(data, issues, values, data.styles[0]).take(at),
    }


def _labels(names: Sequence[str], kind: pa.DataType) -> pa.Array:
    """The names of the issues in the type of the input's column, where that is a number."""
    texts = pa.array(names, pa.string())
    return texts.cast(kind) if pa.types.is_integer(kind) else texts


def _is_text(kind: pa.DataType) -> bool:
    return not (pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _written(data: Ratings, issues: np.ndarray, values: np.ndarray, style: Style) -> pa.Array:
    """Ratings as the input writes them: numbers of its type, or the very texts it has for them."""
    whole = data.low[issues] + data.unit * values.astype(np.int64)
    different, which = np.unique(whole, return_inverse=True)
    if _is_text(style.kind):
        texts = [style.known.get(ticks) or _text(ticks, data.decimals, style.decimals) for ticks in different.tolist()]
        return pa.array(texts, pa.string()).take(pa.array(which))
    numbers = [Decimal(ticks).scaleb(-data.decimals) for ticks in different.tolist()]
    if pa.types.is_integer(style.kind) and all(number == int(number) for number in numbers):
        return pa.array([int(number) for number in numbers], style.kind).take(pa.array(which))
    wide = pa.array(np.array([float(number) for number in numbers]), pa.float64())
    narrow = wide.cast(style.kind) if pa.types.is_floating(style.kind) else wide
    is_same = all(Decimal(text) == number for text, number in zip(as_text(narrow).to_pylist(), numbers, strict=True))
    return (narrow if is_same else wide).take(pa.array(which))


def _text(ticks: int, decimals: int, shown: int) -> str:
    """A rating that the input does not have, with at least the decimals that it shows."""
    text = plain(Decimal(ticks).scaleb(-decimals))
    whole, _, fraction = text.partition(".")
    return f"{whole}.{fraction.ljust(shown, '0')}" if fraction or shown else whole
