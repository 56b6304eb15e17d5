"""Options that several methods for records with baskets have."""

from __future__ import annotations

from tacit.methods import Option, is_number, one_of

RELATIONAL = {
    "relational": one_of(
        ("cluster", "cluster-literal", "mondrian"), "how records are put into clusters at first", "cluster"
    )
}
BASKETS = {"baskets": one_of(("coat", "pcta", "apriori"), "how the items of a cluster are generalized", "coat")}
BOUND = {
    "merge": one_of(("r", "t", "rt"), "which clusters are merged: alike in values, in baskets, in both", "rt"),
    "delta": Option(
        "the most that may be lost in what is bounded",
        lambda value: is_number(value) and value >= 0,
        "a number of at least 0",
        0.65,
    ),
    **RELATIONAL,
    **BASKETS,
    "order": one_of(("btd", "ul"), "how alike baskets are: by bits, or by what their generalization loses", "btd"),
    "rum": one_of(("ncp", "discernability", "class-size", "minkowski"), "the measure of loss in values", "ncp"),
    "norm": Option(
        'which Minkowski norm, for rum = "minkowski": 2 is the Euclidean one',
        lambda value: value == "inf" or (is_number(value) and value >= 1),
        'a number of at least 1, or "inf"',
        2,
    ),
}
