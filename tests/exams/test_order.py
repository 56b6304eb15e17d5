"""What is published stands in an order, and under numbers, that say nothing about the input's: told over many seeds.

Everybody here has a mark of their own that is published as it is. Where the mark of the person in row i ends up is
counted over many releases; each place must be as likely as any other. The bounds are so wide that a right release is
above them less than once in a thousand million times, and what depends on the input is far beyond them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import tacit
from support.commands import read_csv, write_csv
from support.commands import tacit as command
from support.keys import key_of
from tacit import Cahd, KAnonymity, KEpsAnonymity, KKmAnonymity, KmAnonymity, SlicedDiversity

PEOPLE = 6
RELEASES = 48

Places = list[list[int]]
"""For each of some properties, the place of every person: a position in the file, or a number."""


def positions(marks: list[str], wanted: list[str]) -> list[int]:
    return [marks.index(mark) for mark in wanted]


def marks(n: int = PEOPLE) -> list[str]:
    return [f"p{i}" for i in range(n)]


def wide_baskets(seed: int) -> Places:
    frame = pa.table({"basket": [["a"], ["a"], ["a", "b"], ["b"], ["b"], ["a", "b"]], "mark": marks()})
    made = tacit.anonymize(
        frame, KmAnonymity(2, 2), items="basket", plain="mark", key=key_of(seed), method="mhghs"
    ).data
    return [positions(made["mark"].to_pylist(), marks())]


def long_baskets(seed: int) -> Places:
    frame = pa.table({"who": [f"name{i}" for i in range(PEOPLE)] * 2, "what": marks() + ["a"] * PEOPLE})
    made = tacit.anonymize(frame, KmAnonymity(1, 1), items="what", person="who", key=key_of(seed)).data
    rows = [(who, what) for who, what in zip(*made.to_pydict().values(), strict=True) if what != "a"]
    id_of = {what: int(who) - 1 for who, what in rows}
    return [positions([what for _, what in rows], marks()), [id_of[mark] for mark in marks()]]


def groups_of_baskets(seed: int) -> Places:
    baskets = [[f"p{i}", "s"] if i % 2 else [f"p{i}"] for i in range(PEOPLE)]
    made = tacit.anonymize(pa.table({"b": baskets}), Cahd(2), items="b", sensitive_items=["s"], key=key_of(seed)).data
    shown = [next(item for item in basket if item != "s") for basket in made["b"].to_pylist()]
    ids = sorted(set(made["group"].to_pylist()))
    group_of = dict(zip(shown, map(ids.index, made["group"].to_pylist()), strict=True))
    return [positions(shown, marks()), [group_of[mark] for mark in marks()]]


def records(seed: int) -> Places:
    frame = pa.table({"age": ["1", "1", "1", "9", "9", "9"], "mark": marks()})
    made = tacit.anonymize(frame, KAnonymity(2), quasi="age", plain="mark", key=key_of(seed)).data
    return [positions(made["mark"].to_pylist(), marks())]


def records_with_baskets(seed: int) -> Places:
    frame = pa.table({"age": ["1", "1", "1", "9", "9", "9"], "basket": [["a"]] * PEOPLE, "mark": marks()})
    made = tacit.anonymize(frame, KKmAnonymity(2, 1), quasi="age", items="basket", plain="mark", key=key_of(seed)).data
    return [positions(made["mark"].to_pylist(), marks())]


def survey(seed: int) -> Places:
    frame = pa.table({"x": [1, 1, 1, 5, 5, 5], "mark": marks()})
    promise = KEpsAnonymity(2, 0)
    made = tacit.anonymize(frame, promise, rating="x", scale=(1, 5), step=1, plain="mark", key=key_of(seed)).data
    return [positions(made["mark"].to_pylist(), marks())]


def rating_log(seed: int) -> Places:
    frame = pa.table({"who": [f"name{i}" for i in range(PEOPLE)], "what": marks(), "stars": [3] * PEOPLE})
    roles = {"person": "who", "items": "what", "rating": "stars", "scale": (1, 5), "step": 1}
    made = tacit.anonymize(frame, KEpsAnonymity(1, 0), **roles, key=key_of(seed)).data.to_pydict()
    number_of = dict(zip(made["what"], (int(who) - 1 for who in made["who"]), strict=True))
    return [positions(made["what"], marks()), [number_of[mark] for mark in marks()]]


@cache
def slices(seed: int) -> Places:
    """Two buckets of three: the places of everybody in each of the slices, and the buckets' numbers."""
    frame = pa.table({"zip": marks(), "illness": [f"i{i}" for i in range(PEOPLE)]})
    options = {"columns": [["zip"], ["illness"]]}
    made = tacit.anonymize(
        frame, SlicedDiversity(2), quasi="zip", sensitive="illness", key=key_of(seed), **options
    ).data
    columns = [[int(text[1:]) for text in made[name].to_pylist()] for name in ("1.zip", "2.illness")]
    bucket = made["bucket"].to_pylist()
    assert bucket == [1, 1, 1, 2, 2, 2]
    id_of = dict(zip(columns[0], (bucket_id - 1 for bucket_id in bucket), strict=True))
    return [[column.index(i) for i in range(PEOPLE)] for column in columns] + [[id_of[i] for i in range(PEOPLE)]]


