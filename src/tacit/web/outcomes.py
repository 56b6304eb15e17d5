"""What comparisons came to, as the pages show it: a picture of points, of which the best ones make the frontier."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tacit.promises import MODELS
from tacit.report.meanings import MEASURES

Outcome = Mapping[str, Any]
WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 720, 360, 64, 48, 16, 24
"""Of the picture, in its own units."""
_SHAPES = 8
_BREADTH = 15.0
"""Of a point."""


def loss_of(outcomes: Sequence[Outcome]) -> str:
    """The measure that stands for the loss."""
    from tacit.compare.table import judged

    return next(iter(judged(list(map(dict, outcomes)))), "")


def loss_by_value(printed: Mapping[str, Any], key: str) -> dict[str, Any]:
    """What each value of one varied key would lose; of records with baskets also in the baskets."""
    from tacit.compare.table import losses_of

    cells = [cell for cell in printed.get("cells", ()) if key in cell.get("settings", {})]
    measure, also = (*losses_of([dict(cell) for cell in cells if cell["status"] == "done"]), "", "")[:2]
    rows = [
        {
            "value": cell["settings"][key],
            "loss": measure_of(cell, measure) if cell["status"] == "done" else None,
            "also": measure_of(cell, also) if cell["status"] == "done" and also else None,
            "why": str(cell.get("message", "")) if cell["status"] != "done" else "",  # told line by line
        }
        for cell in cells
    ]
    most = max((row["loss"] for row in rows if row["loss"] is not None), default=0.0) or 1.0
    for row in rows:
        row["length"] = 100 * (row["loss"] or 0.0) / most
    return {"measure": meaning(measure), "also": meaning(also) if also else "", "rows": rows}


def measure_of(outcome: Outcome, name: str) -> float | None:
    """A measure of a cell, what it took, or a setting that is a number."""
    from tacit.compare.table import measures_of

    if name in ("seconds", "peak_mib"):
        return outcome.get(name)
    found = outcome["settings"].get(name, measures_of(dict(outcome)).get(name))
    return float(found) if isinstance(found, int | float) and not isinstance(found, bool) else None


def meaning(name: str) -> str:
    """A measure in words."""
    if name.startswith("privacy."):
        return name.removeprefix("privacy.")
    key, _, part = name.partition(".")
    known = {"seconds": "time (seconds)", "peak_mib": "memory at its peak (MiB)"}
    about = known.get(key) or (MEASURES[key].meaning if key in MEASURES else name)
    return f"{about}, {part}" if part else about


@dataclass(frozen=True)
class Point:
    """A cell in the picture."""

    cell: str
    label: str
    method: str
    series: int
    x: float
    y: float
    left: float
    top: float
    is_best: bool
    """Whether no other cell is as good in both and better in one."""
    aside: float = 0.0
    """How far it is drawn beside its place, where others have the same one."""

    @property
    def shown(self) -> float:
        return self.left + self.aside


@dataclass(frozen=True)
class Picture:
    """Points with their axes, and the line through those that are best."""

    points: tuple[Point, ...]
    x_name: str
    y_name: str
    x_ticks: tuple[tuple[float, str], ...]
    y_ticks: tuple[tuple[float, str], ...]
    methods: tuple[str, ...]
    frontier: str


def axes(outcomes: Sequence[Outcome]) -> list[str]:
    """What can stand on an axis: varied numbers, then measures that are better lower or higher, then time."""
    from tacit.compare.table import judged

    done = [dict(outcome) for outcome in outcomes if outcome["status"] == "done"]
    varied = dict.fromkeys(key for outcome in done for key in outcome["settings"])
    names = [*varied, *judged(done), "seconds", "peak_mib"]
    return [name for name in names if sum(measure_of(outcome, name) is not None for outcome in done) > 0]


def picture(outcomes: Sequence[Outcome], x: str, y: str) -> Picture:
    """The cells that are done, by two of their numbers."""
    done = [outcome for outcome in outcomes if outcome["status"] == "done"]
    placed = [(outcome, measure_of(outcome, x), measure_of(outcome, y)) for outcome in done]
    there = [(outcome, across, up) for outcome, across, up in placed if across is not None and up is not None]
    methods = tuple(dict.fromkeys(outcome["method"] for outcome, _, _ in there))
    x_low, x_high, x_ticks = _scale([across for _, across, _ in there])
    y_low, y_high, y_ticks = _scale([up for _, _, up in there])

    def left(value: float) -> float:
        return LEFT + (value - x_low) / (x_high - x_low) * (WIDTH - LEFT - RIGHT)

    def top(value: float) -> float:
        return HEIGHT - BOTTOM - (value - y_low) / (y_high - y_low) * (HEIGHT - TOP - BOTTOM)

    goods = [(_good(x, across), _good(y, up)) for _, across, up in there]
    points = _apart(
        Point(
            outcome["cell"], _label(outcome), outcome["method"], methods.index(outcome["method"]) % _SHAPES + 1,
            across, up, round(left(across), 1), round(top(up), 1),
            not any(_beats(other, good) for other in goods),
        )
        for (outcome, across, up), good in zip(there, goods, strict=True)
    )  # fmt: skip
    best = sorted((point.left, point.top) for point in points if point.is_best)
    return Picture(
        points, x, y, tuple((round(left(at), 1), f"{at:g}") for at in x_ticks),
        tuple((round(top(at), 1), f"{at:g}") for at in y_ticks), methods, " ".join(f"{a},{b}" for a, b in best),
    )  # fmt: skip


def _apart(points: Iterable[Point]) -> tuple[Point, ...]:
    """Points at one place stand side by side there: none hides another."""
    crowds: list[list[Point]] = []
    for point in points:
        crowd = next((crowd for crowd in crowds if _is_near(crowd[0], point)), None)
        if crowd is None:
            crowds.append([point])
        else:
            crowd.append(point)
    return tuple(
        replace(point, aside=round((place - (len(crowd) - 1) / 2) * _BREADTH, 1))
        for crowd in crowds
        for place, point in enumerate(crowd)
    )


def _is_near(one: Point, other: Point) -> bool:
    return abs(one.left - other.left) < _BREADTH / 2 and abs(one.top - other.top) < _BREADTH / 2


def _good(name: str, value: float) -> float:
    """Higher is better: more of k, m and l is; less of t, eps, h, of time and of losses."""
    parameter = name.removeprefix("privacy.")
    having = [promise for promise in MODELS.values() if parameter in promise.takes]
    if having:
        return -value if any(parameter in promise.stricter_below for promise in having) else value
    key = name.partition(".")[0]
    is_better_high = key in MEASURES and MEASURES[key].better == "higher"
    return value if is_better_high else -value


def _beats(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one != other and one[0] >= other[0] and one[1] >= other[1]


def _label(outcome: Outcome) -> str:
    settings = [f"{key.removeprefix('privacy.')} = {value}" for key, value in outcome["settings"].items()]
    return ", ".join([str(outcome["method"]), *settings])


def _scale(values: Sequence[float]) -> tuple[float, float, list[float]]:
    """From where to where an axis goes, and a few round numbers on it."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    if low >= 0 and low < 0.5 * high:
        low = 0.0
    span = (high - low) or abs(high) or 1.0
    step = next(unit for unit in _steps(span) if span / unit <= 6)
    first, last = step * (low // step), step * -(-high // step)
    if first == last:
        last = first + step
    count = round((last - first) / step)
    return first, last, [round(first + step * at, 10) for at in range(count + 1)]


def _steps(span: float) -> list[float]:
    power = 10.0 ** (len(f"{int(span)}") - 1 if span >= 1 else -len(f"{1 / span:.0f}"))
    return [power * unit for unit in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20)]
