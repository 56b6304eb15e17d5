"""Slow, literal twins of slicing: the attacker by linkings and by formula; the partition with a full check.

A record is a tuple of values, one for each attribute; slices are lists of attribute indices.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import permutations, product
from typing import NamedTuple

import numpy as np

from tacit.arrays.attributes import Attribute
from tacit.sliced import SlicedTable
from tacit.slices.data import PersonTable

TWIN_OF = ("slicing", "one-per-column", "bucketization")

VALUES = tuple(f"v{v}" for v in range(10))
Record = tuple[int, ...]
Slices = Sequence[Sequence[int]]


class Case(NamedTuple):
    """A small table with its roles, slices and buckets."""

    records: list[Record]
    known: list[int]
    sensitive: list[int]
    slices: list[list[int]]
    bucket: list[int]

    def parts(self) -> list[list[Record]]:
        """The records of each bucket."""
        return [[r for r, b in zip(self.records, self.bucket, strict=True) if b == name] for name in set(self.bucket)]


def pick(record: Sequence[int], attributes: Sequence[int]) -> Record:
    return tuple(record[a] for a in attributes)


def linkings(bucket: list[Record], slices: Slices) -> Iterator[list[dict[int, int]]]:
    """Every way to link the rows of the slices of a bucket, as far as they agree on what they share."""
    for orders in product(permutations(range(len(bucket))), repeat=len(slices) - 1):
        linked = [{a: record[a] for a in slices[0]} for record in bucket]
        agrees = True
        for one, order in zip(slices[1:], orders, strict=True):
            for row, i in zip(linked, order, strict=True):
                agrees = agrees and all(row.get(a, bucket[i][a]) == bucket[i][a] for a in one)
                row.update({a: bucket[i][a] for a in one})
        if agrees:
            yield linked


def expected_by_linkings(
    bucket: list[Record], slices: Slices, known: Sequence[int], person: Record, targets: Sequence[int]
) -> dict[Record, Fraction]:
    """E(t, s): the mean over all linkings of the number of rows with the person's known values and values s."""
    count, total = Counter[Record](), 0
    for linked in linkings(bucket, slices):
        total += 1
        for row in linked:
            if all(row[a] == value for a, value in zip(known, person, strict=True)):
                count[tuple(row[a] for a in targets)] += 1
    return {values: Fraction(times, total) for values, times in count.items()}


def expected(
    bucket: list[Record], slices: Slices, known: Sequence[int], person: Record, targets: Sequence[int]
) -> dict[Record, Fraction]:
    """E(t, s) by the product of counts ÷ counts of separators, all other hidden attributes summed over."""
    knows = dict(zip(known, person, strict=True))
    order, separators = join_order(slices)
    hidden = sorted({a for one in slices for a in one} - set(known))
    domains = [sorted({record[a] for record in bucket}) for a in hidden]
    found: dict[Record, Fraction] = defaultdict(Fraction)
    for values in product(*domains):
        row = knows | dict(zip(hidden, values, strict=True))
        times = Fraction(1)
        for place, here in enumerate(order):
            times *= sum(all(record[a] == row[a] for a in slices[here]) for record in bucket)
            if times and place:
                shared = separators[here]
                times /= sum(all(record[a] == row[a] for a in shared) for record in bucket)
        if times:
            found[tuple(row[a] for a in targets)] += times
    return dict(found)


def join_order(slices: Slices) -> tuple[list[int], dict[int, set[int]]]:
    """An order in which each slice meets the earlier ones inside one of them; raises if there is none."""
    for order in permutations(range(len(slices))):
        separators = {}
        for place, here in enumerate(order):
            earlier = [set(slices[i]) for i in order[:place]]
            shared = set(slices[here]) & set().union(*earlier)
            if place and not any(shared <= one for one in earlier):
                break
            separators[here] = shared
        else:
            return list(order), separators
    raise ValueError("a cycle")


def probabilities(case: Case, person: Record, targets: Sequence[int]) -> dict[Record, Fraction]:
    """p(t, s) = Σ_B E_B(t, s)/|B| ÷ Σ_B Σ_s' E_B(t, s')/|B|."""
    mass: dict[Record, Fraction] = defaultdict(Fraction)
    for bucket in case.parts():
        for values, times in expected(bucket, case.slices, case.known, person, targets).items():
            mass[values] += times / len(bucket)
    total = sum(mass.values())
    return {values: one / total for values, one in mass.items()} if total else {}


