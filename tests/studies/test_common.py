"""What studies share: points, verdicts, tables and pictures."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType

import pytest
from studies.common import (
    Figure,
    Stopwatch,
    Table,
    as_rows,
    below,
    by_case,
    curves,
    drawn,
    highest,
    load_points,
    lowest,
    measured,
    ordering,
    points_file,
    save_points,
    share,
    span,
    verdict,
    where,
    write_page,
)

import tacit

POINTS = [
    {"data": "a", "method": "x", "k": 2, "loss": 0.1},
    {"data": "a", "method": "y", "k": 2, "loss": 0.3},
    {"data": "a", "method": "x", "k": 1, "loss": 0.4},
    {"data": "a", "method": "y", "k": 1, "failed": "out of reach"},
]


def test_what_failed_is_in_no_case_and_no_curve() -> None:
    assert len(where(POINTS)) == 3
    assert by_case(POINTS, ("data", "k"), "method", "loss") == [{"x": 0.1, "y": 0.3}, {"x": 0.4}]
    assert curves(POINTS, ("data", "method"), "k", "loss") == [[0.4, 0.1]]


def test_where_methods_are_equal_nothing_can_be_seen() -> None:
    cases = [{"x": 1.0, "y": 1.0}, {"x": 1.0, "y": 2.0}, {"x": 3.0, "y": 2.0}, {"x": 1.0}]
    assert below(cases, "x", "y") == [True, False]
    assert lowest(cases, "x", "y") == [True, False]
    assert highest(cases, "x", "y") == [False, True]


@pytest.mark.parametrize(
    ("cases", "expected"),
    [([True] * 4 + [False], "agree"), ([True] * 3 + [False], "differs"), ([False], "differs"), ([], "cannot say")],
)
def test_an_order_must_hold_in_four_of_five_cases(cases: list[bool], expected: str) -> None:
    assert ordering("x is better", cases).verdict == expected


def test_verdicts() -> None:
    assert [verdict(holds) for holds in (True, False, None)] == ["agree", "differs", "cannot say"]


def test_a_promise_out_of_reach_is_a_point() -> None:
    def refuse(watch: Stopwatch) -> tacit.Release:
        raise tacit.PromiseError("k cannot be reached\nmore words")

    assert measured(refuse, k=3) == {"k": 3, "failed": "k cannot be reached"}


def test_points_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("studies.common.HERE", tmp_path)
    save_points("some", [{"loss": 1 / 3, "method": "x"}, {"failed": "why"}])
    assert load_points("some") == [{"loss": 0.333333, "method": "x"}, {"failed": "why"}]
    assert json.loads(points_file("some").read_text("utf-8"))


@pytest.mark.parametrize("mark", ["line", "bar", "heat"])
def test_marks(mark: str) -> None:
    series = "loss" if mark == "heat" else "method"
    y = "method" if mark == "heat" else "loss"
    picture = drawn(Figure("f", "A figure", where(POINTS), "k", y, series, mark=mark))
    assert picture.startswith("<svg")
    assert "NaN" not in picture


def test_a_table_has_a_row_for_each_point() -> None:
    rows = as_rows(Table("t", where(POINTS), {"method": "how", "loss": "lost"})).splitlines()
    assert rows == ["| how | lost |", "| --- | --- |", "| x | 0.100 |", "| y | 0.300 |", "| x | 0.400 |"]


def test_words_for_numbers() -> None:
    assert [span([0.1, 0.4, 0.2], ".1f"), span([0.11, 0.12], ".1f")] == ["0.1 to 0.4", "0.1"]
    assert [share(1, 1), share(2, 3)] == ["1 of 1 case", "2 of 3 cases"]


def test_what_is_out_of_reach_has_one_line_for_each_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("studies.common.PAGES", tmp_path)
    study = ModuleType("a study")
    study.__dict__.update(TITLE="T", PAPER="P", claims=lambda points: [], figures=lambda points: [])
    points = [
        {"data": "a", "method": "x", "k": k, "what": what, "cell": "c", "failed": "Too hard."}
        for what in ("k", "eps") for k in (2, 5)
    ]  # fmt: skip
    points.append({"data": "b", "k": 2, "l": None, "failed": "Too long."})
    text = write_page("some", study, points).read_text("utf-8")
    lines = text.partition("## Out of reach\n\n")[2].splitlines()[:2]
    assert lines == ["- data = a, method = x: k = 2; k = 5 → *Too hard.*", "- data = b, k = 2 → *Too long.*"]


def test_a_method_has_one_colour_in_all_figures() -> None:
    """`y` alone, and beside `x`: the second of ten colours both times."""
    alone = Figure("f", "A figure", [{"k": k, "loss": 0.3, "method": "y"} for k in (1, 2)], "k", "loss", "method")
    both = Figure("f", "A figure", where(POINTS), "k", "loss", "method")
    blue, orange = "#4c78a8", "#f58518"
    assert orange in drawn(alone, ("x", "y")) and blue not in drawn(alone, ("x", "y"))
    assert {blue, orange} <= {colour for colour in (blue, orange) if colour in drawn(both, ("x", "y"))}
    assert blue in drawn(alone, ("x",)), "a figure of other series has its own colours"
