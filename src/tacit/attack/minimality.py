"""The attack by minimality (Wong, Fu, Wang & Pei, VLDB 2007): what a method's choice of groups tells.

A file shows groups of people, and of each group the sensitive values, but not whose they are. The attacker knows who is
in which group, all that is not sensitive, the method and its parameters. Each way to give a group's values to its
people is a world. In some of them the method would have chosen other groups: they are out, or less likely. What remains
can make a value far more likely for somebody than it is frequent in the group.

    shown = told_by(group_of_person, value_of_person)
    chances = posterior(shown, likelihood)

`likelihood` says how likely the method publishes what is shown in a world: 0 or 1 if nothing is left to chance,
`share_of_draws` to estimate it by trying, or better what is known of the method. A prior is none: before the file all
worlds are as likely. The number of worlds grows as that of permutations: this is for small files.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

World = tuple[Hashable, ...]
"""The sensitive value of each person."""
Shown = frozenset[tuple[frozenset[int], tuple[tuple[Hashable, int], ...]]]
"""What a file tells: groups of people, each with the values in it and how often they occur."""
Likelihood = Callable[[World], Fraction | float]
Method = Callable[[World, Any], Sequence[int]]
"""Puts people into groups, in a world and by what a key draws."""


def told_by(group: Sequence[int], values: Sequence[Hashable]) -> Shown:
    """What the file of these groups tells, whatever their ids.

    >>> told_by([0, 0], "xy") == told_by([5, 5], "yx"), told_by([0, 1], "xy") == told_by([0, 1], "yx")
    (True, False)
    """
    people: dict[int, list[int]] = defaultdict(list)
    for person, each in enumerate(group):
        people[each].append(person)
    return frozenset((frozenset(some), _counts(values[person] for person in some)) for some in people.values())


def worlds(shown: Shown) -> Iterator[World]:
    """Every way to give the values of each group to its people, once.

    >>> sorted("".join(world) for world in worlds(told_by([0, 0, 1], "xyx")))
    ['xyx', 'yxx']
    """
    groups = [(sorted(people), Counter(dict(counts))) for people, counts in shown]
    yield from _filled(groups, [None] * sum(len(people) for people, _ in groups))


def posterior(shown: Shown, likelihood: Likelihood) -> list[dict[Hashable, Fraction | float]]:
    """For each person how likely each value is, given the file and the method."""
    weighed = [(world, likelihood(world)) for world in worlds(shown)]
    total = sum(weight for _, weight in weighed)
    if not total:
        raise ValueError("this method never publishes what is shown")
    chances: list[dict[Hashable, Fraction | float]] = [{} for _ in weighed[0][0]]
    for world, weight in weighed:
        for of_person, value in zip(chances, world, strict=True):
            of_person[value] = of_person.get(value, Fraction(0)) + weight / total
    return chances


def posterior_within(
    shown: Shown, people: frozenset[int], values: World, likelihood: Likelihood
) -> dict[int, dict[Hashable, Fraction | float]]:
    """The same for the people of one group, if the values of all others are known: for files of any size.

    A world is a way to give the group's values to its people; whoever is not in it keeps his.
    """
    own = next(counts for some, counts in shown if some == people)
    order = sorted(people)
    alone: Shown = frozenset([(frozenset(range(len(order))), own)])
    weighed = []
    for dealt in worlds(alone):
        world = list(values)
        for person, value in zip(order, dealt, strict=True):
            world[person] = value
        weighed.append((dealt, likelihood(tuple(world))))
    total = sum(weight for _, weight in weighed)
    if not total:
        raise ValueError("this method never publishes what is shown")
    chances: dict[int, dict[Hashable, Fraction | float]] = {person: {} for person in order}
    for dealt, weight in weighed:
        for person, value in zip(order, dealt, strict=True):
            chances[person][value] = chances[person].get(value, Fraction(0)) + weight / total
    return chances


def ways(counts: Iterable[tuple[Hashable, int]]) -> int:
    """In how many ways the values of a group can be given to its people.

    >>> ways([("x", 2), ("y", 1)])
    3
    """
    numbers = [count for _, count in counts]
    found = math.factorial(sum(numbers))
    for number in numbers:
        found //= math.factorial(number)
    return found


def chance_of(item: Hashable, of_person: Mapping[Any, Fraction | float]) -> Fraction | float:
    """How likely a person has an item, where values are sets of items."""
    return sum((chance for value, chance in of_person.items() if item in value), Fraction(0))


def share_of_draws(method: Method, shown: Shown, keys: Iterable[Any]) -> Likelihood:
    """How often a method publishes what is shown, of the times that it is tried."""
    tried = list(keys)

    def likelihood(world: World) -> Fraction:
        return Fraction(sum(told_by(method(world, key), world) == shown for key in tried), len(tried))

    return likelihood


def _counts(values: Iterable[Hashable]) -> tuple[tuple[Hashable, int], ...]:
    return tuple(sorted(Counter(values).items(), key=repr))


def _filled(groups: list[tuple[list[int], Counter[Hashable]]], world: list[Hashable]) -> Iterator[World]:
    """The worlds in which those who have a value already keep it."""
    waiting = [(people[0], people[1:], left) for people, left in groups if people]
    if not waiting:
        yield tuple(world)
        return
    person, others, left = waiting[0]
    rest = [group for group in groups if group[0]][1:]
    for value in [value for value, count in left.items() if count]:
        world[person] = value
        yield from _filled([(others, left - Counter([value])), *rest], world)
