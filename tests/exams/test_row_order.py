"""What a method decides depends on what the records hold: not on the order of the rows, nor on what labels are called.

Every method, for every promise that it makes, on small tables full of equal and half-equal records. Rows are put into
another order (in a long layout persons get other ids, too), and labels are renamed. Each time the same records must
meet with the same fate, by the same numbers of clusters, parts, buckets and cells, and the published rows must be the
same up to their order.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from support.exam_cases import PAIRS, SENSITIVE, Case, cases
from support.seeds import each_seed
from tacit import PromiseError, Release
from tacit.shuffle import Shuffle

Rename = Callable[[str], str]
ROLES = ("items", "quasi", "sensitive", "rating", "plain")
LABELS = ("basket", "second", "what", "area", "sex", "ill")


@pytest.fixture(autouse=True)
def the_same_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    """What hides people follows from the key alone here, and not from digests of the input as well: then whatever
    still differs comes from the order of the rows, or from the labels."""
    monkeypatch.setattr("tacit.flow.shuffle_for", lambda key, *circumstances: Shuffle.keyed(key))


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


def codes_of_records(made: Release, held: list[Hashable]) -> list[list[Any]]:
    """The cluster, part, bucket or cell of each record; where sensitive items are dealt out, whose it gets."""
    recoding = made.recoding
    if recoding.kind == "groups":
        return [recoding.group.tolist(), [held[i] for i in recoding.source.tolist()]]
    if recoding.kind == "slices":
        return [recoding.bucket.tolist(), *(one.of_record.tolist() for one in recoding.regions)]
    if recoding.kind == "intervals":
        return [recoding.cells.cell.tolist()]
    if recoding.kind in ("cut", "ranges"):
        return []
    return [recoding.part.tolist() if recoding.kind == "local" else recoding.group.tolist()]


def fates(case: Case, made: Release) -> tuple[Counter[Hashable], Any]:
    """How many records of each content met with which fate, and what the fates are."""
    held, recoding = contents(case), made.recoding.to_dict()
    rest = {name: value for name, value in recoding.items() if not name.endswith("_of_record")}
    rest = {name: value for name, value in rest.items() if name not in ("sensitive_items_from", "cell")}
    for region in rest.get("generalized", ()):
        region.pop("region_of_record")
    return Counter(zip(held, *codes_of_records(made, held), strict=True)), rest


def published(case: Case, made: Release, back: Rename = str) -> Counter[Hashable]:
    """The published rows up to their order; what is permuted or dealt out inside a bucket or group is one."""
    rows = [{name: named_back(value, back) for name, value in row.items()} for row in made.table.to_pylist()]
    if made.recoding.kind == "slices":
        return Counter(map(frozen_bucket, by(rows, "bucket")))
    if made.recoding.kind == "groups":
        return Counter(map(frozen_group, by(rows, "group")))
    if case.person is None:
        return Counter(tuple(frozen(value) for value in row.values()) for row in rows)
    return Counter(tuple(sorted(map(repr, map(tuple, map(dict.values, held))))) for held in by(rows, case.person))


def named_back(value: Any, back: Rename) -> Any:
    """A published value by the names that labels had before, the members of a set in the order of these."""
    if isinstance(value, list):
        return [named_back(each, back) for each in value]
    if not isinstance(value, str) or not value.startswith("("):
        return back(value) if isinstance(value, str) else value
    return "(" + ",".join(sorted(map(back, next(csv.reader([value[1:-1]]))))) + ")"


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
    sensitive = Counter(item for row in rows for item in row["basket"] if item in SENSITIVE)
    others = sorted(repr({k: [i for i in v if i not in SENSITIVE] for k, v in row.items()}) for row in rows)
    return tuple(others), tuple(sorted(sensitive.items()))


def released(case: Case, method: str, seed: int) -> Release | str:
    """Why there is no release, where none keeps the promise."""
    try:
        return case.release(method, seed)
    except PromiseError as error:
        return str(error)


@cache
def as_they_are(method: str, model: str, seed: int) -> list[tuple[Case, Release | str]]:
    """The cases with their releases, which all others are compared with."""
    return [(case, released(case, method, seed)) for case in cases(method, model, seed)]


def compared_by(case: Case, made: Release | str) -> tuple[Any, Any, Any] | str:
    return made if isinstance(made, str) else (*fates(case, made), published(case, made))


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
@each_seed(range(5), fast=1)
def test_the_order_of_rows_does_not_matter(method: str, model: str, seed: int) -> None:
    made = 0
    for case, first in as_they_are(method, model, seed):
        other = shuffled(case, np.random.default_rng([seed, 7]))
        again = compared_by(other, released(other, method, seed))
        assert again == compared_by(case, first), (case.options, case.arguments)
        made += not isinstance(first, str)
    assert made > 0


def renamed(case: Case, rename: Rename, columns: tuple[str, ...]) -> Case:
    """The case with other names for the labels of some columns, for sensitive items and for nodes of hierarchies."""

    def other(name: str, value: Any) -> Any:
        if isinstance(value, list):
            return [other(name, each) for each in value]
        return rename(value) if value in SENSITIVE or (name in columns and isinstance(value, str)) else value

    def others(values: dict[str, Any]) -> dict[str, Any]:
        return {name: other(name, value) for name, value in values.items()}

    return replace(
        case,
        rows=[others(row) for row in case.rows],
        hierarchy=others(case.hierarchy),
        arguments=others(case.arguments),
    )


def same_but_for_names(case: Case, made: Release | str, method: str, rename: Rename, columns: tuple[str, ...]) -> bool:
    """Whether the release of the case with other names is the same up to these; False if there is none."""
    other = renamed(case, rename, columns)
    back = {rename(name): name for name in case.names()}
    again, held = released(other, method, 0), contents(case)
    if isinstance(made, str) or isinstance(again, str):
        assert type(made) is type(again)
        return False
    assert codes_of_records(again, held) == codes_of_records(made, held)
    assert published(case, again, lambda text: back.get(text, text)) == published(case, made)
    return True


@pytest.mark.parametrize(("method", "model"), PAIRS)
def test_names_of_labels_do_not_matter(method: str, model: str) -> None:
    """As long as they sort as before; where a hierarchy or the job gives the order, not even then."""
    found = 0
    for case, made in as_they_are(method, model, 0):
        if case.hierarchy:
            found += same_but_for_names(case, made, method, lambda text: f"{text[::-1]}'", tuple(case.hierarchy))
        else:
            found += same_but_for_names(case, made, method, lambda text: f"z{text}", LABELS)
    assert found > 1
