"""Mondrian with local recoding, made to lose little (after LeFevre, DeWitt & Ramakrishnan, ICDE 2006).

The table is cut top down, always in the attribute that spreads most, at borders of the hierarchy. Cuts separate records
that would be good company, so they only say who is near whom, several times over, each time with other cuts. Groups
are formed of near records, crowds first, and then improved as long as records lose less elsewhere. Of few records some
groups are given up again and again, and formed anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tacit.arrays.attributes import Attribute
from tacit.records.asked import Asked
from tacit.records.solvers._box_kernels import Need
from tacit.records.solvers._closeness_kernels import Closeness
from tacit.records.solvers.diversity import check_outcome, check_reachable, need_of
from tacit.records.solvers.grouping import Grouping, form_by_size, form_large_groups, settled
from tacit.records.solvers.near import in_space
from tacit.records.solvers.shaking import shake
from tacit.records.solvers.units import Table

_MOST_STARTS, _UNITS_OF_ALL_STARTS, _IF_SHAKEN = 8, 24_000, 2_000
"""Few units are grouped several times, by other lots, and the best grouping is taken: so many units in all, at most;
fewer of groups that are formed anew later."""
_PLACES_A_GROUP, _MOST_PLACES, _UNITS_SHAKEN = 6, 2_000, 25_000
"""At how many places groups are formed anew, and of how many units at most."""

_PIECES_ALIKE = 12
"""Under diversity, records with equal values are about so many units at most, if they are that many."""


def mondrian(
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
        progress(f"Mondrian: {rows:,} records, {table.units.weight.size:,} of them different")
    if asked and kind == "frequency":  # so many records with one value can the smallest group have
        table = table.in_pieces(max(int(k / max(each.l for each in asked)), 1), _PIECES_ALIKE)
    rng = np.random.default_rng(seed)
    table = in_space(table, rng)
    need = need_of(k, asked, kind, table.units, close)
    n_units = table.units.weight.size
    is_shaken = close is None and n_units <= _UNITS_SHAKEN
    is_shaken = is_shaken and Grouping(table.measure, table.units, need, rng).reaches_a_group
    starts = min(max((_IF_SHAKEN if is_shaken else _UNITS_OF_ALL_STARTS) // max(n_units, 1), 1), _MOST_STARTS)
    found = [_grouped(table, need, rng, by_size=close is not None) for _ in range(starts)]
    best = min(found, key=lambda each: each.loss)
    if is_shaken:
        best = shake(best, min(_PLACES_A_GROUP * int(np.count_nonzero(best.groups.size)), _MOST_PLACES))
    group = settled(table, best)
    check_outcome(group, asked, kind, persons)
    return group


def _grouped(table: Table, need: Need, rng: np.random.Generator, *, by_size: bool) -> Grouping:
    """Groups by the lots that come next."""
    grouping = Grouping(table.measure, table.units, need, rng)
    (form_by_size if by_size else form_large_groups)(grouping, _group_crowds)
    grouping.complete()
    grouping.improve()
    return grouping


def _group_crowds(grouping: Grouping) -> None:
    """Groups around units whose k nearest records are near, these first; equals in random order."""
    radius = grouping.found.radius(grouping.units.weight, grouping.need.k)
    order = grouping.rng.permutation(radius.size)
    grouping.form_in_blocks(order[np.argsort(radius[order], kind="stable")])
