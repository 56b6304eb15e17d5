"""VPA: AA on parts of the domain first, then on the whole (Terrovitis, Mamoulis, Kalnis, VLDB Journal 2011).

The items are cut into parts along the taxonomy. AA makes the baskets safe as far as the items of one part go; then it
goes on from there for itemsets across parts. docs/methods/vpa.md has the definition.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tacit.baskets.solvers.apriori import Ascent
from tacit.baskets.solvers.apriori_lm import DiverseAscent, Rows
from tacit.baskets.solvers.lattice import Anonymization
from tacit.baskets.solvers.problem import Problem, first_on_each_path

Progress = Callable[[str], None]
PARTS = 8


def vpa(
    problem: Problem, k: int, m: int | float, progress: Progress | None = None, parts: int = PARTS
) -> Anonymization:
    """AA on each of about `parts` parts of the taxonomy, then on all of it from the cut that results."""
    ascent = Ascent(problem)
    part = parts_of_domain(problem, parts)
    for index in range(parts):
        ascent.climb(k, m, within=part == index)
        if progress:
            progress(f"part {index + 1} of {parts}: {ascent.nodes().size} nodes in the cut")
    ascent.climb(k, m, progress=progress)
    return ascent.anonymization()


def vpa_lm(
    rows: Rows,
    problem: Problem,
    l: float,  # noqa: E741 - its name in the promise
    m: int | float,
    progress: Progress | None = None,
    parts: int = PARTS,
) -> Anonymization:
    """The same for ℓ^m-diversity."""
    ascent = DiverseAscent(problem, rows, l)
    part = parts_of_domain(problem, parts)
    for index in range(parts):
        ascent.climb_towards(m, within=part == index)
        if progress:
            progress(f"part {index + 1} of {parts}: {ascent.nodes().size} nodes in the cut")
    ascent.climb_all(m, progress)
    return ascent.anonymization()


def parts_of_domain(problem: Problem, parts: int) -> np.ndarray:
    """The part of each node, −1 for those above the parts.

    A part is a row of neighbouring subtrees. Each subtree is as large as it can be with at most its share of all
    occurrences (a leaf may have more), and goes to the part where its first occurrence falls if all are dealt out
    evenly.
    """
    tree, occurrences = problem.tree, problem.occurrences
    total = max(int(occurrences[0]), 1)
    is_leaf = tree.end == np.arange(len(problem)) + 1
    tops = first_on_each_path(is_leaf | (occurrences * parts <= total), tree.end)
    before = np.cumsum(occurrences[tops]) - occurrences[tops]
    part = np.full(len(problem), -1, np.int32)
    for top, index in zip(tops.tolist(), np.minimum(before * parts // total, parts - 1).tolist(), strict=True):
        part[top : tree.end[top]] = index
    return part
