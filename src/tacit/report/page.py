"""private/report.html: one self-contained page for the data's owner. Records first, drawing second."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from tacit import __version__
from tacit.report.blocks import Bars, Block, Chart, Grid, Section, Text
from tacit.utility.meanings import MEASURES

if TYPE_CHECKING:
    from tacit.release import Release

_STYLE = """
:root { color-scheme: light dark; --ink: #1c2430; --paper: #fff; --soft: #f2f4f7; --line: #d5dae1; --good: #1a7f4b;
  --bad: #b3261e; --bar: #3b6fb6; --warn: #8a5a00 }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ee; --paper: #14181e; --soft: #1d232b; --line: #37404c;
  --good: #5fce95; --bad: #ff8a80; --bar: #7aa7e8; --warn: #e0b050 } }
* { box-sizing: border-box }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  margin: 0 auto; padding: 1.5rem; max-width: 60rem }
h1 { font-size: 1.6rem; margin: 0 0 .5rem } h2 { font-size: 1.2rem; margin: 2rem 0 .5rem }
.verdict { border-left: .4rem solid var(--good); background: var(--soft); padding: .8rem 1rem; border-radius: .3rem }
.verdict.bad { border-color: var(--bad); color: var(--bad); font-weight: 600 }
.note { color: var(--warn) }
.wide { overflow-x: auto }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top }
.number { text-align: right } .bar { width: 45% } .items { overflow-wrap: anywhere; min-width: 8rem }
.bar span { display: block; height: .9rem; background: var(--bar); border-radius: .15rem; min-width: 1px }
@media (max-width: 40rem) { body { padding: 1rem } .bar { width: 20% } th, td { padding: .3rem } }
@media print { body { max-width: none; padding: 0 } h2 { break-after: avoid } tr { break-inside: avoid } }
"""


def report_page(release: Release, output_hash: str | None = None) -> str:
    """The whole page."""
    title = escape(_title(release))
    sections = [
        Section("What it cost", [Grid(list(_measures(release.utility)))]),
        *release.kind.sections(release),
        Section("How it was made", [Grid(_origin(release, output_hash))]),
    ]
    parts = [*_verdict(release, title), *(part for section in sections for part in _drawn_section(section))]
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{_STYLE}</style></head>\n'
        "<body>" + "\n".join(parts) + "</body></html>\n"
    )


def _title(release: Release) -> str:
    promise = release.job.promise
    parameters = ", ".join(f"{key} = {value}" for key, value in promise.parameters().items())
    return f"Release: {promise.name} ({parameters})"


def _verdict(release: Release, title: str) -> Iterator[str]:
    kind = "verdict" if release.audit.satisfied is True else "verdict bad"
    yield f"<h1>{title}</h1>"
    yield f'<div class="{kind}">{"<br>".join(map(escape, str(release.audit).splitlines()))}</div>'
    yield f"<p>{escape(release.job.promise.not_stopped)}</p>"
    if release.published_before is not None:
        yield '<p class="note">Audited together with the earlier release that this one adds to.</p>'
    yield from (f'<p class="note">{escape(note)}</p>' for note in release.notes)


def _measures(utility: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Each measure in words, with what it came to; a measure of several numbers takes a row for each."""
    for key, value in utility.items():
        words = MEASURES[key].in_words() if key in MEASURES else key
        if isinstance(value, dict):
            yield from ((f"{words}, {part}", number) for part, number in value.items())
        else:
            yield words, value


def _origin(release: Release, output_hash: str | None) -> list[tuple[str, str]]:
    job = release.job
    rows = [
        ("method", str(job.method.name)),
        *((f"option {key}", str(value)) for key, value in job.method.options.items()),
        ("seed", str(job.method.seed)),
        ("source", re.sub(r"(?<=://)[^/@]*@", "", str(job.input.source))),  # a page gets around: no password in it
        ("tacit", __version__),
    ]
    return [*rows, ("SHA-256 of the data file", output_hash)] if output_hash else rows


def _drawn_section(section: Section) -> Iterator[str]:
    yield f"<h2>{escape(section.title)}</h2>"
    yield from map(_drawn, section.blocks)


def _drawn(block: Block) -> str:
    match block:
        case Text(text, is_note):
            return f"<p{' class=note' * is_note}>{escape(text)}</p>"
        case Grid(rows, head):
            return _table(head, [_cells(row) for row in rows])
        case Bars(rows, head, length):
            most = max((row[length] for row in rows), default=1)
            bars = (f'<td class="bar"><span style="width:{100 * row[length] / most:.1f}%"></span></td>' for row in rows)
            return _table((*head, ""), [_cells(row) + bar for row, bar in zip(rows, bars, strict=True)])
        case Chart():
            raise NotImplementedError  # drawn by the charts of the report


def _cells(row: Sequence[Any]) -> str:
    """Cells as HTML; text is escaped here, numbers stand to the right."""
    kinds = ((cell, "items") if isinstance(cell, str) else (_number(cell), "number") for cell in row)
    return "".join(f'<td class="{kind}">{escape(text)}</td>' for text, kind in kinds)


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,}" if isinstance(value, int) else f"{value:.4f}"


def _table(head: Sequence[str], rows: Sequence[str]) -> str:
    top = "<tr>" + "".join(f"<th>{escape(cell)}</th>" for cell in head) + "</tr>" if head else ""
    return f'<div class="wide"><table>{top}{"".join(f"<tr>{row}</tr>" for row in rows)}</table></div>'
