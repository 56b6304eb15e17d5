"""Small tables for every method and every promise that it makes, full of equal and half-equal records."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

import tacit
from support.keys import key_of
from tacit import Release, Taxonomy
from tacit.methods import METHODS
from tacit.promises import MODELS, Promise

PAIRS = [(name, model) for name, info in METHODS.items() for model in info.models]
LISTS = pa.list_(pa.string())


@dataclass(frozen=True)
class Case:
    """A table and the arguments that make a release of it; `hierarchy` holds rows of names, leaf first."""

    rows: list[dict[str, Any]]
    arguments: dict[str, Any]
    promise: Promise
    options: dict[str, Any] = field(default_factory=dict)
    hierarchy: dict[str, list[list[str]]] = field(default_factory=dict)
    person: str | None = None

    def names(self) -> set[str]:
        """All labels and names of nodes."""
        values = [value for row in self.rows for value in row.values()]
        values += [path for paths in self.hierarchy.values() for path in paths]
        texts = [text for value in values for text in (value if isinstance(value, list) else [value])]
        return {text for text in texts if isinstance(text, str)}

    def release(self, method: str, seed: int) -> Release:
        columns = {name: [row[name] for row in self.rows] for name in self.rows[0]}
        types = {name: LISTS if any(isinstance(v, list) for v in values) else None for name, values in columns.items()}
        table = pa.table({name: pa.array(values, types[name]) for name, values in columns.items()})
        trees = {name: Taxonomy.from_paths(paths) for name, paths in self.hierarchy.items()}
        return tacit.anonymize(
            table,
            self.promise,
            **self.arguments,
            hierarchy=trees or None,
            method=method,
            seed=seed,
            key=key_of(seed),
            **self.options,
        )


# --- the tables ---------------------------------------------------------------------------------------------------


def small_promise(model: str, rng: np.random.Generator, **wanted: Any) -> Promise:
    """With k people at most who must be alike, and what can be kept of some dozens of people; `wanted` as it is."""
    small = {"k": int(rng.integers(2, 6)), "m": ["inf", 1, 2][int(rng.integers(3))], "l": 2, "p": 2, "h": 0.6, "eps": 1}
    example = MODELS[model].example
    return MODELS[model](**{name: small.get(name, value) for name, value in example.items()} | wanted)


def having(model: str, **parameters: Any) -> dict[str, Any]:
    """Those that the promise takes."""
    return {name: value for name, value in parameters.items() if name in MODELS[model].takes}


ITEMS = [f"i{n:02}" for n in range(9)]
ITEM_TREE = [[item, f"g{n // 2}", f"f{n // 4}", "all"] for n, item in enumerate(ITEMS)]
SENSITIVE = ["s1", "s0"]


def baskets(rng: np.random.Generator, rows: int, *, sensitive: bool) -> list[list[str]]:
    """Baskets of a few kinds, most of them several times, in the items' order or another."""
    chances = rng.random(len(ITEMS)) * 0.6
    kinds = [[item for item, chance in zip(ITEMS, chances, strict=True) if rng.random() < chance] for _ in range(14)]
    found = [list(kinds[int(rng.integers(len(kinds)) * rng.random())]) for _ in range(rows)]
    if sensitive:
        for index, sensitive_item in enumerate(SENSITIVE):
            for row in rng.choice(rows, rows // 12 + index, replace=False).tolist():
                found[row].append(sensitive_item)
    return found


def basket_cases(model: str, rng: np.random.Generator) -> Iterator[Case]:
    promise = small_promise(model, rng)
    about_sensitive = promise.about_sensitive_items
    declared = {"sensitive_items": SENSITIVE} if about_sensitive else {}
    held = baskets(rng, 60, sensitive=about_sensitive)
    other = baskets(rng, 60, sensitive=False)
    wide = [{"basket": basket, "town": "nmo"[int(rng.integers(3))]} for basket in held]
    both = [{"basket": one, "second": [f"x{item}" for item in two]} for one, two in zip(held, other, strict=True)]
    long = [{"who": f"p{who}", "what": item} for who, basket in enumerate(held) for item in (basket or [None])]
    yield Case(wide, {"items": "basket", "plain": "town", **declared}, promise, hierarchy={"basket": ITEM_TREE})
    yield Case(wide, {"items": "basket", "plain": "town", **declared}, promise)
    yield Case(both, {"items": ["basket", "second"], **declared}, promise, hierarchy={"basket": ITEM_TREE})
    yield Case(long, {"items": "what", "person": "who", **declared}, promise, {}, {"what": ITEM_TREE}, "who")


AREAS = [[f"a{n}", f"b{n // 2}", f"c{n // 4}", "everywhere"] for n in range(8)]


def people(rng: np.random.Generator, rows: int, *, items: bool, sensitive: bool) -> list[dict[str, Any]]:
    """Records of a few kinds; sensitive values and items are others for equal records."""
    kinds = [
        {
            "age": str(int(rng.integers(20, 40))),
            "area": f"a{int(rng.integers(8))}",
            "sex": ["f", "m", None][int(rng.integers(3))],
        }
        for _ in range(18)
    ]
    held = baskets(rng, rows, sensitive=sensitive) if items else [[]] * rows
    return [
        kinds[int(rng.integers(len(kinds)))]
        | {"ill": "uvwxyz"[int(rng.integers(6))], "town": "nmo"[int(rng.integers(3))]}
        | ({"basket": basket} if items else {})
        for basket in held
    ]


def record_cases(model: str, rng: np.random.Generator) -> Iterator[Case]:
    promise = small_promise(model, rng, **having(model, m=2))
    quasi, trees = ["age", "area", "sex"], {"area": AREAS}
    if "items" not in promise.roles:
        roles = {"quasi": quasi, "sensitive": "ill", "plain": "town"}
        rows = people(rng, 70, items=False, sensitive=False)
        yield Case(rows, roles, promise, hierarchy=trees)
        yield Case(rows, roles, promise, column_settings_of("area"))
        yield Case(rows, {**roles, "quasi": ["sex", "area"]}, promise)
        return
    declared = {"sensitive_items": SENSITIVE} if promise.about_sensitive_items else {}
    rows = people(rng, 70, items=True, sensitive=promise.about_sensitive_items)
    roles = {"quasi": quasi, "items": "basket", "plain": "town", **declared}
    yield Case(rows, roles, promise, hierarchy={**trees, "basket": ITEM_TREE})
    yield Case(rows, roles, promise)
    yield Case(rows, roles, promise, {"baskets": "apriori"}, {**trees, "basket": ITEM_TREE})


def column_settings_of(name: str) -> dict[str, Any]:
    return {"column_settings": {name: {"weight": 2.0}, "sex": {"missing": "suppress"}}}


def slice_cases(model: str, rng: np.random.Generator) -> Iterator[Case]:
    rows = people(rng, 80, items=False, sensitive=False)
    roles = {"quasi": ["age", "area", "sex"], "sensitive": "ill", "plain": "town"}
    two = {"quasi": ["age", "area"], "sensitive": ["ill", "sex"]}
    yield Case(rows, roles, small_promise(model, rng), hierarchy={"area": AREAS})
    yield Case(rows, roles, small_promise(model, rng, **having(model, l=2.5)))
    yield Case(rows, two, small_promise(model, rng, **having(model, l=1.5)))


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
    yield Case(wide, {**ratings, "plain": "town"}, small_promise(model, rng))
    yield Case(wide, {**ratings, "sensitive": "q5"}, small_promise(model, rng, **having(model, l=1.5)))
    yield Case(wide, ratings, small_promise(model, rng, **having(model, eps=2)), {"fill": True})
    logged = {"items": "what", "person": "who", "rating": "stars", "scale": (1, 5), "step": 1}
    yield Case(long, logged, small_promise(model, rng), person="who")


CASES: dict[str, Callable[[str, np.random.Generator], Iterator[Case]]] = {
    "baskets": basket_cases,
    "records": record_cases,
    "slices": slice_cases,
    "ratings": rating_cases,
}
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "lra": [{"partition_size": 13}],
    "cluster": [{}, {"literal": True}],
    "slicing": [{}, {"overlap": True}, {"generalize_k": 3}],
    "rum-bound": [
        {},
        {"delta": 0.65, "relational": "cluster-literal", "merge": "t"},
        {"delta": 0.65, "relational": "mondrian", "baskets": "pcta"},
    ],
    "tum-bound": [{}, {"delta": 0.65, "relational": "cluster-literal", "merge": "r", "order": "ul"}],
    "rfirst": [{"relational": "cluster-literal"}],
    "tfirst": [{"partition_size": 9}],
}
"""Options that let a method part equal records, or break ties, in ways of their own."""


def cases(method: str, model: str, seed: int) -> Iterator[Case]:
    """The tables of a kind of data, each with other options of the method."""
    several, takes = OPTIONS.get(method, [{}]), {*METHODS[method].options, "column_settings"}
    for index, case in enumerate(
        CASES[MODELS[model].kind_of_data](model, np.random.default_rng([seed, 5])), start=seed
    ):
        own = {name: value for name, value in case.options.items() if name in takes}
        yield replace(case, options={**own, **several[index % len(several)]})
