"""Baskets of which more are different than this process should hold: executors count who holds which node, and send
those alone that can still tell a search for a cut something new (tacit.baskets.solvers.thinning).

What the search gets is what it would take of all baskets, and the costs are those of all: so its outcome is the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.arrays.encode import Baskets, baskets_to_lists, is_list
from tacit.arrays.sparse import as_sets
from tacit.baskets.data import BasketData, Totals, read_items, separator_of
from tacit.baskets.measures import SAMPLE, measure_all
from tacit.baskets.measures.shown import shown
from tacit.baskets.recoding import Applied, CutRecoding
from tacit.baskets.solvers._labelled import supports
from tacit.baskets.solvers.posing import countable
from tacit.baskets.solvers.problem import PosedTree, pose_costs
from tacit.baskets.solvers.thinning import LONGEST, Rule, can_be_thinned, needed, rule_of
from tacit.engines import frames
from tacit.engines.baskets import MOST_DISTINCT, encode, people_of
from tacit.engines.frames import ROWS
from tacit.engines.order import keyed_numbers
from tacit.errors import InputError
from tacit.io import FileFormat
from tacit.job import Column, Job
from tacit.kinds import Encoded
from tacit.methods import method_for
from tacit.taxonomy import Taxonomy, read_hierarchy, tells_nothing

ON_DRIVER = 2_000_000
"""Different baskets up to which all come to this process."""
_MOST_ITEMS = 2_000_000
_AT_ONCE = 1_000_000


@dataclass(frozen=True, eq=False)
class Many:
    """Different baskets on an engine, of which those that matter are encoded here."""

    job: Job  # what executors need to know of it
    counted: Any  # a frame: a basket's items in one order, and how many people have it
    encoded: Encoded
    table: pa.Table  # of the baskets that matter
    items: BasketData  # a basket for each item, which as many people have as hold the item

    def measured(self, applied: Applied) -> dict[str, Any]:
        """Every measure of baskets, of all of them; itemsets and queries of people who are drawn."""
        items, totals, recoding = self.items, self.encoded.data.of_all, applied.recoding
        assert isinstance(recoding, CutRecoding)
        tree, (column,) = items.trees[0], items.items.columns
        node_of = {name: node for node, name in enumerate(tree.names)}
        showing = totals.people[[node_of[name] for name in recoding.columns[column.name].published]]
        drawn = self._drawn(totals.records)
        found = measure_all(items.items, recoding.applied(items.items), shown(drawn, recoding.applied(drawn)), showing)
        gone = [label for label, name in recoding.columns[column.name].becomes.items() if name is None]
        return {**found, "records": totals.records, "emptied_baskets": self._emptied(gone)}

    def _drawn(self, records: int) -> Any:
        """The baskets of about so many people as are measured, drawn by a hash of what they have."""
        draw = partial(drawn, job=self.job, share=min(1.0, SAMPLE / max(records, 1)))
        table = frames.in_batches(self.counted, _AT_ONCE, draw, self.counted.schema).toArrow()
        items = read_items(table.drop_columns([ROWS]), self.job)
        return items.at(np.repeat(np.arange(table.num_rows), people_of(table)))

    def _emptied(self, gone: list[str]) -> int:
        """How many people have items, all of which are suppressed."""
        if not gone:
            return 0
        count = partial(emptied, job=self.job, gone=gone)
        return sum(frames.in_batches(self.counted, _AT_ONCE, count, "people long").toArrow()["people"].to_pylist())


def has_form(job: Job, options: Mapping[str, Any], hierarchies: Mapping[str, Taxonomy]) -> bool:
    """Whether a search needs no more than the baskets that matter: a cut of one hierarchy, for small m."""
    promise: Any = job.promise
    columns = job.columns_with("items")
    method = method_for(promise.name, job.method.name)
    if not promise.holds_by_supports or not method.asks_supports:
        return False
    if len(columns) > 1 or columns[0].sensitive_items or promise.m > LONGEST:
        return False
    return not method.in_sets(options, _is_nameless(columns[0], hierarchies))


def _is_nameless(column: Column, hierarchies: Mapping[str, Taxonomy]) -> bool:
    """Whether no group of a column's hierarchy has a name that says what is in it."""
    if column.name in hierarchies:
        return tells_nothing(hierarchies[column.name])
    return column.hierarchy is None or tells_nothing(read_hierarchy(column.hierarchy))


