"""The frontier in a report: what values and items lose together, where the release stands, and what lies beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tacit.report.blocks import Block, Chart, Folded, Grid, Number, Section, Text, Words
from tacit.report.charts import curve_and_points

Point = Mapping[str, Any]

_NEIGHBOURS = (-0.1, -0.05, -0.02, 0.02, 0.05, 0.1)
"""How far from the published point, in loss of values, others are told."""
_MOST = 120
"""Points of the curve in the table."""
_HEAD = ("", "loss in values", "loss in items", "groups", "balance")


def frontier_section(curve: Sequence[Point], six: Sequence[Point]) -> Section:
    """The curve with the chosen point and the six configurations, and what the neighbours would cost."""
    blocks: list[Block] = [
        Text(
            "Larger groups lose more in the values and less in the items. Every point of the curve keeps the promise; "
            "published is the one with the least (1 − balance) · loss in values + balance · loss in items (NCP). "
            "The option balance moves it, from 0 (as little as possible is lost in the values) to 1 (in the items). "
            "The tables have a balance that publishes each point; where it is blank, none does."
        ),
        _picture(curve, six),
        Grid(_neighbours(curve), _HEAD),
    ]
    if six:
        size = six[0]["begins_with"]
        blocks.append(
            Text(
                "The six configurations of Poulis et al. (2013), to compare with: Rum-bound with the loss in values "
                "that it may reach (δ) as told below, Tum-bound with the loss in items that this gives. "
                f"They begin with clusters of {size:,} records."
            )
        )
        blocks.append(
            Folded(
                "What each of the six would lose",
                [Grid(_six(six), ["method", "merge", "δ", "loss in values", "loss in items", "groups"])],
            )
        )
    every = max(1, len(curve) // _MOST)
    rows = [_row("published" if point["chosen"] else "", point) for point in curve[::every]]
    blocks.append(Folded("The points of the curve", [Grid(rows, _HEAD)]))
    return Section("Between values and items: the frontier", blocks)


def _picture(curve: Sequence[Point], six: Sequence[Point]) -> Chart:
    chosen = [{**_place(point), "kind": "published"} for point in curve if point["chosen"]]
    others = [
        {**_place(point), "kind": f"{point['method']} {point['merge']}"} for point in six if point["values"] is not None
    ]
    return curve_and_points(
        "What is lost in values and in items (NCP)", [_place(point) for point in curve], [*chosen, *others],
        "values", "items", "kind", x_axis="loss in values (NCP)", y_axis="loss in items (NCP)",
    )  # fmt: skip


def _place(point: Point) -> dict[str, float]:
    return {"values": point["values"], "items": point["items"]}


def _neighbours(curve: Sequence[Point]) -> list[list[Any]]:
    """The published point among those at some distances in loss of values."""
    at = next(index for index, point in enumerate(curve) if point["chosen"])
    near = {0, len(curve) - 1, at}
    for distance in _NEIGHBOURS:
        wanted = curve[at]["values"] + distance
        near.add(min(range(len(curve)), key=lambda index: abs(curve[index]["values"] - wanted)))
    named = {0: "least loss in values", len(curve) - 1: "least loss in items", at: "published"}
    return [_row(named.get(index, ""), curve[index]) for index in sorted(near)]


def _row(name: str, point: Point) -> list[Any]:
    balance = "" if point.get("balance") is None else Number(f"{point['balance']:.3f}")
    return [Words(name), Number(f"{point['values']:.2%}"), Number(f"{point['items']:.2%}"), point["clusters"], balance]


def _six(six: Sequence[Point]) -> list[list[Any]]:
    return [
        [point["method"], point["merge"], Number(f"{point['delta']:.4g}"), *_row("", point)[1:4]]
        if point["values"] is not None
        else [point["method"], point["merge"], Number(f"{point['delta']:.4g}"), Words("not reached"), "", ""]
        for point in six
    ]
