"""Files in the way of other tools keep what those tools promise."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from studies.attacked_files import DATA_SETS
from studies.attacks import chosen, draw, page
from studies.others import full_domain, levels_of, local_suppression, lost


@pytest.fixture
def table() -> pa.Table:
    rng = np.random.default_rng(3)
    return pa.table({"age": rng.integers(20, 40, 200).astype(str), "sex": rng.choice(["f", "m"], 200)})


def test_one_level_for_all(table: pa.Table, tmp_path: Path) -> None:
    ages = sorted(set(table["age"].to_pylist()))
    (tmp_path / "age.csv").write_text("".join(f"{age},{age[0]}x,any\n" for age in ages))
    levels = {"age": levels_of(tmp_path / "age.csv", ages), "sex": levels_of(None, ["f", "m"])}
    for suppressed in (0.0, 0.1):
        made, rows = full_domain(table, levels, 5, suppressed)
        classes = Counter(zip(*(made[name].to_pylist() for name in made.column_names), strict=True))
        assert min(classes.values()) >= 5 and len(classes) > 1
        assert classes[("*", "*")] <= max(suppressed * 200, 5)
        was = table.take(pa.array(rows))
        told = zip(made["sex"].to_pylist(), was["sex"].to_pylist(), strict=True)
        assert all(shown in ("*", true) for shown, true in told)


def test_single_values_are_taken_out(table: pa.Table) -> None:
    made, rows = local_suppression(table, ["age", "sex"], 5)
    was = table.take(pa.array(rows))
    for name in ("age", "sex"):
        told = zip(made[name].to_pylist(), was[name].to_pylist(), strict=True)
        assert all(shown in ("*", true) for shown, true in told)
    whole = Counter(zip(made["age"].to_pylist(), made["sex"].to_pylist(), strict=True))
    assert all(count >= 5 for (age, _), count in whole.items() if age != "*")


def test_loss_of_such_files_is_the_share_of_leaves(tmp_path: Path) -> None:
    (tmp_path / "age.csv").write_text("".join(f"{age},{age[0]}x,any\n" for age in ("21", "22", "31", "32")))
    shown = pa.table({"age": ["2x", "21", "*", "any"], "sex": ["f", "*", "f", "m"]})
    assert lost(shown, {"age": tmp_path / "age.csv", "sex": None}) == pytest.approx((0.5 + 0 + 1 + 1 + 1) / 8)


def point(parameter: float, risk: float, loss: float) -> dict[str, Any]:
    attack = {"name": "known-values", "success": 0.25, "baseline": 0.1, "before": 1.0, "control": None}
    return {
        "data": next(iter(DATA_SETS)), "parameter": parameter, "maker": "us", "loss": loss,
        "risk": {"attack": risk, "attack_upper": risk + 0.01, "average": risk, "highest": 1.0},
        "above_bound": ["known-values"], "attacks": [attack], "not_played": {"composition": "nothing was given"},
    }  # fmt: skip


def test_the_page_has_a_table_and_a_picture_a_data_set() -> None:
    points = [point(5, 0.2, 0.1), point(10, 0.07, 0.3), point(25, 0.02, 0.4)]
    data = points[0]["data"]
    text = page(points)
    assert text.count("## ") == 1 and f"## {data}" in text
    assert "| `known-values` | 25.0% (10.0%; 100.0%; –) **above** |" in text
    assert "- `composition` was not played (us): nothing was given." in text
    assert chosen(data, points) is points[1] and "us, k = 10 (risk 7.0%" in text
    assert "k = 25" in draw(data, points)
