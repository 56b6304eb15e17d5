"""How ratings are looked up by attackers: by issue, in little room, and the same whatever is done at once."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

import tacit
from support.seeds import each_seed
from tacit.attack import rating_rows
from tacit.attack.flow import QUICK, attack_views
from tacit.attack.postings import postings_of
from tacit.attack.rating_rows import by_issue, different_numbers, published_by_issue, rows_of, view_rows
from tacit.attack.scene import Scene
from tacit.audits import read_original, read_view

_BYTES_A_RATING = 105
"""What quick attackers may need beside the file and the original: 138 when each sorted the log for itself, now 84."""


def log(seed: int, people: int, films: int, share: float) -> pa.Table:
    rng = np.random.default_rng(seed)
    rated = np.argwhere(rng.random((people, films)) < np.linspace(share, share / 9, films))
    return pa.table({"who": rated[:, 0], "film": rated[:, 1], "stars": rng.integers(1, 6, len(rated))})


def scene_of(table: pa.Table, k: int) -> tuple[Scene, tacit.Release]:
    release = tacit.anonymize(
        table, tacit.RatingKm(k, 2), person="who", items="film", rating="stars", scale=(1, 5), step=1, seed=1
    )
    original, view = read_original(table, release.job, {}, is_local=False), read_view(release.table, release.job)
    return Scene(view, original, release.original), release


@each_seed(range(12))
def test_by_issue_has_every_rating_once(seed: int) -> None:
    scene, _ = scene_of(log(seed, 40, 9, 0.8), 3)
    shown, view, original = published_by_issue(scene), scene.view, scene.original
    for issue, name in enumerate(original.names):
        own = view.names.index(name) if name in view.names else -1
        places = np.flatnonzero(view.issues == own)
        assert shown.places[shown.of(issue)].tolist() == places.tolist()
        rows = np.searchsorted(view.starts, places, side="right") - 1
        assert shown.rows[shown.of(issue)].tolist() == rows.tolist()
    again = by_issue(original.starts, original.issues, len(original.names))
    assert sorted(again.places.tolist()) == [*range(original.issues.size)]


@each_seed(range(12))
def test_a_fact_is_an_issue_with_its_very_rating(seed: int) -> None:
    scene, _ = scene_of(log(seed, 40, 9, 0.8), 3)
    facts, view, original = postings_of(scene), scene.view, scene.original
    shown = [dict(zip(*each, strict=True)) for each in _people(view.starts, view.issues, view.numbers(), view.names)]
    given = [
        dict(zip(*each, strict=True))
        for each in _people(original.starts, original.issues, original.numbers, original.names)
    ]
    met = 0
    for record, own in enumerate(shown):
        for fact, (name, number) in zip(facts.of(record).tolist(), own.items(), strict=True):
            assert facts.published(fact).tolist() == [row for row, each in enumerate(shown) if each.get(name) == number]
            true = [person for person, each in enumerate(given) if each.get(name) == number]
            assert facts.true(fact).tolist() == true
            met += bool(true)
    assert met


def _people(starts, issues, numbers, names):  # type: ignore[no-untyped-def]
    for start, stop in pairwise(starts.tolist()):
        yield [names[issue] for issue in issues[start:stop]], numbers[start:stop].tolist()


@pytest.mark.parametrize("at_once", [1, 7, 1 << 20])
def test_numbers_are_the_same_whatever_is_done_at_once(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rating_rows, "_AT_ONCE", at_once)
    scene, _ = scene_of(log(1, 60, 8, 0.8), 3)
    assert scene.view.tops is not None
    assert different_numbers(scene.view).tolist() == np.unique(scene.view.numbers()).tolist()
    rows = view_rows(scene.view)
    assert rows.values.dtype == np.float32 and rows.values.tolist() == scene.view.numbers().tolist()


def test_numbers_that_need_the_room_have_it() -> None:
    table = log(1, 60, 8, 0.8).set_column(
        2, "stars", pa.array(np.round(np.linspace(1, 5, log(1, 60, 8, 0.8).num_rows), 2))
    )
    release = tacit.anonymize(table, tacit.RatingKm(1, 2), person="who", items="film", rating="stars", scale=(1, 5))
    original, view = read_original(table, release.job, {}, is_local=False), read_view(release.table, release.job)
    assert rows_of(original, view)[1].values.dtype == np.float64


@pytest.mark.slow
def test_attackers_need_little_room_beside_the_file() -> None:
    scene, release = scene_of(log(2, 3_000, 200, 0.5), 5)
    plan = replace(QUICK, guesses=60)  # what they remember of each guess is not what is measured
    tracemalloc.start()
    attack_views(
        release.source, scene.original, scene.view, (), release.job, {}, rows=release.original, plan=plan
    )  # fmt: skip
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak / scene.original.issues.size < _BYTES_A_RATING
