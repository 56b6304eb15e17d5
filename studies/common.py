"""What studies share: points, figures, claims, and the page that puts them side by side."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time
from types import ModuleType
from typing import Any, NamedTuple

import tacit
from tacit.release import Release
from tacit.report.blocks import Chart

HERE = Path(__file__).resolve().parent
DATA = HERE.parents[1] / "shared" / "data"
"""Real data sets, beside the project; they are not part of it."""
PAGES = HERE.parent / "docs" / "studies"
_COLOURS = {
    "ink": "#222222", "line": "#cccccc", "dim": "#777777", "paper": "#ffffff", "c1": "#1f5fa8", "c2": "#c8541d",
    "c3": "#2c8a57", "c4": "#8b3f9b", "c5": "#a88a1f", "c6": "#c23a5f", "c7": "#3fa0a8", "c8": "#666666",
}  # fmt: skip
AGREE, DIFFERS, CANNOT_SAY = "agree", "differs", "cannot say"

Point = dict[str, Any]
"""One thing measured: what it was (data set, method, parameters) and what came out."""


@dataclass(frozen=True)
class Figure:
    """A plot of points: lines, bars or a heat map, a panel for each value of `panel`."""

    name: str
    title: str
    points: Sequence[Point]
    x: str
    y: str
    series: str
    panel: str | None = None
    mark: str = "line"
    """line, bar, or heat: x and y are then names, and `series` is what the colour shows."""
    x_title: str | None = None
    y_title: str | None = None
    log_x: bool = False
    log_y: bool = False
    caption: str = ""


@dataclass(frozen=True)
class Table:
    """Points as rows of a table."""

    title: str
    points: Sequence[Point]
    columns: Mapping[str, str]
    """The keys of points to show, with their headings."""
    caption: str = ""


class Claim(NamedTuple):
    """What the paper says, what was found here, and whether the two agree; if not, what was measured that tells why."""

    paper: str
    here: str
    verdict: str
    why: str = ""


@dataclass
class Stopwatch:
    """Hears the progress of a release, and knows how long its search took: processor time, which other work on the
    machine does not change much."""

    started: dict[str, float] = field(default_factory=dict)

    def __call__(self, message: str) -> None:
        self.started.setdefault(message, process_time())

    @property
    def search_seconds(self) -> float:
        return self.started["recoding"] - self.started["searching"]


def measured(
    make: Callable[[Stopwatch], Release], more: Callable[[Release], Mapping[str, Any]] | None = None, **what: Any
) -> Point:
    """A point of what a release lost and how long its search took; a promise out of reach is a point that says so.

    `more` takes further measures of the release.
    """
    watch = Stopwatch()
    try:
        release = make(watch)
    except tacit.PromiseError as error:
        return {**what, "failed": str(error).splitlines()[0]}
    numbers = {key: value for key, value in release.utility.items() if isinstance(value, int | float)}
    return {**what, "seconds": watch.search_seconds, **numbers, **(more(release) if more else {})}


def where(points: Sequence[Point], **wanted: Any) -> list[Point]:
    """The points that are about something, those that failed left out."""
    return [p for p in points if "failed" not in p and all(p.get(key) == value for key, value in wanted.items())]


def verdict(holds: bool | None) -> str:
    return CANNOT_SAY if holds is None else AGREE if holds else DIFFERS


def share(hits: int, cases: int) -> str:
    return f"{hits} of {cases} {'case' if cases == 1 else 'cases'}"


def span(values: Sequence[float], form: str) -> str:
    """From the least to the greatest, or the one number that both are."""
    least, greatest = format(min(values), form), format(max(values), form)
    return least if least == greatest else f"{least} to {greatest}"


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


def drawn(figure: Figure, series: Sequence[str] = ()) -> str:
    """The figure as SVG: no browser, no network.

    If its series are all among `series`, each has the colour that is its own there, in whichever figure it stands.
    """
    import altair as alt
    import vl_convert

    points = [{key: value for key, value in point.items() if value is not None} for point in figure.points]
    chart = alt.Chart(alt.Data(values=points))
    made = _heat(chart, figure) if figure.mark == "heat" else _plot(chart, figure, points, series)
    if figure.panel is not None:
        panels = list(dict.fromkeys(point[figure.panel] for point in points))
        facet = alt.Facet(f"{figure.panel}:N", title=None, sort=panels)
        x = "shared" if figure.mark == "bar" and figure.series != figure.x else "independent"  # or bars have no width
        made = made.facet(facet=facet, columns=2).resolve_scale(x=x, y="independent")
    config = {"background": "white", "view": {"stroke": None}}
    return vl_convert.vegalite_to_svg({**made.to_dict(), "config": config})


def picture(chart: Chart) -> str:
    """A chart as reports have it, in colours of its own."""
    from tacit.report.charts import drawn_svg

    drawn = drawn_svg(chart)
    for name, colour in _COLOURS.items():
        drawn = drawn.replace(f"var(--{name})", colour)
    return drawn.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" style="background:white" ', 1)


def _plot(chart: Any, figure: Figure, points: Sequence[Point], series: Sequence[str]) -> Any:
    import altair as alt

    mark = chart.mark_line(point=True) if figure.mark == "line" else chart.mark_bar()
    is_named = figure.mark == "bar" or isinstance(points[0][figure.x], str)
    order = list(dict.fromkeys(point[figure.series] for point in points))
    domain = list(series) if set(order) <= set(series) else order
    order = [name for name in domain if name in order]
    values = list(dict.fromkeys(point[figure.x] for point in points))
    values = values if any(isinstance(value, str) for value in values) else sorted(values)
    encoded: dict[str, Any] = {
        "x": alt.X(f"{figure.x}:O", title=figure.x_title or figure.x, sort=values, axis=alt.Axis(labelAngle=-30))
        if is_named
        else alt.X(f"{figure.x}:Q", title=figure.x_title or figure.x, scale=_scale(figure.log_x, from_zero=False),
                   axis=alt.Axis(tickMinStep=1) if all(isinstance(value, int) for value in values) else alt.Axis()),
        "y": alt.Y(f"{figure.y}:Q", title=figure.y_title or figure.y, scale=_scale(figure.log_y, from_zero=True)),
        "color": alt.Color(f"{figure.series}:N", title=figure.series, sort=order, scale=alt.Scale(domain=domain),
                           legend=alt.Legend(values=order)),
    }  # fmt: skip
    if figure.mark == "bar" and figure.series != figure.x:
        encoded["xOffset"] = alt.XOffset(f"{figure.series}:N", sort=order)
    return mark.encode(**encoded).properties(width=260, height=200)


def _heat(chart: Any, figure: Figure) -> Any:
    import altair as alt

    return chart.mark_rect().encode(
        x=alt.X(f"{figure.x}:N", title=figure.x_title, sort=None),
        y=alt.Y(f"{figure.y}:N", title=figure.y_title, sort=None),
        color=alt.Color(f"{figure.series}:Q", scale=alt.Scale(scheme="blues")),
    )


def _scale(is_log: bool, *, from_zero: bool) -> Any:
    import altair as alt

    return alt.Scale(type="log") if is_log else alt.Scale(zero=from_zero)


def write_page(name: str, study: ModuleType, points: Sequence[Point]) -> Path:
    """docs/studies/NAME.md with its pictures: claims first, then every figure."""
    claims = study.claims(points)
    rows = [f"| {claim.paper} | {claim.here} | **{claim.verdict}** |" for claim in claims]
    differing = [claim for claim in claims if claim.verdict == DIFFERS]
    reasons = [
        f"- {' '.join(claim.paper for claim in differing if claim.why == why)} → *{why}*"
        for why in dict.fromkeys(claim.why for claim in differing)
    ]
    shown = []
    for figure in study.figures(points):
        body = as_rows(figure) if isinstance(figure, Table) else _picture(name, figure, getattr(study, "SERIES", ()))
        shown.append("\n\n".join(filter(None, (f"## {figure.title}", body, figure.caption))))
    failed = _out_of_reach(points)
    text = "\n\n".join(
        [
            f"# {study.TITLE}",
            study.PAPER,
            "| the paper says | found here | verdict |\n| --- | --- | --- |\n" + "\n".join(rows),
            *(["## Where the two differ\n\n" + "\n".join(reasons)] if reasons else []),
            *shown,
            *(["## Out of reach\n\n" + "\n".join(failed)] if failed else []),
            f"Made by `python -m studies {name}` with tacit {tacit.__version__}, Python {platform.python_version()}; "
            "the numbers are in `studies/points`.",
        ]
    )
    page = PAGES / f"{name}.md"
    page.write_text(text + "\n", encoding="utf-8")
    return page


def _picture(study: str, figure: Figure, series: Sequence[str]) -> str:
    """A picture that opens in full: on a phone its words are small."""
    file = f"{study}-{figure.name}.svg"
    images = PAGES / "images"
    images.mkdir(parents=True, exist_ok=True)
    (images / file).write_text(drawn(figure, series), encoding="utf-8")
    return f"[![{figure.title}](images/{file})](images/{file})"


def as_rows(table: Table) -> str:
    """The table in Markdown."""
    head = f"| {' | '.join(table.columns.values())} |\n|{' --- |' * len(table.columns)}\n"
    return head + "\n".join(
        f"| {' | '.join(_cell(point.get(key)) for key in table.columns)} |" for point in table.points
    )


def _cell(value: Any) -> str:
    """Shares with three digits behind the point, larger numbers with three in all."""
    if isinstance(value, float):
        return f"{value:.3f}" if abs(value) < 1 else f"{value:.3g}"
    return "" if value is None else str(value)


def _out_of_reach(points: Sequence[Point]) -> list[str]:
    """What failed, one line for each reason: what all of its settings have in common, then what they differ in."""
    by_reason: dict[str, list[dict[str, Any]]] = {}
    for point in points:
        if "failed" in point:
            setting = {key: value for key, value in point.items() if key not in ("failed", "cell", "what")}
            if setting not in by_reason.setdefault(point["failed"], []):
                by_reason[point["failed"]].append(setting)
    lines = []
    for reason, settings in by_reason.items():
        common = {key: value for key, value in settings[0].items() if all(one.get(key) == value for one in settings)}
        rest = [{key: value for key, value in one.items() if key not in common} for one in settings]
        told = [_in_words(common), "; ".join(_in_words(one) for one in rest if one)]
        lines.append(f"- {': '.join(filter(None, told))} → *{reason}*")
    return lines


def _in_words(setting: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} = {value}" for key, value in setting.items() if value is not None)


MOSTLY = 0.8
"""An ordering of methods counts as confirmed if it holds in so many of the cases; the page says in how many."""


def ordering(paper: str, cases: Sequence[bool], note: str = "", why: str = "") -> Claim:
    """A claim about the order of methods, or about a trend, over all cases in which it can be seen."""
    hits = sum(cases)
    return Claim(paper, share(hits, len(cases)) + note, verdict(hits >= MOSTLY * len(cases) if cases else None), why)


def below(cases: Sequence[Mapping[str, float]], lower: str, higher: str) -> list[bool]:
    """Whether one series is below another, in the cases that have both; where they are equal nothing can be seen."""
    both = [case for case in cases if lower in case and higher in case]
    return [case[lower] < case[higher] for case in both if case[lower] != case[higher]]


def lowest(cases: Sequence[Mapping[str, float]], name: str, *others: str) -> list[bool]:
    """Whether no other series is lower, in the cases that have all of them; where all are equal nothing can be seen."""
    whole = [case for case in cases if all(each in case for each in (name, *others))]
    seen = [[case[name], *(case[other] for other in others)] for case in whole]
    return [values[0] <= min(values) for values in seen if len(set(values)) > 1]


def highest(cases: Sequence[Mapping[str, float]], name: str, *others: str) -> list[bool]:
    return lowest([{key: -value for key, value in case.items()} for case in cases], name, *others)


def by_case(points: Sequence[Point], keys: Sequence[str], series: str, measure: str) -> list[dict[str, float]]:
    """The measure of each series, for each setting of the keys."""
    cases: dict[tuple[Any, ...], dict[str, float]] = {}
    for point in where(points):
        if point.get(measure) is not None:
            cases.setdefault(tuple(point.get(key) for key in keys), {})[point[series]] = point[measure]
    return list(cases.values())


def curves(points: Sequence[Point], keys: Sequence[str], x: str, measure: str) -> list[list[float]]:
    """The measure along x, for each setting of the keys; curves of one point are left out."""
    found: dict[tuple[Any, ...], dict[float, float]] = {}
    for point in where(points):
        if point.get(measure) is not None:
            found.setdefault(tuple(point.get(key) for key in keys), {})[point[x]] = point[measure]
    return [[curve[at] for at in sorted(curve)] for curve in found.values() if len(curve) > 1]
