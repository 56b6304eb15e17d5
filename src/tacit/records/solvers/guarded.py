"""Halves that tell nothing about whose the sensitive values are, for records with quasi-identifiers.

As in Mondrian (LeFevre, DeWitt & Ramakrishnan, ICDE 2006) the records are cut top down. How a part would be cut follows
from its quasi-identifiers alone, and both sides have as many records. It is cut if both sides keep the promise. If it
is not, an attacker who knows the method learns that one of the sides would not have kept it, but not which: the sides
could be exchanged. From there on each record of one side stays together with one of the other, as a unit, so that they
still can be exchanged whatever is cut later. Units are halved in the same way. So for everybody in a part a value is as
likely as it is frequent there.

Only an even number of records has halves. So some records are set aside at random, until the others can be halved
again and again; those set aside are a table of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import ceil

import numpy as np

from tacit.arrays.attributes import Attribute, common_ancestors
from tacit.arrays.blocks import up_to
from tacit.arrays.order import joint_codes
from tacit.promises import LDiversity, exact
from tacit.records.asked import Asked
from tacit.records.solvers._guarded_kernels import LINE, SET, TREE, Room, Wanted, Ways, cut_in_halves, keeps
from tacit.records.solvers.diversity import check_reachable, diversity_of
from tacit.records.solvers.units import merged_equal
from tacit.shuffle import EQUAL_QUASI, SET_ASIDE, Shuffle

_DRAWS = 64
"""How often records to set aside are drawn, until both they and the others keep the promise."""


def guarded(
    attributes: Sequence[Attribute],
    promise: LDiversity,
    sensitive: Sequence[np.ndarray],
    hidden: Shuffle,
    progress: Callable[[str], None] | None = None,
    asked: Sequence[Asked] | None = None,
) -> np.ndarray:
    """The group of each record (int32, numbered in order of appearance); `asked` says more of `sensitive`."""
    rows = len(attributes[0]) if attributes else 0
    asked = asked or [Asked.plainly(codes, promise.l) for codes in sensitive]
    check_reachable(rows, promise.k, asked, promise.kind)
    if progress:
        progress(f"halves of {rows:,} records")
    if not rows:
        return np.zeros(0, np.int32)
    halving = Halving(attributes, promise, np.stack([each.codes for each in asked]), asked)
    part, n_parts = np.empty(rows, np.int32), 0
    for table in tables(in_order_of_quasi(attributes, hidden), halving, hidden):
        part[table], found = halving.parts(table)
        part[table] += n_parts
        n_parts += found
    return merged_equal(attributes, part)


def in_order_of_quasi(attributes: Sequence[Attribute], hidden: Shuffle) -> np.ndarray:
    """The records in the order of their quasi-identifiers; between equal ones chance decides.

    The order in which they come here will not do: it is that of their whole content, sensitive values and all.
    """
    rows = len(attributes[0])
    code, _ = joint_codes([each.codes for each in attributes], [len(each.texts) for each in attributes], rows)
    chance = hidden.order(rows, EQUAL_QUASI)
    return chance[np.argsort(code[chance], kind="stable")]


def tables(records: np.ndarray, halving: Halving, hidden: Shuffle) -> Iterator[np.ndarray]:
    """The records in tables of b · 2^j; the first has nearly all, each other one what was set aside before."""
    for level in range(64):
        aside = set_aside(records.size, halving.least)
        if not aside:
            break
        for draw in range(_DRAWS):
            label = SET_ASIDE.format(level, draw)
            is_aside = np.zeros(records.size, bool)
            is_aside[hidden.order(records.size, label)[:aside]] = True
            if halving.keeps(records[is_aside]) and halving.keeps(records[~is_aside]):
                break
        else:
            break
        yield records[~is_aside]
        records = records[is_aside]
    yield records


def set_aside(rows: int, least: int) -> int:
    """How many records are set aside, at least so many or none, so that the others can be halved most often.

    >>> set_aside(48, 5), set_aside(49, 5), set_aside(30162, 5), set_aside(9, 5)
    (0, 9, 1490, 0)
    """
    for halvings in range(rows.bit_length(), 0, -1):
        unit = 1 << halvings
        aside = rows % unit
        if 0 < aside < least:
            aside += unit * -((aside - least) // unit)
        if rows - aside >= least * unit:
            return aside
    return 0


class Halving:
    """Records that are to be cut, and what each part of them must keep."""

    def __init__(
        self,
        attributes: Sequence[Attribute],
        promise: LDiversity,
        sensitive: np.ndarray,
        asked: Sequence[Asked] | None = None,
    ) -> None:
        scales = [scale_of(attribute) for attribute in attributes]
        asked = asked or [Asked.plainly(codes, promise.l) for codes in sensitive]
        bounds, diverse = [exact(each.l) for each in asked], diversity_of(asked, promise.kind)
        self.place = np.stack([scale[0][each.codes] for scale, each in zip(scales, attributes, strict=True)])
        self.sensitive, self.ways = sensitive, ways_of(attributes, scales)
        self.asked = Wanted(
            promise.k, diverse.kind, np.array([bound.numerator for bound in bounds]),
            np.array([bound.denominator for bound in bounds]),
            diverse.harmless, diverse.reach, diverse.has_width, diverse.some,
        )  # fmt: skip
        self.least = max(promise.k, *map(ceil, bounds))
        n_places, n = max(len(attribute.texts) for attribute in attributes), sensitive.shape[1]
        places, values = np.zeros(n_places, np.int64), np.zeros(int(sensitive.max()) + 1, np.int64)
        aside, units, keys, spare = np.zeros((4, n), np.int64)
        spans = np.zeros((n.bit_length() + 2, 2), np.int64)
        self.room = Room(places, values, aside, units, keys, spare, np.zeros(n, bool), spans)

    def keeps(self, records: np.ndarray) -> bool:
        """Whether some records are a group that keeps the promise."""
        return bool(keeps(records, 0, records.size, self.sensitive, self.asked, self.room.tally))

    def parts(self, records: np.ndarray) -> tuple[np.ndarray, int]:
        """The part of each of some records, and how many there are."""
        n = records.size
        order, at, bounds = records.copy(), np.array([0, 1, 0]), np.empty(n + 1, np.int64)
        waiting = np.array([[0, n, 1]] + [[0, 0, 1]] * n.bit_length() * 2)
        for steps in up_to(at, n, "records in groups"):
            cut_in_halves(
                steps, at, self.ways, self.place, self.sensitive, self.asked, order, bounds, waiting, self.room
            )
        sizes = np.diff(np.append(bounds[: at[2]], n))
        part_of = np.empty(self.place.shape[1], np.int32)
        part_of[order] = np.repeat(np.arange(sizes.size, dtype=np.int32), sizes)
        return part_of[records], sizes.size


Scale = tuple[np.ndarray, int, float, np.ndarray]
"""The place of each code; the form, what a width is divided by, and the value of each place, as in `Ways`."""


def ways_of(attributes: Sequence[Attribute], scales: Sequence[Scale]) -> Ways:
    """How wide parts are in each attribute."""
    values = [value for _, _, _, value in scales]
    return Ways(
        np.array([form for _, form, _, _ in scales], np.int64),
        np.cumsum([0, *(value.size for value in values)])[:-1].astype(np.int64),
        np.array([extent for _, _, extent, _ in scales], np.float64),
        np.array([attribute.weight for attribute in attributes], np.float64),
        np.concatenate(values).astype(np.float64),
    )


def scale_of(attribute: Attribute) -> Scale:
    """An attribute as places in order."""
    n_places = len(attribute.texts)
    place = np.arange(n_places, dtype=np.int32)
    if attribute.tree is not None and attribute.leaf_of_code is not None:
        leaves = np.sort(attribute.leaf_of_code)
        above = common_ancestors(attribute.tree, leaves[:-1], leaves[1:])
        place = np.searchsorted(leaves, attribute.leaf_of_code).astype(np.int32)
        counts = attribute.tree.leaf_count
        return place, TREE, float(counts[0]), np.append(counts[above], 0)
    if attribute.numbers is None:
        return place, SET, float(n_places), np.zeros(n_places)
    return place, LINE, attribute.domain_length or 1.0, np.nan_to_num(attribute.numbers, nan=np.inf)
