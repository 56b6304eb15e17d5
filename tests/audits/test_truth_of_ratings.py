"""Whether published ratings are true is said alike, however many people are compared at once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import tacit
from support.seeds import each_seed
from tacit.audits import read_original, read_view
from tacit.audits.truth import ranges, ratings
from tacit.audits.views.ratings import RatingView


def damaged(view: RatingView, rng: np.random.Generator) -> RatingView:
    """A rating moved, two people's ratings exchanged, or a rating of another issue than was rated."""
    values, tops, issues = (
        view.values.copy(),
        view.values.copy() if view.tops is None else view.tops.copy(),
        view.issues.copy(),
    )
    at = rng.integers(values.size, size=2)
    kind = rng.integers(4)
    if kind == 0:
        values[at[0]] = tops[at[0]] = rng.integers(0, 7)
    elif kind == 1:
        values[at], tops[at] = values[at[::-1]], tops[at[::-1]]
    elif kind == 2:
        issues[at[0]] = rng.integers(len(view.names))
    return replace(view, values=values, tops=tops, issues=issues)


@pytest.mark.parametrize("shown", ["range", "middle"])
@each_seed(range(40), fast=5)
def test_the_same_is_false_in_blocks(shown: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    rated = np.argwhere(rng.random((30, 6)) < rng.uniform(0.4, 1, 6))
    table = pa.table({"who": rated[:, 0], "film": rated[:, 1], "stars": rng.integers(1, 6, len(rated))})
    release = tacit.anonymize(
        table, tacit.RatingKm(3, 2), person="who", items="film", rating="stars", scale=(1, 5), step=1, seed=1,
        shown=shown, sensitive_items=["5"],
    )  # fmt: skip
    original = read_original(table, release.job, {}, is_local=False)
    view, rows = read_view(release.table, release.job), release.original
    assert ratings.false_values(original, view, rows) == []
    found = []
    for _ in range(8):
        odd = damaged(view, rng)
        who = rows if rng.random() < 0.8 else rng.permutation(rows)
        told = []
        for at_once in (1, 9, 1 << 20):
            for module in (ratings, ranges):
                monkeypatch.setattr(module, "_AT_ONCE", at_once)
            monkeypatch.setattr(ranges, "_MANY", at_once)
            told.append(ratings.false_values(original, odd, who))
        assert told[0] == told[1] == told[2]
        found += told[0]
    assert found
