"""ARE: how far off counts are that somebody takes from the published records (Poulis et al. 2013, section 6).

A query asks for the number of people with some values and some items. From the published data it is estimated: a
generalized value is one value of its range, node or set, each as likely; a generalized item is any non-empty set of the
items that it stands for, each set as likely. With `even` it is one of its items, each as likely: where many items are
published together, most people hold one of them, and the other reading expects half of all of them. The error is
relative to the true count, at least 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from tacit.arrays.attributes import Attribute
from tacit.arrays.blocks import side_by_side, threads_for
from tacit.arrays.sparse import Sparse, as_sets, keep_where, take_rows
from tacit.baskets.data import BasketData
from tacit.baskets.recoding import Applied
from tacit.errors import InputError
from tacit.queries import Query
from tacit.queries.conditions import Wanted, shares, wanted
from tacit.records.applied import SENSITIVE_ITEM, AppliedRecords
from tacit.records.data import RecordData
from tacit.taxonomy.nodes import first_few

QUERIES = 100
MOST_ITEMS = 12
"""In a query about baskets, whose names may overlap: the work doubles with each item."""


def relative_error(data: RecordData, applied: AppliedRecords, queries: Sequence[Query]) -> float:
    """The average relative error (ARE) of the queries' answers; 0 if there are none."""
    return _are(np.array(answers(data, applied, queries), float).reshape(-1, 2))


def answers(
    data: RecordData, applied: AppliedRecords, queries: Sequence[Query], *, even: bool = False
) -> list[tuple[int, float]]:
    """For each query the true count, and the one to expect from what is published; with `even`, if a name is one
    item."""
    original, published, sizes = _Original(data), _Published(data, applied), applied.recoding.sizes
    held, shown = _Holders(*original.baskets, original.n_items), _Holders(*published.baskets, published.leaves.size)

    def answer(query: Query) -> tuple[int, float]:
        values, items = original.read(query)
        fits = _who(original, values)
        if items:
            fits &= held.how_many(np.array(items, np.int64)) == len(items)
        true = int(np.count_nonzero(fits))
        chance = published.chance(values)
        if not items and not published.asks_what_is_shown(values):  # all records of a cluster are alike then
            return true, float((chance * sizes).sum())
        likely = chance[applied.recoding.group] * published.shown(values)
        expected = _expected(likely, shown, published.hits(items), published.leaves, len(items), even=even)
        return true, expected

    return side_by_side([partial(answer, query) for query in queries], threads=threads_for(len(data)))


def _who(original: _Original, values: dict[int, Wanted]) -> np.ndarray:
    """Who has the wanted values."""
    fits = np.ones(original.codes.shape[1], bool)
    for place, asked in values.items():
        fits &= asked.codes[original.codes[place]]
    return fits


def _expected(
    likely: np.ndarray, shown: _Holders, hits: np.ndarray, leaves: np.ndarray, asked: int, *, even: bool
) -> float:
    """How many records to expect that have the wanted values, which is so likely of each, and all items asked for.

    `hits` has how many of these each name may stand for. A name of s items is any non-empty set of them: h given ones
    are all in it with 2^−h ÷ (1 − 2^−s). With `even` it is one of them: with 1 ÷ s, and never two.
    """
    names = np.flatnonzero(hits)
    hit, own = hits[names], leaves[names]
    chance = np.where(hit == 1, 1 / own, 0.0) if even else 0.5**hit / (1 - 0.5**own)
    rows, which = shown.of(names)
    np.multiply.at(likely, rows, chance[which])
    held = np.zeros(likely.size, np.int64)
    np.add.at(held, rows, hit[which])
    return float(likely[held == asked].sum())


def basket_answers(
    data: BasketData, applied: Applied, queries: Sequence[Query], *, even: bool = False
) -> list[tuple[int, float]]:
    """The same for a release of baskets."""
    from tacit.baskets.measures.queries import Estimates, true_counts
    from tacit.baskets.measures.shown import shown

    original, seen = _Original(data), shown(data.items, applied)
    asked = [tuple(original.read(query)[1]) for query in queries]
    if max(map(len, asked), default=0) > MOST_ITEMS:
        raise InputError(f"a query about baskets asks for more than {MOST_ITEMS} items")
    some = [items for items in asked if items]
    found = Estimates(seen)(some)
    true, expected = true_counts(seen, some), found.even if even else found.by_sets
    counts = iter(zip(map(int, true), map(float, expected), strict=True))
    everybody = len(data.items.baskets)
    return [next(counts) if items else (everybody, float(everybody)) for items in asked]


