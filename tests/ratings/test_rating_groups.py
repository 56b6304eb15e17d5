"""The first groups of people, against the page of the method taken word for word."""

from __future__ import annotations

import numpy as np

from support.seeds import each_seed
from tacit.ratings.solvers._grouping_kernels import Block, group_greedily

Person = dict[int, int]


def gain(group: list[Person], newcomer: Person, shared: dict[int, tuple[int, int]], reach: int) -> int:
    """What is kept because of the newcomer: own ratings of shared issues and those of the others, less what moves."""
    return sum(
        sum(person[issue] + 1 for person in group)
        + newcomer[issue] + 1
        - max(high - reach - newcomer[issue], newcomer[issue] - low - reach, 0)
        for issue, (low, high) in shared.items()
        if issue in newcomer
    )  # fmt: skip


def grown(people: list[Person], pool: list[int], k: int, reach: int) -> tuple[list[int], dict[int, tuple[int, int]]]:
    """A group of k that begins with the first of the pool, and the issues it shares: where their ratings lie."""
    shared = {issue: (value, value) for issue, value in people[pool[0]].items()}
    group, pool = pool[:1], pool[1:]
    while len(group) < k:
        gains = [gain([people[one] for one in group], people[other], shared, reach) for other in pool]
        chosen = pool.pop(gains.index(max(gains)))
        group.append(chosen)
        moved = {i: min(max(people[chosen][i], shared[i][1] - reach), shared[i][0] + reach)
                 for i in shared if i in people[chosen]}  # fmt: skip
        shared = {i: (min(shared[i][0], value), max(shared[i][1], value)) for i, value in moved.items()}
    return group, shared


def away(person: Person, shared: dict[int, tuple[int, int]], reach: int) -> int:
    """What a person loses in a group that shares these issues."""
    return sum(
        max(shared[i][1] - reach - value, value - shared[i][0] - reach, 0) if i in shared else value + 1
        for i, value in person.items()
    )


def shortlisted(gains: dict[int, int], shortlist: int) -> list[int]:
    """Those who gain most; whoever gains as little as the last of them stands behind the others, all as they stood."""
    last = sorted(gains.values(), reverse=True)[:shortlist][-1]
    better = [p for p in gains if gains[p] > last]
    return [*better, *[p for p in gains if gains[p] == last][: shortlist - len(better)]]


def literal(people: list[Person], k: int, limit: int, reach: int, shortlist: int) -> list[int]:
    """The group of each person, −1 for those who are left over."""
    of, number = [-1] * len(people), 0
    while (free := [p for p in range(len(people)) if of[p] < 0])[k - 1 :]:
        first = {issue: (value, value) for issue, value in people[free[0]].items()}
        gains = {p: gain([people[free[0]]], people[p], first, reach) for p in free[1:]}
        group, shared = grown(people, [free[0], *shortlisted(gains, shortlist)], k, reach)
        others = [p for p in free if p not in group and shared.keys() <= people[p].keys()]
        for p in [*group, *sorted(others, key=lambda p: away(people[p], shared, reach))[: limit - k]]:
            of[p] = number
        number += 1
    return of


@each_seed(range(60))
def test_first_groups_are_those_of_the_page(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count, issues, top = int(rng.integers(2, 50)), int(rng.integers(1, 9)), int(rng.choice([4, 9, 200]))
    rated = rng.random((count, issues)) < rng.uniform(0.3, 1)
    values = rng.integers(0, top + 1, rated.shape)
    k, reach = int(rng.integers(2, 5)), int(rng.integers(0, top // 2))
    limit, shortlist = k * int(rng.choice([1, 2, 100])), int(rng.integers(k, 4 * k))
    every = np.ones(issues, np.int64)
    block = Block(
        np.append(0, np.cumsum(rated.sum(axis=1))), np.nonzero(rated)[1].astype(np.int32), values[rated],
        reach * every, -every, top * every, every,
    )  # fmt: skip
    found = np.full(count, -1, np.int64)
    made = group_greedily(block, k, limit, False, shortlist, found, lambda _: None)
    people = [{int(i): int(values[p, i]) for i in np.flatnonzero(rated[p])} for p in range(count)]
    assert found.tolist() == literal(people, k, limit, reach, shortlist)
    assert made == found.max() + 1
