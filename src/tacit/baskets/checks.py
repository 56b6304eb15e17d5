"""What is checked before a search, and what the data's owner is told about the data and the outcome."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.arrays.sparse import take_rows
from tacit.baskets.data import BasketData, ItemColumns
from tacit.errors import InputError, PromiseError
from tacit.io import FileFormat
from tacit.job import Job
from tacit.job.checks import require_columns
from tacit.methods import method_for
from tacit.promises import Cahd, Coherence, KmAnonymity, LmDiversity, TransactionalK
from tacit.recoding import Applied
from tacit.taxonomy import Taxonomy
from tacit.taxonomy.nodes import first_few

_FINEST = 10**6  # of denominators: 2.3333333333333335 is meant to be 7/3
_CERTAINLY, _NEARLY_ALL = 50, 0.9
"""If of so many records nearly all have a value of their own, a column is an identifier."""


def check_columns(table: pa.Table, job: Job, protected: Collection[str] = ("items",)) -> None:
    """Refuses columns that the data lacks, and those that would be published without any protection.

    `protected` are the roles that the promise is about.
    """
    require_columns(table, job.columns, job.input.source)
    for column in job.columns:
        if column.role in ("quasi", "sensitive", "items", "rating") and column.role not in protected:
            raise InputError(
                f"the promise {job.promise.name!r} does not protect a column with the role {column.role!r}",
                file=job.file,
                column=column.name,
                hint='Leave the column out (it is not published then), or publish it as it is with role = "plain".',
            )
        if column.role == "plain" and job.input.layout == "long":
            raise InputError(
                "a long layout has one row per person and item, so a plain column cannot be published with it",
                file=job.file,
                column=column.name,
                hint="Leave the column out, or bring the data to one row per person.",
            )


def check_output(table: pa.Table, job: Job, output: FileFormat) -> None:
    """Refuses a format that cannot hold what is to be published."""
    if output.name == "dat" and job.promise.name == "cahd":
        raise InputError(
            "a .dat file holds nothing but baskets, so that the groups cannot be published in it",
            file=job.file,
            hint='Write another format, such as format = "csv" under [output].',
        )
    for column in job.columns:
        published = column.role in ("items", "plain") or (column.role == "person" and job.input.layout == "long")
        if published and output.name == "dat" and column.name != "items":
            raise InputError(
                "a .dat file holds nothing but one column of baskets, named 'items'",
                file=job.file,
                column=column.name,
                hint='Write another format, such as format = "csv" under [output].',
            )
        if column.role == "plain" and pa.types.is_nested(table[column.name].type) and not output.has_lists:
            raise InputError(
                f"values of type {table[column.name].type} cannot be written as text",
                file=job.file,
                column=column.name,
                hint='Leave the column out, or write format = "parquet" under [output].',
            )


def check_names(items: ItemColumns, trees: Mapping[str, Taxonomy], job: Job) -> None:
    """Refuses names that would be misread: a misspelt sensitive item, a group that reads as "no value"."""
    held = {label for number in range(len(items.columns)) for label in items.vocabulary(number)}
    for column in items.columns:
        absent = [label for label in column.sensitive_items if label not in held]
        if absent and len(items.baskets):
            raise InputError(
                f"`sensitive` lists {first_few(absent)}, which no basket holds",
                file=job.file,
                column=column.name,
                hint="Correct the spelling, or take it out of the list.",
            )
    for name, tree in trees.items():
        groups = {tree.names[node] for node in np.flatnonzero(~tree.is_leaf).tolist()}
        if unreadable := sorted(groups & set(job.input.missing)):
            raise InputError(
                f"the hierarchy has a group {first_few(unreadable)}, which means 'no value' in this job",
                file=job.file,
                column=name,
                hint="Rename the group, or take its name out of `missing` under [input].",
            )


def check_reachable(data: BasketData, job: Job) -> None:
    """Refuses what no method can keep: too few people to hide each other, a sensitive item that too many have."""
    promise = job.promise
    if isinstance(promise, KmAnonymity | TransactionalK):
        check_people(data, promise.k, job)
    if isinstance(promise, LmDiversity | Cahd):
        _check_shares(data, promise)
    if isinstance(promise, Coherence):
        _check_single_items(data, promise)


def check_people(data: BasketData, k: int, job: Job | None = None) -> None:
    """Fewer than k people with anything to publish cannot hide each other.

    With a job, the message says what its method reaches, else what no method exceeds.
    """
    indptr, items, leaf_of_item = data.attackable()
    records = indptr.size - 1
    if records == 0 or (leaf_of_item.size == 0 and data.leaf_of_item.size > 0):
        return
    people = int(np.count_nonzero(np.diff(indptr)))
    have = "are not empty"
    if leaf_of_item.size < data.leaf_of_item.size:
        have = "hold an item that is not sensitive"
    if len(data.trees) > 1:  # one column can be published alone, all others suppressed
        have += " in the same column"
        column_of = data.column_of_known()[items]
        row = np.repeat(np.arange(records), np.diff(indptr))
        held = (np.bincount(row[column_of == number], minlength=records) for number in range(len(data.trees)))
        people = max(int(np.count_nonzero(each)) for each in held)
    if people < k:
        reach = _reach(data, people, job) if people > 1 else "No k above 1 could be reached"
        raise PromiseError(
            f"k = {k}, but only {people:,} of {records:,} baskets {have}, so that only empty baskets could be "
            f"published.\n  {reach}."
        )


def _reach(data: BasketData, people: int, job: Job | None) -> str:
    """The k that the job's method reaches where so many people hide each other at most; a limit if it is not known."""
    method = method_for(job.promise.name, job.method.name)[0] if job else None
    if method == "suppression":
        return _reach_by_suppression(data, f"k = {people} by the method 'best'")
    if method == "partition" and len(data.trees) == 1:
        from tacit.baskets.solvers.partition import largest_k  # kernels that only this method needs

        k = largest_k(people, len(data.items.baskets) - people)
        return f"k = {k} could be reached" if k > 1 else "No k above 1 could be reached"
    merges_all = job is not None and len(data.trees) == 1 and "constraints" not in job.method.options
    if merges_all or method in ("best", "hghs", "mhghs"):  # of several columns these suppress all but one
        return f"k = {people} could be reached"
    return f"No method can reach more than k = {people}"


