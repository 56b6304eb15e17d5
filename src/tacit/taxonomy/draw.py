"""A taxonomy as text: a tree for the terminal, and the figures that tell its shape."""

from __future__ import annotations

import numpy as np

from tacit.taxonomy.tree import Taxonomy


def draw(tree: Taxonomy, depth: int | None = None, width: int = 100, most_children: int = 12) -> str:
    """Draw the tree down to `depth` levels below the root, in lines of at most `width`, and sum it up.

    A node with more than `most_children` children shows the first ones and says how many more there are.

    >>> print(draw(Taxonomy.from_paths([["beer", "alcohol", "*"], ["wine", "alcohol", "*"], ["milk", "*"]])))
    * (3 leaves)
    ├── alcohol (2 leaves)
    │   ├── beer
    │   └── wine
    └── milk
    3 leaves, 5 nodes, 2 levels below the root; fan-out 2 to 2, median 2; ragged: leaves at depth 1 to 2
    """
    lines = [_line(tree, 0, "", width)]
    waiting = _below(tree, 0, "", most_children) if depth != 0 else []
    while waiting:
        node, more, lead, lead_below = waiting.pop()
        if more:
            lines.append(_fit(f"{lead}… and {more:,} more", width))
            continue
        lines.append(_line(tree, node, lead, width))
        if depth is None or tree.depth[node] < depth:
            waiting.extend(_below(tree, node, lead_below[:width], most_children))
    return "\n".join([*lines, summary(tree)])


def summary(tree: Taxonomy) -> str:
    """Leaves, nodes, levels and fan-out in a line, and whether all leaves are equally deep."""
    depths = tree.depth[tree.leaves]
    shallowest, deepest = int(depths.min()), int(depths.max())
    ragged = f"ragged: leaves at depth {shallowest} to {deepest}"
    shape = ragged if shallowest < deepest else "all leaves at the same depth"
    fanouts = np.bincount(tree.parent[1:], minlength=len(tree))[~tree.is_leaf]
    fanout = (
        f"fan-out {fanouts.min()} to {fanouts.max()}, median {np.median(fanouts):g}" if len(fanouts) else "no groups"
    )
    sizes = f"{_count(len(depths), 'leaf', 'leaves')}, {_count(len(tree), 'node', 'nodes')}"
    return f"{sizes}, {_count(deepest, 'level', 'levels')} below the root; {fanout}; {shape}"


def _line(tree: Taxonomy, node: int, lead: str, width: int) -> str:
    count = "" if tree.is_leaf[node] else f" ({_count(int(tree.leaf_count[node]), 'leaf', 'leaves')})"
    return _fit(lead + tree.names[node], width - len(count)) + count


def _below(tree: Taxonomy, node: int, lead: str, most_children: int) -> list[tuple[int, int, str, str]]:
    """What hangs below a node, last first: child, how many more it stands for (0: itself), and line starts."""
    children = tree.children(node).tolist()
    shown = [(child, 0) for child in children[:most_children]]
    if len(children) > most_children:
        shown.append((node, len(children) - most_children))
    starts = [("├── ", "│   ")] * (len(shown) - 1) + [("└── ", "    ")]
    hanging = [(*entry, lead + own, lead + below) for entry, (own, below) in zip(shown, starts, strict=bool(shown))]
    return hanging[::-1]


def _count(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"


def _fit(text: str, width: int) -> str:
    return text if len(text) <= width else text[: max(width - 1, 0)] + "…"
