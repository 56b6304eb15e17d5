"""A small version of each study, on the samples that ship with tacit: the orders of methods that we confirm."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import ModuleType

import pytest
from studies.cells import small_run
from studies.common import AGREE, CANNOT_SAY, DIFFERS, Figure, Point, Table, as_rows, drawn, load_points, write_page

CONFIRMED = {
    "baskets": (
        "mHgHs loses less than the other two",
        "`best` never loses more",
        "LG does not depend on m",
    ),
    "records": (
        "queries for values get worse",
        "queries for items get better",
        "NCP is at most δ",
        "a larger δ favours the values",
        "R_MRT has a lower UL than R_MT",
    ),
    "slices": (
        "nobody's value can be told",
        "Bucketization does not protect membership",
        "more correlation than generalization",
        "more correlation with sensitive attributes than bucketization",
        "One attribute per column keeps less",
        "slicing is better than bucketization",
        "More columns make more fake tuples",
    ),
    "ratings": (
        "Distortion falls as ε grows",
        "With ε = 5 nothing has to be changed",
        "Distortion grows with k",
        "very close to that of the original",
        "`neighbours` never distorts more",
    ),
}

Run = Callable[[str], tuple[ModuleType, list[Point]]]


@pytest.fixture(scope="module")
def run_of() -> Run:
    """The small version of a study, run once."""
    found: dict[str, tuple[ModuleType, list[Point]]] = {}

    def run(name: str) -> tuple[ModuleType, list[Point]]:
        if name not in found:
            study = import_module(f"studies.{name}")
            found[name] = study, small_run(study)
        return found[name]

    return run


@pytest.mark.slow
@pytest.mark.parametrize("name", CONFIRMED)
def test_what_the_paper_says_is_found(name: str, run_of: Run) -> None:
    study, points = run_of(name)
    claims = study.claims(points)
    assert {claim.verdict for claim in claims} <= {AGREE, DIFFERS, CANNOT_SAY}
    for part in CONFIRMED[name]:
        (claim,) = [claim for claim in claims if part in claim.paper]
        assert claim.verdict == AGREE, f"{claim.paper} {claim.here}"


@pytest.mark.slow
@pytest.mark.parametrize("name", CONFIRMED)
def test_every_figure_can_be_drawn(name: str, run_of: Run) -> None:
    study, points = run_of(name)
    figures = [figure for figure in study.figures(points) if isinstance(figure, Figure)]
    assert figures
    for figure in figures:
        assert figure.points, figure.title
        assert all(figure.x in point and figure.series in point for point in figure.points), figure.title
        assert any(point.get(figure.y) is not None for point in figure.points), figure.title
    assert drawn(figures[0]).startswith("<svg")


@pytest.mark.parametrize("name", CONFIRMED)
def test_whatever_differs_has_a_reason(name: str) -> None:
    """On the points that the page was made from."""
    study = import_module(f"studies.{name}")
    differing = [claim for claim in study.claims(load_points(name)) if claim.verdict == DIFFERS]
    assert [claim.paper for claim in differing if not claim.why] == []


def test_larger_baskets_problems_are_not_tried_once_a_smaller_one_was_stopped() -> None:
    from studies.baskets import hopeless

    whole = {"data": "d", "method": "MM", "k": 5, "m": 2}
    stopped = [whole | {"failed": "Stopped after 60 seconds."}]
    assert hopeless(whole | {"m": 3}, stopped) == "Not tried, since m = 2 was stopped."
    assert hopeless(whole | {"m": 1}, stopped) is None
    assert hopeless(whole | {"m": 3, "method": "AA"}, stopped) is None
    assert hopeless(whole | {"m": 3}, [whole | {"ncp": 0.5}]) is None
    part = [whole | {"part": 0.3, "failed": "Stopped after 60 seconds."}]
    assert hopeless(whole | {"part": 0.4}, part) == "Not tried, since part = 0.3 was stopped."
    assert hopeless(whole | {"m": 3}, part) is None, "a part of the baskets says nothing of all of them"


def test_claims_on_baskets_are_counted_over_the_same_cases() -> None:
    from studies.baskets import claims

    loss_of = {"MM": (0.9, 0.5, 0.4), "AA": (0.5, 0.8, 0.1), "LG": (0.3, 0.3, 0.2), "mHgHs": (0.4, 0.2, 0.1)}
    points: list[Point] = [
        {"data": "d", "method": method, "k": 5, "m": m, "ncp": ncp, "unchanged": 0.5, "seconds": 1.0}
        for method, losses in loss_of.items() for m, ncp in enumerate(losses, 2)
    ]  # fmt: skip
    points += [  # a case that lacks MM, and would change each of the counts
        {"data": "d", "method": method, "k": 5, "m": 7, "ncp": ncp, "unchanged": 0.0, "seconds": 1.0}
        for method, ncp in (("AA", 0.1), ("LG", 0.2), ("mHgHs", 0.3))
    ]  # fmt: skip
    found = {claim.paper.partition(".")[0]: claim for claim in claims(points)}
    assert found["MM loses most wherever m ≥ 2"].here == "2 of 3 cases with m ≥ 2"
    assert found["MM loses most wherever m ≥ 2"].why == "In the other 1, AA loses most: d (1; AA 0.800, MM 0.500)."
    assert found["AA loses more than LG in general"].here == "2 of 3 cases"
    assert found["AA loses more than LG in general"].why.startswith("In the other 1, LG loses more than AA: d (1;")
    assert found["mHgHs loses least of the four"].here == "2 of 3 cases"
    assert found["mHgHs loses least of the four"].why.startswith("In the other 1 LG loses least")


@pytest.mark.slow
def test_li_experiments_are_tables_with_a_row_for_each_classifier(run_of: Run) -> None:
    study, points = run_of("slices")
    tables = {table.title: table for table in study.figures(points) if isinstance(table, Table)}
    rows = tables["Classifiers on all data, in figures"].points
    assert [(row["target"], row["classifier"]) for row in rows] == [
        ("occupation", "Naive Bayes"), ("occupation", "tree"), ("income", "Naive Bayes"), ("income", "tree"),
    ]  # fmt: skip
    slicing = next(p for p in points if p["what"] == "data" and p["technique"] == "slicing")
    assert [row["slicing"] for row in rows] == [
        slicing[key] for key in ("bayes_sensitive", "tree_sensitive", "bayes_known", "tree_known")
    ]
    head, _, *body = as_rows(tables["Classifiers on all data, in figures"]).splitlines()
    assert "| bucketization | one per column | slicing | MCMA |" in head
    assert all(row.count("| 0.") == 6 for row in body), "a number for every technique"
    members = tables["Membership by technique, in figures"].points
    assert {p["technique"]: p["fake"] > 0 for p in members}["bucketization"] is False
    assert [p["columns"] for p in tables["Membership by the number of columns, in figures"].points] == [2, 4, 8]


@pytest.mark.slow
def test_every_table_that_the_paper_prints_is_made(run_of: Run) -> None:
    study, points = run_of("slices")
    printed = [table for table in study.figures(points) if isinstance(table, Table) and "five people" in table.title]
    assert [table.title.partition(":")[0] for table in printed] == ["Table I", "Table II", "Table III", "Table IV"]
    assert list(printed[3].columns) == [
        "Resting BP, Hypertension, Pulse Rate", "Severity Index, Treatment, Medicines",
        "Education, Profession, salary",
    ]  # fmt: skip
    pairs = {row["Severity Index, Treatment"] for row in printed[1].points}
    assert pairs == {"(4, Kavil)", "(3, Hypertension)", "(2, Flu)", "(1, Kavil)", "(3, Cancer)"}


@pytest.mark.slow
def test_a_page_has_claims_figures_and_what_was_out_of_reach(
    tmp_path, monkeypatch: pytest.MonkeyPatch, run_of: Run
) -> None:
    study, points = run_of("slices")
    monkeypatch.setattr("studies.common.PAGES", tmp_path)
    text = write_page("slices", study, points).read_text("utf-8")
    for claim in study.claims(points):
        assert claim.paper in text
    assert "## Out of reach" in text
    assert "Table II" in text
    for figure in study.figures(points):
        assert figure.title in text
        if isinstance(figure, Figure):
            assert (tmp_path / "images" / f"slices-{figure.name}.svg").is_file()
