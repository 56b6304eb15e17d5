"""Options that several methods for records with baskets have."""

from __future__ import annotations

from dataclasses import replace

from tacit.methods import Option, is_number, one_of

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
        ("coat", "pcta", "apriori"),
        "how the items of a cluster are generalized",
        "coat",
        "`coat` and `pcta` publish sets of items, `apriori` nodes of the hierarchy",
    )
}
BOUND = {
    "merge": one_of(("r", "t", "rt"), "which clusters are merged: alike in values, in baskets, in both", "rt"),
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
    ),
    **RELATIONAL,
    "baskets": replace(
        BASKETS["baskets"],
        meaning=BASKETS["baskets"].meaning + "; left out: apriori with a hierarchy and no delta, otherwise coat",
        default=None,
    ),
    "order": one_of(
        ("btd", "ul"), "how alike baskets are: by bits, or by what their generalization loses", "btd", "`ul` is slow"
    ),
    "rum": one_of(
        ("ncp", "discernability", "class-size", "minkowski"),
        "the measure of loss in values",
        "ncp",
        "[What they are](methods/rum-bound.md#rum-other-measures)",
    ),
    "norm": Option(
        'which Minkowski norm, for rum = "minkowski": 2 is the Euclidean one',
        lambda value: value == "inf" or (is_number(value) and value >= 1),
        'a number of at least 1, or "inf"',
        2,
    ),
}
