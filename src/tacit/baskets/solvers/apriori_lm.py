"""AA for ℓ^m-diversity: whoever knows up to m public items of a person infers no sensitive item with more than 1/ℓ.

Public items are generalized along the taxonomy, sensitive ones are published as they are.
docs/promises/lm.md has the definition.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from tacit.baskets.solvers._apriori_kernels import visit
from tacit.baskets.solvers._apriori_ways import Rule
from tacit.baskets.solvers.apriori import Ascent, Baskets
from tacit.baskets.solvers.lattice import Anonymization
from tacit.baskets.solvers.local import rows_of
from tacit.baskets.solvers.problem import Problem
from tacit.errors import PromiseError

Progress = Callable[[str], None]

_FINEST = 10**6  # of denominators: 2.3333333333333335 is meant to be 7/3


class Rows(NamedTuple):
    """Public items, as leaves of the problem's tree, and sensitive items, as codes from 0, row by row."""

    indptr: np.ndarray
    items: np.ndarray
    sensitive_indptr: np.ndarray
    sensitive_items: np.ndarray
    people: np.ndarray

    def at(self, rows: np.ndarray) -> Rows:
        return Rows(
            *rows_of(self.indptr, self.items, rows),
            *rows_of(self.sensitive_indptr, self.sensitive_items, rows),
            self.people[rows],
        )


def apriori_lm(
    rows: Rows,
    problem: Problem,
    l: float,  # noqa: E741 - its name in the promise
    m: int | float,
    progress: Progress | None = None,
) -> Anonymization:
    """AA with a limit on shares instead of k; raises `PromiseError` where generalization does not lead there."""
    ascent = DiverseAscent(problem, rows, l)
    ascent.climb_all(m, progress)
    return ascent.anonymization()


class DiverseAscent(Ascent):
    """A cut on its way up, of baskets with sensitive items, towards ℓ."""

    def __init__(self, problem: Problem, rows: Rows, l: float) -> None:  # noqa: E741
        super().__init__(problem, n_sensitive=int(rows.sensitive_items.max(initial=-1)) + 1)
        self.l, self.wanted = l, Fraction(l).limit_denominator(_FINEST)
        self.baskets = _joined(rows, len(problem))
        self.longest = int(np.diff(rows.indptr).max(initial=0))
        has_items = np.diff(rows.indptr) > 0
        lengths = np.diff(rows.sensitive_indptr)
        beside_items, people = np.repeat(has_items, lengths), np.repeat(rows.people, lengths)
        self.of_all = diversity(int(rows.people.sum()), rows.sensitive_items, people)
        held, by = rows.sensitive_items[beside_items], people[beside_items]
        self.of_root = diversity(int(rows.people[has_items].sum()), held, by)

    def climb_all(self, m: int | float, progress: Progress | None = None) -> None:
        """Makes every itemset of up to m nodes safe, the empty one included."""
        self.check_whole()
        root_must_be_safe = len(self.problem) == 1
        if (root_must_be_safe and self.of_root < self.wanted) or not self.climb_towards(m, progress=progress):
            raise self._out_of_reach()

    def check_whole(self) -> None:
        """The empty itemset: what can be inferred of anybody in the file."""
        if self.of_all < self.wanted:
            raise self._out_of_reach()

    def climb_towards(self, m: int | float, within: np.ndarray | None = None, progress: Progress | None = None) -> bool:
        """Level by level, raises the cut over unsafe itemsets of its nodes; False as soon as one cannot be repaired.

        What is raised is new, and may be unsafe at any size: then all sizes are visited again. Inside a part of the
        domain, what cannot be repaired waits.
        """
        rule = Rule(0, self.wanted.numerator, self.wanted.denominator)
        to_root = within is None and self.of_root >= self.wanted
        baskets = self.baskets
        for level in range(1, int(min(m, self.longest)) + 1):
            sizes = [level]  # smaller ones are safe by now
            while sizes:
                before = np.count_nonzero(self.cut.is_below)
                for size in sizes:
                    baskets = self.published(baskets, within)
                    tree = self.count_tree(baskets, within, of_cut=True)
                    all_repaired, _ = visit(size, tree, self.cut, rule, to_root, 0)
                    if within is None and not all_repaired:
                        return False
                raised = np.count_nonzero(self.cut.is_below) > before
                sizes = list(range(1, level + 1)) if raised else []
            if progress:
                progress(f"m = {level}: {self.nodes().size} nodes in the cut")
        return True

    def _out_of_reach(self) -> PromiseError:
        where = "with public items " if self.of_all >= self.wanted else ""
        reached = math.floor(min(self.of_all, self.of_root) * 1000) / 1000
        reach = f"ℓ = {reached:.12g}" if reached > 1 else "no ℓ above 1"
        return PromiseError(
            f"ℓ = {self.l:g} cannot be reached by generalizing public items: "
            f"too many of the baskets {where}hold one and the same sensitive item.\n"
            f"  With every public item published as the root, {reach} can be reached."
        )


def diversity(people: int, sensitive_items: np.ndarray, holders: np.ndarray | None = None) -> Fraction | float:
    """The largest ℓ that these people have as one group; `holders` of each occurrence, if it is not one."""
    held = np.zeros(int(sensitive_items.max(initial=-1)) + 1, np.int64)
    np.add.at(held, sensitive_items, 1 if holders is None else holders)
    most = int(held.max(initial=0))
    return Fraction(people, most) if most else math.inf


def _joined(rows: Rows, n_nodes: int) -> Baskets:
    """Baskets with both kinds of items, the sensitive ones coded on behind the nodes."""
    lengths, sensitive_lengths = np.diff(rows.indptr), np.diff(rows.sensitive_indptr)
    joined = np.empty(rows.items.size + rows.sensitive_items.size, np.int32)
    joined[np.arange(rows.items.size) + np.repeat(rows.sensitive_indptr[:-1], lengths)] = rows.items
    behind = np.arange(rows.sensitive_items.size) + np.repeat(rows.indptr[1:], sensitive_lengths)
    joined[behind] = rows.sensitive_items + n_nodes
    return rows.indptr + rows.sensitive_indptr, joined, rows.people
