"""Every promise at its very bound: what just keeps it passes, without one certain record it fails, and so it does for
a promise that asks for a little more. With few records, and with thousands, where a bound that is off by a thousandth
would be off by records."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pytest

import tacit
from exams.coarse import along
from support.commands import tacit as command
from support.commands import write_csv
from support.definitions import written_out
from tacit import (
    Cahd,
    Coherence,
    KAnonymity,
    KEpsAnonymity,
    KKmAnonymity,
    KLmDiversity,
    KmAnonymity,
    LDiversity,
    LmDiversity,
    SlicedDiversity,
    TransactionalK,
)
from tacit.job import ROLE_KEYS
from tacit.promises import MODELS, Promise

Rows = list[dict[str, Any]]


class Edge(NamedTuple):
    """Published rows that just keep a promise."""

    promise: Promise
    spare: Rows
    """Rows that the promise does not depend on."""
    needed: Rows
    """Rows none of which can be spared."""
    roles: dict[str, Any]
    stricter: list[Promise]
    """Promises that these rows do not keep, by a little."""

    def audit(self, rows: Rows, promise: Promise) -> bool | None:
        return tacit.audit(pa.Table.from_pylist(rows), promise, **self.roles).satisfied


def baskets(*items: str, times: int = 1, **cells: object) -> Rows:
    return [{**cells, "basket": list(items)}] * times


BASKETS = {"items": "basket"}
WITH_SENSITIVE = {"items": "basket", "sensitive_items": ["s"]}


def km(n: int) -> Iterator[Edge]:
    k, more = n + 1, baskets("a", times=n + 2) + baskets("b", times=n + 2)
    for m in (2, 3, math.inf):
        yield Edge(KmAnonymity(k, m), more, baskets("a", "b", times=k), BASKETS, [KmAnonymity(k + 1, m)])
    yield Edge(KmAnonymity(k, 1), baskets("b", times=k + 1), baskets("a", times=k), BASKETS, [KmAnonymity(k + 1, 1)])
    for m in (3, 5, math.inf):
        pairs = baskets("a", "b", times=2) + baskets("b", "c", times=2) + baskets("a", "c", times=2)
        rows = baskets("a", "b", "c", times=k)
        yield Edge(KmAnonymity(k, m), pairs, rows, BASKETS, [KmAnonymity(k + 1, m)])
    once = baskets("a", "b", "c") + baskets("a", "b", times=n) + baskets("b", "c", times=n) + baskets("a", "c", times=n)
    yield Edge(KmAnonymity(k, 2), [], once, BASKETS, [KmAnonymity(k, 3), KmAnonymity(k + 1, 2)])


def lm(n: int) -> Iterator[Edge]:
    for l, sick, well in ((2, 1, 1), (2.5, 2, 3), (7 / 3, 3, 4), (1.25, 4, 1)):  # noqa: E741
        spare = baskets("a", "s", times=sick * n) + baskets("b", times=n)
        for m in (1, 2, math.inf):
            stricter: list[Promise] = [LmDiversity(l + 1e-4, m)]
            yield Edge(LmDiversity(l, m), spare, baskets("a", times=well * n), WITH_SENSITIVE, stricter)
    spare = baskets("a", "b", "s", times=n) + baskets("a", times=2 * n) + baskets("b", times=2 * n)
    yield Edge(LmDiversity(2, 2), spare, baskets("a", "b", times=n), WITH_SENSITIVE, [LmDiversity(2.0001, 2)])
    yield Edge(LmDiversity(3, 1), baskets("s", times=n), baskets(times=2 * n), WITH_SENSITIVE, [LmDiversity(3.0001, 1)])


def coherence(n: int) -> Iterator[Edge]:
    for h, sick, well in ((0.5, 1, 1), (0.4, 2, 3), (1 / 3, 1, 2), (0.8, 4, 1)):
        spare = baskets("a", "s", times=sick * n) + baskets("b", times=n)
        for p in (1, 2):
            stricter: list[Promise] = [Coherence(h - 1e-4, 1, p)]
            yield Edge(Coherence(h, 1, p), spare, baskets("a", times=well * n), WITH_SENSITIVE, stricter)
    k = n + 1
    spare = baskets("a", times=k) + baskets("b", times=k) + baskets("s", times=2)
    yield Edge(Coherence(1, k, 2), spare, baskets("a", "b", times=k), WITH_SENSITIVE, [Coherence(1, k + 1, 2)])


def transactional(n: int) -> Iterator[Edge]:
    k = n + 1
    for items in (("a", "b"), ("a",), ()):
        spare = baskets("a", "b", "c", times=k + 1)
        yield Edge(TransactionalK(k), spare, baskets(*items, times=k), BASKETS, [TransactionalK(k + 1)])


def cahd(n: int) -> Iterator[Edge]:
    other = baskets("b", "s", group=2) + baskets("b", group=2, times=9)
    for p in (2, 3, 7):
        spare = baskets("a", "s", group=1, times=n) + other
        yield Edge(Cahd(p), spare, baskets("a", group=1, times=(p - 1) * n), WITH_SENSITIVE, [Cahd(p + 1)])


def person(times: int = 1, **cells: object) -> Rows:
    return [cells] * times


QUASI = {"quasi": ["age", "sex"]}


def k_anonymity(n: int) -> Iterator[Edge]:
    k = n + 1
    spare = person(k + 1, age="[20:30]", sex="m") + person(k + 1, age="[31:40]", sex="f")
    yield Edge(KAnonymity(k), spare, person(k, age="[20:30]", sex="f"), QUASI, [KAnonymity(k + 1)])


def l_diversity(n: int) -> Iterator[Edge]:
    def having(illness: str, times: int, sex: str = "f") -> Rows:
        return person(times, age="*", sex=sex, illness=illness)

    roles = {**QUASI, "sensitive": ["illness"]}
    fine = [row for i in range(12) for row in having(f"i{i}", n, "m")]
    for l, shares in ((2, (1, 1)), (2.5, (2, 2, 1)), (7 / 3, (3, 3, 1)), (1.5, (2, 1))):  # noqa: E741
        rows = [row for i, share in enumerate(shares) for row in having(f"i{i}", share * n)]
        yield Edge(LDiversity(1, l), fine + rows[:-1], rows[-1:], roles, [LDiversity(1, l + 1e-4)])
    for l in (2, 4):  # noqa: E741
        needed = [row for i in range(l) for row in having(f"i{i}", n)]
        stricter: list[Promise] = [LDiversity(1, l + 1e-4, "entropy")]
        yield Edge(LDiversity(1, l, "entropy"), fine, needed, roles, stricter)
    needed = [row for i in range(3) for row in having(f"i{i}", 1)]
    spare = fine + having("flu", n)
    yield Edge(LDiversity(1, 4, "distinct"), spare, needed, roles, [LDiversity(1, 5, "distinct")])
    k = 4 * n
    needed = [row for i in range(4) for row in having(f"i{i}", n)]
    yield Edge(LDiversity(k, 2), fine, needed, roles, [LDiversity(k + 1, 2)])


def k_km(n: int) -> Iterator[Edge]:
    k, roles = n + 1, {"quasi": ["sex"], "items": "basket"}
    other = baskets("a", "b", "c", times=4 * k, sex="m")
    spare = other + baskets("a", times=k, sex="f") + baskets("b", times=k, sex="f")
    for m in (2, math.inf):
        yield Edge(KKmAnonymity(k, m), spare, baskets("a", "b", times=k, sex="f"), roles, [KKmAnonymity(k + 1, m)])
    needed = baskets("a", times=k, sex="f")
    yield Edge(KKmAnonymity(k, 1), other, needed, roles, [KKmAnonymity(k + 1, 1)])
    yield Edge(KKmAnonymity(k, 1), other, baskets(times=k, sex="f"), roles, [KKmAnonymity(k + 1, 1)])


def k_lm(n: int) -> Iterator[Edge]:
    roles = {"quasi": ["sex"], **WITH_SENSITIVE}
    other = baskets("a", times=4 * n, sex="m")
    for l, sick, well in ((2, 1, 1), (2.5, 2, 3), (7 / 3, 3, 4)):  # noqa: E741
        spare = [*other, *baskets("a", "s", times=sick * n, sex="f"), *baskets("b", times=n, sex="f")]
        for m in (1, 2, math.inf):
            stricter: list[Promise] = [KLmDiversity(1, l + 1e-4, m)]
            yield Edge(KLmDiversity(1, l, m), spare, baskets("a", times=well * n, sex="f"), roles, stricter)
    k = n + 1
    needed = baskets("a", times=k, sex="f")
    spare = baskets("a", times=4 * k, sex="m") + baskets("a", "s", sex="m")
    yield Edge(KLmDiversity(k, 2, 1), spare, needed, roles, [KLmDiversity(k + 1, 2, 1)])


def sliced(n: int) -> Iterator[Edge]:
    """One bucket in which everybody fits everywhere, and one that nobody needs to fear."""
    roles = {"quasi": ["age"], "sensitive": ["illness"]}

    def row(bucket: int, illness: str, times: int) -> Rows:
        return [{"bucket": bucket, "1.age": str(30 + bucket), "2.illness": illness}] * times

    fine = [each for i in range(8) for each in row(2, f"i{i}", n)]
    for l, shares in ((2, (1, 1)), (2.5, (2, 2, 1)), (3, (1, 1, 1))):  # noqa: E741
        rows = [each for i, share in enumerate(shares) for each in row(1, f"i{i}", share * n)]
        for joint in (False, True):
            stricter: list[Promise] = [SlicedDiversity(l + 1e-4, joint)]
            yield Edge(SlicedDiversity(l, joint), fine + rows[:-1], rows[-1:], roles, stricter)


def k_eps(n: int) -> Iterator[Edge]:
    roles = {"rating": ["x", "y"], "scale": (1, 5), "step": 1}

    def rated(x: int, y: int | None, times: int) -> Rows:
        return [{"x": x, "y": y}] * times

    k = n + 1
    for eps in (0, 1):
        spare = rated(5, 5, k + 1) + rated(5, None, k + 1)
        stricter: list[Promise] = [KEpsAnonymity(k + 1, eps), KEpsAnonymity(k + 1, eps + 1)]
        yield Edge(KEpsAnonymity(k, eps), spare, rated(1, 1, k), roles, stricter)
    needed = rated(2, 1, 1) + rated(3, 1, n)
    yield Edge(KEpsAnonymity(k, 1), [], needed, roles, [KEpsAnonymity(k, 0.99), KEpsAnonymity(k + 1, 1)])
    pairs = [{"x": 10 * i + j, "y": 1} for i in range(2 * n) for j in (0, 1)]
    wide = {**roles, "scale": (0, 20 * n + 1)}
    yield Edge(KEpsAnonymity(2, 1), [], pairs, wide, [KEpsAnonymity(2, 0.99), KEpsAnonymity(3, 8)])
    yield from k_eps_diverse(n)


def k_eps_diverse(n: int) -> Iterator[Edge]:
    roles = {"rating": ["x", "y"], "sensitive": ["y"], "scale": (1, 5), "step": 1}
    for l, shares in ((2, (1, 1)), (2.5, (2, 2, 1)), (3, (1, 1, 1))):  # noqa: E741
        rows = [{"x": 1, "y": 1 + i} for i, share in enumerate(shares) for _ in range(share * n)]
        stricter: list[Promise] = [KEpsAnonymity(1, 0, l + 1e-4)]
        yield Edge(KEpsAnonymity(1, 0, l), rows[:-1], rows[-1:], roles, stricter)


def exact_slices(folder: Path, rows: Rows, l: float) -> int:  # noqa: E741
    """The exit code of the audit that sees the original, which the published rows are a true slicing of."""
    write_csv(folder / "published.csv", [{name: str(cell) for name, cell in row.items()} for row in rows])
    original = [{"age": row["1.age"], "illness": row["2.illness"]} for row in rows]
    write_csv(folder / "people.csv", original)
    (folder / "job.toml").write_text(
        '[input]\nsource = "people.csv"\n[columns.age]\nrole = "quasi"\n[columns.illness]\nrole = "sensitive"\n'
        f'[privacy]\nmodel = "sliced-l"\nl = {l!r}\n'
    )
    return command("audit", folder / "job.toml", folder / "published.csv", "--original").code


EDGES: dict[str, Callable[[int], Iterator[Edge]]] = {
    "km": km,
    "lm": lm,
    "coherence": coherence,
    "transactional-k": transactional,
    "cahd": cahd,
    "k": k_anonymity,
    "l": l_diversity,
    "k-km": k_km,
    "k-lm": k_lm,
    "sliced-l": sliced,
    "k-eps": k_eps,
}


later = pytest.mark.parametrize("model", [model for model in MODELS if model not in EDGES])


class Bound(NamedTuple):
    """What the definition of a promise that came later, written out, knows to be just at a bound."""

    promise: Promise
    roles: dict[str, Any]
    kept: pa.Table
    broken: pa.Table
    """The same with one record less."""

    def keeps(self, table: pa.Table, promise: Promise) -> bool | None:
        return tacit.audit(table, promise, **self.roles).satisfied


def bounds_of(model: str) -> list[Bound]:
    return [Bound(*each) for each in written_out(MODELS[model]).at_the_bound()]


@later
def test_the_bounds_of_a_promise_that_came_later(model: str) -> None:
    for bound in bounds_of(model):
        assert {role for role in bound.roles if role in ROLE_KEYS} == set(MODELS[model].roles)
        assert bound.keeps(bound.kept, bound.promise) is True
        assert bound.keeps(bound.broken, bound.promise) is False
        assert abs(bound.kept.num_rows - bound.broken.num_rows) == 1 and bound.kept.num_rows >= 2000


@later
def test_every_parameter_has_a_bound(model: str) -> None:
    """For each there is a table that would keep the promise, if this parameter alone were weaker."""
    for parameter in MODELS[model].takes:
        weaker = ((bound, other) for bound in bounds_of(model) for other in along(bound.promise, parameter))
        is_broken_by_it = any(bound.keeps(bound.broken, other) for bound, other in weaker)
        assert is_broken_by_it, f"no table of at_the_bound is about {parameter}"


@pytest.mark.parametrize("model", EDGES)
def test_a_bound_is_about_the_columns_that_the_promise_is_about(model: str) -> None:
    assert all(set(MODELS[model].roles) <= set(edge.roles) for edge in EDGES[model](1))


@pytest.mark.parametrize("n", [1, 2, 7, 2000])
@pytest.mark.parametrize("model", EDGES)
def test_the_bound_is_where_it_is_promised_to_be(model: str, n: int) -> None:
    for edge in EDGES[model](n):
        rows = edge.spare + edge.needed
        assert edge.audit(rows, edge.promise) is True, edge.promise
        for without in {0, len(edge.needed) - 1}:
            fewer = [*edge.spare, *edge.needed[:without], *edge.needed[without + 1 :]]
            assert edge.audit(fewer, edge.promise) is False, f"{edge.promise}, one record less"
        for promise in edge.stricter:
            assert edge.audit(rows, promise) is False, promise


@pytest.mark.parametrize("n", [1, pytest.param(2000, marks=pytest.mark.slow)])
def test_the_exact_audit_of_slices_has_the_same_bound(n: int, tmp_path: Path) -> None:
    for edge in sliced(n):
        l = edge.promise.parameters()["l"]  # noqa: E741
        assert exact_slices(tmp_path, edge.spare + edge.needed, l) == 0
        assert exact_slices(tmp_path, edge.spare, l) == 1
        assert exact_slices(tmp_path, edge.spare + edge.needed, l + 1e-4) == 1
