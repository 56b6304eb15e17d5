"""Changing a hierarchy by hand: each function takes a tree and gives another one; leaves are never lost.

A group that its last child leaves is gone. Names stay unique, for they are published.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import pairwise

from tacit.errors import InputError
from tacit.taxonomy.build import build
from tacit.taxonomy.nodes import free_name
from tacit.taxonomy.tree import Taxonomy


def rename(tree: Taxonomy, node: int, name: str) -> Taxonomy:
    """A group by another name; leaves are values of the data, and keep theirs.

    >>> drinks = Taxonomy.from_paths([["beer", "alcohol", "*"], ["wine", "alcohol", "*"], ["milk", "*"]])
    >>> rename(drinks, 1, "spirits").names
    ('*', 'spirits', 'beer', 'wine', 'milk')
    """
    if tree.is_leaf[node]:
        raise InputError("a leaf is a value of the data, and keeps its name", hint="Rename the group above it.")
    names = list(tree.names)
    names[node] = _new_name(tree, name, besides=node)
    return Taxonomy.from_parents(names, tree.parent.tolist(), tree.notes)


def move(tree: Taxonomy, nodes: Collection[int], under: int) -> Taxonomy:
    """Nodes, with all below them, under another group; they stand last there.

    >>> drinks = Taxonomy.from_paths([["beer", "alcohol", "*"], ["wine", "alcohol", "*"], ["milk", "soft", "*"]])
    >>> move(drinks, [drinks.node("wine")], drinks.node("soft")).names
    ('*', 'alcohol', 'beer', 'soft', 'milk', 'wine')
    """
    if tree.is_leaf[under]:
        raise InputError("a value of the data holds no other values", hint="Move them under a group.")
    tops = _tops(tree, nodes)
    if any(node <= under < tree.end[node] for node in tops):
        raise InputError("a group cannot be moved below itself", hint="Choose another group.")
    parent = tree.parent.tolist()
    for node in tops:
        parent[node] = under
    return _made(tree, tree.names, parent, last=tops)


def group(tree: Taxonomy, nodes: Collection[int], name: str) -> Taxonomy:
    """A new group over nodes, where they have their nearest common group; they leave where they were.

    >>> drinks = Taxonomy.flat(["beer", "milk", "wine"])
    >>> group(drinks, [1, 3], "alcohol").names
    ('*', 'alcohol', 'beer', 'wine', 'milk')
    """
    tops = _tops(tree, nodes)
    above = _common(tree, tops)
    names, parent = [*tree.names, _new_name(tree, name)], [*tree.parent.tolist(), above]
    for node in tops:
        parent[node] = len(tree)
    return _made(tree, names, parent, at={len(tree): tops[0]})


def merge(tree: Taxonomy, nodes: Collection[int], name: str = "") -> Taxonomy:
    """Groups become one, which has all their children; without a name, it has that of the first one.

    >>> drinks = Taxonomy.from_paths([["beer", "ales", "*"], ["wine", "wines", "*"], ["milk", "*"]])
    >>> merge(drinks, [drinks.node("ales"), drinks.node("wines")], "alcohol").names
    ('*', 'alcohol', 'beer', 'wine', 'milk')
    """
    tops = _tops(tree, nodes)
    if len(tops) < 2 or any(tree.is_leaf[node] for node in tops):
        raise InputError("two groups or more can be merged", hint="Values of the data are grouped instead.")
    first, *others = tops
    names, parent = list(tree.names), tree.parent.tolist()
    parent = [first if above in others else above for above in parent]
    if name.strip() and name.strip() not in [tree.names[node] for node in tops]:
        names[first] = _new_name(tree, name)
    elif name.strip():
        names[tree.node(name.strip())], names[first] = names[first], name.strip()
    return _made(tree, names, parent)


def split(tree: Taxonomy, node: int, parts: int = 0) -> Taxonomy:
    """The children of a group in so many groups of neighbours; without a number the group goes, they stay.

    >>> drinks = Taxonomy.from_paths([["beer", "alcohol", "*"], ["wine", "alcohol", "*"], ["milk", "*"]])
    >>> split(drinks, 1).names
    ('*', 'beer', 'wine', 'milk')
    >>> split(Taxonomy.flat("abcd"), 0, 2).names
    ('*', 'group-1', 'a', 'b', 'group-2', 'c', 'd')
    """
    children = tree.children(node).tolist()
    if not children or (parts == 0 and node == 0):
        raise InputError("this cannot be split", hint="Choose a group, or a number of parts for the root.")
    if parts == 0:
        parent = [int(tree.parent[node]) if above == node else above for above in tree.parent.tolist()]
        return _made(tree, tree.names, parent, at={child: node + at / len(tree) for at, child in enumerate(children)})
    if not 2 <= parts <= len(children):
        raise InputError(
            f"{len(children)} children make no {parts} groups", hint=f"Choose a number from 2 to {len(children)}."
        )
    bounds = [len(children) * part // parts for part in range(parts + 1)]
    return _in_runs(tree, node, [children[low:high] for low, high in pairwise(bounds)])


def bands(tree: Taxonomy, node: int, size: int) -> Taxonomy:
    """The children of a group, in their order, in bands of so many neighbours.

    >>> bands(Taxonomy.flat("abcde"), 0, 2).names
    ('*', 'group-1', 'a', 'b', 'group-2', 'c', 'd', 'e')
    """
    children = tree.children(node).tolist()
    if not 2 <= size < len(children):
        raise InputError(
            f"{len(children)} children make no bands of {size}", hint=f"Choose a number from 2 to {len(children) - 1}."
        )
    return _in_runs(tree, node, [children[low : low + size] for low in range(0, len(children), size)])


def rebuild(tree: Taxonomy, kind: str, **options: object) -> Taxonomy:
    """Another hierarchy over the same leaves, such as intervals of a width."""
    return build([tree.names[leaf] for leaf in tree.leaves.tolist()], kind, **options)


def shift(tree: Taxonomy, node: int, by: int) -> Taxonomy:
    """A node among its siblings, one place up (-1) or down (1): the order counts where neighbours are grouped.

    >>> shift(Taxonomy.flat("abc"), 3, -1).names
    ('*', 'a', 'c', 'b')
    """
    siblings = tree.children(int(tree.parent[node])).tolist() if node else [node]
    at = siblings.index(node)
    other = at + by
    if not 0 <= other < len(siblings):
        return tree
    siblings[at], siblings[other] = siblings[other], siblings[at]
    return _made(tree, tree.names, tree.parent.tolist(), at=dict(zip(siblings, sorted(siblings), strict=True)))


def _in_runs(tree: Taxonomy, node: int, runs: Sequence[Sequence[int]]) -> Taxonomy:
    """The children of a node in new groups; one child alone needs none."""
    names, parent, taken = list(tree.names), tree.parent.tolist(), set(tree.names)
    prefix = "group-" if node == 0 else f"{tree.names[node]}-"
    at = dict[int, float]()
    for number, run in enumerate((run for run in runs if len(run) > 1), start=1):
        name = free_name(f"{prefix}{number}", taken)
        taken.add(name)
        for child in run:
            parent[child] = len(names)
        at[len(names)] = run[0]
        names.append(name)
        parent.append(node)
    return _made(tree, names, parent, at=at)


def _made(
    tree: Taxonomy,
    names: Sequence[str],
    parent: Sequence[int],
    *,
    at: dict[int, float] | dict[int, int] | None = None,
    last: Collection[int] = (),
) -> Taxonomy:
    """The tree of these parents without groups that lost all children; siblings stand in order of `at`."""
    has_child = _kept(tree, names, parent)
    place: Callable[[int], tuple[bool, float, int]] = lambda node: (node in last, (at or {}).get(node, node), node)  # noqa: E731
    order = sorted((node for node in range(len(names)) if has_child[node]), key=place)
    index = {node: new for new, node in enumerate(order)}
    parents = [-1 if parent[node] < 0 else index[parent[node]] for node in order]
    return Taxonomy.from_parents([names[node] for node in order], parents, tree.notes)


def _kept(tree: Taxonomy, names: Sequence[str], parent: Sequence[int]) -> list[bool]:
    """Which nodes have a leaf of the data below them, or are one."""
    kept = [False] * len(names)
    for leaf in tree.leaves.tolist():
        node = leaf
        while node >= 0 and not kept[node]:
            kept[node] = True
            node = parent[node]
    return kept


def _tops(tree: Taxonomy, nodes: Collection[int]) -> list[int]:
    """Nodes without those that lie below another of them; never the root, which holds everything."""
    tops: list[int] = []
    for node in sorted(set(nodes)):
        if not tops or node >= tree.end[tops[-1]]:
            tops.append(node)
    if not tops or tops[0] == 0:
        raise InputError("nothing is chosen, or the root, which holds everything", hint="Choose values or groups.")
    return tops


def _common(tree: Taxonomy, nodes: Sequence[int]) -> int:
    """The nearest group that holds all nodes."""
    above = int(tree.parent[nodes[0]])
    while not all(above <= node < tree.end[above] for node in nodes):
        above = int(tree.parent[above])
    return above


def _new_name(tree: Taxonomy, name: str, besides: int | None = None) -> str:
    """A name that a group can have."""
    name = name.strip()
    if not name or "\n" in name or "\r" in name:
        raise InputError("a group needs a name, on one line", hint="Write one.")
    if name in tree.names and (besides is None or tree.names[besides] != name):
        raise InputError(f"there is a node named {name!r} already", hint="Choose another name: names are published.")
    return name
