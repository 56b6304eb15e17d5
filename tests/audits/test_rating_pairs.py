"""The audit from counts that add up says what the audit of the whole file says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from support.seeds import each_seed
from tacit import RatingKm, audits
from tacit.audits import _rating_pairs as rating_pairs
from tacit.audits.views.ratings import RatingView
from tacit.errors import InputError
from tacit.job import Column, Input, Job, Output

_TOLD = ("people", "issues", "issues_an_attacker_may_know", "issues_with_a_part_blanked", "violation_count",
         "violation_count_is_exact", "records_affected")  # fmt: skip


def _view(cells: list[list[str]], promise: RatingKm) -> tuple[RatingView, Job]:
    """A survey with so many rows; issues are columns."""
    names = [f"q{i}" for i in range(len(cells[0]))]
    columns = tuple(Column(name, "rating", scale=(1, 4), step=1, sensitive=name == "q0") for name in names)
    job = Job(Input("x"), columns, promise, Output(Path("out")))
    table = pa.table({name: [row[i] for row in cells] for i, name in enumerate(names)})
    return audits.read_view(table, job), job  # type: ignore[return-value]


def _share(view: RatingView, people: np.ndarray) -> RatingView:
    at = np.concatenate([np.arange(view.starts[p], view.starts[p + 1]) for p in people] or [np.empty(0, int)])
    starts = np.concatenate(([0], np.cumsum(np.diff(view.starts)[people])))
    tops = None if view.tops is None else view.tops[at]
    return replace(view, starts=starts, issues=view.issues[at], values=view.values[at], tops=tops)


@each_seed(range(60), fast=10)
def test_counts_of_shares_say_what_the_file_does(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(seed)
    monkeypatch.setattr(rating_pairs, "_BLOCK_COUNTS", int(draw.integers(1, 200)))
    cut = [["1", "2", "3", "4"], ["[1:2]", "[1:2]", "3", ""], ["1", "[2:4]", "[2:4]", "[2:4]"], ["", "2", "2", ""]]
    kinds = [cut[0], *(cut[i] for i in draw.integers(0, len(cut), 3))]
    people, k, m = int(draw.integers(1, 40)), int(draw.integers(1, 6)), int(draw.integers(1, 3))
    cells = [[kind[draw.integers(0, 4)] if draw.random() < 0.8 else "" for kind in kinds] for _ in range(people)]
    promise = RatingKm(k=k, m=m)
    view, job = _view(cells, promise)
    whole = audits.audit(view, job)
    things = rating_pairs.things_of(view, np.ones(view.issues.size, np.int64), people)
    shares = [rating_pairs.shown_in(_share(view, part), things) for part in np.array_split(np.arange(people), 3)]
    found = [] if not things.names else [rating_pairs.alone(things, k)]
    if min(m, len(things.names)) > 1:
        blocks = [list(rating_pairs.pairs_in(*share, things)) for share in shares]
        for at, (begin, end) in enumerate(things.blocks()):
            both = sum(share[at].astype(np.int64) for share in blocks)
            found.append(rating_pairs.judge_block(both, begin, end, things, k))
    rare = [sorted({one, other}) for each in found for _, one, other in each.pairs]
    affected = sum(rating_pairs.affected_in(*share, things, rare) for share in shares) if rare else 0
    result = rating_pairs.verdict(view, things, promise, found, affected)
    assert result.satisfied is whole.satisfied
    assert {name: result.facts[name] for name in _TOLD} == {name: whole.facts[name] for name in _TOLD}
    if whole.facts["level"] is not None:
        assert result.facts["level"]["k_for_this_m"] == whole.facts["level"]["k_for_this_m"]
    assert sorted(e["text"] for e in result.violations) == sorted(e["text"] for e in whole.violations)


def test_ranges_that_overlap_are_refused() -> None:
    view, _ = _view([["", "[1:2]"], ["", "[2:3]"]], RatingKm(k=2, m=2))
    with pytest.raises(InputError, match="overlap"):
        rating_pairs.things_of(view, np.ones(2, np.int64), 2)
