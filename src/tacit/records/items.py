"""The baskets of records for methods that work on bare arrays, and what such a method decided about the items."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from tacit.arrays.order import each_once
from tacit.baskets.data import BasketData, separator_of
from tacit.records.data import RecordData
from tacit.records.recoding import ClusterItems, RecordRecoding
from tacit.records.solvers.problem import PublishedItems, RecordAnonymization, RecordProblem
from tacit.records.solvers.units import joint_codes
from tacit.values.writing import item_set_names


def record_problem(data: RecordData, promise: Any) -> RecordProblem:
    """The records as arrays; the items are coded as in `BasketData.attackable`."""
    assert data.baskets is not None
    indptr, items, leaf_of_item = data.baskets.attackable()
    sensitive_indptr, sensitive = data.baskets.sensitive()
    return RecordProblem(
        data.attributes,
        indptr,
        items,
        data.baskets.column_of_known(),
        sensitive_indptr,
        sensitive,
        promise,
        data.baskets.taxonomy,
        leaf_of_item,
        len(data.baskets.items.columns),
        data.persons,
    )


def left_alone(data: RecordData) -> RecordRecoding:
    """The decision to change nothing, where everybody may be told from all others: a cluster for equal values each."""
    assert data.baskets is not None
    codes, sizes = [each.codes for each in data.attributes], [len(each.texts) for each in data.attributes]
    group, n_groups = joint_codes(codes, sizes, len(data))
    indptr, items, _ = data.baskets.attackable()
    n_items = max(int(items.max(initial=-1)) + 1, 1)
    pairs = each_once(np.repeat(group.astype(np.int64), np.diff(indptr)) * n_items + items)
    bounds, held = np.searchsorted(pairs, np.arange(n_groups + 1) * n_items), (pairs % n_items).astype(np.int32)
    return data.recoding(group, cluster_items(data.baskets, PublishedItems(False, bounds, held, held)))


def recoding_of(data: RecordData, decided: RecordAnonymization) -> RecordRecoding:
    """The decision with the names that are published."""
    assert data.baskets is not None
    return data.recoding(decided.group, cluster_items(data.baskets, decided.published))


def cluster_items(data: BasketData, published: PublishedItems) -> ClusterItems:
    """What the items of each cluster are called: by nodes of the hierarchies, or by the sets they are in."""
    public = np.flatnonzero(data.leaf_of_item >= 0)
    if published.by_tree:
        names, keys, leaves, members = _nodes(data, public, published)
        code = np.searchsorted(keys, published.becomes)
    else:
        names, code, leaves, members = _sets(data, public, published)
    columns = tuple(column.name for column in data.items.columns)
    return ClusterItems(
        columns,
        data.items.baskets.vocabulary,
        data.items.column_of,
        tuple(names),
        np.array([data.items.column_of[items[0]] for items in members], np.int32),
        np.array(leaves, np.int64),
        np.cumsum([0, *map(len, members)]),
        np.array([item for items in members for item in items], np.int32),
        published.indptr,
        public[published.items],
        np.where(published.becomes < 0, -1, code),
    )


def _nodes(
    data: BasketData, public: np.ndarray, published: PublishedItems
) -> tuple[list[str], np.ndarray, list[int], list[list[int]]]:
    """Names, codes, leaves and items of the data, for each node that is published, and for several together."""
    tree, leaf = data.taxonomy, data.leaf_of_item[public]
    by_leaf = np.argsort(leaf)
    keys = np.unique(published.becomes[published.becomes >= 0])
    names = [name for each, span in zip(data.trees, data.spans, strict=True) if span for name in each.names]
    first = 0 if len(data.trees) == 1 else 1  # several trees have a root above them
    several = [published.unions[key - len(tree)] if key >= len(tree) else (key,) for key in keys.tolist()]
    members = []
    for nodes in several:
        spans = [np.searchsorted(leaf[by_leaf], [node, tree.end[node]]) for node in nodes]
        members.append(sorted(item for start, stop in spans for item in public[by_leaf[start:stop]].tolist()))
    texts = _set_texts(data, [[names[node - first] for node in nodes] for nodes in several], members)
    return texts, keys, published.leaf_counts(tree)[keys].tolist(), members


def _sets(
    data: BasketData, public: np.ndarray, published: PublishedItems
) -> tuple[list[str], np.ndarray, list[int], list[list[int]]]:
    """Names, the code of the name of each item of each cluster, leaves and items, for each set that is published.

    Clusters that publish the same set use the same name.
    """
    cluster = np.repeat(np.arange(published.indptr.size - 1), np.diff(published.indptr))
    order = np.lexsort((published.items, published.becomes, cluster))
    order = order[published.becomes[order] >= 0]
    key = cluster[order] * max(public.size, 1) + published.becomes[order]
    starts = np.flatnonzero(np.diff(key, prepend=-1))
    code_of: dict[tuple[int, ...], int] = {}
    code = np.full(cluster.size, -1, np.int64)
    for start, stop in pairwise([*starts.tolist(), order.size]):
        here = order[start:stop]
        items = tuple(public[published.items[here]].tolist())
        code[here] = code_of.setdefault(items, len(code_of))
    members = [list(items) for items in code_of]
    vocabulary = data.items.baskets.vocabulary
    texts = _set_texts(data, [[vocabulary[item] for item in items] for items in members], members)
    return texts, code, [len(items) for items in members], members


def _set_texts(data: BasketData, sets_of_names: list[list[str]], members: list[list[int]]) -> list[str]:
    """A name that stands alone, and `(B,D)` for several, each column with a character that its names leave free."""
    texts = [names[0] for names in sets_of_names]
    for index, (column, tree) in enumerate(zip(data.items.columns, data.trees, strict=True)):
        several = (i for i, names in enumerate(sets_of_names) if len(names) > 1)
        here = [i for i in several if data.items.column_of[members[i][0]] == index]
        sets = [sorted(sets_of_names[i]) for i in here]
        labels = {*data.items.vocabulary(index), *column.sensitive_items, *(name for names in sets for name in names)}
        for i, name in zip(here, item_set_names(sets, labels, separator_of(column), taken=tree.names), strict=True):
            texts[i] = name
    return texts
