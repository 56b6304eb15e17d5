"""The audit of t-closeness, with k-anonymity: the sensitive values of records that look alike are those of all.

The attacker's story: I know all quasi-identifiers of somebody, so I know the group of records that the person is in.
Before, I expected of a sensitive column what all records have; now I expect what the group has. How much did I learn?
As much as the distribution of the group is away from that of all records: the least work that turns one into the
other (Li, Li & Venkatasubramanian, ICDE 2007), at most t.

Two distances. On a tree the work is, for every node but the root, the share of records below it that the group has
more or less than all, times half of what its height lacks of its parent's, in heights of the root: two leaves are as
far apart as their lowest common ancestor is high. Without a hierarchy all values hang on the root. On a line it is the
share that crosses from each value to the next, in steps of all. A missing value hangs on the root, whatever the tree;
beside a line it is looked at by its share alone, and what is larger counts.

All is compared in whole numbers: with counts c of n records in a group, and C of N in the file, |c · N − C · n|.

Where persons have several records, a person counts once for each value: in a group for those that the person has there,
in the file for all of them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from tacit.audits.k import (
    ValueGroups,
    checked_in_words,
    counted,
    facts_about,
    group_text,
    size_entry,
    smallest_first,
    summed,
    value_groups,
)
from tacit.audits.result import AuditResult, how_many
from tacit.audits.values import DAY, NUMBER
from tacit.audits.views.cells import Cells
from tacit.audits.views.columns import with_numbers_once
from tacit.audits.views.records import RecordOriginal, RecordView
from tacit.errors import InputError
from tacit.job.model import Column
from tacit.promises import TCloseness, exact
from tacit.taxonomy import Taxonomy, read_hierarchy

_MOST = 2**62
"""Whole numbers of the machine go a little further."""
COUNTS_PEOPLE = True


def audit(view: RecordView, promise: TCloseness, *, limit: int = 1000) -> AuditResult:
    """Check published records; the verdict and all counts are exact, at most `limit` violations are listed."""
    groups = value_groups(view)
    small = smallest_first(groups, np.flatnonzero(groups.sizes < promise.k))
    unread, columns = list[str](), list[_Closeness]()
    for cells, column in zip(view.sensitive, view.columns, strict=True):
        try:
            tree, of_all = view.trees.get(column.name), view.of_all.get(column.name)
            columns.append(_Closeness(groups, cells, column, tree, exact(promise.t), of_all))
        except InputError as error:
            named = f"the hierarchy of {column.name!r}"
            unread.append(f"It is about distances in {named}, which cannot be used: {error.problem}.")
    violations = [size_entry(groups, group) for group in small[:limit]]
    for each in columns:
        violations += [each.entry(group) for group in each.farthest(np.flatnonzero(~each.holds))[:limit]]
    count = len(small) + sum(int((~each.holds).sum()) for each in columns)
    affected = np.zeros(groups.sizes.size, bool)
    affected[small] = True
    for each in columns:
        affected |= ~each.holds
    weakest = max(columns, key=lambda each: each.reached.max(initial=0.0), default=None)
    worst = size_entry(groups, small[0]) if small else None
    level = None
    if groups.sizes.size:
        if worst is None and weakest is not None:
            worst = weakest.entry(weakest.farthest(np.arange(groups.sizes.size))[0])
        reached = None if weakest is None else weakest.level()
        level = {"k": int(groups.sizes.min()), "k_is_exact": True, "t": reached, "t_is_exact": True}
    facts = {
        **facts_about(groups),
        "violation_count": count,
        "violation_count_is_exact": True,
        "violation_count_in_words": f"{count:,}",
        "violation_unit": "groups of records with equal values, for size and for each sensitive column",
        "records_affected": groups.records_in(np.flatnonzero(affected)),
        "level": level,
    }
    return AuditResult(
        model=promise.name,
        parameters=promise.parameters(),
        satisfied=False if count else None if unread else True,
        worst=worst,
        violations=violations[:limit],
        facts=facts,
        explanation=(*unread, *_explain(facts, worst, promise, groups.unit)),
    )


def prove(view: RecordView, promise: TCloseness, original: RecordOriginal, *, limit: int = 1000) -> AuditResult:
    """The same with the original at hand, which knows hierarchies that are no files."""
    return audit(replace(view, trees=original.trees), promise, limit=limit)


class _Closeness:
    """A sensitive column: how far each group is from all records."""

    def __init__(
        self,
        groups: ValueGroups,
        cells: Cells,
        column: Column,
        tree: Taxonomy | None,
        t: Fraction,
        of_all: Mapping[str | None, int] | None = None,
    ) -> None:
        self.groups, self.name = groups, cells.name
        times = None
        if of_all is not None:
            cells, times = _numbers_once(*_as_in_all(cells, of_all), column)
        line = _line(cells, column, tree)
        if line is None:
            self.exactly = _on_tree(groups, cells, _hierarchy(cells, column, tree), times)
        else:
            self.exactly = _on_line(groups, cells, line, times)
        self.reached = np.array([float(each) for each in self.exactly])
        self.holds = np.array([each <= t for each in self.exactly], bool)

    def farthest(self, some: np.ndarray) -> list[int]:
        """Groups by how far they are; equals in the order of their values."""
        return some[np.argsort(-self.reached[some], kind="stable")].tolist()

    def level(self) -> float:
        """The smallest t that holds, rounded up so that it can be set."""
        return math.ceil(max(self.exactly, default=Fraction(0)) * 10**6) / 10**6

    def entry(self, group: int) -> dict[str, Any]:
        """A group with its distance, and both as a line to read."""
        values, size = self.groups.text(group), int(self.groups.sizes[group])
        away = float(self.reached[group])
        told = f"{how_many(size, self.groups.unit)} whose {self.name} is {away:.4g} away from that of all"
        return {
            "group": values,
            "support": size,
            "column": self.name,
            "distance": away,
            "text": f"{group_text(values)}: {told}",
        }


def _as_in_all(cells: Cells, of_all: Mapping[str | None, int]) -> tuple[Cells, np.ndarray]:
    """The cells of a share with the codes of all texts of the file, and how many of its records have each."""
    texts = sorted(text for text in of_all if text is not None)
    place = {text: code for code, text in enumerate(texts)}
    if (cells.missing >= 0 and None not in of_all) or any(
        text not in place for code, text in enumerate(cells.texts) if code != cells.missing
    ):
        raise InputError("a share of the file has values that were not counted in it", column=cells.name)
    code_of = [len(texts) if code == cells.missing else place[text] for code, text in enumerate(cells.texts)]
    times = [of_all[text] for text in texts]
    codes = np.array([*code_of, 0], np.int32)[cells.codes]
    if None not in of_all:
        return Cells(cells.name, codes, tuple(texts)), np.array(times, np.int64)
    return Cells(cells.name, codes, (*texts, ""), len(texts)), np.array([*times, of_all[None]], np.int64)


def _numbers_once(cells: Cells, times: np.ndarray, column: Column) -> tuple[Cells, np.ndarray]:
    """The same with equal numbers of the whole file as one value, whatever spelling a share has."""
    united, code_of = with_numbers_once(cells, column)
    if not code_of:
        return cells, times
    codes = [united.missing if code == cells.missing else code_of[text] for code, text in enumerate(cells.texts)]
    return united, summed(np.array(codes, np.int64), times, len(united.texts))


def _everyone(
    groups: ValueGroups, held: np.ndarray, of_code: np.ndarray, times: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Where all records of the file are, and how many are there: those of these groups, unless `times` says more."""
    if times is not None:
        return of_code, times
    return counted(*groups.held_by_all(held))


