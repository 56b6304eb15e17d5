"""private/report.html: one self-contained page for the data's owner. Records first, drawing second."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tacit import __version__

if TYPE_CHECKING:
    from tacit.release import Release

_SAMPLE = 8
_BARS = 25

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
td.number { text-align: right } td.bar { width: 45% } td.items { word-break: break-word }
.bar span { display: block; height: .9rem; background: var(--bar); border-radius: .15rem; min-width: 1px }
code { word-break: break-all }
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
    """A published name, how many records have it, and how many original items it stands for."""

    name: str
    records: int
    stands_for: int


def shown_items(release: Release, column: str) -> list[ShownItem]:
    """The published names of a column, the most frequent first."""
    from tacit.baskets import read_items

    cut = release.recoding.columns[column]
    stands_for: dict[str, int] = {}
    for node in cut.becomes.values():
        if node is not None:
            stands_for[node] = stands_for.get(node, 0) + 1
    items = read_items(release.table, release.job)
    number = [c.name for c in items.columns].index(column)
    counts = np.bincount(items.baskets.items, minlength=len(items.baskets.vocabulary))
    rows = [
        ShownItem(items.baskets.vocabulary[i], int(counts[i]), stands_for.get(items.baskets.vocabulary[i], 1))
        for i in np.flatnonzero(items.column_of == number).tolist()
    ]
    return sorted(rows, key=lambda row: (-row.records, row.name))


def samples(release: Release) -> list[tuple[str, str]]:
    """Some records before and after, the first of the release: for the data's owner only."""
    before, after = release.before.items.baskets, _items(release)
    shown = []
    for row, original in enumerate(release.original[:_SAMPLE].tolist()):
        was = before.items[before.indptr[original] : before.indptr[original + 1]]
        now = after.items[after.indptr[row] : after.indptr[row + 1]]
        shown.append((", ".join(before.vocabulary[i] for i in was), ", ".join(after.vocabulary[i] for i in now)))
    return shown


def report_page(release: Release, output_hash: str | None = None) -> str:
    """The whole page."""
    audit, job = release.audit, release.job
    good = audit.satisfied is True
    parts = [
        f"<h1>{'Release' if good else 'Not a release'}: {escape(_title(release))}</h1>",
        f"<p>{escape(job.promise.in_words())}</p>",
        "<p>It does not stop somebody who knows more than that, and it does not hide what is common to many.</p>",
        f'<div class="verdict{"" if good else " bad"}">{escape(str(audit))}</div>',
        *(f'<p class="note">{escape(note)}</p>' for note in release.notes),
        "<h2>What it cost</h2>",
        _table(("measure", ""), [(escape(text), _number(release.utility[key])) for key, text in _MEASURES.items()]),
        "<h2>What was done</h2>",
        "<p>" + "<br>".join(map(escape, str(release.recoding).splitlines())) + "</p>",
    ]
    for column in job.columns_with("items"):
        parts += [f"<h2>What is shown in {escape(column.name)}</h2>", _bars(shown_items(release, column.name))]
        if release.recoding.columns[column.name].suppressed:
            gone = ", ".join(map(escape, release.recoding.columns[column.name].suppressed[:200]))
            parts.append(f"<p>Suppressed everywhere: {gone}</p>")
    rows = [(escape(was) or "(empty)", escape(now) or "(empty)") for was, now in samples(release)]
    parts += ["<h2>Some records, before and after</h2>", _table(("before", "after"), rows, "items")]
    parts += ["<h2>How it was made</h2>", _table(("", ""), _origin(release, output_hash))]
    title = escape(_title(release))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{_STYLE}</style></head>'
        f"<body>{''.join(parts)}</body></html>\n"
    )


def _items(release: Release):  # type: ignore[no-untyped-def]
    from tacit.baskets import read_items

    return read_items(release.table, release.job).baskets


def _title(release: Release) -> str:
    parameters = ", ".join(f"{key} = {value}" for key, value in release.job.promise.parameters().items())
    return f"{release.job.promise.name} ({parameters})"


def _origin(release: Release, output_hash: str | None) -> list[tuple[str, str]]:
    job = release.job
    rows = [
        ("method", job.method.name or ""),
        *((f"option {key}", str(value)) for key, value in job.method.options.items()),
        ("seed", str(job.method.seed)),
        ("source", str(job.input.source)),
        ("tacit", __version__),
    ]
    if output_hash:
        rows.append(("SHA-256 of the data file", output_hash))
    return [(escape(name), f"<code>{escape(value)}</code>") for name, value in rows]


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.4f}"


def _table(head: tuple[str, str], rows: list[tuple[str, str]], kind: str = "") -> str:
    body = "".join("<tr>" + "".join(f'<td class="{kind}">{cell}</td>' for cell in row) + "</tr>" for row in rows)
    return f'<div class="wide"><table><tr><th>{head[0]}</th><th>{head[1]}</th></tr>{body}</table></div>'


def _bars(rows: list[ShownItem]) -> str:
    most = max((row.records for row in rows), default=1)
    body = "".join(
        f'<tr><td class="items">{escape(row.name)}</td><td class="number">{row.records:,}</td>'
        f'<td class="number">{row.stands_for:,}</td>'
        f'<td class="bar"><span style="width:{100 * row.records / most:.1f}%"></span></td></tr>'
        for row in rows[:_BARS]
    )
    more = f"<p>… and {len(rows) - _BARS:,} more</p>" if len(rows) > _BARS else ""
    head = "<tr><th>name</th><th>records</th><th>items it stands for</th><th></th></tr>"
    return f'<div class="wide"><table>{head}{body}</table></div>{more}'
