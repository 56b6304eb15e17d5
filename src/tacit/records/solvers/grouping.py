"""Groups of units that lose little: near units, groups of them, and steps that make the groups better.

Mondrian and Cluster share this. All of it is near-linear in the number of units. Many units are worked on in blocks of
near ones, side by side: a thread changes groups of its block alone, and what lies in several waits for a round with
other blocks. So the outcome hangs on the data and the seed, never on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from tacit.arrays.blocks import cores, side_by_side, spans, tell, up_to
from tacit.records.solvers._box_kernels import Groups, Measure, Need, Units, needed
from tacit.records.solvers._forming_kernels import (
    Block,
    find_unfit,
    form_groups,
    merge_unfit,
    merge_with_near,
    put_into_groups,
)
from tacit.records.solvers._improving_kernels import Improving, improve
from tacit.records.solvers.apart import blocks_of
from tacit.records.solvers.near import Neighbours, in_a_row, neighbours, places
from tacit.records.solvers.units import Table

_FEWEST_NEAR, _MOST_NEAR = 32, 64
"""How many near units each unit knows."""
_NEAR_A_MEMBER, _NEAR_A_VALUE = 8, 16
"""So many for each unit that a group needs, and for each sensitive value, within these bounds."""
_MANY, _SHARE_OF_MANY = 150_000, 0.4
"""Among more units than these, near ones are so near that a part of them do."""
_UNITS_OF_A_BLOCK, _HALVINGS = 25_000, 3
"""Units are halved into blocks of about so many, but no more often than this: what lies in several blocks waits."""
_UNITS_OF_A_WINDOW = 1 << 9
"""Units that lie beside each other and are improved in an order by lot."""
_UNITS_OF_A_GROUP = 8
"""Of so many units groups are formed first, if a group needs more units than have near ones in common."""
_ROUNDS = 5
"""Rounds of improvement."""
_ROUND = 1 << 40
"""More changes than a round can have."""
_ENOUGH = 0.002
"""A round that gains less than this share of the loss is the last."""
_CANDIDATES = 2048
"""How many groups are looked at for one that has to be merged."""
_COUNTED_UNITS = 1 << 14
"""About how many units' sensitive values are counted to find it."""
_ROWS, _REACH = 4, 256
"""In so many rows groups stand beside near ones, to be looked at for one that is not diverse, and so far each way."""


