"""Baskets: what a stranger reads in a published table, and the original that it is compared with."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.audits._sets import Sets, as_sets, only
from tacit.audits.views.beside import NOTHING, Beside, all_of
from tacit.audits.views.items import one_after_another, read_baskets, side_by_side
from tacit.audits.views.items import read_persons as read_long
from tacit.audits.views.persons import read_persons, united
from tacit.audits.views.spellings import as_one, declared
from tacit.errors import InputError
from tacit.io.text import as_text
from tacit.job.checks import check_sensitive_items, require_columns
from tacit.job.model import BLANK, Column, Job
from tacit.job.places import place_of
from tacit.taxonomy import NotLeaves, Taxonomy, read_hierarchy
from tacit.taxonomy.nodes import ROOT, free_name

_PLAIN_NUMBER = "^(0|[1-9][0-9]{0,17})$"
"""As a group is numbered: two texts are two groups."""


@dataclass(frozen=True, eq=False)
class BasketView:
    """Published baskets: record r holds items[starts[r]:starts[r + 1]], each once; item i stands in one column.

    Several columns are one basket, in which items of different columns are different items.
    """

    kind_of_data: ClassVar[str] = "baskets"
    columns: tuple[Column, ...]
    starts: np.ndarray  # int64
    items: np.ndarray  # int32
    labels: tuple[str, ...]  # of each item: its text
    column_of: np.ndarray  # int32 per item: its column
    group: np.ndarray | None = None  # of each record, if the file tells groups
    beside: Beside = NOTHING
    people: np.ndarray | None = None  # int64: how many records are like each one; None: one

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def records(self) -> int:
        """How many records there are, equal ones included."""
        return len(self) if self.people is None else int(self.people.sum())

    def counted_people(self) -> np.ndarray:
        """How many records are like each one (int64)."""
        return np.ones(len(self), np.int64) if self.people is None else self.people

    @cached_property
    def is_sensitive(self) -> np.ndarray:
        """For each item, whether the job declares it sensitive; any spelling of it will do, unless it says no."""
        found = np.zeros(len(self.labels), bool)
        for index, column in enumerate(self.columns):
            here = np.flatnonzero(self.column_of == index)
            found[here] = declared(
                [self.labels[item] for item in here.tolist()], column.sensitive_items, fold=column.fold
            )
        return found

    @cached_property
    def meant(self) -> BasketView:
        """The same with one item for all spellings of a sensitive one, unless the job takes them apart."""
        stands_for = np.arange(len(self.labels))
        for index, column in enumerate(self.columns):
            here = np.flatnonzero(self.is_sensitive & (self.column_of == index))
            if column.fold:
                stands_for[here] = here[as_one([self.labels[item] for item in here.tolist()])]
        if (stands_for == np.arange(stands_for.size)).all():
            return self
        starts, items = as_sets(self.starts, stands_for.astype(np.int32)[self.items])
        return replace(self, starts=starts, items=items)

    @cached_property
    def names(self) -> list[str]:
        """What each item is called; those of several columns go by the column, too."""
        if len(self.columns) == 1:
            return list(self.labels)
        pairs = [
            (self.columns[index].name, label) for index, label in zip(self.column_of.tolist(), self.labels, strict=True)
        ]
        names = [f"{column}: {label}" for column, label in pairs]
        if len(set(names)) < len(names):  # such as `b: x` of column `a`, and `x` of column `a: b`
            names = [f"{column!r}: {label}" for column, label in pairs]
        return names

    def known(self) -> Sets:
        """What an attacker may know: items that are not declared sensitive."""
        return only(self.starts, self.items, ~self.is_sensitive[self.items])

    def sensitive(self) -> Sets:
        """What an attacker wants to learn; refused where nothing is declared sensitive."""
        self.require_sensitive_items()
        return only(self.starts, self.items, self.is_sensitive[self.items])

    def require_sensitive_items(self) -> None:
        """Refuses to tell about sensitive items of a job that declares none."""
        if not any(column.sensitive_items for column in self.columns):
            raise InputError("the promise is about sensitive items, and none is declared", column=self.columns[0].name)

    def groups(self) -> np.ndarray:
        """The group of each record; refused where the file does not tell it."""
        if self.group is None:
            raise InputError("the promise is about groups of records, and the data does not tell them")
        return self.group


@dataclass(frozen=True, eq=False)
class BasketOriginal:
    """The baskets that were published, with the hierarchies of their items."""

    held: BasketView
    trees: tuple[Taxonomy, ...]  # of each column, without the sensitive items
    is_local: bool  # an item may have different names in different records
    blanks: bool  # names of groups keep their blanks, unless that is the separator
    leaves_out: bool = False  # a record may lack some of its items, whatever others show

    def __len__(self) -> int:
        return len(self.held)


def read_view(table: pa.Table, job: Job, source: str | Path | None) -> BasketView:
    """The baskets of a published table, and its groups if the promise shows any."""
    check_sensitive_items(job)
    view, person_of_row = _read(table, job, source or job.input.source)
    if not job.promise.shows_groups:
        return view
    return replace(view, group=_read_groups(table, person_of_row, job, source))


def read_items(table: pa.Table, job: Job, source: str | Path) -> BasketView:
    """The set-valued columns of a table."""
    return _read(table, job, source)[0]


def read_people(table: pa.Table, job: Job, source: str | Path) -> BasketView:
    """The same as one basket a person, in whatever layout."""
    held, persons = read_items(table, job, source), read_persons(table, job)
    if persons is None:
        return held
    starts, items = united(held.starts, held.items, persons)
    return replace(held, starts=starts, items=items)


def read_original(table: pa.Table, job: Job, hierarchies: Mapping[str, Taxonomy], *, is_local: bool) -> BasketOriginal:
    """The job's baskets, one a person; the hierarchy of a column is the one given, or the file that the job names."""
    original, persons = read_rows(table, job, hierarchies, is_local=is_local), read_persons(table, job)
    if persons is None:
        return original
    starts, items = united(original.held.starts, original.held.items, persons)
    return replace(original, held=replace(original.held, starts=starts, items=items))


