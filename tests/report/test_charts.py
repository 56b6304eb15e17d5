"""Charts: their records are those that were given, their specifications are Vega-Lite, and no text can do harm."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import tacit
from tacit.baskets.cut_picture import ABOVE, GROUP, INSIDE, KEPT, SUPPRESSED, cut_picture, cut_tree, has_cut, states
from tacit.baskets.distributions import classes
from tacit.baskets.recoding import ItemCut
from tacit.report import charts, html
from tacit.report.blocks import Chart, Folded, Grid, Node, Number, Section, Text, Tree

EVIL = [
    "<script>alert(1)</script>", "</svg><img src=x onerror=alert(1)>", '" onload="alert(1)', "&amp;", "a\nb",
    "\x00\x01", "\ufffe", "\ud800", "💣" * 40, "שלום", "{{datum}}", "\\", "", " ", 'fill="#000a01"',
]  # fmt: skip


def examples(names: list[str]) -> dict[str, Chart]:
    """Each builder at work."""
    bars = [{"name": name, "records": count, "kind": name} for count, name in enumerate(names)]
    over = [{"k": k, "loss": k / 7, "method": name} for k in (2, 5) for name in names]
    steps = [{"m": m, "loss": 0.5, "method": name} for m in (1, "inf") for name in names]
    pairs = [{"x": x, "y": y, "value": 0.5} for x in names for y in names]
    shares = [{"size": size, "count": 3, "when": when} for size in names for when in ("before", "after")]
    blocks = [{"depth": d, "start": 0, "end": 4, "state": "kept"} for d in range(3)]
    return {
        "bars": charts.bars("bars", bars, "name", "records", axis="records"),
        "bars of kinds": charts.bars("bars", bars, "name", "records", kind="kind"),
        "lines": charts.lines("lines", over, "k", "loss", series="method", x_axis="k", y_axis="loss"),
        "lines of steps": charts.lines("lines", steps, "m", "loss", series="method", order=names),
        "log lines": charts.lines("lines", over, "k", "loss", log=True),
        "dots": charts.dots("dots", [{"a": 1, "b": 2.5}, {"a": 10_000, "b": 3}], "a", "b"),
        "heat map": charts.heat_map("heat", pairs, "x", "y", "value"),
        "histogram": charts.histogram("histogram", shares, "size", "count", when="when"),
        "icicle": charts.icicle("icicle", blocks, {"kept": "c3", "gone": "c2"}),
    }


@pytest.mark.parametrize("name", list(examples(["a"])))
def test_specifications_are_vega_lite(name: str) -> None:
    """As the reference library for them says, which knows the schema."""
    altair = pytest.importorskip("altair")
    specification = charts.specification(examples(["a", "b"])[name])
    altair.Chart.from_dict({**specification, "$schema": altair.SCHEMA_URL}, validate=True)


@pytest.mark.parametrize("name", list(examples(["a"])))
def test_no_text_can_do_harm(name: str) -> None:
    svg = charts.drawn_svg(examples(EVIL)[name])
    root = ElementTree.fromstring(svg)
    tags = {element.tag for element in root.iter()}
    assert tags <= {"svg", "g", "path", "rect", "line", "text", "tspan", "title", "defs", "clipPath"}
    assert not any(key.startswith("on") or "href" in key for element in root.iter() for key in element.attrib)
    assert not re.search(r"https?://|url\(", svg)


def test_what_is_drawn() -> None:
    """Every bar is there with its label, in its length; colours are the page's."""
    records = [{"name": "milk", "records": 8}, {"name": "tea", "records": 4}]
    svg = charts.drawn_svg(charts.bars("title", records, "name", "records"))
    root = ElementTree.fromstring(svg)
    texts = [element.text for element in root.iter("text")]
    assert {"milk", "tea", "records", "8"} <= set(texts)
    widths = [float(found) for found in re.findall(r'd="M0,[\d.]+h([\d.]+)v[^"]*" fill="var\(--c1\)"', svg)]
    assert len(widths) == 2
    assert widths[0] == pytest.approx(2 * widths[1])
    assert not re.search(r"#000[ab]", svg), "no colour is left that the page does not know"
    assert root.attrib["viewBox"].split()[2] == str(charts.WIDTH)


