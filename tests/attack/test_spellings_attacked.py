"""Spellings of one sensitive value hide nothing from an attacker, who counts them as one, as the promise does."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from attack.cases import played
from tacit import KAnonymity, KmAnonymity

SPELT = ["HIV", "hiv ", "Hiv", "flu"]


def learnt(found: Any) -> float:
    """How often the attacker learns it who knows most."""
    return max(each["success"] for each in found if each["success"] is not None)


@pytest.mark.parametrize(("fold", "expected"), [(True, 0.75), (False, 0.25)])
def test_of_an_item(fold: bool, expected: float) -> None:
    """Four people with the same bread: three have HIV, whatever their file calls it."""
    table = pa.table({"basket": [["bread", each] for each in SPELT] * 5})
    said = {
        "items": "basket", "sensitive_items": SPELT, "column_settings": {"basket": {"fold": fold}}, "rows": range(20)
    }  # fmt: skip
    assert learnt(played("posterior", table, table, KmAnonymity(k=2, m=1), **said)) == pytest.approx(expected)


@pytest.mark.parametrize(("fold", "expected"), [(True, 0.75), (False, 0.25)])
def test_of_a_value(fold: bool, expected: float) -> None:
    table = pa.table({"age": [30] * 20, "ill": SPELT * 5})
    said = {"quasi": "age", "sensitive": "ill", "column_settings": {"ill": {"fold": fold}}, "rows": range(20)}
    assert learnt(played("posterior", table, table, KAnonymity(k=2), **said)) == pytest.approx(expected)


def test_of_a_number() -> None:
    """Published in one spelling, it is still the person's."""
    table = pa.table({"age": [30] * 20, "value": ["1.50", "1.5", "1.5", "2"] * 5})
    shown = table.set_column(1, "value", pa.array(["1.5", "1.5", "1.5", "2"] * 5))
    said = {"quasi": "age", "sensitive": "value", "rows": range(20)}
    assert learnt(played("posterior", table, shown, KAnonymity(k=2), **said)) == pytest.approx(0.75)


def test_a_value_that_is_missing_is_learnt_by_any_marker() -> None:
    table = pa.table({"age": [30] * 20, "ill": ["", None, "", "flu"] * 5})
    said = {"quasi": "age", "sensitive": "ill", "rows": range(20)}
    assert learnt(played("posterior", table, table, KAnonymity(k=2), **said)) == pytest.approx(0.75)
