"""How little any grouping can lose: a lower bound on NCP, proved by prices of records.

Give each record a price. If no group of k records or more is paid more than it loses, no grouping loses less than the
sum of all prices. Groups of 2k and more can be cut in two without loss, so those of k to 2k − 1 are enough. A record's
loss with its (k − 1)-nearest one is such a price. Better prices come from a linear program over groups (column
generation): it knows some groups, asks which other ones are paid most above their loss, and learns these. That question
is answered exactly, by branch and bound; where it would take too long, by what no group can exceed. What groups are
overpaid is taken off the sum, so it is a bound whatever the prices are, and does not hang on the solver's tolerance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from tacit.arrays.attributes import Attribute, losses
from tacit.arrays.attributes import spans as spans_of
from tacit.arrays.blocks import cores, side_by_side, spans, tell, up_to
from tacit.records.solvers._box_kernels import Measure
from tacit.records.solvers._least_kernels import Room, best_paid, group_loss, nearest_losses
from tacit.records.solvers.mondrian import mondrian
from tacit.records.solvers.units import Table, exact_measure_of

MOST_RECORDS = 100_000
"""Of more records no bound is looked for: each is compared with all others."""
_PRICED = 2_000
"""Up to so many records get prices from a linear program."""
_ROUNDS = 60
_NODES = 60, 10_000
"""How many sets of records are looked at for the group of a seed: few to learn groups, many to prove there is none."""
_WORTH = 1e-9
_GROUPINGS = 8
"""Groupings by other lots that the program begins with."""
_CLOSE = 0.001
"""The program ends when the bound is as near to its value."""
_FEW = 0.03
"""All is asked of the search when it finds fewer new groups than this for each record."""
_ROUNDING = 1e-9


class Least(NamedTuple):
    """A bound on the NCP of any grouping into groups of at least k, and the best one that the proof began with."""

    bound: float | None
    group: np.ndarray | None = None  # int32 per record


def least_loss(attributes: Sequence[Attribute], k: int) -> Least:
    """Of few records both, of many a bound by nearest records, of very many none."""
    n = len(attributes[0]) if attributes else 0
    if not k <= n <= MOST_RECORDS:
        return Least(None)
    measure, box = exact_measure_of(attributes), Table.of(attributes).record_by_record().units.box
    price = _nearest(measure, box, k)
    if n > _PRICED or k == 1:
        return Least(max(0.0, float(price.sum()) / n - _ROUNDING))
    groupings = (mondrian(attributes, k, seed=seed) for seed in range(_GROUPINGS))
    bound, known = _priced(measure, box, k, price, groupings)
    return Least(max(0.0, bound / n - _ROUNDING), known.best[1])


def ncp_of(attributes: Sequence[Attribute], group: np.ndarray) -> float:
    """What a grouping loses as it is published."""
    given, people = np.array([attribute.weight for attribute in attributes]), np.bincount(group)
    weights = given / given.sum() if given.sum() > 0 else np.full(given.size, 1 / max(given.size, 1))
    lost = [people @ losses(each, spans_of(each, group.astype(np.int32), people.size)) for each in attributes]
    return float(weights @ np.array(lost)) / max(group.size, 1)


def _nearest(measure: Measure, box: np.ndarray, k: int) -> np.ndarray:
    """Of each record the loss with its (k − 1)-nearest one: no group of k with it loses less."""
    n = len(box)
    if k == 1:
        return np.zeros(n)
    nearest = np.full((n, k - 1), np.inf)
    bounds = np.linspace(0, n, cores() + 1).astype(int).tolist()

    def some(start: int, stop: int) -> None:
        for here, there in spans(stop - start, first=16):
            nearest_losses(start + here, start + there, measure, box, nearest)

    side_by_side([partial(some, start, stop) for start, stop in pairwise(bounds)])
    return nearest[:, -1]


def _priced(
    measure: Measure, box: np.ndarray, k: int, price: np.ndarray, groupings: Iterable[np.ndarray]
) -> tuple[float, _Groups]:
    """The bound by the linear program over groups, begun with prices that are one, and with groups that are known."""
    n, found, ask = len(box), _Groups(measure, box), _Asking(measure, box, k)
    for group in groupings:
        found.begin_with(group)
    best, middle, nodes, has_moved = float(price.sum()), None, _NODES[0], True
    for turn in range(_ROUNDS):
        value, wanted = found.prices(n)
        if value - best <= _CLOSE * value:
            break
        # the program's prices swing; halfway to good ones they are good more often
        price = (middle + wanted) / 2 if middle is not None and has_moved else wanted
        overpaid, groups = ask.about(price, nodes)
        # each group has a record with the highest price, and there are n / k groups at most
        bound = float(price.sum() - np.sort(np.maximum(overpaid, 0))[::-1][: n // k].sum())
        learnt, is_better = found.add(groups), bound > best
        if is_better or nodes == _NODES[0]:
            middle = price
        best, has_moved = max(best, bound), learnt > 0 or is_better
        if not has_moved and nodes == _NODES[-1] and price is wanted:
            break
        if learnt < n * _FEW:
            nodes = _NODES[-1]
        tell("lower bound, rounds", turn / _ROUNDS)
    return best, found


class _Asking:
    """Asks for the groups that are paid most."""

    def __init__(self, measure: Measure, box: np.ndarray, k: int) -> None:
        self.measure, self.box, self.k = measure, box, k

    def about(self, price: np.ndarray, nodes: int) -> tuple[np.ndarray, list[np.ndarray]]:
        """For each record what no group is paid more above its loss in which it has the highest price; such groups."""
        n, longest = len(self.box), 2 * self.k - 1
        most, group = np.zeros(n), np.full((n, longest), -1, np.int32)
        bounds = np.linspace(0, n, 4 * cores() + 1).astype(np.int64)
        at = np.column_stack((bounds[:-1], np.zeros((len(bounds) - 1, 2), np.int64), np.full(len(bounds) - 1, -1)))
        paid = np.zeros((len(at), 2))

        def some(index: int) -> None:
            room = self._room(n, longest)
            stop = int(bounds[index + 1])
            for steps in up_to(at[index], stop):
                arguments = (self.measure, self.box, price, self.k, _WORTH, nodes, room, most, group)
                best_paid(steps, at[index], paid[index], stop, *arguments)

        side_by_side([partial(some, index) for index in range(len(at))], threads=cores())
        return most, [np.sort(row[row >= 0]) for row in group if row[0] >= 0]

    def _room(self, n: int, longest: int) -> Room:
        return Room(
            box=np.zeros((longest, self.box.shape[1], 2), np.int32),
            chosen=np.zeros(longest, np.int32),
            paid=np.zeros(longest),
            loss=np.zeros(longest),
            joining=np.zeros(longest, np.int64),
            at=np.zeros(longest, np.int64),
            who=np.zeros((longest, n), np.int32),
            joint=np.zeros((longest, n)),
            pair=np.zeros((n, n)),
            is_out=np.zeros(n, bool),
            top=np.zeros(longest + 1),
        )


class _Groups:
    """The groups that the linear program knows, with what they lose."""

    def __init__(self, measure: Measure, box: np.ndarray) -> None:
        self.loss_of: Callable[[np.ndarray], float] = partial(_loss, measure, box)
        self.known: set[bytes] = set()
        self.members: list[np.ndarray] = []
        self.losses: list[float] = []
        self.best = np.inf, np.empty(0, np.int32)

    def begin_with(self, group: np.ndarray) -> None:
        """Learns the groups of a grouping; the best of these is remembered."""
        order = np.argsort(group, kind="stable")
        groups = np.split(order, np.cumsum(np.bincount(group))[:-1])
        loss = sum(members.size * self.loss_of(members) for members in groups)
        if loss < self.best[0]:
            self.best = float(loss), group
        self.add(groups)

    def add(self, groups: Sequence[np.ndarray]) -> int:
        """Learns groups; gives how many were not known."""
        before = len(self.members)
        for members in groups:
            key = members.astype(np.int32).tobytes()
            if key not in self.known:
                self.known.add(key)
                self.members.append(members)
                self.losses.append(members.size * self.loss_of(members))
        return len(self.members) - before

    def prices(self, n: int) -> tuple[float, np.ndarray]:
        """The least that fractions of known groups lose in which each record is once, and the prices that say so."""
        from scipy.optimize import linprog
        from scipy.sparse import csc_array

        ends = np.cumsum([0, *(members.size for members in self.members)])
        holds = csc_array((np.ones(ends[-1]), np.concatenate(self.members), ends), shape=(n, len(self.members)))
        solved = linprog(self.losses, A_eq=holds, b_eq=np.ones(n), bounds=(0, None), method="highs")
        return float(solved.fun), np.asarray(solved.eqlin.marginals)


def _loss(measure: Measure, box: np.ndarray, members: np.ndarray) -> float:
    """The loss of one record of a group."""
    nearest = np.zeros(1)
    group_loss(measure, box, members.astype(np.int32), nearest)
    return float(nearest[0])
