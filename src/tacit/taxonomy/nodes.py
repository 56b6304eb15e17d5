"""From the rows of a hierarchy to its nodes: which cells are one node, what contradicts, what is renamed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, compress
from operator import not_

from tacit.values.writing import free_name as free_name

_LONGEST_SHOWN = 60
ROOT = "*"


@dataclass(frozen=True)
class Fault:
    """Something wrong with a hierarchy: where, which value, what, and what to do about it."""

    line: int | None
    value: str | None
    problem: str
    hint: str


@dataclass
class Nodes:
    """Nodes in order of first appearance, each with the index of its parent (-1: none)."""

    names: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, name: str, parent: int, line: int) -> int:
        self.names.append(name)
        self.parents.append(parent)
        self.lines.append(line)
        return len(self.names) - 1

    def fault(self, line: int, value: str, problem: str, hint: str) -> None:
        self.faults.append(Fault(line, value, problem, hint))


def nodes_from_paths(rows: Sequence[Sequence[str]], lines: Sequence[int]) -> Nodes:
    """Nodes of a hierarchy with a row for each leaf: leaf first, then each level up to the root.

    A leaf is told by its text alone. A group is told by (level, name), where levels count from the root end,
    so that rows of unequal length agree on what they share.
    """
    nodes = Nodes()
    groups: dict[tuple[int, str], int] = {}
    leaves: dict[str, int] = {}
    parent_of_path: dict[tuple[str, ...], int] = {}
    levels: list[tuple[int, str, int]] = []
    repeated: list[int] = []
    for line, row in zip(lines, rows, strict=True):
        leaf, path = row[0] if row else "", tuple(row[1:])
        parent = parent_of_path.get(path)
        if parent is None or not leaf.strip():
            if not _is_whole(row, line, nodes):
                continue
            parent = parent_of_path[path] = _groups_of_path(path, line, groups, nodes)
        if leaf not in leaves:
            leaves[leaf] = nodes.add(leaf, parent, line)
            levels.append((len(path), leaf, line))
        elif nodes.parents[leaves[leaf]] == parent:
            repeated.append(line)
        else:
            nodes.fault(
                line,
                leaf,
                f"the leaf {leaf!r} has two parents: line {nodes.lines[leaves[leaf]]} puts it elsewhere",
                "Keep one row for each leaf.",
            )
    names_of_groups = {name for _, name in groups}
    for level, leaf, line in levels:
        if leaf in names_of_groups and (level, leaf) in groups:
            first_used = nodes.lines[groups[level, leaf]]
            nodes.fault(
                max(line, first_used),
                leaf,
                f"{leaf!r} is a leaf (line {line}) and a group (line {first_used}) at the same place",
                f"Start the row of the leaf with {leaf},{leaf} to put the value into the group of its name.",
            )
    return _finished(nodes, repeated)


def nodes_from_pairs(rows: Sequence[Sequence[str]], lines: Sequence[int]) -> Nodes:
    """Nodes of a hierarchy of `child,parent` rows: a name is one node. A row without parent is a top."""
    nodes = Nodes()
    node_of: dict[str, int] = {}
    child_line: dict[int, int] = {}
    repeated: list[int] = []

    def node(name: str, line: int) -> int:
        if name not in node_of:
            node_of[name] = nodes.add(name, -1, line)
        return node_of[name]

    for line, row in zip(lines, rows, strict=True):
        if not _is_whole(row, line, nodes):
            continue
        if len(row) > 2:
            nodes.fault(line, row[0], f"a row of {len(row)} cells below `child,parent`", "Give each row two cells.")
            continue
        child = node(row[0], line)
        if len(row) == 1:
            continue
        parent = node(row[1], line)
        if child not in child_line:
            nodes.parents[child] = parent
            child_line[child] = line
        elif nodes.parents[child] == parent:
            repeated.append(line)
        else:
            nodes.fault(line, row[0], *_two_parents(nodes, child, parent, child_line[child]))
    _report_cycles(nodes, child_line)
    return _finished(nodes, repeated)


def first_few(names: Iterable[str], most: int = 5) -> str:
    """The first names in quotes, and how many more there are."""
    quoted = [repr(name) if len(name) <= _LONGEST_SHOWN else f"{name[:_LONGEST_SHOWN]!r}..." for name in names]
    more = f" and {len(quoted) - most} more" if len(quoted) > most else ""
    return ", ".join(quoted[:most]) + more


def _is_whole(row: Sequence[str], line: int, nodes: Nodes) -> bool:
    """Whether the row has a leaf and no empty cell; otherwise that is a fault."""
    if row and all(map(str.strip, row)):
        return True
    value = next(filter(str.strip, row), "")
    place = 1 + next((i for i, cell in enumerate(row) if not cell.strip()), 0)
    problem = f"cell {place} of the row of {value!r} is empty" if value else "the row is empty"
    nodes.fault(line, value, problem, "Fill the cell, or leave it out: rows may be of unequal length.")
    return False


def _groups_of_path(path: tuple[str, ...], line: int, groups: dict[tuple[int, str], int], nodes: Nodes) -> int:
    """The node that ends the path above a leaf, after adding those of its nodes that are new."""
    parent = -1
    for level, name in enumerate(reversed(path)):
        node = groups.get((level, name))
        if node is None:
            node = groups[level, name] = nodes.add(name, parent, line)
        elif nodes.parents[node] != parent:
            nodes.fault(line, name, *_two_parents(nodes, node, parent, nodes.lines[node]))
        parent = node
    return parent


def _two_parents(nodes: Nodes, node: int, other_parent: int, first_line: int) -> tuple[str, str]:
    first, second = nodes.names[nodes.parents[node]], nodes.names[other_parent]
    problem = f"{nodes.names[node]!r} has two parents: {first!r} (line {first_line}) and {second!r}"
    return problem, "Keep one parent, or give the two nodes different names."


def _report_cycles(nodes: Nodes, child_line: dict[int, int]) -> None:
    """A fault for each cycle, at the first of its lines."""
    walk_of: dict[int, int] = {}
    for start in range(len(nodes.names)):
        node = start
        while node >= 0 and node not in walk_of:
            walk_of[node] = start
            node = nodes.parents[node]
        if node < 0 or walk_of[node] != start:
            continue
        cycle = [node]
        while nodes.parents[cycle[-1]] != node:
            cycle.append(nodes.parents[cycle[-1]])
        first = min(cycle, key=lambda member: child_line[member])
        at = cycle.index(first)
        names = [nodes.names[member] for member in [*cycle[at:], *cycle[:at], first]]
        shown = " -> ".join(names if len(names) <= 7 else [*names[:5], "...", names[-1]])
        nodes.fault(
            child_line[first],
            names[0],
            f"{names[0]!r} is its own ancestor: {shown}",
            "Remove the row of the cycle that is wrong.",
        )


def _finished(nodes: Nodes, repeated: Sequence[int]) -> Nodes:
    """The nodes as a tree with unique names; left as they are when there are faults."""
    nodes.faults = sorted(dict.fromkeys(nodes.faults), key=lambda fault: fault.line or 0)
    if nodes.faults or not nodes.names:
        return nodes
    if repeated:
        nodes.notes.append(f"{_how_many(repeated, 'row')} said what an earlier row says (first: line {repeated[0]}).")
    _add_common_root(nodes)
    nodes = _merge_only_children(nodes)
    _rename_upper_nodes(nodes)
    return nodes


def _add_common_root(nodes: Nodes) -> None:
    tops = [node for node, parent in enumerate(nodes.parents) if parent < 0]
    if len(tops) == 1:
        return
    root = nodes.add(free_name(ROOT, set(nodes.names)), -1, 1)
    for top in tops:
        nodes.parents[top] = root
    nodes.notes.append(f"No common root: {len(tops)} tops were put under a new root {nodes.names[root]!r}.")


def _merge_only_children(nodes: Nodes) -> Nodes:
    """Make a node and its only child one when both bear the same name."""
    names, parents = nodes.names, nodes.parents
    children = Counter(parents)
    only_child = [p >= 0 and children[p] == 1 and names[p] == name for name, p in zip(names, parents, strict=True)]
    if not any(only_child):
        return nodes
    kept = [node for node, only in enumerate(only_child) if not only]
    place = [count - 1 for count in accumulate(map(not_, only_child))]
    for node in compress(range(len(names)), only_child):  # a parent of the same name comes before its child
        place[node] = place[parents[node]]
    above = [parents[node] for node in kept]
    return Nodes(
        names=[names[node] for node in kept],
        parents=[place[parent] if parent >= 0 else -1 for parent in above],
        lines=[nodes.lines[node] for node in kept],
        notes=nodes.notes,
    )


def _rename_upper_nodes(nodes: Nodes) -> None:
    """Give every node a name of its own: a leaf keeps its text, of two groups the lower one keeps it."""
    if len(set(nodes.names)) == len(nodes.names):
        return
    bearers = defaultdict(list)
    for node, name in enumerate(nodes.names):
        bearers[name].append(node)
    taken = set(bearers)
    inner = set(nodes.parents)
    renamed = []
    for name, alike in bearers.items():
        if len(alike) == 1:
            continue
        from_below = sorted(alike, key=lambda node: (node in inner, -_depth(nodes, node)))
        for node in from_below[1:]:
            nodes.names[node] = _group_name(name, taken)
            taken.add(nodes.names[node])
            renamed.append(nodes.names[node])
    what = "group bears" if len(renamed) == 1 else "groups bear"
    nodes.notes.append(
        f"{len(renamed)} {what} the name of a leaf or of a lower group; shown as {first_few(renamed, most=3)}."
    )


def _group_name(name: str, taken: Collection[str]) -> str:
    candidate, number = f"{name} (group)", 1
    while candidate in taken:
        number += 1
        candidate = f"{name} (group {number})"
    return candidate


def _depth(nodes: Nodes, node: int) -> int:
    depth = 0
    while nodes.parents[node] >= 0:
        node = nodes.parents[node]
        depth += 1
    return depth


def _how_many(things: Sequence[object], what: str) -> str:
    return f"{len(things)} {what}{'s' * (len(things) != 1)}"
