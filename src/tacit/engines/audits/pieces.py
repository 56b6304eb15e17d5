"""Groups of records with more different baskets than one executor should hold: their itemsets are counted in pieces.

Executors count every itemset of up to m known items, and of those who hold it each sensitive item, in whatever baskets
of a group they have; the engine sums the counts, and the weakest come here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit import audits
from tacit.audits import k_km, k_lm
from tacit.audits._counted_km import LONGEST, Counts, itemset_of, judged, keys_of, minimal_violations
from tacit.audits._sets import Sets, as_sets, only, some
from tacit.audits.views.cells import read_labels
from tacit.audits.views.persons import counts_persons
from tacit.engines import frames
from tacit.engines.audits import large, many
from tacit.engines.frames import ROWS
from tacit.job.model import Job
from tacit.promises import KKmAnonymity, KmAnonymity

MOST_DIFFERENT = 2_000_000
"""Different baskets of a group that an executor is given."""
_AT_ONCE = 250_000
_WEAKEST = 10_000
_COUNTS = "itemset long, sensitive long, people long"
_NOTHING, _ALL = -1, 0
"""Whoever has no known item; the itemset without items, which all hold."""


@dataclass(frozen=True, eq=False)
class Codes:
    """What executors know of the items of a group: known and sensitive ones have codes in the order of their labels."""

    job: Job
    m: int
    written: pa.Array  # all labels, as they are published
    code: np.ndarray  # of each
    is_sensitive: np.ndarray  # of each
    known: list[str]
    sensitive: list[str]


def verdicts(rows: Any, quasi: Sequence[str], job: Job) -> tuple[Any | None, list[dict[str, Any]]]:
    """The verdicts on those of some large groups that have too many different baskets, and the rows of the others."""
    from pyspark.sql import functions as F

    promise: Any = job.promise
    items = replace(job, columns=job.columns_with("items"), file=None)
    if len(items.columns) != 1 or promise.m > LONGEST or counts_persons(job):  # records do not tell of persons
        return rows, []
    sizes = frames.distinct(rows, [*quasi, items.columns[0].name]).groupBy(*map(frames.quoted, quasi)).agg(
        F.count(F.lit(1)).alias("different"), F.sum(ROWS).alias(ROWS)
    )  # fmt: skip
    found = sizes.filter((F.col("different") > F.lit(MOST_DIFFERENT)) & (F.col(ROWS) >= F.lit(promise.k))).collect()
    if not found:
        return rows, []
    kinds, told = frames.arrow_schema(rows), []
    for group in found:
        values = {name: _text(name, group[name], kinds.field(name).type) for name in quasi}
        told.append(_judged(rows.filter(large.is_in(group, quasi)), items, values, promise))
    return (rows.filter(~large.is_in_some(found, quasi)) if sizes.count() > len(found) else None), told


def _judged(rows: Any, job: Job, group: Mapping[str, str], promise: Any) -> dict[str, Any]:
    name, km = job.columns[0].name, KmAnonymity(promise.k, promise.m)
    codes, records = _codes(rows, replace(job, promise=km), int(promise.m))
    found = frames.in_batches(frames.distinct(rows, [name]), _AT_ONCE, partial(counted, codes=codes), _COUNTS)
    summed = found.groupBy("itemset", "sensitive").agg({"people": "sum"}).toDF("itemset", "sensitive", "people")
    held = summed.filter(f"sensitive < 0 AND itemset > {_ALL}").orderBy("people", "itemset").limit(_WEAKEST).toArrow()
    empty = summed.filter(f"itemset = {_NOTHING}").agg({"people": "sum"}).collect()[0][0]
    weakest = [itemset_of(key) for key in held["itemset"].to_pylist()]
    counts = Counts(records, int(empty or 0), weakest, held["people"].to_pylist())
    rare = [(each, -1) for each, _ in minimal_violations(counts, promise.k)] if weakest else []
    telling, implied = list[k_lm.Telling](), list[tuple[tuple[int, ...], int]]()
    if promise.about_sensitive_items:
        telling = _telling(summed, records)
        implied = k_lm.minimal_of(telling, k_lm.bound_of(promise))
    affected = [_affected(rows, name, codes, each) if each else 0 for each in (rare, implied)]
    result = judged(counts, codes.known, km, affected[0], asked_for=_WEAKEST)
    identity = k_km.of_one_group(result, dict(group), KKmAnonymity(promise.k, promise.m))
    if not promise.about_sensitive_items:
        return identity.to_dict()
    labels = codes.known, codes.sensitive
    return k_lm.of_one_group(identity, telling, labels, affected[1], dict(group), promise, asked_for=_WEAKEST).to_dict()


def _codes(rows: Any, job: Job, m: int) -> tuple[Codes, int]:
    """The codes of all items of a group, and how many records it has. Spellings of a sensitive item are one."""
    labels, records, _ = many.labels_of(frames.one_by_one(rows, [job.columns[0].name]), job)
    view: Any = audits.read_view(many.one_each(labels, rows, job), job, None)
    is_sensitive = view.is_sensitive[view.items]
    meant = [view.labels[item] for item in view.meant.items.tolist()]
    own: list[list[str]] = [
        sorted({text for text, one in zip(meant, is_sensitive.tolist(), strict=True) if one is kind})
        for kind in (False, True)
    ]
    place = [{text: code for code, text in enumerate(each)} for each in own]
    code = [place[one][text] for text, one in zip(meant, is_sensitive.tolist(), strict=True)]
    written = pa.array([view.labels[item] for item in view.items.tolist()], pa.large_string())
    return Codes(job, m, written, np.array(code, np.int64), is_sensitive, own[0], own[1]), records


def _telling(summed: Any, records: int) -> list[k_lm.Telling]:
    """What tells most of a sensitive item: the itemset, the item, who has both and who holds the itemset."""
    from pyspark.sql import functions as F

    both = summed.filter("sensitive >= 0").withColumnRenamed("people", "both")
    held = summed.filter(f"sensitive < 0 AND itemset > {_ALL}").select("itemset", "people")
    all_held = both.join(held, "itemset", "left").withColumn("people", F.coalesce("people", F.lit(records)))
    most = all_held.orderBy((F.col("both") / F.col("people")).desc(), "itemset", "sensitive").limit(_WEAKEST)
    table = most.select("itemset", "sensitive", "both", "people").toArrow()
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    return sorted((k_lm.Telling(itemset_of(key), *rest) for key, *rest in rows), key=_surest_first)


def _surest_first(each: k_lm.Telling) -> tuple[Any, ...]:
    return -Fraction(each.both, each.people), len(each.itemset), each.itemset, each.sensitive


def _affected(rows: Any, name: str, codes: Codes, found: list[tuple[tuple[int, ...], int]]) -> int:
    hold = partial(affected, codes=codes, found=found)
    told = frames.in_batches(frames.distinct(rows, [name]), _AT_ONCE, hold, "people long").toArrow()
    return sum(told["people"].to_pylist())


def _sets(table: pa.Table, codes: Codes) -> tuple[Sets, Sets, np.ndarray]:
    """Known and sensitive items of some baskets, and how many people have each basket."""
    held, people = many.read_baskets(table, codes.job)
    at = pc.index_in(pa.array(held.labels, pa.large_string()), value_set=codes.written).to_numpy(zero_copy_only=False)
    at = at.astype(np.int64)[held.items]
    known, sensitive = (
        as_sets(*only(held.starts, codes.code[at], codes.is_sensitive[at] == kind)) for kind in (False, True)
    )
    return known, sensitive, people


def counted(table: pa.Table, *, codes: Codes) -> pa.Table:
    """On an executor: how many people show each itemset of up to m known items; and, with each sensitive item."""
    known, sensitive, people = _sets(table, codes)
    parts = [(np.array([_NOTHING]), np.array([people[np.diff(known[0]) == 0].sum()]), -1)]
    parts += [(*keys_of(known, size, people), -1) for size in range(1, codes.m + 1)]
    rows = np.repeat(np.arange(people.size), np.diff(sensitive[0]))
    for item in np.unique(sensitive[1]).tolist():
        here = rows[sensitive[1] == item]
        own, holders = some(*known, here), people[here]
        parts += [(np.array([_ALL]), np.array([holders.sum()]), item)]
        parts += [(*keys_of(own, size, holders), item) for size in range(1, codes.m + 1)]
    return pa.table({
        "itemset": pa.array(np.concatenate([keys for keys, _, _ in parts]), pa.int64()),
        "sensitive": pa.array(np.concatenate([np.full(keys.size, item) for keys, _, item in parts]), pa.int64()),
        "people": pa.array(np.concatenate([often for _, often, _ in parts]), pa.int64()),
    })  # fmt: skip


def affected(table: pa.Table, *, codes: Codes, found: list[tuple[tuple[int, ...], int]]) -> pa.Table:
    """On an executor: how many people show one of these itemsets, and the sensitive item that it goes with, if any."""
    known, sensitive, people = _sets(table, codes)
    by_first: dict[int, list[tuple[frozenset[int], int]]] = {}
    for itemset, item in found:
        by_first.setdefault(itemset[0] if itemset else _NOTHING, []).append((frozenset(itemset), item))
    hit = np.zeros(people.size, bool)
    for row in range(people.size):
        basket = {_NOTHING, *known[1][known[0][row] : known[0][row + 1]].tolist()}
        others = {-1, *sensitive[1][sensitive[0][row] : sensitive[0][row + 1]].tolist()}
        near = (each for first in basket for each in by_first.get(first, ()))
        hit[row] = any(item in others and itemset <= basket for itemset, item in near)
    return pa.table({"people": pa.array([int(people[hit].sum())], pa.int64())})


def _text(name: str, value: Any, kind: pa.DataType) -> str:
    """What is published of a group in a column, as the audits write it."""
    return str(read_labels(name, pa.chunked_array([pa.array([value], kind)]), None).texts[0])
