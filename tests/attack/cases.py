"""For every attacker a table with a leak made by hand, which it must find, and one on which it must not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

import tacit
from tacit import Cahd, KAnonymity, KEpsAnonymity, KKmAnonymity, KmAnonymity, LmDiversity, RatingKm, SlicedDiversity
from tacit.taxonomy import Taxonomy

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


def on_sensitive(name: str, safe: bool, **named: Any) -> Played:
    """Groups of one illness each; or one group of all."""
    table = alike()
    order = np.random.default_rng(2).permutation(table.num_rows)
    ill = table["ill"].take(pa.array(order))
    age = ["*"] * 120 if safe else [f"[{each}:{each + 9}]" for each in table["age"].take(pa.array(order)).to_pylist()]
    published = pa.table({"age": age, "sex": ["*"] * 120, "ill": ill})
    return played(name, table, published, KAnonymity(k=2), quasi=["age", "sex"], sensitive="ill", rows=order, **named)


def on_items(name: str, safe: bool, **named: Any) -> Played:
    """What somebody bought tells the one sensitive thing; or nothing is shown but sensitive things."""
    held = [[f"a{i % 3}", f"b{i % 5}", f"s{i % 3}"] for i in range(120)]
    table = pa.table({"basket": held})
    published, rows = shuffled(table)
    if safe:
        published = pa.table({"basket": [["*", basket[2]] for basket in published["basket"].to_pylist()]})
    sensitive = ["s0", "s1", "s2"]
    promise = LmDiversity(l=2, m=1)
    return played(name, table, published, promise, items="basket", sensitive_items=sensitive, rows=rows, **named)


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


def on_ranges(name: str, safe: bool, **named: Any) -> Played:
    """Ratings as they are; or each as the whole scale."""
    table = ratings()
    published, rows = shuffled(table)
    if safe:
        published = pa.table({each: ["[1:5]"] * table.num_rows for each in table.column_names})
    return played(
        name, table, published, RatingKm(k=2, m=2), rating=table.column_names, scale=(1, 5), step=1, rows=rows, **named
    )


def sliced(table: pa.Table, bucket: list[int], order: np.ndarray) -> pa.Table:
    """Ages in the first slice, illnesses in the second one, in another order inside the bucket."""
    ill = table["ill"].take(pa.array(order))
    return pa.table({"bucket": bucket, "1.age": table["age"], "1.sex": table["sex"], "2.ill": ill})


def on_slices(name: str, safe: bool, **named: Any) -> Played:
    """A bucket for each illness; or one bucket of all."""
    table = alike()
    order = np.random.default_rng(6).permutation(table.num_rows)
    bucket = [0] * 120 if safe else [i % 3 for i in range(120)]
    if not safe:
        order = np.concatenate([np.random.default_rng(6).permutation(np.arange(i, 120, 3)) for i in range(3)])
        order = order[np.argsort(np.argsort(bucket, kind="stable"), kind="stable")]
    rows = np.stack((np.arange(120), order))
    return played(
        name, table, sliced(table, bucket, order), SlicedDiversity(l=2), quasi=["age", "sex"], sensitive="ill",
        rows=rows, **named,
    )  # fmt: skip


def joined(safe: bool) -> Played:
    """Both slices have a number of their own in common, which undoes the bucket; or nothing."""
    table = pa.table(
        {"age": list(range(60)), "zip": [i * 7 % 60 for i in range(60)], "ill": [f"x{i}" for i in range(60)]}
    )
    order = np.random.default_rng(6).permutation(60)
    second = {"2.zip": table["zip"].take(pa.array(order)), "2.ill": table["ill"].take(pa.array(order))}
    first = {"1.age": ["*"] * 60 if safe else table["age"], "1.zip": ["*"] * 60 if safe else table["zip"]}
    if safe:
        second["2.zip"] = pa.array(["*"] * 60)
    published = pa.table({"bucket": [0] * 60, **first, **second})
    rows = np.stack((np.arange(60), order))
    return played(
        "joined-slices", table, published, SlicedDiversity(l=2), quasi=["age", "zip"], sensitive="ill", rows=rows
    )


def inside_or_outside(safe: bool) -> Played:
    table = people(70)
    published, rows = blurred(table) if safe else shuffled(table)
    stranger = people(70, seed=5).set_column(1, "income", pa.array(np.arange(70) + 5000))
    return played(
        "membership", table, published, KAnonymity(k=2), quasi=QUASI, sensitive="ill", rows=rows, control=stranger
    )


def learnt_from_buckets(safe: bool) -> Played:
    """All smokers have cancer, in buckets of two of anybody: all buckets together tell who is who; or nothing does."""
    rng = np.random.default_rng(1)
    smokes = rng.choice(["yes", "no"], 120)
    ill = (
        rng.permutation(np.where(smokes == "yes", "cancer", "flu"))
        if safe
        else np.where(smokes == "yes", "cancer", "flu")
    )
    table = pa.table({"smokes": smokes, "ill": ill})
    order = rng.permuted(np.arange(120).reshape(-1, 2), axis=1).ravel()
    shown = {"1.smokes": table["smokes"], "2.ill": table["ill"].take(pa.array(order))}
    published = pa.table({"bucket": np.arange(120) // 2, **shown})
    rows = np.stack((np.arange(120), order))
    return played("definetti", table, published, SlicedDiversity(l=2), quasi="smokes", sensitive="ill", rows=rows)


def composed(safe: bool) -> Played:
    """Two releases, each of pairs, that have one person in common; or the same one twice."""
    from tacit.attack.runner import declared, play_all
    from tacit.attack.scene import Earlier, Scene
    from tacit.audits import read_original, read_view
    from tacit.job import Column, Input, Job, Output

    table = pa.table({"age": list(range(40))})
    one = pa.table({"age": [f"[{i // 2 * 2}:{i // 2 * 2 + 1}]" for i in range(40)]})
    two = pa.table({"age": [f"[{max((i + 1) // 2 * 2 - 1, 0)}:{(i + 1) // 2 * 2}]" for i in range(40)]})
    job = Job(Input("x"), (Column("age", "quasi"),), KAnonymity(k=2), Output(Path("out")))
    rows = np.arange(40)
    first, second = read_view(one, job), read_view(one if safe else two, job)
    others = (Earlier("last", second, rows), Earlier("first", first, rows))
    scene = Scene(first, read_original(table, job, {}), rows, earlier=others)
    assert "composition" in declared()
    return [each.to_dict() for each in play_all(scene, only=["composition"])[0]]


def in_order(safe: bool) -> Played:
    table = people(150)
    order = np.random.default_rng(77_777).permutation(150) if safe else np.arange(150)
    published = table.take(pa.array(order))
    return played("file-order", table, published, KAnonymity(k=2), quasi=QUASI, sensitive="ill", rows=order)


def with_names(safe: bool) -> Played:
    table = people(70).append_column("name", pa.array([f"person {i}" for i in range(70)]))
    published, rows = shuffled(table)
    shown = published.drop_columns("name")
    if not safe:
        shown = shown.append_column("note", published["name"])
    return played(
        "leftovers", table, shown, KAnonymity(k=2), quasi=QUASI, sensitive="ill", identifier="name", rows=rows
    )


def swapped(safe: bool) -> Played:
    """Ages of other people."""
    table = people(70)
    shown = table if safe else table.set_column(0, "age", pa.array((np.arange(70) + 1) % 70))
    return played("false-values", table, shown, KAnonymity(k=2), quasi=QUASI, sensitive="ill", rows=np.arange(70))


def with_ends(safe: bool) -> Played:
    """Pairs of people as the range of just their ages; or as one that ends where others' ages are."""
    ages = list(range(0, 400, 10))
    pairs = [(ages[i // 2 * 2], ages[i // 2 * 2 + 1]) for i in range(40)]
    shown = [f"[{low - 10}:{high + 10}]" if safe else f"[{low}:{high}]" for low, high in pairs]
    return played("downcoding", pa.table({"age": ages}), pa.table({"age": shown}), KAnonymity(k=2), quasi="age",
                  rows=np.arange(40))  # fmt: skip


def cut_off(safe: bool) -> Played:
    """Names of which one item is held by one person and the other by two; or three by one each."""
    held = [f"{each}{i}" for i in range(10) for each in ("abc" if safe else "abb")]
    paths = [(f"{each}{i}", f"n{i}", "*") for i in range(10) for each in "abc"]
    tree = Taxonomy.from_paths(paths)
    return played("downcoded-cuts", pa.table({"basket": [[item] for item in held]}),
                  pa.table({"basket": [[f"n{item[1:]}"] for item in held]}), KmAnonymity(k=2, m=1), items="basket",
                  hierarchy={"basket": tree}, rows=np.arange(30))  # fmt: skip


def seen_through(safe: bool) -> Played:
    """{b, d}, {a, b, d} and {a, c, d}, where c is sensitive: the paper's CAHD tells whose it is, ours does not."""
    table = pa.table({"basket": [["b", "d"], ["a", "b", "d"], ["a", "c", "d"]]})
    options = {} if safe else {"literal": True}
    made = tacit.anonymize(table, Cahd(2), items="basket", sensitive_items=["c"], key="0" * 64, seed=0, **options)
    return played(
        "minimality", table, made.data, Cahd(2), items="basket", sensitive_items=["c"], rows=made.original,
        method="cahd", method_options=options,
    )  # fmt: skip


def both(play: Callable[[bool], Played], near: float = 0.05) -> Case:
    return Case(lambda: play(False), lambda: play(True), near)


CASES: dict[str, Case] = {
    "joined-slices": both(joined),
    "membership": both(inside_or_outside),
    "definetti": both(learnt_from_buckets, near=0.15),
    "composition": both(composed, near=0.5),
    "file-order": both(in_order),
    "leftovers": both(with_names),
    "false-values": both(swapped),
    "downcoding": both(with_ends),
    "downcoded-cuts": both(cut_off),
    "minimality": both(seen_through),
    "known-values": pair(on_records, "known-values"),
    "known-items": pair(on_baskets, "known-items"),
    "exact-basket": pair(on_baskets, "exact-basket"),
    "relational-and-items": pair(on_both, "relational-and-items"),
    "predicates": pair(on_records, "predicates"),
    "linkability": pair(on_records, "linkability"),
    "uniques": Case(lambda: on_records("uniques", False), lambda: on_baskets("uniques", True)),
    "posterior": pair(on_sensitive, "posterior"),
    "homogeneity": pair(on_sensitive, "homogeneity"),
    "classifier": pair(on_sensitive, "classifier"),
    "nearest-row": pair(on_ratings, "nearest-row"),
    "known-ratings": pair(on_ranges, "known-ratings"),
    "scoreboard": pair(on_ratings, "scoreboard"),
    "rated-pattern": pair(on_ratings, "rated-pattern"),
}
