"""private/report.html: one self-contained page for the data's owner. Records first, drawing second."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tacit import __version__

if TYPE_CHECKING:
    from tacit.baskets import ItemColumns
    from tacit.recoding import Recoding
    from tacit.release import Release

_SAMPLES = 8
_BARS = 25
_SUPPRESSED = 200

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

_MEASURES = {
    "ncp": "loss (NCP): share of what the items said that is lost; 0 none, 1 all; lower is better",
    "ncp_leaf_share": "the same as other tools count it (leaves ÷ all leaves); lower is better",
    "suppressed": "occurrences taken out, 0 to 1; lower is better",
    "generalized": "occurrences shown as a group, 0 to 1; lower is better",
    "unchanged": "occurrences shown as they were, 0 to 1; higher is better",
    "emptied_baskets": "records that lost all their items; lower is better",
    "items_before": "different items in the original",
    "items_after": "different names in the release",
    "records": "records, before and after",
}


class ShownItem(NamedTuple):
    """A published name, how many records have it, and how many leaves of the hierarchy it stands for."""

    name: str
    records: int
    stands_for: int


class Sample(NamedTuple):
    """A record before and after: for the data's owner only."""

    before: str
    after: str


def shown_items(after: ItemColumns, recoding: Recoding, column: int) -> list[ShownItem]:
    """The published names of a column, the most frequent first."""
    stands_for = Counter(recoding.columns[after.columns[column].name].becomes.values())
    records = np.bincount(after.baskets.items, minlength=len(after.baskets.vocabulary))
    names = [(after.baskets.vocabulary[i], int(records[i])) for i in np.flatnonzero(after.column_of == column)]
    rows = [ShownItem(name, count, stands_for.get(name, 1)) for name, count in names]
    return sorted(rows, key=lambda row: (-row.records, row.name))


def samples(before: ItemColumns, after: ItemColumns, original: np.ndarray) -> list[Sample]:
    """The first records of the release."""
    return [Sample(_basket(before, was), _basket(after, now)) for now, was in enumerate(original[:_SAMPLES].tolist())]


def report_page(release: Release, output_hash: str | None = None) -> str:
    """The whole page."""
    before, after = release.before.items, release.read(release.table)
    title = escape(_title(release))
    parts = [
        *_verdict(release, title),
        *_cost(release),
        *(part for number in range(len(after.columns)) for part in _items(release, after, number)),
        "<h2>Some records, before and after</h2>",
        _table(("before", "after"), samples(before, after, release.original), ("items", "items")),
        "<h2>How it was made</h2>",
        _table(None, _origin(release, output_hash), ("", "items")),
    ]
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
    yield "<p>It does not stop somebody who knows more than that, and it does not hide what is common to many.</p>"
    if release.published_before is not None:
        yield '<p class="note">Audited together with the earlier release that this one adds to.</p>'
    yield from (f'<p class="note">{escape(note)}</p>' for note in release.notes)


def _cost(release: Release) -> Iterator[str]:
    yield "<h2>What it cost</h2>"
    rows = [(text, _number(release.utility[key])) for key, text in _MEASURES.items()]
    yield _table(None, rows, ("", "number"))


def _items(release: Release, after: ItemColumns, number: int) -> Iterator[str]:
    name = after.columns[number].name
    cut = release.recoding.columns[name]
    rows = shown_items(after, release.recoding, number)
    most = max((row.records for row in rows), default=1)
    yield f"<h2>What is shown in {escape(name)}</h2>"
    yield f"<p>{escape(str(cut))}</p>"
    body = "".join(
        f'<tr><td class="items">{escape(row.name)}</td><td class="number">{row.records:,}</td>'
        f'<td class="number">{row.stands_for:,}</td>'
        f'<td class="bar"><span style="width:{100 * row.records / most:.1f}%"></span></td></tr>'
        for row in rows[:_BARS]
    )
    head = '<th>name</th><th class="number">records</th><th class="number">stands for</th><th></th>'
    yield f'<div class="wide"><table><tr>{head}</tr>{body}</table></div>'
    if len(rows) > _BARS:
        yield f"<p>… and {len(rows) - _BARS:,} more</p>"
    if cut.suppressed:
        more = ", …" * (len(cut.suppressed) > _SUPPRESSED)
        yield f"<p>Suppressed everywhere: {escape(', '.join(cut.suppressed[:_SUPPRESSED]))}{more}</p>"


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


def _basket(items: ItemColumns, row: int) -> str:
    baskets = items.baskets
    codes = baskets.items[baskets.indptr[row] : baskets.indptr[row + 1]].tolist()
    return ", ".join(baskets.vocabulary[code] for code in codes) or "(empty)"


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.4f}"


def _table(head: tuple[str, str] | None, rows: Sequence[tuple[str, str]], kinds: tuple[str, str]) -> str:
    """A table of two columns; cells are text, which is escaped here."""

    def row(tag: str, cells: tuple[str, str]) -> str:
        pairs = zip(kinds, cells, strict=True)
        return "<tr>" + "".join(f'<{tag} class="{kind}">{escape(cell)}</{tag}>' for kind, cell in pairs) + "</tr>"

    body = "".join(row("td", cells) for cells in rows)
    return f'<div class="wide"><table>{row("th", head) if head else ""}{body}</table></div>'
