"""What a report and a public note say about ratings. Records first; the page draws them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.ratings.scale import plain
from tacit.report.blocks import Bars, Block, Grid, Section, Text
from tacit.report.markdown import code
from tacit.utility.ratings import before_and_after, issue_means, ranks

if TYPE_CHECKING:
    from tacit.ratings.encode import Ratings
    from tacit.release import Release

_ISSUES = 25
_SAMPLES = 8
_SHOWN = 12


def rating_sections(release: Release) -> list[Section]:
    """How people were put together, the issues before and after, and some people before and after."""
    sizes, counts = np.unique(_cell_sizes(release), return_counts=True)
    cells: list[Block] = [Text(str(release.recoding))]
    if sizes.size:
        largest = np.sort(np.argsort(-counts, kind="stable")[:_ISSUES])
        rows = [(int(sizes[i]), int(counts[i])) for i in largest.tolist()]
        cells.append(Bars(rows, ("people in it", "how many such cells"), length=1))
    return [
        Section("How people were put together", cells),
        Section("Issues, before and after", _issues(release)),
        Section("Some people, before and after", [Grid(_samples(release), ("before", "after"))]),
    ]


def rating_semantics(release: Release) -> list[str]:
    """For the public note: how the ratings are to be read."""
    data: Ratings = release.before
    scales = "; ".join(str(scale) for scale in dict.fromkeys(data.scales))
    lines = [
        f"- Ratings are numbers on the scale: {scales}. Some were moved, so that people resemble each other; "
        "a single rating need not be the one that was given."
    ]
    where = "an empty cell" if data.persons is None else "a missing row"
    lines.append(
        f"- {where.capitalize()} means that the person did not rate the issue, or that the rating was blanked."
    )
    if release.utility["filled"]:
        lines.append("- Some ratings were filled in where the person gave none.")
    if data.persons is not None:
        lines.append("- Numbers of persons were drawn at random and mean nothing. A row without an issue is a person "
                     "with no rating left.")  # fmt: skip
    secret = [name for name, is_secret in zip(data.names, data.is_secret, strict=True) if is_secret]
    if secret:
        named = ", ".join(code(name) for name in secret[:20]) + ", …" * (len(secret) > 20)
        lines.append(f"- Ratings of sensitive issues are as they were given: {named}.")
    return lines


def _cell_sizes(release: Release) -> np.ndarray:
    cell = release.recoding.cells.cell
    sizes = np.bincount(cell[cell >= 0]) if (cell >= 0).any() else np.empty(0, np.int64)
    return sizes[sizes > 0]


def _issues(release: Release) -> list[Block]:
    """The issues that most people are published to have rated: number, mean and rank, before and after."""
    data: Ratings = release.before
    before, after = before_and_after(data, release.recoding)
    means = issue_means(before, after, len(data.names))
    raters = [np.bincount(part.issues, minlength=len(data.names)) for part in (before, after)]
    both = np.flatnonzero(~np.isnan(means.before) & ~np.isnan(means.after))
    if not both.size:
        return [Text("No issue has a rating left.")]
    place = np.zeros((2, len(data.names)))
    place[0][both], place[1][both] = ranks(means.before[both]), ranks(means.after[both])
    rows: list[list[Any]] = []
    for issue in both[np.argsort(-raters[1][both], kind="stable")][:_ISSUES].tolist():
        rows.append([
            data.names[issue], int(raters[0][issue]), int(raters[1][issue]),
            round(float(means.before[issue]), 2), round(float(means.after[issue]), 2),
            round(float(place[0][issue]), 1), round(float(place[1][issue]), 1),
        ])  # fmt: skip
    head = ("issue", "ratings before", "after", "mean before", "after", "rank before", "after")
    blocks: list[Block] = [Grid(rows, head)]
    if both.size > _ISSUES:
        blocks.append(Text(f"… and {both.size - _ISSUES:,} more issues"))
    return blocks


def _samples(release: Release) -> list[tuple[str, str]]:
    after: Ratings = release.read(release.table)
    pairs = enumerate(release.original[:_SAMPLES].tolist())
    return [(_person(release.before, was), _person(after, now)) for now, was in pairs]


def _person(data: Ratings, person: int) -> str:
    span = range(int(data.indptr[person]), int(data.indptr[person + 1]))
    shown = [
        f"{data.names[data.issues[i]]}: {plain(data.number_of(int(data.issues[i]), int(data.values[i])))}"
        for i in span[:_SHOWN]
    ]
    return ", ".join(shown) + (f" and {len(span) - _SHOWN:,} more" if len(span) > _SHOWN else "") or "(no rating)"
