"""The audit of k^m-anonymity of ratings, from the published ratings and the declared scales alone.

The attacker's story: I know up to m ratings of somebody exactly. How few people of the published file fit? Who shows a
rating of an issue fits what it covers. Who shows none fits what no published rating of the issue covers, for that is
what was blanked; and whoever shows none may have given such a rating. So showing nothing of an issue is something to
know wherever its published ratings leave a part of the scale out, and nothing anywhere else.

That is all the file tells, and all it needs to: the verdict is exact for the worst original that can be published so.
All sets of up to m such things are gone through, the rarest thing first, each with those who fit it. Where they are so
many, those with the fewest ratings tell soon which absences could matter.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from tacit.arrays.blocks import spans
from tacit.audits import _rating_km_kernels as _kernels
from tacit.audits._rating_km_kernels import FOUND, LEAST, LISTED, SIZE, Shown, Work
from tacit.audits._rating_triples import items_of, look_at_triples
from tacit.audits._sets import only, some_beside
from tacit.audits.result import AuditResult
from tacit.audits.views.ratings import RatingView
from tacit.promises import RatingKm

COUNTED = 10_000
"""So many sets that break the promise are counted."""
_SHOWN = 8
"""So many known ratings are told of one set."""
_MOST_PEOPLE = 2**62
_MOST_COUNTED = 2**26
_MOST_IN_32 = 2**31
_FEW_PEOPLE = 20_000
"""Among so few it is found out whether the promise holds for every m."""
_TRIPLES = 3
"""So many known ratings have a search of their own."""
_TRIED = 3
"""The largest m that is looked for where any number of ratings is known."""
_TRIED_OVERLAPPING = 8
"""The same where ranges of an issue overlap, which no method of ours publishes: all that is known at once is more than
anybody gave there, so that with more issues fewer may seem to fit. It may say "no" for "yes", never the reverse."""


class Published(NamedTuple):
    """What is shown, in the kernels' order, and how it is told."""

    known: Shown
    names: list[str]  # of the issues
    labels: list[tuple[int, Decimal, Decimal]]  # of each thing: its issue, and the ends of its range
    counts: np.ndarray  # of each thing
    overlaps: bool  # whether some range has several stretches, which nobody gave at once
    people: int


class Found(NamedTuple):
    """The fewest who fit, the weakest set, sets that too few fit with how many do, and whether those are all."""

    least: int
    worst: list[int]
    rare: list[tuple[int, list[int]]]
    is_all: bool
    affected: int
    smallest: int | None  # the size of the smallest such set


def audit(view: RatingView, promise: RatingKm, *, limit: int = 1000) -> AuditResult:
    """Check published ratings; the verdict is exact, at most `limit` violations are listed."""
    published = _published(view)
    k, issues = min(promise.k, _MOST_PEOPLE), len(published.names)
    everything = promise.m >= issues
    known = min(promise.m, issues)
    if not issues or not len(view):
        return nothing_known(view, promise, len(view))
    tried = _TRIED_OVERLAPPING if published.overlaps else _TRIED
    found = _all_known(published, k) if everything and known > tried else _few_known(published, k, int(known))
    level = _level(published, promise, k, found, everything)
    return told(view, published, promise, found, level, limit)


def told(
    view: RatingView, published: Published, promise: RatingKm, found: Found, level: dict[str, Any], limit: int
) -> AuditResult:
    """What was found, as audits tell it; `view` says which issues there are, and how many people."""
    k, issues = min(promise.k, _MOST_PEOPLE), len(published.names)
    satisfied = found.least >= k
    listed = [
        _entry(published, *each) for each in sorted(found.rare, key=lambda each: (each[0], len(each[1]), each[1]))
    ]
    count = len(listed)
    facts: dict[str, Any] = {
        "people": published.people,
        "issues": len(view.names),
        "issues_an_attacker_may_know": issues,
        "issues_with_a_part_blanked": int(published.known.is_open.sum()),
        "issues_without_a_scale": _without_scale(view),
        "violation_count": count,
        "violation_count_is_exact": found.is_all,
        "violation_count_in_words": f"{'' if found.is_all else 'more than '}{count:,}",
        "violation_count_limit": COUNTED,
        "violation_unit": "sets of known ratings that too few people fit",
        "records_affected": found.affected,
        "level": level,
    }
    worst = _entry(published, found.least, found.worst)
    result = AuditResult(promise.name, promise.parameters(), satisfied, worst, listed[:limit], facts)
    return replace(result, explanation=_explain(result, promise, some_sensitive=bool(view.is_sensitive.any())))


