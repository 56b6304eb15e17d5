"""What a method decides depends on what the records hold: not on the order of the rows, nor on what labels are called.

Every method, for every promise that it makes, on small tables full of equal and half-equal records. Rows are put into
another order (in a long layout persons get other ids, too), and labels are renamed. Each time the same records must
meet with the same fate, by the same numbers of clusters, parts, buckets and cells, and the published rows must be the
same up to their order.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import tacit
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
    PromiseError,
    Release,
    SlicedDiversity,
    Taxonomy,
    TransactionalK,
)
from tacit.methods import METHODS
from tacit.promises import Promise

PAIRS = [(name, model) for name, info in METHODS.items() for model in info.models]
Rename = Callable[[str], str]
LISTS = pa.list_(pa.string())
ROLES = ("items", "quasi", "sensitive", "rating", "plain")


@dataclass(frozen=True)
class Case:
    """A table and the arguments that make a release of it; `hierarchy` holds rows of names, leaf first."""

    rows: list[dict[str, Any]]
    arguments: dict[str, Any]
    promise: Promise
    options: dict[str, Any] = field(default_factory=dict)
    hierarchy: dict[str, list[list[str]]] = field(default_factory=dict)
    person: str | None = None

    def release(self, method: str, seed: int) -> Release:
        columns = {name: [row[name] for row in self.rows] for name in self.rows[0]}
        types = {name: LISTS if any(isinstance(v, list) for v in values) else None for name, values in columns.items()}
        table = pa.table({name: pa.array(values, types[name]) for name, values in columns.items()})
        trees = {name: Taxonomy.from_paths(paths) for name, paths in self.hierarchy.items()}
        return tacit.anonymize(
            table, self.promise, **self.arguments, hierarchy=trees or None, method=method, seed=seed, **self.options
        )


# --- the tables ---------------------------------------------------------------------------------------------------


ITEMS = [f"i{n:02}" for n in range(9)]
ITEM_TREE = [[item, f"g{n // 2}", f"f{n // 4}", "all"] for n, item in enumerate(ITEMS)]
SECRETS = ["s1", "s0"]


def baskets(rng: np.random.Generator, rows: int, *, secrets: bool) -> list[list[str]]:
    """Baskets of a few kinds, most of them several times, in the items' order or another."""
    chances = rng.random(len(ITEMS)) * 0.6
    kinds = [[item for item, chance in zip(ITEMS, chances, strict=True) if rng.random() < chance] for _ in range(14)]
    found = [list(kinds[int(rng.integers(len(kinds)) * rng.random())]) for _ in range(rows)]
    if secrets:
        for number, secret in enumerate(SECRETS):
            for row in rng.choice(rows, rows // 12 + number, replace=False).tolist():
                found[row].append(secret)
    return found


def basket_cases(model: str, rng: np.random.Generator) -> Iterator[Case]:
    promise: Promise = {
        "km": KmAnonymity(int(rng.integers(2, 5)), [1, 2, math.inf][int(rng.integers(3))]),
        "lm": LmDiversity(2, int(rng.integers(1, 3))),
        "coherence": Coherence(0.6, 3, 2),
        "transactional-k": TransactionalK(int(rng.integers(2, 7))),
        "cahd": Cahd(3),
    }[model]
    about_secrets = model in ("lm", "coherence", "cahd")
    declared = {"sensitive_items": SECRETS} if about_secrets else {}
    held = baskets(rng, 60, secrets=about_secrets)
    other = baskets(rng, 60, secrets=False)
    wide = [{"basket": basket, "town": "nmo"[int(rng.integers(3))]} for basket in held]
    both = [{"basket": one, "second": [f"x{item}" for item in two]} for one, two in zip(held, other, strict=True)]
    long = [{"who": f"p{who}", "what": item} for who, basket in enumerate(held) for item in (basket or [None])]
    yield Case(wide, {"items": "basket", "plain": "town", **declared}, promise, hierarchy={"basket": ITEM_TREE})
    yield Case(wide, {"items": "basket", "plain": "town", **declared}, promise)
    yield Case(both, {"items": ["basket", "second"], **declared}, promise, hierarchy={"basket": ITEM_TREE})
    yield Case(long, {"items": "what", "person": "who", **declared}, promise, {}, {"what": ITEM_TREE}, "who")


AREAS = [[f"a{n}", f"b{n // 2}", f"c{n // 4}", "everywhere"] for n in range(8)]


def people(rng: np.random.Generator, rows: int, *, items: bool, secrets: bool) -> list[dict[str, Any]]:
    """Records of a few kinds; sensitive values and items are others for equal records."""
    kinds = [
        {
            "age": str(int(rng.integers(20, 40))),
            "area": f"a{int(rng.integers(8))}",
            "sex": ["f", "m", None][int(rng.integers(3))],
        }
        for _ in range(18)
    ]
    held = baskets(rng, rows, secrets=secrets) if items else [[]] * rows
    return [
        kinds[int(rng.integers(len(kinds)))]
        | {"ill": "uvwxyz"[int(rng.integers(6))], "town": "nmo"[int(rng.integers(3))]}
        | ({"basket": basket} if items else {})
        for basket in held
    ]


def record_cases(model: str, rng: np.random.Generator) -> Iterator[Case]:
    k = int(rng.integers(2, 6))
    quasi, trees = ["age", "area", "sex"], {"area": AREAS}
    if model in ("k", "l"):
        promise: Promise = KAnonymity(k) if model == "k" else LDiversity(k, 2)
        roles = {"quasi": quasi, "sensitive": "ill", "plain": "town"}
        rows = people(rng, 70, items=False, secrets=False)
        yield Case(rows, roles, promise, hierarchy=trees)
        yield Case(rows, roles, promise, column_settings_of("area"))
        yield Case(rows, {**roles, "quasi": ["sex", "area"]}, promise)
        return
    promise = KKmAnonymity(k, 2) if model == "k-km" else KLmDiversity(k, 2, 2)
    secret = {"sensitive_items": SECRETS} if model == "k-lm" else {}
    rows = people(rng, 70, items=True, secrets=model == "k-lm")
    roles = {"quasi": quasi, "items": "basket", "plain": "town", **secret}
    yield Case(rows, roles, promise, hierarchy={**trees, "basket": ITEM_TREE})
    yield Case(rows, roles, promise)
    yield Case(rows, roles, promise, {"baskets": "apriori"}, {**trees, "basket": ITEM_TREE})


def column_settings_of(name: str) -> dict[str, Any]:
    return {"column_settings": {name: {"weight": 2.0}, "sex": {"missing": "suppress"}}}


def slice_cases(model: str, rng: np.random.Generator) -> Iterator[Case]:
    rows = people(rng, 80, items=False, secrets=False)
    roles = {"quasi": ["age", "area", "sex"], "sensitive": "ill", "plain": "town"}
    yield Case(rows, roles, SlicedDiversity(2), hierarchy={"area": AREAS})
    yield Case(rows, roles, SlicedDiversity(2.5))
    yield Case(rows, {"quasi": ["age", "area"], "sensitive": ["ill", "sex"]}, SlicedDiversity(1.5))


def rating_cases(model: str, rng: np.random.Generator) -> Iterator[Case]:
    issues = [f"q{n}" for n in range(6)]
    kinds = [[str(int(r)) if rng.random() < 0.8 else "" for r in rng.integers(1, 6, 6)] for _ in range(12)]
    found = [list(kinds[int(rng.integers(12) * rng.random())]) for _ in range(50)]
    for row in found[::4]:
        row[int(rng.integers(6))] = "3.0"
    wide = [dict(zip(issues, row, strict=True)) | {"town": "nmo"[int(rng.integers(3))]} for row in found]
    long = [
        {"who": f"p{who}", "what": issue, "stars": stars or None}
        for who, row in enumerate(found)
        for issue, stars in zip(issues, row, strict=True)
        if stars or issue == "q0"
    ]
    ratings = {"rating": issues, "scale": (1, 5), "step": 1}
    k = int(rng.integers(2, 6))
    yield Case(wide, {**ratings, "plain": "town"}, KEpsAnonymity(k, 1))
    yield Case(wide, {**ratings, "sensitive": "q5"}, KEpsAnonymity(k, 1, l=1.5))
    yield Case(wide, ratings, KEpsAnonymity(k, 2), {"fill": True})
    logged = {"items": "what", "person": "who", "rating": "stars", "scale": (1, 5), "step": 1}
    yield Case(long, logged, KEpsAnonymity(k, 1), person="who")


CASES: dict[str, Callable[[str, np.random.Generator], Iterator[Case]]] = {
    **dict.fromkeys(("km", "lm", "coherence", "transactional-k", "cahd"), basket_cases),
    **dict.fromkeys(("k", "l", "k-km", "k-lm"), record_cases),
    "sliced-l": slice_cases,
    "k-eps": rating_cases,
}
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "lra": [{"partition_size": 13}],
    "cluster": [{}, {"literal": True}],
    "slicing": [{}, {"overlap": True}, {"generalize_k": 3}],
    "rum-bound": [{}, {"relational": "cluster-literal", "merge": "t"}, {"relational": "mondrian", "baskets": "pcta"}],
    "tum-bound": [{}, {"relational": "cluster-literal", "merge": "r", "order": "ul"}],
    "rfirst": [{"relational": "cluster-literal"}],
    "tfirst": [{"partition_size": 9}],
}
"""Options that let a method part equal records, or break ties, in ways of their own."""


