"""ARE: how far off counts are that somebody takes from the published records (Poulis et al. 2013, section 6).

A query asks for the number of people with some values and some items. From the published data it is estimated: a
generalized value is one value of its range, node or set, each as likely; a generalized item is any non-empty set of the
items that it stands for, each set as likely. The error is relative to the true count, at least 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tacit.errors import InputError
from tacit.record_recoding import RecordRecoding
from tacit.records import RecordData, names_of_occurrences
from tacit.relational.attributes import Attribute, Spans, spans
from tacit.sparse import as_sets, keep_where
from tacit.taxonomy.nodes import first_few

QUERIES = 100


@dataclass(frozen=True)
class Query:
    """How many people have these values, by column, and all of these items?

    With several columns of items, write COLUMN:ITEM.

    >>> Query({"age": "28"}, ("E", "F"))
    Query(values={'age': '28'}, items=('E', 'F'))
    """

    values: Mapping[str, str] = field(default_factory=dict)
    items: tuple[str, ...] = ()


def relative_error(data: RecordData, recoding: RecordRecoding, queries: Sequence[Query]) -> float:
    """The average relative error (ARE) of the queries' answers; 0 if there are none."""
    counts = answers(data, recoding, queries)
    errors = [abs(expected - true) / max(true, 1) for true, expected in counts]
    return float(np.mean(errors)) if errors else 0.0


def answers(data: RecordData, recoding: RecordRecoding, queries: Sequence[Query]) -> list[tuple[int, float]]:
    """For each query the true count, and the one to expect from what is published."""
    from tacit.utility._query_kernels import count_expected, count_true

    original, published = _Original(data), _Published(data, recoding)
    counts = []
    for query in queries:
        values, items = original.read(query)
        hit = np.zeros(original.n_items + 1, np.int64)
        hit[items] = 1
        true = count_true(values, original.codes, original.indptr, original.items, hit, len(items))
        expected = count_expected(
            published.chance(values), recoding.group, published.indptr, published.names,
            published.hits(items), published.leaves, len(items),
        )  # fmt: skip
        counts.append((int(true), float(expected)))
    return counts


def workload(data: RecordData, *, values: int, items: int, seed: int, queries: int = QUERIES) -> list[Query]:
    """Random queries for so many values and items, each true of somebody drawn at random.

    Only people with so many items that are not sensitive are drawn. If there are none, there are no queries.
    """
    original = _Original(data)
    able = np.flatnonzero(np.diff(original.indptr) >= items)
    rng = np.random.default_rng(seed)
    found: list[Query] = []
    while len(found) < queries * bool(able.size):
        record = int(able[rng.integers(able.size)])
        columns = np.sort(rng.choice(len(data.attributes), min(values, len(data.attributes)), replace=False))
        held = original.items[original.indptr[record] : original.indptr[record + 1]]
        chosen = np.sort(rng.choice(held, items, replace=False)) if items else held[:0]
        attributes = [data.attributes[column] for column in columns.tolist()]
        found.append(
            Query(
                {each.name: each.texts[each.codes[record]] for each in attributes},
                tuple(original.names[item] for item in chosen.tolist()),
            )
        )
    return found


def measure_queries(data: RecordData, recoding: RecordRecoding) -> dict[str, float]:
    """ARE of queries for two values, for two items, and for two of each; the same queries for every release."""
    kinds = {"are": (2, 2), "are_values": (2, 0), "are_items": (0, 2)}
    return {
        name: relative_error(data, recoding, workload(data, values=values, items=items, seed=values * 10 + items))
        for name, (values, items) in kinds.items()
    }


