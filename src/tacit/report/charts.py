"""Pictures of a report: records and a Vega-Lite specification, drawn as SVG with no browser and no network.

A chart's records can be read and tested; how it looks follows from its specification. Colours are names that the
page defines, so that one drawing serves light and dark screens and paper.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, count
from typing import Any

from tacit.report.blocks import Chart

Record = Mapping[str, Any]

WIDTH = 420
"""Of all charts, in pixels: two stand beside each other on a desktop, and on a phone the text stays legible."""
_HEIGHT = 240
_SERIES = 8
_LONGEST_TEXT = 28
"""Labels are cut here and not by the engine, which cuts signs beyond the first 65,536 in two, and fails."""
_LONGEST_TITLE = 44
"""Of an axis: as long as it may be; the whole of it is the caption of the chart, or in a table."""
_UNDRAWABLE = re.compile("[^\\t\\n\\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_COLOURS = {"#000a01": "var(--ink)", "#000a02": "var(--line)", "#000a03": "var(--dim)", "#000a04": "var(--paper)"} | {
    f"#000b0{index}": f"var(--c{index})" for index in range(1, _SERIES + 1)
}
"""What the drawing has in place of the page's colours."""
_INK, _LINE, _DIM, _PAPER, *_SERIES_COLOURS = _COLOURS
_DOT = {"type": "point", "filled": True, "size": 22, "opacity": 0.55, "color": _SERIES_COLOURS[0]}
_MOST_NUMBERS = 12
_UPRIGHT = 3
_SIDES = ((9, -7), (9, 11), (-9, -7), (-9, 11))
"""Where a name may stand beside its mark: to the right or to the left, above or below."""
_ACROSS = 290
"""How wide a picture of marks with names is at least, in points, without its axis."""
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "stroke", "triangle-left")

_CONFIG = {
    "background": "transparent",
    "aria": False,
    "font": "Arial, sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelColor": _INK, "titleColor": _INK, "domainColor": _LINE, "tickColor": _LINE, "gridColor": _LINE,
        "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal", "labelLimit": 0,
        "gridOpacity": 0.6, "titlePadding": 6, "labelFlush": False,
    },
    "legend": {
        "labelColor": _INK, "titleColor": _INK, "labelFontSize": 12, "titleFontSize": 12, "orient": "bottom",
        "columns": 4, "columnPadding": 16, "symbolSize": 60, "labelLimit": 0,
    },
    "range": {"category": _SERIES_COLOURS},
    "bar": {"color": _SERIES_COLOURS[0]},
    "rect": {"color": _SERIES_COLOURS[0]},
}  # fmt: skip


def bars(title: str, records: Sequence[Record], name: str, length: str, *, axis: str = "", kind: str = "") -> Chart:
    """A bar for each record, lying, in the order of the records; `kind` colours them, those of a name in a row."""
    encoding: dict[str, Any] = {
        "y": {"field": name, "type": "nominal", "sort": None, "title": None},
        "x": {"field": length, "type": "quantitative", "title": axis or length, "axis": _few_ticks(records, length)},
    }
    if kind:
        kinds = list(dict.fromkeys(record[kind] for record in records))
        records = [{**record, "place": kinds.index(record[kind])} for record in records]
        encoding |= {"color": _series(kind), "order": {"field": "place", "type": "quantitative"}}
    return Chart(title, records, {"mark": {"type": "bar"}, "encoding": encoding, "height": {"step": 18}})