def workload(
    data: RecordData | BasketData, *, values: int, items: int, seed: int | None, queries: int = QUERIES
) -> list[Query]:
    """Random queries for so many values and items, each true of somebody drawn at random.

    Only people with so many items that are not sensitive are drawn. If there are none, there are no queries.
    """
    original = _Original(data)
    _check_sizes(original, values, items, queries)
    indptr, held_items = original.public
    able = np.flatnonzero(np.diff(indptr) >= items)
    rng = np.random.default_rng(seed)
    found: list[Query] = []
    while len(found) < queries * bool(able.size):
        record = int(able[rng.integers(able.size)])
        columns = np.sort(rng.choice(original.n_quasi, values, replace=False))
        held = held_items[indptr[record] : indptr[record + 1]]
        chosen = np.sort(rng.choice(held, items, replace=False)) if items else held[:0]
        attributes = [original.attributes[column] for column in columns.tolist()]
        found.append(
            Query(
                {each.name: _text(each, int(each.codes[record])) for each in attributes},
                tuple(original.names[item] for item in chosen.tolist()),
            )
        )
    return found


def measure_queries(data: RecordData, applied: AppliedRecords) -> dict[str, float]:
    """ARE of queries for two values; with baskets for two items, and two of each, too. The same for every release.

    Queries about items are answered in both readings of a name.
    """
    kinds = {"are": (2, 2), "are_values": (2, 0), "are_items": (0, 2)} if data.baskets is not None else {"are": (2, 0)}
    found: dict[str, float] = {}
    for name, (values, items) in kinds.items():
        fewer = min(values, len(data.attributes))
        queries = workload(data, values=fewer, items=items, seed=values * 10 + items)
        counts = np.array(answers(data, applied, queries), float).reshape(-1, 2)
        errors = np.abs(counts[:, 1] - counts[:, 0])
        if not items:
            found["count_error"] = float(errors.sum() / max(counts[:, 0].sum(), 1))
        found[name] = _are(counts)
        if items:
            found[f"{name}_even"] = _are(np.array(answers(data, applied, queries, even=True), float).reshape(-1, 2))
    return found


def _are(counts: np.ndarray) -> float:
    """The mean error of counts, each relative to the true one; 0 if there are none."""
    errors = np.abs(counts[:, 1] - counts[:, 0]) / np.maximum(counts[:, 0], 1)
    return float(errors.mean()) if len(counts) else 0.0


class _Original:
    """The original records, and how a query names their values and items."""

    def __init__(self, data: RecordData | BasketData) -> None:
        self.attributes: tuple[Attribute, ...] = ()
        self.n_quasi = 0
        baskets: BasketData | None
        if isinstance(data, RecordData):
            self.attributes, self.n_quasi = (*data.attributes, *data.sensitive), len(data.attributes)
            baskets, n_records = data.baskets, len(data)
        else:
            baskets, n_records = data, len(data.items.baskets)
        self.place = {attribute.name: place for place, attribute in enumerate(self.attributes)}
        self.code_of = [{text: code for code, text in enumerate(each.texts)} for each in self.attributes]
        codes = [attribute.codes for attribute in self.attributes]
        self.codes = np.array(codes, np.int32).reshape(len(codes), n_records)
        self.has_items = baskets is not None
        self.names: list[str] = []
        self.baskets: Sparse = _no_items(n_records)
        self.is_public = np.empty(0, bool)
        if baskets is not None:
            items = baskets.items
            several = len(items.columns) > 1
            self.names = [
                f"{items.columns[column].name}:{label}" if several else label
                for label, column in zip(items.baskets.vocabulary, items.column_of.tolist(), strict=True)
            ]
            self.baskets = items.baskets.indptr, items.baskets.items
            self.is_public = baskets.leaf_of_item >= 0
        self.item_of = {name: item for item, name in enumerate(self.names)}

    @property
    def n_items(self) -> int:
        return len(self.names)

    @property
    def public(self) -> Sparse:
        """The baskets without sensitive items."""
        indptr, items = self.baskets
        return keep_where(indptr, items, self.is_public[items])

    def read(self, query: Query) -> tuple[dict[int, Wanted], list[int]]:
        """For each attribute that is asked for what is wanted of it, and the items."""
        if isinstance(query.items, str):
            raise InputError("the items of a query are one text", hint='Give a list of items, as in ["E", "F"].')
        unknown = [name for name in query.values if name not in self.place]
        unknown += [item for item in query.items if item not in self.item_of]
        if unknown:
            raise InputError(
                f"a query asks for {first_few(map(str, unknown))}, which the data does not have",
                hint="Use names of quasi-identifying or sensitive columns, and items as they are written in the data.",
            )
        places = {self.place[name]: condition for name, condition in query.values.items()}
        values = {
            place: wanted(self.attributes[place], self.code_of[place], condition) for place, condition in places.items()
        }
        return values, sorted({self.item_of[item] for item in query.items})


