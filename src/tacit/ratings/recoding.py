"""The decision behind a release of ratings: who went into which cell, and the intervals of each cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from tacit.arrays.order import put_back
from tacit.ratings.solvers import _rating_kernels as _kernels
from tacit.ratings.solvers.problem import Cells, Problem
from tacit.recoding import Recoding, numbers_from, numbers_text

_ARRAYS: dict[str, type[np.integer[Any]]] = {
    "cell": np.int32,
    "indptr": np.int64,
    "issues": np.int32,
    "low": np.int64,
    "high": np.int64,
}


@dataclass(frozen=True, eq=False)
class IntervalRecoding(Recoding):
    """A local recoding: it says what became of these people, and nothing about others.

    Everybody of a cell is published with ratings of the cell's issues alone, each in the cell's interval, which counts
    units above the lowest rating. A rating outside is moved to the nearest end, one of another issue is blanked, one
    that is not there is filled. Cell −1: nothing was changed.
    """

    kind: ClassVar[str] = "intervals"
    cells: Cells
    names: tuple[str, ...]
    """The issues, by code."""
    scale: Mapping[str, Any]
    """What a unit is, and the lowest rating, in words."""
    people_left_alone: int
    """People shown exactly as they were, in a cell or not."""

    def put_back(self, order: np.ndarray) -> IntervalRecoding:
        """The decision about the people who were taken in this order, as they stood before."""
        return replace(self, cells=self.cells._replace(cell=put_back(self.cells.cell, order)))

    def to_dict(self) -> dict[str, Any]:
        arrays = {name: numbers_text(getattr(self.cells, name)) for name in _ARRAYS}
        alone = {"people_left_alone": self.people_left_alone}
        return {"scale": dict(self.scale), **alone, **arrays, "names": list(self.names)}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> IntervalRecoding:
        cells = Cells(**{name: numbers_from(content[name], kind) for name, kind in _ARRAYS.items()})
        in_no_cell = np.count_nonzero(cells.cell < 0)  # what files of before this was written say
        alone = int(content.get("people_left_alone", in_no_cell))
        return cls(cells, tuple(content["names"]), dict(content["scale"]), alone)

    def __str__(self) -> str:
        people = np.bincount(self.cells.cell[self.cells.cell >= 0], minlength=self.cells.indptr.size - 1)
        issues = np.diff(self.cells.indptr)[people > 0]
        words = f"people left as they were: {self.people_left_alone:,}"
        if not issues.size:
            return words
        least, most = int(issues.min()), int(issues.max())
        kept = f"{least:,} to {most:,} issues" if least < most else "1 issue" if most == 1 else f"{most:,} issues"
        cells = f"{issues.size:,} cells that keep {kept} each" if issues.size > 1 else f"1 cell that keeps {kept}"
        return f"{words}; people made close are in {cells}"


def published_ratings(problem: Problem, cells: Cells) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The ratings that a decision publishes, as (indptr, issues, values)."""
    lengths = np.diff(problem.indptr)
    changed = cells.cell >= 0
    lengths[changed] = np.diff(cells.indptr)[cells.cell[changed]]
    indptr = np.zeros(problem.people + 1, np.int64)
    np.cumsum(lengths, out=indptr[1:])
    issues, values = np.empty(indptr[-1], np.int32), np.empty(indptr[-1], problem.values.dtype)
    _kernels.fill_published(problem, cells, indptr, issues, values)
    return indptr, issues, values