def lines(
    title: str,
    records: Sequence[Record],
    x: str,
    y: str,
    *,
    series: str = "",
    x_axis: str = "",
    y_axis: str = "",
    order: Sequence[str] = (),
    log: bool = False,
) -> Chart:
    """A line for each series over x, with a mark at each record; x that are no numbers stand side by side.

    Marks differ in shape, too: colour alone does not tell series apart for everybody, or on paper. With `order`, which
    names all series, a series looks the same in every chart.
    """
    numeric = all(_is_number(record[x]) for record in records)
    values = list(dict.fromkeys(record[x] for record in records))
    across: dict[str, Any] = {"field": x, "type": "quantitative" if numeric else "ordinal", "title": x_axis or x}
    if numeric:
        across |= {
            "scale": {"zero": False, "nice": False, "padding": 12},
            "axis": {"grid": False, "values": values, "format": ".6~g"},
        }
    else:
        across |= {"sort": None, "axis": {"labelAngle": 0}, "scale": {"padding": 0.3}}
    up: dict[str, Any] = {"field": y, "type": "quantitative", "title": y_axis or y}
    up |= (
        {"scale": {"type": "log"}, "axis": {"tickCount": 5, "format": ".4~g"}}
        if log
        else {"axis": _few_ticks(records, y)}
    )
    line: dict[str, Any] = {"mark": {"type": "line", "strokeWidth": 2}}
    marks: dict[str, Any] = {"mark": {"type": "point", "size": 55, "filled": True, "opacity": 1}}
    if series:
        domain = list(order) or list(dict.fromkeys(record[series] for record in records))
        colour = _series(series) | {"scale": {"domain": domain}}
        shape = _series(series) | {"scale": {"domain": domain, "range": list(_SHAPES)}}
        line["encoding"] = {"color": colour}
        marks["encoding"] = {"color": colour, "shape": shape}
    return Chart(title, records, {"layer": [line, marks], "encoding": {"x": across, "y": up}, "height": _HEIGHT})


def dots(title: str, records: Sequence[Record], x: str, y: str, *, x_axis: str = "", y_axis: str = "") -> Chart:
    """A dot for each record, such as an item before and after; both axes from nothing, logarithmic if it is needed."""
    encoding = {axis: _wide_range(records, field, title) for axis, field, title in (("x", x, x_axis), ("y", y, y_axis))}
    return Chart(title, records, {"mark": _DOT, "encoding": encoding, "height": 300})


def curve_and_points(
    title: str,
    curve: Sequence[Record],
    points: Sequence[Record],
    x: str,
    y: str,
    kind: str,
    *,
    x_axis: str,
    y_axis: str,
) -> Chart:
    """A curve, and points of several kinds beside it or on it; they differ in shape, too."""
    domain = list(dict.fromkeys(point[kind] for point in points))
    colour = _series(kind) | {"scale": {"domain": domain}}
    shape = _series(kind) | {"scale": {"domain": domain, "range": [shape for shape in _SHAPES if shape != "stroke"]}}
    line = {
        "transform": [{"filter": f"!isValid(datum.{kind})"}],
        "mark": {"type": "line", "strokeWidth": 2, "color": _INK, "interpolate": "linear"},
        "encoding": {"order": {"field": x, "type": "quantitative"}},
    }
    marks = {
        "transform": [{"filter": f"isValid(datum.{kind})"}],
        "mark": {"type": "point", "size": 80, "filled": True, "opacity": 1},
        "encoding": {"color": colour, "shape": shape},
    }
    encoding = {
        axis: {"field": field, "type": "quantitative", "title": name, "axis": {"tickCount": 5, "format": "~%"}}
        for axis, field, name in (("x", x, x_axis), ("y", y, y_axis))
    }
    return Chart(title, [*curve, *points], {"layer": [line, marks], "encoding": encoding, "height": 300})


