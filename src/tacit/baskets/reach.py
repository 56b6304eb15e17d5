"""What no method can keep on some baskets: too few people to hide each other, a sensitive item that too many have.

A promise names the function that looks at the data for it; what it refuses, it refuses with what could be reached.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from tacit.arrays.encode import counted
from tacit.arrays.sparse import take_rows
from tacit.baskets.data import BasketData
from tacit.errors import PromiseError
from tacit.job import Job
from tacit.methods import method_for
from tacit.promises import exact

NO_METHOD = "No method can reach more than k = {people}"


def enough_people(data: BasketData, promise: Any, job: Job) -> None:
    """Fewer than k people with anything to publish cannot hide each other."""
    method = method_for(promise.name, job.method.name)
    check_people(data, promise.k, lambda people: method.reach(data, people, job.method.options))


def check_people(data: BasketData, k: int, reach: Any = lambda people: NO_METHOD.format(people=people)) -> None:
    """Refuses baskets of too few people; `reach` says what so many people let be reached."""
    indptr, items, leaf_of_item = data.attackable()
    each = data.items.baskets.people
    records = data.records
    if records == 0 or (leaf_of_item.size == 0 and data.leaf_of_item.size > 0):
        return
    people = int(each[np.diff(indptr) > 0].sum())
    have = "are not empty"
    if leaf_of_item.size < data.leaf_of_item.size:
        have = "hold an item that is not sensitive"
    if len(data.trees) > 1:  # one column can be published alone, all others suppressed
        have += " in the same column"
        column_of = data.column_of_known()[items]
        row = np.repeat(np.arange(each.size), np.diff(indptr))
        held = (np.bincount(row[column_of == index], minlength=each.size) for index in range(len(data.trees)))
        people = max(int(each[counts > 0].sum()) for counts in held)
    if people < k:
        told = reach(people) if people > 1 else "No k above 1 could be reached"
        raise PromiseError(
            f"k = {k}, but only {people:,} of {records:,} baskets {have}, so that only empty baskets could be "
            f"published.\n  {told}."
        )


def rare_enough(data: BasketData, promise: Any, job: Job) -> None:
    """A sensitive item in more than 1/ℓ of the baskets can be told of anybody, whatever is done to the other items."""
    largest = _largest_l(data)
    reach = f"ℓ = {largest:.12g} could be reached" if largest > 1 else "No ℓ above 1 could be reached"
    if largest > 1 and len(data.trees) > 1:  # columns have no root in common
        reach = f"No method can reach more than ℓ = {largest:.12g}"
    _check_shares(data, f"ℓ = {promise.l:g}", promise.bound, reach)


def rare_enough_in_groups(data: BasketData, promise: Any, job: Job) -> None:
    """A sensitive item in more than 1/p of the baskets is too frequent in some group of them."""
    most = _most_frequent(data)[1]
    largest = data.records // most if most else 0
    reach = f"p = {largest:.12g} could be reached" if largest > 1 else "No p above 1 could be reached"
    _check_shares(data, f"p = {promise.p:g}", promise.bound, reach)


def _most_frequent(data: BasketData) -> tuple[int, int]:
    """The sensitive item that most people have, and how many these are."""
    indptr, sensitive = data.sensitive()
    counts = counted(sensitive, 1, indptr, data.items.baskets.weight)
    return int(counts.argmax()), int(counts.max())


def _check_shares(data: BasketData, asked: str, bound: Fraction, reach: str) -> None:
    (item, most), records = _most_frequent(data), data.records
    if most > records * bound:
        label = data.items.baskets.vocabulary[np.flatnonzero(data.leaf_of_item < 0)[item]]
        raise PromiseError(
            f"{asked}, but the sensitive item {label!r} is in {most:,} of {records:,} baskets, whatever is done to the "
            f"others: {most / records:.4g} of them, and {float(bound):.4g} is allowed.\n  {reach}."
        )


def _largest_l(data: BasketData) -> float:
    """The largest ℓ with every public item published as the root, rounded down so that it can be set.

    Whoever knows the root knows that a basket has public items, and those baskets may be less diverse than all.
    """
    (indptr, sensitive), known = data.sensitive(), np.diff(data.attackable()[0]) > 0
    baskets = data.items.baskets
    whole = indptr, sensitive, baskets.people
    beside = take_rows(indptr, sensitive, np.flatnonzero(known))
    groups = whole, (*beside, baskets.people[known])
    shares = [
        Fraction(int(people.sum()), int(counted(held, 1, starts, people).max()))
        for starts, held, people in groups if held.size
    ]  # fmt: skip
    return math.floor(min(shares) * 1000) / 1000 if shares else math.inf


def some_item_left(data: BasketData, promise: Any, job: Job) -> None:
    """An item that breaks (h, k, p)-coherence alone must go; if all do, nothing is left.

    Before that, whoever knows no item at all must not learn too much: all baskets are those that fit.
    """
    baskets, is_sensitive = data.items.baskets, data.leaf_of_item < 0
    if 0 < baskets.records < promise.k:
        raise PromiseError(f"k = {promise.k}, but there are only {baskets.records:,} baskets.")
    least_h = math.ceil(Fraction(_most_frequent(data)[1], max(baskets.records, 1)) * 1000) / 1000
    _check_shares(data, f"h = {promise.h:g}", exact(promise.h), f"h = {least_h:g} could be reached")
    known = np.flatnonzero(~is_sensitive)
    if known.size == 0 or len(baskets) == 0:
        return
    indptr, items = data.meant()
    people = counted(items, is_sensitive.size, indptr, baskets.weight)
    row = np.repeat(np.arange(len(baskets)), np.diff(indptr))
    wanted = np.flatnonzero(is_sensitive[items])
    beside, held = take_rows(indptr, items, row[wanted])  # what each sensitive item is seen with
    pairs = held.astype(np.int64) * is_sensitive.size + np.repeat(items[wanted], np.diff(beside))
    pair, which = np.unique(pairs, return_inverse=True)
    count = np.zeros(pair.size, np.int64)
    np.add.at(count, which, np.repeat(baskets.people[row[wanted]], np.diff(beside)))
    most = np.zeros(is_sensitive.size, np.int64)  # people who hold the item and one and the same sensitive item
    np.maximum.at(most, pair // is_sensitive.size, count)
    h = exact(promise.h)
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


def by_merging(data: BasketData, people: int, options: Any) -> str:
    """What a method reaches that can publish all items of a column as one."""
    return f"k = {people} could be reached" if len(data.trees) == 1 else NO_METHOD.format(people=people)


def by_merging_in_sets(data: BasketData, people: int, options: Any) -> str:
    """The same, unless constraints forbid it."""
    return NO_METHOD.format(people=people) if "constraints" in options else by_merging(data, people, options)


def by_merging_or_suppressing(data: BasketData, people: int, options: Any) -> str:
    """Of several columns all but one can be suppressed."""
    return f"k = {people} could be reached"


def by_suppressing(data: BasketData, people: int, options: Any) -> str:
    """Items that are suppressed as a whole leave no more people alike than have the most frequent one."""
    return reach_of_suppression(data, f"k = {people} by the method 'best'")


def reach_of_suppression(data: BasketData, otherwise: str) -> str:
    """What suppression alone reaches, and what is to be had otherwise."""
    most = int(data.occurrences[data.leaf_of_item >= 0].max(initial=0))
    if most > 1:
        return f"k = {most:,} could be reached, as many as hold the most frequent item, or {otherwise}"
    return f"No k above 1 could be reached by suppression, but {otherwise}"


def by_equal_parts(data: BasketData, people: int, options: Any) -> str:
    """What is reached where every basket gets k − 1 equals."""
    if len(data.trees) > 1:
        return NO_METHOD.format(people=people)
    from tacit.baskets.solvers.partition import largest_k  # kernels that only this method needs

    k = largest_k(people, data.records - people)
    return f"k = {k} could be reached" if k > 1 else "No k above 1 could be reached"
