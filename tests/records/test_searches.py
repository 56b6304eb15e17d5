"""From a frame to a release: every method and option for records with baskets, through the whole flow."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import tacit
from support.keys import key_of
from tacit.errors import PromiseError
from tacit.methods import METHODS

K, M = 4, 2
OPTIONS = [
    ("rum-bound", {"merge": merge, "delta": 0.7, "baskets": baskets})
    for merge in ("r", "t", "rt")
    for baskets in ("coat", "pcta", "apriori")
]
OPTIONS += [("tum-bound", {"merge": merge, "delta": 0.9}) for merge in ("r", "t", "rt")]
OPTIONS += [
    ("rum-bound", {"order": "ul", "rum": "minkowski", "relational": "mondrian", "delta": 0.9}),
    ("rum-bound", {"rum": "discernability", "relational": "cluster-literal", "delta": 0.5}),
    ("rum-bound", {"rum": "class-size", "delta": 3}),
    ("rfirst", {}),
    ("tfirst", {"partition_size": 30}),
]


def people(n: int = 120, seed: int = 4) -> pa.Table:
    """Ages with gaps, three cities, diagnoses and purchases; some have neither, HIV and DEP are sensitive."""
    rng = np.random.default_rng(seed)
    diagnoses = [f"d{i}" for i in range(8)] + ["HIV", "DEP"]
    chance = np.array([0.4, 0.3, 0.3, 0.2, 0.2, 0.1, 0.1, 0.05, 0.06, 0.1])
    return pa.table(
        {
            "age": [None if rng.random() < 0.05 else int(rng.integers(18, 90)) for _ in range(n)],
            "city": rng.choice(["Lyon", "Oslo", "Rome"], n).tolist(),
            "diagnoses": [[d for d, p in zip(diagnoses, chance, strict=True) if rng.random() < p] for _ in range(n)],
            "bought": [[f"b{i}" for i in range(4) if rng.random() < 0.3] for _ in range(n)],
        }
    )


def groups_of(table: pa.Table, quasi: list[str], items: list[str]) -> dict[tuple[object, ...], list[set[str]]]:
    """Published baskets by published values, counted from the table alone."""
    groups: dict[tuple[object, ...], list[set[str]]] = {}
    for row in table.to_pylist():
        held = {f"{column}:{item}" for column in items for item in row[column]}
        groups.setdefault(tuple(row[column] for column in quasi), []).append(held)
    return groups


def violations(table: pa.Table, items: list[str], sensitive: set[str], l: float | None) -> int:  # noqa: E741
    """Sets of up to M public items that fewer than K of their group hold, or that say too much."""
    found = 0
    for baskets in groups_of(table, ["age", "city"], items).values():
        held: Counter[tuple[str, ...]] = Counter()
        beside: Counter[tuple[tuple[str, ...], str]] = Counter()
        for basket in baskets:
            for size in range(M + 1):
                for itemset in combinations(sorted(basket - sensitive), size):
                    held[itemset] += 1
                    beside.update((itemset, s) for s in basket & sensitive)
        found += sum(count < K for count in held.values())
        found += sum(l is not None and count * l > held[itemset] for (itemset, _), count in beside.items())
    return found


@pytest.mark.parametrize(("method", "options"), OPTIONS)
def test_every_method_keeps_k_km(method: str, options: dict[str, object]) -> None:
    table = people()
    release = tacit.anonymize(
        table, tacit.KKmAnonymity(K, M), quasi=["age", "city"], items="diagnoses", sensitive_items=["HIV", "DEP"],
        method=method, seed=3, **options,
    )  # fmt: skip
    sensitive = {"diagnoses:HIV", "diagnoses:DEP"}
    assert violations(release.data, ["diagnoses"], sensitive, None) == 0
    assert release.audit.satisfied
    assert release.data.num_rows == table.num_rows
    before = Counter(d for row in table["diagnoses"].to_pylist() for d in row if d in ("HIV", "DEP"))
    after = Counter(d for row in release.data["diagnoses"].to_pylist() for d in row if d in ("HIV", "DEP"))
    assert before == after, "sensitive items are published as they are"
    assert {"ncp", "ncp_items", "ul", "ul_original", "are", "are_values", "are_items"} <= set(release.utility)


@pytest.mark.parametrize("baskets", ["coat", "apriori"])
def test_k_lm_with_several_columns_of_items(baskets: str) -> None:
    release = tacit.anonymize(
        people(), tacit.KLmDiversity(K, 2.5, M), quasi=["age", "city"], items=["diagnoses", "bought"],
        sensitive_items=["HIV", "DEP"], delta=0.8, baskets=baskets, seed=3,
    )  # fmt: skip
    sensitive = {"diagnoses:HIV", "diagnoses:DEP"}
    assert violations(release.data, ["diagnoses", "bought"], sensitive, 2.5) == 0
    assert release.audit.satisfied
    assert all(not item.startswith("d") for row in release.data["bought"].to_pylist() for item in row)


@pytest.mark.compiled
def test_the_same_seed_and_key_give_the_same_release() -> None:
    told = {"quasi": ["age", "city"], "items": "diagnoses", "seed": 9, "key": key_of(9)}
    one, other = (tacit.anonymize(people(), tacit.KKmAnonymity(K, M), **told) for _ in range(2))
    assert one.recoding == other.recoding
    assert one.data.equals(other.data)


def test_delta_that_cannot_be_met_publishes_nothing(tmp_path: Path) -> None:
    with pytest.raises(PromiseError, match="smallest delta possible"):
        tacit.anonymize(
            people(), tacit.KKmAnonymity(K, M), quasi=["age", "city"], items="diagnoses", delta=0.001, seed=1
        )


def test_an_empty_frame() -> None:
    release = tacit.anonymize(
        people(0), tacit.KKmAnonymity(K, M), quasi=["age", "city"], items="diagnoses", seed=1, method="rum-bound"
    )
    assert release.data.num_rows == 0


def test_the_methods_are_in_the_table() -> None:
    for name in ("rum-bound", "tum-bound", "rfirst", "tfirst"):
        assert METHODS[name].models == ("k-km", "k-lm")
