"""Slow twin of the generalization of a set of records in one attribute: the definitions, on texts and sets."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.taxonomy import Taxonomy


def generalized(
    values: Sequence[str | None], everything: Sequence[str | None], kind: Taxonomy | str
) -> tuple[str, float]:
    """What the values of a group are published as, and the loss; None is a missing value, published as an empty text.

    `everything` are the values of the whole column; `kind` is "number", "category" or the hierarchy.
    """
    different = set(values)
    if len(different) == 1:
        return values[0] or "", 0.0
    if isinstance(kind, Taxonomy):
        return in_tree(different, everything, kind)
    if kind == "number":
        if None in different:
            return "*", 1.0
        ends = sorted((float(value), value) for value in different if value is not None)
        domain = [float(value) for value in everything if value is not None]
        length = (max(domain) - min(domain)) or 1.0
        return f"[{ends[0][1]}:{ends[-1][1]}]", (ends[-1][0] - ends[0][0]) / length
    share = len(different) / len(set(everything))
    return ("*" if share == 1 else f"({','.join(sorted(value or '' for value in different))})"), share


def in_tree(different: set[str | None], everything: Sequence[str | None], tree: Taxonomy) -> tuple[str, float]:
    """The lowest common ancestor; a missing value that the tree lacks is a leaf of its own below the root."""
    extra = int(None in everything)
    if None in different:
        return tree.names[0], 1.0
    paths = [[tree.names[node] for node in tree.path(tree.node(value)).tolist()] for value in different if value]
    common = next(name for name in paths[0] if all(name in path for path in paths))
    if common == tree.names[0]:
        return common, 1.0
    return common, int(tree.leaf_count[tree.node(common)]) / (int(tree.leaf_count[0]) + extra)
