"""Cluster: groups of a random record and the k − 1 records nearest to it (Poulis et al., ECML/PKDD 2013).

The paper compares each seed with all records that are left. Here a seed knows the near ones only, found by Mondrian
cuts; when those are used up, the records left over are cut anew. `literal=True` does it as the paper does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tacit.arrays.attributes import Attribute
from tacit.records.asked import Asked
from tacit.records.solvers._closeness_kernels import Closeness
from tacit.records.solvers._near_kernels import losses_with
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
    table = Table.of(attributes, [*places, *(each.codes for each in asked)], persons)
    if progress:
        progress(f"Cluster: {rows:,} records, {table.units.weight.size:,} of them different")
    if literal:
        table = table.record_by_record()
    grouping = Grouping(
        table.measure, table.units, need_of(k, asked, kind, table.units, close), np.random.default_rng(seed)
    )
    if literal:
        _group_literally(grouping)
    else:
        (form_large_groups if close is None else form_by_size)(grouping, _group_near)
    grouping.complete()
    group = settled(table, grouping)
    check_outcome(group, asked, kind, persons)
    return group


def _group_literally(grouping: Grouping) -> None:
    """Units are records. Seeds in random order; of equally near records the first; the last few to the best group."""
    box, k, n = grouping.units.box, grouping.need.k, grouping.units.weight.size
    group = np.full(n, -1, np.int32)
    loss, n_groups = np.zeros(n, np.float32), 0
    for seed in grouping.rng.permutation(n).tolist():
        if n - n_groups * k < k:
            break
        if group[seed] >= 0:
            continue
        losses_with(grouping.measure, box, seed, box, loss)
        loss[seed] = -1
        nearest = np.argsort(loss, kind="stable")[:k]
        group[nearest], loss[nearest] = n_groups, np.inf
        n_groups += 1
    grouping.put(group)
    for record in np.flatnonzero(group < 0).tolist():
        loss = np.zeros(n_groups, np.float32)
        losses_with(grouping.measure, box, record, grouping.groups.box, loss)
        only = np.full(n, -1, np.int32)
        only[record] = int(np.argmin(loss))
        grouping.put(only)


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