def read_rows(table: pa.Table, job: Job, hierarchies: Mapping[str, Taxonomy], *, is_local: bool) -> BasketOriginal:
    """The same with a basket for each row of the table."""
    held = read_items(table, job, job.input.source)
    trees = []
    for index, column in enumerate(held.columns):
        known, sensitive = (_labels_of(held, index, held.is_sensitive == which) for which in (False, True))
        try:
            trees.append(_tree(column, known, {*column.sensitive_items, *sensitive}, hierarchies))
        except NotLeaves as error:
            told = error.of(column.name)
            words, line = place_of(_first_row(held, index, table, job, told.values), job.input)
            raise told.at(words, file=job.input.source, line=line) from None
    written = job.output.format or ("dat" if job.input.is_dat else "")
    return BasketOriginal(
        held,
        tuple(trees),
        is_local,
        blanks=not written.removesuffix(".gz").endswith("dat"),
        leaves_out=is_local and job.method.options.get("reallocate") is True,
    )


def together(views: Sequence[BasketView]) -> BasketView:
    """The baskets of all, one after the other: what someone sees who holds several releases of different people."""
    if len(views) == 1:
        return views[0]
    code_of: dict[tuple[int, str], int] = {}
    parts = []
    for view in views:
        labels = zip(view.column_of.tolist(), view.labels, strict=True)
        joint = np.array([code_of.setdefault(label, len(code_of)) for label in labels], np.int32)
        parts.append(as_sets(view.starts, joint[view.items]))
    people = None
    if any(view.people is not None for view in views):
        people = np.concatenate([np.ones(len(v), np.int64) if v.people is None else v.people for v in views])
    column_of = np.array([column for column, _ in code_of], np.int32)
    starts, items = one_after_another(parts)
    beside, texts = all_of(view.beside for view in views), tuple(label for _, label in code_of)
    return BasketView(views[0].columns, starts, items, texts, column_of, None, beside, people)


