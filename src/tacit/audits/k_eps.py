"""The audit of (k, ε)-anonymity (Sun & Wang, Definitions 1 and 2), from the published ratings alone.

The attacker's story: I know about how somebody rated every issue that is not sensitive, and which ones the person did
not rate. How few people of the published file fit? Each published person is such a somebody. Two fit each other if
they rated the same issues and no two of their ratings differ by more than ε.

No pair of people is compared in vain: only those with equal rated sets can be close, equal people are one row with a
weight, and the rows close to a row are found in a prefix tree of their ratings. Where there are many rows, those within
ε of a rating are marked, so that 64 of them are compared at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from tacit.audits import _ratings_kernels as _kernels
from tacit.audits._sets import only
from tacit.audits.result import AuditResult
from tacit.audits.views.ratings import RatingOriginal, RatingView, issues_by_name
from tacit.audits.views.scales import Scale
from tacit.errors import InputError
from tacit.promises import KEpsAnonymity, exact

_SHOWN_ISSUES = 8
_MOST_SORTED = 12
"""By so many columns rows are sorted: beyond, few rows are left that agree in all of them."""
_MANY = 1000
"""Above so many rows they are marked."""
_MOST_CELLS, _LEAST_CELLS, _MOST_WORDS = 256, 4, 2**23
"""The ratings of a column are marked in at most so many cells, as far as all marks fit in so many words."""
_FEW_LEVELS = 64
"""A prefix tree has no more branches at a node."""
_NO_END = 2**62
_FEW_STEPS = 2**21
"""Rows that are compared in so many steps need no kernel: to compile one takes longer."""

_Histogram = tuple[np.ndarray, np.ndarray, np.ndarray]
"""(indptr, codes, times): how often the people of each row gave which sensitive rating."""
_Counted = tuple[np.ndarray, np.ndarray, np.ndarray]
"""For each row how many are close; the largest share of them that gave one sensitive rating, and which, −1 for none."""


class _Alike(NamedTuple):
    """The different rows of people who rated the same issues, sorted; people[starts[r]:starts[r + 1]] have row r."""

    issues: np.ndarray  # of the columns
    table: np.ndarray  # int64, a row each
    weight: np.ndarray
    people: np.ndarray
    starts: np.ndarray


class Crowd(NamedTuple):
    """For every person how many people are close, the person included; and the most frequent sensitive rating there."""

    close: np.ndarray
    share: np.ndarray | None  # of those close who gave it
    which: np.ndarray | None  # its index in `sensitive`, −1 if nobody close gave any
    sensitive: list[tuple[int, int]]  # (issue, value)


def audit(view: RatingView, promise: KEpsAnonymity, *, limit: int = 1000) -> AuditResult:
    """Check published ratings by the scales that the job gives.

    Where one had to be guessed from the published ratings and the verdict hangs on it, there is none.
    """
    _require_sensitive(view, promise)
    guessed = np.array([scale.is_guessed for scale in view.scales], bool)
    spanned = free_issues(view, promise.eps)
    result = _verdict(view, promise, spanned & ~guessed, limit)
    if not result.satisfied and (spanned & guessed).any() and _verdict(view, promise, spanned, limit).satisfied:
        reason = (
            "Whether somebody who did not rate an issue is close to somebody who did depends on the scale, which "
            "the job does not give: set `scale` for the ratings."
        )
        return replace(result, satisfied=None, explanation=(reason, *result.explanation))
    return result


def prove(view: RatingView, promise: KEpsAnonymity, original: RatingOriginal, *, limit: int = 1000) -> AuditResult:
    """Check published ratings by the scales of the original, which are known even if they had to be guessed."""
    _require_sensitive(view, promise)
    epsilon, issue_of = Fraction(str(promise.eps)), issues_by_name(original, view)
    known = (name in issue_of and _spans(epsilon, original.scales[issue_of[name]]) for name in view.names)
    return _verdict(view, promise, np.fromiter(known, bool, len(view.names)), limit)


def free_issues(view: RatingView, eps: float) -> np.ndarray:
    """For each issue, whether ε spans its scale, so that it tells nobody from anybody."""
    return np.array([_spans(Fraction(str(eps)), scale) for scale in view.scales], bool)


def _require_sensitive(view: RatingView, promise: KEpsAnonymity) -> None:
    """Refuses to tell about sensitive ratings of a job that declares none."""
    if promise.l is not None and not view.declares_sensitive:
        hint = "Declare what is sensitive, or leave l out."
        raise InputError("l is set, but no issue is declared sensitive", hint=hint)


def _spans(epsilon: Fraction, scale: Scale) -> bool:
    """Whether ε is no smaller than the distance of the highest rating to none, which counts a step below the lowest."""
    return epsilon >= Fraction(scale.high) - Fraction(scale.low) + Fraction(scale.below)


def _reach(view: RatingView, eps: float) -> int:
    """ε in ticks of the file; more than the file's ratings are apart would be no more."""
    furthest = int(view.values.max(initial=0)) - int(view.values.min(initial=0))
    return min(Fraction(str(eps)) * 10**view.decimals // 1, furthest)


def crowd(view: RatingView, eps: float, is_free: np.ndarray, *, enough: int = _NO_END) -> Crowd:
    """Counts who is close to whom: all who are fewer than `enough`, and those of the loneliest; of others, enough.

    How far ε reaches is worked out here from its definition: no reader of the file has a say in it.
    """
    known = ~(view.is_sensitive | is_free)
    stays = known[view.issues]
    indptr, issues = only(view.starts, view.issues, stays)
    values = view.values if stays.all() else view.values[stays]
    close, reach = np.ones(len(view), np.int64), _reach(view, eps)
    sensitive, sensitive_indptr, sensitive_codes = _sensitive(view)
    share = which = None
    if sensitive:  # of somebody with nobody close, all that is seen is the own ratings
        has_any = np.diff(sensitive_indptr) > 0
        share = has_any.astype(float)
        which = np.full(len(view), -1, np.int64)
        which[has_any] = sensitive_codes[sensitive_indptr[:-1][has_any]]
    groups = list(_people_by_set(indptr, issues))
    least = 1 if sum(map(len, groups)) < len(view) else len(view)  # whoever is in none is alone
    for here in groups:
        alike = _rows_of(here, indptr, issues, values)
        histogram = None
        if share is not None:
            histogram = _sensitive_of_rows(alike, sensitive_indptr, sensitive_codes, len(sensitive))
        compared = _compared(alike, reach, histogram)
        if compared is None:
            compared = _looked_up(alike, reach, histogram, len(sensitive), enough, least)
        counts, shares, codes = compared
        if share is not None and which is not None:
            share[alike.people] = np.repeat(shares, alike.weight)
            which[alike.people] = np.repeat(codes, alike.weight)
        else:
            least = min(least, int(counts.min()))
        close[alike.people] = np.repeat(counts, alike.weight)
    return Crowd(close, share, which, sensitive)


def _compared(alike: _Alike, reach: int, histogram: _Histogram | None) -> _Counted | None:
    """Compares every row with every other; None if that would take too long."""
    rows, columns = alike.table.shape
    met, code = (np.empty(0, np.int64), None) if histogram is None else np.unique(histogram[1], return_inverse=True)
    if rows * rows * (columns + met.size) > _FEW_STEPS:
        return None
    is_close = np.ones((rows, rows), bool)
    for ratings in alike.table.T:
        is_close &= abs(ratings[:, None] - ratings) <= reach
    counts = is_close @ alike.weight
    if histogram is None or not met.size:
        return counts, np.zeros(rows), np.full(rows, -1, np.int64)
    given = np.zeros((rows, met.size), np.int64)
    given[np.repeat(np.arange(rows), np.diff(histogram[0])), code] = histogram[2]
    seen = is_close @ given
    most = seen.max(axis=1)
    return counts, most / counts, np.where(most > 0, met[seen.argmax(axis=1)], -1)


def _looked_up(
    alike: _Alike, reach: int, histogram: _Histogram | None, code_count: int, enough: int, least: int
) -> _Counted:
    """Looks rows up in a prefix tree, and in marks if they are many."""
    rows, order = _marked(alike, np.full(alike.issues.size, reach, np.int64))
    counts, shares = np.empty(alike.weight.size, np.int64), np.empty(alike.weight.size)
    codes = np.empty_like(counts)
    if histogram is None:
        _kernels.count_close(rows, order, enough, least, counts)
    else:
        _kernels.most_frequent(rows, *histogram, code_count, counts, shares, codes)
    return counts, shares, codes


def _verdict(view: RatingView, promise: KEpsAnonymity, is_free: np.ndarray, limit: int) -> AuditResult:
    found = crowd(view, promise.eps, is_free, enough=min(promise.k, _NO_END))
    people, least = len(view), int(found.close.min(initial=len(view)))
    alone = found.close < promise.k
    crowded = people == 0 or not alone.any()
    too_sure = np.zeros(people, bool)
    if promise.l is not None and found.share is not None:
        too_sure = _more_than(found, exact(promise.l))
    affected = int((alone | too_sure).sum())
    level: dict[str, Any] | None = None if people == 0 else {"k": least}
    facts: dict[str, Any] = {
        "people": people,
        "people_without_enough_close_others": int(alone.sum()),
        "violation_count": affected,
        "violation_count_is_exact": True,
        "violation_count_in_words": f"{affected:,}",
        "violation_unit": "people without enough close others, or of whose company a sensitive rating is known",
        "records_affected": affected,
        "level": level,
        "issues": len(view.names),
        "issues_an_attacker_may_know": int((~(view.is_sensitive | is_free)).sum()),
        "issues_the_promise_leaves_out": int((is_free & ~view.is_sensitive).sum()),
    }
    if found.share is not None and found.which is not None and level is not None:
        highest = float(found.share.max(initial=0.0))
        level["l"] = _largest_l(highest, people)
        facts["sensitive"] = {
            "highest_share": highest,
            "people_whose_company_is_unanimous": int((found.share >= 1.0).sum()),
            "people_without_diversity": int(too_sure.sum()) if promise.l is not None else None,
        }
    violations = [
        *_patterns(view, is_free, found, np.flatnonzero(alone), limit),
        *_sure(view, found, np.flatnonzero(too_sure & ~alone), limit),
    ][:limit]
    weakest = np.flatnonzero(found.close == least)[:1] if people else np.empty(0, np.int64)
    worst = next(iter(_patterns(view, is_free, found, weakest, 1)), None)
    satisfied = crowded and not too_sure.any()
    result = AuditResult(promise.name, promise.parameters(), satisfied, worst, violations, facts)
    return replace(result, explanation=_explain(result, promise, least))


def _largest_l(share: float, people: int) -> float | None:
    """The largest ℓ that holds where that share of a company gave one rating, rounded down so that it can be set."""
    return math.floor(10**6 / Fraction(share).limit_denominator(people)) / 10**6 if share else None


def _more_than(found: Crowd, l: Fraction) -> np.ndarray:  # noqa: E741
    """For each person, whether more than 1/ℓ of those close gave one sensitive rating, in whole numbers."""
    assert found.share is not None
    given = np.rint(found.share * found.close).astype(np.int64)  # a share is a quotient of two counts
    return (given.astype(object) * l.numerator > found.close.astype(object) * l.denominator).astype(bool)


def _rows_of(here: np.ndarray, indptr: np.ndarray, issues: np.ndarray, values: np.ndarray) -> _Alike:
    """The rows of people who rated the same issues."""
    start, end = indptr[here[0]], indptr[here[0] + 1]
    width = int(end - start)
    ratings = values[indptr[here][:, None] + np.arange(width)].astype(np.int64)
    columns = np.argsort(-ratings.var(axis=0), kind="stable")  # what tells people apart comes first
    ratings = ratings[:, columns]
    order = np.lexsort(ratings.T[:_MOST_SORTED][::-1]) if width else np.arange(here.size)
    ratings = ratings[order]
    new = np.append(True, (ratings[1:] != ratings[:-1]).any(axis=1))
    starts = np.append(np.flatnonzero(new), here.size)
    return _Alike(issues[start:end][columns], ratings[new], np.diff(starts), here[order], starts)


def _marked(alike: _Alike, reach: np.ndarray) -> tuple[_kernels.Rows, np.ndarray]:
    """The rows as the kernels take them, with marks if they are many; and an order, those that look lonely first.

    A column with few different ratings has a mark for each, which is exact. Others are cut into cells of ratings next
    to each other: the mark of a cell holds all that is within reach of any of them, a second one what is of all.
    """
    size, columns = alike.table.shape
    sorted_columns = min(columns, _MOST_SORTED)
    if size <= _MANY:
        none = np.empty(0, np.uint64), np.empty(0, np.int32), np.empty(0, np.int64), np.empty(0, bool)
        fixed = (alike.table.ravel(), reach, sorted_columns, sorted_columns, alike.weight)
        return _kernels.Rows(*fixed, *none), np.arange(size)
    most = max(_LEAST_CELLS, min(_MOST_CELLS, _MOST_WORDS // (columns * -(-size // 64))))
    mark, unsure = np.empty((size, columns), np.int32), list[int]()
    any_near, all_near = list[np.ndarray](), list[np.ndarray]()
    company = np.zeros(size)
    tree_columns = 0
    for column in range(columns):
        ratings = alike.table[:, column]
        levels, level = np.unique(ratings, return_inverse=True)
        cells = min(levels.size, most)
        cell = np.arange(levels.size) * cells // levels.size
        first = np.searchsorted(cell, np.arange(cells + 1))
        low, high = levels[first[:-1]], levels[first[1:] - 1]
        if cells < levels.size:
            unsure.append(column)
        if column == tree_columns < sorted_columns and levels.size <= _FEW_LEVELS:
            tree_columns += 1
        mark[:, column] = cell[level] + len(any_near)
        any_near += _within(ratings, low - reach[column], high + reach[column])
        all_near += _within(ratings, high - reach[column], low + reach[column])
        sizes = np.searchsorted(levels, high + reach[column], "right") - np.searchsorted(levels, low - reach[column])
        company += np.log(sizes)[cell[level]]
    is_single = np.logical_and.reduceat(alike.weight == 1, np.arange(0, size, 64))
    marks = np.concatenate(any_near + all_near if unsure else any_near)
    rows = _kernels.Rows(
        alike.table.ravel(), reach, sorted_columns, tree_columns, alike.weight,
        marks, mark.ravel(), np.array(unsure, np.int64), is_single,
    )  # fmt: skip
    return rows, np.argsort(company, kind="stable")


def _within(ratings: np.ndarray, low: np.ndarray, high: np.ndarray) -> Iterator[np.ndarray]:
    """The marks of the rows whose ratings lie in each of some intervals: a bit a row, in words."""
    is_near = np.zeros(-(-ratings.size // 64) * 64, bool)
    for least, most in zip(low.tolist(), high.tolist(), strict=True):
        is_near[: ratings.size] = (ratings >= least) & (ratings <= most)
        yield np.packbits(is_near, bitorder="little").view("<u8").astype(np.uint64, copy=False)


def _people_by_set(indptr: np.ndarray, issues: np.ndarray) -> Iterator[np.ndarray]:
    """The people of every set of issues that more than one person rated: exact, and by no code of the methods."""
    people: dict[bytes, list[int]] = {}
    for person, (start, end) in enumerate(pairwise(indptr.tolist())):
        people.setdefault(issues[start:end].tobytes(), []).append(person)
    return (np.array(here) for here in people.values() if len(here) > 1)


def _sensitive(view: RatingView) -> tuple[list[tuple[int, int]], np.ndarray, np.ndarray]:
    """The different sensitive ratings, and those of each person as (indptr, codes)."""
    stays = view.is_sensitive[view.issues]
    if not stays.any():
        return [], np.zeros(len(view) + 1, np.int64), np.empty(0, np.int64)
    indptr, issues = only(view.starts, view.issues, stays)
    pairs, codes = np.unique(
        np.column_stack((issues.astype(np.int64), view.values[stays].astype(np.int64))), axis=0, return_inverse=True
    )
    return [(int(issue), int(value)) for issue, value in pairs], indptr, codes.ravel()


def _sensitive_of_rows(
    rows: _Alike, indptr: np.ndarray, codes: np.ndarray, code_count: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How often the people of each row gave each sensitive rating, as (indptr, codes, times)."""
    row_of = np.repeat(np.arange(rows.weight.size), rows.weight)
    lengths = np.diff(indptr)[rows.people]
    at = np.arange(lengths.sum()) + np.repeat(indptr[rows.people] - (np.cumsum(lengths) - lengths), lengths)
    pairs, times = np.unique(np.repeat(row_of, lengths) * np.int64(code_count) + codes[at], return_counts=True)
    starts = np.searchsorted(pairs, np.arange(rows.weight.size + 1) * np.int64(code_count))
    return starts, pairs % max(code_count, 1), times


def _patterns(
    view: RatingView, is_free: np.ndarray, found: Crowd, people: np.ndarray, limit: int
) -> Iterator[dict[str, Any]]:
    """How these people are published, the loneliest first; nothing says who they are."""
    hidden = view.is_sensitive | is_free
    for person in people[np.argsort(found.close[people], kind="stable")][:limit].tolist():
        span = slice(view.starts[person], view.starts[person + 1])
        shown = [
            (int(issue), int(value))
            for issue, value in zip(view.issues[span], view.values[span], strict=True)
            if not hidden[issue]
        ]
        ratings = {view.names[issue]: float(view.number_of(issue, value)) for issue, value in shown[:_SHOWN_ISSUES]}
        count = int(found.close[person])
        words = ", ".join(f"{name}: {number:g}" for name, number in ratings.items()) or "no rating"
        more = len(shown) - len(ratings)
        words += f" and {more:,} more" if more else ""
        one = "1 person is" if count == 1 else f"{count:,} people are"
        yield {"ratings": ratings, "rated": len(shown), "close": count, "text": f"{{{words}}}: {one} that close"}


def _sure(view: RatingView, found: Crowd, people: np.ndarray, limit: int) -> Iterator[dict[str, Any]]:
    """Sensitive ratings that too many of a person's company gave, the surest first."""
    if found.share is None or found.which is None:
        return
    told: set[tuple[int, float]] = set()
    for person in people[np.argsort(-found.share[people], kind="stable")].tolist():
        code, share = int(found.which[person]), float(found.share[person])
        if (code, share) in told or len(told) >= limit:
            continue
        told.add((code, share))
        issue, value = found.sensitive[code]
        name, rating = view.names[issue], float(view.number_of(issue, value))
        text = f"sensitive {name}: {rating:g} was given by {share:.0%} of people close to each other"
        yield {"sensitive": name, "rating": rating, "share": share, "text": text}


def _explain(result: AuditResult, promise: KEpsAnonymity, least: int) -> tuple[str, ...]:
    """The result in sentences for a data steward."""
    facts = result.facts
    if not facts["people"]:
        return ("It does so trivially: there is nobody in the file.",)
    lonely = facts["people_without_enough_close_others"]
    free = facts["issues_the_promise_leaves_out"]
    all_free = free > 0 and not facts["issues_an_attacker_may_know"]
    lines = []
    if result.satisfied:
        lines.append(promise.in_words(free=free, all_free=all_free))
    elif lonely:
        people = "person has" if lonely == 1 else "people have"
        wanted = "1 other" if promise.k == 2 else f"{promise.k - 1:,} others"
        lines.append(f"{lonely:,} {people} fewer than {wanted} whose ratings are all within ε.")
    such = f"{'close' if all_free else 'such'} {'other' if least == 2 else 'others'}"
    lines.append(f"Everybody has at least {least - 1:,} {such}: this file reaches k = {least:,}.")
    sensitive = facts.get("sensitive")
    if sensitive:
        if sensitive["people_without_diversity"]:
            people = "person" if sensitive["people_without_diversity"] == 1 else "people"
            lines.append(
                f"For {sensitive['people_without_diversity']:,} {people} some sensitive rating was given by more than "
                f"1/{promise.l:g} of them and those close to them."
            )
        lines.append(
            f"Of people close to each other, up to {sensitive['highest_share']:.0%} gave the same sensitive rating"
            + ("." if promise.l is not None else "; (k, ε) does not promise that they differ (l = asks for it).")
        )
    return tuple(lines)
