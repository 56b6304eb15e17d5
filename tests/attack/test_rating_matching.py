"""Rows that fit known ratings: counted and listed alike, however few of the lists are remembered."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import tacit
from tacit.attack import rating_matching
from tacit.attack.rating_matching import RatingMatcher
from tacit.attack.rating_rows import published_by_issue
from tacit.attack.scene import Scene
from tacit.audits import read_original, read_view


def matcher() -> RatingMatcher:
    """A log in which some issues are published as ranges, some in part, and some not at all."""
    rng = np.random.default_rng(3)
    rated = np.argwhere(rng.random((80, 12)) < np.linspace(0.9, 0.03, 12))
    table = pa.table({"who": rated[:, 0], "film": rated[:, 1], "stars": rng.integers(1, 6, len(rated))})
    release = tacit.anonymize(
        table, tacit.RatingKm(4, 2), person="who", items="film", rating="stars", scale=(1, 5), step=1, seed=1
    )
    original, view = read_original(table, release.job, {}, is_local=False), read_view(release.table, release.job)
    return RatingMatcher(original, view, published_by_issue(Scene(view, original, None)))


@pytest.mark.parametrize("remembered", [0, 100, 1 << 24])
def test_as_many_rows_fit_as_are_counted(remembered: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rating_matching, "_REMEMBERED", remembered)
    found, sizes = matcher(), set()
    for issue in range(len(found._span)):
        for value in range(1, 6):
            rows = found.fitting(issue, float(value))
            assert rows.size == found.count(issue, float(value))
            assert np.array_equal(rows, found.fitting(issue, float(value)))
            sizes.add(rows.size)
    assert found.records in sizes, "an issue that is blanked for everybody fits everybody"
    assert len(sizes) > 5
    held = sum(each.size for each in found._fits.values())
    assert held <= max(remembered, found.records)
    assert sum(low.levels.size + high.levels.size for low, high in found._ladders.values()) <= max(remembered, 10)


def test_a_film_that_the_original_has_not_is_left_out() -> None:
    """Somebody else's file may hold what nobody rated; whoever takes the nearest row does not look at it."""
    before = pa.table({"who": ["a", "a", "b", "b"], "film": ["x", "y", "x", "y"], "stars": [1, 2, 4, 5]})
    more = {"who": ["1", "1", "1", "2", "2"], "film": ["new", "x", "y", "x", "y"], "stars": [3, 1, 2, 4, 5]}
    columns = {"person": "who", "items": "film", "rating": "stars", "scale": (1, 5), "step": 1}
    found = tacit.attack(before, pa.table(more), tacit.RatingKm(k=1, m=1), rows=np.arange(2), **columns)
    nearest = [each.after.success for each in found.played if each.name == "nearest-row"]
    assert nearest and all(each is not None and each.right == each.tried == 2 for each in nearest)
