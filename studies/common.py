"""What studies share: points, figures, claims, and the page that puts them side by side."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from types import ModuleType
from typing import Any, NamedTuple

import tacit
from tacit.release import Release

HERE = Path(__file__).resolve().parent
DATA = HERE.parents[1] / "shared" / "data"
"""Real data sets, beside the project; they are not part of it."""
PAGES = HERE.parent / "docs" / "studies"
AGREE, DIFFERS, CANNOT_SAY = "agree", "differs", "cannot say"

Point = dict[str, Any]
"""One thing measured: what it was (data set, method, parameters) and what came out."""


@dataclass(frozen=True)
class Figure:
    """A plot of points: lines or bars, a panel for each value of `panel`."""

    name: str
    title: str
    points: Sequence[Point]
    x: str
    y: str
    series: str
    panel: str | None = None
    mark: str = "line"
    y_title: str | None = None
    log_y: bool = False


class Claim(NamedTuple):
    """What the paper says, what was found here, and whether the two agree."""

    paper: str
    here: str
    verdict: str


@dataclass
class Stopwatch:
    """Hears the progress of a release, and knows how long its search took."""

    started: dict[str, float] = field(default_factory=dict)

    def __call__(self, message: str) -> None:
        self.started.setdefault(message, perf_counter())

    @property
    def search_seconds(self) -> float:
        return self.started["recoding"] - self.started["searching"]


def measured(make: Callable[[Stopwatch], Release], **what: Any) -> Point:
    """A point of what a release lost and how long its search took; a promise out of reach is a point that says so."""
    watch = Stopwatch()
    try:
        release = make(watch)
    except tacit.PromiseError as error:
        return {**what, "failed": str(error).splitlines()[0]}
    numbers = {key: value for key, value in release.utility.items() if isinstance(value, int | float)}
    return {**what, "seconds": watch.search_seconds, **numbers}


def where(points: Sequence[Point], **wanted: Any) -> list[Point]:
    """The points that are about something, those that failed left out."""
    return [p for p in points if "failed" not in p and all(p.get(key) == value for key, value in wanted.items())]


def verdict(holds: bool | None) -> str:
    return CANNOT_SAY if holds is None else AGREE if holds else DIFFERS


def share(hits: int, cases: int) -> str:
    return f"{hits} of {cases} cases"


def points_file(study: str) -> Path:
    return HERE / "points" / f"{study}.json"


def save_points(study: str, points: Sequence[Point]) -> None:
    file = points_file(study)
    file.parent.mkdir(exist_ok=True)
    file.write_text("[\n" + ",\n".join(json.dumps(_rounded(point)) for point in points) + "\n]\n", encoding="utf-8")


def load_points(study: str) -> list[Point]:
    return json.loads(points_file(study).read_text(encoding="utf-8"))


def _rounded(point: Mapping[str, Any]) -> Point:
    return {key: float(f"{value:.6g}") if isinstance(value, float) else value for key, value in point.items()}


def drawn(figure: Figure) -> str:
    """The figure as SVG: no browser, no network."""
    import altair as alt
    import vl_convert

    points = [{key: value for key, value in point.items() if value is not None} for point in figure.points]
    chart = alt.Chart(alt.Data(values=points))
    mark = chart.mark_line(point=True) if figure.mark == "line" else chart.mark_bar()
    x_type = "O" if figure.mark == "bar" or isinstance(points[0][figure.x], str) else "Q"
    scale = alt.Scale(type="log") if figure.log_y else alt.Scale(zero=True)
    encoded: dict[str, Any] = {
        "x": alt.X(f"{figure.x}:{x_type}", title=figure.x),
        "y": alt.Y(f"{figure.y}:Q", title=figure.y_title or figure.y, scale=scale),
        "color": alt.Color(f"{figure.series}:N", title=figure.series),
    }
    if figure.mark == "bar":
        encoded["xOffset"] = f"{figure.series}:N"
    made = mark.encode(**encoded).properties(width=260, height=200)
    if figure.panel is not None:
        made = made.facet(facet=alt.Facet(f"{figure.panel}:N", title=None), columns=2).resolve_scale(y="independent")
    config = {"background": "white", "view": {"stroke": None}}
    return vl_convert.vegalite_to_svg({**made.to_dict(), "config": config})


def write_page(name: str, study: ModuleType, points: Sequence[Point]) -> Path:
    """docs/studies/NAME.md with its pictures: claims first, then every figure."""
    images = PAGES / "images"
    images.mkdir(parents=True, exist_ok=True)
    rows = [f"| {claim.paper} | {claim.here} | **{claim.verdict}** |" for claim in study.claims(points)]
    shown = []
    for figure in study.figures(points):
        file = f"{name}-{figure.name}.svg"
        (images / file).write_text(drawn(figure), encoding="utf-8")
        shown.append(f"## {figure.title}\n\n![{figure.title}](images/{file})")
    failed = [f"- {_setting(point)}: {point['failed']}" for point in points if "failed" in point]
    text = "\n\n".join(
        [
            f"# {study.TITLE}",
            study.PAPER,
            "| the paper says | found here | verdict |\n| --- | --- | --- |\n" + "\n".join(rows),
            *shown,
            *(["## Out of reach\n\n" + "\n".join(failed)] if failed else []),
            f"Made by `python -m studies {name}` with tacit {tacit.__version__}, Python {platform.python_version()}; "
            "the numbers are in `studies/points`.",
        ]
    )
    page = PAGES / f"{name}.md"
    page.write_text(text + "\n", encoding="utf-8")
    return page


def _setting(point: Point) -> str:
    return ", ".join(f"{key} = {value}" for key, value in point.items() if key != "failed")
