"""Files in the way of other tools, made by comparators of our own: nothing of those tools runs here.

Both take records as columns of text and hierarchies as levels: `levels[name][i]` gives each value its name i levels up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from tacit.taxonomy import Taxonomy, read_hierarchy

Levels = Sequence[Mapping[str, str]]
"""Of an attribute: what each value is called, as it is, one level up, and so on up to the root."""


def levels_of(tree: Taxonomy | Path | None, values: Sequence[str]) -> Levels:
    """Without a hierarchy a value is shown or is not."""
    different = sorted(set(values))
    if tree is None:
        return [{value: value for value in different}, dict.fromkeys(different, "*")]
    tree = tree if isinstance(tree, Taxonomy) else read_hierarchy(tree)
    place = {name: node for node, name in enumerate(tree.names)}
    paths = {value: _path(tree, place[value]) for value in different}
    height = max(map(len, paths.values()))
    return [{value: path[min(level, len(path) - 1)] for value, path in paths.items()} for level in range(height)]


def _path(tree: Taxonomy, node: int) -> list[str]:
    found = []
    while node >= 0:
        found.append(tree.names[node])
        node = int(tree.parent[node])
    return found


def full_domain(
    table: pa.Table, levels: Mapping[str, Levels], k: int, suppressed: float
) -> tuple[pa.Table, np.ndarray]:
    """One level for each attribute, the same for all records; up to a share of the records is shown as `*` throughout.

    From the top down, always the attribute that then tells most values apart, as long as few enough records are in
    classes below k. ARX searches for the best levels; these are often coarser.
    """
    names = list(levels)
    at = {name: len(levels[name]) - 1 for name in names}
    while True:
        finer = []
        for name in names:
            tried = {**at, name: at[name] - 1}
            if at[name] and _small(_shown(table, levels, tried), k).mean() <= suppressed:
                gain = len(set(levels[name][at[name] - 1].values())) / len(levels[name][0])
                finer.append((gain, name))
        if not finer:
            break
        at[max(finer)[1]] -= 1
    shown = _shown(table, levels, at)
    small = _small(shown, k)
    if 0 < small.sum() < k:  # those who are hidden must be as many, too
        small[np.random.default_rng(1).permutation(np.flatnonzero(~small))[: k - int(small.sum())]] = True
    return _shuffled(table, {name: np.where(small, "*", column) for name, column in shown.items()})


def local_suppression(table: pa.Table, names: Sequence[str], k: int) -> tuple[pa.Table, np.ndarray]:
    """Single values are taken out of records in classes below k: those of the attribute with most values first."""
    shown = {name: _texts(table, name) for name in names}
    for name in sorted(names, key=lambda each: -len(set(shown[each].tolist()))):
        small = _small(shown, k)
        shown[name] = np.where(small, "*", shown[name])
    return _shuffled(table, shown)


def lost(published: pa.Table, trees: Mapping[str, Path | None]) -> float:
    """NCP of such a file, as tacit measures its own: of a name the share of all leaves that it may stand for, 0 for a
    single one; a value that is not shown is lost."""
    losses = []
    for name, file in trees.items():
        tree = None if file is None else read_hierarchy(file)
        leaves = {} if tree is None else dict(zip(tree.names, _leaves_below(tree), strict=True))
        every = max(leaves.values(), default=1)
        of = {text: leaves.get(text, 1) for text in set(published[name].to_pylist()) - {"*"}}
        losses += [1.0 if text == "*" else _share(of[text], every) for text in published[name].to_pylist()]
    return float(np.mean(losses))


def _share(leaves: int, every: int) -> float:
    return leaves / every if leaves > 1 else 0.0


def _leaves_below(tree: Taxonomy) -> list[int]:
    found = [0] * len(tree.names)
    inner = set(np.asarray(tree.parent).tolist())
    for leaf in set(range(len(tree.names))) - inner:
        node = leaf
        while node >= 0:
            found[node] += 1
            node = int(tree.parent[node])
    return found


def _texts(table: pa.Table, name: str) -> np.ndarray:
    return np.array([str(value) for value in table[name].to_pylist()], object)


def _shown(table: pa.Table, levels: Mapping[str, Levels], at: Mapping[str, int]) -> dict[str, np.ndarray]:
    return {
        name: np.array([levels[name][at[name]][value] for value in _texts(table, name).tolist()], object)
        for name in levels
    }  # fmt: skip


def _small(shown: Mapping[str, np.ndarray], k: int) -> np.ndarray:
    """Which records are in a class of fewer than k."""
    code = np.zeros(len(next(iter(shown.values()))), np.int64)
    for column in shown.values():
        _, own = np.unique(column.astype(str), return_inverse=True)
        code = np.unique(code * (int(own.max(initial=0)) + 1) + own, return_inverse=True)[1]
    return np.bincount(code)[code] < k


def _shuffled(table: pa.Table, shown: Mapping[str, np.ndarray]) -> tuple[pa.Table, np.ndarray]:
    order = np.random.default_rng(20261117).permutation(table.num_rows)
    for name, column in shown.items():
        table = table.set_column(table.column_names.index(name), name, pa.array([str(each) for each in column]))
    return table.take(pa.array(order)), order