class Grouping:
    """Groups of units under way."""

    def __init__(self, measure: Measure, units: Units, need: Need, rng: np.random.Generator) -> None:
        self.measure, self.units, self.need, self.rng = measure, units, need, rng
        self._needed = needed(units, need)
        n_units, n_attributes = units.box.shape[:2]
        absent = np.full(n_units, -1, np.int32)
        self.groups = Groups(
            of=absent,
            first=absent.copy(),
            after=absent.copy(),
            size=np.zeros(n_units, np.int64),
            box=np.zeros((n_units, n_attributes, 4), np.int32),
            loss=np.zeros(n_units),
        )
        self.typical = _typical_weight(units, need.k)
        diverse = float(need.diverse.l.max(initial=0.0)) if need.diverse is not None else 0.0
        wanted = max(_NEAR_A_MEMBER * need.k / self.typical, _NEAR_A_VALUE * diverse)
        share = _SHARE_OF_MANY if n_units > _MANY else 1
        self.n_near = int(share * min(max(wanted, _FEWEST_NEAR), _MOST_NEAR))
        self._seen, self._looks = np.zeros(n_units, np.int64), 0
        self._formed_in: list[np.ndarray] | None = None

    @property
    def loss(self) -> float:
        """Of all records together."""
        return float((self.groups.size * self.groups.loss).sum())

    @property
    def reaches_a_group(self) -> bool:
        """Whether the near units of a unit are enough for groups around it."""
        return 2 * self.need.k <= self.n_near * self.typical or self.units.weight.size <= 2 * self.n_near

    def put(self, group_of_unit: np.ndarray) -> None:
        """Puts units, none of which has a group yet, into the groups of these numbers (−1: none)."""
        given = np.flatnonzero(group_of_unit >= 0)
        into = group_of_unit[given].astype(np.int64)
        for start, stop in spans(given.size):
            place = given[start:stop], into[start:stop]
            put_into_groups(self.measure, self.units.box, self.units.weight, self.groups, *place)

    @cached_property
    def found(self) -> Neighbours:
        """The near units of each unit."""
        return neighbours(self.measure, self.units, self.rng, self.n_near)

    def form(self, near: np.ndarray, order: np.ndarray, *, nearest_to_seed: bool = False, settle: bool = True) -> None:
        """Forms groups around the units of an order; `settle` puts the others into groups of their neighbours."""
        everything = np.arange(self.units.weight.size, dtype=np.int32)
        self._form(near, [order.astype(np.int32)], [everything], nearest_to_seed, settle)

    def form_in_blocks(self, order: np.ndarray) -> None:
        """The same in blocks, each of which goes over its units in this order."""
        blocks = self._formed_in = self._blocks()
        block_of = _numbered(blocks, order.size)
        by_block = order[np.argsort(block_of[order], kind="stable")].astype(np.int32)
        orders = np.split(by_block, np.cumsum([block.size for block in blocks])[:-1])
        self._form(self.found.near, orders, blocks, nearest_to_seed=False, settle=False)
        self.form(self.found.near, order[self.groups.of[order] < 0])

    def _form(
        self,
        near: np.ndarray,
        orders: Sequence[np.ndarray],
        blocks: Sequence[np.ndarray],
        nearest_to_seed: bool,
        settle: bool,
    ) -> None:
        owner = _numbered(blocks, self.units.weight.size)

        def form(number: int, need: Need, at: np.ndarray) -> None:
            order, stop = orders[number], (1 + settle) * orders[number].size
            arguments = (self.measure, self._needed, self.groups, near, *need, order, blocks[number], nearest_to_seed)
            block = self._block(number, owner)
            for steps in up_to(at, stop, "groups"):
                form_groups(steps, at, stop, *arguments, block)

        self._in_blocks(form, [(1 + settle) * order.size for order in orders], "groups")

    def _blocks(self) -> list[np.ndarray]:
        """All units, cut into blocks if they are many, each time otherwise."""
        n_units = self.units.weight.size
        halvings = min(max(int(np.log2(max(n_units, 1) / _UNITS_OF_A_BLOCK)), 0), _HALVINGS)
        if not halvings:
            return [np.arange(n_units, dtype=np.int32)]
        return blocks_of(self.measure, self.place, self.found.near, halvings, self.rng)

    @cached_property
    def place(self) -> np.ndarray:
        """Where units lie, units × attributes."""
        return places(self.measure, self.units.box)

    def _block(self, number: int, owner: np.ndarray) -> Block:
        return Block(number, owner, self._seen, np.array([self._looks * _ROUND]))

    def _in_blocks(self, work: Callable[[int, Need, np.ndarray], None], sizes: Sequence[int], what: str) -> None:
        """Does some work in all blocks, which have so much to do; `at` says how far it is."""
        at, waiting = np.zeros((len(sizes), 2), np.int64), iter(range(len(sizes)))
        self._looks += 1

        def some_of_it() -> None:
            need = _with_own_room(self.need)
            for number in waiting:
                work(number, need, at[number])

        total = max(sum(sizes), 1)
        side_by_side([some_of_it] * min(len(sizes), cores()), lambda: tell(what, at[:, 0].sum() / total))

    def complete(self) -> None:
        """Units without a group get one of their own; groups that are not what they must be are merged with others."""
        groups = self.groups
        alone, empty = np.flatnonzero(groups.of < 0), np.flatnonzero(groups.size == 0)
        own = np.full(groups.of.size, -1)
        own[alone] = empty[: alone.size]
        self.put(own)
        if self.need.diverse is not None and self.units.sensitive.shape[1] > 0:
            self._make_diverse()
        waiting = self.rng.permutation(self._unfit())
        for start in range(0, waiting.size, _CANDIDATES):
            candidates = self.rng.permutation(np.flatnonzero(groups.size > 0))[:_CANDIDATES]
            self._merge(waiting[start : start + _CANDIDATES], candidates)
        if waiting.size:
            self._merge(self._unfit(), np.flatnonzero(groups.size > 0))

    def _unfit(self) -> np.ndarray:
        """The groups that are not what they must be."""
        groups = self.groups
        if self.need.met is None and self.units.sensitive.shape[1] == 0:  # no kernel is needed to tell
            return np.flatnonzero((groups.size > 0) & (groups.size < self.need.k))
        unfit = np.zeros(groups.size.size, bool)
        for start, stop in spans(unfit.size):
            find_unfit(start, stop, self._needed, groups, *self.need, unfit)
        return np.flatnonzero(unfit)

    def _make_diverse(self) -> None:
        """Merges groups that are not diverse with near ones that help: those that need least first, equals by lot."""
        groups, unfit = self.groups, self.rng.permutation(self._unfit())
        waiting = unfit[np.argsort(groups.size[unfit], kind="stable")]
        can_help = groups.size > 0
        some = np.flatnonzero(can_help)
        can_help[waiting] = False
        if not waiting.size or not can_help.any():
            return
        rows = np.empty((_ROWS, np.count_nonzero(can_help)), np.int32)
        place = np.zeros((_ROWS, can_help.size), np.int32)
        for row, own in zip(rows, place, strict=True):
            order = some[in_a_row(self.measure, groups.box[some, :, :2], self.rng)]
            row[:], own[order] = order[can_help[order]], np.cumsum(can_help[order]) - can_help[order]
        k, met, diverse, _ = self.need
        at, effort = np.zeros(1, np.int64), self._effort
        arguments = (self.measure, self._needed, groups, k, met, diverse, waiting, rows, place, _REACH, effort)
        for steps in up_to(at, waiting.size, "groups that are not diverse"):
            merge_with_near(steps, at, *arguments)

    @property
    def _effort(self) -> int:
        """How many records' sensitive values are counted to find a group for another."""
        return int(_COUNTED_UNITS * self.units.weight.sum() / max(self.groups.of.size, 1))

    def _merge(self, waiting: np.ndarray, candidates: np.ndarray) -> None:
        """Merges those of some groups that are not what they must be with candidates."""
        effort, at = self._effort, np.zeros(1, np.int64)
        for steps in up_to(at, waiting.size, "groups that are too small"):
            merge_unfit(steps, at, self.measure, self._needed, self.groups, *self.need, waiting, candidates, effort)

    def improve(self, rounds: int = _ROUNDS, fresh: np.ndarray | None = None) -> None:
        """Steps that lose less, until a round of them gains little. If groups are known to be `fresh` (bool), all
        others have been improved before: steps are about fresh ones, and about what these change."""
        n_units, loss = self.units.weight.size, np.inf
        known = Improving(
            changed=np.zeros(n_units, np.int64) if fresh is None else fresh * _ROUND,
            looked=np.full(n_units, -1 if fresh is None else 0),
            tried=np.zeros(n_units, np.int64),
            rest=np.full(n_units, -1, np.float32),
            now=np.zeros(1, np.int64),
            members=np.empty(0, np.int32),
            source=np.empty(_MOST_NEAR + 1, np.int32),
            without=np.empty((1, *self.units.box.shape[1:]), np.int32),
        )
        turn, last = 0 if fresh is None else 1, False
        rounds += turn
        while not last:
            last = turn == rounds - 1 or (fresh is None and self.loss > loss * (1 - _ENOUGH))
            blocks, loss = self._formed_in or self._blocks(), self.loss
            self._formed_in = None
            turn += 1
            owner = _owners(self.groups, _numbered(blocks, n_units))
            orders = [_shuffled(block, self.rng) for block in blocks]
            self._improve_in_blocks(orders, owner, turn, known, f"improving groups, round {turn} of {rounds} at most")

    def _improve_in_blocks(
        self, orders: Sequence[np.ndarray], owner: np.ndarray, turn: int, known: Improving, what: str
    ) -> None:
        """A round of steps, each block in its order. Groups of units of several blocks stay as they are."""

        def improve_block(number: int, need: Need, at: np.ndarray) -> None:
            order, block = orders[number], self._block(number, owner)
            room = known._replace(
                now=np.array([turn * _ROUND]),
                members=np.empty(order.size, np.int32),
                source=np.empty_like(known.source),
                without=np.empty_like(known.without),
            )
            arguments = (self.measure, self._needed, self.groups, self.found.near, *need, order, turn)
            for steps in up_to(at, 3 * order.size, what):
                improve(steps, at, *arguments, (turn - 1) * _ROUND, block, room)

        self._in_blocks(improve_block, [3 * order.size for order in orders], what)