def separator_of(column: Column) -> str:
    """What stands between two items of a text column."""
    return column.separator or BLANK


def group_column(job: Job) -> str:
    """The column that tells the groups: `group`, unless a column of the job is called so."""
    return free_name("group", {column.name for column in job.columns})


def _read(table: pa.Table, job: Job, source: str | Path) -> tuple[BasketView, np.ndarray | None]:
    """The set-valued columns of a table and, in a long layout, the person of each row."""
    columns = job.columns_with("items")
    persons = job.columns_with("person") if job.input.layout == "long" else ()
    require_columns(table, (*columns, *persons), source)
    person_of_row = None
    if persons:
        held, person_of_row, _ = read_long(table[persons[0].name], table[columns[0].name], job.input.missing)
        column_of = np.zeros(len(held.labels), np.int32)
    else:
        parts = [read_baskets(table[each.name], separator_of(each), job.input.missing) for each in columns]
        held, column_of = side_by_side(parts)
    return BasketView(columns, *held, column_of), person_of_row


def _read_groups(table: pa.Table, person_of_row: np.ndarray | None, job: Job, source: str | Path | None) -> np.ndarray:
    """The group of each record, by the number that is written there."""
    name = group_column(job)
    if name not in table.column_names:
        raise InputError(
            "the published data has no column of groups",
            file=source,
            column=name,
            hint="Records of one group hold the same value in it, as `tacit anonymize` writes them.",
        )
    texts = as_text(table[name])
    if texts.null_count or pc.any(pc.equal(texts, "")).as_py():
        raise InputError("some records have no group", file=source, column=name, hint="Every record is in one group.")
    if pc.all(pc.match_substring_regex(texts, _PLAIN_NUMBER)).as_py() is False:  # None where there is no record
        raise InputError(
            "some groups are no whole numbers as one writes them, without sign, leading zeros, point or blanks",
            file=source,
            column=name,
            hint="Number the groups 1, 2, 3 ...: other texts of the same number would be other groups, or not.",
        )
    numbers = map(np.from_dlpack, pc.cast(texts, pa.int64()).chunks)
    groups = np.concatenate([np.empty(0, np.int64), *numbers])
    if person_of_row is None:
        return groups
    of_person = groups[np.unique(person_of_row, return_index=True)[1]]
    if (of_person[person_of_row] != groups).any():
        raise InputError("rows of one person are in different groups", file=source, column=name)
    return of_person


def _labels_of(held: BasketView, column: int, wanted: np.ndarray) -> list[str]:
    return [held.labels[i] for i in np.flatnonzero((held.column_of == column) & wanted).tolist()]


def _tree(
    column: Column, known: Sequence[str], sensitive: Collection[str], hierarchies: Mapping[str, Taxonomy]
) -> Taxonomy:
    """The hierarchy of a column, whose leaves are its items, the sensitive ones left out; without any, a root."""
    if column.name in hierarchies:
        tree = hierarchies[column.name]
    elif column.hierarchy is not None:
        tree = read_hierarchy(column.hierarchy, set(known))
    else:
        return Taxonomy.flat(known, root=free_name(ROOT, {*known, *sensitive}))
    tree.find_leaves(known)
    stays_out = [label for label in sorted(sensitive) if label in tree.names]
    return tree.without_leaves(stays_out) if stays_out else tree


def _first_row(held: BasketView, index: int, table: pa.Table, job: Job, labels: Sequence[str]) -> int:
    """The first row of the table that holds one of these items in a column."""
    if job.input.layout == "long":
        wanted = pa.array(labels, pa.large_string())
        found = pc.is_in(as_text(table[held.columns[index].name]), value_set=wanted)
        return int(pc.index(found, True).as_py())
    pairs = zip(held.column_of.tolist(), held.labels, strict=True)
    wrong = np.array([column == index and label in set(labels) for column, label in pairs], bool)
    return int(np.searchsorted(held.starts, int(np.argmax(wrong[held.items])), side="right")) - 1
