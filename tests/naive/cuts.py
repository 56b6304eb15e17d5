"""Slow twin of cuts, on Python's own lists, sets and dictionaries: everybody is asked again for every count.

A person is a dictionary from issues to levels, the steps of the scale from 0. A cut of an issue is a list with an entry
a level: the first level of its range, or None where it is blanked.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

from exams.cases import Case

TWIN_OF = ("cuts",)

WHOLE, LAST = 1 << 12, 1 << 40
Person = dict[str, int]
Cut = list[int | None]
Cuts = dict[str, Cut]
Undone = tuple[int, int, Cuts]
"""What cuts lose in which nothing is rare any more, the k that pairs were cut with, and the cuts."""
Known = tuple[str, frozenset[int | None]]
"""An issue and the levels that are published alike; None is for those who did not rate it."""


def publishes(case: Case, promise: Any, **given: Any) -> list[dict[str, Any]]:
    """The rows that the method must publish of a case, in any order; `given` has the method's name and the seed."""
    (low, high), issues = case.roles["scale"], list(case.roles["rating"])
    rows = case.frame.to_pylist()
    people = [{name: row[name] - low for name in issues if row[name] is not None} for row in rows]
    cuts = found_cuts(people, issues, high - low + 1, promise.k, promise.m)
    shown = [{name: span(cuts[name], person.get(name)) for name in issues} for person in people]
    texts = {name for row in shown for name, ends in row.items() if ends is not None and ends[0] != ends[1]}
    return [
        {name: None if ends is None else written(ends, low, name in texts) for name, ends in row.items()}
        for row in shown
    ]


def span(cut: Cut, level: int | None) -> tuple[int, int] | None:
    """The lowest and the highest level that a level is published as."""
    if level is None or cut[level] is None:
        return None
    alike = [other for other, head in enumerate(cut) if head == cut[level]]
    return alike[0], alike[-1]


def written(ends: tuple[int, int], low: int, as_text: bool) -> Any:
    one, other = low + ends[0], low + ends[1]
    return f"[{one}:{other}]" if one != other else str(one) if as_text else one