def _reach_by_suppression(data: BasketData, otherwise: str) -> str:
    """Items that are suppressed as a whole leave no more people alike than have the most frequent one."""
    items = data.items.baskets.items
    most = int(np.bincount(items[data.leaf_of_item[items] >= 0]).max(initial=0))
    if most > 1:
        return f"k = {most:,} could be reached, as many as hold the most frequent item, or {otherwise}"
    return f"No k above 1 could be reached by suppression, but {otherwise}"


def _check_shares(data: BasketData, promise: LmDiversity | Cahd) -> None:
    """A sensitive item that too many people have can be told of anybody, whatever is done to the other items."""
    (indptr, secrets), baskets = data.sensitive(), data.items.baskets
    if secrets.size == 0:
        return
    counts = np.bincount(secrets)
    most, records = int(counts.max()), indptr.size - 1
    name, bound = ("ℓ", promise.l) if isinstance(promise, LmDiversity) else ("p", promise.p)
    if most * Fraction(bound).limit_denominator(_FINEST) > records:
        item = baskets.vocabulary[np.flatnonzero(data.leaf_of_item < 0)[counts.argmax()]]
        largest = _largest_l(data) if name == "ℓ" else records // most
        reach = f"{name} = {largest:.12g} could be reached" if largest > 1 else f"No {name} above 1 could be reached"
        if name == "ℓ" and largest > 1 and len(data.trees) > 1:  # columns have no root in common
            reach = f"No method can reach more than ℓ = {largest:.12g}"
        raise PromiseError(
            f"{name} = {bound:g}, but the sensitive item {item!r} is in {most:,} of {records:,} baskets: more than "
            f"1/{bound:g} of them, whatever is done to the others.\n  {reach}."
        )


def _largest_l(data: BasketData) -> float:
    """The largest ℓ with every public item published as the root, rounded down so that it can be set.

    Whoever knows the root knows that a basket has public items, and those baskets may be less diverse than all.
    """
    (indptr, secrets), known = data.sensitive(), np.diff(data.attackable()[0]) > 0
    beside_items = secrets[np.repeat(known, np.diff(indptr))]
    groups = (known.size, secrets), (int(known.sum()), beside_items)
    shares = [Fraction(people, int(np.bincount(held).max())) for people, held in groups if held.size]
    return math.floor(min(shares) * 1000) / 1000