class _Original:
    """The original records, and how a query names their values and items; sensitive items cannot be asked for."""

    def __init__(self, data: RecordData) -> None:
        assert data.baskets is not None
        columns, baskets = data.baskets.items.columns, data.baskets.items.baskets
        self.attributes = {attribute.name: place for place, attribute in enumerate(data.attributes)}
        self.code_of = [{text: code for code, text in enumerate(each.texts)} for each in data.attributes]
        self.codes = np.array([attribute.codes for attribute in data.attributes], np.int32).reshape(
            len(data.attributes), len(data)
        )
        public = data.baskets.leaf_of_item >= 0
        self.indptr, self.items = keep_where(baskets.indptr, baskets.items, public[baskets.items])
        self.n_items = len(baskets.vocabulary)
        several = len(columns) > 1
        self.names = [
            f"{columns[column].name}:{label}" if several else label
            for label, column in zip(baskets.vocabulary, data.baskets.items.column_of.tolist(), strict=True)
        ]
        self.item_of = {self.names[item]: item for item in np.flatnonzero(public).tolist()}

    def read(self, query: Query) -> tuple[np.ndarray, list[int]]:
        """For each attribute the code that is asked for, −1 if none is, and the items.

        A value that nobody has gets a code that nobody has.
        """
        values = np.full(len(self.attributes), -1, np.int32)
        unknown = [name for name in query.values if name not in self.attributes]
        unknown += [item for item in query.items if item not in self.item_of]
        if unknown:
            raise InputError(
                f"a query asks for {first_few(unknown)}, which the data does not have",
                hint="Use the names of quasi-identifying columns, and items as they are written in the data.",
            )
        for name, text in query.values.items():
            place = self.attributes[name]
            values[place] = self.code_of[place].get(text, len(self.code_of[place]))
        return values, sorted({self.item_of[item] for item in query.items})


class _Published:
    """What the published records say about values and items."""

    def __init__(self, data: RecordData, recoding: RecordRecoding) -> None:
        assert data.baskets is not None and recoding.items is not None
        n_clusters = recoding.n_clusters
        self.attributes = [(each, spans(each, recoding.group, n_clusters)) for each in data.attributes]
        self.n_clusters = n_clusters
        name = names_of_occurrences(data, recoding)
        self.indptr, self.names = as_sets(*keep_where(data.baskets.items.baskets.indptr, name, name >= 0))
        self.leaves = recoding.items.leaves
        self.bounds, self.members = recoding.items.member_indptr, recoding.items.members

    def chance(self, values: np.ndarray) -> np.ndarray:
        """The probability of the wanted values in each cluster."""
        chance = np.ones(self.n_clusters)
        for (attribute, spanned), code in zip(self.attributes, values.tolist(), strict=True):
            if code >= 0:
                chance *= probability(attribute, spanned, code)[spanned.value]
        return chance

    def hits(self, items: list[int]) -> np.ndarray:
        """How many of these items each name may stand for."""
        wanted = np.concatenate(([0], np.cumsum(np.isin(self.members, items))))
        return wanted[self.bounds[1:]] - wanted[self.bounds[:-1]]


def probability(attribute: Attribute, spanned: Spans, code: int) -> np.ndarray:
    """For each published value the probability that it stands for this code: all that it may be is equally likely."""
    n_codes = max(len(attribute.texts), 1)
    if code >= n_codes:
        return np.zeros(len(spanned))
    if spanned.ends is not None:
        low, high = spanned.ends.astype(np.int64)
        chance = np.where((low <= code) & (code <= high), 1 / (high - low + 1), 0.0)
        hidden = low < 0
    elif spanned.node is not None:
        assert attribute.tree is not None and attribute.leaf_of_code is not None
        node, leaf = spanned.node, attribute.leaf_of_code[code]
        below = (node <= leaf) & (leaf < attribute.tree.end[node])
        chance = np.where(below, 1 / attribute.tree.leaf_count[node], 0.0)
        hidden = node < 0
    else:
        assert spanned.sets is not None
        sizes = np.diff(spanned.sets[0])
        held = np.concatenate(([0], np.cumsum(spanned.sets[1] == code)))
        chance = (held[spanned.sets[0][1:]] > held[spanned.sets[0][:-1]]) / np.maximum(sizes, 1)
        hidden = sizes == 0
    chance = np.where(hidden, 1 / n_codes, chance)
    return np.where(spanned.code >= 0, spanned.code == code, chance)