def _line(cells: Cells, column: Column, tree: Taxonomy | None) -> np.ndarray | None:
    """The place of each text among the different numbers or days, −1 for a missing one; None if they have no order."""
    if column.distance not in (None, "ordered"):
        return None
    is_in_tree = column.hierarchy is not None or tree is not None
    if column.distance is None and (is_in_tree or column.type == "category"):
        return None
    known = [code for code in range(len(cells.texts)) if code != cells.missing]
    values = _in_order([cells.texts[code] for code in known])
    if values is None:
        return None
    rank = {value: place for place, value in enumerate(sorted(set(values)))}
    place = np.full(len(cells.texts), -1, np.int64)
    place[known] = [rank[value] for value in values]
    return place


def _in_order(texts: list[str]) -> list[Any] | None:
    """The numbers that all texts are, or the days; None if they are neither."""
    for pattern, read in ((NUMBER, lambda text: Decimal(text.strip())), (DAY, date.fromisoformat)):
        if texts and all(re.match(pattern, text) for text in texts):
            try:
                return [read(text) for text in texts]
            except ValueError:  # no such day
                return None
    return None


def _hierarchy(cells: Cells, column: Column, tree: Taxonomy | None) -> Taxonomy | None:
    """The tree that distances are taken from, which must have all values; None if all are alike."""
    if column.distance in ("equal", "ordered"):
        return None
    known = [text for i, text in enumerate(cells.texts) if i != cells.missing]
    if column.hierarchy is not None:
        tree = read_hierarchy(column.hierarchy, set(known))
    if tree is not None:
        tree.find_leaves(known)
    elif column.distance == "hierarchical":
        raise InputError("there is none")
    return tree