def _check_single_items(data: BasketData, promise: Coherence) -> None:
    """An item that breaks (h, k, p)-coherence alone must go; if all do, nothing is left."""
    baskets, secret = data.items.baskets, data.leaf_of_item < 0
    known = np.flatnonzero(~secret)
    if known.size == 0 or len(baskets) == 0:
        return
    people = np.bincount(baskets.items, minlength=secret.size)
    row = np.repeat(np.arange(len(baskets)), baskets.lengths)
    wanted = np.flatnonzero(secret[baskets.items])
    beside, held = take_rows(baskets.indptr, baskets.items, row[wanted])  # what each sensitive item is seen with
    pairs = held.astype(np.int64) * secret.size + np.repeat(baskets.items[wanted], np.diff(beside))
    pair, count = np.unique(pairs, return_counts=True)
    most = np.zeros(secret.size, np.int64)  # people who hold the item and one and the same sensitive item
    np.maximum.at(most, pair // secret.size, count)
    h = Fraction(promise.h).limit_denominator(_FINEST)
    harmless = most * h.denominator <= people * h.numerator
    if (harmless & (people >= promise.k))[known].any():
        return
    k = int(people[known][harmless[known]].max(initial=0))
    frequent = known[people[known] >= promise.k]
    share = min((Fraction(int(most[i]), int(people[i])) for i in frequent.tolist()), default=Fraction(1))
    reach = [f"k = {k:,} for h = {promise.h:g}"] if k > 1 else []
    if frequent.size:
        reach.append(f"h = {math.ceil(share * 1000) / 1000:g} for k = {promise.k:,}")
    raise PromiseError(
        f"Every item that is not sensitive is in fewer than {promise.k:,} baskets, or more than {promise.h:g} of them "
        "hold one and the same sensitive item, so that only empty baskets could be published.\n  "
        f"{' or '.join(reach) or 'No k above 1'} could be reached."
    )


def check_outcome(data: BasketData, applied: Applied, method: str) -> None:
    """A release of empty baskets keeps every promise, and is worth nothing."""
    codes = _codes_of(data.leaf_of_item >= 0, data, applied)
    if codes.size and codes.max() < 0:
        raise PromiseError(
            f"The method {method!r} would suppress every item, so that only empty baskets could be published.\n"
            f"  {_reach_by_suppression(data, 'this promise by a method that generalizes')}."
        )


def notes_on(items: ItemColumns, trees: Mapping[str, Taxonomy], *, climbs: bool = True) -> Iterator[str]:
    """What reading the data had to decide; `climbs` if the method generalizes along hierarchies."""
    met = items.baskets.notes
    if met.duplicates:
        yield f"items that stood twice in their basket, counted once because a basket is a set: {met.duplicates:,}"
    if met.dropped:
        yield f"items left out because they mean 'no value': {met.dropped:,}"
    for column in items.columns:
        if column.name in trees:
            yield from (f"hierarchy of {column.name!r}: {note}" for note in trees[column.name].notes)
        elif climbs:
            yield (
                f"column {column.name!r} has no hierarchy, so its items can only be kept, suppressed, or all be "
                "merged; `tacit hierarchy build` makes one"
            )


def notes_on_plain(table: pa.Table, job: Job) -> Iterator[str]:
    """Warns of columns that nothing protects if they tell people apart."""
    for column in job.columns_with("plain"):
        values = table[column.name]
        if pa.types.is_nested(values.type) and not pa.types.is_dictionary(values.type):
            continue
        different = len(pc.unique(values))
        if identifies(len(values), different):
            yield (
                f"column {column.name!r} is plain, so that nothing protects it, and has {different:,} different values "
                f"in {len(values):,} records: it may tell who is who, whatever the promise"
            )


def identifies(records: int, different: int) -> bool:
    """Whether a column with so many different values tells people apart; of few records it may be chance."""
    return records >= _CERTAINLY and different > _NEARLY_ALL * records


def warnings_about(data: BasketData, applied: Applied) -> Iterator[str]:
    """What the data's owner should know before handing the release on."""
    for number, (tree, column) in enumerate(zip(data.trees, data.items.columns, strict=True)):
        codes = _codes_of((data.leaf_of_item >= 0) & (data.items.column_of == number), data, applied)
        if len(tree) == 1 or not codes.size or not 0 <= codes.min() == codes.max():
            continue
        root = tree.names[0]
        if applied.names[number][codes[0]] == root:
            yield f"all items of {column.name!r} became {root!r}: only empty baskets can be told from the others"


def _codes_of(is_wanted: np.ndarray, data: BasketData, applied: Applied) -> np.ndarray:
    """By which names the wanted items are published: the code of every occurrence of one."""
    return applied.code if is_wanted.all() else np.compress(is_wanted[data.items.baskets.items], applied.code)
