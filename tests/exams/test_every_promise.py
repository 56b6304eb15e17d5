"""Every method on hundreds of small tables, through the Python functions: each release is judged by the definitions,
written out, and each record is compared with its original. None of tacit's own audits is used here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest

import tacit
from exams.cases import PAIRS
from exams.coarse import drawn_promise
from support.definitions import definition_holds
from support.seeds import in_parts
from tacit import PromiseError, Release, Taxonomy
from tacit.promises import MODELS

Basket = frozenset[str]


def random_table(rng: np.random.Generator) -> tuple[pa.Table, dict[str, Taxonomy], list[str]]:
    """One or two columns of baskets, sometimes without a hierarchy, with some sensitive items."""
    rows = int(rng.integers(4, 30))
    columns, trees = {}, {}
    for column in ("x", "y")[: 1 + int(rng.random() < 0.3)]:
        n = int(rng.integers(2, 9))
        items = [f"{column}{i}" for i in range(n)]
        chance = rng.random(n) * rng.random() + 0.05
        baskets = [[item for item, p in zip(items, chance, strict=True) if rng.random() < p] for _ in range(rows)]
        columns[column] = baskets
        if rng.random() < 0.8:
            paths = [[item, f"{column}-{i // 2}", f"{column}-{'ab'[i // 4]}", "*"] for i, item in enumerate(items)]
            cut = [path if rng.random() < 0.8 else [path[0], path[-1]] for path in paths]
            trees[column] = Taxonomy.from_paths(cut)
    sensitive = [f"s{i}" for i in range(int(rng.integers(1, 3)))]
    for s in sensitive:
        for row in rng.choice(rows, int(rng.integers(1, 1 + rows // 3)), replace=False).tolist():
            columns["x"][row].append(s)
    lists = pa.list_(pa.string())
    return pa.table({name: pa.array(baskets, lists) for name, baskets in columns.items()}), trees, sensitive


def baskets_of(table: pa.Table, sensitive: list[str]) -> list[tuple[Basket, Basket]]:
    """For each row the public items, with their column, and the sensitive ones."""
    columns = [name for name in table.column_names if name != "group"]
    rows = []
    for row in table.select(columns).to_pylist():
        held = {(name, item) for name in columns for item in row[name]}
        known = frozenset(f"{name}:{item}" for name, item in held if item not in sensitive)
        rows.append((known, frozenset(item for _, item in held if item in sensitive)))
    return rows


def leaves_of(name: str, trees: dict[str, Taxonomy], table: pa.Table) -> set[str]:
    """What a published name stands for, from the hierarchy, or from the name if it is a set."""
    column, _, label = name.partition(":")
    if label.startswith("("):
        return {f"{column}:{item}" for item in label[1:-1].split(",")}
    if column in trees:
        return {f"{column}:{path[0]}" for path in trees[column].to_paths() if label in path}
    everything = {f"{column}:{item}" for basket in table[column].to_pylist() for item in basket}
    return everything if label == "*" else {name}


def check_truth(made: Release, table: pa.Table, trees: dict[str, Taxonomy], sensitive: list[str]) -> None:
    before, after = baskets_of(table, sensitive), baskets_of(made.data, sensitive)
    suppressed_somewhere: set[str] = set()
    shown_somewhere: set[str] = set()
    for (known, wanted), was in zip(after, (before[i] for i in made.original.tolist()), strict=True):
        covers = {name: leaves_of(name, trees, table) & was[0] for name in known}
        assert all(covers.values()), "a published name says something true"
        counts = Counter(item for held in covers.values() for item in held)
        assert set(counts.values()) <= {1}, "an item is published once"
        missing = was[0] - set(counts)
        if made.recoding.kind == "local":
            assert not missing or not known, "an item is left out only where all are"
        suppressed_somewhere |= missing
        shown_somewhere |= set(counts)
        if made.recoding.kind != "groups":
            assert wanted == was[1], "sensitive items are published as they are"
        else:
            assert known == was[0], "other items are where they were"
    if made.recoding.kind == "cut":
        assert not suppressed_somewhere & shown_somewhere, "an item is left out everywhere or nowhere"
    if made.recoding.kind == "groups":
        then, now = Counter[tuple[int, str]](), Counter[tuple[int, str]]()
        groups = made.data["group"].to_pylist()
        for group, (_, wanted), was in zip(groups, after, (before[i] for i in made.original.tolist()), strict=True):
            now.update((group, s) for s in wanted)
            then.update((group, s) for s in was[1])
        assert now == then, "sensitive items stay in their group"


@in_parts(range(60), 15)
@pytest.mark.parametrize(("method", "model"), [pair for pair in PAIRS if MODELS[pair[1]].kind_of_data == "baskets"])
def test_every_release_keeps_its_promise_and_is_true(method: str, model: str, seeds: Sequence[int]) -> None:
    made_some = 0
    for seed in seeds:
        rng = np.random.default_rng([seed, len(method)])
        table, trees, sensitive = random_table(rng)
        promise = drawn_promise(model, rng)
        options = {"partition_size": int(rng.integers(3, 12))} if method == "lra" else {}
        try:
            made = tacit.anonymize(
                table, promise, items=table.column_names, sensitive_items=sensitive, hierarchy=trees,
                method=method, seed=seed, **options,
            )  # fmt: skip
        except PromiseError as error:
            assert len(str(error)) > 40
            continue
        made_some += 1
        roles = {"items": table.column_names, "sensitive_items": sensitive}
        assert definition_holds(made.data, promise, roles), (seed, promise)
        check_truth(made, table, trees, sensitive)
    assert made_some > len(seeds) / 4
