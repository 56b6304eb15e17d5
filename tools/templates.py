"""The files of a new method and of a new promise, as they are before anybody has written them.

What is still open says so, in the word `OPEN`; the exam refuses whatever still holds it (tests/exams/test_complete.py).
"""

from __future__ import annotations

OPEN = "still open"
NAMES = {  # of each kind of data: what a method gets, what it decides, and what an audit sees
    "baskets": ("baskets.data.BasketData", "recoding.CutRecoding", "audits.views.baskets.BasketView"),
    "records": ("records.data.RecordData", "records.recoding.RecordRecoding", "audits.views.records.RecordView"),
    "slices": ("slices.data.PersonTable", "slices.recoding.SliceRecoding", "audits.views.slices.SliceView"),
    "ratings": ("ratings.data.Ratings", "ratings.recoding.IntervalRecoding", "audits.views.ratings.RatingView"),
}
ROLES = {"baskets": '("items",)', "records": '("quasi",)', "slices": '("quasi", "sensitive")', "ratings": '("rating",)'}

HINTS = {
    "records": """

    Who is together is enough: `rows_of_groups` of naive.groups says what is published of that.
    """
}
"""What helps to write the twin of a method for this kind of data."""

METHOD = '''"""{name}: still open: what it does in a line (authors, venue and year)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacit.methods import Method

if TYPE_CHECKING:
    from tacit.{data_module} import {data}
    from tacit.{recoding_module} import {recoding}


def search(data: {data}, promise: Any, *, seed: int, progress: Any, **options: Any) -> {recoding}:
    """Still open: the search. NumPy and Numba are imported in here; what is long goes to ../solvers/."""
    raise NotImplementedError("{name} is still open")


METHOD = Method(
    "{name}",
    "still open: what it does in half a sentence (authors and year)",
    {{{makes}}},
    publishes="still open: what its releases look like",
)
'''

METHOD_PAGE = """# {name}

Still open: authors, title, venue and year of the paper.

<!-- method:start -->
<!-- method:end -->

## What it does

Still open: in the words of somebody who does not read papers.

## The search

```
still open: the algorithm in a few lines, with what is done about ties
```

## Why the promise holds

Still open.

## Where we differ from the paper

Still open.

## Limits

Still open.
"""

METHOD_TWIN = '''"""Slow twin of {name} (still open: authors and year), on Python's own lists, sets and dictionaries."""

from __future__ import annotations

from typing import Any

from exams.cases import Case

TWIN_OF = ("{name}",)


def publishes(case: Case, promise: Any, **given: Any) -> list[dict[str, Any]]:
    """The rows that the method must publish of a case, in any order; `given` has the method and the seed.{hint}"""
    raise AssertionError("{name}: the twin is still open. Write the paper's words out here, as plainly as can be")
'''

PROMISE = '''"""{name}: still open: how the field calls it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from tacit.promises.base import WHOLE, K, Promise


@dataclass(frozen=True)
class {promise}(Promise):
    """Still open: the promise in a line."""

    name: ClassVar[str] = "{name}"
    title: ClassVar[str] = "still open: how the field calls it"
    stops: ClassVar[str] = "still open: what nobody can do, as in: finds a person by the quasi-identifiers"
    not_stopped: ClassVar[str] = "Still open: what it does not stop, in a sentence."
    says: ClassVar[str] = "still open: the promise by its parameters, as in: `k` people share what is known"
    takes: ClassVar[Mapping[str, str]] = {{"k": K}}
    accepts: ClassVar[Mapping[str, str]] = {{"k": WHOLE}}
    example: ClassVar[Mapping[str, Any]] = {{"k": 5}}
    weakest: ClassVar[Mapping[str, Any] | None] = {{"k": 1}}
    kind_of_data: ClassVar[str] = "{kind}"
    # What a job must have; with "sensitive" if it is about such columns: else one that is absent would not be missed.
    roles: ClassVar[tuple[str, ...]] = {roles}
    default_method: ClassVar[str] = "still open: a method whose file makes it"
    audit: ClassVar[str] = "tacit.audits.{module}"
    reach: ClassVar[str] = "still open: a function of tacit.{kind}.reach, written module:name"
    k: int

    def __post_init__(self) -> None:
        self._check_whole("k", 1)

    @property
    def bound(self) -> Fraction:
        return Fraction(1, self.k)

    def finds(self, *, quasi: bool = False, items: float = 0, absent: bool = False) -> Fraction | None:
        """Still open: by what knowledge; and `learns`, if it bounds what is learned. Attackers are held to both."""
        return None

    def in_words(self, **facts: Any) -> str:
        return f"Still open: the promise for people who do not read papers, with k = {{self.k}}."
'''

AUDIT = '''"""The audit of {name}.

The attacker's story: still open: what I know, what I look for, and what I find in the file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.audits.result import AuditResult

if TYPE_CHECKING:
    from tacit.{view_module} import {view}
    from tacit.promises.{module} import {promise}


def audit(view: {view}, promise: {promise}, *, limit: int = 1000) -> AuditResult:
    """Still open: the verdict, exact; at most `limit` violations are listed. No method's code is used here.

    AuditResult(promise.name, promise.parameters(), satisfied, worst, violations, facts, explanation): `worst` is the
    weakest spot, wherever there is a record; `facts` has violation_count, violation_unit, records_affected, and in
    `level` what is reached of each parameter. k.py has an example.
    """
    raise NotImplementedError("the audit of {name} is still open")
'''

PROMISE_PAGE = """# {name}

<!-- promise:start -->
<!-- promise:end -->

## Definition

Still open: authors, title, venue and year of the paper; the definition, and what it leaves open.

## By hand

Still open: a table of a few rows, small enough to check by hand, and what the audit says of it. It runs as a test:

```python
print("still open")
```
```text
True
```

## Methods

<!-- methods:start -->
<!-- methods:end -->

## The audit

Still open: what it counts, what a violation is, and which level it tells.
"""

DEFINITION = '''"""Still open: the definition of {name} in a line."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pyarrow as pa

from naive.audits.attackers import Paths


def holds(table: pa.Table, promise: Any, roles: dict[str, Any]{original}) -> bool:
    """Whether a published table keeps the promise, by the definition written out."""
    raise AssertionError("{name}: the definition is still open. Write it out here, on the rows of the table")


def best_guess(table: pa.Table, promise: Any, roles: dict[str, Any]{original}) -> Fraction:
    """How often the attacker of the promise's sentence is right: in a table that keeps it, at most its `bound`."""
    raise AssertionError("{name}: the best guess is still open. Write it out here, on the rows of the table")


def attack(
    table: pa.Table, original: pa.Table, promise: Any, roles: dict[str, Any], paths: Paths
) -> Iterator[tuple[Fraction, Fraction]]:
    """The attacker of the promise's sentence, who knows the original: how often each guess is right, and may be."""
    raise AssertionError("{name}: its attacker is still open. Write here what the sentence lets somebody know")


def at_the_bound() -> Iterator[tuple[Any, dict[str, Any], pa.Table, pa.Table]]:
    """For each parameter: a promise, the roles of the columns, a table that just keeps it, and with one record less."""
    raise AssertionError("{name}: its bounds are still open. Write tables of 2,000 rows and more here")
'''
