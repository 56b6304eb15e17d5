"""Small coarse tables, as somebody might publish them: so few different values that about half of them keep a promise.

They are made for a kind of data. What a promise says of itself decides on its parameters and its columns, so that a new
one is examined by itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

import tacit
from support.definitions import definition_holds, written_out
from support.views import list_job
from tacit import InputError, audits
from tacit.job import Column
from tacit.promises import MODELS, Promise

LISTS = pa.list_(pa.string())
WORTH_TRYING = (0, 0.25, 0.5, 1, 1.25, 2, 4, "inf", True, False, None)
"""What a parameter may be set to; each one takes of these what it accepts."""


class Coarse(NamedTuple):
    """A published table, the columns by role, and for slices the table that was sliced."""

    table: pa.Table
    roles: dict[str, Any]
    original: pa.Table | None = None

    def definition(self, promise: Promise) -> bool:
        return definition_holds(self.table, promise, self.roles, self.original)

    def best_guess(self, promise: Promise) -> Fraction:
        """How often the attacker of the promise's sentence is right."""
        exactly = () if self.original is None else (self.original,)
        return written_out(type(promise)).best_guess(self.table, promise, self.roles, *exactly)

    def audit(self, promise: Promise) -> Any:
        """The audit that is exact: of slices the one that sees the original."""
        if self.original is None:
            return tacit.audit(self.table, promise, **self.roles)
        columns = [Column(name, role) for role in ("quasi", "sensitive") for name in self.roles[role]]
        job = list_job(*columns, promise=promise)
        view, original = audits.read_view(self.table, job), audits.read_original(self.original, job, {})
        return audits.judge(view, job, original)[0]

    def without(self, *names: str) -> Coarse:
        """As somebody sees it who overlooks these columns or items."""
        roles = {role: _others(named, names) for role, named in self.roles.items()}
        table = self.table
        if "items" in roles:
            baskets = [_others(basket, names) for basket in table["basket"].to_pylist()]
            table = table.set_column(table.column_names.index("basket"), "basket", pa.array(baskets, LISTS))
        return Coarse(table, roles, self.original)


def _others(named: Any, names: tuple[str, ...]) -> Any:
    return [name for name in named if name not in names] if isinstance(named, list) else named


@cache
def values_of(model: str, parameter: str) -> list[Any]:
    """Values that a parameter accepts, its own words among them, such as "entropy"."""
    kind = MODELS[model]
    words = re.findall(r'`"(\w+)"`', kind.accepts[parameter])
    found: list[Any] = []
    for value in (*WORTH_TRYING, *words, kind.example.get(parameter)):
        if _made(model, {**kind.example, parameter: value}) and repr(value) not in map(repr, found):
            found.append(value)
    return found


def _made(model: str, parameters: dict[str, Any]) -> Promise | None:
    try:
        return MODELS[model](**parameters)
    except InputError:
        return None


@cache
def all_promises(model: str) -> list[Promise]:
    """With all values of all parameters; those that are fine one by one need not be so together."""
    names = [field.name for field in fields(MODELS[model])]
    every = product(*(values_of(model, name) for name in names))
    made = [_made(model, dict(zip(names, values, strict=True))) for values in every]
    return [each for each in made if each is not None]


def drawn_promise(model: str, rng: np.random.Generator) -> Promise:
    several = all_promises(model)
    return several[int(rng.integers(len(several)))]


def along(promise: Promise, parameter: str) -> list[Promise]:
    """The promise with one parameter set to all that it may be."""
    given = promise.parameters()
    made = [_made(promise.name, {**given, parameter: value}) for value in values_of(promise.name, parameter)]
    return [each for each in made if each is not None]


def coarse_case(promise: Promise, seed: int) -> Coarse:
    rng = np.random.default_rng(seed)
    return _CASES[promise.kind_of_data](promise, rng, int(rng.choice([4, 8, 16, 32])))


def _dealt(rng: np.random.Generator, rows: int) -> list[int]:
    """One to four different codes, in turn or at random."""
    different = int(rng.choice([1, 2, 3, 4], p=[0.1, 0.3, 0.3, 0.3]))
    return (np.arange(rows) % different if rng.random() < 0.7 else rng.integers(0, different, rows)).tolist()


def _sensitive(rng: np.random.Generator, rows: int) -> list[Any]:
    """A few different values; sometimes they are numbers, and sometimes some are missing."""
    codes = _dealt(rng, rows)
    is_number, is_missing = rng.random() < 0.3, rng.random(rows) < rng.choice([0, 0, 0.2])
    values = codes if is_number else [f"s{code}" for code in codes]
    return [None if gone else value for value, gone in zip(values, is_missing, strict=True)]


