"""Counts that somebody takes from a release of records or baskets: your own queries, or drawn ones, and their error.

The estimate is what published values say. One that was generalized is one value of its range, node or set, each as
likely; an item that was generalized is any non-empty set of the items that it stands for, each set as likely. For the
data's owner: true counts are those of the original.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from tacit.errors import InputError

if TYPE_CHECKING:
    from tacit.release import Release

Single = str | float | date | tuple[float, float] | tuple[date, date] | tuple[str, str] | None
Condition = Single | Collection[Single]


@dataclass(frozen=True)
class Query:
    """How many people have these values, by column, and all of these items?

    A condition on a column is a value by its text, a group of its hierarchy, a number or date, a pair of them (lowest,
    highest), or a list of any of these, one of which must hold. A pair of dates may be of texts. None or the empty text
    is a missing value. With several columns of items, write COLUMN:ITEM.

    >>> Query({"age": (20, 30), "origin": ["Europe", "Algeria"]}, ("E", "F"))
    Query(values={'age': (20, 30), 'origin': ['Europe', 'Algeria']}, items=('E', 'F'))
    """

    values: Mapping[str, Condition] = field(default_factory=dict)
    items: Collection[str] = ()


class Answer(NamedTuple):
    """What one query counts in the original, and what the release lets somebody expect."""

    query: Query
    true: int
    estimate: float
    error: float
    """|estimate − true| ÷ true, or ÷ the sanity bound where that is greater."""


@dataclass(frozen=True)
class QueryErrors:
    """The answers to all queries of a workload, and their average relative error."""

    answers: tuple[Answer, ...]
    sanity_bound: float
    """What a true count is at least taken for, so that rare queries do not decide all."""

    @property
    def are(self) -> float | None:
        """The average relative error; None without a query."""
        return sum(answer.error for answer in self.answers) / len(self.answers) if self.answers else None

    def __str__(self) -> str:
        if self.are is None:
            return "no queries"
        bound = f"a true count is taken for {self.sanity_bound:g} at least"
        return f"ARE {self.are:.4g} over {len(self.answers):,} queries; {bound}"


def query_error(
    release: Release, queries: Iterable[Query], *, sanity_bound: float = 1.0, even: bool = False
) -> QueryErrors:
    """What each query counts in the original, what is to be expected from the release, and how far that is off.

    Counted on all records. Columns are quasi-identifiers and sensitive ones; items may be sensitive, too. A name that
    stands for several items is any non-empty set of them, each as likely; with `even` it is one of them.
    """
    from tacit.records.measures.queries import answers, basket_answers

    if not sanity_bound > 0:
        raise InputError(f"the sanity bound is {sanity_bound:g}, but it must be above 0")
    asked = list(queries)
    count = basket_answers if _kind(release) == "baskets" else answers
    counts = count(release.before, release.applied, asked, even=even)
    return QueryErrors(
        tuple(
            Answer(query, true, estimate, abs(estimate - true) / max(true, sanity_bound))
            for query, (true, estimate) in zip(asked, counts, strict=True)
        ),
        sanity_bound,
    )


def draw_queries(
    release: Release, *, values: int = 0, items: int = 0, queries: int = 100, seed: int | None = None
) -> list[Query]:
    """Random queries for so many values and items, each true of somebody drawn at random.

    Values are those of quasi-identifiers; no sensitive item is asked for. The same seed gives the same queries for
    every release of the same data.
    """
    from tacit.records.measures.queries import workload

    _kind(release)
    return workload(release.before, values=values, items=items, seed=seed, queries=queries)


def _kind(release: Release) -> str:
    """The kind of data, if queries about it can be answered."""
    kind = release.job.promise.kind_of_data
    if kind == "slices":
        raise InputError(
            "queries about a sliced table are answered elsewhere", hint="Use `count` of tacit.sliced on `release.data`."
        )
    if kind == "ratings":
        raise InputError("there are queries about records and baskets, and none about ratings")
    return kind
