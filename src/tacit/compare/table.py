"""The outcome of a comparison as a table: a row a cell, for a file, for the terminal, and for the page."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from tacit.compare.risk import is_figure
from tacit.compare.run import Outcome
from tacit.report.meanings import MEASURES

STATUS = {"done": "done", "failed": "failed", "timeout": "too slow"}
_FIRST_LOSSES = ("ncp", "ncp_items", "ul", "distortion_per_rating", "distortion", "are", "correlation_kept")
"""The measure that stands for the loss, where a kind of data has several: the first of these."""
_WIDEST = 60


def rows_of(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """The cells as flat rows of the same columns; what a cell lacks is None."""
    flat = [_flat(outcome) for outcome in outcomes]
    early = dict.fromkeys(key for row in flat for key in row["settings"])
    late = dict.fromkeys(key for row in flat for key in row["measures"])
    return [
        {
            "method": row["method"],
            "model": row["model"],
            **{key: row["settings"].get(key) for key in early},
            "status": row["status"],
            "exit_code": row["exit_code"],
            "seconds": row["seconds"],
            "search_seconds": row["search_seconds"],
            "peak_mib": row["peak_mib"],
            **{key: row["measures"].get(key) for key in late},
            "message": row["message"],
        }
        for row in flat
    ]


def _flat(outcome: Outcome) -> dict[str, Any]:
    varied = {short(key): value for key, value in outcome["settings"].items()}
    return {
        "method": outcome["method"],
        "model": outcome["model"],
        "settings": outcome["parameters"] | varied,
        "status": outcome["status"],
        "exit_code": outcome.get("exit_code"),
        "seconds": outcome.get("seconds"),
        "search_seconds": outcome.get("stages", {}).get("searching"),
        "peak_mib": outcome.get("peak_mib"),
        "measures": measures_of(outcome),
        "message": " ".join(str(outcome.get("message", "")).split()) or None,
    }


def measures_of(outcome: Outcome) -> dict[str, float | None]:
    """The measures of a cell; one of several numbers becomes several measures. An attack (a list) is none."""
    flat: dict[str, float | None] = {}
    for key, value in outcome.get("utility", {}).items():
        if isinstance(value, dict):
            flat |= {f"{key}.{part}": number for part, number in value.items()}
        elif not isinstance(value, list):
            flat[key] = value
    return flat | {f"risk.{key}": value for key, value in outcome.get("risk", {}).items() if is_figure(value)}


def short(key: str) -> str:
    """How a varied key is called in a table: `privacy.k` is `k`."""
    return key.removeprefix("privacy.").removeprefix("input.")


def judged(outcomes: Sequence[Outcome]) -> list[str]:
    """The measures that are better lower or higher; first the one that stands for the loss, which is not always 0."""
    flat = [measures_of(outcome) for outcome in outcomes]
    seen = dict.fromkeys(key for measures in flat for key in measures)
    wholes = {key: key.partition(".")[0] for key in seen}
    known = [key for key, of in wholes.items() if of in MEASURES and MEASURES[of].better and "_by_" not in of]
    tells = [key for key in (*_FIRST_LOSSES, *known) if key in known and any(measures.get(key) for measures in flat)]
    return [*tells[:1], *(key for key in known if key not in tells[:1])]


def losses_of(outcomes: Sequence[Outcome]) -> list[str]:
    """The measure that stands for the loss; of records with baskets that in values and that in items."""
    loss = judged(outcomes)[:1]
    both = [key for key in ("ncp", "ncp_items") if any(key in measures_of(outcome) for outcome in outcomes)]
    return both if len(both) == 2 else loss


def exit_code(outcomes: Sequence[Outcome]) -> int:
    """0 if any cell was done; otherwise the exit code that all of them share, or 1 where a cell was ended."""
    codes = {outcome.get("exit_code") for outcome in outcomes}
    if 0 in codes:
        return 0
    return next((code for code in (2, 3, 70) if codes == {code}), 1)


def as_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """The content of table.csv: numbers to ten digits, an empty cell for what is not there."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: _written(value) for key, value in row.items()} for row in rows)
    return text.getvalue()


def _written(value: Any) -> Any:
    """A cell of the file; 16.666666666666668 is 16.66666667."""
    return "" if value is None else format(value, ".10g") if isinstance(value, float) else value


def as_text(outcomes: Sequence[Outcome]) -> str:
    """The table for the terminal: what was asked for, what it cost, and why there is nothing."""
    loss = losses_of(outcomes)
    keys = ("status", "seconds", "search_seconds", "peak_mib", *loss, "message")
    rows = rows_of(outcomes)
    settings = list(rows[0])[: list(rows[0]).index("status")]
    head = [*settings, *(key for key in keys if any(row.get(key) is not None for row in rows))]
    cells = [[_shown(row.get(key)) for key in head] for row in rows]
    widths = [max(map(len, column)) for column in zip(head, *cells, strict=True)]
    numeric = [all(row.get(key) is None or not isinstance(row[key], str) for row in rows) for key in head]
    lines = [[*head], *cells]
    return "\n".join(
        "  ".join(
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(line, widths, numeric, strict=True)
        ).rstrip()
        for line in lines
    )


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4f}" if abs(value) < 10 else f"{value:,.1f}"
    text = f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
    return text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…"
