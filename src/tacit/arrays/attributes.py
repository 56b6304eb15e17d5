"""A relational attribute as integers, and what a group of records becomes in it.

One value stays its exact text. Several become a range of numbers or dates `[15:25]`, the lowest common ancestor in
the hierarchy, or without one a set `(B,D)`. What would tell nothing is `*`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.arrays.encode import distinct_baskets
from tacit.arrays.grid import Grid
from tacit.arrays.order import Codes, each_once
from tacit.arrays.spellings import meanings
from tacit.taxonomy import Taxonomy
from tacit.values.writing import SUPPRESSED, range_texts, set_text

_GREATEST = np.iinfo(np.int32).max
_TEXT = pa.large_string()
_CELLS_AT_ONCE = 1 << 26
_LOW = np.int64(0xFFFFFFFF)


@dataclass(frozen=True, eq=False)
class Attribute:
    """A column of the data: for each record the code of its value.

    Codes are in the order of the numbers, of the leaves of the hierarchy, or else of the labels. A number that is
    published has one text: `tacit.arrays.spelling` sees to it.
    """

    name: str
    codes: np.ndarray  # int32 per record
    texts: tuple[str, ...]  # exact text of each code
    missing: int = -1  # the last code, if the value of some record is missing
    numbers: np.ndarray | None = None  # float64 per code, NaN for missing: becomes ranges
    tree: Taxonomy | None = None  # becomes nodes
    leaf_of_code: np.ndarray | None = None  # int32
    weight: float = 1.0
    grid: Grid | None = None  # of numbers: where ranges end; None: at values of the data
    suppress_missing: bool = False  # whoever stands in a group with a missing value is published as `*`
    fold: bool = False  # values that differ in spelling alone count as one
    of_all: np.ndarray | None = None  # int64 per code: how many of all records have it, if these are a part

    def __len__(self) -> int:
        return len(self.codes)

    def at(self, order: np.ndarray) -> Attribute:
        """The same of the records at these places."""
        return replace(self, codes=self.codes[order])

    @property
    def meanings(self) -> np.ndarray:
        """What counts as one value of each record (int32): the code, or the same for all spellings of a value."""
        if not self.fold:
            return self.codes
        return meanings(self.texts, self.missing)[self.codes]

    @property
    def content(self) -> Codes:
        """What tells records apart by it."""
        return self.codes, len(self.texts)

    @property
    def keys(self) -> np.ndarray:
        """What orders the values (int32 per code): the leaf in the hierarchy, or the code itself."""
        return np.arange(len(self.texts), dtype=np.int32) if self.leaf_of_code is None else self.leaf_of_code

    @property
    def domain_length(self) -> float:
        """The greatest number less the lowest; 0 if there are none."""
        if self.numbers is None:
            return 0.0
        known = self.numbers[: len(self.texts) - (self.missing >= 0)]
        return float(known[-1] - known[0]) if known.size else 0.0


@dataclass(frozen=True, eq=False)
class Spans:
    """The generalized value of each group: a code into the different ones that occur."""

    value: np.ndarray  # int32 per group; −1 for a group without records
    code: np.ndarray  # int32 per value: the only code it stands for, −1 if there are several
    ends: np.ndarray | None = None  # numbers: int32, 2 × values: the first and last code in it; −1 if suppressed
    node: np.ndarray | None = None  # tree: int32 per value; −1 if suppressed
    sets: tuple[np.ndarray, np.ndarray] | None = None  # else (indptr, codes) per value; empty if suppressed

    def __len__(self) -> int:
        return len(self.code)


def holds_star(attribute: Attribute) -> bool:
    """Whether a value of the data is written as suppressed ones are."""
    return any(text == SUPPRESSED and code != attribute.missing for code, text in enumerate(attribute.texts))


def spans(attribute: Attribute, group: np.ndarray, n_groups: int) -> Spans:
    """What each group becomes; `group` has the code of each record's group (int32)."""
    keys = attribute.keys
    low, high = np.full(n_groups, _GREATEST, np.int32), np.full(n_groups, -1, np.int32)
    own = keys[attribute.codes]
    np.minimum.at(low, group, own)
    np.maximum.at(high, group, own)
    filled, mixed = high >= 0, np.zeros(n_groups, bool)
    if attribute.missing >= 0 and (attribute.numbers is not None or attribute.suppress_missing):
        mixed = (high == keys[attribute.missing]) & (low != high)  # the missing value has the last key
    low[mixed] = high[mixed] = -1
    if attribute.numbers is None and attribute.tree is None:
        return _set_spans(attribute, group, filled, mixed)
    if attribute.grid is not None:
        attribute.grid.widen(low, high)
    pairs, pair_of_group = np.unique((low[filled].astype(np.int64) << 32) | (high[filled] & _LOW), return_inverse=True)
    value = np.full(n_groups, -1, np.int32)
    value[filled] = pair_of_group
    ends = np.stack(((pairs >> 32).astype(np.int32), pairs.astype(np.int32)))
    if attribute.tree is None:
        return Spans(value, _only_codes(attribute, ends), ends=ends)
    return _node_spans(attribute.tree, keys, value, ends)


