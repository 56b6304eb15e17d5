"""The leaks that were found in releases once: each has an attacker who finds it again; and other tools' figures."""

from __future__ import annotations

import csv
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import tacit
from attack.cases import people, played
from attack.test_risk import DATA, needs_data
from tacit import KAnonymity, KEpsAnonymity, KLmDiversity, LDiversity
from tacit.attack.distances import one_to_one

QUASI = ["age", "income", "sex"]


def test_a_search_and_a_shuffle_of_one_stream() -> None:
    """The first row of a group was the one that the search began with."""
    rng = np.random.default_rng(1)
    income = np.sort(rng.choice(10_000, 60, replace=False))
    shown = [f"[{income[i // 3 * 3]}:{income[i // 3 * 3 + 2]}]" for i in range(60)]
    far = np.abs(income - income.mean())
    leak = np.concatenate([np.arange(i, i + 3)[np.argsort(-far[i : i + 3])] for i in range(0, 60, 3)])
    table = pa.table({"income": income})
    for order, low, high in ((leak, 0.95, 1.0), (np.random.default_rng(2).permutation(60), 0.0, 0.7)):
        published = pa.table({"income": [shown[i] for i in order]})
        found = played("file-order", table, published, KAnonymity(k=3), quasi="income", rows=order)
        (first,) = [each for each in found if "first row" in each["knows"]]
        assert low <= first["success"] <= high and first["baseline"] == pytest.approx(1 / 3)


def test_a_seed_that_the_owner_chose() -> None:
    table = people(150)
    order = np.random.default_rng(7).permutation(150)
    found = played(
        "file-order", table, table.take(pa.array(order)), KAnonymity(k=2), quasi=QUASI, sensitive="ill", rows=order
    )
    (by_seed,) = [each for each in found if "seed" in each["knows"]]
    assert (by_seed["success"], by_seed["facts"]["seed"]) == (1.0, 7)


ILL = {"acabbb": 1 / 6, "abbccc": 1 / 6, "aabbbb": 1 / 3}
"""What six people of 1, 2, 3, 10, 11 and 12 years have, and what mondrian's choice of groups tells beyond its file.

Of the first two tables it publishes [1:2] and [3:12]: in the larger group the one who differs is 3 years old, for else
[1:3] and [10:12] had been possible, so that all four are known, against 3 of 4 by the file. Of the smaller one both
ways give the same groups, and it stays at 1 of 2: 5/6 instead of 4/6. Of the last table all six are known.
"""


@pytest.mark.parametrize(
    ("method", "tables"),
    [
        ("mondrian", [*ILL][2:]),
        pytest.param("mondrian", [*ILL][:2], marks=pytest.mark.slow),
        pytest.param("guarded", [*ILL], marks=pytest.mark.slow),
    ],
)
def test_diversity_by_minimality(method: str, tables: list[str]) -> None:
    """k = ℓ = 2: what mondrian chooses tells more than its file, what guarded chooses hardly."""
    gain = {}
    for ill in tables:
        table = pa.table({"age": [1, 2, 3, 10, 11, 12], "ill": list(ill)})
        roles = {"quasi": "age", "sensitive": "ill", "column_settings": {"age": {"round": "exact"}}}
        promise = LDiversity(k=2, l=2, kind="distinct")
        try:
            made = tacit.anonymize(table, promise, method=method, seed=0, key="0" * 64, **roles)
        except tacit.PromiseError:
            continue
        for each in played("minimality", table, made.data, promise, rows=made.original, method=method, **roles):
            gain |= {} if each["success"] is None else {ill: each["success"] - each["baseline"]}
    assert gain
    if method == "mondrian":
        assert gain == pytest.approx({ill: ILL[ill] for ill in tables})
    else:
        assert np.mean([*gain.values()]) < 0.15


def test_ratings_that_are_close() -> None:
    """(k, ε) with ε > 0: the closest row is mostly the person's, and with ε = 0 it is not."""
    rng = np.random.default_rng(4)
    tastes = rng.integers(1, 6, (8, 12))
    answers = np.clip(tastes[rng.integers(0, 8, 80)] + rng.integers(-1, 2, (80, 12)), 1, 5)
    table = pa.table({f"q{i}": answers[:, i] for i in range(12)})
    roles = {"rating": table.column_names, "scale": (1, 5), "step": 1}
    success = {}
    for eps in (0, 1):
        made = tacit.anonymize(table, KEpsAnonymity(k=4, eps=eps), seed=3, **roles)
        found = played("nearest-row", table, made.data, KEpsAnonymity(k=4, eps=eps), rows=made.original, **roles)
        success[eps] = {each["knows"]: (each["success"], each["bound"]) for each in found}
    assert success[1]["all ratings, each roughly"][0] > 0.5 > success[0]["all ratings, each roughly"][0]
    assert success[0]["all ratings, exactly"][0] <= success[0]["all ratings, exactly"][1] == 0.25
    assert success[1]["all ratings, exactly"][1] is None, "nothing is promised against that"


@needs_data
@pytest.mark.parametrize(("name", "expected"), [("linkage_1", 1.0), ("linkage_2", 0.0)])
def test_herranz_two_examples(name: str, expected: float) -> None:
    with (DATA / "reference" / f"{name}.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    x, y = ([[float(row[key]) for key in row if key.startswith(axis)] for row in rows] for axis in "xy")
    far = np.linalg.norm(np.array(x)[:, None] - np.array(y)[None, :], axis=2)
    assert (one_to_one(far) == np.arange(len(rows))).mean() == expected


def test_diverse_records_are_bounded_by_k_for_who_knows_items_too() -> None:
    """(k, ℓ^m)-diversity promises k records to who knows values and up to m items; beyond m it promises nothing."""
    promise = KLmDiversity(k=5, l=3, m=2)
    assert promise.finds(quasi=True) == promise.finds(quasi=True, items=2) == Fraction(1, 5)
    assert promise.finds(quasi=True, items=3) is None and promise.finds(quasi=True, items=1, absent=True) is None
