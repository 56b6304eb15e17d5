"""Codes that look like numbers or speak of money."""

from __future__ import annotations

import pyarrow as pa

from tacit.init.columns import look_at, type_of


def test_codes_with_leading_zeros_are_no_numbers() -> None:
    looked = look_at(pa.table({"nace": ["01.11", "47.19", "86.10"] * 10, "fte": ["0.5", "0.75", "1.0"] * 10}))
    assert [type_of(looked, name) for name in ("nace", "fte")] == ["category", "number"]


def test_cost_centres_are_work_and_no_money() -> None:
    codes = ["CC10", "CC20", "CC30"] * 10
    found = look_at(pa.table({"cost_centre": codes, "job_income": ["900", "1200", "80"] * 10}))
    assert [each.role for each in found.findings.values()] == ["quasi", "sensitive"]