def agreement(title: str, records: Sequence[Record], x: str, y: str, *, x_axis: str = "", y_axis: str = "") -> Chart:
    """A dot for each record over a line where both numbers are equal; both axes have the same scale."""
    values = [float(record[field]) for record in records for field in (x, y)] or [0.0, 1.0]
    margin = (max(values) - min(values)) * 0.05 or 0.5
    domain = [min(values) - margin, max(values) + margin]
    encoding = {
        axis: {
            "field": field, "type": "quantitative", "title": title or field, "axis": {"tickCount": 5},
            "scale": {"domain": domain, "nice": False, "zero": False},
        }
        for axis, field, title in (("x", x, x_axis), ("y", y, y_axis))
    }  # fmt: skip
    diagonal = {
        "data": {"values": [{x: end, y: end} for end in domain]},
        "mark": {"type": "line", "color": _DIM, "strokeDash": [4, 4], "strokeWidth": 1},
    }
    return Chart(
        title,
        records,
        {"layer": [diagonal, {"mark": {**_DOT, "size": 45, "opacity": 0.8}}], "encoding": encoding, "height": 300},
    )


def trade_off(
    title: str, records: Sequence[Record], x: str, y: str, *, series: str, x_axis: str, y_axis: str, limit: float
) -> Chart:
    """A mark for each record, a shape and a colour for each series, `name` beside it; a broken line where x is `limit`.

    The record that is `chosen` has a ring around it. A name for which there is no room is left out.
    """
    domain = list(dict.fromkeys(record[series] for record in records))
    looks = _series(series)
    marks = {
        "mark": {"type": "point", "size": 60, "filled": True, "opacity": 1},
        "encoding": {
            "color": looks | {"scale": {"domain": domain}},
            "shape": looks | {"scale": {"domain": domain, "range": list(_SHAPES)}},
        },
    }
    ring = {
        "transform": [{"filter": "datum.chosen"}],
        "mark": {"type": "point", "size": 320, "filled": False, "color": _INK, "strokeWidth": 2},
    }
    names = [
        {
            "transform": [{"filter": f"datum.side == {side}"}],
            "mark": {"type": "text", "align": "left" if dx > 0 else "right", "dx": dx, "dy": dy, "fontSize": 11,
                "color": _INK},
            "encoding": {"text": {"field": "name", "type": "nominal"}},
        }
        for side, (dx, dy) in enumerate(_SIDES)
    ]  # fmt: skip
    rule = {
        "data": {"values": [{x: limit}]},
        "mark": {"type": "rule", "color": _DIM, "strokeDash": [4, 4]},
        "encoding": {"x": {"field": x, "type": "quantitative"}},
    }
    encoding = {
        "x": {"field": x, "type": "quantitative", "title": x_axis, "axis": {"tickCount": 6, "format": "~%"},
            "scale": {"padding": 20}},
        "y": {"field": y, "type": "quantitative", "title": y_axis, "axis": {"tickCount": 5}, "scale": {"padding": 16}},
    }  # fmt: skip
    layers: tuple[dict[str, Any], ...] = (marks, ring, *names)
    drawn = [{**each, "encoding": {**encoding, **each.get("encoding", {})}} for each in layers]
    sides = _sides(records, x, y, limit)
    placed = [{**record, "side": side} for record, side in zip(records, sides, strict=True)]
    return Chart(title, placed, {"layer": [rule, *drawn], "height": _HEIGHT})


def _sides(records: Sequence[Record], x: str, y: str, limit: float) -> list[int | None]:
    """On which side of its mark each name stands so that none covers another, a mark or the edge; None: nowhere.

    The name of what is chosen is placed first. Places are reckoned in points, roughly: the axes add some space.
    """
    most_x, most_y = max([limit, *(r[x] for r in records)]) or 1.0, max(r[y] for r in records) or 1.0
    at = [(r[x] / most_x * _ACROSS, _HEIGHT - r[y] / most_y * _HEIGHT) for r in records]
    taken = [(left - 4, up - 4, left + 4, up + 4) for left, up in at]
    sides: list[int | None] = [None] * len(records)
    for index in sorted(range(len(records)), key=lambda index: not records[index]["chosen"]):
        wide = 6.2 * len(records[index]["name"])
        for side, (dx, dy) in enumerate(_SIDES):
            left = at[index][0] + (dx if dx > 0 else dx - wide)
            box = (left, at[index][1] + dy - 6, left + wide, at[index][1] + dy + 6)
            others = (each for place, each in enumerate(taken) if place != index)
            if box[0] > -20 and box[2] < _ACROSS + 20 and not any(_meet(box, each) for each in others):
                taken.append(box)
                sides[index] = side
                break
    return sides


