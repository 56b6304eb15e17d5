"""Generalized columns of slices: ranges on a grid, and everybody is in one region only."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

import tacit
from support.seeds import each_seed
from tacit.errors import InputError
from tacit.values.reading import range_ends

KNOWN = ("age", "pay")


def people(seed: int) -> pa.Table:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(30, 90))
    return pa.table(
        {
            "age": [str(age) for age in rng.integers(18, 90, n)],
            "pay": [f"{pay / 4:.2f}" for pay in rng.integers(0, 300, n)],
            "ill": rng.choice(list("abcdef"), n).tolist(),
        }
    )


def holds(label: str, value: str) -> bool:
    if label == "*":
        return True
    low, high = range_ends(label) or (label, label)
    return (not low or Decimal(low) <= Decimal(value)) and (not high or Decimal(value) <= Decimal(high))


@each_seed(range(12), fast=4)
def test_everybody_is_in_one_region(seed: int) -> None:
    """The attacker of the promise knows in which one: else what is found for a region would not hold for a person."""
    table = people(seed)
    for widths in ({}, {"age": {"round": 5}, "pay": {"round": 7.5}}, {"age": {"top": 70, "bottom": 25}}):
        release = tacit.anonymize(
            table, tacit.SlicedDiversity(l=2), quasi=KNOWN, sensitive="ill", generalize_k=3,
            columns=[["age", "pay"], ["ill"]], column_settings=widths, seed=seed,
        )  # fmt: skip
        (region,) = release.recoding.regions
        for record in table.select(KNOWN).to_pylist():
            fits = [v for v in set(region.values) if all(map(holds, v, record.values()))]
            assert len(fits) == 1, (record, fits)
        assert release.audit.satisfied


def test_widths_are_for_columns_that_are_generalized() -> None:
    with pytest.raises(InputError, match="slicing changes no value"):
        tacit.anonymize(
            people(1), tacit.SlicedDiversity(l=2), quasi=KNOWN, sensitive="ill", column_settings={"age": {"round": 5}}
        )