class _Nodes(NamedTuple):
    """A tree: above each node its parent, −1 above the root, how much higher that is, and how high the root is."""

    parent: np.ndarray
    climb: np.ndarray
    height: int
    of_text: np.ndarray  # the leaf of each text


def _nodes(cells: Cells, tree: Taxonomy | None) -> _Nodes:
    """The tree of the values, a missing one hanging on its root; without a tree they all do."""
    texts = len(cells.texts)
    if tree is None:
        parent = np.append(np.full(texts, texts), -1)
        return _Nodes(parent, np.append(np.ones(texts, np.int64), 0), 1, np.arange(texts))
    height = np.zeros(len(tree) + 1, np.int64)  # the last node is a leaf for missing values
    for node in range(len(tree) - 1, 0, -1):  # children stand behind their parents
        height[tree.parent[node]] = max(height[tree.parent[node]], height[node] + 1)
    parent = np.append(tree.parent, 0).astype(np.int64)
    parent[0] = -1
    climb = np.where(parent >= 0, height[parent] - height, 0)
    leaf = np.full(texts, len(tree), np.int64)
    for code, text in enumerate(cells.texts):
        if code != cells.missing:
            leaf[code] = tree.node(text)
    return _Nodes(parent, climb, int(height[0]), leaf)


def _on_tree(groups: ValueGroups, cells: Cells, tree: Taxonomy | None, times: np.ndarray | None) -> list[Fraction]:
    """Distances of all groups on a tree."""
    nodes = _nodes(cells, tree)
    n_nodes, leaf = nodes.parent.size, nodes.of_text[cells.codes].astype(np.int64)
    group, node, often = groups.held(leaf)
    sizes = summed(group, often, groups.sizes.size)
    everyone, many = _everyone(groups, leaf, nodes.of_text, times)
    records = int(many.sum())
    where, at, held = _below(nodes, group, node, np.ones(node.size, np.int64) if often is None else often)
    total = np.zeros(n_nodes, np.int64)
    _, up, below = _below(nodes, np.zeros(everyone.size, np.int64), everyone, many)
    total[up] = below
    sizes, held = _of_any_length(4 * nodes.height * records * int(sizes.max(initial=0)), sizes, held)
    size, climb = sizes[where], nodes.climb[at]
    work = np.zeros(sizes.size, sizes.dtype)
    np.add.at(work, where, climb * (np.abs(held * records - total[at] * size) - total[at] * size))
    work += int(nodes.climb @ total) * sizes  # nodes without a record of the group lack all they have
    whole = 2 * max(nodes.height, 1) * records
    return [Fraction(int(a), whole * int(n)) for a, n in zip(work, sizes, strict=True)]


def _of_any_length(most: int, *numbers: np.ndarray) -> list[np.ndarray]:
    """Whole numbers of which products up to `most` are made: Python's own where the machine's would not hold these."""
    return [each if most < _MOST else each.astype(object) for each in numbers]


