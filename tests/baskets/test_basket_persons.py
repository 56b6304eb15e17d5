"""Baskets of a person are united: one published record each, however many rows the person has."""

from __future__ import annotations

import csv
from pathlib import Path

import pyarrow as pa
import pytest

import tacit
from support.commands import tacit as command
from tacit.errors import InputError

VISITS = """\
customer,town,basket
c1,A,beer
c2,A,beer milk
c1,A,milk
c3,B,beer
c3,B,milk beer
c3,B,
c4,B,milk
"""
JOB = """\
[input]
source = "visits.csv"
[columns.customer]
role = "person"
[columns.basket]
role = "items"
[privacy]
model = "km"
k = 2
m = 2
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "visits.csv").write_text(VISITS)
    (tmp_path / "job.toml").write_text(JOB)
    return tmp_path


def anonymize(shop: Path, *more: str) -> tuple[int, str]:
    outcome = command("anonymize", shop / "job.toml", "-o", shop / "out", *more)
    return outcome.code, outcome.out + outcome.err


def rows_of(file: Path) -> list[dict[str, str]]:
    with file.open(newline="", encoding="utf-8") as opened:
        return list(csv.DictReader(opened))


def test_one_basket_a_person_with_all_that_its_rows_hold(shop: Path) -> None:
    code, told = anonymize(shop)
    assert code == 0
    assert "7 rows became 4 baskets" in told
    published = rows_of(shop / "out" / "public" / "data.csv")
    assert sorted(row["basket"] for row in published) == ["beer milk", "beer milk", "beer milk", "milk"]
    assert [list(row) for row in published] == [["basket"]] * 4
    assert command("audit", shop / "job.toml", shop / "out" / "public" / "data.csv", "--original").code == 0
    assert "be it in several rows" in (shop / "out" / "public" / "README.md").read_text()


def test_the_owner_finds_every_row_again(shop: Path) -> None:
    anonymize(shop, "--no-report")
    original, published = rows_of(shop / "visits.csv"), rows_of(shop / "out" / "public" / "data.csv")
    pairs = [(int(row["published"]), int(row["original"])) for row in rows_of(shop / "out" / "private" / "rows.csv")]
    assert sorted(row for _, row in pairs) == list(range(7))
    customers = {place: {original[row]["customer"] for at, row in pairs if at == place} for place in range(4)}
    assert sorted(map(sorted, customers.values())) == [["c1"], ["c2"], ["c3"], ["c4"]]
    for place, row in pairs:
        assert set(original[row]["basket"].split()) <= set(published[place]["basket"].split())


def test_a_plain_column_has_one_value_a_person(shop: Path) -> None:
    plain = '[columns.town]\nrole = "plain"\n[privacy]'
    (shop / "job.toml").write_text(JOB.replace("[privacy]", plain))
    assert anonymize(shop, "--no-report")[0] == 0
    assert sorted(row["town"] for row in rows_of(shop / "out" / "public" / "data.csv")) == ["A", "A", "B", "B"]
    (shop / "visits.csv").write_text(VISITS.replace("c1,A,milk", "c1,B,milk"))
    code, told = anonymize(shop, "--force")
    assert code == 2
    assert "line 4" in told
    assert "c1" not in told


def test_a_household_in_a_long_layout_is_refused() -> None:
    frame = pa.table({"who": ["a"], "home": ["h"], "item": ["x"]})
    roles = {"items": "item", "person": "who", "household": "home"}
    with pytest.raises(InputError, match="long layout"):
        tacit.anonymize(frame, tacit.KmAnonymity(1, 1), **roles, layout="long")


def test_an_identifier_that_repeats_is_warned_of_everywhere(shop: Path) -> None:
    (shop / "job.toml").write_text(JOB.replace('"person"', '"identifier"'))
    code, told = anonymize(shop)
    assert code == 0
    assert "'customer' repeat" in told
    assert "'customer' repeat" in (shop / "out" / "private" / "report.html").read_text().replace("&#39;", "'").replace(
        "&#x27;", "'"
    )
    assert "Records are counted, not people" in (shop / "out" / "public" / "README.md").read_text()
    (shop / "visits.csv").write_text("customer,town,basket\nc1,A,beer\nc2,A,beer\n")
    code, told = anonymize(shop, "--force", "--no-report")
    assert "'customer' repeat" not in told
    assert "Records are counted" not in (shop / "out" / "public" / "README.md").read_text()


def test_lists_and_a_person_are_wide_and_single_items_are_long() -> None:
    promise = tacit.KmAnonymity(1, 1)
    wide = pa.table({"who": ["a", "b", "a"], "item": [["x"], ["x"], ["y"]]})
    long = pa.table({"who": ["a", "b", "a"], "item": ["x", "x", "y"]})
    assert tacit.anonymize(wide, promise, items="item", person="who").data.column_names == ["item"]
    assert tacit.anonymize(long, promise, items="item", person="who").data.column_names == ["who", "item"]
    as_text = tacit.anonymize(long, promise, items="item", person="who", layout="wide").data
    assert sorted(as_text["item"].to_pylist()) == ["x", "x y"]