def test_labels_that_are_cut_stay_apart() -> None:
    long = ["x" * 40 + "1", "x" * 40 + "2", "a\x01", "a\x02"]
    records = charts.specification(charts.bars("t", [{"n": n, "v": 1} for n in long], "n", "v"))["data"]["values"]
    labels = [record["n"] for record in records]
    assert labels == ["x" * 27 + "…", "x" * 27 + "… (2)", "a\ufffd", "a\ufffd (2)"]


def test_a_series_looks_the_same_in_every_chart() -> None:
    one = charts.lines(
        "t", [{"k": k, "v": k, "method": "b"} for k in (1, 2)], "k", "v", series="method", order=["a", "b"]
    )
    assert "var(--c2)" in charts.drawn_svg(one)
    assert "var(--c1)" not in re.sub(r"<g[^>]*legend.*", "", charts.drawn_svg(one).partition("role-legend")[0])


def test_a_chart_that_cannot_be_drawn_is_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(chart: Chart) -> str:
        raise ValueError("no")

    monkeypatch.setattr(html, "drawn_svg", fails)
    page = html.document("t", [], [Section("s", [charts.bars("<b>", [{"name": "<i>", "v": 1}], "name", "v")])])
    assert '<td class="short">&lt;i&gt;</td><td class="number">1</td>' in page
    assert "<figcaption>&lt;b&gt;</figcaption>" in page


def test_blocks_as_html() -> None:
    blocks: list[Any] = [
        Text("<a>"), Text("<b>", is_note=True), Grid([("x", 1, 0.5, None, Number("9 %"))], ("p", "q", "r", "s", "t")),
        Folded("<more>", [Text("inside")]),
        Tree(Node("root", children=[Node("<leaf>", "kept", "3 <records>")], is_open=True)),
    ]  # fmt: skip
    page = html.document("<t>", [html.verdict(["<v>"], good=False)], [Section("<s>", blocks)])
    for part in (
        "<h1>&lt;t&gt;</h1>", '<div class="verdict bad">&lt;v&gt;</div>', "<h2>&lt;s&gt;</h2>", "<p>&lt;a&gt;</p>",
        '<p class="note">&lt;b&gt;</p>', '<th>p</th><th class="number">q</th>',
        '<td class="short">x</td><td class="number">1</td><td class="number">0.5000</td><td class="number">–</td>'
        '<td class="number">9 %</td>',
        '<details class="folded"><summary>&lt;more&gt;</summary><p>inside</p></details>',
        '<li><details class="above" open><summary><span>root</span></summary><ul><li>'
        '<span class="kept">&lt;leaf&gt;</span> '
        "<small>3 &lt;records&gt;</small></li></ul></details></li>",
    ):  # fmt: skip
        assert part in page


def test_frequency_classes() -> None:
    found = classes(np.array([0, 1, 1, 3, 12]), np.array([7]))
    assert [tuple(record.values()) for record in found] == [
        ("0", 1, "before"), ("1", 2, "before"), ("2–4", 1, "before"), ("5–9", 0, "before"), ("10–12", 1, "before"),
        ("0", 0, "after"), ("1", 0, "after"), ("2–4", 0, "after"), ("5–9", 1, "after"), ("10–12", 0, "after"),
    ]  # fmt: skip
    assert classes(np.array([], int), np.array([], int)) == []


PATHS = [["a", "A", "*"], ["b", "A", "*"], ["c", "C", "*"], ["d", "C", "*"], ["e", "*"]]


def test_what_became_of_each_node() -> None:
    tree = tacit.Taxonomy.from_paths(PATHS)
    cut = ItemCut({"a": "A", "b": "A", "c": "c", "d": None, "e": None}, suppressed=("d", "e"))
    found = dict(zip(tree.names, states(tree, cut).tolist(), strict=True))
    assert found == {
        "*": ABOVE,
        "A": GROUP,
        "a": INSIDE,
        "b": INSIDE,
        "C": ABOVE,
        "c": KEPT,
        "d": SUPPRESSED,
        "e": SUPPRESSED,
    }
    assert has_cut(tree, cut)
    assert not has_cut(tree, ItemCut({"a": "(a,c)", "c": "(a,c)"})), "sets of items cut no hierarchy"


