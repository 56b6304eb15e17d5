"""A taxonomy as arrays: nodes in preorder, so that the subtree below a node is an interval of codes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InputError
from tacit.taxonomy.nodes import first_few, nodes_from_paths


@dataclass(frozen=True, eq=False)
class Taxonomy:
    """A tree whose leaves are the values of the data, and whose inner nodes are what they generalize to.

    Nodes are codes in preorder. Node 0 is the root, the subtree below `v` is `range(v, end[v])`, and the
    taxonomy's order is that of the codes.

    >>> tree = Taxonomy.from_paths([["beer", "alcohol", "*"], ["wine", "alcohol", "*"], ["milk", "*"]])
    >>> tree.names
    ('*', 'alcohol', 'beer', 'wine', 'milk')
    >>> tree.leaf_count.tolist()
    [3, 2, 1, 1, 1]
    """

    names: tuple[str, ...]
    """Published name of each node, unique over the tree; a leaf's name is exactly its text in the data."""
    parent: NDArray[np.int32]
    """Of each node; -1 for the root."""
    end: NDArray[np.int32]
    """One past the last node of each subtree."""
    notes: tuple[str, ...] = ()
    """What reading the tree had to decide, in sentences for the user."""

    def __post_init__(self) -> None:
        if not len(self.names) == len(self.parent) == len(self.end) > 0:
            raise ValueError("names, parent and end must tell of the same nodes, at least of a root")
        if len(set(self.names)) != len(self.names):
            raise ValueError("names of a taxonomy must be unique")

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"Taxonomy({len(self.leaves)} leaves, {len(self)} nodes, root {self.names[0]!r})"

    @classmethod
    def from_parents(cls, names: Sequence[str], parents: Sequence[int], notes: Iterable[str] = ()) -> Taxonomy:
        """Build from nodes in any order, each with its parent's index (root: -1); siblings stay in order."""
        children: list[list[int]] = [[] for _ in names]
        for node, parent in enumerate(parents):
            if parent >= 0:
                children[parent].append(node)
        preorder: list[int] = []
        waiting = [node for node, parent in enumerate(parents) if parent < 0]
        if len(waiting) != 1:
            raise ValueError(f"a taxonomy has one root, not {len(waiting)}")
        while waiting:
            node = waiting.pop()
            preorder.append(node)
            waiting.extend(reversed(children[node]))
        if len(preorder) != len(names):
            raise ValueError("some nodes hang on a cycle, not on the root")

        node_of = np.empty(len(names), dtype=np.int32)
        node_of[preorder] = np.arange(len(names), dtype=np.int32)
        parent_of = node_of[np.asarray(parents)[preorder]]
        parent_of[0] = -1
        return cls(
            names=tuple(names[node] for node in preorder),
            parent=parent_of,
            end=_subtree_ends(parent_of),
            notes=tuple(notes),
        )

    @classmethod
    def from_paths(
        cls,
        paths: Iterable[Sequence[str]],
        *,
        source: str | Path | None = None,
        lines: Sequence[int] | None = None,
        notes: Iterable[str] = (),
    ) -> Taxonomy:
        """Build from a row for each leaf: the leaf, then each level up to the root, as in a hierarchy file.

        A contradiction is an `InputError` that names `source` and the row's number in `lines` (from 1 if left
        out).
        """
        rows = list(paths)
        nodes = nodes_from_paths(rows, lines if lines is not None else range(1, len(rows) + 1))
        for fault in nodes.faults:
            raise InputError(fault.problem, file=source, line=fault.line, hint=fault.hint)
        return cls.from_parents(nodes.names, nodes.parents, (*notes, *nodes.notes))

    @classmethod
    def flat(cls, labels: Iterable[str], root: str = "*") -> Taxonomy:
        """A root over all labels, in the order given."""
        names = (root, *labels)
        parent = np.zeros(len(names), dtype=np.int32)
        parent[0] = -1
        return cls(names, parent, _subtree_ends(parent))

    @classmethod
    def join(cls, trees: Mapping[str, Taxonomy], root: str = "*") -> Taxonomy:
        """Several trees under one root, for several set-valued columns; names become `prefix:name`."""
        names, parents = [root], [np.array([-1])]
        notes: list[str] = []
        for prefix, tree in trees.items():
            offset = len(names)
            parents.append(np.where(tree.parent < 0, 0, tree.parent + offset))
            names.extend(f"{prefix}:{name}" for name in tree.names)
            notes.extend(f"{prefix}: {note}" for note in tree.notes)
        parent = np.concatenate(parents).astype(np.int32)
        return cls(tuple(names), parent, _subtree_ends(parent), tuple(notes))

    @cached_property
    def is_leaf(self) -> NDArray[np.bool_]:
        return self.end == np.arange(1, len(self) + 1)

    @cached_property
    def leaves(self) -> NDArray[np.int32]:
        """The leaves, in order."""
        return np.flatnonzero(self.is_leaf).astype(np.int32)

    @cached_property
    def leaf_count(self) -> NDArray[np.int64]:
        """Leaves below each node; a leaf counts itself."""
        leaves_before = _running_count(self.is_leaf)
        return leaves_before[self.end] - leaves_before[:-1]

    @cached_property
    def depth(self) -> NDArray[np.int32]:
        """Edges from the root to each node: the subtrees that a node lies in, but for its own."""
        opened = np.arange(1, len(self) + 1)
        closed = np.cumsum(np.bincount(self.end, minlength=len(self) + 1))[:-1]
        return (opened - closed - 1).astype(np.int32)

    @cached_property
    def _by_parent(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """All nodes but the root, grouped by parent, and where the group of each parent starts."""
        order = np.argsort(self.parent[1:], kind="stable").astype(np.int32) + np.int32(1)
        return order, np.searchsorted(self.parent[order], np.arange(len(self) + 1))

    @cached_property
    def _node_of(self) -> dict[str, int]:
        return {name: node for node, name in enumerate(self.names)}

    def children(self, node: int) -> NDArray[np.int32]:
        order, start = self._by_parent
        return order[start[node] : start[node + 1]]

    def path(self, node: int) -> NDArray[np.int32]:
        """The node, its parent, and so on up to the root."""
        nodes = []
        while node >= 0:
            nodes.append(node)
            node = int(self.parent[node])
        return np.array(nodes, dtype=np.int32)

    def node(self, name: str) -> int:
        """The node of this name."""
        if name not in self._node_of:
            raise InputError(
                f"{name!r} is not a node of the hierarchy",
                hint="`tacit hierarchy show` draws the hierarchy with the names of its nodes.",
            )
        return self._node_of[name]

    def find_leaves(self, labels: Sequence[str]) -> NDArray[np.int32]:
        """The node of each label; an `InputError` names the first few that are no leaves."""
        found = np.array([self._node_of.get(label, -1) for label in labels], dtype=np.int32)
        wrong = np.flatnonzero((found < 0) | ~self.is_leaf[found]).tolist()
        if wrong:
            groups = list(dict.fromkeys(labels[i] for i in wrong if found[i] >= 0))
            absent = list(dict.fromkeys(labels[i] for i in wrong if found[i] < 0))
            raise NotLeaves(absent, absent_values) if absent else NotLeaves(groups, values_that_are_groups)
        return found

    def without_leaves(self, labels: Sequence[str]) -> Taxonomy:
        """Take leaves out (sensitive items, say), and with them the inner nodes left without any."""
        kept_leaf = self.is_leaf.copy()
        kept_leaf[self.find_leaves(labels)] = False
        kept_leaves_before = _running_count(kept_leaf)
        keep = kept_leaves_before[self.end] > kept_leaves_before[:-1]
        keep[0] = True
        node_of = _running_count(keep)
        parent = node_of[self.parent[keep]].astype(np.int32)
        parent[0] = -1
        names = tuple(self.names[node] for node in np.flatnonzero(keep))
        return Taxonomy(names, parent, node_of[self.end[keep]].astype(np.int32), self.notes)

    def to_paths(self) -> list[list[str]]:
        """A row for each leaf, leaf first and root last: what a hierarchy file holds."""
        parent, names = self.parent.tolist(), self.names
        paths = []
        for leaf in self.leaves.tolist():
            path, node = [names[leaf]], parent[leaf]
            while node >= 0:
                path.append(names[node])
                node = parent[node]
            paths.append(path)
        return paths


class NotLeaves(InputError):
    """Values of the data that the hierarchy lacks, or has as groups only; `at` says where in the data they stand."""

    def __init__(
        self,
        values: Sequence[str],
        explained: Callable[..., tuple[str, str]],
        *,
        hierarchy: str | Path | None = None,
        column: str | None = None,
    ) -> None:
        problem, hint = explained(values)
        super().__init__(problem, file=hierarchy, column=column, hint=hint)
        self.values, self.explained = tuple(values), explained

    def of(self, column: str) -> NotLeaves:
        """The same for a column of the data."""
        return NotLeaves(self.values, self.explained, hierarchy=self.file, column=column)

    def at(self, words: str, *, file: str | Path, line: int | None) -> InputError:
        """The same by the place of the first such value in the data; `words` say that it is the first one's."""
        hierarchy = "the hierarchy" if self.file is None else f"the hierarchy {self.file}"
        problem, hint = self.explained(self.values, hierarchy)
        return InputError(problem + words, file=file, line=line, column=self.column, hint=hint)


def absent_values(absent: Sequence[str], hierarchy: str = "the hierarchy") -> tuple[str, str]:
    """Problem and hint for values of the data that the hierarchy lacks."""
    what = "value of the data is" if len(absent) == 1 else "values of the data are"
    problem = f"{len(absent)} {what} missing from {hierarchy}: {first_few(absent)}"
    return (
        problem,
        "Add a row for each value, or make a hierarchy from the data with `tacit hierarchy build`.",
    )


def values_that_are_groups(groups: Sequence[str], hierarchy: str = "the hierarchy") -> tuple[str, str]:
    """Problem and hint for values of the data that the hierarchy has only as inner nodes."""
    what = "value of the data is only a group" if len(groups) == 1 else "values of the data are only groups"
    problem = f"{len(groups)} {what} of {hierarchy}, no leaf: {first_few(groups)}"
    return (
        problem,
        "The data must hold leaves: add a row that starts with the value, under the group of its name.",
    )


def _subtree_ends(parent: NDArray[np.int32]) -> NDArray[np.int32]:
    """Where each subtree ends, from the parents of nodes in preorder."""
    size, above = [1] * len(parent), parent.tolist()
    for node in range(len(size) - 1, 0, -1):
        size[above[node]] += size[node]
    return np.arange(len(size), dtype=np.int32) + np.array(size, dtype=np.int32)


def _running_count(mask: NDArray[np.bool_]) -> NDArray[np.int64]:
    """How many are true before each position, and before the end."""
    return np.concatenate(([0], np.cumsum(mask, dtype=np.int64)))