def _meet(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def heat_map(title: str, records: Sequence[Record], x: str, y: str, value: str, *, axis: str = "") -> Chart:
    """A square for each record, darker for a larger value, which stands in it if there is room.

    Names stand in the order of the records; where both sides have the same ones, in the same order.
    """
    up = list(dict.fromkeys(record[y] for record in records))
    across = list(dict.fromkeys(record[x] for record in records))
    if set(across) == set(up):
        across = up
    squares = {
        "mark": {"type": "rect"},
        "encoding": {
            "opacity": {
                "field": value, "type": "quantitative", "title": axis or value, "legend": None,
                "scale": {"range": [0.05, 0.85]},
            }
        },
    }  # fmt: skip
    texts = {
        "mark": {"type": "text", "color": _INK, "fontSize": 11},
        "encoding": {"text": {"field": value, "type": "quantitative", "format": ".2~f"}},
    }
    encoding = {
        "x": {
            "field": x, "type": "nominal", "title": None, "scale": {"domain": across},
            "axis": {"labelAngle": -40, "grid": False},
        },
        "y": {"field": y, "type": "nominal", "title": None, "scale": {"domain": up}, "axis": {"grid": False}},
    }  # fmt: skip
    layers = [squares, texts] if len(across) <= _MOST_NUMBERS else [squares]
    return Chart(title, records, {"layer": layers, "encoding": encoding, "height": {"step": 26}})


def histogram(
    title: str, records: Sequence[Record], group: str, count: str, *, when: str = "", x_axis: str = "", y_axis: str = ""
) -> Chart:
    """How many fall into each group; with `when`, before and after side by side."""
    angle = 0 if all(len(record[group]) <= _UPRIGHT for record in records) else -40
    encoding: dict[str, Any] = {
        "x": {"field": group, "type": "nominal", "sort": None, "title": x_axis or group, "axis": {"labelAngle": angle}},
        "y": {"field": count, "type": "quantitative", "title": y_axis or count, "axis": _few_ticks(records, count)},
    }
    if when:
        encoding |= {"xOffset": {"field": when, "sort": None}, "color": _series(when)}
    return Chart(title, records, {"mark": {"type": "bar"}, "encoding": encoding, "height": _HEIGHT})


def icicle(title: str, records: Sequence[Record], colours: Mapping[str, str]) -> Chart:
    """A hierarchy from above, a row a level: a block from leaf `start` to leaf `end` at `depth`, coloured by `state`.

    `colours` gives the states, and for each the name of a colour of the page: ink, line, dim, or c1 to c8.
    """
    by_name = {colour.removeprefix("var(--").removesuffix(")"): code for code, colour in _COLOURS.items()}
    scale = {"domain": list(colours), "range": [by_name[colour] for colour in colours.values()]}
    encoding = {
        "x": {"field": "start", "type": "quantitative", "axis": None, "scale": {"nice": False}},
        "x2": {"field": "end"},
        "y": {"field": "depth", "type": "ordinal", "title": "level", "axis": {"ticks": False, "domain": False}},
        "color": _series("state") | {"scale": scale},
    }
    mark = {"type": "rect", "stroke": _PAPER, "strokeWidth": 0.5 if len(records) < 300 else 0}
    return Chart(title, records, {"mark": mark, "encoding": encoding, "height": {"step": 22}})


def specification(chart: Chart) -> dict[str, Any]:
    """The whole Vega-Lite specification of a chart: what it says, its records, and the looks that all charts share."""
    labels = _labels(_texts(chart))
    records = [
        {key: labels[value] if isinstance(value, str) else value for key, value in record.items()}
        for record in chart.records
    ]
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "data": {"values": records},
        "width": WIDTH,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "padding": 4,
        "config": _CONFIG,
        **_drawable(chart.spec, labels),
    }