def nothing_known(view: RatingView, promise: RatingKm, people: int) -> AuditResult:
    """Nobody shows a rating that may be known: everybody fits whatever is."""
    facts = {
        "people": people, "issues": len(view.names), "issues_an_attacker_may_know": 0,
        "issues_with_a_part_blanked": 0, "issues_without_a_scale": _without_scale(view),
        "violation_count": 0, "violation_count_is_exact": True,
        "violation_count_in_words": "0", "violation_count_limit": COUNTED,
        "violation_unit": "sets of known ratings that too few people fit", "records_affected": 0, "level": None,
    }  # fmt: skip
    told = "It does so trivially: nobody of the file shows a rating that an attacker may know."
    return AuditResult(promise.name, promise.parameters(), True, None, [], facts, (told,))


def _without_scale(view: RatingView) -> int:
    """Of how many issues that may be known the job gives no scale."""
    return sum(scale.is_guessed for scale, hidden in zip(view.scales, view.is_sensitive, strict=False) if not hidden)


def _published(view: RatingView) -> Published:
    """The things that may be known: each published range of an issue, numbered with the rarest first.

    Where ranges of an issue overlap, each stretch of the scale that the same ranges cover is one: a person who shows a
    range may have given a rating of each stretch in it.
    """
    known = ~view.is_sensitive[view.issues]
    starts, issues = only(view.starts, view.issues, known)
    lows = view.values if known.all() else view.values[known]
    highs = lows if view.tops is None else view.tops if known.all() else view.tops[known]
    met, which = _different(issues)
    ends = [_different(each) for each in ((lows,) if view.tops is None else (lows, highs))]
    code = which
    for numbers, places in ends:
        code = _combined(code, places, numbers.size)
    keys, code = _different(code)
    ranges = [*_told(keys, [numbers for numbers, _ in ends])]
    things, parts = _stretches(ranges)
    is_open = np.array([leaves_out(view, met[issue], own) for issue, own in _by_issue(ranges, met.size)], bool)
    overlaps = len(parts) != sum(map(len, parts))
    if overlaps:
        lengths = np.array([len(each) for each in parts], np.int64)
        people = np.repeat(np.arange(len(view)), np.diff(starts))
        person = np.repeat(people, lengths[code])
        which = np.repeat(which, lengths[code])
        code = np.array([each for own in parts for each in own], np.int64)[
            np.arange(person.size)
            + np.repeat(
                (np.cumsum(lengths) - lengths)[code] - (np.cumsum(lengths[code]) - lengths[code]), lengths[code]
            )
        ]
        starts = np.concatenate(([0], np.cumsum(np.bincount(person, minlength=len(view)))))
    else:
        code = np.array([own[0] for own in parts], np.int32)[code]
    counts = np.bincount(code, minlength=len(things))
    rank_order = np.argsort(counts, kind="stable")
    rank = np.empty(counts.size, np.int64)
    rank[rank_order] = np.arange(counts.size)
    scale = 10**view.decimals
    labels = [(things[i][0], Decimal(things[i][1]) / scale, Decimal(things[i][2]) / scale) for i in rank_order.tolist()]
    issue_of = np.array([label[0] for label in labels], np.int32)
    shown = _in_order(starts, rank.astype(np.int32)[code], which, issue_of, is_open)
    return Published(shown, [view.names[i] for i in met.tolist()], labels, counts[rank_order], overlaps, len(view))