def found_cuts(people: list[Person], issues: list[str], levels: int, k: int, m: float) -> Cuts:
    """For up to two known ratings the cuts that pairs allow; for more, the cheapest of those with a larger k."""
    raters = {name: sum(name in person for person in people) for name in issues}
    asked = [name for name in issues if raters[name] >= k]
    none: Cuts = {name: [None] * levels for name in issues}
    if m <= 2 or not asked:
        return none | cut_scales(people, asked, levels, k, pairs=m > 1)
    highest = max(k, min(len(people), 2**16 - 1))
    first, tried = at_first([raters[name] for name in asked], k, m, highest), set[int]()

    def found(own: int, best: Undone | None) -> Undone | None:
        tried.add(own)
        cuts = cut_scales(people, asked, levels, own, pairs=True)
        too_many = len(rare_sets(people, cuts, k, m)) > 20 * len(all_known(cuts))
        if too_many and (best is not None or 2 * own <= highest) and (best is None or lost(cuts) < best[0]):
            return None
        undo(people, cuts, raters, levels, k, m)
        return best if best is not None and best[0] <= lost(cuts) else (lost(cuts), own, cuts)

    def lost(cuts: Cuts) -> int:
        return sum(loss(people, name, cut, levels) for name, cut in cuts.items())

    best, doubled, in_vain = found(k << first, None), first, 0
    halved = [] if best is None else [k << less for less in reversed(range(first))]
    while best is None:
        doubled += 1
        best = found(k << doubled, None)
    for own in halved:
        other = found(own, best)
        if other is None:
            break
        best, in_vain = other, in_vain + 1 if other is best else 0
        if in_vain == 2:
            break
    for up, down in ((7, 5), (6, 5)):
        for own in (best[1] * down // up, best[1] * up // down):
            if k < own <= highest and own not in tried:
                best = found(own, best) or best
    return none | best[2]


def at_first(raters: list[int], k: int, m: float, highest: int) -> int:
    """How often k is doubled for pairs at first: four times as many people as two issues have in common if m have k."""
    most = max(raters)
    wanted = 4 * most * (k / most) ** (2 / min(m, len(raters)))
    return max(0, min(round(math.log2(wanted / k)), int(math.log2(highest / k))))


def cut_scales(people: list[Person], issues: list[str], levels: int, k: int, *, pairs: bool) -> Cuts:
    """Each issue in turn takes the cheapest cut, at a price for each threat that rises until there are none."""
    cuts: Cuts = {name: [*range(levels)] for name in issues}
    order = sorted(issues, key=lambda name: sum(name in person for person in people))
    price = 16
    while price < LAST:
        sweep(people, cuts, order, levels, k, price, pairs=pairs)
        if not pairs or not threats(people, all_known(cuts), k):
            break
        price *= 2
    for _ in range(20):
        before = {name: list(cut) for name, cut in cuts.items()}
        sweep(people, cuts, order, levels, k, LAST, pairs=pairs)
        if cuts == before:
            break
    return cuts


def sweep(people: list[Person], cuts: Cuts, order: list[str], levels: int, k: int, price: int, *, pairs: bool) -> None:
    for name in order:
        others = [[known] for known in all_known(cuts) if known[0] != name] if pairs else []
        cuts[name] = cheapest(people, name, levels, k, price, others)


def known_of(name: str, cut: Cut) -> list[Known]:
    """What may be known of an issue: each range, and nothing, where a part of the scale is blanked."""
    heads = sorted({head for head in cut if head is not None})
    found = [(name, frozenset[int | None](i for i, each in enumerate(cut) if each == head)) for head in heads]
    blanked = [i for i, head in enumerate(cut) if head is None]
    return [*found, (name, frozenset([*blanked, None]))] if found and blanked else found


def all_known(cuts: Cuts) -> list[Known]:
    return [known for name, cut in cuts.items() for known in known_of(name, cut)]


def fit(people: list[Person], known: list[Known]) -> int:
    """How many people fit all that is known."""
    return sum(all(person.get(name) in levels for name, levels in known) for person in people)


def is_rare(people: list[Person], known: list[Known], k: int) -> bool:
    return 0 < fit(people, known) < k


def threats(people: list[Person], known: list[Known], k: int) -> int:
    return sum(is_rare(people, [one, other], k) for one in known for other in known if one[0] < other[0])


def share(levels: int, start: int, stop: int) -> int:
    """What a rating costs that is published as the levels from `start` up to `stop`."""
    quarter, top = WHOLE // 4, max(levels - 1, 1)
    return quarter * (stop - 1) // top - quarter * start // top


def loss(people: list[Person], name: str, cut: Cut, levels: int) -> int:
    total = 0
    for level in (person[name] for person in people if name in person):
        ends = span(cut, level)
        total += WHOLE if ends is None else share(levels, ends[0], ends[1] + 1)
    return total


def cheapest(
    people: list[Person],
    name: str,
    levels: int,
    k: int,
    price: int,
    others: list[list[Known]],
    within: Cut | None = None,
) -> Cut:
    """The cheapest cut beside other things that may be known: all is published, some, all but a stretch, or nothing.

    `within` a cut means that ranges of it are joined or blanked, and nothing else.
    """
    given = [sum(person.get(name) == level for person in people) for level in range(levels)]

    def rare(alike: set[int | None]) -> int:
        return sum(is_rare(people, [(name, frozenset(alike)), *other], k) for other in others)

    def cost(start: int, stop: int) -> int | None:
        if sum(given[start:stop]) < k or not may_be_one(within, start, stop):
            return None
        alike: set[int | None] = {*range(start, stop)}
        return sum(given[start:stop]) * share(levels, start, stop) + price * rare(alike)

    costs = {
        (a, b): found for a in range(levels) for b in range(a + 1, levels + 1) if (found := cost(a, b)) is not None
    }
    unrated = sum(name not in person for person in people)

    def alone(blanked: list[int]) -> int | None:
        """What it costs that those who show nothing are something to know; None if they are too few."""
        few = unrated + sum(given[level] for level in blanked)
        return None if 0 < few < k else price * rare({*blanked, None})

    shown, some = from_left(costs, levels, None), from_left(costs, levels, [each * WHOLE for each in given])
    rest = from_right(costs, levels)
    best, cut = sum(given) * WHOLE, [None] * levels
    if shown[levels] is not None and shown[levels][0] < best:
        best, cut = shown[levels]
    if some[levels][0] < best:
        blanked = [level for level, head in enumerate(some[levels][1]) if head is None]
        extra = alone(blanked) if blanked else 0
        if extra is not None and some[levels][0] + extra < best:
            best, cut = some[levels][0] + extra, some[levels][1]
    for start in range(levels):
        for stop in range(start + 1, levels + 1):
            if shown[start] is None or rest[stop] is None or stop - start == levels:
                continue
            total = shown[start][0] + sum(given[start:stop]) * WHOLE + rest[stop][0]
            extra = alone([*range(start, stop)]) if total < best else None
            if extra is not None and total + extra < best:
                best, cut = total + extra, [*shown[start][1], *([None] * (stop - start)), *rest[stop][1]]
    return cut


def may_be_one(within: Cut | None, start: int, stop: int) -> bool:
    """Whether some levels are whole ranges of a cut."""
    if within is None:
        return True
    begins = start == 0 or within[start] != within[start - 1]
    ends = stop == len(within) or within[stop] != within[stop - 1]
    return begins and ends and None not in within[start:stop]


def from_left(costs: dict[tuple[int, int], int], levels: int, blank: list[int] | None) -> list[Any]:
    """For each level the cheapest cut of all below it, as (cost, cut); levels may be blanked if that has a cost."""
    best: list[Any] = [(0, [])]
    for stop in range(1, levels + 1):
        found = None if blank is None else (best[stop - 1][0] + blank[stop - 1], [*best[stop - 1][1], None])
        for start in range(stop):
            if (start, stop) in costs and best[start] is not None:
                total = best[start][0] + costs[start, stop]
                if found is None or total < found[0]:
                    found = (total, [*best[start][1], *([start] * (stop - start))])
        best.append(found)
    return best


def from_right(costs: dict[tuple[int, int], int], levels: int) -> list[Any]:
    """For each level the cheapest cut from there on; nothing is blanked."""
    best: list[Any] = [None] * levels + [(0, [])]
    for start in reversed(range(levels)):
        for stop in range(start + 1, levels + 1):
            if (start, stop) in costs and best[stop] is not None:
                total = costs[start, stop] + best[stop][0]
                if best[start] is None or total < best[start][0]:
                    best[start] = (total, [*([start] * (stop - start)), *best[stop][1]])
    return best


def rare_sets(people: list[Person], cuts: Cuts, k: int, m: float) -> list[list[Known]]:
    """Three things of different issues that some but fewer than k people fit; no two are rare any more.

    Where any number may be known: of everybody what is known, the rarest first, as far as fewer than k fit it.
    """
    known = all_known(cuts)
    if m < len({name for name, _ in known}):
        assert m == 3, "the twin knows all, or up to three"
        threes = ([*each] for each in combinations(known, 3) if len({name for name, _ in each}) == 3)
        return [each for each in threes if is_rare(people, each, k)]
    by_size = sorted(range(len(known)), key=lambda i: fit(people, [known[i]]))
    found = set()
    for person in people:
        own = [i for i in by_size if person.get(known[i][0]) in known[i][1]]
        for size in range(1, len(own) + 1):
            if fit(people, [known[i] for i in own[:size]]) < k:
                found.add(tuple(sorted(own[:size])))
                break
    return [[known[i] for i in each] for each in sorted(found)]


def undo(people: list[Person], cuts: Cuts, raters: dict[str, int], levels: int, k: int, m: float) -> None:
    """The issue with the most rare sets for its ratings takes the cheapest coarser cut that undoes them; and so on."""
    while left := rare_sets(people, cuts, k, m):
        while left:
            times = {name: sum(any(one[0] == name for one in each) for each in left) for name in cuts}
            worst = max((name for name in cuts if times[name]), key=lambda name: times[name] / raters[name])
            beside = [[one for one in each if one[0] != worst] for each in left if any(one[0] == worst for one in each)]
            others = [[known] for known in all_known(cuts) if known[0] != worst]
            cuts[worst] = cheapest(people, worst, levels, k, LAST, [*others, *beside], cuts[worst])
            left = [each for each in left if all(one[0] != worst for one in each)]
