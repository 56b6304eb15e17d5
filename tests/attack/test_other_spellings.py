"""Files that other programs made: attackers read their ranges, masks and marks as a stranger does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import tacit
from support.commands import tacit as command
from tacit import KAnonymity
from tacit.attack.other_spellings import in_our_words
from tacit.attack.result import Findings

AGES = [20 + i % 30 for i in range(60)]
ZIPS = [f"{13050 + i % 20}" for i in range(60)]
WAYS = {
    "ours": lambda low: f"[{low}:{low + 9}]",
    "dash": lambda low: f"{low}-{low + 9}",
    "en dash": lambda low: f"{low} – {low + 9}",
    "closed": lambda low: f"[{low}, {low + 9}]",
    "ARX": lambda low: f"[{low}, {low + 10}[",
    "half open": lambda low: f"[{low},{low + 10})",
    "open below": lambda low: f"({low - 1};{low + 9}]",
    "in words": lambda low: f"{low} to {low + 9}",
    "masked": lambda low: f"{low // 10}*",
    "the last one is open": lambda low: f"{low}+" if low == 40 else f"{low}-{low + 9}",
    "not above": lambda low: {20: "<30", 30: "30-39", 40: ">=40"}[low],
    "above": lambda low: {20: "<=29", 30: "30-39", 40: ">39"}[low],
}


def attacked(shown: list[str], original: list[Any] = AGES, **more: Any) -> Findings:
    return tacit.attack(
        pa.table({"known": original}), pa.table({"known": shown}), KAnonymity(k=2), quasi="known",
        rows=np.arange(len(original)), attackers=["known-values", "false-values"], **more,
    )  # fmt: skip


def successes(found: Findings) -> dict[str, float]:
    return {each["name"]: each["success"] for each in found["attacks"]}


@pytest.mark.parametrize("way", WAYS)
def test_a_range_is_read_however_it_is_written(way: str) -> None:
    found = attacked([WAYS[way](age // 10 * 10) for age in AGES])
    assert successes(found) == pytest.approx({"known-values": 1 / 20, "false-values": 0.0})
    assert not found["not_understood"]


def test_ends_that_are_no_part_are_a_step_away() -> None:
    original = [0.1 * i for i in range(20)]
    table = pa.table({"known": [f"{value:.1f}" for value in original]})
    shown = pa.table({"known": ["[0.0, 1.0[" if value < 0.95 else "[1.0, 2.0[" for value in original]})
    found = tacit.attack(table, shown, KAnonymity(k=2), quasi="known", rows=np.arange(20), attackers="known-values")
    assert found["attacks"][0]["success"] == pytest.approx(1 / 10)


def test_masked_codes_stand_for_all_that_begin_so() -> None:
    found = attacked([f"{code[:4]}*" for code in ZIPS], ZIPS, column_settings={"known": {"type": "category"}})
    assert successes(found) == pytest.approx({"known-values": 1 / 30, "false-values": 0.0})


@pytest.mark.parametrize("mark", ["NA", "(null)", "**", None])
def test_what_is_not_shown_may_be_anything(mark: str | None) -> None:
    found = attacked([mark if age < 40 else str(age) for age in AGES])
    assert successes(found)["false-values"] == 0 and not found["not_understood"]
    assert successes(found)["known-values"] == pytest.approx((40 / 40 + 20 / 42) / 60)


def test_a_mark_that_is_a_value_of_the_data_is_that_value() -> None:
    found = attacked(["NA", "NA", "x", "x"], ["NA", "NA", "x", "x"])
    assert successes(found)["known-values"] == pytest.approx(1 / 2)


def test_values_that_nobody_can_read_are_told(tmp_path: Path) -> None:
    names = ["oak", "elm", "rye", "oat"] * 5
    found = attacked(["tree" if name in ("oak", "elm") else name for name in names], names)
    assert found["not_understood"] == {"known": 1}
    assert "TOO LOW, by column 'known'" in str(found)


def test_false_numbers_are_no_other_spelling() -> None:
    found = attacked([str(age + 100) for age in AGES])
    assert successes(found)["false-values"] == 1.0 and not found["not_understood"]


def test_labels_of_ours_stay_as_they_are() -> None:
    from tacit.audits.views.columns import read_column
    from tacit.job import Column, Input, Job, Output

    column = Column("known", "quasi")
    job = Job(Input("x"), (column,), KAnonymity(k=2), Output(Path("out")))
    known = read_column(pa.table({"known": ["1", "2", "3"]}), job, column, {})
    shown = pa.table({"known": ["[1:2]", "*", "[≥2]"]})
    same, unread = in_our_words(shown, [known])
    assert same is shown and not unread


def test_another_delimiter_and_order_of_columns(tmp_path: Path) -> None:
    lines = [f"{age},{'fm'[i % 2]}" for i, age in enumerate(AGES)]
    (tmp_path / "data.csv").write_text("\n".join(["age,sex", *lines]) + "\n")
    job = '[input]\nsource = "data.csv"\n[columns.age]\nrole = "quasi"\n[columns.sex]\nrole = "quasi"\n'
    (tmp_path / "job.toml").write_text(f'{job}[privacy]\nmodel = "k"\nk = 2\n[output]\ndirectory = "out"\n')
    others = [f"{'fm'[i % 2]};{age // 10 * 10}-{age // 10 * 10 + 9}" for i, age in enumerate(AGES)]
    (tmp_path / "theirs.csv").write_text("\n".join(["sex;age", *others]) + "\n")
    rows = "".join(f"{i},{i}\n" for i in range(60))
    (tmp_path / "rows.csv").write_text(f"published,original\n{rows}")
    done = command(
        "attack", tmp_path / "job.toml", "--published", tmp_path / "theirs.csv", "--rows", tmp_path / "rows.csv",
        "--quick", "--quiet",
    )  # fmt: skip
    assert "known-values (2 columns: age, sex): 10.0%" in done.out
