"""Blocks as HTML: one self-contained page that opens offline, on a desk or a phone, by day or night, and prints."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import groupby, zip_longest
from typing import Any

from tacit.report.blocks import Bars, Block, Chart, Folded, Grid, Node, Number, Section, Text, Tree, Words
from tacit.report.charts import drawn_svg

_DIGITS = ((1000, 0), (100, 1), (10, 2), (0, 4))
"""From which size on a number has how many digits behind its point."""
_SHORT = 16
"""A text of so many signs is not broken."""
_HASH = re.compile("[0-9a-f]{64}")
_MANY = 6
"""A table with more columns than that is set small."""
STYLE = """
:root { color-scheme: light dark; --ink: #1c2430; --paper: #fff; --soft: #f2f4f7; --line: #d5dae1; --dim: #5b6675;
  --good: #1a7f4b; --bad: #b3261e; --bar: #3b6fb6; --warn: #8a5a00; --c1: #3b6fb6; --c2: #c8553d; --c3: #2f8f6b;
  --c4: #8a5fb0; --c5: #a87b1c; --c6: #3f97bd; --c7: #b84c83; --c8: #6b7685 }
@media screen and (prefers-color-scheme: dark) { :root { --ink: #e6e9ee; --paper: #14181e; --soft: #1d232b;
  --line: #37404c; --dim: #9aa5b4; --good: #5fce95; --bad: #ff8a80; --bar: #7aa7e8; --warn: #e0b050; --c1: #7aa7e8;
  --c2: #f08a70; --c3: #6cc9a3; --c4: #c19be6; --c5: #dcb255; --c6: #7fcbe8; --c7: #ea8fbb; --c8: #a3aebb } }
* { box-sizing: border-box }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  margin: 0 auto; padding: 1.5rem; max-width: 60rem; overflow-wrap: break-word }
h1 { font-size: 1.6rem; margin: 0 0 .5rem } h2 { font-size: 1.2rem; margin: 2rem 0 .5rem }
p { margin: .5rem 0 }
.verdict { border-left: .4rem solid var(--good); background: var(--soft); padding: .8rem 1rem; border-radius: .3rem }
.verdict.doubtful { border-color: var(--warn) } .verdict strong { color: var(--warn) }
.verdict.bad { border-color: var(--bad); color: var(--bad); font-weight: 600 }
.note { color: var(--warn) }
.wide { overflow-x: auto; background: linear-gradient(to right, var(--paper) 50%, transparent) local,
  linear-gradient(to left, var(--paper) 50%, transparent) right local,
  linear-gradient(to right, var(--line), transparent), linear-gradient(to left, var(--line), transparent) right;
  background-repeat: no-repeat; background-size: 2rem 100%, 2rem 100%, .8rem 100%, .8rem 100% }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top }
th { font-weight: 600; color: var(--dim) }
.number { text-align: right; white-space: nowrap } .items { min-width: 11.5rem; overflow-wrap: anywhere }
.number + .items { white-space: nowrap }
.short { white-space: nowrap } .bar { width: 45% } .hash { font: .8rem/1.9 monospace; overflow-wrap: anywhere }
.many { font-size: .75rem } .many th, .many td { padding: .2rem .3rem } .many .short { white-space: normal }
.many .items { min-width: 4rem }
.bar svg { height: .9rem; margin-top: .3rem; min-width: 1px } .bar rect { fill: var(--bar) }
.charts { display: flex; flex-wrap: wrap; gap: 1rem 2rem }
figure { margin: .5rem 0; max-width: 100% } figcaption { font-weight: 600; max-width: 26rem }
svg { display: block; max-width: 100%; height: auto; overflow: visible }
summary { cursor: pointer } details.folded { margin: .8rem 0 }
.tree, .tree ul { list-style: none; margin: 0; padding-left: 1.1rem } .tree { padding-left: 0 }
.tree li { border-left: 1px solid var(--line); padding-left: .5rem }
.tree small { color: var(--dim) }
.kept { color: var(--good) } .group { color: var(--bar); font-weight: 600 } .inside { color: var(--dim) }
.suppressed { color: var(--bad); text-decoration: line-through }
@media screen and (max-width: 40rem) { body { padding: 1rem } .bar { width: 20% }
  table { font-size: .9rem } th, td { padding: .3rem .2rem } .items { min-width: 7rem }
  .many .items { min-width: 9rem } td.items:nth-child(n + 5) { min-width: 14rem }
  .number + .items { white-space: normal } }
@page { margin: 14mm }
@media print { :root { --ink: #000; --line: #bbb; --dim: #444 } * { print-color-adjust: exact }
  body { max-width: none; padding: 0; font-size: 11pt } h2, thead, figcaption, p:has(+ div) { break-after: avoid }
  tr, figure, .verdict { break-inside: avoid } .wide { overflow: visible; background: none }
  .many { font-size: .58rem } .many th, .many td { padding: .1rem .2rem } .items { min-width: 4rem }
  .charts { display: block; orphans: 1; widows: 1 }
  .charts figure { display: inline-block; vertical-align: top; width: 48%; margin-right: 1% }
  details.folded::details-content, details.above::details-content { content-visibility: visible } }
"""


def document(title: str, parts: Sequence[str], sections: Sequence[Section]) -> str:
    """The page: a heading, parts that are HTML already, then the sections."""
    body = [f"<h1>{escape(title)}</h1>", *parts, *(part for section in sections for part in _drawn_section(section))]
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}</style></head>\n'
        "<body>" + "\n".join(body) + "</body></html>\n"
    )


def verdict(lines: Sequence[str], *, good: bool, doubts: Sequence[str] = (), more: Sequence[str] = ()) -> str:
    """A box that nobody overlooks: green, red, or amber if the promise holds and the data tell little for it.

    What only few read, `more`, is folded in it.
    """
    kind = "" if good and not doubts else " doubtful" if good else " bad"
    said = [*map(escape, lines), *(f"<strong>{escape(doubt)}</strong>" for doubt in doubts)]
    rest = f'<details class="folded"><summary>More of the audit</summary>{"<br>".join(map(escape, more))}</details>'
    return f'<div class="verdict{kind}">{"<br>".join(said)}{rest if more else ""}</div>'


def _drawn_section(section: Section) -> Iterator[str]:
    yield f"<h2>{escape(section.title)}</h2>"
    yield from _drawn_all(section.blocks)


def _drawn_all(blocks: Sequence[Block]) -> Iterator[str]:
    """Charts that follow each other stand side by side where there is room."""
    for is_chart, some in groupby(blocks, lambda block: isinstance(block, Chart)):
        drawn = "".join(map(_drawn, some))
        yield f'<div class="charts">{drawn}</div>' if is_chart else drawn


def _drawn(block: Block) -> str:
    match block:
        case Text(text, is_note):
            inside = escape(text).replace("\n", "<br>")
            return f'<p class="note">{inside}</p>' if is_note else f"<p>{inside}</p>"
        case Grid(rows, head, of_data):
            return _table(head, rows, of_data=of_data)
        case Bars(rows, head, length):
            most = max((row[length] for row in rows), default=1) or 1
            bars = (f'<td class="bar">{_bar(100 * row[length] / most)}</td>' for row in rows)
            return _table(head, rows, bars, length + 1)
        case Chart():
            return _figure(block)
        case Tree(root):
            return f'<ul class="tree">{_node(root)}</ul>'
        case Folded(title, blocks):
            inside = "".join(_drawn_all(blocks))
            return f'<details class="folded"><summary>{escape(title)}</summary>{inside}</details>'


def _bar(percent: float) -> str:
    """A bar without a style of its own, so that a page with a strict policy shows it, too."""
    return f'<svg width="{percent:.1f}%" aria-hidden="true"><rect width="100%" height="100%" rx="2"/></svg>'


def _figure(chart: Chart) -> str:
    """A chart with its title; its records as a table, should the engine not draw them."""
    try:
        drawn = drawn_svg(chart)
    except ValueError:
        head = list(chart.records[0]) if chart.records else []
        drawn = _table(head, [list(record.values()) for record in chart.records])
    title = escape(chart.title)
    return f'<figure><figcaption>{title}</figcaption><div role="img" aria-label="{title}">{drawn}</div></figure>'


def _node(node: Node) -> str:
    state = f' class="{escape(node.state)}"' if node.state else ""
    own = f"<span{state}>{escape(node.name)}</span>" + (f" <small>{escape(node.note)}</small>" if node.note else "")
    if not node.children:
        return f"<li>{own}</li>"
    inside = "".join(map(_node, node.children))
    above = "" if node.state else ' class="above"'  # on paper these are open, so that the whole cut is seen
    return f"<li><details{above}{' open' * node.is_open}><summary>{own}</summary><ul>{inside}</ul></details></li>"


def _cells(row: Sequence[Any]) -> str:
    """Cells as HTML; text is escaped here, numbers stand to the right."""
    kinds = ((cell, _text_kind(cell)) if _is_text(cell) else (_number(cell), "number") for cell in row)
    return "".join(f'<td class="{kind}">{escape(text)}</td>' for text, kind in kinds)


def _text_kind(text: str) -> str:
    if _HASH.fullmatch(text):
        return "hash"
    return ("items" if len(text) > _SHORT else "short") + " said" * isinstance(text, Words)


def _is_text(cell: Any) -> bool:
    return isinstance(cell, str) and not isinstance(cell, Number)


def _number(value: float | Number | None) -> str:
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return f"{value:,}"
    if value == 0 or (abs(value) >= 1 and value * 2 == int(value * 2)):  # a median is a whole number, or a half
        return f"{value:,.12g}" if abs(value) < 1e12 else f"{value:,.0f}"
    digits = next(digits for least, digits in _DIGITS if abs(value) >= least)
    return f"{value:,.{digits}f}"


def _table(
    head: Sequence[str],
    rows: Sequence[Sequence[Any]],
    bars: Iterable[str] = (),
    at: int | None = None,
    *,
    of_data: bool = False,
) -> str:
    """Rows as a table, each with a bar that is HTML already before the column `at`; heads stand as their columns."""
    right = [not _is_text(cell) for cell in rows[0]] if rows else []
    kinds = (" ".join(["number"] * bool(number) + ["of-data"] * of_data) for number in right[: len(head)])
    heads = [_heading(name, kind) for name, kind in zip_longest(head, kinds, fillvalue="")]
    if at is not None:
        heads.insert(at, _heading(""))
    top = f"<thead><tr>{''.join(heads)}</tr></thead>" if head else ""
    lines = (
        f"<tr>{_cells(row[:at])}{bar}{_cells(row[at:]) if at is not None else ''}</tr>"
        for row, bar in zip_longest(rows, bars, fillvalue="")
    )
    small = ' class="many"' if len(right) > _MANY else ""
    return f'<div class="wide" tabindex="0"><table{small}>{top}<tbody>{"".join(lines)}</tbody></table></div>'


def _heading(name: str, kind: str = "") -> str:
    """The head of a column; nothing is read out where there is none."""
    if not name:
        return "<td></td>"
    return f'<th class="{kind}">{escape(name)}</th>' if kind else f"<th>{escape(name)}</th>"
