"""What it takes to keep a promise: the lightest cover, and the least suppression, beside their slow twins."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import tacit
from support.commands import is_km_anonymous
from support.seeds import each_seed
from support.views import view_of
from tacit.audits import together
from tacit.audits.km import audit
from tacit.audits.views.baskets import BasketView
from tacit.baskets.delivery import DeliveryFailure, apply_release
from tacit.baskets.extension import names_to_suppress
from tacit.baskets.recoding import CutRecoding
from tacit.baskets.solvers.hitting import greedy_cover, least_cover


def slow_least_cover(sets: list[frozenset[int]], weight: dict[int, int]) -> int:
    """The weight of the lightest cover, by trying all."""
    elements = sorted(weight)
    subsets = (chosen for size in range(len(elements) + 1) for chosen in combinations(elements, size))
    return min(sum(weight[e] for e in chosen) for chosen in subsets if all(set(chosen) & each for each in sets))


@each_seed(range(60))
def test_the_lightest_cover(seed: int) -> None:
    rng = np.random.default_rng(seed)
    weight = {element: int(rng.integers(0, 9)) for element in range(7)}
    sets = [frozenset(rng.choice(7, rng.integers(1, 4), replace=False).tolist()) for _ in range(rng.integers(0, 9))]
    found, is_least = least_cover(sets, weight)
    assert is_least
    assert all(found & each for each in sets)
    assert sum(weight[e] for e in found) == slow_least_cover(sets, weight)
    assert all(greedy_cover(sets, weight) & each for each in sets)


def as_view(baskets: list[set[int]]) -> BasketView:
    indptr = np.cumsum([0, *map(len, baskets)]).astype(np.int64)
    items = np.array([item for basket in baskets for item in sorted(basket)], np.int32)
    size = int(items.max(initial=-1)) + 1
    return view_of(indptr, items, [f"n{i}" for i in range(size)])


@each_seed(range(80))
def test_the_least_suppression(seed: int) -> None:
    """Compared with all ways to leave items out of the new baskets, the old ones staying as they are."""
    rng = np.random.default_rng(seed)
    k, m = int(rng.integers(2, 4)), int(rng.integers(1, 4))
    chances = rng.random(6)
    old, new = ([set(np.flatnonzero(rng.random(6) < chances).tolist()) for _ in range(n)] for n in (seed % 2 * 8, 7))
    if not is_km_anonymous(old, k, m):
        old = []
    weight = {item: sum(item in basket for basket in new) for item in range(6)}

    def passes(suppressed: set[int]) -> bool:
        return is_km_anonymous([*old, *(basket - suppressed for basket in new)], k, m)

    every = (set(chosen) for size in range(7) for chosen in combinations(range(6), size))
    wanted = min(sum(weight[item] for item in suppressed) for suppressed in every if passes(suppressed))
    found = names_to_suppress(as_view(new), lambda view: audit(together((as_view(old), view)), tacit.KmAnonymity(k, m)))
    assert found is not None
    suppressed, is_least = found
    assert is_least
    assert passes(suppressed)
    assert sum(weight[item] for item in suppressed) == wanted


def test_what_is_broken_before_cannot_be_mended() -> None:
    """Baskets that are out already break the promise: nothing that is left out of the new ones helps."""
    old, promise = as_view([{0}]), tacit.KmAnonymity(2, 1)
    new = as_view([{1}, {1}])
    assert names_to_suppress(new, lambda view: audit(together((old, view)), promise)) is None


def test_ties_do_not_depend_on_the_order_in_which_baskets_were_published(tmp_path: Path) -> None:
    """{a, b} is in one basket, and a and b occur equally often: of names that cost the same the first by text goes."""
    frame = pa.table({"t": [["b", "a"], ["b", "a"], ["c"], ["c"]]})
    first = tacit.anonymize(frame, tacit.KmAnonymity(2, 2), items="t", method="suppression")
    first.save(tmp_path / "first", report=False)
    new = tmp_path / "new.parquet"
    parquet.write_table(pa.table({"t": [["b", "a"], ["b"], ["b"], ["a"], ["a"], ["c"], ["c"]]}), new)
    for number in range(4):  # each is shuffled anew
        with pytest.raises(DeliveryFailure) as failure:
            apply_release(tmp_path / "first", new, tmp_path / "none", report=False)
        assert failure.value.details["what_it_takes"]["suppress"]["names"] == {"t": ["a"]}
        made = apply_release(tmp_path / "first", new, tmp_path / str(number), extend=True, report=False)
        assert isinstance(made.recoding, CutRecoding)
        assert made.recoding.columns["t"].becomes == {"a": None, "b": "b", "c": "c"}
