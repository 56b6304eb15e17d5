"""The page of a comparison: its table, and loss, time and memory against what was varied."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tacit import __version__
from tacit.compare.risk import TOLERATED, enough
from tacit.compare.run import Outcome
from tacit.compare.table import STATUS, judged, losses_of, measures_of, rows_of, short
from tacit.report.blocks import Block, Chart, Folded, Grid, Number, Section, Text
from tacit.report.charts import bars, lines, trade_off
from tacit.report.html import document
from tacit.report.meanings import MEASURES

_SHOWN_SETTINGS = 6
"""Charts for so many settings of the other keys; the table has them all."""
_SHOWN_MEASURES = 8
_SHOWN_OTHERS = 12
_WIDE = 20
"""Values so far apart are drawn on a logarithmic scale, on which small ones can be told apart, too."""
_RESOURCES = {"seconds": "time (seconds)", "peak_mib": "memory at its peak (MiB)"}


def comparison_page(job_name: str, outcomes: Sequence[Outcome], threshold: float = TOLERATED) -> str:
    """The whole page."""
    done = [outcome for outcome in outcomes if outcome["status"] == "done"]
    models = {outcome["model"] for outcome in outcomes}
    about = [
        Text(
            f"{len(outcomes):,} cells of {job_name}, {len(done):,} of them done. Each is a release made and audited in "
            "memory in a process of its own; nothing was published. Why a cell failed may be told with names of items, "
            "so this page is for the data's owner alone."
        )
    ]
    if len(models) > 1:
        about.append(
            Text(f"Not all methods make the same promise: see the column model ({', '.join(sorted(models))}).")
        )
    sections = [Section("The table", [*about, _table(outcomes), *_failures(outcomes)])]
    sections += [*_risk_against_loss(done, threshold), *_plots(done)]
    sections.append(Section("How to read it", [Grid([*_meanings(outcomes)], ("column", "meaning"))]))
    return document(f"Comparison of {_methods(outcomes)}", [], sections)


def _risk_against_loss(done: Sequence[Outcome], threshold: float) -> Iterator[Section]:
    """What is left of risk and what is lost, a point a cell; which one is enough."""
    blocks: list[Block] = []
    losses, measures = losses_of(done), [measures_of(outcome) for outcome in done]
    best = enough(done, losses, threshold, higher_is_better=are_better_high(losses))
    for loss in losses:
        records = [
            {
                "method": outcome["method"], "name": _settings(outcome), "risk": each["risk.attack"],
                "loss": each[loss], "chosen": outcome is best,
            }
            for outcome, each in zip(done, measures, strict=True)
            if each.get("risk.attack") is not None and each.get(loss) is not None
        ]  # fmt: skip
        if not records:
            continue
        blocks.append(
            trade_off(
                f"risk against {_title(loss)}", records, "risk", "loss", series="method",
                x_axis="risk: success of the strongest attack", y_axis=_title(loss),
                limit=threshold,
            )
        )  # fmt: skip
    if blocks:
        blocks.append(Text(in_words(best, losses, threshold)))
        told = (
            "Each release was attacked: risk is the success of the strongest attacker that the promise is about (if it "
            "is about none, of any who looks for a person's record). The ring is around the cell that is enough for "
            "the tolerated risk (the broken line; --threshold): of those whose 95 % interval ends below it the one "
            "that loses least, in the sum of both where values and items are lost."
        )
        yield Section("Risk against loss", [Text(told), *blocks])


def in_words(best: Mapping[str, Any] | None, losses: Sequence[str], threshold: float) -> str:
    """Which cell is enough, for a page and for the terminal."""
    if best is None:
        return f"No cell is enough for a risk of {threshold:g}."
    measures = measures_of(dict(best))
    said = ", ".join(filter(None, (best["method"], _settings(best))))
    lost = ", ".join(f"{_title(loss)} {measures[loss]:.4g}" for loss in losses)
    return f"Enough for a risk of {threshold:g}: {said} (risk {measures['risk.attack']:.1%}, {lost})."


def are_better_high(measures: Sequence[str]) -> bool:
    """Whether more is better of what stands for the loss; several add up, and less is better of all of them."""
    of = [measure.partition(".")[0] for measure in measures]
    return len(of) == 1 and of[0] in MEASURES and MEASURES[of[0]].better == "higher"


def _settings(outcome: Mapping[str, Any]) -> str:
    return ", ".join(f"{short(key)} = {value}" for key, value in outcome["settings"].items())


def plots(outcomes: Sequence[Outcome], key: str, measure: str) -> list[Chart]:
    """A measure against a varied key, a line for each method; a chart for each setting of the other keys.

    A method to which one of the other keys means nothing stands in all charts. Cells that came to nothing have no
    point.
    """
    there = [outcome for outcome in outcomes if key in outcome["settings"]]
    methods = list(dict.fromkeys(outcome["method"] for outcome in there))
    made = []
    for setting in _other_settings(there, key):
        records = [
            {"method": outcome["method"], "x": outcome["settings"][key], "y": value_of(outcome, measure)}
            for outcome in there
            if all(outcome["settings"].get(other, value) == value for other, value in setting.items())
        ]
        points = [record for record in records if record["y"] is not None]
        points.sort(key=lambda point: (isinstance(point["x"], str), point["x"]))
        if len({point["x"] for point in points}) > 1:
            where = "".join(f", {short(other)} = {value}" for other, value in setting.items())
            title = f"{_title(measure)} against {short(key)}{where}"
            values = [point["y"] for point in points]
            log = min(values) > 0 and max(values) > _WIDE * min(values)
            up = _title(measure) + (", logarithmic" if log else "")
            made.append(
                lines(title, points, "x", "y", series="method", order=methods, x_axis=short(key), y_axis=up, log=log)
            )
    return made


def _other_settings(outcomes: Sequence[Outcome], key: str) -> list[dict[str, Any]]:
    """The settings of all other keys that some cell has; those that lack a key are part of those that have it."""
    all_keys = {other for outcome in outcomes for other in outcome["settings"] if other != key}
    settings = [{other: v for other, v in outcome["settings"].items() if other != key} for outcome in outcomes]
    distinct = list({repr(setting): setting for setting in settings}.values())
    whole = [setting for setting in distinct if set(setting) == all_keys]
    return whole or distinct


def value_of(outcome: Outcome, measure: str) -> float | None:
    """A measure of a cell, or what it took."""
    return outcome.get(measure) if measure in _RESOURCES else measures_of(outcome).get(measure)


def _plots(done: Sequence[Outcome]) -> Iterator[Section]:
    keys = [
        key
        for key in dict.fromkeys(key for outcome in done for key in outcome["settings"])
        if len({outcome["settings"].get(key) for outcome in done} - {None}) > 1
    ]
    loss, *others = judged(done) or [""]
    for key in keys:
        blocks: list[Block] = []
        for measure in filter(None, (loss, *_RESOURCES)):
            made = plots(done, key, measure)
            blocks += made[:_SHOWN_SETTINGS]
            if len(made) > _SHOWN_SETTINGS:
                blocks.append(Text(f"… and {len(made) - _SHOWN_SETTINGS} more settings of the other keys."))
        more = [chart for measure in others for chart in plots(done, key, measure)[:1]][:_SHOWN_OTHERS]
        if more:
            blocks.append(Folded(f"The other measures against {short(key)}", more))
        if blocks:
            yield Section(f"Against {short(key)}", blocks)
    if not keys and done:
        yield Section("Method by method", [*_bars(done, [key for key in (loss, *_RESOURCES) if key])])


def _bars(done: Sequence[Outcome], measures: Sequence[str]) -> Iterator[Chart]:
    for measure in measures:
        values = [(outcome["method"], value_of(outcome, measure)) for outcome in done]
        records = [{"method": method, "value": value} for method, value in values if value is not None]
        if records:
            yield bars(_title(measure), records, "method", "value", axis=_title(measure))


def _table(outcomes: Sequence[Outcome]) -> Grid:
    rows = rows_of(outcomes)
    settings = list(rows[0])[: list(rows[0]).index("status")]
    told = dict.fromkeys((*losses_of(outcomes), *judged(outcomes)))
    measures = [key for key in told if any(row.get(key) is not None for row in rows)]
    head = [*settings, "status", "seconds", "search_seconds", "peak_mib", "records", *measures[:_SHOWN_MEASURES]]
    columns = [_column(rows, key) for key in head]
    return Grid(list(zip(*columns, strict=True)), [key.replace("_", " ") for key in head])


def _column(rows: Sequence[dict[str, Any]], key: str) -> list[Any]:
    """The cells of a column: all text, or all numbers with the digits that make sense."""
    values = [row.get(key) for row in rows]
    if key == "status":
        return [_status(row) for row in rows]
    if any(isinstance(value, str | bool) for value in values):
        return values if key in ("method", "model") else [Number("–" if v is None else v) for v in values]
    digits = {"seconds": ".2f", "search_seconds": ".2f", "peak_mib": ",.0f"}.get(key)
    return values if digits is None else [None if v is None else Number(format(v, digits)) for v in values]


def _status(row: dict[str, Any]) -> str:
    code = f" (exit {row['exit_code']})" if row["status"] == "failed" else ""
    return STATUS[row["status"]] + code


def _failures(outcomes: Sequence[Outcome]) -> Iterator[Text]:
    """Why a cell came to nothing, for as many as were alike."""
    reasons: dict[str, list[str]] = {}
    for outcome in outcomes:
        if outcome["status"] != "done":
            settings = [f"{short(key)} = {value}" for key, value in outcome["settings"].items()]
            said = " ".join(str(outcome["message"]).split())
            reasons.setdefault(said, []).append(", ".join([outcome["method"], *settings]))
    for reason, cells in reasons.items():
        yield Text(f"{'; '.join(cells)}: {reason}", is_note=True)


def _meanings(outcomes: Sequence[Outcome]) -> Iterator[tuple[str, str]]:
    yield "model", "the promise that the method was run under, with the parameters of the job that it takes"
    yield "seconds", "reading, searching, recoding, measuring and auditing, without the start of Python"
    yield "search seconds", "of these, the search alone"
    yield "peak mib", "the most memory the process held, Python and libraries included"
    for key in dict.fromkeys(key.partition(".")[0] for key in judged(outcomes)):
        yield key.replace("_", " "), MEASURES[key].in_words()
    yield "tacit", __version__


def _title(measure: str) -> str:
    if measure in _RESOURCES:
        return _RESOURCES[measure]
    key, _, part = measure.partition(".")
    return key.replace("_", " ") + (f" {part}" if part else "")


def _methods(outcomes: Sequence[Outcome]) -> str:
    return ", ".join(dict.fromkeys(outcome["method"] for outcome in outcomes))
