"""Columns of the original with what their values mean: a place in a hierarchy, a number, a day, or a name alone."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.arrays.blocks import pause
from tacit.audits.values import DAY, NUMBER
from tacit.audits.views.cells import Cells, flags, read_cells
from tacit.errors import InputError
from tacit.job.model import Column, Job
from tacit.job.places import place_of
from tacit.taxonomy import NotLeaves, Taxonomy, read_hierarchy

SUPPRESSED = "*"


@dataclass(frozen=True, eq=False)
class KnownColumn:
    """A column of the original. Its values are leaves of `tree`, or numbers, or neither."""

    cells: Cells
    markers: tuple[str, ...] = ("",)  # what means "no value"
    tree: Taxonomy | None = None
    leaves: np.ndarray | None = None  # int64 per code, in `tree`; one past its end for a missing value it lacks
    numbers: np.ndarray | None = None  # float64 per code, NaN for the missing one
    said: Column | None = None  # what the job says of a column that may be generalized
    spellings: Mapping[str, int] = field(default_factory=dict)  # numbers by all their texts, where some have several

    @property
    def name(self) -> str:
        return self.cells.name

    @property
    def codes(self) -> np.ndarray:
        return self.cells.codes

    def __len__(self) -> int:
        return len(self.cells)

    def order(self) -> np.ndarray:
        """Of numbers, the known codes from the least to the greatest; equal ones by their digits, then their texts."""
        assert self.numbers is not None
        texts, known = self.cells.texts, np.flatnonzero(~np.isnan(self.numbers))
        order = known[np.argsort(self.numbers[known], kind="stable")]
        same = np.concatenate(([0], np.flatnonzero(np.diff(self.numbers[order])) + 1, [order.size]))
        for run in np.flatnonzero(np.diff(same) > 1).tolist():
            part = order[same[run] : same[run + 1]]
            part[:] = sorted(part.tolist(), key=lambda code: (_digits(texts[code]), texts[code]))
        return order


def read_column(table: pa.Table, job: Job, column: Column, hierarchies: Mapping[str, Taxonomy]) -> KnownColumn:
    """A column of the job's input with its meaning; the hierarchy is the one given, or the file that the job names."""
    cells = _cells(table, job, column)
    pause()
    known = cells.texts[: cells.missing] if cells.missing >= 0 else cells.texts
    tree = hierarchies.get(column.name)
    try:
        if tree is None and column.hierarchy is not None:
            tree = read_hierarchy(column.hierarchy, set(known))
        if tree is not None:
            return KnownColumn(cells, job.input.missing, tree, _leaves(cells, known, tree, column))
    except NotLeaves as error:
        wrong = np.array([text in set(error.values) for text in cells.texts], bool)
        words, line = place_of(int(np.argmax(wrong[cells.codes])), job.input)
        raise error.of(column.name).at(words, file=job.input.source, line=line) from None
    except InputError as error:
        raise InputError(
            error.problem, file=error.file or job.input.source, line=error.line, column=column.name, hint=error.hint
        ) from None
    cells, spellings = with_numbers_once(cells, column)
    known = cells.texts[: cells.missing] if cells.missing >= 0 else cells.texts
    numbers = _numbers(known, column, len(cells.texts))
    return KnownColumn(cells, job.input.missing, numbers=numbers, said=column, spellings=spellings)


def exact_column(table: pa.Table, job: Job, column: Column) -> KnownColumn:
    """A column of the job's input that is published as it is: values are names alone, or numbers in any spelling."""
    cells, spellings = with_numbers_once(_cells(table, job, column), column)
    return KnownColumn(cells, job.input.missing, spellings=spellings)


def with_numbers_once(cells: Cells, column: Column) -> tuple[Cells, dict[str, int]]:
    """The cells with equal numbers as one value, and its code for each of their texts, if a number has several.

    All values must be numbers, and no text by what the job says. The leaves of a hierarchy are names.
    """
    known = cells.texts[: cells.missing] if cells.missing >= 0 else cells.texts
    texts = pa.array(known, pa.large_string())
    is_text = column.type in ("category", "date") or column.hierarchy is not None
    if is_text or not len(texts) or not pc.all(pc.match_substring_regex(texts, NUMBER)).as_py():
        return cells, {}
    code_of: dict[Decimal, int] = {}
    codes = [code_of.setdefault(Decimal(text.strip()), len(code_of)) for text in known]
    if len(code_of) == len(known):
        return cells, {}
    first = dict(zip(reversed(codes), reversed(known), strict=True))
    shown = (*(first[code] for code in range(len(code_of))), *cells.texts[len(known) :])
    place = np.array([*codes, len(code_of)], np.int32)
    missing = len(code_of) if cells.missing >= 0 else -1
    return Cells(cells.name, place[cells.codes], shown, missing), dict(zip(known, codes, strict=True))


def _cells(table: pa.Table, job: Job, column: Column) -> Cells:
    cells = read_cells(column.name, table[column.name], job.input.missing, job.input.source)
    if column.missing == "suppress" and cells.missing >= 0:
        return Cells(cells.name, cells.codes, (*cells.texts[:-1], SUPPRESSED), cells.missing)
    return cells


def _leaves(cells: Cells, known: Sequence[str], tree: Taxonomy, column: Column) -> np.ndarray:
    """The leaf of each value; a missing one is the leaf of its name, or stands behind all others, below the root."""
    leaves = tree.find_leaves(known).astype(np.int64)
    if cells.missing < 0:
        return leaves
    marker, behind = cells.texts[cells.missing], len(tree)
    if column.missing != "suppress" and marker in tree.names and tree.is_leaf[tree.node(marker)]:
        behind = tree.node(marker)
    return np.append(leaves, behind)


def _numbers(known: Sequence[str], column: Column, size: int) -> np.ndarray | None:
    """The number of each value if all are numbers, or all are days, and the job says nothing else."""
    texts = pa.array(known, pa.large_string())
    for kind, read in (("number", _as_numbers), ("date", _as_days)):
        if len(texts) and column.type in (None, kind):
            numbers = read(texts)
            if numbers is not None:
                return np.append(numbers, np.full(size - len(texts), np.nan))
    return None


def _as_numbers(texts: pa.Array) -> np.ndarray | None:
    if not pc.all(pc.match_substring_regex(texts, NUMBER)).as_py():
        return None
    return np.from_dlpack(pc.cast(pc.utf8_trim_whitespace(texts), pa.float64()))


def _as_days(texts: pa.Array) -> np.ndarray | None:
    parsed = pc.strptime(texts, format="%Y-%m-%d", unit="s", error_is_null=True)
    real = pc.equal(pc.strftime(parsed, format="%Y-%m-%d"), pc.cast(texts, pa.string()))  # no 30th of February
    fits = pc.fill_null(pc.and_(pc.match_substring_regex(texts, DAY), real), False)
    if not flags(fits).all():
        return None
    return np.from_dlpack(pc.cast(parsed, pa.int64())).astype(float) / 86_400.0


def _digits(text: str) -> Decimal:
    """The exact number; days that are equal are written alike."""
    return Decimal(0) if re.match(DAY, text) else Decimal(text.strip())