def _different(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different numbers, rising, and the place of each among them; counted where they are small."""
    lowest, highest = int(codes.min(initial=0)), int(codes.max(initial=0))
    if highest - lowest >= _MOST_COUNTED:
        return np.unique(codes, return_inverse=True)
    is_met = np.zeros(highest - lowest + 1, bool)
    places = codes - codes.dtype.type(lowest) if lowest else codes
    is_met[places] = True
    return np.flatnonzero(is_met) + lowest, (np.cumsum(is_met, dtype=np.int32) - np.int32(1))[places]


def _combined(codes: np.ndarray, places: np.ndarray, size: int) -> np.ndarray:
    """Two codes as one, in 32 bits if they are enough: the largest files have a hundred million ratings."""
    fits = (int(codes.max(initial=0)) + 1) * size < _MOST_IN_32
    kind = np.int32 if fits else np.int64
    found: np.ndarray = codes.astype(kind, copy=False) * max(size, 1)
    return found + places.astype(kind, copy=False)


def _told(keys: np.ndarray, ends: Sequence[np.ndarray]) -> Iterator[tuple[int, int, int]]:
    """The issue, the lower and the upper end that each key stands for."""
    found = []
    for numbers in reversed(ends):
        keys, place = np.divmod(keys, numbers.size)
        found.append(numbers[place].tolist())
    return zip(keys.tolist(), found[-1], found[0], strict=True)


def _by_issue(ranges: Sequence[tuple[int, int, int]], issues: int) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    found: list[list[tuple[int, int]]] = [[] for _ in range(issues)]
    for issue, low, high in ranges:
        found[issue].append((low, high))
    return enumerate(found)


def _stretches(ranges: Sequence[tuple[int, int, int]]) -> tuple[list[tuple[int, int, int]], list[list[int]]]:
    """Stretches of scales that are covered by different ranges, (issue, low, high); and those of each range."""
    things: list[tuple[int, int, int]] = []
    parts: list[list[int]] = [[] for _ in ranges]
    by_issue: dict[int, list[int]] = {}
    for index, (issue, _, _) in enumerate(ranges):
        by_issue.setdefault(issue, []).append(index)
    for issue, own in by_issue.items():
        edges = sorted({edge for i in own for edge in (ranges[i][1], ranges[i][2] + 1)})
        covering: dict[tuple[int, ...], int] = {}
        for low, past in pairwise(edges):
            over = tuple(i for i in own if ranges[i][1] <= low and past - 1 <= ranges[i][2])
            if over and over not in covering:
                covering[over] = len(things)
                things.append((issue, low, past - 1))
                for i in over:
                    parts[i].append(covering[over])
    return things, parts


def leaves_out(view: RatingView, issue: int, ranges: list[tuple[int, int]]) -> bool:
    """Whether some rating of the scale is covered by no published one.

    Between two ratings there is a step, or a tick of the file where the scale is continuous. Of a scale that the job
    does not give nothing is known to be covered.
    """
    scale = view.scales[issue]
    if scale.is_guessed:
        return True
    unit = Decimal(10) ** view.decimals
    step = 1 if scale.step is None else int(scale.step * unit)
    reached = int(scale.low * unit) - step
    for low, high in sorted(ranges):
        if low - reached > step:
            return True
        reached = max(reached, high)
    return reached < int(scale.high * unit)


def _in_order(
    starts: np.ndarray, codes: np.ndarray, issues: np.ndarray, issue_of: np.ndarray, is_open: np.ndarray
) -> Shown:
    """People by how little they show; what each shows in rising order."""
    people = np.argsort(np.diff(starts), kind="stable")
    own, (mine, rated) = some_beside(starts, (codes, issues), people)
    holder_starts = np.concatenate(([0], np.cumsum(np.bincount(codes, minlength=issue_of.size))))
    holders, things = np.empty(codes.size, np.int32), np.empty(codes.size, np.int32)
    _kernels.turned(own, mine, holder_starts[:-1].copy(), holders)
    _kernels.turned(holder_starts, holders, own[:-1].copy(), things)
    return Shown(own, things, rated.astype(np.int32, copy=False), holder_starts, holders, issue_of, is_open)


def _few_known(published: Published, k: int, m: int) -> Found:
    """All sets of up to m things, one of an issue."""
    shown, counts = published.known, published.counts
    people, things, issues = shown.starts.size - 1, counts.size, shown.is_open.size
    state = np.array([people, 0, 0, m + 1], np.int64)
    work = Work(
        np.empty((m, people), np.int32), np.zeros((m + 1, things + 2), np.int32), np.empty((m + 1) * issues, np.int32),
        np.zeros(m + 1, np.int64), state, np.zeros(m + 1, np.int64), np.zeros((COUNTED, m + 2), np.int64),
        np.zeros(people, bool),
    )  # fmt: skip
    alone = np.flatnonzero(counts < k)
    if things:  # the rarest comes first
        state[LEAST], work.worst[:2] = counts[0], (1, 0)
        if alone.size:
            state[SIZE] = 1
    for thing in alone.tolist():
        work.is_hit[shown.holders[shown.holder_starts[thing] : shown.holder_starts[thing + 1]]] = True
    items = items_of(shown, counts, k) if m == _TRIPLES else None
    at_once = m if items is None else m - 1
    _kernels.search_absent(np.arange(people, dtype=np.int32), at_once, k, shown, work)
    for start, stop in spans(things if at_once > 1 else 0, "known ratings", first=8):
        _kernels.search(start, stop, at_once, k, shown, work)
    if items is not None:
        look_at_triples(shown, items, k, work)
    rare = [(int(counts[thing]), [thing]) for thing in alone[:COUNTED].tolist()]
    for row in work.sets[: state[LISTED]].tolist():
        rare.append((row[0], sorted(row[2 : 2 + row[1]])))
    is_all = alone.size + int(state[FOUND]) <= COUNTED
    smallest = int(state[SIZE]) if state[SIZE] <= m else None
    worst = work.worst[1 : 1 + work.worst[0]].tolist()
    return Found(int(state[LEAST]), worst, _minimal(rare), is_all, int(work.is_hit.sum()), smallest)


def _minimal(rare: list[tuple[int, list[int]]]) -> list[tuple[int, list[int]]]:
    """Each set once, and none of which a part is listed."""
    sets = {frozenset(each): count for count, each in rare}
    kept: set[frozenset[int]] = set()
    for each in sorted(sets, key=len):
        parts = (each - {thing} for thing in each) if len(each) <= 2 else (one for one in kept if one < each)
        if not any(part in kept for part in parts):
            kept.add(each)
    return [(sets[each], sorted(each)) for each in kept]


def _all_known(published: Published, k: int) -> Found:
    """Whatever is known of a person, no fewer fit than fit all of it."""
    shown = published.known
    count = np.zeros(shown.starts.size - 1, np.int64)
    least = min(_least_of_all(published, k, count))
    few = np.flatnonzero(count < k)
    sets = {tuple(_known_of(shown, person)): int(count[person]) for person in few[:COUNTED].tolist()}
    weakest = _known_of(shown, int(count.argmin()))
    return Found(least, weakest, [(fit, list(each)) for each, fit in sets.items()], few.size <= COUNTED, few.size, None)


def _least_of_all(published: Published, k: int, count: np.ndarray) -> Iterator[int]:
    """The fewest of those looked at so far who fit all that may be known of one of them, some people after the others.

    `count` gets how many fit each, as far as `_kernels.contained` counts.
    """
    shown, least = published.known, count.size
    for start, stop in spans(count.size, "people", first=64):
        least = int(_kernels.contained(start, stop, k, least, shown, count))
        yield least


def _is_kept_for_all(published: Published, k: int) -> bool:
    """Whether k people fit all that may be known of anybody; it ends with the first person whom too few fit."""
    count = np.zeros(published.known.starts.size - 1, np.int64)
    return all(least >= k for least in _least_of_all(published, k, count))


def _known_of(shown: Shown, person: int) -> list[int]:
    """All that may be known of a person."""
    span = slice(shown.starts[person], shown.starts[person + 1])
    absent = np.setdiff1d(np.flatnonzero(shown.is_open), shown.rated[span])
    return sorted([*shown.things[span].tolist(), *(-1 - absent).tolist()])


def _level(published: Published, promise: RatingKm, k: int, found: Found, everything: bool) -> dict[str, Any]:
    """The largest k for this m, exact or "at most"; and the largest m for this k, exact or "at least"."""
    m: int | str = min(int(min(promise.m, len(published.names))), len(published.names))
    is_exact = False
    if found.least >= k:
        few = published.known.starts.size - 1 <= _FEW_PEOPLE
        if everything or (few and _is_kept_for_all(published, k)):
            m, is_exact = "inf", True
    elif found.smallest is not None:
        m, is_exact = found.smallest - 1, True
    else:
        m = 0
        while m < min(_TRIED, len(published.names)) and not is_exact:
            is_exact = _few_known(published, k, m + 1).least < k
            m += not is_exact
    k_is_exact = (
        found.least >= k or found.least == 1 or found.smallest is None
    )  # what is rare was not looked at further
    return {"k_for_this_m": found.least, "k_is_exact": k_is_exact, "m_for_this_k": m, "m_is_exact": is_exact}


def _entry(published: Published, count: int, known: Sequence[int]) -> dict[str, Any]:
    """What is known, by the names of the issues: a range, or None for showing nothing; and how many fit."""
    told: dict[str, str | None] = {}
    for thing in known:
        if thing < 0:
            told[published.names[-1 - thing]] = None
        else:
            issue, low, high = published.labels[thing]
            told[published.names[issue]] = _text(low) if low == high else f"[{_text(low)}:{_text(high)}]"
    shown = dict(sorted(told.items())[:_SHOWN])
    words = ", ".join(f"{name}: {'blanked' if text is None else text}" for name, text in shown.items())
    more = f" and {len(told) - len(shown):,} more" if len(told) > len(shown) else ""
    fits = "1 person fits" if count == 1 else f"{count:,} people fit"
    return {"known": shown, "size": len(told), "people": int(count), "text": f"{{{words}{more}}}: {fits}"}


def _text(number: Decimal) -> str:
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _people(count: int) -> str:
    return "1 person has" if count == 1 else f"{count:,} people have"


def _explain(result: AuditResult, promise: RatingKm, *, some_sensitive: bool) -> tuple[str, ...]:
    """The result in sentences for a data steward."""
    facts, level = result.facts, result.facts["level"]
    assert result.worst is not None
    many = "Known ratings" if promise.m == math.inf else f"Up to {promise.m} known ratings"
    lines = [
        promise.in_words(some_sensitive=some_sensitive)
        if result.satisfied
        else f"{many} give people away: {facts['violation_count_in_words']} set{'s' * (facts['violation_count'] != 1)} "
        f"of them that fewer than {promise.k:,} people fit, and {_people(facts['records_affected'])} one of those."
    ]
    open_issues = facts["issues_with_a_part_blanked"]
    blanked = f"; of {open_issues:,} of them a part of the scale is not shown, so that no rating is something to know"
    lines.append(
        f"Checked {facts['people']:,} people and {facts['issues_an_attacker_may_know']:,} issues"
        f"{blanked if open_issues else ''}."
    )
    if not result.satisfied and facts["issues_without_a_scale"]:
        lines.append(
            f"The job gives no scale of {facts['issues_without_a_scale']:,} of them, and whether all of an unknown "
            "scale is shown cannot be told: give `scale` and `step`, or take private/job.toml of the release, which "
            "has them."
        )
    m = f"{'' if level['m_is_exact'] else 'at least '}{level['m_for_this_k']}"
    lines.append(f"The weakest spot is {result.worst['text']}.")
    lines.append(
        f"Level reached: k = {'' if level['k_is_exact'] else 'at most '}{level['k_for_this_m']:,} for "
        f"m = {result.parameters['m']}; m = {m} for k = {promise.k:,}."
    )
    return tuple(lines)
