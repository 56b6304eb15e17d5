"""Slow, literal twins of what tacit does with ratings. A person is a dictionary: issue -> rating."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

TWIN_OF = ("hamming",)

Person = dict[Any, float]


def dissimilarity(one: float | None, other: float | None, r: float) -> float:
    """Dis of section III: r apart if only one of them rated."""
    if one is None or other is None:
        return 0 if one is other else r
    return abs(one - other)


def proximate(one: Person, other: Person, eps: float, r: float) -> bool:
    """Definition 1."""
    return all(dissimilarity(one.get(i), other.get(i), r) <= eps for i in {*one, *other})


def close_people(people: Sequence[Person], eps: float, r: float) -> list[int]:
    """For each person how many are ε-proximate, the person included."""
    return [sum(proximate(one, other, eps, r) for other in people) for one in people]


def is_k_eps_anonymous(people: Sequence[Person], k: int, eps: float, r: float) -> bool:
    """Definition 2."""
    return all(count >= k for count in close_people(people, eps, r))


def highest_share(people: Sequence[Person], sensitive: Sequence[Person], eps: float, r: float) -> list[float]:
    """For each person the largest share of the people close who gave the same sensitive rating."""
    shares = []
    for one in people:
        close = [gave for other, gave in zip(people, sensitive, strict=True) if proximate(one, other, eps, r)]
        given = Counter(pair for gave in close for pair in gave.items())
        shares.append(max(given.values(), default=0) / len(close))
    return shares


def total_distortion(before: Sequence[Person], after: Sequence[Person], null: float) -> float:
    """Definitions 5 and 6; no rating counts as `null`."""
    return sum(
        abs(one.get(i, null) - other.get(i, null))
        for one, other in zip(before, after, strict=True)
        for i in {*one, *other}
    )


def all_intervals(ratings: Sequence[int], eps: int) -> list[tuple[int, int]]:
    """Algorithm 1: (lo, distortion) of every interval [lo, lo + ε] from Min to Max − ε."""
    lows = range(min(ratings), max(min(ratings), max(ratings) - eps) + 1)
    return [(lo, sum(max(lo - v, v - lo - eps, 0) for v in ratings)) for lo in lows]


def single_anonymizer(ratings: Sequence[int], eps: int) -> tuple[int, int]:
    """(lo, distortion) of the best interval; the strict `<` of Algorithm 1 keeps the lowest."""
    best = None
    for lo, distortion in all_intervals(ratings, eps):
        if best is None or distortion < best[1]:
            best = lo, distortion
    assert best is not None
    return best


def by_rated_set(people: Sequence[Person]) -> dict[frozenset[Any], list[int]]:
    """Who rated the same issues: first the sets that fewest people have, of equals the largest, then as they appear."""
    classes: dict[frozenset[Any], list[int]] = {}
    for place, person in enumerate(people):
        classes.setdefault(frozenset(person), []).append(place)
    return dict(sorted(classes.items(), key=lambda each: (len(each[1]), -len(each[0]))))


def hamming(people: Sequence[Person], k: int, eps: int, *, fill: bool) -> list[Person]:
    """Section IV.C, with Case 2 as worked out: smallest group first, each person to the nearest founder's rated set."""
    classes = by_rated_set(people)
    founders, groups = list(classes), list(classes.values())
    while True:
        alive = [g for g, members in enumerate(groups) if members]
        small = [g for g in alive if len(groups[g]) < k]
        if not small or len(alive) == 1:
            break
        least = min(small, key=lambda g: (len(groups[g]), g))
        members, groups[least] = groups[least], []
        for place in sorted(members):
            others = [g for g, kept in enumerate(groups) if kept and g != least]
            nearest = min(others, key=lambda g: (len(founders[g] ^ people[place].keys()), g))
            groups[nearest].append(place)
    after: list[Person] = [{} for _ in people]
    for members in groups:
        for issue in {i for place in members for i in people[place]}:
            ratings = [people[place][issue] for place in members if issue in people[place]]
            if len(ratings) < len(members) and not fill:
                continue
            lo, _ = single_anonymizer([int(v) for v in ratings], eps)
            for place in members:
                after[place][issue] = min(max(people[place].get(issue, lo), lo), lo + eps)
    return after


def to_close_up(
    people: Sequence[Person],
    sensitive: Sequence[Person],
    eps: float,
    r: float,
    l: float,  # noqa: E741
) -> list[set[int]]:
    """For each rated set whose people have a company that is not diverse: who is to become one company."""

    def share(members: Sequence[int]) -> float:
        given = Counter(pair for place in members for pair in sensitive[place].items())
        return max(given.values(), default=0) / len(members)

    classes = by_rated_set(people)
    companies = []
    for rated, members in classes.items():
        close = [[b for b in members if proximate(people[a], people[b], eps, r)] for a in members]
        if all(share(company) <= 1 / l + 1e-12 for company in close):
            continue
        company = list(members)
        if share(members) > 1 / l + 1e-12 and len(classes) > 1:
            others = [other for other in classes if other != rated]
            nearest = min(
                others, key=lambda other: (share([*members, *classes[other]]) >= share(members), len(rated ^ other))
            )
            company += classes[nearest]
        companies.append(set(company))
    return companies
