"""Slow twins of CAHD, on Python sets: as in the paper (Ghinita, Tao & Kalnis 2008), and blind to who has what."""

from __future__ import annotations

TWIN_OF = ("cahd",)

Baskets = list[set[int]]


def band_order(baskets: Baskets) -> list[int]:
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


def literal(baskets: Baskets, sensitive: Baskets, p: int, alpha: int = 3) -> list[int]:
    ungrouped = band_order(baskets)
    groups: list[list[int]] = []
    for t in list(ungrouped):
        if t not in ungrouped or not sensitive[t]:
            continue
        here = ungrouped.index(t)
        fitting = [i for i, row in enumerate(ungrouped) if row != t and not sensitive[row] & sensitive[t]]
        candidates = [i for i in fitting if i < here][-alpha * p :] + [i for i in fitting if i > here][: alpha * p]

        def likeness(i: int, t: int = t, here: int = here, rows: list[int] = ungrouped) -> tuple[int, int, int]:
            return -len(baskets[rows[i]] & baskets[t]), abs(i - here), i

        group = [t]
        for i in sorted(candidates, key=likeness):
            taken = set().union(*(sensitive[row] for row in group))
            if len(group) < p and not sensitive[ungrouped[i]] & taken:
                group.append(ungrouped[i])
        rest = [row for row in ungrouped if row not in group]
        counts = [sum(s in sensitive[row] for row in rest) for s in set().union(*sensitive)]
        if len(group) == p and max(counts) * p <= len(rest):
            groups.append(group)
            ungrouped = rest
    group_of = {row: n for n, group in enumerate([*groups, ungrouped]) for row in group}
    return [group_of[row] for row in range(len(baskets))]


def cahd(baskets: Baskets, sensitive: Baskets, p: int, ties: list[int], chance: list[int]) -> list[int]:
    """`ties` is the order of rows with equal baskets, `chance` that of rows with equal sensitive sets."""
    known = sorted(range(len(baskets)), key=lambda row: (sorted(baskets[row]), ties.index(row)))
    band = [known[i] for i in band_order([baskets[row] for row in known])]
    groups: list[list[int]] = []
    for leaf in leaves(band, sensitive, p):
        tokens = sorted(leaf, key=lambda row: (-len(sensitive[row]), sorted(sensitive[row]), chance.index(row)))
        groups += dealt(tokens, sensitive, p)
    group_of = {row: n for n, group in enumerate(groups) for row in group}
    return [group_of[row] for row in range(len(baskets))]


def leaves(part: list[int], sensitive: Baskets, p: int) -> list[list[int]]:
    """Halves of halves, as long as no item can be too frequent in one of them, wherever it is."""
    held = [item for row in part for item in sensitive[row]]
    half = len(part) // 2
    if not held or max(map(held.count, held)) * p > half:
        return [part]
    return leaves(part[:half], sensitive, p) + leaves(part[half:], sensitive, p)


def dealt(tokens: list[int], sensitive: Baskets, p: int) -> list[list[int]]:
    """Groups of about p rows, each item once in a group; else of about 2p rows, each item twice, and so on."""
    wanted = len(tokens) // p if any(sensitive[row] for row in tokens) else 1
    for _ in range(6):
        groups = dealt_into(wanted, tokens, sensitive, p) if wanted > 1 else None
        if groups:
            return groups
        wanted //= 2
    return [tokens] if tokens else []


def dealt_into(wanted: int, tokens: list[int], sensitive: Baskets, p: int) -> list[list[int]] | None:
    sizes = [len(tokens) // wanted + (g < len(tokens) % wanted) for g in range(wanted)]
    most = len(tokens) // wanted // p
    groups: list[list[int]] = [[] for _ in range(wanted)]
    turn = 0
    for row in tokens:
        if not sensitive[row]:
            next(group for group, size in zip(groups, sizes, strict=True) if len(group) < size).append(row)
            continue
        for g in ((turn + step) % wanted for step in range(wanted)):
            fits = all(sum(item in sensitive[other] for other in groups[g]) < most for item in sensitive[row])
            if fits and len(groups[g]) < sizes[g]:
                groups[g].append(row)
                turn = g + 1
                break
        else:
            return None
    return groups
