"""Random tables for tests of grouping: as texts for the slow twins, and as attributes."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from naive.relational import Column
from tacit.arrays.attributes import Attribute, losses, spans
from tacit.arrays.reading import read_attribute
from tacit.job import Column as JobColumn
from tacit.taxonomy import Taxonomy

TREE = Taxonomy.from_paths(
    [[a, "ab", "left", "*"] for a in ("a", "b")] + [["c", "left", "*"], ["d", "left", "*"]]
    + [[f"x{i}", "right", "*"] for i in range(4)]
)  # fmt: skip


def random_columns(rng: np.random.Generator, rows: int) -> list[Column]:
    """One, two or four attributes. Losses are multiples of 1/64, so that sums are exact in any order."""
    columns: list[Column] = []
    for _ in range(int(rng.choice([1, 2, 4]))):
        kind = rng.choice(["tree", "number", "category"])
        spread = int(rng.integers(1, 9))
        if kind == "tree":
            leaves = [TREE.names[leaf] for leaf in TREE.leaves]
            columns.append(([leaves[i] for i in rng.integers(0, spread, rows)], TREE))
        elif kind == "number":
            numbers = [*rng.integers(0, 17, rows).tolist()]
            numbers[0], numbers[-1] = 0, 16
            columns.append(([str(n) for n in numbers], "number"))
        else:
            few = [f"v{i}" for i in range(2 ** int(rng.integers(0, 4)))]
            texts = [few[i % len(few)] if i < len(few) else few[rng.integers(0, len(few))] for i in range(rows)]
            columns.append((texts, "category"))
        if kind == "number" and rng.random() < 0.3:
            values: list[str | None] = list(columns[-1][0])
            values[int(rng.integers(1, rows - 1))] = None
            columns[-1] = (values, "number")
    return columns


def as_attributes(columns: list[Column]) -> list[Attribute]:
    made = []
    for index, (values, kind) in enumerate(columns):
        column = JobColumn(f"q{index}", "quasi", type="category" if kind == "category" else None)
        tree = kind if isinstance(kind, Taxonomy) else None
        made.append(read_attribute(pa.array(values, pa.string()), column, tree=tree))
    return made


def members(group: np.ndarray) -> list[list[int]]:
    return [np.flatnonzero(group == index).tolist() for index in range(int(group.max(initial=-1)) + 1)]


def ncp(attributes: list[Attribute], group: np.ndarray) -> float:
    found = [losses(each, spans(each, group, int(group.max()) + 1))[group].mean() for each in attributes]
    return float(np.mean(found))
