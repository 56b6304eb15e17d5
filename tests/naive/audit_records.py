"""Slow twins of the audits of records with baskets: every group, every itemset, as the definitions say."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from support.views import record_view, view_of
from tacit.audits.views.cells import Cells
from tacit.audits.views.records import RecordView


class Record(NamedTuple):
    values: tuple[str, ...]
    items: frozenset[str]


def published(
    names: Sequence[str], records: Sequence[Record], sensitive: Collection[str] = (), seed: int = 0
) -> RecordView:
    """The records as an audit gets them; codes and labels in an order that means nothing."""
    rng = np.random.default_rng(seed)
    quasi = []
    for place, name in enumerate(names):
        texts = sorted({record.values[place] for record in records})
        rng.shuffle(texts)
        codes = np.array([texts.index(record.values[place]) for record in records], np.int32)
        quasi.append(Cells(name, codes, texts))
    labels = sorted({item for record in records for item in record.items} | set(sensitive))
    rng.shuffle(labels)
    rows = [[labels.index(item) for item in record.items] for record in records]
    items = np.array([item for row in rows for item in row], np.int32)
    return record_view(quasi, held=view_of(np.cumsum([0, *map(len, rows)]), items, labels, tuple(sensitive)))


def groups_of(records: Sequence[Record], sensitive: Collection[str]) -> dict[tuple[str, ...], list[Record]]:
    """Records by published values; items are (known, sensitive) there."""
    groups: dict[tuple[str, ...], list[Record]] = {}
    for record in records:
        groups.setdefault(record.values, []).append(record)
    return groups


def known_sets(group: Sequence[Record], sensitive: Collection[str], m: float) -> list[tuple[str, ...]]:
    """Every itemset of up to m known items that a record holds, the empty one first."""
    found = {()}
    for record in group:
        items = sorted(record.items - set(sensitive))
        for size in range(1, int(min(m, len(items))) + 1):
            found.update(combinations(items, size))
    return sorted(found, key=lambda itemset: (len(itemset), itemset))


def holders(group: Sequence[Record], itemset: Collection[str]) -> list[Record]:
    return [record for record in group if set(itemset) <= record.items]


def identity_violations(
    names: Sequence[str], records: Sequence[Record], sensitive: Collection[str], k: int, m: float
) -> list[dict[str, Any]]:
    """Minimal itemsets of a group that fewer than k records hold."""
    found = []
    for values, group in groups_of(records, sensitive).items():
        rare = {s for s in known_sets(group, sensitive, m) if len(holders(group, s)) < k}
        for itemset in rare:
            if not any(set(other) < set(itemset) for other in rare):
                support = len(holders(group, itemset))
                found.append(
                    {"group": dict(zip(names, values, strict=True)), "itemset": list(itemset), "support": support}
                )
    return sorted(found, key=lambda e: (e["support"], len(e["itemset"]), list(e["group"].values()), e["itemset"]))


def weakest(records: Sequence[Record], sensitive: Collection[str], m: float) -> int:
    return min(
        len(holders(group, itemset))
        for group in groups_of(records, sensitive).values()
        for itemset in known_sets(group, sensitive, m)
    )


def diversity_violations(
    names: Sequence[str],
    records: Sequence[Record],
    sensitive: Collection[str],
    l: Fraction,  # noqa: E741
    m: float,
) -> list[dict[str, Any]]:
    """Minimal (itemset, sensitive item) of a group with a share above 1/ℓ."""
    found = []
    for values, group in groups_of(records, sensitive).items():
        for item in sensitive:
            sure: dict[tuple[str, ...], tuple[int, int]] = {}
            for itemset in known_sets(group, sensitive, m):
                held = holders(group, itemset)
                count = len(holders(held, [item]))
                if count * l > len(held):
                    sure[itemset] = count, len(held)
            for itemset, (count, support) in sure.items():
                if not any(set(other) < set(itemset) for other in sure):
                    found.append(
                        {
                            "group": dict(zip(names, values, strict=True)),
                            "itemset": list(itemset),
                            "sensitive": item,
                            "support": support,
                            "with_sensitive": count,
                            "share": count / support,
                        }
                    )
    return sorted(
        found,
        key=lambda e: (
            -Fraction(e["with_sensitive"], e["support"]),
            len(e["itemset"]),
            list(e["group"].values()),
            e["itemset"],
            e["sensitive"],
        ),
    )


def largest_share(records: Sequence[Record], sensitive: Collection[str], m: float) -> Fraction:
    """Of any combination of sensitive items, among the holders of any known itemset."""
    most = Fraction(0)
    for group in groups_of(records, sensitive).values():
        for itemset in known_sets(group, sensitive, m):
            held = holders(group, itemset)
            for size in range(1, len(sensitive) + 1):
                for combination in combinations(sorted(sensitive), size):
                    most = max(most, Fraction(len(holders(held, combination)), len(held)))
    return most
