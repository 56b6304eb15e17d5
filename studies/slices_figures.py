"""The figures and tables of the study of slicing: what a picture shows is in a table beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from studies.common import Figure, Point, Table, where
from studies.slices_five import printed

CLASSIFIERS = {
    "bayes_sensitive": "Naive Bayes, sensitive attribute", "tree_sensitive": "tree, sensitive attribute",
    "bayes_known": "Naive Bayes, known attribute", "tree_known": "tree, known attribute",
}  # fmt: skip
_TECHNIQUES = ("original", "generalization", "bucketization", "one per column", "slicing", "MCMA")
_ACCURACIES = {"data": "data set", "l": "ℓ", "target": "target", "classifier": "classifier"} | {
    n: n for n in _TECHNIQUES
}
_MEMBERS = {
    "buckets": "buckets", "fake": "fake tuples", "matching_people": "buckets that fit a person",
    "matching_fakes": "buckets that fit a fake tuple",
}  # fmt: skip
_RIGHT = "The share of people of the original about whom a classifier is right that learned from the release."
_FAKES = (
    "Fake tuples: the share of drawn records whose known values are nobody's. Buckets are counted for 500 people and "
    "500 fake tuples, and means are shown; only sliced tables have buckets."
)


def figures(points: Sequence[Point]) -> list[Figure | Table]:
    found: list[Figure | Table] = [*printed(points)]
    data = where(points, what="data")
    bars: dict[str, Any] = {"mark": "bar", "x_title": " "}
    part = "share"
    found += [
        Figure("privacy", "Privacy by technique (Fig. 1)", data, "technique", "privacy", "technique", "data", **bars,
               y_title="1 − belief in the true value"),
    ]  # fmt: skip
    for what, figure in (("rows", 2), ("attributes", 3)):
        some = where(points, what=what)
        title = f"Privacy against the number of {what}, Adult (Fig. {figure})"
        if some:
            found.append(Figure(f"privacy-{what}", title, some, what, "privacy", "technique",
                                y_title="1 − belief in the true value"))  # fmt: skip
    found += [
        Figure("correlation", "Correlation kept: all pairs, and pairs with a sensitive attribute",
               _long(data, {"correlation": "all pairs", "correlation_sensitive": "with a sensitive one"}), "technique",
               "value", "technique", "panel", **bars, y_title=part),
        Figure("classify", "Classifiers on all data (Li et al., section 6.2)", _long(data, CLASSIFIERS), "technique",
               "value", "technique", "panel", **bars, y_title="share of people predicted right"),
        Table("Classifiers on all data, in figures", accuracies(data), _ACCURACIES, _RIGHT),
    ]  # fmt: skip
    by_l = where(points, what="l")
    if by_l:
        title = f"Classifiers against ℓ, Adult, {by_l[0]['rows']:,} people"
        found.append(Figure("classify-l", title, _long(by_l, CLASSIFIERS), "l", "value", "technique", "panel",
                            x_title="ℓ", y_title="share of people predicted right"))  # fmt: skip
        found.append(Table(f"{title}, in figures", accuracies(by_l), _ACCURACIES, _RIGHT))
    found += _membership(points, data, bars)
    times = where(points, what="rows")
    if times:
        measured_times = [point for point in times if "seconds" in point]
        found.append(Figure("time-rows", "Time against the number of rows, Adult", measured_times, "rows", "seconds",
                            "technique", y_title="seconds of the search"))  # fmt: skip
    return found


def _membership(points: Sequence[Point], data: Sequence[Point], bars: Mapping[str, Any]) -> list[Figure | Table]:
    """Who is in the data: by technique, and by the number of columns."""
    columns = where(points, what="columns")
    matching = _long(columns, {"matching_people": "people", "matching_fakes": "fake tuples"}, "who")
    return [
        Figure("membership", "Membership: records drawn from the release whose known values are nobody's", data,
               "technique", "fake", "technique", "data", **bars, y_title="share"),
        Table("Membership by technique, in figures", data, {"data": "data set", "l": "ℓ", "technique": "technique",
              **_MEMBERS}, _FAKES),
        Figure("fakes-columns", "Fake tuples against the number of columns (Li et al., section 6.4)", columns,
               "columns", "fake", "technique", y_title="share of drawn records"),
        Figure("matching", "Buckets that a tuple matches, by number of columns", matching, "columns", "value", "who",
               y_title="buckets, mean"),
        Table("Membership by the number of columns, in figures", columns, {"data": "data set", "columns": "columns",
              **_MEMBERS}, _FAKES),
    ]  # fmt: skip


def accuracies(points: Sequence[Point]) -> list[Point]:
    """A row for each data set, ℓ, target attribute and classifier; a column for each technique."""
    rows: dict[tuple[Any, ...], Point] = {}
    for key, label in CLASSIFIERS.items():
        classifier, _, target = key.partition("_")
        for point in points:
            if key in point:
                about = {"data": point["data"], "l": point["l"], "target": point[f"target_{target}"],
                         "classifier": label.partition(",")[0]}  # fmt: skip
                rows.setdefault((*about.values(), classifier), about)[point["technique"]] = point[key]
    order = list(dict.fromkeys(point["data"] for point in points))
    return sorted(rows.values(), key=lambda row: (order.index(row["data"]), row["l"]))


def _long(points: Sequence[Point], keys: Mapping[str, str], name: str = "panel") -> list[Point]:
    """A row for each of several measures; the data set is named where there are several."""
    several = len({point["data"] for point in points}) > 1
    return [
        {**point, "value": point[key], name: f"{point['data']}: {label}" if several else label}
        for key, label in keys.items() for point in points if point.get(key) is not None
    ]  # fmt: skip
