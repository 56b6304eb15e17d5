"""For every attacker a table with a leak made by hand, which it must find, and one on which it must not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

import tacit
from tacit import KAnonymity, KEpsAnonymity, KKmAnonymity, KmAnonymity

Played = list[dict[str, Any]]


class Case(NamedTuple):
    """What the attacker came to on both tables: the attacks of attack.json."""

    leak: Callable[[], Played]
    safe: Callable[[], Played]
    near: float = 0.05
    """How far from its baseline a success is that is no more than chance."""


def played(name: str, original: Any, published: Any, promise: Any, **named: Any) -> Played:
    return tacit.attack(original, published, promise, attackers=name, **named)["attacks"]


def people(count: int = 200, seed: int = 1) -> pa.Table:
    """No two have the same age and income."""
    rng = np.random.default_rng(seed)
    return pa.table(
        {
            "age": np.arange(count) % 70,
            "income": rng.permutation(count) * 10,
            "sex": rng.choice(["f", "m"], count),
            "ill": rng.choice(["flu", "cold", "pox"], count),
        }
    )


QUASI = ["age", "income", "sex"]


def blurred(table: pa.Table) -> tuple[pa.Table, np.ndarray]:
    """All quasi-identifiers suppressed, in another order, and who is who."""
    order = np.random.default_rng(9).permutation(table.num_rows)
    hidden = {name: ["*"] * table.num_rows for name in QUASI}
    return pa.table({**hidden, "ill": table["ill"].take(pa.array(order))}), order


def shuffled(table: pa.Table, seed: int = 9) -> tuple[pa.Table, np.ndarray]:
    order = np.random.default_rng(seed).permutation(table.num_rows)
    return table.take(pa.array(order)), order


def baskets(count: int = 120) -> pa.Table:
    """Everybody has three items, of which nobody else has any two."""
    return pa.table({"basket": [[f"a{i % 40}", f"b{i // 3}", f"c{i}"] for i in range(count)]})


def one_basket(table: pa.Table) -> tuple[pa.Table, np.ndarray]:
    """Every basket the same: all items generalized to the root."""
    return pa.table({"basket": [["*"]] * table.num_rows}), np.random.default_rng(3).permutation(table.num_rows)


def on_baskets(name: str, safe: bool, **named: Any) -> Played:
    table = baskets()
    published, rows = one_basket(table) if safe else shuffled(table)
    return played(name, table, published, KmAnonymity(k=2, m=2), items="basket", rows=rows, **named)


def on_records(name: str, safe: bool, **named: Any) -> Played:
    table = people(70)
    published, rows = blurred(table) if safe else shuffled(table)
    return played(name, table, published, KAnonymity(k=2), quasi=QUASI, sensitive="ill", rows=rows, **named)


def on_both(name: str, safe: bool, **named: Any) -> Played:
    """Records with baskets."""
    table = people(120).append_column("basket", baskets()["basket"])
    if safe:
        published, rows = blurred(table)
        published = published.append_column("basket", pa.array([["*"]] * table.num_rows))
    else:
        published, rows = shuffled(table)
    return played(name, table, published, KKmAnonymity(k=2, m=2), quasi=QUASI, items="basket", rows=rows, **named)


def pair(play: Callable[..., Played], name: str, near: float = 0.05, **named: Any) -> Case:
    return Case(lambda: play(name, False, **named), lambda: play(name, True, **named), near)


def alike(count: int = 120) -> pa.Table:
    """Ages tell illnesses, and nothing else does."""
    ill = [("flu", "cold", "pox")[i % 3] for i in range(count)]
    return pa.table({"age": [20 + 10 * (i % 3) for i in range(count)], "sex": ["f", "m"] * (count // 2), "ill": ill})


def on_secrets(name: str, safe: bool, **named: Any) -> Played:
    """Groups of one illness each; or one group of all."""
    table = alike()
    order = np.random.default_rng(2).permutation(table.num_rows)
    ill = table["ill"].take(pa.array(order))
    age = ["*"] * 120 if safe else [f"[{each}:{each + 9}]" for each in table["age"].take(pa.array(order)).to_pylist()]
    published = pa.table({"age": age, "sex": ["*"] * 120, "ill": ill})
    return played(name, table, published, KAnonymity(k=2), quasi=["age", "sex"], sensitive="ill", rows=order, **named)


def ratings(people: int = 60, issues: int = 20) -> pa.Table:
    rng = np.random.default_rng(4)
    rated = rng.random((people, issues)) < 0.6
    return pa.table({f"q{i}": pa.array(rng.integers(1, 6, people), mask=~rated[:, i]) for i in range(issues)})


def on_ratings(name: str, safe: bool, **named: Any) -> Played:
    table = ratings()
    published, rows = shuffled(table)
    if safe:
        published = pa.table({each: [3] * table.num_rows for each in table.column_names})
    return played(
        name, table, published, KEpsAnonymity(k=2), rating=table.column_names, scale=(1, 5), step=1, rows=rows, **named
    )


CASES: dict[str, Case] = {
    "known-values": pair(on_records, "known-values"),
    "known-items": pair(on_baskets, "known-items"),
    "exact-basket": pair(on_baskets, "exact-basket"),
    "relational-and-items": pair(on_both, "relational-and-items"),
    "predicates": pair(on_records, "predicates"),
    "linkability": pair(on_records, "linkability"),
    "uniques": Case(lambda: on_records("uniques", False), lambda: on_baskets("uniques", True)),
    "posterior": pair(on_secrets, "posterior"),
    "homogeneity": pair(on_secrets, "homogeneity"),
    "classifier": pair(on_secrets, "classifier"),
    "nearest-row": pair(on_ratings, "nearest-row"),
    "scoreboard": pair(on_ratings, "scoreboard"),
    "rated-pattern": pair(on_ratings, "rated-pattern"),
}
