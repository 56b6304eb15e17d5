"""Ends of published ranges: multiples of a public width, open among few people, and nothing of anybody's value."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import tacit
from naive import ranges as naive
from support.seeds import each_seed
from tacit.arrays.attributes import Attribute, losses, spans, texts_of
from tacit.arrays.grid import coarsest_width, width_in_job
from tacit.arrays.reading import read_attribute, with_grid
from tacit.audits.truth.ends import wrong_ends
from tacit.audits.values import ends_of, number_of
from tacit.audits.views.cells import Cells
from tacit.audits.views.columns import KnownColumn
from tacit.errors import AuditFailure, InputError
from tacit.flow import anonymize_job
from tacit.job import Column, read_job
from tacit.records.publish import publish_records


def ranged(values: list[str], k: int = 1, **keys: Any) -> Attribute:
    column = Column("x", "quasi", **keys)
    return with_grid(read_attribute(pa.array(values), column), column, k)


def shown(attribute: Attribute, group: list[int]) -> list[str]:
    found = spans(attribute, np.array(group, np.int32), max(group) + 1)
    texts = texts_of(attribute, found)
    return [texts[value] for value in found.value.tolist()]


class TestWidths:
    @pytest.mark.parametrize(
        ("values", "width"),
        [
            (["1", "2", "7"], "1"),
            (["1000", "3500", "20000"], "5E+2"),
            (["0.05", "0.15"], "0.05"),
            (["0.5", "1.50", "2"], "0.5"),
            (["0", "0", "0", "7"], "1"),
            (["0"], "1"),
            (["-40", "60"], "2E+1"),
            (["20"] * 9 + ["7"], "2E+1"),
            (["20"] * 8 + ["7"], "1"),
        ],
    )
    def test_the_coarsest_that_nine_of_ten_have(self, values: list[str], width: str) -> None:
        assert coarsest_width(list(map(Decimal, values)), [1] * len(values)) == Decimal(width)

    def test_people_count_and_not_different_values(self) -> None:
        assert coarsest_width([Decimal(10), Decimal(3), Decimal(7)], [90, 5, 5]) == 10
        assert coarsest_width([Decimal(10), Decimal(3), Decimal(7)], [89, 5, 6]) == 1

    def test_as_defined(self) -> None:
        rng = np.random.default_rng(5)
        for _ in range(200):
            unit = Decimal(int(rng.integers(1, 60))).scaleb(int(rng.integers(-3, 4)))
            values = [unit * int(x) for x in rng.integers(-9, 60, 25)] + [Decimal(1)] * int(rng.integers(0, 4))
            assert Fraction(coarsest_width(values, [1] * len(values))) == naive.coarsest(list(map(Fraction, values)))

    def test_in_the_job_as_run(self) -> None:
        for values, round in ((["1000", "3000"], 1000), (["0.05", "0.15"], 0.05)):
            grid = ranged(values).grid
            assert grid is not None and width_in_job(grid) == round and type(width_in_job(grid)) is type(round)


class TestRanges:
    def test_ends_are_moved_outward_and_belong_to_the_range(self) -> None:
        assert shown(ranged(["19", "22", "25", "30"], round=5), [0, 0, 1, 1]) == ["[15:25]", "[25:30]"]
        assert shown(ranged(["-3", "4"], round=5), [0, 0]) == ["[-5:5]"]

    def test_decimals_are_exact(self) -> None:
        assert shown(ranged(["0.1", "0.28", "0.31"], round=0.1), [0, 0, 1]) == ["[0.1:0.3]", "0.31"]
        assert shown(ranged(["19.0", "22.0"]), [0, 0]) == ["[19.0:22.0]"], "as many decimals as every value has"
        assert shown(ranged(["1e20", "3e20"]), [0, 0]) == ["[100000000000000000000:300000000000000000000]"]

    def test_weeks_begin_on_mondays(self) -> None:
        assert shown(ranged(["2024-03-05", "2024-03-20"], round=7), [0, 0]) == ["[2024-03-04:2024-03-25]"]
        with pytest.raises(InputError, match="whole number of days"):
            ranged(["2024-03-05"], round=0.5)

    def test_where_the_calendar_ends(self) -> None:
        assert shown(ranged(["2024-03-05", "9999-12-30"], round=7), [0, 0]) == ["[≥2024-03-04]"]
        assert shown(ranged(["0001-01-02", "2024-03-05"], round=100), [0, 0]) == ["[≤2024-03-22]"]

    def test_a_value_that_all_share_stays(self) -> None:
        assert shown(ranged(["19.50", "19.50", "23"], round=5), [0, 0, 1]) == ["19.50", "23"]

    def test_few_people_at_an_end(self) -> None:
        ages = ["30", "31", "32", "9999", "31", "30"]
        assert shown(ranged(ages, k=2), [0, 1, 0, 0, 1, 1]) == ["[≥30]", "[30:31]"]
        assert shown(ranged(ages, k=3), [0, 1, 0, 0, 1, 1]) == ["*", "[≤31]"]
        assert shown(ranged([*ages, "9999"], k=2), [0, 1, 0, 0, 1, 1, 1]) == ["[30:9999]", "[30:9999]"]

    def test_records_of_one_person_are_no_crowd_at_an_end(self) -> None:
        """Two records with 9999, of one person: the end would tell a value that a single one has."""
        column, ages = Column("x", "quasi"), ["30", "31", "32", "9999", "9999", "30", "31", ""]
        attribute, group = read_attribute(pa.array(ages), column), [0] * 7 + [1]
        assert shown(with_grid(attribute, column, 2), group)[0] == "[30:9999]"
        for persons, told in ([0, 1, 2, 3, 3, 4, 5, 6], "[≥30]"), ([0, 1, 2, 3, 4, 5, 6, 3], "[30:9999]"):
            assert shown(with_grid(attribute, column, 2, np.array(persons, np.int32)), group)[0] == told
        alike = np.zeros(8, np.int32)
        assert shown(with_grid(attribute, column, 2, alike), group)[0] == "*"

    def test_each_person_reaches_both_ends_of_the_own_records(self) -> None:
        column = Column("x", "quasi")
        attribute = read_attribute(pa.array(["30", "31", "9999", "31", "9999", "30"]), column)
        persons = np.array([0, 1, 1, 2, 2, 3], np.int32)
        assert shown(with_grid(attribute, column, 2, persons), [0] * 6) == ["[30:9999]"]

    def test_a_release_of_persons_tells_no_end_that_one_of_them_has(self) -> None:
        ages, who = [20, 21, 22, 23, 99, 99, 99, 24], [0, 1, 2, 3, 4, 4, 4, 5]
        table = pa.table({"age": ages, "who": who})
        told = tacit.anonymize(table, tacit.KAnonymity(k=3), quasi="age", person="who", seed=1).data["age"].to_pylist()
        assert not any("99" in each for each in told)

    def test_top_and_bottom(self) -> None:
        coded = ranged(["18", "20", "25", "88", "90", "97", "97"], round=5, top=90, bottom=20)
        assert shown(coded, [0, 0, 1, 1, 2, 3, 3]) == ["[≤20]", "[25:90]", "[≥90]", "[≥90]"]
        assert shown(coded, [0, 1, 1, 2, 2, 2, 2]) == ["[≤20]", "[≤25]", "[≥85]"]
        assert shown(coded, [0, 0, 0, 1, 1, 0, 0]) == ["*", "[≥85]"]
        day = ranged(["2024-03-05", "2024-03-20"], top="2024-03-10")
        assert shown(day, [0, 1]) == ["2024-03-05", "[≥2024-03-10]"]

    def test_top_and_bottom_that_make_no_sense(self) -> None:
        with pytest.raises(InputError, match="not below"):
            ranged(["1", "2"], top=3, bottom=3)
        with pytest.raises(InputError, match="is a date"):
            ranged(["1", "2"], top="2024-03-10")
        with pytest.raises(InputError, match="is a number"):
            ranged(["2024-03-05"], bottom=7)
        with pytest.raises(InputError, match="round is for numbers"):
            ranged(["a", "b"], round=7)
        assert ranged(["", ""], round=7).grid is None

    def test_exact_is_as_it_was(self) -> None:
        assert ranged(["19", "22"], k=5, round="exact").grid is None
        assert shown(ranged(["19", "22.00", "31"], k=5, round="exact", top=30), [0, 0, 1]) == ["[19:22.00]", "[≥30]"]

    def test_nothing_missing_is_in_a_range(self) -> None:
        values = ranged(["19", "", "22", ""], round=5, top=20)
        assert shown(values, [0, 1, 2, 1]) == ["19", "", "[≥20]"]
        assert shown(values, [0, 0, 1, 1]) == ["*", "*"]

    @each_seed(range(40))
    def test_as_defined(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        texts = [f"{x / 100:.2f}" for x in rng.integers(-500, 2000, 30)] + ["99.99"] * int(rng.integers(0, 3))
        numbers, k = list(map(Fraction, texts)), int(rng.integers(1, 6))
        keys: dict[str, Any] = {"round": float(rng.choice([0.05, 0.5, 3, 7.25]))}
        keys |= {"top": 15.5} if rng.random() < 0.4 else {}
        keys |= {"bottom": 0.25} if rng.random() < 0.4 else {}
        bottom, top = (None if keys.get(key) is None else Fraction(str(keys[key])) for key in ("bottom", "top"))
        attribute = ranged(texts, k, **keys)
        group = np.sort(rng.integers(0, 9, len(texts)))[np.argsort(np.argsort(numbers))]
        group[rng.random(len(texts)) < 0.2] = 3
        group = np.unique(group, return_inverse=True)[1]
        found, loss = shown(attribute, group.tolist()), losses(attribute, spans(attribute, group.astype(np.int32), 10))
        for place, text in enumerate(found):
            members = [number for number, at in zip(numbers, group.tolist(), strict=True) if at == place]
            ends = naive.published_ends(members, numbers, Fraction(str(keys["round"])), k, bottom, top)
            assert read(text) == ends
            assert loss[place] == pytest.approx(float(naive.loss(ends, numbers)))


def read(text: str) -> Fraction | tuple[Fraction | None, Fraction | None]:
    if text == "*":
        return None, None
    ends = ends_of(text)
    if ends is None:
        return Fraction(text)
    low, high = (None if end is None else Fraction(end) for end in ends)
    return low, high


class TestAudit:
    KNOWN = KnownColumn(
        Cells("age", np.arange(3), ("18", "40", "95")),
        numbers=np.array([18.0, 40, 95]),
        said=Column("age", "quasi", round=5, top=92, bottom=16),
    )

    @pytest.mark.parametrize("label", ["[15:25]", "[≥15]", "[≥92]", "[16:92]", "[≤16]", "18", "*", "[≤20]"])
    def test_ends_that_the_job_declares(self, label: str) -> None:
        wrong = wrong_ends(self.KNOWN, [label])
        assert not [problem for problem in wrong if "multiple" in problem]
        assert bool(wrong) == (label in ("[15:25]", "[≥15]")), "15 is below the bottom"

    @pytest.mark.parametrize("label", ["[18:25]", "[20:41]", "[≥18]", "[≤91]", "[20:25.5]"])
    def test_ends_between_them(self, label: str) -> None:
        assert "no multiple of 5" in wrong_ends(self.KNOWN, [label])[0]

    @pytest.mark.parametrize("label", ["95", "[20:95]", "[≥95]", "15"])
    def test_what_is_beyond(self, label: str) -> None:
        assert "beyond" in wrong_ends(self.KNOWN, [label])[0]

    def test_a_release_with_such_an_end_is_not_made(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def exact_ends(*arguments: Any) -> Any:
            made = publish_records(*arguments)
            texts = pa.array(text.replace("[15:", "[18:") for text in made.table["age"].to_pylist())
            return made._replace(table=pa.table({"age": texts}))

        monkeypatch.setattr("tacit.records.kind.publish", exact_ends)
        frame = pa.table({"age": [18, 19, 18, 33, 31, 32]})
        with pytest.raises(AuditFailure, match="not true to the original") as failure:
            tacit.anonymize(frame, tacit.KAnonymity(k=3), quasi="age", column_settings={"age": {"round": 5}})
        assert "no multiple of 5" in str(failure.value.in_full)


JOB = """
[input]
source = "in.csv"
[columns.pay]
role = "quasi"
[columns.day]
role = "quasi"
round = 7
top = 2024-06-01
[columns.age]
role = "quasi"
round = "exact"
[privacy]
model = "k"
k = 2
[method]
seed = 1
"""


def test_a_release_says_where_ranges_end(tmp_path: Path) -> None:
    rows = [
        f"{1000 * pay},2024-0{day}-11,{age}" for pay, day, age in zip(range(1, 9), range(1, 9), "35" * 4, strict=True)
    ]
    (tmp_path / "in.csv").write_text("\n".join(["pay,day,age", *rows]) + "\n")
    (tmp_path / "job.toml").write_text(JOB)
    made = anonymize_job(read_job(tmp_path / "job.toml"), directory=tmp_path / "out")
    again = read_job(tmp_path / "out" / "private" / "job.toml")
    assert [(column.round, column.top) for column in again.columns] == [
        (1000, None),
        (7, "2024-06-01"),
        ("exact", None),
    ]
    assert again.columns == made.job.columns, "with which the release can be made again"
    note = (tmp_path / "out" / "public" / "README.md").read_text()
    assert "Ends are multiples of 1000, as all values are" in note
    assert "Ends are multiples of 7 days, counted from Monday, 1970-01-05, and nobody need have one of them." in note
    assert "Ends are values of the original." in note and "`[≥a]` is a or more" in note
    assert "another release about the same people" in note
    assert "ends are multiples of 1000" in (tmp_path / "out" / "private" / "report.html").read_text()


def test_ends_tell_no_more_than_the_grid() -> None:
    """The attack: read the ends of ranges as exact values of people. What moves within its cell changes no end."""
    rng = np.random.default_rng(3)
    cells, inside = np.sort(rng.integers(20, 60, 200)), rng.integers(1, 1000, (2, 200))
    told = []
    for part in inside:
        pay = [str(1000 * cell + rest) for cell, rest in zip(cells.tolist(), part.tolist(), strict=True)]
        ends = {}
        for round in (1000, "exact"):
            attribute = ranged(pay, k=2, round=round)
            texts = shown(attribute, (np.arange(200) // 4).tolist())
            ends[round] = [end for text in texts for end in ends_of(text) or ()]
        assert sum(end in pay for end in ends["exact"]) == len(ends["exact"]) == 100
        assert not any(end in pay for end in ends[1000])
        assert all(end is None or number_of(end) % 1000 == 0 for end in ends[1000])  # type: ignore[operator]
        told.append(ends[1000])
    assert told[0] == told[1]
