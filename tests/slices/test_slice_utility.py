"""What a sliced table is good for: queries, classifiers, correlations, and who can be told to be in it."""

from __future__ import annotations

import numpy as np
import pytest

from support.keys import shuffle_of
from tacit.arrays.attributes import Attribute
from tacit.promises import SlicedDiversity
from tacit.sliced import SlicedTable
from tacit.slices.applied import apply_slices
from tacit.slices.data import PersonTable
from tacit.slices.measures import draw, measure_slices, query_error, unsliced
from tacit.slices.measures.classification import accuracies
from tacit.slices.measures.membership import membership
from tacit.slices.methods.bucketization import search as search_bucketization
from tacit.slices.methods.one_per_column import search as search_single
from tacit.slices.methods.slicing import search as search_slicing
from tacit.slices.publish import sliced_table


def table(n: int = 1200, seed: int = 0) -> PersonTable:
    """Ages, towns that depend on ages, jobs that depend on towns, illnesses that depend on jobs."""
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 60, n)
    town = np.where(rng.random(n) < 0.8, age // 12, rng.integers(0, 5, n))
    job = np.where(rng.random(n) < 0.8, town, rng.integers(0, 5, n))
    illness = (2 * job + rng.choice(4, n, p=[0.5, 0.2, 0.2, 0.1])) % 9
    ages = Attribute("age", age.astype(np.int32), tuple(str(v + 18) for v in range(60)), numbers=np.arange(18.0, 78))
    others = [
        Attribute(name, codes.astype(np.int32), tuple(f"{name}{v}" for v in range(9)))
        for name, codes in (("town", town), ("job", job), ("illness", illness))
    ]
    return PersonTable((ages, *others), (0, 1, 2), (3,))


def measures(search, data: PersonTable, **options: object) -> dict:  # type: ignore[no-untyped-def, type-arg]
    applied = apply_slices(data, search(data, SlicedDiversity(4), seed=1, **options))
    return measure_slices(data, applied, sliced_table(applied, shuffle_of(2)).original, 3)


def test_slicing_keeps_more_than_one_attribute_per_column() -> None:
    data = table()
    sliced = measures(search_slicing, data, columns=[["age", "town", "job"], ["illness"]])
    single = measures(search_single, data)
    bucketized = measures(search_bucketization, data, hidden=shuffle_of(1))
    assert sliced["correlation_kept"] > single["correlation_kept"]
    assert sliced["correlations_after"]["age × town"] == pytest.approx(sliced["correlations_before"]["age × town"])
    assert single["correlations_after"]["town × job"] < single["correlations_before"]["town × job"]
    # random buckets keep nothing between known and sensitive attributes, those of alike people keep some
    assert sliced["correlations_after"]["job × illness"] > bucketized["correlations_after"]["job × illness"]
    assert sliced["are"] < bucketized["are"]
    assert bucketized["fake_tuples"] == 0.0
    assert single["fake_tuples"] > 0.1
    accuracy = sliced["accuracy"]
    assert accuracy["tree_original_illness"] > accuracy["majority_illness"]
    assert accuracy["tree_release_illness"] <= accuracy["tree_original_illness"] + 0.05
    assert {key.split("_")[0] for key in accuracy} == {"tree", "naive", "majority"}


def test_untouched_table_has_no_error() -> None:
    data = table()
    same = unsliced(data, data.attributes)
    rng = np.random.default_rng(0)
    assert query_error(data, same.sliced, rng, 50) == 0.0
    found = accuracies(data, same, rng)["accuracy"]
    assert found["tree_release_illness"] == found["tree_original_illness"]


def test_generalized_table_is_measured_by_the_same_queries() -> None:
    data = table()
    ages = data.attributes[0]
    ranges = Attribute("age", ages.codes // 20, ("[18:37]", "[38:57]", "[58:77]"))
    general = unsliced(data, (ranges, *data.attributes[1:]))
    error = query_error(data, general.sliced, np.random.default_rng(0), 50)
    assert 0 < error < 0.5


def test_generalized_columns_are_drawn_as_published() -> None:
    data = table(400)
    recoding = search_slicing(
        data, SlicedDiversity(3), seed=1, generalize_k=20, columns=[["age", "town"], ["job"], ["illness"]]
    )
    applied = apply_slices(data, recoding)
    original = sliced_table(applied, shuffle_of(0)).original
    drawn = draw(applied, original, np.random.default_rng(0))
    assert any(text.startswith("[") for text in drawn.sliced.texts["age"])
    assert 0 < measure_slices(data, applied, original, 1)["ncp"] < 1


def test_membership_counts_buckets_and_fakes() -> None:
    # two buckets of two; (0, 0) and (1, 1) are in the first, (0, 1) and (2, 2) in the second
    codes = ((np.array([0, 1, 0, 2], np.int32),), (np.array([1, 0, 2, 1], np.int32),))
    texts = {"a": ("0", "1", "2"), "b": ("0", "1", "2")}
    table = SlicedTable((("a",), ("b",)), np.array([0, 0, 1, 1], np.int32), ("1", "2"), codes, texts)
    original = np.array([[0, 1, 2, 3], [1, 0, 3, 2]])
    found = membership(table, original, ["a", "b"], np.random.default_rng(0))
    # (0, 1) fits both buckets, the others one
    assert found["matching_buckets"]["people"] == pytest.approx(5 / 4)
    assert found["possible_tuples_log10"] == pytest.approx(np.log10(2))
    assert 0 <= found["fake_tuples"] <= 1
    assert membership(table, original, ["a"], np.random.default_rng(0))["fake_tuples"] == 0


def test_single_record_and_none() -> None:
    for n in (0, 1):
        data = table(n)
        applied = apply_slices(data, search_bucketization(data, SlicedDiversity(1.5), seed=0, hidden=shuffle_of(0)))
        original = sliced_table(applied, shuffle_of(0)).original
        assert measure_slices(data, applied, original, 0)["records"] == n
