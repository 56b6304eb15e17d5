"""What a report and a public note say about ratings. Records first; the page draws them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.attack.words import warnings
from tacit.ratings.applied import Released
from tacit.ratings.measures import Sparse, before_and_after, issue_means, ranks
from tacit.ratings.ranges import Ranged
from tacit.ratings.scale import plain
from tacit.ratings.solvers.problem import places_in
from tacit.report.blocks import Bars, Block, Grid, Number, Section, Text, Words
from tacit.report.charts import agreement, bars, histogram
from tacit.report.markdown import code
from tacit.report.samples import plain_columns, shown_cells
from tacit.values.writing import range_text

if TYPE_CHECKING:
    from tacit.audits.views.ratings import RatingView
    from tacit.ratings.data import Ratings
    from tacit.release import Release

MOST_ISSUES = 25
_SAMPLES = 8
_SHOWN = 12
_BINS = 12
_DOTS = 2000
_AT_ONCE = 1 << 20
"""So many ratings are put in order at once: the largest logs have a hundred times as many."""
_MOST_DIGITS = 17
"""No two numbers of 64 bits have them all in common."""
_FATES = ("as it was", "moved", "blanked", "filled in")


def rating_sections(release: Release) -> list[Section]:
    """What became of the ratings, how people were put together, and issues and people before and after."""
    data: Ratings = release.before
    before, after = before_and_after(data, release.applied)
    return [
        Section("What became of the ratings", _ratings(data, before, after)),
        Section("Whom the closest row gives away", [*closest_row(release)]),
        Section("How people were put together", _cells(release)),
        Section("Issues, before and after", issue_grid(data, before, after)),
        Section("Some people, before and after", [sample_grid(release)]),
    ]


def _ratings(data: Ratings, before: Sparse, after: Sparse) -> list[Block]:
    """Kept, moved and blanked, issue by issue; and how often which rating was given."""
    if not before.issues.size and not after.issues.size:
        return [Text("Nobody gave a rating that an attacker may know.")]
    told = "Sensitive ratings are as they were, and not counted here."
    return [Text(told), *fates_drawn(data, fates(before, after, len(data.names)), _FATES, before, after)]


def fates_drawn(
    data: Ratings, became: np.ndarray, words: Sequence[str], before: Sparse, after: Sparse
) -> Iterator[Block]:
    """What became of the ratings, `words` × issues: in all, value by value, and issue by issue."""
    raters = became.sum(axis=0)
    frequent = np.argsort(-raters, kind="stable")[:MOST_ISSUES]
    frequent = frequent[raters[frequent] > 0].tolist()
    kinds = [kind for kind in range(len(words)) if became[kind].any()]
    records = [
        {"issue": data.names[issue], "ratings": int(became[kind, issue]), "what": words[kind]}
        for kind in kinds
        for issue in frequent
    ]
    whole = [{"what": words[kind], "ratings": int(became[kind].sum())} for kind in kinds]
    title = (
        "Issue by issue" if raters[raters > 0].size <= MOST_ISSUES else f"The {MOST_ISSUES} issues with most ratings"
    )
    yield bars("All ratings", whole, "what", "ratings", kind="what")
    given = rating_records(before.numbers, after.numbers)
    yield histogram("How often which rating is given", given, "rating", "ratings", when="when")
    yield bars(title, records, "issue", "ratings", kind="what")
    yield from issue_means_drawn(data, before, after)


def fates(before: Sparse, after: Sparse, issues: int) -> np.ndarray:
    """How many ratings of each issue stayed, were moved, blanked and filled: int64, 4 × issues."""
    old = places_in(*(part.people * issues + part.issues for part in (before, after)))
    there = old >= 0
    of = after.issues[there]
    same = before.numbers[old[there]] == after.numbers[there]
    given, stayed, moved, came = (
        np.bincount(part, minlength=issues) for part in (before.issues, of[same], of[~same], after.issues[~there])
    )
    return np.stack((stayed, moved, given - stayed - moved, came))


def rating_records(before: np.ndarray, after: np.ndarray) -> list[dict[str, Any]]:
    """How often each rating is given, before and after; of many different ones, ranges."""
    values = np.union1d(_different(before), _different(after))
    if values.size <= _BINS:
        edges = np.append(values, np.inf)
        names = number_names(values.tolist(), 12)
    else:
        edges = np.linspace(values[0], values[-1], _BINS + 1)
        names = [f"{low} – {high}" for low, high in pairwise(number_names(edges.tolist(), 4))]
    return [
        {"rating": name, "ratings": int(count), "when": when}
        for when, numbers in (("before", before), ("after", after))
        for name, count in zip(names, np.histogram(numbers, edges)[0], strict=True)
    ]


def _different(numbers: np.ndarray) -> np.ndarray:
    """The different numbers, ascending."""
    found = numbers[:0]
    for start in range(0, numbers.size, _AT_ONCE):
        found = np.union1d(found, numbers[start : start + _AT_ONCE])
    return found


def number_names(numbers: Sequence[float], least: int) -> list[str]:
    """Different numbers without exponents, with at least so many digits, or as many as they need to differ.

    >>> number_names([0.5, 1.0], 4), number_names([1000000.0, 1000000.5], 4), number_names([1 / 3, 2 / 3], 4)
    (['0.5', '1'], ['1000000', '1000000.5'], ['0.3333', '0.6667'])
    """
    names: list[str] = []
    for digits in range(least, _MOST_DIGITS + 1):
        names = [plain(Decimal(f"{number:.{digits}g}")) for number in numbers]
        if len(set(names)) == len(names):
            break
    return names


def issue_means_drawn(data: Ratings, before: Sparse, after: Sparse) -> list[Block]:
    means = issue_means(before, after, len(data.names))
    both = np.flatnonzero(~np.isnan(means.before) & ~np.isnan(means.after)).tolist()
    records = [
        {"issue": data.names[i], "before": float(means.before[i]), "after": float(means.after[i])} for i in both[:_DOTS]
    ]
    return [agreement("Mean of each issue", records, "before", "after")] if records else []


def closest_row(release: Release) -> Iterator[Block]:
    """The nearest-row attack on the original, as if it were published, and on the release."""
    rows = release.utility.get("nearest_row", ())
    yield Text(
        "Somebody knows some ratings of a person that are not sensitive, each roughly, and takes the published row "
        "that is closest to them; of rows that are equally close, any. A rating that is known is off by chance: by up "
        "to 1 or a step (at most half of a short scale; a twentieth of a long one, or of one without steps). A rating "
        "that a row does not have counts a third of the scale. Shares are of the people attacked, with 95 % intervals "
        "(Wilson)."
    )
    head = ("ratings known", "people attacked", "found before", "95 %", "found after", "95 %", "1/k")
    if release.job.promise.shows_ranges:
        yield Text("The promise is about ratings that are known exactly, and not more of them than it says. Against "
                   "these attackers nothing is promised.")  # fmt: skip
        yield Grid([_played(each)[:-1] for each in rows], head[:-1])
        return
    yield Grid([_played(each) for each in rows], head)
    worse = warnings(release.utility, release.job.promise.bound)
    yield from (Text(f"{words[:1].upper()}{words[1:]}.", is_note=True) for words in worse)


def _played(attack: Mapping[str, Any]) -> list[Any]:
    found = [
        cell
        for when in ("before", "after")
        for cell in (_percent(attack[when]), Words(" to ".join(map(_percent, attack[f"{when}_interval"]))))
    ]
    return [attack["known"], attack["people"], *found, _percent(attack["bound"])]


def _percent(share: float) -> Number:
    return Number(f"{share:.1%}")


def _cells(release: Release) -> list[Block]:
    sizes, counts = np.unique(_cell_sizes(release), return_counts=True)
    cells: list[Block] = [Text(str(release.recoding))]
    if sizes.size:
        largest = np.sort(np.argsort(-counts, kind="stable")[:MOST_ISSUES])
        rows = [(int(sizes[i]), int(counts[i])) for i in largest.tolist()]
        cells.append(Bars(rows, ("people in it", "how many such cells"), length=1))
        cells.append(
            Text(
                "A cell is a set of people whose ratings were moved into the same intervals. People of different cells "
                "may be close to each other, so that a cell may be smaller than k: what counts is how many people are "
                "close to a person, and the audit counted them."
            )
        )
    return cells


def rating_semantics(release: Release) -> list[str]:
    """For the public note: how the ratings are to be read."""
    data: Ratings = release.before
    scale = scale_in_words(data, release.applied)
    row = "a person, a column an issue" if data.persons is None else "one rating of a person"
    lines = [f"- A row is {row}."]
    if data.is_all_free:
        lines.append(f"- Ratings are numbers{scale}, all as they were given.")
    else:
        where = "An empty cell" if data.persons is None else "A missing row"
        lines += [
            f"- Ratings are numbers{scale}. Some were moved, so that people resemble each other: a single rating need "
            f"not be the one that was given.{_off(release.utility.get('issue_mean_error'))}",
            f"- {where} means that the person did not rate the issue, or that the rating was blanked; the file does "
            "not tell which.",
        ]
    filled = int(release.utility["filled"])
    if filled:
        many = "1 rating is" if filled == 1 else f"{filled:,} ratings are"
        lines.append(f"- {many} invented: filled in where the person gave none. The file does not tell which.")
    if data.persons is not None:
        lines.append("- Numbers of persons were drawn at random and mean nothing. A row without an issue is a person "
                     "with no rating left.")  # fmt: skip
    return [*lines, *sensitive_line(data)]


def scale_in_words(data: Ratings, applied: Any) -> str:
    """The scales, unless the file hides an end of one at which there are ratings: it may have been found in the data.

    Whether it was is not asked. In the job as run all scales are given, and from that the same note is to be made.
    """
    if isinstance(applied, Released | Ranged):
        tops = applied.tops if isinstance(applied, Ranged) else applied.values
        in_file = _reached(data, applied.issues, applied.values, tops)
        is_hidden = (_reached(data, data.issues, data.values, data.values) & ~in_file).any()
    else:  # on a cluster, where nobody has all ratings at hand
        is_hidden = any(scale.is_guessed for scale in data.scales)
    return "" if is_hidden else f" on the scale: {'; '.join(dict.fromkeys(map(str, data.scales)))}"


def _reached(data: Ratings, issues: np.ndarray, lows: np.ndarray, tops: np.ndarray) -> np.ndarray:
    """Of each scale of a column, whether both its ends are among these ratings; of sensitive ones in a survey, none."""
    ends = np.zeros((2, len(data.names)), bool)
    ends[0, issues[lows == 0]] = True
    ends[1, issues[tops == data.top[issues]]] = True
    ends[:, list(data.given)] = False
    low, high = ends
    return low & high if data.persons is None else np.array([low.any() and high.any()])


def sensitive_line(data: Ratings) -> list[str]:
    """Which issues are published as they are because they are sensitive; nothing if none is."""
    sensitive = [name for name, is_sensitive in zip(data.names, data.is_sensitive, strict=True) if is_sensitive]
    if not sensitive:
        return []
    named = ", ".join(code(name) for name in sensitive[:20]) + ", …" * (len(sensitive) > 20)
    return [f"- Ratings of sensitive issues are as they were given: {named}."]


def _off(error: float | None) -> str:
    return "" if error is None else f" The mean of an issue is off by {error:.2g} on average."


def _cell_sizes(release: Release) -> np.ndarray:
    cell = release.recoding.cells.cell
    sizes = np.bincount(cell[cell >= 0]) if (cell >= 0).any() else np.empty(0, np.int64)
    return sizes[sizes > 0]


def issue_grid(data: Ratings, before: Sparse, after: Sparse) -> list[Block]:
    """The issues that most people are published to have rated: number, mean and rank, before and after."""
    means = issue_means(before, after, len(data.names))
    raters = [np.bincount(part.issues, minlength=len(data.names)) for part in (before, after)]
    both = np.flatnonzero(~np.isnan(means.before) & ~np.isnan(means.after))
    if not both.size:
        return [Text("No issue has a rating left.")]
    place = np.zeros((2, len(data.names)))
    place[0][both], place[1][both] = ranks(means.before[both]), ranks(means.after[both])
    rows: list[list[Any]] = []
    for issue in both[np.argsort(-raters[1][both], kind="stable")][:MOST_ISSUES].tolist():
        rows.append([
            data.names[issue], int(raters[0][issue]), int(raters[1][issue]),
            Number(f"{means.before[issue]:.2f}"), Number(f"{means.after[issue]:.2f}"),
            Number(f"{place[0][issue]:.12g}"), Number(f"{place[1][issue]:.12g}"),
        ])  # fmt: skip
    head = ("issue", "ratings before", "after", "mean before", "after", "rank before", "after")
    blocks: list[Block] = [Grid(rows, head)]
    if both.size > MOST_ISSUES:
        blocks.append(Text(f"… and {both.size - MOST_ISSUES:,} more issues"))
    return blocks


def sample_grid(release: Release) -> Grid:
    """The first people of the release, as they were and as they are, beside what nothing protects."""
    after: RatingView = release.view
    beside = plain_columns(release)
    cells = [shown_cells(release, name, _SAMPLES) for name in beside]
    rows = [
        (
            _person(release.before, release.before.indptr, was),
            _person(after, after.starts, now),
            *(column[now] for column in cells),
        )
        for now, was in enumerate(release.original[:_SAMPLES].tolist())
    ]
    return Grid(rows, ("before", "after", *(f"{name} (as it was)" for name in beside)))


def _person(data: Ratings | RatingView, starts: np.ndarray, person: int) -> str:
    span = range(int(starts[person]), int(starts[person + 1]))
    shown = [f"{data.names[data.issues[i]]}: {_shown(data, i)}" for i in span[:_SHOWN]]
    more = f" … +{len(span) - _SHOWN:,}" if len(span) > _SHOWN else ""
    return f"{', '.join(shown)}{more}" if shown else Words("(no rating)")


def _shown(data: Ratings | RatingView, at: int) -> str:
    """A rating as users write it."""
    issue, tops = int(data.issues[at]), getattr(data, "tops", None)
    low = plain(data.number_of(issue, int(data.values[at])))
    if tops is None or tops[at] == data.values[at]:
        return low
    return range_text(low, plain(data.number_of(issue, int(tops[at]))))
