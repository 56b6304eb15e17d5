"""A small version of each study, on the samples that ship with tacit: the orders of methods that we confirm."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import ModuleType

import pytest
from studies.common import AGREE, CANNOT_SAY, DIFFERS, Figure, Point, drawn, load_points, write_page

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
            found[name] = study, study.run("small")
        return found[name]

    return run


@pytest.mark.parametrize("name", CONFIRMED)
def test_what_the_paper_says_is_found(name: str, run_of: Run) -> None:
    study, points = run_of(name)
    claims = study.claims(points)
    assert {claim.verdict for claim in claims} <= {AGREE, DIFFERS, CANNOT_SAY}
    for part in CONFIRMED[name]:
        (claim,) = [claim for claim in claims if part in claim.paper]
        assert claim.verdict == AGREE, f"{claim.paper} {claim.here}"


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


def test_a_study_of_baskets_measures_only_what_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    from studies import baskets

    saved: list[list[Point]] = []
    monkeypatch.setattr(baskets, "save_points", lambda name, points: saved.append(list(points)))
    monkeypatch.setattr(baskets, "_full", lambda: ({"data": "d", "method": "MM", "k": 5, "m": m} for m in (1, 2, 3)))
    known = [
        {"data": "d", "method": "MM", "k": 5, "m": 1, "ncp": 0.5},
        {"data": "d", "method": "MM", "k": 5, "m": 2, "failed": "Stopped after 60 seconds."},
        {"data": "d", "method": "MM", "k": 5, "m": 3, "part": 0.5, "ncp": 0.1},
    ]
    points = baskets.run("full", known)
    assert points[:2] == known[:2]
    assert points[2]["failed"] == "Not tried, since m = 2 was stopped."
    assert known[2] in saved[0], "what is known and not yet reached is not lost"


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
