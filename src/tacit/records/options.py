"""Options that several methods for records with baskets have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tacit.methods import Option, one_of
from tacit.promises.base import is_number

RELATIONAL = {
    "relational": one_of(
        ("cluster", "cluster-literal", "mondrian"),
        "how records are put into clusters at first",
        "cluster",
        "`cluster-literal` is the quadratic algorithm of the paper",
    )
}
BASKETS = {
    "baskets": one_of(
        ("coat", "pcta", "sets", "apriori", "nodes"),
        "how the items of a cluster are generalized",
        "coat",
        "`coat` and `pcta` publish sets of items, `sets` too, chosen by what the items lose; `apriori` publishes nodes "
        "of the hierarchy, `nodes` also several of them together",
    )
}


def _without_delta(options: Mapping[str, Any]) -> tuple[str, str] | None:
    if options.get("delta") is not None:
        return None
    why = "method.delta is left out, so the whole frontier is searched, and method.balance chooses its point"
    return why, "Set method.delta, too, or leave this option out."


def _with_delta(options: Mapping[str, Any]) -> tuple[str, str] | None:
    if options.get("delta") is None:
        return None
    return "method.delta bounds the loss, so no point of a frontier is chosen", "Leave one of the two out."


def _of_a_bound(option: Option) -> Option:
    """An option of clusters that are merged under a bound."""
    return replace(option, idle=_without_delta)


BOUND = {
    "merge": _of_a_bound(
        one_of(("r", "t", "rt"), "with delta, which clusters are merged: alike in values, in baskets, in both", "rt")
    ),
    "delta": Option(
        "the most that may be lost in what is bounded; left out: the balanced point of the whole frontier",
        lambda value: is_number(value) and value >= 0,
        "a number of at least 0",
        more="`rum-bound` bounds what relational values lose, `tum-bound` items: "
        "[how to choose](methods/tum-bound.md#choosing-δ)",
    ),
    "balance": Option(
        "without delta: 0 keeps the values, 1 keeps the items, what is between weighs both",
        lambda value: is_number(value) and 0 <= value <= 1,
        "a number from 0 to 1",
        0.5,
        more="[How it is weighed](methods/rum-bound.md#the-balanced-point)",
        idle=_with_delta,
    ),
    "relational": _of_a_bound(RELATIONAL["relational"]),
    "baskets": replace(
        BASKETS["baskets"],
        meaning=BASKETS["baskets"].meaning
        + "; left out: coat with delta, otherwise nodes with a hierarchy and sets without one",
        default=None,
    ),
    "order": _of_a_bound(
        one_of(
            ("btd", "ul"),
            "with delta, how alike baskets are: by bits, or by what their generalization loses",
            "btd",
            "`ul` is slow",
        )
    ),
    "rum": _of_a_bound(
        one_of(
            ("ncp", "discernability", "class-size", "minkowski"),
            "with delta, the measure of loss in values",
            "ncp",
            "[What they are](methods/rum-bound.md#rum-other-measures)",
        )
    ),
    "norm": Option(
        'which Minkowski norm, for rum = "minkowski": 2 is the Euclidean one',
        lambda value: value == "inf" or (is_number(value) and value >= 1),
        'a number of at least 1, or "inf"',
        2,
        idle=_without_delta,
    ),
}