def read(frame: Any, job: Job, hierarchies: Mapping[str, Taxonomy], output: FileFormat) -> Many:
    """The different baskets of a frame, those that matter encoded."""
    (column,) = job.columns_with("items")
    job = replace(job, columns=(column,), file=None)
    counted, each = _in_one_order(frame, job), frames.one_by_one(frame, [column.name])
    found = frames.in_batches(each, _AT_ONCE, partial(items_held, job=job), "item string, people long")
    found = found.groupBy("item").agg({"people": "sum"}).toDF("item", "people")
    held = frames.collected(found, _MOST_ITEMS, "different items")
    if not held.num_rows:
        raise InputError("no basket holds an item", file=job.input.source, column=column.name)
    kind = frames.arrow_schema(counted).field(column.name).type
    cells = held["item"].combine_chunks()
    table = pa.table({column.name: _as_lists(cells, kind) if is_list(kind) else cells, ROWS: held["people"]})
    items: BasketData = encode(table, job, hierarchies, output).data
    costs = pose_costs(items)
    leaf = np.searchsorted(costs.origin, items.leaf_of_item).astype(np.int32)
    leaf_of = pa.array(items.items.baskets.vocabulary, pa.large_string()), leaf
    totals = _totals(each, job, leaf_of, costs, items.taxonomy)
    items = replace(items, of_all=totals)
    promise: Any = countable(job.promise, items)
    if not can_be_thinned(len(costs), promise.m):
        raise InputError(f"the hierarchy has more nodes than sets of them can be told apart by: {len(costs):,}")
    people = totals.people[costs.origin]
    rule = rule_of(costs.tree.parent, costs.tree.end, people, promise.k, int(promise.m))
    matter = frames.in_batches(
        counted, _AT_ONCE, partial(that_matter, job=job, leaf_of=leaf_of, rule=rule), counted.schema
    )
    left = frames.collected(matter, MOST_DISTINCT, "baskets that hold rare sets of items")
    encoded = encode(left, job, hierarchies, output)
    assert encoded.data.items.baskets.vocabulary == items.items.baskets.vocabulary  # every item is in one that matters
    return Many(job, counted, encoded._replace(data=replace(encoded.data, of_all=totals)), left, items)


def _in_one_order(frame: Any, job: Job) -> Any:
    """The different baskets, however their items stood, with how many people have each."""
    from pyspark.sql import functions as F

    name = job.columns_with("items")[0].name
    cells = frame.select(frames.quoted(name))
    ordered = frames.in_batches(cells, _AT_ONCE, partial(in_one_order, job=job), cells.schema)
    return ordered.groupBy(frames.quoted(name)).agg(F.count(F.lit(1)).alias(ROWS))


def _totals(each: Any, job: Job, leaf_of: tuple[pa.Array, np.ndarray], costs: PosedTree, tree: Taxonomy) -> Totals:
    """How many people there are, and how many hold each node."""
    hold = partial(nodes_held, job=job, leaf_of=leaf_of, parent=costs.tree.parent)
    found = frames.in_batches(each, _AT_ONCE, hold, "node int, people long")
    table = found.groupBy("node").agg({"people": "sum"}).toDF("node", "people").toArrow()
    people = np.zeros(len(costs) + 1, np.int64)  # last of all, whatever they hold
    people[table["node"].to_numpy()] = table["people"].to_numpy()
    return Totals(int(people[-1]), people[np.searchsorted(costs.origin, np.arange(len(tree)))])


def _as_lists(cells: pa.Array, kind: pa.DataType) -> pa.Array:
    return pa.ListArray.from_arrays(pa.array(np.arange(len(cells) + 1, dtype=np.int32)), cells).cast(kind)