def drawn_svg(chart: Chart) -> str:
    """The chart as an SVG element for the page, in its colours; no text of the data can be more than text in it."""
    svg = _drawn_here(chart) if chart.svg is None else chart.svg()
    opening = re.compile(r'<svg [^>]*?width="([\d.]+)" height="([\d.]+)"[^>]*>')
    svg = opening.sub(r'<svg viewBox="0 0 \1 \2" width="\1" height="\2" aria-hidden="true">', svg, count=1)
    return re.sub(r'(fill|stroke)="(#000[ab]0\d)"', lambda found: f'{found[1]}="{_COLOURS[found[2]]}"', svg)


def _drawn_here(chart: Chart) -> str:
    import vl_convert  # brings an engine of its own, which takes a moment to start

    drawing: str = vl_convert.vegalite_to_svg(specification(chart), allowed_base_urls=[])
    return drawing


def _labels(texts: Iterable[str]) -> dict[str, str]:
    """For each text one that can be drawn: short, on one line, without signs that XML lacks; different ones differ."""
    labels: dict[str, str] = {}
    taken: set[str] = set()
    for text in texts:
        if text not in labels:
            short = _cut(_clean(text), _LONGEST_TEXT)
            alike = chain((short,), (f"{short} ({number})" for number in count(2)))
            labels[text] = next(label for label in alike if label not in taken)
            taken.add(labels[text])
    return labels


def _cut(line: str, longest: int) -> str:
    return line if len(line) <= longest else line[: longest - 1] + "…"


def _clean(text: str) -> str:
    """The engine does not survive signs that XML lacks, and takes its process with it."""
    return _UNDRAWABLE.sub("\N{REPLACEMENT CHARACTER}", " ".join(text.split()))


def _texts(chart: Chart) -> Iterator[str]:
    """The texts of the data: in the records, and wherever the specification lists series."""
    yield from (value for record in chart.records for value in record.values() if isinstance(value, str))
    yield from (value for domain in _domains(chart.spec) for value in domain if isinstance(value, str))


def _domains(spec: Any) -> Iterator[Sequence[Any]]:
    if isinstance(spec, Mapping):
        for key, value in spec.items():
            yield from [value] if key == "domain" and isinstance(value, list) else _domains(value)
    elif isinstance(spec, list):
        yield from (domain for part in spec for domain in _domains(part))


def _drawable(spec: Any, labels: Mapping[str, str], key: str = "") -> Any:
    """A specification whose texts can be drawn."""
    if isinstance(spec, Mapping):
        return {key: _drawable(value, labels, key) for key, value in spec.items()}
    if isinstance(spec, list):
        return [_drawable(value, labels, key) for value in spec]
    if isinstance(spec, str):
        return (
            labels[spec] if key == "domain" else _cut(_clean(spec), _LONGEST_TITLE) if key == "title" else _clean(spec)
        )
    return spec


def _series(field: str) -> dict[str, Any]:
    return {"field": field, "type": "nominal", "sort": None, "legend": {"title": None}}


def _few_ticks(records: Sequence[Record], field: str) -> dict[str, Any]:
    """Whole numbers get whole ticks."""
    whole = all(isinstance(record[field], int) for record in records)
    return {"tickCount": 5, **({"tickMinStep": 1} if whole else {})}


def _wide_range(records: Sequence[Record], field: str, title: str) -> dict[str, Any]:
    values = [record[field] for record in records]
    wide = bool(values) and min(values) > 0 and max(values) > 100 * min(values)
    scale = {"type": "log", "nice": False} if wide else {"zero": True}
    axis = {"tickCount": 5, **({"format": "~s"} if wide else {})}
    return {"field": field, "type": "quantitative", "title": title or field, "scale": scale, "axis": axis}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
