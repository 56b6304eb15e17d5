"""Slow twins of LG: top-down local generalization (He & Naughton 2009), and of LGR's reallocation, on Python sets."""

from __future__ import annotations

from typing import NamedTuple

from naive.threats import Loss, Tree

TWIN_OF = ("partition",)


class Part(NamedTuple):
    rows: list[int]
    nodes: list[int]  # what every row of it is published as; empty if all is suppressed


class Partition(NamedTuple):
    parts: list[Part]
    cost: int


class LG:
    def __init__(self, tree: Tree, baskets: list[set[int]], k: int, loss: Loss | None = None) -> None:
        self.tree, self.baskets, self.k, self.loss = tree, baskets, k, loss or Loss(tree)
        self.done: list[Part] = []

    def loss_of(self, row: int, node: int) -> int:
        """What publishing the node costs in one row."""
        below = self.baskets[row] & self.tree.leaves(node)
        return sum(self.loss.weight[leaf] for leaf in below) * self.loss.of_node[node]

    def rank(self, row: int, node: int) -> tuple[int, int]:
        return self.loss_of(row, node), row

    def run(self) -> Partition:
        stripped = self.stripped()
        rest = [row for row, basket in enumerate(self.baskets) if basket and row not in stripped]
        if rest:
            self.anonymize(rest, {self.tree.root}, set())
        parts = sorted(self.done) + ([Part(stripped, [])] if stripped else [])
        cost = sum(self.loss_of(row, node) for part in parts for row in part.rows for node in part.nodes)
        return Partition(parts, cost + sum(map(self.worth, stripped)))

    def worth(self, row: int) -> int:
        return sum(self.loss.weight[leaf] for leaf in self.baskets[row]) * self.loss.worst

    def stripped(self) -> list[int]:
        """Rows that lose all they have, for there are empty ones, and too few of them."""
        filled = [row for row, basket in enumerate(self.baskets) if basket]
        empty = len(self.baskets) - len(filled)
        cheapest = sorted(filled, key=lambda row: (self.worth(row), row))
        return sorted(cheapest[: self.k - empty]) if 0 < empty < self.k else []

    def anonymize(self, rows: list[int], nodes: set[int], tried: set[int]) -> None:
        expandable = [node for node in sorted(nodes - tried) if self.tree.children[node]]
        if not expandable:
            self.done.append(Part(sorted(rows), sorted(nodes)))
            return
        node = max(expandable, key=lambda node: sum(self.loss_of(row, node) for row in rows))  # the first of equals
        groups: dict[frozenset[int], list[int]] = {}
        for row in sorted(rows):
            held = frozenset(c for c in self.tree.children[node] if self.tree.leaves(c) & self.baskets[row])
            groups.setdefault(held, []).append(row)
        left = self.balance(groups, node)
        if left:
            self.anonymize(left, nodes, tried | {node})
        for held, group in groups.items():
            self.anonymize(group, nodes - {node} | held, set())

    def balance(self, groups: dict[frozenset[int], list[int]], node: int) -> list[int]:
        """Takes the rows of small groups out; if those are too few, other rows that lose least with the node."""
        left: list[int] = []
        for held in [held for held, group in groups.items() if len(group) < self.k]:
            left += groups.pop(held)
        if not left:
            return left
        if len(left) < self.k and len(left) + sum(len(group) - self.k for group in groups.values()) < self.k:
            left += groups.pop(min(groups, key=lambda held: sum(self.loss_of(row, node) for row in groups[held])))
        while len(left) < self.k:
            spare = [
                (self.loss_of(row, node), row, h) for h, group in groups.items() if len(group) > self.k for row in group
            ]
            _, row, held = min(spare, key=lambda one: one[:2])
            groups[held].remove(row)
            left.append(row)
        return left


def reallocated(lg: LG) -> Partition:
    """LGR: from LG's parts on, rows go to published sets that cost them less; what does not fit is left out."""
    found = lg.run()
    whole = [part for part in found.parts if part.nodes]
    rows = {nodes: sorted(r for p in whole if tuple(p.nodes) == nodes for r in p.rows) for nodes in _sets(whole)}
    order, is_open = sorted(rows), dict.fromkeys(rows, True)

    def cost(row: int, nodes: tuple[int, ...]) -> int | None:
        """None if the row holds nothing below one of the nodes."""
        covered = [lg.baskets[row] & lg.tree.leaves(node) for node in nodes]
        if not all(covered):
            return None
        left_out = lg.baskets[row] - set().union(*covered)
        lost = sum(lg.loss.weight[leaf] for leaf in left_out) * lg.loss.worst
        return lost + sum(lg.loss_of(row, node) for node in nodes)

    def others(row: int, own: tuple[int, ...]) -> tuple[int, tuple[int, ...]] | None:
        fitting = [(cost(row, nodes), nodes) for nodes in order if is_open[nodes] and nodes != own]
        return min((each for each in fitting if each[0] is not None), default=None)  # the first of equals

    for _ in range(20):
        wanted = {row: others(row, nodes) for nodes in order for row in rows[nodes]}
        mine = {row: cost(row, nodes) for nodes in order for row in rows[nodes]}
        members = {nodes: list(rows[nodes]) for nodes in order}
        guests, moved = set(), 0
        for nodes in sorted(order, key=lambda nodes: -sum(mine[row] for row in members[nodes])):
            here = members[nodes]
            gain = {
                row: mine[row] - wanted[row][0] for row in here if wanted[row] is not None and is_open[wanted[row][1]]
            }
            able = sorted((row for row in here if gain.get(row, 0) > 0), key=lambda row: (-gain[row], row))
            leaving = able[: len(rows[nodes]) - lg.k]
            everybody = len(gain) == len(here) and nodes not in guests
            if here and everybody and sum(gain.values()) > sum(gain[row] for row in leaving):
                leaving, is_open[nodes] = here, False
            for row in leaving:
                rows[nodes].remove(row)
                rows[wanted[row][1]].append(row)
                guests.add(wanted[row][1])
            moved += len(leaving)
        rows = {nodes: sorted(each) for nodes, each in rows.items()}
        if not moved:
            break
    parts = sorted(Part(each, list(nodes)) for nodes, each in rows.items() if each)
    stripped = [part for part in found.parts if not part.nodes]
    total = sum(cost(row, tuple(part.nodes)) for part in parts for row in part.rows)
    return Partition(parts + stripped, total + sum(lg.worth(row) for part in stripped for row in part.rows))


def _sets(parts: list[Part]) -> set[tuple[int, ...]]:
    return {tuple(part.nodes) for part in parts}