def _only_codes(attribute: Attribute, ends: np.ndarray) -> np.ndarray:
    """The code of ranges that are one value, −1 for others."""
    is_one = ends[0] == ends[1]
    if attribute.grid is not None:
        is_one &= ~attribute.grid.is_coded[ends[0]]
    return np.where(is_one, ends[0], -1).astype(np.int32)


def losses(attribute: Attribute, spans: Spans) -> np.ndarray:
    """NCP of what each group became: the share of the domain that it may be, 0 for one value, 1 for `*`."""
    if spans.ends is not None and attribute.numbers is not None:
        low, high = (attribute.numbers,) * 2 if attribute.grid is None else attribute.grid.reach
        loss = (high[spans.ends[1]] - low[spans.ends[0]]) / (attribute.domain_length or 1.0)
        loss[spans.ends[0] < 0] = 1.0
    elif spans.node is not None and attribute.tree is not None:
        loss = attribute.tree.leaf_count[spans.node] / attribute.tree.leaf_count[0]
        loss[spans.node < 0] = 1.0
    else:
        assert spans.sets is not None
        sizes = np.diff(spans.sets[0])
        loss = np.where(sizes == 0, 1.0, sizes / max(len(attribute.texts), 1))
    loss[spans.code >= 0] = 0.0
    if attribute.suppress_missing and attribute.missing >= 0:
        loss[spans.code == attribute.missing] = 1.0
    return np.append(loss, 0.0)[spans.value]


def is_suppressed(attribute: Attribute, spans: Spans) -> np.ndarray:
    """Which of the different values of `spans` are published as suppressed ones are."""
    if spans.ends is not None:
        several = spans.ends[0] < 0
    elif spans.node is not None and attribute.tree is not None:
        several = np.append([name == SUPPRESSED for name in attribute.tree.names], True)[spans.node]  # −1: the last
    else:
        assert spans.sets is not None
        several = np.isin(np.diff(spans.sets[0]), (0, len(attribute.texts)))
    alone = np.array([text == SUPPRESSED for text in attribute.texts], bool)
    return np.where(spans.code < 0, several, np.append(alone, False)[spans.code])


def texts_of(attribute: Attribute, spans: Spans) -> list[str]:
    """How each of the different values of `spans` is published; that of group g is `texts[spans.value[g]]`."""
    texts: list[str] = _written(attribute, spans).to_pylist()
    return texts


def published(attribute: Attribute, spans: Spans) -> tuple[tuple[str, ...], np.ndarray]:
    """The different texts that are published, and the code of each group's: what an attacker can tell apart.

    Different spans may be published alike: `*` stands for all values, and for some together with a missing one.
    """
    texts, codes = _different(attribute, spans)
    return tuple(texts.to_pylist()), codes


def published_codes(attribute: Attribute, spans: Spans) -> tuple[np.ndarray, int]:
    """The same without the texts: the code of each group's, and how many different ones there are."""
    texts, codes = _different(attribute, spans)
    return codes, len(texts)