KINDS: dict[str, Callable[[int], Places]] = {
    "baskets": wide_baskets,
    "a log of baskets": long_baskets,
    "groups of baskets": groups_of_baskets,
    "records": records,
    "records with baskets": records_with_baskets,
    "a survey": survey,
    "a log of ratings": rating_log,
    "slices": slices,
}


def too_uneven(places: np.ndarray) -> bool:
    """Whether the places of some people, a row a release, are not as likely as each other: Pearson's χ²."""
    releases, people = places.shape
    values = int(places.max()) + 1
    counts = np.zeros((people, values))
    for person in range(people):
        counts[person] = np.bincount(places[:, person], minlength=values)
    expected = releases / values
    freedom = (people - 1) * (values - 1)
    return bool(((counts - expected) ** 2 / expected).sum() > freedom + 8 * np.sqrt(2 * freedom) + 30)


@pytest.mark.parametrize("kind", KINDS)
def test_every_place_is_as_likely_as_any_other(kind: str) -> None:
    found = [KINDS[kind](seed) for seed in range(RELEASES)]
    for index in range(len(found[0])):
        assert not too_uneven(np.array([places[index] for places in found])), f"property {index}"
    assert len({str(places) for places in found}) > RELEASES / 2


@pytest.mark.parametrize("shift", range(PEOPLE))
def test_what_is_always_the_same_is_noticed(shift: int) -> None:
    rng = np.random.default_rng(shift)
    fair = np.array([rng.permutation(PEOPLE) for _ in range(RELEASES)])
    assert not too_uneven(fair)
    assert too_uneven(np.tile((np.arange(PEOPLE) + shift) % PEOPLE, (RELEASES, 1)))
    half = fair.copy()
    half[: RELEASES // 2] = np.arange(PEOPLE)
    assert too_uneven(half)


def test_slices_are_linked_at_random() -> None:
    """Of the three rows of a bucket one, on average, shows values of the same person; the variance is 1 as well."""
    together = 0
    for seed in range(RELEASES):
        one, other, _ = slices(seed)
        together += sum(a == b for a, b in zip(one, other, strict=True))
    buckets = 2 * RELEASES
    assert abs(together - buckets) < 6.5 * np.sqrt(buckets)


MANY = 2000
MARK = '[columns.mark]\nrole = "plain"'
JOBS = {
    "km": f'[columns.basket]\nrole = "items"\n{MARK}\n[privacy]\nmodel = "km"\nk = 2\nm = 2\n',
    "k": f'[columns.age]\nrole = "quasi"\n{MARK}\n[privacy]\nmodel = "k"\nk = 3\n',
    "k-eps": '[columns.stars]\nrole = "rating"\nscale = [1, 5]\nstep = 1\n'
    f'{MARK}\n[privacy]\nmodel = "k-eps"\nk = 3\neps = 0\n',
    "sliced-l": '[columns.age]\nrole = "quasi"\n[columns.mark]\nrole = "sensitive"\n'
    '[privacy]\nmodel = "sliced-l"\nl = 2\n',
}


@pytest.mark.parametrize("model", JOBS)
def test_a_whole_file_stands_in_no_order_of_the_input(model: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    write_csv(
        tmp_path / "people.csv",
        [
            {"age": str(rng.integers(20, 60)), "basket": "ab"[i % 2], "stars": str(1 + i % 5), "mark": str(i)}
            for i in range(MANY)
        ],
    )
    (tmp_path / "job.toml").write_text(f'[input]\nsource = "people.csv"\n{JOBS[model]}')
    ended = command("anonymize", tmp_path / "job.toml", "-o", tmp_path / "out", "--no-report", "--no-attack")
    assert ended.code == 0, ended.err
    rows = read_csv(tmp_path / "out" / "public" / "data.csv")
    (column,) = [name for name in rows[0] if name.endswith("mark")]
    order = np.array([int(row[column]) for row in rows])
    assert sorted(order) == list(range(MANY))
    bound = 6.5 / np.sqrt(MANY)
    assert abs(np.corrcoef(order, np.arange(MANY))[0, 1]) < bound, "who came first stands first"
    assert abs(np.mean(np.diff(order) > 0) - 0.5) < bound, "neighbours are in the order of the input"
    assert np.mean(np.abs(np.diff(order)) == 1) < 0.02, "neighbours are those of the input"
