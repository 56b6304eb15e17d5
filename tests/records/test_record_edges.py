"""Records with baskets at the edges: what an attacker can tell apart, δ as published, and what cannot be had."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest

import tacit
from support.seeds import in_parts
from tacit.promises import KAnonymity, KKmAnonymity


def test_what_everybody_can_tell_apart_is_two_labels() -> None:
    """`*` and an empty cell, even if missing values are suppressed; null and an empty text."""
    for values in (["*", ""], ["*", None], ["", None]):
        frame = pa.table({"q": values, "b": [["A"], ["A"]]})
        for settings in ({}, {"q": {"missing": "suppress"}}):
            checked = tacit.audit(frame, KKmAnonymity(2, 1), quasi=["q"], items="b", column_settings=settings)
            assert not checked.satisfied
            assert not tacit.audit(frame, KAnonymity(2), quasi=["q"], column_settings=settings).satisfied
    assert tacit.audit(pa.table({"q": [None, None]}), KAnonymity(2), quasi=["q"]).satisfied


def test_items_of_two_columns_are_never_one() -> None:
    frame = pa.table({"q": ["1", "1"], "a": [["b: x"], []], "a: b": [[], ["x"]]})
    assert not tacit.audit(frame, KKmAnonymity(2, 1), quasi=["q"], items=["a", "a: b"]).satisfied


def test_suppressed_values_are_one_group() -> None:
    """All missing and some missing are both published as `*`."""
    ages = [5, 5, None, 9, 1, None, 1, None]
    frame = pa.table({"age": ages, "b": [["A"]] * 8})
    settings = {"age": {"missing": "suppress"}}
    release = tacit.anonymize(
        frame, KKmAnonymity(2, 1), quasi=["age"], items="b", method="tum-bound", delta=1.0,
        relational="cluster-literal", column_settings=settings, seed=1,
    )  # fmt: skip
    sizes = Counter(release.data["age"].to_pylist())
    assert release.utility["groups"] == len(sizes) == release.audit.facts["groups"]
    assert release.utility["discernability"] == sum(size**2 for size in sizes.values())


@in_parts(range(40), 10)
@pytest.mark.parametrize(("rum", "delta"), [("discernability", 0.4), ("class-size", 3.0)])
def test_delta_holds_for_what_is_published(rum: str, delta: float, seeds: Sequence[int]) -> None:
    """Clusters that end with equal values count as one."""
    for seed in seeds:
        rng = np.random.default_rng([seed, 77])
        frame = pa.table({
            "age": rng.integers(1, 5, 12), "sex": rng.choice(["F", "M", "X"], 12), "b": [["A"]] * 12,
        })  # fmt: skip
        options = {"merge": str(rng.choice(["r", "t", "rt"])), "rum": rum, "delta": delta}
        release = tacit.anonymize(
            frame, KKmAnonymity(2, 1), quasi=["age", "sex"], items="b", method="rum-bound", seed=seed, **options
        )
        sizes = Counter(zip(release.data["age"].to_pylist(), release.data["sex"].to_pylist(), strict=True)).values()
        found = sum(size**2 for size in sizes) / 144 if rum == "discernability" else 12 / (len(sizes) * 2)
        assert found <= delta + 1e-9


def test_the_delta_that_is_named_can_be_met() -> None:
    """Of sensitive items, too: merging until they are diverse is part of it."""
    refused = 0
    for seed in range(30):
        rng = np.random.default_rng([seed, 78])
        baskets = [["A", "S"], ["B", "S"]] * 2 + [["A"]] * 2 + [["B"]] * 3 + [[]]
        frame = pa.table({"age": rng.integers(1, 60, 10), "b": [baskets[i] for i in rng.permutation(10)]})

        def make(delta: float, frame: pa.Table = frame, seed: int = seed) -> None:
            tacit.anonymize(
                frame, tacit.KLmDiversity(2, 2, 1), quasi=["age"], items="b", sensitive_items=["S"],
                method="rum-bound", delta=delta, seed=seed,
            )  # fmt: skip

        try:
            make(0.0)
        except tacit.PromiseError as error:
            named = re.search(r"delta (?:possible is|=) ([\d.]+\d)(?:,| and)", str(error))
            assert named, error
            assert f"seed = {seed}" in str(error)
            make(float(named[1]))
            refused += 1
    assert refused > 20


def test_a_cluster_that_generalizing_cannot_make_diverse_is_merged_or_refused() -> None:
    """Suppressing all items of the men would do, but the promise is to be kept with something worth publishing."""
    baskets = [["A", "S"], ["B", "S"], [], [], ["A"], ["B"], ["A", "B"], ["A"]]
    frame = pa.table({"sex": ["M"] * 4 + ["F"] * 4, "b": baskets})
    roles = {"quasi": ["sex"], "items": "b", "sensitive_items": ["S"], "seed": 1}
    promise = tacit.KLmDiversity(2, 2, 2)
    with pytest.raises(tacit.PromiseError, match="With delta = 1 "):
        tacit.anonymize(frame, promise, method="rum-bound", delta=0.0, **roles)
    for method, options in (("rum-bound", {"delta": 1.0}), ("tum-bound", {"delta": 1.0}), ("rfirst", {})):
        release = tacit.anonymize(frame, promise, method=method, **roles, **options)
        assert release.utility["groups"] == 1 and release.utility["suppressed_items"] < 1


def test_fewer_than_k_baskets() -> None:
    frame = pa.table({"q": ["1"] * 6, "b": [["A"], [], [], [], [], []]})
    with pytest.raises(tacit.PromiseError, match="only 1 of 6 baskets"):
        tacit.anonymize(frame, KKmAnonymity(2, 1), quasi=["q"], items="b")