class _Published:
    """What the published records say about values and items."""

    def __init__(self, data: RecordData, applied: AppliedRecords) -> None:
        self.n_clusters, self.n_records = applied.recoding.n_clusters, len(data)
        self.attributes = list(zip(data.attributes, applied.spans, strict=True))
        self.sensitive = data.sensitive
        self.baskets: Sparse = _no_items(len(data))
        self.bounds, self.members, self.n_items = np.zeros(1, np.int64), np.empty(0, np.int32), 0
        self.leaves = np.empty(0, np.int64)
        if data.baskets is None:
            return
        assert applied.recoding.items is not None and applied.names is not None
        original = data.baskets.items.baskets
        name, clusters = applied.names, applied.recoding.items
        self.n_items = len(original.vocabulary)
        own_name = len(clusters.names) + original.items  # of a sensitive item
        name = np.where(name == SENSITIVE_ITEM, own_name, name)
        self.baskets = as_sets(*keep_where(original.indptr, name, name >= 0))
        self.leaves = np.concatenate((clusters.leaves, np.ones(self.n_items, np.int64)))
        self.bounds, self.members = clusters.member_indptr, clusters.members

    def chance(self, values: dict[int, Wanted]) -> np.ndarray:
        """The probability of the wanted values in each cluster."""
        chance = np.ones(self.n_clusters)
        for (attribute, spanned), asked in (
            (self.attributes[i], values[i]) for i in values if i < len(self.attributes)
        ):
            chance *= shares(attribute, spanned, asked)[spanned.value]
        return chance

    def asks_what_is_shown(self, values: dict[int, Wanted]) -> bool:
        """Whether a sensitive value is asked for."""
        return any(place >= len(self.attributes) for place in values)

    def shown(self, values: dict[int, Wanted]) -> np.ndarray:
        """Whether the sensitive values of each record, which are published as they are, are wanted."""
        fits = np.ones(self.n_records, bool)
        for place, attribute in enumerate(self.sensitive, len(self.attributes)):
            if place in values:
                fits &= values[place].codes[attribute.codes]
        return fits

    def hits(self, items: list[int]) -> np.ndarray:
        """How many of these items each name may stand for."""
        before = np.concatenate(([0], np.cumsum(np.isin(self.members, items))))
        own = np.zeros(self.n_items, np.int64)
        own[items] = 1
        return np.concatenate((before[self.bounds[1:]] - before[self.bounds[:-1]], own))


class _Holders:
    """Who holds each item, or name."""

    def __init__(self, indptr: np.ndarray, items: np.ndarray, n_items: int) -> None:
        self.n_records = indptr.size - 1
        order = np.argsort(items, kind="stable")
        self._row = np.repeat(np.arange(self.n_records), np.diff(indptr))[order]
        self._starts = np.searchsorted(items[order], np.arange(n_items + 1))

    def of(self, items: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The records that hold some items, and which of these each one is about."""
        starts, rows = take_rows(self._starts, self._row, items)
        return rows, np.repeat(np.arange(items.size), np.diff(starts))

    def how_many(self, items: np.ndarray) -> np.ndarray:
        """How many of some items each record holds."""
        return np.bincount(self.of(items)[0], minlength=self.n_records)


def _no_items(n_records: int) -> Sparse:
    """The baskets of records that have no column of items."""
    return np.zeros(n_records + 1, np.int64), np.empty(0, np.int32)


def _text(attribute: Attribute, code: int) -> str:
    """A value as a query writes it."""
    return "" if code == attribute.missing else attribute.texts[code]


def _check_sizes(original: _Original, values: int, items: int, queries: int) -> None:
    if min(values, items, queries) < 0:
        raise InputError("numbers of values, items and queries are 0 at least")
    if values > original.n_quasi:
        raise InputError(f"queries for {values} values, but the data has {original.n_quasi} quasi-identifiers")
    if items and not original.has_items:
        raise InputError(f"queries for {items} items, but the data has no items")
