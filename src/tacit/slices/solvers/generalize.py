"""Column generalization (Li et al. 2012, section 4.2): every column is made k-anonymous on its own, as Mondrian does.

The regions of a column are boxes that have no value in common, so everybody knows in which one a person is. A
region of a column with sensitive attributes has none of their values more often than 1/ℓ, or nothing could be sliced.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from tacit.arrays.attributes import Attribute, spans, texts_of
from tacit.slices.data import PersonTable, Slices
from tacit.slices.recoding import Regions
from tacit.slices.solvers.attacker import bound


def generalize(table: PersonTable, slices: Slices, k: int, l: float) -> tuple[PersonTable, list[Regions]]:  # noqa: E741
    """The table with generalized known attributes, and the regions of each slice that has any."""
    attributes, found = list(table.attributes), []
    for one in slices:
        known = [a for a in one if a not in table.hidden]
        if not known:
            continue
        region = _regions(table, known, [a for a in one if a in table.sensitive], k, l)
        n_regions, texts = int(region.max(initial=-1)) + 1, []
        for a in known:
            span = spans(table.attributes[a], region, n_regions)
            shown = texts_of(table.attributes[a], span)
            attributes[a] = Attribute(table.names[a], span.value[region], tuple(shown))
            texts.append([shown[value] for value in span.value])
        found.append(Regions(tuple(table.names[a] for a in known), region, tuple(zip(*texts, strict=True))))
    return replace(table, attributes=tuple(attributes)), found


def _regions(table: PersonTable, known: list[int], sensitive: list[int], k: int, l: float) -> np.ndarray:  # noqa: E741
    """The region of each record; of the attributes that can be cut the one with the widest spread is."""
    region = np.zeros(len(table), np.int32)
    n_regions, stack = 0, [np.arange(len(table))]
    while stack:
        rows = stack.pop()
        for a in _widest_first(table, known, rows):
            parts = [rows[part] for part in _parts(table.attributes[a], table.codes[a][rows])]
            if len(parts) > 1 and all(_may_be_region(table, part, sensitive, k, l) for part in parts):
                stack += reversed(parts)
                break
        else:
            region[rows] = n_regions
            n_regions += 1
    return region


def _widest_first(table: PersonTable, known: list[int], rows: np.ndarray) -> list[int]:
    """By the share of the attribute's values between the lowest and the highest of these records."""
    if not rows.size:
        return []
    spread = {}
    for a in known:
        codes = table.codes[a][rows]
        spread[a] = (int(codes.max()) - int(codes.min())) / max(table.sizes[a] - 1, 1)
    return sorted((a for a in known if spread[a] > 0), key=lambda a: -spread[a])


def _may_be_region(table: PersonTable, rows: np.ndarray, sensitive: list[int], k: int, l: float) -> bool:  # noqa: E741
    if rows.size < k:
        return False
    return all(np.bincount(table.meanings[a][rows]).max() <= bound(l) * rows.size for a in sensitive)


def _parts(attribute: Attribute, codes: np.ndarray) -> Iterator[np.ndarray]:
    """How records may be parted by an attribute: masks of parts whose published values have nothing in common."""
    if attribute.tree is not None and attribute.leaf_of_code is not None:
        yield from _children(attribute, codes)
        return
    is_missing = codes == attribute.missing
    if attribute.numbers is not None and is_missing.any():  # beside missing values, numbers become `*`
        yield from (~is_missing, is_missing)
        return
    cuts = _cuts(attribute, codes)
    if cuts.size:
        median = np.partition(codes, codes.size // 2)[codes.size // 2]
        cut = cuts[min(np.searchsorted(cuts, median), cuts.size - 1)]
        yield codes < cut
        yield codes >= cut


def _cuts(attribute: Attribute, codes: np.ndarray) -> np.ndarray:
    """Where records may be parted: before these codes. What ranges are published as must not reach over a cut."""
    present = np.unique(codes)
    last, first = present[:-1], present[1:]
    if attribute.grid is None:
        return first
    begins, ends = attribute.grid.covered
    return first[(ends[last] < first) & (begins[first] > last)]


def _children(attribute: Attribute, codes: np.ndarray) -> Iterator[np.ndarray]:
    """One part for each child, of those that occur, of the lowest node above all records."""
    assert attribute.tree is not None and attribute.leaf_of_code is not None
    parent, end = attribute.tree.parent, attribute.tree.end
    leaves = attribute.leaf_of_code[codes]
    low, high = int(leaves.min()), int(leaves.max())
    node = low
    while end[node] <= high:
        node = int(parent[node])
    child = node + 1
    while child < end[node]:
        inside = (leaves >= child) & (leaves < end[child])
        if inside.any():
            yield inside
        child = int(end[child])
