"""What is said of a release that gives people away to an attacker, from the figures of utility.json."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

NOTED = ("nearest-row",)
"""Attackers of which the notes below tell already."""


def verbatim_in_words(utility: Mapping[str, Any], bound: Fraction) -> str:
    """What to say of a release that shows more than 1/k of its rows to whoever knows them; nothing of others.

    >>> verbatim_in_words({"verbatim_unique": 690, "records": 1010}, Fraction(1, 5))[:71]
    '690 of 1,010 rows are shown word for word and unlike any other row: who'
    """
    count, rows = utility.get("verbatim_unique", 0), utility["records"]
    if count <= bound * rows:
        return ""
    are = "row is" if rows == 1 else "rows are" if count != 1 else "rows is"
    return (
        f"{count:,} of {rows:,} {are} shown word for word and unlike any other row: who knows the ratings of such "
        "a person knows which row it is"
    )


def found_in_words(utility: Mapping[str, Any], bound: Fraction) -> str:
    """What to say if the nearest-row attack is right more often than 1/k for certain; nothing if it is not."""
    worse = [each for each in utility.get("nearest_row", ()) if each["after_interval"][0] > float(bound)]
    if not worse:
        return ""
    worst = max(worse, key=lambda each: each["after"])
    known = "all ratings" if worst["known"] == "all" else f"{worst['known']} ratings"
    return (
        f"who knows {known} of a person, each roughly, and takes the closest row finds the person in "
        f"{worst['after']:.1%} of all cases, more than 1/k = {float(bound):.1%}; with eps = 0 it is 1/k at most"
    )


def warnings(utility: Mapping[str, Any], bound: Fraction) -> list[str]:
    """What the owner must hear of what attackers get."""
    return [words for say in (verbatim_in_words, found_in_words) if (words := say(utility, bound))]
