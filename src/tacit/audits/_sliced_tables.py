"""How the audit of sliced tables counts: slices that hang together become blocks, and blocks become tables.

Given what is known of a person, slices that share a hidden attribute must be joined; they make one block. Other slices
are independent, or share known attributes alone, which divide. The weight of a block for known values in a bucket is
the expected number of linkings of its rows that have them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tacit.audits._sliced_kernels import Blocks, Room, SensitiveShares, conclude
from tacit.audits.views.slices import SliceView
from tacit.errors import InputError

Target = tuple[str, ...]
"""A sensitive attribute, or several of one block: then their combination is what an attacker wants to know."""

_LEVELS = 8
"""For how many blocks the buckets that match are kept for all who agree on them."""
_FEW = 1000
"""So many buckets are looked through for one person alone."""


@dataclass(frozen=True, eq=False)
class Fits:
    """What fits the rows of a slice: for each row the code of its known values. Rows may stand there repeatedly,
    where published values are ranges or groups and one may be what several people have."""

    index: int
    row: np.ndarray  # int64: row of the file
    known: np.ndarray  # int64: code of the known values of that row
    count: int  # of such codes


class Edge(NamedTuple):
    """A slice and the one it is joined to, with the attributes that both have."""

    child: int
    parent: int
    shared: tuple[str, ...]


class Tables(NamedTuple):
    """All that p(t, s) needs: a bucket weighs the product of the blocks' weights ÷ the divisors' ÷ |B|^power."""

    blocks: list[BlockTable]
    divisors: list[BlockTable]
    log_size: np.ndarray  # per bucket
    power: int

    @property
    def all(self) -> list[BlockTable]:
        return [*self.blocks, *self.divisors]

    @property
    def signs(self) -> np.ndarray:
        """1 where a weight multiplies, −1 where it divides."""
        return np.array([1.0] * len(self.blocks) + [-1.0] * len(self.divisors))


class Conclusion(NamedTuple):
    """Per sensitive attribute and person the greatest p(t, s) and its value; per person how many buckets match."""

    worst: np.ndarray
    value: np.ndarray
    matches: np.ndarray


@dataclass(frozen=True, eq=False)
class BlockTable:
    """What a block says: for known value v the entries start[v] to start[v + 1] − 1, by bucket."""

    codes: np.ndarray  # per person
    start: np.ndarray
    bucket: np.ndarray
    weight: np.ndarray
    shares: dict[Target, tuple[np.ndarray, np.ndarray, np.ndarray]]  # (start, values, shares)

    def entry_of(self, codes: np.ndarray, bucket: np.ndarray) -> np.ndarray:
        """The entry of each pair of known values and bucket; −1 if there is none."""
        width = int(max(self.bucket.max(initial=0), bucket.max(initial=0))) + 1
        keys = np.repeat(np.arange(self.start.size - 1), np.diff(self.start)) * width + self.bucket
        wanted = codes * width + bucket
        at = np.minimum(np.searchsorted(keys, wanted), max(keys.size - 1, 0))
        return np.where((codes >= 0) & (keys[at] == wanted), at, -1) if keys.size else np.full(codes.size, -1)


def join_edges(slices: Sequence[Sequence[str]]) -> list[Edge]:
    """The join tree, parents first: slices that end in one other are cut off, until one is left (Graham's)."""
    left = {i: frozenset(one) for i, one in enumerate(slices)}
    edges: list[Edge] = []
    while len(left) > 1:
        for here in sorted(left, reverse=True):
            others = {i: one for i, one in left.items() if i != here}
            shared = left[here] & frozenset().union(*others.values())
            parent = next((i for i, one in others.items() if shared <= one), None)
            if parent is not None:
                edges.append(Edge(here, parent, tuple(sorted(shared))))
                del left[here]
                break
        else:
            names = ", ".join("{" + ", ".join(sorted(one)) + "}" for one in left.values())
            raise InputError(
                f"the slices {names} overlap in a cycle, so it is not defined how an attacker joins them",
                hint="Overlaps of slices must form a tree.",
            )
    return edges[::-1]


def joint_codes(columns: Sequence[np.ndarray], rows: int) -> tuple[np.ndarray, int]:
    """Equal combinations get equal codes from 0."""
    code, count = np.zeros(rows, np.int64), min(rows, 1)
    for column in columns:
        width = int(column.max(initial=0)) + 1
        values, code = np.unique(code * width + column, return_inverse=True)
        count = values.size
    return code, count


def tables_of(
    table: SliceView,
    edges: list[Edge],
    fits: list[Fits],
    persons: np.ndarray,
    targets: Sequence[Target],
    known: set[str],
) -> Tables:
    """The blocks of a sliced table; `persons` [slice, person] are the codes of their known values."""
    blocks = [
        block_of_fits(table, edges, fits, persons, block, targets, known)
        for block in linked_slices(table, edges, known)
    ]
    divisors, power = [], 1
    for edge in edges:
        if not edge.shared:
            power += 1
        elif set(edge.shared) <= known:
            divisors.append(_divisor(table, edge, fits, persons))
    blocks.sort(key=lambda one: one.start.size)  # few values first: many people agree on them
    sizes = np.bincount(table.bucket, minlength=len(table.buckets))
    return Tables(blocks, divisors, np.log(np.maximum(sizes, 1)), power)


def conclusions(
    table: SliceView,
    edges: list[Edge],
    fits: list[Fits],
    persons: np.ndarray,
    sensitive: Sequence[str],
    known: set[str],
) -> Conclusion:
    """What an attacker concludes about each person; `persons` [slice, person] are the codes of their known values."""
    found = tables_of(table, edges, fits, persons, [(name,) for name in sensitive], known)
    n = persons.shape[1]
    out = Conclusion(np.zeros((len(sensitive), n)), np.full((len(sensitive), n), -1, np.int32), np.zeros(n, np.int32))
    flat = _flat(found.all, found.signs)
    sensitive_shares = _sensitive_shares(found.blocks, sensitive)
    most = max((len(table.texts[name]) for name in sensitive), default=0)
    codes = np.stack([one.codes for one in found.all])
    levels = min(len(found.blocks), _LEVELS)
    somewhere = np.flatnonzero((codes >= 0).all(axis=0))
    order = somewhere[np.lexsort(codes[:levels, somewhere][::-1])]
    shape = (levels + 1, len(table.buckets))
    room = Room(
        size=np.zeros(shape[0], np.int64),
        bucket=np.zeros(shape, np.int32),
        weight=np.zeros(shape),
        mass=np.zeros(most),
        touched=np.zeros(most, np.int32),
        previous=np.full(levels, -1, np.int64),
    )
    conclude(codes, order, levels, _FEW, flat, sensitive_shares, found.log_size, float(found.power), room, *out)
    return out


def linked_slices(table: SliceView, edges: list[Edge], known: set[str]) -> list[list[int]]:
    """The slices in blocks that hang together by hidden attributes, parents first."""
    block_of = {i: [i] for i in range(len(table.slices))}
    for edge in edges:
        if not set(edge.shared) <= known:
            merged = block_of[edge.parent]
            merged.append(edge.child)
            block_of[edge.child] = merged
    return [block for i, block in block_of.items() if block[0] == i]


def block_of_fits(
    table: SliceView,
    edges: list[Edge],
    fits: list[Fits],
    persons: np.ndarray,
    block: list[int],
    targets: Sequence[Target],
    known: set[str],
) -> BlockTable:
    """The table of a block. One slice alone just counts; several are joined for the persons' values."""
    targets = [target for target in targets if any(target[0] in table.slices[i] for i in block)]
    if len(block) == 1:
        return _counted(table, fits[block[0]], persons[block[0]], targets)
    parent = {edge.child: edge for edge in edges}
    codes, combinations = _combinations(persons[block])
    candidates = _candidates(table, fits, block, combinations)
    shares, weight = {}, np.zeros(0)
    for target in targets or [()]:
        found = _joined(table, fits, block, parent, combinations, candidates, target, known)
        weight, shares[target] = found
    alive = weight > 0
    shares = {target: _only(alive, *parts) for target, parts in shares.items() if target}
    combination, bucket = candidates[0][alive], candidates[1][alive]
    start = np.searchsorted(combination, np.arange(combinations.shape[1] + 1))
    return BlockTable(codes, start, bucket, weight[alive], shares)


def _counted(table: SliceView, fit: Fits, codes: np.ndarray, targets: Sequence[Target]) -> BlockTable:
    """Rows with the same known values and bucket."""
    n_buckets = len(table.buckets)
    pairs, at, count = np.unique(fit.known * n_buckets + table.bucket[fit.row], return_inverse=True, return_counts=True)
    shares = {}
    for target in targets:
        values = _combined(table, target, {name: table.column(fit.index, name)[fit.row] for name in target})
        width = int(values.max(initial=0)) + 1
        keys, times = np.unique(at * width + values, return_counts=True)
        start = np.searchsorted(keys // width, np.arange(pairs.size + 1))
        shares[target] = (start, keys % width, times / count[keys // width])
    start = np.searchsorted(pairs // n_buckets, np.arange(fit.count + 1))
    return BlockTable(codes, start, (pairs % n_buckets).astype(np.int32), count.astype(float), shares)


def _combined(table: SliceView, target: Target, columns: dict[str, np.ndarray]) -> np.ndarray:
    """One code for each combination of values; that of an attribute alone is its code."""
    code: np.ndarray = np.zeros(len(next(iter(columns.values()))), np.int64)
    for name in target:
        code = code * len(table.texts[name]) + columns[name]
    return code


def _divisor(table: SliceView, edge: Edge, fits: list[Fits], persons: np.ndarray) -> BlockTable:
    """How many rows of a bucket have the known values that two slices share."""
    fit = fits[edge.child]
    shared, n_shared = joint_codes([table.column(edge.child, name) for name in edge.shared], len(table))
    of_known = np.zeros(fit.count, np.int64)
    of_known[fit.known] = shared[fit.row]
    codes = np.where(persons[edge.child] < 0, -1, of_known[np.maximum(persons[edge.child], 0)])
    rows = np.arange(len(table))
    return _counted(table, Fits(edge.child, rows, shared, n_shared), codes, [])


def _combinations(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different columns of known values, and which one each person has; −1 if a value is nowhere."""
    complete = np.flatnonzero((codes >= 0).all(axis=0))
    distinct, inverse = np.unique(codes[:, complete], axis=1, return_inverse=True)
    of_person = np.full(codes.shape[1], -1, np.int64)
    of_person[complete] = inverse.ravel()
    return of_person, distinct


def _candidates(
    table: SliceView, fits: list[Fits], block: list[int], combinations: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(combination, bucket) wherever every slice of the block has the combination's known values in the bucket."""
    n_buckets = len(table.buckets)
    occurring = [np.unique(fits[i].known * n_buckets + table.bucket[fits[i].row]) for i in block]
    start = np.searchsorted(occurring[0] // n_buckets, np.arange(fits[block[0]].count + 1))
    which, at = expand(start[combinations[0]], start[combinations[0] + 1])
    bucket = occurring[0][at] % n_buckets
    for x in range(1, len(block)):
        keep = np.isin(combinations[x][which] * n_buckets + bucket, occurring[x])
        which, bucket = which[keep], bucket[keep]
    return which, bucket.astype(np.int32)


def _joined(
    table: SliceView,
    fits: list[Fits],
    block: list[int],
    parent: dict[int, Edge],
    combinations: np.ndarray,
    candidates: tuple[np.ndarray, np.ndarray],
    target: Target,
    known: set[str],
) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """The weight of each candidate and the shares of the target's values in it: slice by slice, all else summed up."""
    n_buckets = len(table.buckets)
    which, bucket = candidates
    at = np.arange(which.size)
    weight: np.ndarray = np.ones(which.size)
    held: dict[str, np.ndarray] = {}
    for x, here in enumerate(block):
        fit = fits[here]
        hidden = [name for name in table.slices[here] if name not in known]
        shared = [name for name in parent[here].shared if name not in known] if x else []
        columns = {name: table.column(here, name)[fit.row] for name in hidden}
        divide = _separator_sizes(table, here, parent[here].shared if x else ())[fit.row]
        pair = fit.known * n_buckets + table.bucket[fit.row]
        wanted = combinations[x][which[at]] * n_buckets + bucket[at]
        keys, n_rows = [np.concatenate((pair, wanted))], pair.size
        keys += [np.concatenate((columns[name], held[name])) for name in shared]
        code, count = joint_codes(keys, n_rows + wanted.size)
        order = np.argsort(code[:n_rows], kind="stable")
        start = np.searchsorted(code[:n_rows][order], np.arange(count + 1))
        left, right = expand(start[code[n_rows:]], start[code[n_rows:] + 1])
        row = order[right]
        later = {name for other in block[x + 1 :] for name in parent[other].shared} | {*target}
        held = {name: codes[left] for name, codes in held.items() if name in later}
        held |= {name: columns[name][row] for name in hidden if name in later and name not in held}
        at = at[left]
        each = weight[left] / (divide[row] if x else 1.0)
        groups, first = _grouped([at, *held.values()])
        weight = np.bincount(groups, weights=each, minlength=first.size)
        at, held = at[first], {name: codes[first] for name, codes in held.items()}
    total = np.bincount(at, weights=weight, minlength=which.size)
    order = np.argsort(at, kind="stable")
    start = np.searchsorted(at[order], np.arange(which.size + 1))
    values = _combined(table, target, held)[order] if target else np.zeros(at.size, np.int64)
    return total, (start, values, (weight / total[at])[order])


def _separator_sizes(table: SliceView, index: int, shared: Sequence[str]) -> np.ndarray:
    """For each row how many rows of its bucket have the same shared values."""
    group, count = joint_codes([table.bucket, *(table.column(index, name) for name in shared)], len(table))
    return np.bincount(group, minlength=count)[group]


def _grouped(columns: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    code, count = joint_codes(columns, columns[0].size)
    first = np.zeros(count, np.int64)
    first[code[::-1]] = np.arange(code.size)[::-1]
    return code, first


def expand(low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For ranges low[i] to high[i] − 1: the index i and the place of every member."""
    sizes = high - low
    which = np.repeat(np.arange(sizes.size), sizes)
    return which, np.arange(sizes.sum()) + np.repeat(low - np.cumsum(sizes) + sizes, sizes)


def _only(
    alive: np.ndarray, start: np.ndarray, values: np.ndarray, shares: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The shares of the entries that are left."""
    entry, at = expand(start[:-1][alive], start[1:][alive])
    return np.searchsorted(entry, np.arange(np.count_nonzero(alive) + 1)), values[at], shares[at]


def _flat(tables: list[BlockTable], signs: np.ndarray) -> Blocks:
    base = np.append(0, np.cumsum([one.start.size for one in tables]))[:-1]
    offsets = np.append(0, np.cumsum([one.bucket.size for one in tables]))[:-1]
    start = np.concatenate([one.start + offset for one, offset in zip(tables, offsets, strict=True)])
    bucket = np.concatenate([one.bucket for one in tables])
    weight = np.log(np.concatenate([one.weight for one in tables]))
    return Blocks(base.astype(np.int64), signs, start.astype(np.int64), bucket.astype(np.int32), weight)


def _sensitive_shares(blocks: list[BlockTable], sensitive: Sequence[str]) -> SensitiveShares:
    where = [next(x for x, one in enumerate(blocks) if (name,) in one.shares) for name in sensitive]
    parts = [blocks[x].shares[name,] for x, name in zip(where, sensitive, strict=True)]
    base = np.append(0, np.cumsum([start.size for start, _, _ in parts]))[:-1]
    offsets = np.append(0, np.cumsum([values.size for _, values, _ in parts]))[:-1]
    return SensitiveShares(
        np.array(where, np.int64),
        base.astype(np.int64),
        np.concatenate([start + offset for (start, _, _), offset in zip(parts, offsets, strict=True)]).astype(np.int64),
        np.concatenate([values for _, values, _ in parts]).astype(np.int32),
        np.concatenate([shares for _, _, shares in parts]),
    )