def _different(attribute: Attribute, spans: Spans) -> tuple[pa.Array, np.ndarray]:
    encoded = _written(attribute, spans).dictionary_encode()
    return encoded.dictionary, np.append(np.from_dlpack(encoded.indices), np.int32(-1))[spans.value]


def _written(attribute: Attribute, spans: Spans) -> pa.Array:
    """How each of the different values of `spans` is published."""
    texts = pa.array(attribute.texts, _TEXT)
    suppressed = pa.scalar(SUPPRESSED, _TEXT)
    if spans.ends is not None:
        first, last = (texts, texts) if attribute.grid is None else (pa.array(t, _TEXT) for t in attribute.grid.texts)
        low, high = (part.take(pa.array(np.maximum(at, 0))) for part, at in zip((first, last), spans.ends, strict=True))
        several = pc.if_else(pa.array(spans.ends[0] < 0), suppressed, range_texts(low, high))
    elif spans.node is not None and attribute.tree is not None:
        names = pa.array((*attribute.tree.names, SUPPRESSED), _TEXT)
        several = names.take(pa.array(np.where(spans.node < 0, len(names) - 1, spans.node)))
    else:
        several = pa.array(_set_texts(attribute, spans), _TEXT)
    alone = texts.take(pa.array(spans.code, mask=spans.code < 0))
    return pc.coalesce(alone, several)


def _set_texts(attribute: Attribute, spans: Spans) -> Iterator[str]:
    assert spans.sets is not None
    texts, members = attribute.texts, spans.sets[1].tolist()
    for start, stop in pairwise(spans.sets[0].tolist()):
        whole = not 0 < stop - start < len(texts)
        yield SUPPRESSED if whole else set_text([texts[code] for code in members[start:stop]])


def common_ancestors(tree: Taxonomy, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The lowest node above the leaves `low` and `high` of each pair, and so above every leaf between them."""
    node, open_ones = low.astype(np.int32), np.arange(low.size)
    while open_ones.size:
        open_ones = open_ones[tree.end[node[open_ones]] <= high[open_ones]]
        node[open_ones] = tree.parent[node[open_ones]]
    return node


def _node_spans(tree: Taxonomy, leaf_of_code: np.ndarray, value: np.ndarray, ends: np.ndarray) -> Spans:
    """The lowest node above both ends of each span: it is above all leaves between them."""
    shown = ends[0] >= 0
    node = np.full(shown.size, -1, np.int32)
    node[shown] = common_ancestors(tree, ends[0][shown], ends[1][shown])
    nodes, of_span = np.unique(node, return_inverse=True)
    code_of_node = np.full(len(tree) + 1, -1, np.int32)  # the last one for suppressed, node −1
    code_of_node[leaf_of_code] = np.arange(leaf_of_code.size, dtype=np.int32)
    return Spans(np.append(of_span, -1)[value].astype(np.int32), code_of_node[nodes], node=nodes)


def _set_spans(attribute: Attribute, group: np.ndarray, filled: np.ndarray, mixed: np.ndarray) -> Spans:
    """The set of values of each group that has records, equal sets coded alike in order of first appearance."""
    n_groups, n_codes = filled.size, max(len(attribute.texts), 1)
    keys = group.astype(np.int64) * n_codes + attribute.codes
    if n_groups * n_codes <= _CELLS_AT_ONCE:
        holds = np.zeros(n_groups * n_codes, bool)
        holds[keys] = True
        pairs = np.flatnonzero(holds)
    else:
        pairs = each_once(keys)
    pairs = pairs[~mixed[pairs // n_codes]]
    bounds = np.searchsorted(pairs, np.append(np.flatnonzero(filled), n_groups) * n_codes)
    sets = distinct_baskets(bounds, (pairs % n_codes).astype(np.int32))
    single = np.diff(sets.indptr) == 1
    code = np.full(single.size, -1, np.int32)
    code[single] = sets.items[sets.indptr[:-1][single]]
    value = np.full(n_groups, -1, np.int32)
    value[filled] = sets.inverse
    return Spans(value, code, sets=(sets.indptr, sets.items))