def worst(case: Case, targets: Sequence[int]) -> Fraction:
    """The greatest p(t, s) of anybody in the table."""
    people = {pick(record, case.known) for record in case.records}
    return max((p for person in people for p in probabilities(case, person, targets).values()), default=Fraction(0))


def worst_of_each(case: Case) -> Fraction:
    return max(worst(case, [target]) for target in case.sensitive)


def boxes(case: Case, places: list[list[float]], importance: list[float], l: float) -> list[int]:  # noqa: E741
    """The box of each record: the literal tuple partition, in which every split is checked for everybody, over all
    buckets. `places` of each known attribute and record."""
    final: list[list[int]] = []
    queue = [list(range(len(case.records)))]
    while queue:
        here = queue.pop(0)
        spread = [max(p[i] for i in here) - min(p[i] for i in here) for p in places]
        for a in sorted(range(len(places)), key=lambda a: -importance[a] * spread[a]):
            if spread[a] <= 0:
                continue
            ordered = sorted(places[a][i] for i in here)
            median = ordered[len(here) // 2]
            cuts = [median, *(value for value in ordered if value > median)][:2]
            cuts = [c for c in cuts if c > ordered[0]]
            cut = min(cuts, key=lambda c: abs(len(here) - 2 * sum(value < c for value in ordered)))
            left = [i for i in here if places[a][i] < cut]
            right = [i for i in here if places[a][i] >= cut]
            if min(len(left), len(right)) < math.ceil(l):
                continue
            trial = [*final, *queue, left, right]
            box_of = {i: b for b, rows in enumerate(trial) for i in rows}
            if worst_of_each(case._replace(bucket=[box_of[i] for i in range(len(case.records))])) <= 1 / Fraction(l):
                queue[:0] = [left, right]
                break
        else:
            final.append(here)
    box_of = {i: b for b, rows in enumerate(final) for i in rows}
    return [box_of[i] for i in range(len(case.records))]


def deal_out(
    sensitive: list[list[int]],
    rows: list[int],
    segment: list[int],
    l: float,  # noqa: E741
) -> list[int]:
    """Buckets of ⌈ℓ⌉ neighbours with no value in common, segment by segment; then of ⌈2ℓ⌉ with none more than twice;
    and so on."""
    bucket, count = [-1] * len(rows), 0
    for name in sorted(set(segment)):
        all_here = [i for i in rows if segment[i] == name]
        left, times = all_here, 1
        while times <= 32 and len(left) > math.ceil(times * l):
            chosen = _group(sensitive, all_here, left, times, l)
            if chosen is None:
                times += 1
                continue
            for i in chosen:
                bucket[i] = count
            count += 1
            left = [i for i in left if i not in chosen]
        for i in left:
            bucket[i] = count
        count += bool(left)
    return bucket


def _group(
    sensitive: list[list[int]],
    all_here: list[int],
    left: list[int],
    times: int,
    l: float,  # noqa: E741
) -> list[int] | None:
    """The next group: first as many of each value as those who remain must not have, then whoever comes first."""
    size = math.ceil(times * l)
    counts = [Counter(values[i] for i in left) for values in sensitive]
    needed = {
        (t, s): max(0, math.ceil(n - (len(left) - size) / Fraction(l)))
        for t, count in enumerate(counts)
        for s, n in count.items()
    }
    if max(needed.values()) > times:
        return None
    chosen: list[int] = []

    def fits(i: int) -> bool:
        return i not in chosen and all(sum(values[i] == values[j] for j in chosen) < times for values in sensitive)

    for t, s in dict.fromkeys((t, values[i]) for t, values in enumerate(sensitive) for i in all_here):
        while sum(sensitive[t][j] == s for j in chosen) < needed.get((t, s), 0):
            fitting = [i for i in left if sensitive[t][i] == s and fits(i)]
            if not fitting or len(chosen) == size:
                return None
            chosen.append(fitting[0])
    for i in left:
        if len(chosen) < size and fits(i):
            chosen.append(i)
    return chosen if len(chosen) == size else None


def staying(
    box: list[int], known: list[list[int]], sensitive: list[list[int]], segment: list[int], limit: Fraction
) -> set[int]:
    """The segments that are not dealt out; `known` and `sensitive` of each target.

    One by one, target by target: where the most frequent value is above the limit, the segments with the same known
    values that dilute it most, until it is not.
    """

    def members(of: set[int]) -> list[int]:
        return [i for i in range(len(box)) if segment[i] in of]

    def too_frequent(rows: list[int], values: list[int]) -> bool:
        return max(Counter(values[i] for i in rows).values()) > limit * len(rows)

    stays = {s for s in set(segment) if any(too_frequent(members({s}), values) for values in sensitive)}
    changed = True
    while changed:
        changed = False
        for here, values in zip(known, sensitive, strict=True):
            now = members(stays)
            for group in sorted({(box[i], here[i]) for i in now}):
                rows = [i for i in now if (box[i], here[i]) == group]
                if not too_frequent(rows, values):
                    continue
                counts = Counter(values[i] for i in rows)
                frequent = max(counts, key=lambda value: (counts[value], value))
                lacks = counts[frequent] - limit * len(rows)
                others = {segment[i] for i in range(len(box)) if (box[i], here[i]) == group} - stays

                def dilutes(one: int) -> Fraction:
                    return sum((limit - (values[i] == frequent) for i in members({one})), Fraction(0))  # noqa: B023

                for one in sorted(others, key=lambda one: (-dilutes(one), one)):
                    if lacks > 0:
                        lacks -= dilutes(one)
                        stays.add(one)
                        changed = True
    return stays


def random_case(seed: int, *, most_records: int = 12, overlap: bool = True, values: int = 3) -> Case:
    """Few attributes and values; slices that form a join tree, with hidden attributes shared or not; random buckets."""
    rng = np.random.default_rng(seed)
    n_attributes, n = int(rng.integers(2, 6)), int(rng.integers(1, most_records + 1))
    sizes = rng.integers(1, 4, n_attributes)
    n_sensitive = int(rng.integers(1, min(3, n_attributes)))
    order = rng.permutation(n_attributes).tolist()
    sensitive, known = sorted(order[:n_sensitive]), sorted(order[n_sensitive:])
    if values > 3:
        sizes[sensitive] = values
    records = [tuple(int(rng.integers(0, size)) for size in sizes) for _ in range(n)]
    left = rng.permutation(n_attributes).tolist()
    slices: list[list[int]] = []
    while left:
        size = int(rng.integers(1, 4))
        fresh, left = left[:size], left[size:]
        guests: list[int] = []
        if slices and overlap and rng.random() < 0.7:
            above = slices[int(rng.integers(0, len(slices)))]
            guests = [a for a in above if rng.random() < 0.5]
        slices.append([*fresh, *guests])
    bucket = rng.integers(0, int(rng.integers(1, 4)), n).tolist()
    return Case(records, known, sensitive, slices, bucket)


def person_table(case: Case) -> PersonTable:
    """The case as the methods take it; attribute a is named `a<a>`, its value v is `v<v>`."""
    attributes = tuple(
        Attribute(f"a{a}", np.array([record[a] for record in case.records], np.int32), VALUES)
        for a in range(len(case.records[0]))
    )
    return PersonTable(attributes, tuple(case.known), tuple(case.sensitive))


def published(case: Case, seed: int = 0) -> SlicedTable:
    """The case as published: each slice in a random order inside its bucket."""
    rng = np.random.default_rng(seed)
    _, bucket = np.unique(case.bucket, return_inverse=True)
    orders = [np.lexsort((rng.random(len(bucket)), bucket)) for _ in case.slices]
    return SlicedTable(
        tuple(tuple(f"a{a}" for a in one) for one in case.slices),
        np.sort(bucket).astype(np.int32),
        tuple(map(str, range(bucket.max() + 1))),
        tuple(
            tuple(np.array([case.records[i][a] for i in order], np.int32) for a in one)
            for one, order in zip(case.slices, orders, strict=True)
        ),
        {f"a{a}": VALUES for one in case.slices for a in one},
    )


def names(attributes: Sequence[int]) -> list[str]:
    return [f"a{a}" for a in attributes]