def test_the_picture_of_a_cut() -> None:
    tree = tacit.Taxonomy.from_paths(PATHS)
    cut = ItemCut({"a": "A", "b": "A", "c": "c", "d": None, "e": None}, suppressed=("d", "e"))
    records = [tuple(record.values()) for record in cut_picture(tree, cut).records]
    assert records == [
        (0, 0, 5, "above the cut"), (1, 0, 2, "group"), (2, 0, 1, "part of a group"), (2, 1, 2, "part of a group"),
        (1, 2, 4, "above the cut"), (2, 2, 3, "kept"), (2, 3, 4, "suppressed"), (1, 4, 5, "suppressed"),
    ]  # fmt: skip


def test_a_large_hierarchy_is_drawn_in_part() -> None:
    tree = tacit.Taxonomy.flat([str(i) for i in range(5000)])
    cut = ItemCut({str(i): str(i) if i % 2 else None for i in range(5000)})
    half = ItemCut({str(i): str(i) if i < 2500 else None for i in range(5000)})
    assert [tuple(record.values()) for record in cut_picture(tree, half).records] == [
        (0, 0, 5000, "above the cut"), (1, 0, 2500, "kept"), (1, 2500, 5000, "suppressed")
    ]  # fmt: skip
    assert len(cut_picture(tree, cut).records) <= 1 + 300
    folded = cut_tree(tree, cut, {"1": 7})
    assert isinstance(folded, Folded)
    (drawn,) = folded.blocks
    assert isinstance(drawn, Tree)
    assert len(drawn.root.children) == 61
    assert drawn.root.children[1] == Node("1", "kept", "7 records", [])
    assert drawn.root.children[-1] == Node("… and 4,940 more", note="2,470 kept, 2,470 suppressed")


def test_ticks_are_plain_numbers() -> None:
    records = [{"k": k, "loss": k / 1000} for k in (5, 10, 25, 10_000)]
    texts = {
        e.text for e in ElementTree.fromstring(charts.drawn_svg(charts.lines("t", records, "k", "loss"))).iter("text")
    }
    assert {"5", "10", "25", "10000"} <= texts
    logarithmic = charts.drawn_svg(charts.lines("t", records, "k", "loss", log=True))
    assert {"0.01", "1", "10"} <= {element.text for element in ElementTree.fromstring(logarithmic).iter("text")}


def test_a_small_hierarchy_is_open_down_to_its_cut() -> None:
    tree = tacit.Taxonomy.from_paths(PATHS)
    cut = ItemCut({"a": "A", "b": "A", "c": "c", "d": None, "e": None}, suppressed=("d", "e"))
    drawn = cut_tree(tree, cut, {"A": 3, "c": 1})
    group = Node("A", "group", "2 leaves, 3 records", [Node("a", "inside", "", []), Node("b", "inside", "", [])])
    split = Node(
        "C", "", "2 leaves", [Node("c", "kept", "1 record", []), Node("d", "suppressed", "", [])], is_open=True
    )
    assert drawn == Tree(Node("*", "", "5 leaves", [group, split, Node("e", "suppressed", "", [])], is_open=True))


def test_a_heat_map_has_the_same_order_on_both_sides() -> None:
    """Though no name is paired with itself, so that the first of the one side is not the first of the other."""
    records = [{"x": x, "y": y, "v": 0.5} for y in "abc" for x in "abc" if x != y]
    encoding = charts.heat_map("t", records, "x", "y", "v").spec["encoding"]
    assert encoding["x"]["scale"]["domain"] == encoding["y"]["scale"]["domain"] == ["a", "b", "c"]


def test_names_of_marks_do_not_cover_each_other() -> None:
    def mark(x: float, y: float, *, chosen: bool = False) -> dict[str, Any]:
        return {"method": "a", "name": "k = 10", "x": x, "y": y, "chosen": chosen}

    crowd = [mark(0.5 + at / 1000, 0.5, chosen=at == 7) for at in range(8)]
    alone, edge = mark(0.2, 0.9), mark(1.0, 0.1)
    drawn = charts.trade_off(
        "", [*crowd, alone, edge], "x", "y", series="method", x_axis="x", y_axis="y", limit=0.09
    ).records
    sides = [record["side"] for record in drawn]
    assert sides[7] is not None, "what is chosen has its name"
    assert sides.count(None) >= 4, "there is no room for all"
    assert sides[8] == 0 and sides[9] == 2, "at the edge it stands to the left"