def _alike(rng: np.random.Generator, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Two columns of codes 0 and 1; rows that are alike stand together, so that what is dealt reaches all of them."""
    return divmod(np.sort(rng.integers(0, int(rng.integers(1, 5)), rows)), 2)


def _baskets(promise: Any, rng: np.random.Generator, rows: int) -> tuple[pa.Array, dict[str, Any]]:
    """Of up to three items and two sensitive ones, some of which everybody has, or hardly anybody."""
    sensitive = ["s0", "s1"] if promise.about_sensitive_items else []
    items = ["i0", "i1", "i2"][: int(rng.choice([1, 2, 3, 3]))]
    chance = [*rng.choice([0.3, 0.5, 0.8, 1], len(items)), *rng.choice([0.1, 0.3], len(sensitive))]
    held = rng.random((rows, len(chance))) < chance
    baskets = [[item for item, has in zip([*items, *sensitive], row, strict=True) if has] for row in held.tolist()]
    if rng.random() < 0.5:
        baskets = [[_spelt(item, rng) if item in sensitive else item for item in basket] for basket in baskets]
    return pa.array(baskets, LISTS), {"items": ["basket"], "sensitive_items": sensitive}


def _spelt(item: str, rng: np.random.Generator) -> str:
    """The item in some spelling of its own."""
    return str(rng.choice([item, item.upper(), f" {item}", f"{item}\u200b"]))


def _basket_case(promise: Any, rng: np.random.Generator, rows: int) -> Coarse:
    baskets, roles = _baskets(promise, rng, rows)
    columns = {"basket": baskets}
    if promise.shows_groups:
        columns["group"] = pa.array(rng.integers(0, 3, rows))
    return Coarse(pa.table(columns), roles)


def _people(rng: np.random.Generator, rows: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Two quasi-identifiers and two sensitive columns."""
    roles: dict[str, Any] = {"quasi": ["age", "sex"], "sensitive": ["illness", "job"]}
    columns = zip(roles["quasi"], _alike(rng, rows), strict=True)
    known = {name: [f"{name}{code}" for code in codes] for name, codes in columns}
    return known | {name: _sensitive(rng, rows) for name in roles["sensitive"]}, roles


def _record_case(promise: Any, rng: np.random.Generator, rows: int) -> Coarse:
    columns, roles = _people(rng, rows)
    if "l" in promise.by_column and rng.random() < 0.4:
        roles["column_settings"] = {"job": {"l": int(rng.choice([2, 3]))}}
    if "items" in promise.roles:
        columns["basket"], of_items = _baskets(promise, rng, rows)
        roles |= of_items
    return Coarse(pa.table(columns), roles)


_SLICES = (
    (("age", "sex"), ("illness",), ("job",)),
    (("age", "illness"), ("sex", "job")),
    (("age", "sex", "illness"), ("sex", "job")),
    (("sex",), ("age", "illness"), ("illness", "job")),
)
"""Apart, and joined by what an attacker knows or wants to learn."""


def _slice_case(promise: Any, rng: np.random.Generator, rows: int) -> Coarse:
    """Everybody is in a bucket; in each of them the rows of every slice are shuffled."""
    columns, roles = _people(rng, rows)
    original = pa.table({name: [str(value) for value in values] for name, values in columns.items()})
    bucket = rng.integers(0, int(rng.integers(1, 3)), original.num_rows)
    published = {"bucket": pa.array(np.sort(bucket))}
    for number, names in enumerate(_SLICES[int(rng.integers(len(_SLICES)))], start=1):
        order = np.lexsort((rng.random(bucket.size), bucket))
        published |= {f"{number}.{name}": original[name].take(order) for name in names}
    return Coarse(pa.table(published), roles, original)


def _rating_case(promise: Any, rng: np.random.Generator, rows: int) -> Coarse:
    """Two issues that an attacker may know of, and two sensitive ones."""
    issues = ["q0", "q1", "q2", "q3"]
    columns = {}
    for issue, codes in zip(issues, [*_alike(rng, rows), _dealt(rng, rows), _dealt(rng, rows)], strict=True):
        is_missing = rng.random(rows) < rng.choice([0, 0, 0.1])
        columns[issue] = pa.array(1 + np.asarray(codes), mask=is_missing)
    return Coarse(pa.table(columns), {"rating": issues, "sensitive": issues[2:], "scale": (1, 5), "step": 1})


_CASES: dict[str, Callable[[Any, np.random.Generator, int], Coarse]] = {
    "baskets": _basket_case,
    "records": _record_case,
    "slices": _slice_case,
    "ratings": _rating_case,
}
