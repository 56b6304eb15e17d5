"""The audit of baskets of which more are different than this process should hold.

Executors count, with code of the audits, every itemset of up to m items in their shares; the engine sums the counts,
and the weakest come here. What is compared with the original are fingerprints of baskets: how often each occurs is
counted on both sides, and the difference is summed by the engine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit import audits
from tacit.audits._counted_km import (
    LONGEST,
    MOST_ITEMS,
    Counts,
    itemset_of,
    judged,
    keys_of,
    minimal_violations,
)
from tacit.audits._sets import Sets, as_sets
from tacit.audits.result import AuditResult, with_columns
from tacit.audits.truth.baskets import different, fingerprints, what_items_become
from tacit.audits.truth.names import read_names
from tacit.audits.views.baskets import BasketOriginal, BasketView, read_items
from tacit.audits.views.beside import Beside
from tacit.audits.views.styles import in_one_spelling
from tacit.engines import frames
from tacit.engines.frames import ROWS
from tacit.job.model import Job
from tacit.taxonomy import Taxonomy

ON_DRIVER = 2_000_000
"""Different baskets up to which all come to this process."""
_AT_ONCE = 250_000
_WEAKEST = 10_000
_WHAT = "different items"


def has_form(job: Job) -> bool:
    """Whether itemsets can be counted in shares: one column, no sensitive items, small m, a row for each person."""
    promise: Any = job.promise
    columns = job.columns_with("items")
    if not promise.holds_by_supports or len(columns) != 1 or columns[0].sensitive_items:
        return False
    return promise.m <= LONGEST and job.input.layout == "wide" and not job.columns_with("person")


def verdict(
    written: Any,
    job: Job,
    original: Any | None,
    hierarchies: Mapping[str, Taxonomy],
    beside: Beside,
    source: str | Path,
) -> tuple[AuditResult, list[str]]:
    """What the audits say of published baskets, and what is not true to the original ones.

    Equal ones are counted first for the itemsets alone, of which a basket has many.
    """
    small = replace(job, columns=job.columns_with("items"), file=None)
    names = [column.name for column in small.columns]
    shown, held = (None if each is None else frames.one_by_one(each, names) for each in (written, original))
    labels, records, empty = labels_of(shown, small)
    view: Any = audits.read_view(one_each(labels, shown, small), small, source)
    result = with_columns(judged_counts(frames.distinct(written, names), small, view.labels, records, empty), beside)
    if held is None:
        return result, []
    labels, held_records, _ = labels_of(held, small)
    if held_records != records:
        return result, [f"{records:,} records are shown out of {held_records:,}"]
    before: Any = audits.read_original(one_each(labels, held, small), small, hierarchies, is_local=False)
    return result, _false(shown, held, small, before, view)


def labels_of(frame: Any, job: Job) -> tuple[list[str], int, int]:
    """The different items, how many records there are, and how many of them are empty."""
    found = frames.in_batches(frame, _AT_ONCE, partial(labels_held, job=job), "item string, people long")
    table = frames.collected(found.groupBy("item").agg({"people": "sum"}).toDF("item", "people"), MOST_ITEMS, _WHAT)
    people = dict(zip(table["item"].to_pylist(), table["people"].to_pylist(), strict=True))
    records, empty = people.pop(None, 0), people.pop("", 0)
    return sorted(people), records, empty


def one_each(labels: list[str], frame: Any, job: Job) -> pa.Table:
    """A basket for each item, as the frame writes one."""
    name = job.columns_with("items")[0].name
    kind = frames.arrow_schema(frame).field(name).type
    cells = [[label] for label in labels] if pa.types.is_list(kind) or pa.types.is_large_list(kind) else labels
    return pa.table({name: pa.array(cells, kind)})


def judged_counts(shown: Any, job: Job, labels: tuple[str, ...], records: int, empty: int) -> AuditResult:
    promise: Any = job.promise
    codes = pa.array(labels, pa.large_string())
    count = partial(itemsets_held, job=job, labels=codes, m=int(promise.m))
    found = frames.in_batches(shown, _AT_ONCE, count, "itemset long, people long")
    summed = found.groupBy("itemset").agg({"people": "sum"}).toDF("itemset", "people")
    table = summed.orderBy("people", "itemset").limit(_WEAKEST).toArrow()
    people = dict(zip(table["itemset"].to_pylist(), table["people"].to_pylist(), strict=True))
    counts = Counts(records, empty, [itemset_of(key) for key in people], list(people.values()))
    rare = [each for each, _ in minimal_violations(counts, promise.k)] if people else []
    affected = 0
    if rare:
        hold = partial(people_affected, job=job, labels=codes, rare=rare)
        affected = sum(frames.in_batches(shown, _AT_ONCE, hold, "people long").toArrow()["people"].to_pylist())
    return judged(counts, labels, promise, affected, asked_for=_WEAKEST)


def _false(shown: Any, held: Any, job: Job, before: BasketOriginal, after: BasketView) -> list[str]:
    """What is not true in published baskets, by a global recoding."""
    names = read_names(before, after)
    if names.strays:
        return list(names.strays)
    problems, becomes = what_items_become(before, after, names)
    if problems:
        return problems
    sides = ((shown, after.labels, np.arange(len(after.labels)), 1), (held, before.held.labels, becomes, -1))
    prints = [
        frames.in_batches(
            frame, _AT_ONCE,
            partial(prints_of, job=job, labels=pa.array(labels, pa.large_string()), shown_as=shown_as, sign=sign),
            "print long, people long",
        )
        for frame, labels, shown_as, sign in sides
    ]  # fmt: skip
    balance = prints[0].union(prints[1]).groupBy("print").agg({"people": "sum"}).toDF("print", "people")
    wrong = balance.filter("people > 0").agg({"people": "sum"}).collect()[0][0]
    return different(int(wrong or 0))


def labels_held(table: pa.Table, *, job: Job) -> pa.Table:
    """On an executor: how many people show each item; as the item "" those who show none, without an item all."""
    held, people = read_baskets(table, job)
    often = np.zeros(len(held.labels), np.int64)
    np.add.at(often, held.items, np.repeat(people, np.diff(held.starts)))
    texts = pa.array([*held.labels, "", None], pa.string())
    empty, records = people[np.diff(held.starts) == 0].sum(), people.sum()
    return pa.table({"item": texts, "people": pa.array(np.array([*often, empty, records], np.int64))})


def itemsets_held(table: pa.Table, *, job: Job, labels: pa.Array, m: int) -> pa.Table:
    """On an executor: how many people show each itemset of up to m items."""
    held, people = read_baskets(table, job)
    sets = _coded(held, labels)
    parts = [keys_of(sets, size, people) for size in range(1, m + 1)]
    keys, often = (np.concatenate(each) for each in zip(*parts, strict=True))
    return pa.table({"itemset": pa.array(keys), "people": pa.array(often)})


def people_affected(table: pa.Table, *, job: Job, labels: pa.Array, rare: list[tuple[int, ...]]) -> pa.Table:
    """On an executor: how many people show one of these itemsets."""
    held, people = read_baskets(table, job)
    starts, items = _coded(held, labels)
    by_first: dict[int, list[frozenset[int]]] = {}
    for each in rare:
        by_first.setdefault(each[0], []).append(frozenset(each))
    affected = 0
    for row in range(people.size):
        basket = set(items[starts[row] : starts[row + 1]].tolist())
        affected += int(people[row]) * any(each <= basket for item in basket for each in by_first.get(item, ()))
    return pa.table({"people": pa.array([affected], pa.int64())})


def prints_of(table: pa.Table, *, job: Job, labels: pa.Array, shown_as: np.ndarray, sign: int) -> pa.Table:
    """On an executor: a number for each basket as it is shown, and how many people have it, with a sign."""
    held, people = read_baskets(table, job)
    starts, items = _coded(held, labels)
    view = replace(held, starts=starts, items=items)
    return pa.table({"print": pa.array(fingerprints(view, shown_as).view(np.int64)), "people": pa.array(sign * people)})


def read_baskets(table: pa.Table, job: Job) -> tuple[BasketView, np.ndarray]:
    rows = in_one_spelling(table.drop_columns([ROWS]), job)
    return read_items(rows, job, job.input.source), table[ROWS].combine_chunks().cast(pa.int64()).to_numpy()


def _coded(held: BasketView, labels: pa.Array) -> Sets:
    """The baskets by the codes that all of them have in common."""
    code = pc.index_in(pa.array(held.labels, pa.large_string()), value_set=labels)
    return as_sets(held.starts, code.to_numpy(zero_copy_only=False).astype(np.int32)[held.items])