def in_one_order(table: pa.Table, *, job: Job) -> pa.Table:
    """On an executor: baskets with each item once, in the order of their texts; no matter which others are there."""
    held = read_items(table, job).baskets
    (column,) = job.columns_with("items")
    order = np.argsort(np.array(held.vocabulary, object), kind="stable") if held.vocabulary else np.empty(0, np.int64)
    place = np.empty(order.size, np.int32)
    place[order] = np.arange(order.size)
    indptr, items = as_sets(held.indptr, place[held.items])
    labels = [held.vocabulary[item] for item in order.tolist()]
    lists = baskets_to_lists(indptr, items, labels)
    kind = table.schema.field(column.name).type
    if not is_list(kind):
        lists = pc.binary_join(lists, separator_of(column))
    return pa.table({column.name: lists.cast(kind)})


def items_held(table: pa.Table, *, job: Job) -> pa.Table:
    """On an executor: how many people have each item."""
    held = _counted(table, job)
    return pa.table({"item": pa.array(held.vocabulary, pa.string()), "people": pa.array(held.occurrences)})


def nodes_held(table: pa.Table, *, job: Job, leaf_of: tuple[pa.Array, np.ndarray], parent: np.ndarray) -> pa.Table:
    """On an executor: how many people hold each node, and behind all nodes how many there are."""
    held = _counted(table, job)
    people = np.append(supports(*_leaves(held, leaf_of), held.people, parent), held.people.sum())
    nodes = np.flatnonzero(people)
    return pa.table({"node": pa.array(nodes, pa.int32()), "people": pa.array(people[nodes])})


def that_matter(table: pa.Table, *, job: Job, leaf_of: tuple[pa.Array, np.ndarray], rule: Rule) -> pa.Table:
    """On an executor: the baskets that can tell a search something new, beside those that it has here."""
    held = _counted(table, job)
    return table.filter(pa.array(needed(*_leaves(held, leaf_of), held.people, rule)))


def drawn(table: pa.Table, *, job: Job, share: float) -> pa.Table:
    """On an executor: of each basket a share of those who have it, rounded by a hash of its items."""
    held = _counted(table, job)
    of_item = keyed_numbers(bytes(32), (label.encode("utf-8", "surrogatepass") for label in held.vocabulary))
    before = np.concatenate((np.zeros(1, np.uint64), np.cumsum(of_item.view(np.uint64)[held.items], dtype=np.uint64)))
    mixed = (before[held.indptr[1:]] - before[held.indptr[:-1]]) * np.uint64(0x9E3779B97F4A7C15)
    chance = (mixed ^ (mixed >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93) / 2.0**64
    people = np.minimum(np.floor(held.people * share + chance).astype(np.int64), held.people)
    table = table.set_column(table.column_names.index(ROWS), ROWS, pa.array(people))
    return table.filter(pa.array(people > 0))


def emptied(table: pa.Table, *, job: Job, gone: list[str]) -> pa.Table:
    """On an executor: how many people have items, and none that is shown."""
    held = _counted(table, job)
    shows = ~np.isin(np.array(held.vocabulary, object), gone)
    row = np.repeat(np.arange(len(held)), held.lengths)
    shown = np.bincount(row, weights=shows[held.items], minlength=len(held))
    return pa.table({"people": [int(held.people[(held.lengths > 0) & (shown == 0)].sum())]})


def _counted(table: pa.Table, job: Job) -> Baskets:
    return replace(read_items(table.drop_columns([ROWS]), job).baskets, weight=people_of(table))


def _leaves(held: Baskets, leaf_of: tuple[pa.Array, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The baskets as leaves of the tree, in order."""
    labels, leaf = leaf_of
    at = pc.index_in(pa.array(held.vocabulary, pa.large_string()), value_set=labels)
    return as_sets(held.indptr, leaf[at.to_numpy(zero_copy_only=False).astype(np.int64)][held.items])