def _below(
    nodes: _Nodes, group: np.ndarray, node: np.ndarray, weight: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Groups, nodes, and how many of the group's leaves, each as often as it weighs, lie below the node."""
    n_nodes = nodes.parent.size
    keys, counts = np.empty(0, np.int64), np.empty(0, np.int64)
    while node.size:  # from the leaves up, a level at a time
        here, which = np.unique(group * n_nodes + node, return_inverse=True)
        held = np.zeros(here.size, np.int64)
        np.add.at(held, which, weight)
        keys, counts = np.append(keys, here), np.append(counts, held)
        group, node, weight = here // n_nodes, nodes.parent[here % n_nodes], held
        stays = node >= 0
        group, node, weight = group[stays], node[stays], weight[stays]
    keys, which = np.unique(keys, return_inverse=True)
    held = np.zeros(keys.size, np.int64)
    np.add.at(held, which, counts)
    return keys // n_nodes, keys % n_nodes, held


def _on_line(groups: ValueGroups, cells: Cells, line: np.ndarray, times: np.ndarray | None) -> list[Fraction]:
    """Distances of all groups on a line; place −1 is beside it."""
    place = line[cells.codes]
    values = int((place if times is None else line).max(initial=-1)) + 1
    shifted, many = _everyone(groups, place + 1, line + 1, times)
    counts = np.zeros(values + 1, np.int64)
    np.add.at(counts, shifted, many)
    records, everyone = int(counts.sum()), int(counts[1:].sum())
    below = np.cumsum(counts[1:])  # records up to each value
    group, place, often = groups.held(place + 1)
    place = place - 1
    sizes, known = summed(group, often, groups.sizes.size), place >= 0
    often = None if often is None else often[known]
    held = summed(group[known], often, sizes.size)
    most = values * everyone * int(held.max(initial=0))
    held, so_far = _of_any_length(most, held, np.append(0, np.cumsum(below)))
    keys, counts = counted(group[known] * max(values, 1) + place[known], often)
    where, at = keys // max(values, 1), keys % max(values, 1)
    first = np.flatnonzero(np.diff(where, prepend=-1))
    work = np.zeros(groups.sizes.size, held.dtype)
    # in front of its first value a group has nothing; from each value to its next one, what it has up to there
    np.add.at(work, where[first], so_far[at[first]] * held[where[first]])
    up_to = np.cumsum(counts)
    up_to -= np.repeat(np.append(0, up_to)[first], np.diff(np.append(first, keys.size)))
    last = np.append(where[1:] != where[:-1], True) if keys.size else np.empty(0, bool)
    end = np.where(last, values, np.append(at[1:], values)) if keys.size else at
    share, n = _of_any_length(most, up_to)[0] * everyone, held[where]
    share_of_all = -(-share // np.maximum(n, 1))
    turn = np.clip(np.searchsorted(below, share_of_all.astype(np.int64)), at, end)  # from here on all have more
    work_here = share * (turn - at) - n * (so_far[turn] - so_far[at])
    work_here += n * (so_far[end] - so_far[turn]) - share * (end - turn)
    np.add.at(work, where, work_here)
    found = []
    for a, n_known, n_all in zip(work.tolist(), held.tolist(), sizes.tolist(), strict=True):
        missing = abs(Fraction(n_known, n_all) - Fraction(everyone, records))
        moved = Fraction(a, n_known * everyone * (values - 1)) if n_known and values > 1 else Fraction(0)
        found.append(max(missing, moved))
    return found


def _explain(facts: dict[str, Any], worst: dict[str, Any] | None, promise: TCloseness, unit: str) -> tuple[str, ...]:
    """The result in sentences for a data steward."""
    if not facts["records"]:
        return ("It does so trivially: there is no record.",)
    checked = checked_in_words(facts)
    if facts["violation_count"]:
        finding = (
            f"{how_many(facts['violation_count'], 'time')} a group is too small, or too far from all records; "
            f"{how_many(facts['records_affected'], 'record is', 'records are')} in such groups."
        )
    else:
        finding = (
            f"Every group has at least {how_many(promise.k, unit)}, and in every sensitive column a distance of "
            f"{promise.t:g} from all records at most."
        )
    if worst is None:
        return finding, checked
    return finding, checked, f"The weakest spot: {worst['text']}."
