"""What the exam is taken on: for each kind of data some small tables, and for each promise the roles of their columns.

A new promise is examined with its own `example` parameters; only a new kind of data needs anything here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import tacit
from support.keys import key_of
from tacit import Release, Taxonomy
from tacit.methods import METHODS
from tacit.promises import MODELS, Promise

Names = Callable[[str], str]
LISTS = pa.list_(pa.string())
SENSITIVE = ("s0", "s1")
PAIRS = [(name, model) for name, method in METHODS.items() for model in method.models]
"""Every method with every promise that it makes."""
SAME_SEARCH = {"tum-bound": "rum-bound"}
"""Methods that do the same as another one unless an option is given: without `delta` both look for one balance."""
DIFFERENT_FIRST = [pytest.param(*pair, marks=[pytest.mark.slow] if pair[0] in SAME_SEARCH else []) for pair in PAIRS]
"""The pairs, those that do the same as others in the slow run."""


@dataclass(frozen=True)
class Case:
    """A table, and what `anonymize` and `audit` are told of its columns."""

    frame: pa.Table
    roles: Mapping[str, Any]
    trees: Mapping[str, Taxonomy]

    def release(self, promise: Promise, method: str, *, seed: int = 11, **options: Any) -> Release:
        return tacit.anonymize(
            self.frame,
            promise,
            **self.roles,
            hierarchy=dict(self.trees),
            method=method,
            seed=seed,
            key=key_of(seed),
            **options,
        )

    def audit(self, published: Any, promise: Promise) -> Any:
        return tacit.audit(published, promise, **self.roles)

    def of(self, rows: Any) -> Case:
        """The same with these rows alone, in this order."""
        return Case(self.frame.take(pa.array(rows, pa.int64())), self.roles, self.trees)


def promises_of(model: str) -> list[Promise]:
    """Some promises of a model, the usual one first: k, m, ℓ and p small enough for tables of sixty people."""
    small = {"k": 3, "m": 2, "l": 2, "p": 2, "h": 0.8, "eps": 1}
    other = {"k": 2, "m": "inf", "l": 1.5, "p": 3, "h": 0.5, "eps": 0}
    kind, example = MODELS[model], MODELS[model].example
    first = {name: small.get(name, value) for name, value in example.items()}
    second = {name: other.get(name, value) for name, value in example.items()}
    made = [kind(**first), kind(**second)]
    if any(field.name == "kind" for field in fields(kind)):
        made += [kind(**first, kind="distinct"), kind(**first, kind="entropy")]  # type: ignore[call-arg]
    return made


@cache
def usual_release(method: str, model: str) -> Release:
    """What a method makes of the usual case, with the first promise: for whoever only looks at it."""
    promise = promises_of(model)[0]
    return case_for(promise).release(promise, method)


def weakest(model: str) -> Promise | None:
    """The promise that any data keep as they are, if there is one."""
    parameters = MODELS[model].weakest
    return None if parameters is None else MODELS[model](**parameters)


def case_for(promise: type[Promise] | Promise, seed: int = 3, rename: Names = str, rows: int = 60) -> Case:
    """A table of the kind that a promise is about, with all columns that it needs."""
    return _CASES[promise.kind_of_data](promise, np.random.default_rng(seed), rename, rows)


def _tree(paths: list[list[str]], rename: Names) -> Taxonomy:
    return Taxonomy.from_paths([[rename(name) for name in path] for path in paths])


def _item_tree(rename: Names) -> Taxonomy:
    paths = [[f"i{i}", f"g{i // 3}", f"f{i // 6}", "all"] for i in range(14)]
    return _tree([*paths, ["i14", "all"], ["i15", "odd", "all"]], rename)


def _baskets_column(promise: Any, rng: np.random.Generator, rename: Names, rows: int) -> tuple[pa.Array, list[str]]:
    """Baskets of sixteen items; if the promise is about sensitive items, few people have one of two."""
    chances = rng.random(16) ** 2 * 0.5
    baskets = [[f"i{i}" for i in np.flatnonzero(rng.random(16) < chances)] for _ in range(rows)]
    sensitive = SENSITIVE if promise.about_sensitive_items else ()
    for index, sensitive_item in enumerate(sensitive):
        for row in rng.choice(rows, min(rows, 4 + index), replace=False).tolist():
            baskets[row].append(sensitive_item)
    return pa.array([[rename(item) for item in basket] for basket in baskets], LISTS), [rename(s) for s in sensitive]


def _basket_case(promise: Any, rng: np.random.Generator, rename: Names, rows: int) -> Case:
    column, sensitive = _baskets_column(promise, rng, rename, rows)
    roles = {"items": "basket", "sensitive_items": sensitive}
    return Case(pa.table({"basket": column}), roles, {"basket": _item_tree(rename)})


_TOWNS = [[f"t{i}", f"r{i // 3}", "land"] for i in range(9)]


def _people(rng: np.random.Generator, rename: Names, rows: int) -> dict[str, list[Any]]:
    return {
        "age": rng.integers(20, 60, rows).tolist(),
        "sex": [rename("fmx"[i]) for i in rng.integers(0, 3, rows)],
        "town": [rename(f"t{i}") for i in rng.integers(0, 9, rows)],
        "illness": [rename(f"d{i}") for i in rng.permutation(np.arange(rows) % 7)],
        "job": [rename(f"j{i}") for i in rng.permutation(np.arange(rows) % 5)],
    }


def _record_case(promise: Any, rng: np.random.Generator, rename: Names, rows: int) -> Case:
    columns: dict[str, Any] = _people(rng, rename, rows)
    roles: dict[str, Any] = {"quasi": ["age", "sex", "town"]}
    trees = {"town": _tree(_TOWNS, rename)}
    if "sensitive" in promise.roles:
        roles["sensitive"] = ["illness", "job"]
    if "items" in promise.roles:
        columns["basket"], roles["sensitive_items"] = _baskets_column(promise, rng, rename, rows)
        roles["items"], trees["basket"] = "basket", _item_tree(rename)
    used = [*roles["quasi"], *roles.get("sensitive", ()), *(["basket"] if "items" in roles else [])]
    return Case(pa.table({name: columns[name] for name in used}), roles, trees)


def _slice_case(promise: Any, rng: np.random.Generator, rename: Names, rows: int) -> Case:
    roles = {"quasi": ["age", "sex", "town"], "sensitive": ["illness", "job"]}
    return Case(pa.table(_people(rng, rename, rows)), roles, {})


def _rating_case(promise: Any, rng: np.random.Generator, rename: Names, rows: int) -> Case:
    issues = [rename(f"q{i}") for i in range(5)]
    taste = rng.integers(0, 3, rows)
    columns = {}
    for index, issue in enumerate(issues):
        ratings = np.clip(rng.integers(1, 4, rows) + taste + index % 2, 1, 5)
        columns[issue] = pa.array(ratings, mask=(rng.random(rows) < 0.15))
    return Case(pa.table(columns), {"rating": issues, "scale": (1, 5), "step": 1}, {})


_CASES = {"baskets": _basket_case, "records": _record_case, "slices": _slice_case, "ratings": _rating_case}
