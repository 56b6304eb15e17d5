"""The audit of every promise says what its definition, written out, says: on small tables that keep it, or just do not.

These tables can tell: whoever overlooks a parameter, a column or a sensitive item is wrong about one of them at least.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest

import tacit
from exams.coarse import Coarse, along, coarse_case, drawn_promise
from tacit.audits import AuditResult
from tacit.promises import MODELS, Promise
from tacit.promises.base import is_number

Otherwise = Callable[[Coarse, Promise], Iterable[bool]]
TABLES, MOST_DRAWN = 60, 600


class Judged(NamedTuple):
    """A table, a promise, and whether the table keeps it by the definition."""

    case: Coarse
    promise: Promise
    holds: bool


CHANGES_NOTHING = {
    ("sliced-l", "joint"): "a combination of values is never more probable than one of them",
}
"""Parameters on which no verdict hangs, and why."""
every_promise = pytest.mark.parametrize("model", MODELS)


@cache
def examined(model: str) -> list[Judged]:
    """As many that keep their promise as do not, by the definition."""
    found: list[Judged] = []
    for seed in range(MOST_DRAWN):
        found += at_an_edge(model, seed)
        if len(found) == TABLES:
            break
    return found


def at_an_edge(model: str, seed: int) -> list[Judged]:
    """A table, with a promise that it keeps and one that it does not, which is a little stricter; or none."""
    rng = np.random.default_rng([seed, 1])
    promise = drawn_promise(model, rng)
    case, parameter = coarse_case(promise, seed), rng.choice(list(MODELS[model].takes))
    judged = [Judged(case, each, case.definition(each)) for each in along(promise, parameter)]
    edges = [[one, other] for one, other in pairwise(judged) if one.holds is not other.holds]
    return edges[0] if edges else []


def edges(model: str) -> Iterator[tuple[Judged, Judged]]:
    """Of the examined two by two that differ in one parameter, and in the verdict."""
    found = examined(model)
    return zip(found[::2], found[1::2], strict=True)


@cache
def audited(model: str) -> list[tuple[Judged, AuditResult]]:
    return [(one, one.case.audit(one.promise)) for one in examined(model)]


@every_promise
def test_the_audit_says_what_the_definition_says(model: str) -> None:
    for seed, (one, result) in enumerate(audited(model)):
        assert result.satisfied is one.holds, f"{one.promise} on table {seed}"


@every_promise
def test_a_file_alone_is_never_told_to_keep_what_it_does_not_keep(model: str) -> None:
    """Nor the other way round: what an audit cannot tell without the original it leaves open."""
    told = Counter[bool | None]()
    for seed, (case, promise, holds) in enumerate(examined(model)):
        verdict = tacit.audit(case.table, promise, **case.roles).satisfied
        assert verdict in ((holds, None) if case.original is not None else (holds,)), f"{promise} on table {seed}"
        told[verdict] += 1
    assert told[True] and told[False]


@every_promise
def test_there_are_tables_of_both_sorts(model: str) -> None:
    verdicts = Counter(holds for _, _, holds in examined(model))
    assert min(verdicts[True], verdicts[False]) >= 5, verdicts


@every_promise
def test_a_verdict_hangs_on_every_parameter(model: str) -> None:
    for parameter in MODELS[model].takes:

        def with_another(case: Coarse, promise: Promise, name: str = parameter) -> Iterator[bool]:
            return (case.definition(other) for other in along(promise, name))

        assert matters(model, with_another) != ((model, parameter) in CHANGES_NOTHING), parameter


@every_promise
def test_less_of_a_parameter_promises_more_where_the_promise_says_so_and_only_there(model: str) -> None:
    stricter_below = MODELS[model].stricter_below
    looked_at = set()
    for one, other in edges(model):
        kept, broken = (one.promise, other.promise) if one.holds else (other.promise, one.promise)
        for name in MODELS[model].takes:
            less, more = getattr(broken, name), getattr(kept, name)
            if less != more and all(map(is_number, (less, more))):
                looked_at.add(name)
                assert (less < more) is (name in stricter_below), name
    assert looked_at >= set(stricter_below)


@every_promise
def test_a_verdict_hangs_on_every_column_and_sensitive_item(model: str) -> None:
    roles = examined(model)[0][0].roles
    for role in ("quasi", "sensitive", "sensitive_items"):
        names = roles.get(role, [])
        if is_looked_at(model, role, names):
            assert [name for name in names if not matters(model, overlooking(name))] == [], role


@every_promise
def test_the_weakest_promise_is_kept_by_all_tables(model: str) -> None:
    weakest = MODELS[model].weakest
    if weakest is not None:
        assert all(one.case.definition(MODELS[model](**weakest)) for one in examined(model))


@every_promise
def test_no_guess_is_better_than_the_bound_and_some_is_as_good(model: str) -> None:
    told = [(one.case.best_guess(one.promise), one.promise.bound) for one in examined(model) if one.holds]
    assert all(guess <= bound for guess, bound in told)
    assert any(guess == bound for guess, bound in told), "the bound is never reached"


def is_looked_at(model: str, role: str, names: list[str]) -> bool:
    """Whether the promise is about these. If it says so, its definition must be, too."""
    says_so = role in MODELS[model].roles or (role == "sensitive_items" and MODELS[model].about_sensitive_items)
    looks = matters(model, overlooking(*names))
    assert looks or not says_so, f"the definition never looks at {role}"
    return looks


def overlooking(*names: str) -> Otherwise:
    return lambda case, promise: [case.without(*names).definition(promise)]


def matters(model: str, otherwise: Otherwise) -> bool:
    """Whether some table is judged differently by somebody who looks at it otherwise."""
    return any(verdict is not holds for case, promise, holds in examined(model) for verdict in otherwise(case, promise))
