"""Baskets and slices in parts: what one machine does with a table is done with each part, which keeps the promise.

Of promises about published groups, each by itself, or about equal rows, the union keeps what all parts keep, however
people were divided (docs/cluster.md): that matters for the loss alone.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from tacit import audits
from tacit.arrays.spelling import in_one_spelling
from tacit.baskets import kind as baskets
from tacit.baskets.checks import check_sensitive
from tacit.baskets.data import read_items
from tacit.engines import frames
from tacit.engines.columns import in_those_spellings
from tacit.engines.frames import ROWS
from tacit.engines.order import contents, keyed_numbers
from tacit.engines.part import PART, Task, made_by
from tacit.errors import InputError, PromiseError
from tacit.job import Column, Job
from tacit.kinds import check_reachable, kind_for
from tacit.methods import is_local, method_for
from tacit.shuffle import Shuffle
from tacit.taxonomy import Taxonomy

SAMPLE = 100_000
_MOST_NODES = 2_000_000
_LAST_DIGIT = (1 << 24) - 1
SENSITIVE = "-"
"""Before a sensitive item, by which nobody is put into a part."""
_NUMBER_BYTES, _NUMBER_BITS = 8, 59
"""Numbers of groups have 18 digits at most, so that they are whole numbers to every reader."""


def made(table: pa.Table, *, task: Task, turn: int) -> pa.Table:
    """On an executor: a part as it is published, audited and compared with its original; or why that cannot be."""
    return made_by(partial(_published, turn=turn), table, task)


def _published(table: pa.Table, task: Task, part: str, *, turn: int) -> tuple[pa.Table, dict[str, Any]]:
    job, kind = task.job, kind_for(task.job.promise)
    method = method_for(job.promise.name, job.method.name)
    plain = in_one_spelling(in_those_spellings(table, task.spellings), job, task.hierarchies)
    if job.promise.kind_of_data == "baskets":
        data = baskets.encode(plain, job, task.hierarchies, task.output, is_part=True).data
    else:
        data = kind.encode(plain, job, task.hierarchies, task.output).data
    check_reachable(data, job)
    hidden = Shuffle.keyed(task.key, "part", part, str(turn))
    try:
        recoding = method.search(job.promise)(
            data, job.promise, seed=job.method.seed or 0, hidden=hidden, progress=_silent, **job.method.options
        )
    except InputError as error:  # columns of slices that are no mistake in all of the data may leak in a part of it
        raise PromiseError(str(error)) from None
    applied = kind.apply(data, recoding)
    kind.judge(data, applied, method.name)
    shown = kind.publish(data, applied, plain, job, task.output, hidden)
    numbered, groups = renumbered(shown.table, task, f"{turn} {part}")
    local = is_local(job.promise.name, job.method.name)
    original = audits.read_original(table, job, task.hierarchies, is_local=local)
    verdict, problems = audits.judge(audits.read_view(numbered, job), job, original, shown.original)
    utility = kind.measure(data, applied, shown, job)
    told = {
        "satisfied": verdict.satisfied,
        "problems": len(problems),
        "utility": {name: value for name, value in utility.items() if isinstance(value, int | float | dict)},
        "groups": groups,
        "is_lost": method.in_gray_order and bool(kind.tells_nothing(utility)),
        "weight": len(data) if job.promise.kind_of_data == "slices" else max(data.items.baskets.items.size, 1),
        "rows": shown.original,
    }
    return numbered.select(list(task.shown)).rename_columns(plain_names(len(task.shown))), told


def plain_names(count: int) -> list[str]:
    """What columns are called on the way: engines stumble over names such as `1.age`."""
    return [f"c{place}" for place in range(count)]


def renumbered(table: pa.Table, task: Task, part: str) -> tuple[pa.Table, int]:
    """The rows with numbers of groups that no other part has, drawn from the key; and how many groups there are."""
    if task.numbered is None:
        return table, 0
    own, which = np.unique(table[task.numbered].to_numpy(), return_inverse=True)
    hashes = [
        blake2b(f"{part} {number}".encode(), key=task.key, digest_size=_NUMBER_BYTES).digest()
        for number in own.tolist()
    ]
    numbers = np.frombuffer(b"".join(hashes), ">u8") >> np.uint64(64 - _NUMBER_BITS)
    at = table.column_names.index(task.numbered)
    return table.set_column(at, task.numbered, pa.array(numbers.astype(np.int64)[which])), own.size


@dataclass(frozen=True)
class Division:
    """Where parts end: rows with a key up to limits[p] are in part p, which is divided into pieces[p]."""

    limits: tuple[str, ...]
    pieces: np.ndarray

    def part_of(self, keys: Sequence[str], table: pa.Table, secret: bytes) -> np.ndarray:
        at = np.array([bisect_left(self.limits, key) for key in keys], np.int64)
        hashes = keyed_numbers(secret, contents(table))
        first = np.cumsum(self.pieces) - self.pieces
        return first[at] + hashes % self.pieces[at]


def divided(keys: Sequence[str], people: np.ndarray, most: int) -> Division:
    """Parts of about so many people each, from keys and how many people have each."""
    order = sorted(range(len(keys)), key=keys.__getitem__)
    weight = people[order]
    part = (np.cumsum(weight) - weight) // most
    last = np.flatnonzero(part[1:] != part[:-1])
    sizes = np.add.reduceat(weight, np.concatenate(([0], last + 1))) if len(keys) else np.ones(1)
    return Division(tuple(keys[order[at]] for at in last), np.maximum(1, np.rint(sizes / most)).astype(np.int64))


@dataclass(frozen=True, eq=False)
class Alike:
    """What baskets are ordered by: the nodes below the root that they have, the most frequent of all people first; or
    the Gray code, where items have places."""

    job: Job  # the columns with items alone
    top: Mapping[tuple[int, str], str]  # of an item of a column that has a hierarchy: the node below its root
    rank: Mapping[str, int]
    places: Mapping[tuple[int, str], int] | None = None  # of an item of a column: its digit, from the first one on

    def nodes(self, table: pa.Table) -> Iterator[set[str]]:
        """The nodes that each basket has, and its sensitive items, marked as such."""
        items = read_items(table, self.job)
        names, columns = items.baskets.vocabulary, items.column_of.tolist()
        sensitive = [column.sensitive_items for column in items.columns]
        node = [
            f"{SENSITIVE}{name}" if name in sensitive[column] else f"{column} {self.top.get((column, name), name)}"
            for name, column in zip(names, columns, strict=True)
        ]
        starts, codes = items.baskets.indptr.tolist(), items.baskets.items.tolist()
        for start, stop in pairwise(starts):
            yield {node[code] for code in codes[start:stop]}

    def keys(self, table: pa.Table) -> list[str]:
        """What orders each basket: the ranks of the nodes that it has, or its place in the Gray code."""
        if self.places is not None:
            items = read_items(table, self.job)
            columns = items.column_of.tolist()
            digit = [
                self.places.get((column, name), -1)
                for name, column in zip(items.baskets.vocabulary, columns, strict=True)
            ]
            codes = items.baskets.items.tolist()
            bounds = pairwise(items.baskets.indptr.tolist())
            return [gray_key(sorted({digit[code] for code in codes[start:stop]} - {-1})) for start, stop in bounds]
        places = (sorted(self.rank[node] for node in own if node in self.rank) for own in self.nodes(table))
        return ["".join(f"{place:06x}" for place in own) for own in places]


def gray_key(digits: Sequence[int]) -> str:
    """A text for the number with these digits 1, of which the first counts most: texts go by the reflected Gray code.

    Its place in the code has a digit 1 from the first of them up to the second, from the third up to the fourth, and so
    on, the last one without an end if it has no partner. So it is less the later the first comes, then the sooner the
    second does.
    """
    key = "".join(f"{digit if place % 2 else _LAST_DIGIT - digit:06x}" for place, digit in enumerate(digits))
    return key + f"{_LAST_DIGIT:06x}" * (len(digits) % 2)


def digits_of(columns: Sequence[Column], trees: Mapping[str, Taxonomy]) -> dict[tuple[int, str], int]:
    """The digit of each item of each column: items in the order of the hierarchies."""
    leaves = [
        (index, tree.names[leaf])
        for index, column in enumerate(columns)
        if (tree := trees.get(column.name)) is not None
        for leaf in tree.leaves.tolist()
        if tree.names[leaf] not in column.sensitive_items
    ]
    return {leaf: digit for digit, leaf in enumerate(leaves)}


def alike_in(frame: Any, job: Job, trees: Mapping[str, Taxonomy]) -> Alike:
    """The order of the baskets of a frame: how often each node occurs is counted by the engine."""
    from pyspark.sql import functions as F

    columns = job.columns_with("items")
    top = {
        (index, tree.names[leaf]): tree.names[tree.path(leaf)[-2]]
        for index, column in enumerate(columns)
        if (tree := trees.get(column.name)) is not None
        for leaf in tree.leaves.tolist()
        if len(tree.path(leaf)) > 1
    }
    unranked = Alike(job, top, {})
    names = [frames.quoted(column.name) for column in columns]
    met = frames.mapped(frame.select(*names), partial(counted_nodes, alike=unranked), f"node string, {ROWS} long")
    summed = met.groupBy("node").agg(F.sum(ROWS).alias(ROWS))
    found = frames.collected(summed, _MOST_NODES, "different items")
    often = sorted(
        zip(found[ROWS].to_pylist(), found["node"].to_pylist(), strict=True), key=lambda one: (-one[0], one[1])
    )
    check_sensitive(columns, {node.removeprefix(SENSITIVE) for _, node in often if node.startswith(SENSITIVE)}, job)
    known = [node for _, node in often if not node.startswith(SENSITIVE)]
    return Alike(job, top, {node: place for place, node in enumerate(known)})


def counted_nodes(batches: Iterator[pa.RecordBatch], *, alike: Alike) -> Iterator[pa.RecordBatch]:
    """On an executor: how many baskets have each node."""
    for batch in batches:
        often: dict[str, int] = {}
        for own in alike.nodes(pa.Table.from_batches([batch])):
            for node in own:
                often[node] = often.get(node, 0) + 1
        yield pa.RecordBatch.from_pydict({"node": list(often), ROWS: list(often.values())})


def counted_keys(batches: Iterator[pa.RecordBatch], *, alike: Alike) -> Iterator[pa.RecordBatch]:
    """On an executor: how many baskets have each key."""
    for batch in batches:
        often = Counter(alike.keys(pa.Table.from_batches([batch])))
        yield pa.RecordBatch.from_pydict({"key": pa.array(list(often), pa.string()), ROWS: list(often.values())})


def division_of(frame: Any, alike: Alike, records: int, most: int) -> Division:
    """Parts of about so many records; of keys that few have, a sample tells where they end."""
    from pyspark.sql import functions as F

    names = [frames.quoted(column.name) for column in alike.job.columns]
    met = frames.mapped(frame.select(*names), partial(counted_keys, alike=alike), f"key string, {ROWS} long")
    summed = met.groupBy("key").agg(F.sum(ROWS).alias(ROWS))
    one_in = max(1, records // SAMPLE)
    is_frequent = F.col(ROWS) >= one_in
    drawn = summed.filter(is_frequent | (F.crc32("key") % F.lit(one_in) == 0)).toArrow()
    people = drawn[ROWS].to_numpy()
    return divided(drawn["key"].to_pylist(), np.where(people >= one_in, people, people * one_in), most)


def routed(
    batches: Iterator[pa.RecordBatch], *, alike: Alike | None, division: Division, task: Task
) -> Iterator[pa.RecordBatch]:
    """On an executor: rows with the number of their part; of slices by a keyed hash alone."""
    for batch in batches:
        table = pa.Table.from_batches([batch])
        keys = [""] * len(table) if alike is None else alike.keys(table)
        part = division.part_of(keys, table.select(task.names()), task.key)
        yield from table.append_column(PART, pa.array(part, pa.int64())).combine_chunks().to_batches()


def _silent(message: str) -> None:
    """Nobody watches an executor."""
