"""k-anonymity, and in each group every sensitive column is distributed as in all of the file, to a distance of t.

The distance is the least work that turns one distribution into the other, by the formulas of Li, Li and
Venkatasubramanian (ICDE 2007): equal, ordered, and by a hierarchy. A missing value is 1 apart from all others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pyarrow as pa

from naive.audits import exact, groups, published, share_of_one
from naive.audits.attackers import Paths, alike, seen_by_attackers


def holds(
    table: pa.Table, promise: Any, roles: dict[str, Any], trees: dict[str, list[list[str]]] | None = None
) -> bool:
    """`trees` has the paths from leaf to root of columns with a hierarchy."""
    given = published(table, roles)
    for group in groups(given):
        if len(given.people(group)) < promise.k:
            return False
        for name in given.names("sensitive"):
            everything, here = given.held(range(len(given.rows)), name), given.held(group, name)
            if distance(here, everything, (trees or {}).get(name)) > exact(promise.t):
                return False
    return True


def best_guess(table: pa.Table, promise: Any, roles: dict[str, Any]) -> Fraction:
    """Whose record it is: what is learned of a value hangs on how frequent it is among all."""
    return share_of_one(groups(published(table, roles)))


def attack(
    table: pa.Table, original: pa.Table, promise: Any, roles: dict[str, Any], paths: Paths
) -> Iterator[tuple[Fraction, Fraction]]:
    """Whose record it is, by all quasi-identifiers."""
    for crowd in filter(None, alike(seen_by_attackers(table, original, roles, paths))):
        yield Fraction(1, len(crowd)), Fraction(1, promise.k)


def at_the_bound() -> Iterator[tuple[Any, dict[str, Any], pa.Table, pa.Table]]:
    """For k and for t: a promise, the roles of the columns, a table that just keeps it, and with one record less."""
    from tacit import TCloseness

    table = pa.table({"q": ["x"] * 1000 + ["y"] * 1000, "s": ["a"] * 600 + ["b"] * 800 + ["a"] * 400 + ["b"] * 200})
    for promise, row in ((TCloseness(k=1000, t=1), 0), (TCloseness(k=5, t=0.1), 700)):
        yield promise, {"quasi": "q", "sensitive": "s"}, table, pa.concat_tables([table[:row], table[row + 1 :]])


def distance(here: Sequence[Any], everything: Sequence[Any], tree: list[list[str]] | None = None) -> Fraction:
    if tree is not None:
        return by_tree(here, everything, tree)
    if all(is_number(value) for value in everything if not is_missing(value)) and any(map(is_number, everything)):
        return ordered(here, everything)
    return equal(here, everything)


def is_missing(value: Any) -> bool:
    return value is None or value == ""


def is_number(value: Any) -> bool:
    try:
        float(str(value))
    except ValueError:
        return False
    return not is_missing(value)


def shares(values: Sequence[Any]) -> dict[Any, Fraction]:
    return {value: Fraction(count, len(values)) for value, count in Counter(values).items()}


def equal(here: Sequence[Any], everything: Sequence[Any]) -> Fraction:
    p, q = shares(here), shares(everything)
    return sum((abs(p.get(value, Fraction(0)) - share) for value, share in q.items()), Fraction(0)) / 2


def ordered(here: Sequence[Any], everything: Sequence[Any]) -> Fraction:
    """Missing values by their share, the others by their order among all; the larger counts."""
    known, all_known = ([Fraction(str(v)) for v in some if not is_missing(v)] for some in (here, everything))
    apart = abs(Fraction(len(known), len(here)) - Fraction(len(all_known), len(everything)))
    values = sorted(set(all_known))
    if not known or len(values) < 2:
        return apart
    p, q, moved, work = shares(known), shares(all_known), Fraction(0), Fraction(0)
    for value in values:
        moved += p.get(value, Fraction(0)) - q[value]
        work += abs(moved)
    return max(apart, work / (len(values) - 1))


def by_tree(here: Sequence[Any], everything: Sequence[Any], tree: list[list[str]]) -> Fraction:
    """Li's formula: at each node, what its children have too much goes to those that have too little."""
    root = tree[0][-1]
    paths = {path[0]: path for path in tree}
    children: dict[str, set[str]] = {}
    for path in tree:
        for child, parent in pairwise(path):
            children.setdefault(parent, set()).add(child)
    missing = "\0missing"
    children[root].add(missing)
    p, q = (
        {missing if is_missing(v) else str(v): share for v, share in shares(some).items()}
        for some in (here, everything)
    )

    def height(node: str) -> int:
        return 1 + max(map(height, children[node])) if node in children else 0

    work = Fraction(0)

    def extra(node: str) -> Fraction:
        nonlocal work
        if node not in children:
            assert node == missing or node in paths
            return p.get(node, Fraction(0)) - q.get(node, Fraction(0))
        below = [extra(child) for child in sorted(children[node])]
        more, less = sum(x for x in below if x > 0), -sum(x for x in below if x < 0)
        work += Fraction(height(node), height(root)) * min(more, less)
        return sum(below, Fraction(0))

    extra(root)
    return work
