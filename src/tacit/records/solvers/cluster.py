"""Cluster: groups of a random record and the k − 1 records nearest to it (Poulis et al., ECML/PKDD 2013).

The paper compares each seed with all records that are left. Here a seed knows the near ones only, found by Mondrian
cuts; when those are used up, the records left over are cut anew. `literal=True` does it as the paper does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tacit.arrays.attributes import Attribute
from tacit.records.asked import Asked
from tacit.records.solvers._box_kernels import FLAT, NUMBER, TABLE, Measure
from tacit.records.solvers._closeness_kernels import Closeness
from tacit.records.solvers.diversity import check_outcome, check_reachable, need_of
from tacit.records.solvers.grouping import Grouping, form_by_size, form_large_groups, settled
from tacit.records.solvers.near import neighbours
from tacit.records.solvers.units import Table, units_at

_MOST_PASSES = 20
"""Records left over are cut anew so often at most; then they join the nearest group."""


def cluster(
    attributes: Sequence[Attribute],
    k: int,
    *,
    l: float | None = None,  # noqa: E741
    sensitive: Sequence[np.ndarray] = (),
    kind: str = "frequency",
    asked: Sequence[Asked] | None = None,
    close: Closeness | None = None,
    persons: np.ndarray | None = None,
    seed: int = 0,
    literal: bool = False,
    progress: Callable[[str], None] | None = None,
) -> np.ndarray:
    """The group of each record (int32, numbered in order of appearance): at least k records, and diverse if ℓ is given.

    `sensitive` has the codes of each sensitive attribute, each of which is diverse by itself; `kind` is frequency,
    distinct or entropy. `asked` says the same column by column, and more. With `close` they are places instead, which
    must be distributed as in all records. Groups that would be published with equal values are one. Where somebody has
    several records, `persons` says whose each one is, and in place of records the persons of a group are counted.
    """
    rows = len(attributes[0]) if attributes else 0
    if asked is None:
        asked = () if l is None else [Asked.plainly(np.asarray(codes, np.int32), l) for codes in sensitive]
    places = [np.asarray(codes, np.int32) for codes in sensitive] if close is not None else []
    check_reachable(rows, k, asked, kind, persons)
    hidden = [*places, *(each.codes for each in asked)]
    table = Table.of(attributes, hidden, persons, as_published=close is None)
    if progress:
        progress(f"Cluster: {rows:,} records, {table.units.weight.size:,} of them different")
    rng = np.random.default_rng(seed)
    if literal:
        table = table.record_by_record()
        records = _grouped_literally(table, k, rng)
        if not asked and close is None and persons is None:
            return table.groups_of_records(records)
    grouping = Grouping(table.measure, table.units, need_of(k, asked, kind, table.units, close), rng)
    if literal:
        grouping.put(records)
    else:
        (form_large_groups if close is None else form_by_size)(grouping, _group_near)
    grouping.complete()
    group = settled(table, grouping)
    check_outcome(group, asked, kind, persons)
    return group


def _grouped_literally(table: Table, k: int, rng: np.random.Generator) -> np.ndarray:
    """The group of each unit, which is a record. Seeds in random order; of equally near records the first; the last few
    to the best group. No kernel is needed where there are few groups."""
    measure, box, n = table.measure, table.units.box, table.units.weight.size
    group, n_groups, free = np.full(n, -1, np.int32), 0, np.arange(n)
    for seed in rng.permutation(n).tolist():
        if n - n_groups * k < k:
            break
        if group[seed] >= 0:
            continue
        free = free[group[free] < 0]
        loss = _losses_with(measure, box[seed], box[free])
        loss[np.searchsorted(free, seed)] = -1
        farthest = np.partition(loss, k - 1)[k - 1]
        nearer = loss < farthest
        as_far = np.flatnonzero(loss == farthest)[: k - np.count_nonzero(nearer)]
        group[free[nearer]] = group[free[as_far]] = n_groups
        n_groups += 1
    around = [_box_around(measure, box[group == each]) for each in range(n_groups)]
    boxes = np.array(around, np.int32).reshape(n_groups, *box.shape[1:])
    for record in np.flatnonzero(group < 0).tolist() if n_groups else ():
        best = int(_losses_with(measure, box[record], boxes).argmin())
        group[record], boxes[best] = best, _box_around(measure, np.stack([boxes[best], box[record]]))
    return group


def _losses_with(measure: Measure, one: np.ndarray, others: np.ndarray) -> np.ndarray:
    """The loss of the box around one and each of the others (float32)."""
    total = np.zeros(len(others), np.float32)
    for a, (form, start, places, edge) in enumerate(measure.shape.tolist()):
        value, most = measure.value[start:], measure.border[edge + places - 1]
        if form == FLAT:
            low, high = (others[:, a] | one[a]).T.astype(np.int64)
            held = np.bitwise_count(low | high << 31)
            total += np.minimum(value[0] * np.where(held != 1, held, 0).astype(np.float32), most)
            continue
        low, high = np.minimum(others[:, a, 0], one[a, 0]), np.maximum(others[:, a, 1], one[a, 1])
        if form == TABLE:
            total += value[low * places + high]
        elif form == NUMBER:
            total += np.minimum(value[high] - value[low], most)
        else:  # the highest border between leaves: of two rows of 2^j borders, which overlap
            level = np.log2(np.maximum(high - low, 1)).astype(np.int64)
            row, reach = level * places, 1 << level
            total += np.where(low < high, np.maximum(value[row + low], value[row + high - reach]), np.float32(0))
    return total


def _box_around(measure: Measure, boxes: np.ndarray) -> np.ndarray:
    """The box around some."""
    held = np.bitwise_or.reduce(boxes)
    ends = np.stack([boxes[:, :, 0].min(axis=0), boxes[:, :, 1].max(axis=0)], axis=1)
    return np.where((measure.shape[:, 0] == FLAT)[:, None], held, ends)


def _group_near(grouping: Grouping) -> None:
    """The same with near units only: pass after pass over those that are left. Units are never split.

    A unit of k records or more is a group: with a seed of other values it would cost all its records.
    """
    units, k, rng = grouping.units, grouping.need.k, grouping.rng
    seeds = rng.permutation(units.weight.size)
    seeds = seeds[np.argsort(units.weight[seeds] < k, kind="stable")]
    grouping.form(grouping.found.near, seeds, nearest_to_seed=True, settle=False)
    for _ in range(_MOST_PASSES):
        free = np.flatnonzero(grouping.groups.of < 0)
        if units.weight[free].sum() < k:
            break
        rest = units_at(units, free)
        near = np.full(grouping.found.near.shape, -1, np.int32)
        near[free] = np.append(free, -1)[neighbours(grouping.measure, rest, rng, grouping.n_near).near]
        grouping.form(near, rng.permutation(free), nearest_to_seed=True, settle=False)
        if np.count_nonzero(grouping.groups.of < 0) == free.size:
            break
    grouping.form(grouping.found.near, np.flatnonzero(grouping.groups.of < 0))
