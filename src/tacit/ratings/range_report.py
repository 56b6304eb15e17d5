"""What a report and a public note say about ratings published as ranges. Records first; the page draws them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.ratings.measures import Sparse, before_and_after
from tacit.ratings.ranges import Range, Ranged
from tacit.ratings.report import (
    MOST_ISSUES,
    closest_row,
    fates_drawn,
    issue_grid,
    sample_grid,
    scale_in_words,
    sensitive_line,
)
from tacit.ratings.scale import plain
from tacit.report.blocks import Block, Grid, Number, Section, Text, Words
from tacit.report.markdown import code
from tacit.values.writing import range_text

if TYPE_CHECKING:
    from tacit.ratings.data import Ratings
    from tacit.release import Release

_FATES = ("as it was", "as a range", "as the whole scale", "blanked")


def range_sections(release: Release) -> list[Section]:
    """What became of the ratings, how scales are cut, and issues and people before and after."""
    data: Ratings = release.before
    before, after = before_and_after(data, release.applied)
    became, issues = _ratings(data, release.applied, before, after), issue_grid(data, before, after)
    del before, after  # the people's ratings are read again, and need room
    return [
        Section("What became of the ratings", became),
        Section("Whom the closest row gives away", [*closest_row(release)]),
        Section("How scales are cut", _cuts(data, release.applied)),
        Section("What a recommender learns", _learned(release.utility)),
        Section("Issues, before and after", issues),
        Section("Some people, before and after", [sample_grid(release)]),
    ]


def fates(data: Ratings, released: Ranged) -> np.ndarray:
    """How many ratings of each issue stayed as they were, are ranges, whole scales, and blanked: int64, 4 × issues."""
    issues = len(data.names)
    shown = ~data.is_sensitive[released.issues]
    of, width = released.issues[shown], (released.tops - released.values)[shown]
    is_whole = (width >= data.top[of]) & (width > 0)
    counts = [np.bincount(of[each], minlength=issues) for each in (width == 0, (width > 0) & ~is_whole, is_whole)]
    given = np.bincount(data.issues[~data.is_sensitive[data.issues]], minlength=issues)
    return np.stack((*counts, given - sum(counts)))


def _ratings(data: Ratings, released: Ranged, before: Sparse, after: Sparse) -> list[Block]:
    if not before.issues.size:
        return [Text("Nobody gave a rating that an attacker may know.")]
    told = "Sensitive ratings are as they were, and not counted here. In charts a range counts as its middle."
    return [Text(told), *fates_drawn(data, fates(data, released), _FATES, before, after)]


def _cuts(data: Ratings, released: Ranged) -> list[Block]:
    """The ranges of the issues that most people rated."""
    recoding = released.recoding
    blocks: list[Block] = [Text(f"{str(recoding)[:1].upper()}{str(recoding)[1:]}. The same for everybody.")]
    if recoding.as_is:
        return blocks
    raters = np.bincount(data.issues[~data.is_sensitive[data.issues]], minlength=len(data.names))
    order = np.argsort(-raters, kind="stable")[:MOST_ISSUES]
    rows = [
        (data.names[issue], int(raters[issue]), _listed(recoding.issues.get(data.names[issue], ())))
        for issue in order[raters[order] > 0].tolist()
    ]
    blocks.append(Grid(rows, ("issue", "ratings", "published as")))
    if np.count_nonzero(raters) > MOST_ISSUES:
        blocks.append(Text(f"… and {np.count_nonzero(raters) - MOST_ISSUES:,} more issues"))
    return blocks


def _listed(ranges: tuple[Range, ...]) -> str:
    return ", ".join(map(_written, ranges)) or "(blanked)"


def _written(ends: Range) -> str:
    low, high = map(plain, ends)
    return low if low == high else range_text(low, high)


def _learned(utility: Mapping[str, Any]) -> list[Block]:
    rows = []
    for name, key in (("RMSE", "item_based_rmse"), ("NDCG of ten", "item_based_ndcg")):
        told = [utility[f"{key}_{when}"] for when in ("before", "after")]
        rows.append((Words(name), *("–" if each is None else Number(f"{each:.4f}") for each in told)))
    return [
        Text(
            "An item-based recommender guesses a tenth of the original ratings, which it did not see: how far it is "
            "off, and how well it ranks each person's. Once it learned from the original, once from the release."
        ),
        Grid(rows, ("", "original", "release")),
    ]


def range_semantics(release: Release) -> list[str]:
    """For the public note: how the ratings are to be read."""
    data: Ratings = release.before
    recoding = release.applied.recoding
    scale = scale_in_words(data, release.applied)
    is_wide = data.persons is None
    lines = [f"- A row is {'a person, a column an issue' if is_wide else 'one rating of a person'}."]
    if recoding.as_is:
        lines.append(f"- Ratings are numbers{scale}, all as they were given.")
    else:
        lines += [
            f"- Ratings{scale} are as they were given, or ranges such as `[3:4]`, of which both ends are part: the "
            "rating was one of those. Each issue has ranges of its own, the same for everybody."
            if recoding.shown == "range"
            else f"- Ratings{scale} are as they were given, or the middle of a range in which they were. Each issue "
            "has ranges of its own, the same for everybody; they are listed below.",
            f"- {'An empty cell' if is_wide else 'A missing row'} means that the person did not rate the issue, or "
            "gave a rating that is in none of the ranges published for it; the file does not tell which.",
        ]
    if not is_wide:
        lines.append("- Numbers of persons were drawn at random and mean nothing. A row without an issue is a person "
                     "with no rating left.")  # fmt: skip
    lines += sensitive_line(data)
    return [*lines, *(_middles(recoding.issues) if recoding.shown == "middle" and not recoding.as_is else ())]


def _middles(issues: Mapping[str, tuple[Range, ...]]) -> Iterator[str]:
    """Which middle is which range, with the issues for which it is."""
    alike: dict[tuple[Range, ...], list[str]] = {}
    for name, ranges in issues.items():
        if any(low != high for low, high in ranges):
            alike.setdefault(ranges, []).append(name)
    for ranges, names in sorted(alike.items(), key=lambda each: (len(each[0]), each[0])):
        told = ", ".join(f"{plain((low + high) / 2)} is {_written((low, high))}" for low, high in ranges if low != high)
        yield f"- {told}: {', '.join(map(code, sorted(names)))}."