def _shuffled(block: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The units of a block in an order by lot in which near ones are still near: so they stay in fast memory."""
    whole = block.size - block.size % _UNITS_OF_A_WINDOW
    windows = rng.permuted(block[:whole].reshape(-1, _UNITS_OF_A_WINDOW), axis=1)
    return np.concatenate((windows.ravel(), rng.permutation(block[whole:])))


def _owners(groups: Groups, block_of: np.ndarray) -> np.ndarray:
    """The block of all members of each group, −1 if they are of several. An empty one goes with the unit of its
    number."""
    owner = block_of[np.where(groups.first < 0, np.arange(groups.first.size), groups.first)]
    grouped = np.flatnonzero(groups.of >= 0)
    group = groups.of[grouped]
    owner[group[block_of[grouped] != owner[group]]] = -1
    return owner


def _numbered(blocks: Sequence[np.ndarray], n_units: int) -> np.ndarray:
    """The number of the block of each unit."""
    block_of = np.zeros(n_units, np.int32)
    for number, block in enumerate(blocks):
        block_of[block] = number
    return block_of


def _with_own_room(need: Need) -> Need:
    """The same with arrays to count in that no other thread has."""
    met, diverse, close = need.met, need.diverse, need.close
    return need._replace(
        met=None if met is None else met.copy(),
        diverse=None if diverse is None else diverse._replace(tally=diverse.tally.copy(), some=diverse.some.copy()),
        close=None if close is None else close._replace(tally=close.tally.copy()),
    )


def form_by_size(grouping: Grouping, form: Callable[[Grouping], None]) -> None:
    """Forms groups by `form` that are large enough, whatever their sensitive values: these are asked for later, when
    groups are merged. Few near records are seldom distributed as all are."""
    units = grouping.units
    plain = units._replace(sensitive=units.sensitive[:, :0], held=units.held[:, :0])
    large = Grouping(grouping.measure, plain, grouping.need, grouping.rng)
    form_large_groups(large, form)
    large.complete()
    grouping.found = large.found
    grouping.put(large.groups.of)


def form_large_groups(grouping: Grouping, form: Callable[[Grouping], None]) -> None:
    """Forms groups by `form`. Those of more units than have near ones in common are made of groups of few units.

    Diversity is asked for only where groups are made of the units themselves.
    """
    units, need = grouping.units, grouping.need
    typical = grouping.typical
    if grouping.reaches_a_group:
        form(grouping)
        return
    none = units.person[:0], units.held[:0, :0]
    plain = Units(units.box, units.weight, units.sensitive[:, :0], *none)
    few = need._replace(k=int(_UNITS_OF_A_GROUP * typical) + 1, met=None)
    lower = Grouping(grouping.measure, plain, few, grouping.rng)
    lower.found = grouping.found
    form(lower)
    lower.complete()
    formed = np.flatnonzero(lower.groups.size)
    unit_of = np.empty(lower.groups.size.size, np.int32)
    unit_of[formed] = np.arange(formed.size, dtype=np.int32)
    as_units = Units(lower.groups.box[formed, :, :2], lower.groups.size[formed], plain.sensitive[: formed.size], *none)
    upper = Grouping(grouping.measure, as_units, need._replace(met=None), grouping.rng)
    form_large_groups(upper, form)
    upper.complete()
    grouping.put(upper.groups.of[unit_of[lower.groups.of]])


def settled(table: Table, grouping: Grouping) -> np.ndarray:
    """The group of each record. Groups that are published with equal values are one.

    Two of them that keep the promise may break it together where a person is in both. They are merged with others.
    """
    group = table.groups_of_records(grouping.groups.of)
    while table.units.person.size:
        found = int(group.max(initial=-1)) + 1
        of_unit = np.empty(table.units.weight.size, np.int32)
        of_unit[table.unit_of_record] = group
        again = Grouping(table.measure, table.units, grouping.need, grouping.rng)
        again.put(of_unit)
        again.complete()
        group = table.groups_of_records(again.groups.of)
        if group.max(initial=-1) + 1 == found:
            break
    return group


def _typical_weight(units: Units, k: int) -> float:
    """The mean weight of the units that need others to be a group."""
    small = units.weight[units.weight < k]
    return float(small.mean()) if small.size else float(k)
