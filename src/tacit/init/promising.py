"""Which promise a first job file makes: one that the data can keep."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import pyarrow as pa

from tacit.init.closeness import GROUP, reachable_t
from tacit.init.evidence import Evidence
from tacit.init.text import about

K, M = 5, 2
_L, _LEAST_L = 2.0, 1.3
_ROOM = 0.8
"""Groups must be less diverse than the table, or all of it would be one group."""


def diversity(columns: Sequence[Evidence], rows: int) -> float:
    """An ℓ that every sensitive column allows, with room to divide the table; `inf` if there is none."""
    most = (max(int(column.counts.max(initial=0)), rows - column.filled) for column in columns)
    reach = min((rows / max(each, 1) for each in most), default=math.inf)
    return min(_L, math.floor(_ROOM * reach * 10) / 10) if columns else math.inf


def promise_of_records(
    sensitive: Sequence[Evidence], quasi: Sequence[Evidence], table: pa.Table, nominal: Collection[str] = ()
) -> list[str]:
    """k-anonymity; beside it ℓ-diversity if there is something sensitive, or t-closeness where one value is too
    frequent for ℓ. k-anonymity alone, if groups would have to be so large that little is left."""
    rows = table.num_rows
    k, l_of_all = f"k = {min(K, max(rows, 1))}", diversity(sensitive, rows)
    if sensitive and l_of_all >= _LEAST_L:
        return [
            about('model = "l"', "k people look alike, and no sensitive value is that of more than 1/l of them"),
            k,
            about(f"l = {l_of_all:g}", "what this data allows; from 2 on, no value is that of more than half of them"),
        ]
    t = reachable_t(table, quasi, sensitive, nominal) if sensitive else None
    if t is None:
        return [about('model = "k"', "whoever knows the quasi-identifiers finds at least k people"), k]
    return [
        about('model = "t"', "k people look alike, and their sensitive values are distributed as those of all"),
        k,
        about(
            f"t = {t:g}",
            f"to this distance: every other group of {GROUP} similar people is as near, so that not too much is lost. "
            "One value is too frequent here for model l",
        ),
    ]


def promise_with_items(people: int) -> list[str]:
    return [
        about('model = "k-km"', "whoever knows the quasi-identifiers and m items finds at least k people"),
        f"k = {min(K, max(people, 1))}",
        f"m = {M}",
    ]


def promise_of_baskets(people: int) -> list[str]:
    return [
        about('model = "km"', "whoever knows m items of a person finds at least k people with them"),
        f"k = {min(K, people)}",
        f"m = {M}",
    ]


def promise_of_slices(sensitive: Sequence[Evidence], rows: int) -> list[str]:
    return [
        about('model = "sliced-l"', "all that is known of a person implies no sensitive value above 1/l"),
        f"l = {diversity(sensitive, rows):g}",
    ]


def promise_of_ratings(people: int, known: int = 0) -> list[str]:
    """(k, ε)-anonymity; of a log in which people rate few of many issues, that of up to `known` ratings."""
    if known:
        return [
            about('model = "rating-km"', "whoever knows m ratings of a person finds at least k people who fit"),
            f"k = {min(K, max(people, 1))}",
            f"m = {known}",
        ]
    return [
        about('model = "k-eps"', "every person has k - 1 others with the same ratings"),
        f"k = {min(K, max(people, 1))}",
        about("eps = 0", "above 0: within eps, which stops nobody who knows true ratings"),
    ]
