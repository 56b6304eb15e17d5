"""Slow twin of CAHD (Ghinita, Tao & Kalnis 2008), on Python sets."""

from __future__ import annotations

TWIN_OF = ("cahd",)


def band_order(baskets: list[set[int]]) -> list[int]:
    """Reverse Cuthill-McKee over rows ("r", i) and items ("x", i), rows alone."""
    nodes = [("r", i) for i in range(len(baskets))] + [("x", x) for x in sorted(set().union(*baskets))]
    near = {node: [] for node in nodes}
    for i, basket in enumerate(baskets):
        for x in basket:
            near["r", i].append(("x", x))
            near["x", x].append(("r", i))

    def rank(node: tuple[str, int]) -> tuple[int, tuple[str, int]]:
        return len(near[node]), node

    order: list[tuple[str, int]] = []
    for root in sorted(nodes, key=rank):
        if root in order:
            continue
        queue = [root]
        order.append(root)
        while queue:
            for node in sorted(near[queue.pop(0)], key=rank):
                if node not in order:
                    order.append(node)
                    queue.append(node)
    return [i for kind, i in reversed(order) if kind == "r"]


def cahd(baskets: list[set[int]], secrets: list[set[int]], p: int, alpha: int = 3) -> list[int]:
    ungrouped = band_order(baskets)
    groups: list[list[int]] = []
    for t in list(ungrouped):
        if t not in ungrouped or not secrets[t]:
            continue
        here = ungrouped.index(t)
        fitting = [i for i, row in enumerate(ungrouped) if row != t and not secrets[row] & secrets[t]]
        candidates = [i for i in fitting if i < here][-alpha * p :] + [i for i in fitting if i > here][: alpha * p]

        def likeness(i: int, t: int = t, here: int = here, rows: list[int] = ungrouped) -> tuple[int, int, int]:
            return -len(baskets[rows[i]] & baskets[t]), abs(i - here), i

        group = [t]
        for i in sorted(candidates, key=likeness):
            taken = set().union(*(secrets[row] for row in group))
            if len(group) < p and not secrets[ungrouped[i]] & taken:
                group.append(ungrouped[i])
        rest = [row for row in ungrouped if row not in group]
        counts = [sum(s in secrets[row] for row in rest) for s in set().union(*secrets)]
        if len(group) == p and max(counts) * p <= len(rest):
            groups.append(group)
            ungrouped = rest
    number = {row: n for n, group in enumerate([*groups, ungrouped]) for row in group}
    return [number[row] for row in range(len(baskets))]