def cases(method: str, model: str, seed: int) -> Iterator[Case]:
    """The tables of a kind of data, each with other options of the method."""
    several, takes = OPTIONS.get(method, [{}]), {*METHODS[method].options, "column_settings"}
    for number, case in enumerate(CASES[model](model, np.random.default_rng([seed, 5])), start=seed):
        own = {name: value for name, value in case.options.items() if name in takes}
        yield replace(case, options={**own, **several[number % len(several)]})


# --- what is compared ---------------------------------------------------------------------------------------------


def frozen(value: Any) -> Hashable:
    return tuple(sorted(value)) if isinstance(value, list) else value


def contents(case: Case) -> list[Hashable]:
    """What each record holds of the columns that are named; in a long layout each person, as they first appear."""
    if case.person is None:
        named = [name for role in ROLES for name in listed(case.arguments.get(role, ()))]
        return [tuple(frozen(row[name]) for name in named) for row in case.rows]
    rows: dict[str, list[Hashable]] = {}
    for row in case.rows:
        rows.setdefault(row[case.person], []).append(tuple(v for name, v in row.items() if name != case.person))
    return [tuple(sorted(held, key=repr)) for held in rows.values()]


def listed(names: str | list[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def fates(case: Case, made: Release) -> tuple[Counter[Hashable], Any]:
    """How many records of each content met with which fate, and what the fates are."""
    held, recoding = contents(case), made.recoding.to_dict()
    numbers: list[list[Any]] = []
    if made.recoding.kind == "groups":
        numbers = [made.recoding.group.tolist(), [held[i] for i in made.recoding.source.tolist()]]
    elif made.recoding.kind == "local":
        numbers = [made.recoding.part.tolist()]
    elif made.recoding.kind == "records":
        numbers = [made.recoding.group.tolist()]
    elif made.recoding.kind == "slices":
        numbers = [made.recoding.bucket.tolist(), *(one.of_record.tolist() for one in made.recoding.regions)]
    elif made.recoding.kind == "intervals":
        numbers = [made.recoding.cells.cell.tolist()]
    told = {
        "part_of_record",
        "group_of_record",
        "sensitive_items_from",
        "cluster_of_record",
        "bucket_of_record",
        "cell",
    }
    rest = {name: value for name, value in recoding.items() if name not in told}
    for region in rest.get("generalized", ()):
        region.pop("region_of_record")
    return Counter(zip(held, *numbers, strict=True)), rest


def published(case: Case, made: Release) -> Counter[Hashable]:
    """The published rows up to their order; what is permuted or dealt out inside a bucket or group is one."""
    rows = made.table.to_pylist()
    if made.recoding.kind == "slices":
        return Counter(map(frozen_bucket, by(rows, "bucket")))
    if made.recoding.kind == "groups":
        return Counter(map(frozen_group, by(rows, "group")))
    if case.person is None:
        return Counter(tuple(frozen(value) for value in row.values()) for row in rows)
    return Counter(tuple(sorted(map(repr, map(tuple, map(dict.values, held))))) for held in by(rows, case.person))


def by(rows: list[dict[str, Any]], column: str) -> list[list[dict[str, Any]]]:
    """The rows of each value of a column, without it."""
    found: dict[Any, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(row[column], []).append({name: value for name, value in row.items() if name != column})
    return list(found.values())


def frozen_bucket(rows: list[dict[str, Any]]) -> Hashable:
    slices: dict[str, list[str]] = {}
    for name in rows[0]:
        slices.setdefault(name.partition(".")[0], []).append(name)
    return tuple(tuple(sorted(repr([row[name] for name in names]) for row in rows)) for names in slices.values())


def frozen_group(rows: list[dict[str, Any]]) -> Hashable:
    """Public items stay with their record and what is plain; sensitive ones belong to the group."""
    if "who" in rows[0]:
        baskets = [[row["what"] for row in held if row["what"]] for held in by(rows, "who")]
        rows = [{"basket": basket} for basket in baskets]
    secrets = Counter(item for row in rows for item in row["basket"] if item in SECRETS)
    others = sorted(repr({k: [i for i in v if i not in SECRETS] for k, v in row.items()}) for row in rows)
    return tuple(others), tuple(sorted(secrets.items()))


def outcome(case: Case, method: str, seed: int) -> tuple[Any, Any, Any] | str:
    """What a release is compared by; why there is none, if there is none."""
    try:
        made = case.release(method, seed)
    except PromiseError as error:
        return str(error)
    return (*fates(case, made), published(case, made))


# --- the exam -----------------------------------------------------------------------------------------------------


def shuffled(case: Case, rng: np.random.Generator) -> Case:
    rows = [case.rows[i] for i in rng.permutation(len(case.rows)).tolist()]
    if case.person is None:
        return replace(case, rows=[row | {k: turned(v, rng) for k, v in row.items()} for row in rows])
    ids = sorted({row[case.person] for row in rows})
    others = dict(zip(ids, (f"person {n}" for n in rng.permutation(len(ids))), strict=True))
    return replace(case, rows=[row | {case.person: others[row[case.person]]} for row in rows])


def turned(value: Any, rng: np.random.Generator) -> Any:
    """A basket is a set: its items may stand in any order."""
    return [value[i] for i in rng.permutation(len(value)).tolist()] if isinstance(value, list) else value


@pytest.mark.parametrize(("method", "model"), PAIRS)
def test_the_order_of_rows_does_not_matter(method: str, model: str) -> None:
    made = 0
    for seed in range(3):
        for case in cases(method, model, seed):
            first = outcome(case, method, seed)
            again = outcome(shuffled(case, np.random.default_rng([seed, 7])), method, seed)
            assert again == first, (seed, case.options, case.arguments)
            made += not isinstance(first, str)
    assert made > 3
