"""The search for cuts: what is counted, what is cut, and what it keeps of large logs."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise

import numpy as np
import pyarrow as pa
import pytest
from benchmarks.jester_like import jester_like
from benchmarks.workloads import DATA
from pyarrow import csv

import tacit
from naive import cuts as twin
from support.seeds import each_seed
from tacit import RatingKm
from tacit.ratings import recommender
from tacit.ratings.recommender import Ratings, judged, ndcg
from tacit.ratings.solvers import cuts as cuts_module
from tacit.ratings.solvers import rare as rare_module
from tacit.ratings.solvers.cells import Parted, parted
from tacit.ratings.solvers.cuts import Cutting, Table, counted_near, cut_scales, tabled
from tacit.ratings.solvers.problem import Problem
from tacit.ratings.solvers.ranging import found_cuts
from tacit.ratings.solvers.rare import cut_for_many, most_counted

LEVELS = 5


def problem(rng: np.random.Generator, people: int = 60, issues: int = 7, share: float = 0.5) -> Problem:
    rated = rng.random((people, issues)) < share * rng.random(issues) * 2
    person, issue = np.nonzero(rated)
    every = np.ones(issues, np.int64)
    return Problem(
        np.searchsorted(person, np.arange(people + 1)), issue.astype(np.int32),
        rng.integers(0, LEVELS, issue.size).astype(np.int16), 0 * every, -every, (LEVELS - 1) * every, 3, False,
    )  # fmt: skip


def cell_of(cells: Parted, person: int, issue: int) -> int:
    """The cell of a person in an issue: the last one if it was not rated."""
    low, none = cells.scales.first[issue], cells.scales.first[issue + 1] - 1
    own = cells.rated.cells[cells.rated.indptr[person] : cells.rated.indptr[person + 1]]
    here = [int(cell) for cell in own if low <= cell < none]
    return here[0] if here else int(none)


def rare(cells: Parted, now: Cutting, k: int, m: int) -> list[tuple[int, ...]]:
    """All sets of groups that some but fewer than k people are in, by looking at everybody."""
    issues, people = cells.issues.size, cells.rated.people
    groups = [[int(now.group[cell_of(cells, person, issue)]) for issue in range(issues)] for person in range(people)]
    found = set()
    for size in range(1, m + 1):
        for chosen in combinations(range(issues), size):
            met = Counter(tuple(own[issue] for issue in chosen) for own in groups)
            found |= {each for each, count in met.items() if -1 not in each and count < k}
    return sorted(found)


@each_seed(range(60), fast=8)
def test_pairs_are_counted_as_far_as_is_asked(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuts_module, "_TILE", 4)
    cells = parted(problem(np.random.default_rng(seed)), 3, 2)
    near = counted_near(cells.rated, cells.scales, 4)
    width = int(cells.scales.first[-1])
    true = np.zeros((width, width), np.int64)
    for person in range(cells.rated.people):
        own = [cell_of(cells, person, issue) for issue in range(cells.issues.size)]
        for one, other in combinations(own, 2):
            true[one, other] += 1
            true[other, one] += 1
    assert np.array_equal(near, np.minimum(true, 4))
    assert np.array_equal(cells.scales.counts, np.bincount(
        [cell_of(cells, p, i) for p in range(cells.rated.people) for i in range(cells.issues.size)], minlength=width,
    ))  # fmt: skip


@pytest.mark.parametrize("m", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_more_people_than_sixteen_bits_count(m: int) -> None:
    """All who answer alike are 70,000 or more: nothing is to be joined."""
    k, issues = 70_000, 3
    answers = np.array([[0] * issues, [1] * issues], np.int16).repeat(k, axis=0)
    every = np.ones(issues, np.int64)
    given = Problem(
        np.arange(len(answers) + 1) * issues, np.tile(np.arange(issues, dtype=np.int32), len(answers)),
        answers.ravel(), 0 * every, -every, every, k, False,
    )  # fmt: skip
    assert found_cuts(parted(given, k, m), k, m).tolist() == [0, 1, -1, 3, 4, -1, 6, 7, -1]


@each_seed(range(100), fast=12)
def test_nothing_is_rare_in_the_end(seed: int) -> None:
    rng = np.random.default_rng(seed)
    k, m = int(rng.integers(2, 6)), int(rng.integers(1, 5))
    cells = parted(problem(rng, share=float(rng.choice([0.3, 0.6, 1]))), k, m, most_cells=int(rng.choice([20, 1000])))
    if not cells.issues.size:
        return
    table = tabled(cells.rated, cells.scales, most_counted(k, 60) if m > 2 else k, pairs=m > 1)
    now = cut_for_many(table, k, m) if m > 2 else cut_scales(table, k)
    assert rare(cells, now, k, m) == []
    assert table.loss(now.cut) == own_loss(cells, table, now.cut)


@each_seed(range(60), fast=1)
def test_three_known_ratings_cut_as_the_twin_does(seed: int) -> None:
    rng = np.random.default_rng(seed)
    given, k = problem(rng, people=int(rng.integers(16, 40)), issues=4 + seed % 2, share=0.8), 2 + seed % 2
    names = [f"q{issue}" for issue in range(given.top.size)]
    people = [
        {names[i]: int(value) for i, value in zip(given.issues[here].tolist(), given.values[here], strict=True)}
        for here in (slice(*span) for span in pairwise(given.indptr.tolist()))
    ]
    cells, expected = parted(given, k, 3), twin.found_cuts(people, names, LEVELS, k, 3)
    cut, first = found_cuts(cells, k, 3) if cells.issues.size else np.empty(0, np.int64), cells.scales.first
    shown = {
        names[issue]: [int(head - low) if head >= 0 else None for head in cut[low : past - 1]]
        for issue, low, past in zip(cells.issues.tolist(), first, first[1:], strict=False)
    }
    assert {name: [None] * LEVELS for name in names} | shown == expected


@each_seed(range(20), fast=3)
def test_rare_sets_are_found_however_many_people_are_looked_at(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some thousand people are looked at in blocks of 512, and what is rare is in none of them alone."""
    rng = np.random.default_rng(seed)
    monkeypatch.setattr(rare_module, "_LATER_BLOCKS", (0, 1, 31)[seed % 3])
    monkeypatch.setattr(rare_module, "_WORTH_TWO_JOBS", (1, 256)[seed % 2])
    k, m = (60, 5, 20)[seed % 3], 3 + (seed // 2) % 2
    people = int(rng.integers(1500, 3000)) * (1 if seed % 3 else 3)  # more are in a group than in all blocks
    cells = parted(problem(rng, people=people, issues=6, share=0.7), 5, m)
    table = tabled(cells.rated, cells.scales, 5, pairs=True)
    now = cut_scales(table, 5)
    groups = rare_module.grouped(table, now)
    found = rare_module.rare_sets(groups, k, m, 1 << 20)
    heads = {tuple(who): head for head, who in members(cells, now).items()}
    head_of = [heads[tuple(in_group(groups, group))] for group in range(groups.issue.size)]
    named = {tuple(sorted(head_of[group] for group in each if group >= 0)) for each in found.sets.tolist()}
    true = {*rare(cells, now, k, m)}
    minimal = {each for each in true if not any({*combinations(each, size)} & true for size in range(2, len(each)))}
    assert not found.are_more and {each for each in minimal if len(each) > 1} <= named <= true


def members(cells: Parted, now: Cutting) -> dict[int, list[int]]:
    """Who is in each group."""
    found: dict[int, list[int]] = {}
    for person in range(cells.rated.people):
        for issue in range(cells.issues.size):
            found.setdefault(int(now.group[cell_of(cells, person, issue)]), []).append(person)
    return {head: who for head, who in found.items() if head >= 0}


def in_group(groups: rare_module.Groups, group: int) -> list[int]:
    bits = np.unpackbits(groups.bits[group].view(np.uint8), bitorder="little")[: groups.order.size]
    return sorted(groups.order[bits > 0].tolist())


def own_loss(cells: Parted, table: Table, cut: np.ndarray) -> int:
    total = 0
    for cell in cells.rated.cells.tolist():
        if cut[cell] < 0:
            total += 1 << 12
        else:
            alike = np.flatnonzero(cut == cut[cell])
            total += int(table.scales.right[alike[-1]] - table.scales.left[alike[0]])
    return total


def test_cells_are_joined_and_issues_left_out_where_there_are_too_many() -> None:
    given = problem(np.random.default_rng(1), people=300, issues=30)
    whole, few = parted(given, 3, 2), parted(given, 3, 2, most_cells=60)
    assert np.diff(whole.scales.first).max() == LEVELS + 1 and whole.issues.size == 30
    assert few.scales.first[-1] <= 60
    least = [few.scales.counts[a : b - 1].min() for a, b in zip(few.scales.first, few.scales.first[1:], strict=False)]
    assert min(least) >= 3 or np.diff(few.scales.first).max() == 2
    assert set(np.diff(few.high[few.scales.first[:-1]] >= few.low[few.scales.first[:-1]])) <= {False}


def test_where_only_one_rating_is_known_no_cells_are_joined() -> None:
    """No two cells are counted together then, however many there are."""
    given = problem(np.random.default_rng(1), people=300, issues=30)
    assert (
        parted(given, 3, 1, most_cells=60).scales.first[-1] == parted(given, 3, 2).scales.first[-1] == 30 * (LEVELS + 1)
    )


@pytest.mark.parametrize("missing", [0, 2])
def test_issues_without_hope_make_no_other_one_coarser(missing: int) -> None:
    """Twenty issues that everybody rated, and sixty that 9 of 300 people rated: no two of those fit k people.

    Where there is no room for two of the twenty, wider cells of all others would lose more than these two.
    """
    rng = np.random.default_rng(2)
    rated = np.hstack((np.ones((300, 20), bool), rng.permuted(np.arange(300)[:, None] < np.full(60, 9), axis=0)))
    levels = rng.permuted(np.tile(np.arange(LEVELS, dtype=np.int16), (80, 60)), axis=1).T
    person, issue = np.nonzero(rated)
    every = np.ones(80, np.int64)
    given = Problem(
        np.searchsorted(person, np.arange(301)), issue.astype(np.int32), levels[person, issue],
        0 * every, -every, (LEVELS - 1) * every, 3, False,
    )  # fmt: skip
    room = (20 - missing) * (LEVELS + 1)
    cells = parted(given, 3, 2, most_cells=room)
    assert cells.issues.tolist() == [*range(20 - missing)]
    assert set(np.diff(cells.scales.first)) == {LEVELS + 1}
    assert parted(given, 3, 2, most_cells=21 * (LEVELS + 1)).issues.size == 21, "what has room is in"
    coarse = parted(given, 3, 2, most_cells=15 * (LEVELS + 1))
    assert coarse.issues.size > 20 and np.diff(coarse.scales.first).max() < LEVELS + 1


def lost(given: Problem, k: int, m: int) -> int:
    """What is lost in all, with the issues that have no cells."""
    cells = parted(given, k, m)
    table = tabled(cells.rated, cells.scales, most_counted(k, given.people) if m > 2 else k, pairs=m > 1)
    now = cut_for_many(table, k, m) if m > 2 else cut_scales(table, k)
    return table.loss(now.cut) + ((given.issues.size - cells.rated.cells.size) << 12)


@each_seed(range(60), fast=6)
def test_a_weaker_promise_about_one_rating_loses_no_more(seed: int) -> None:
    given = problem(np.random.default_rng(seed), people=300, issues=20)
    losses = [lost(given, k, 1) for k in (2, 3, 5, 8, 12)]
    assert losses == sorted(losses)


def test_the_k_of_pairs_is_looked_for_between_the_doubled_ones() -> None:
    """With pairs of 8 people there are 94 rare sets and with 16 none: the best is in between."""
    rng = np.random.default_rng(1)
    given = problem(rng, int(rng.integers(60, 400)), int(rng.integers(5, 40)), float(rng.choice([0.2, 0.4, 0.8])))
    cells = parted(given, 2, 3)
    table = tabled(cells.rated, cells.scales, most_counted(2, given.people), pairs=True)
    doubled = [table.loss(cut_scales(table, k).cut) for k in (16, 32)]
    assert table.loss(cut_for_many(table, 2, 3).cut) < min(doubled)


def test_many_steps_are_cut_at_some() -> None:
    every = np.ones(1, np.int64)
    values = np.arange(0, 1001, 5).astype(np.int16)
    given = Problem(
        np.arange(values.size + 1), np.zeros(values.size, np.int32), values, 0 * every, -every, 1000 * every, 3, False
    )
    cells = parted(given, 3, 2)
    assert cells.low[:-1].tolist() == [-(-part * 1001 // 20) for part in range(20)] and cells.high[19] == 1000


def test_a_recommender_learns_who_agrees() -> None:
    """Two films that are always rated alike tell each other."""
    rng = np.random.default_rng(1)
    taste = rng.normal(size=400)
    table = np.stack((3 + taste, 3 + taste, 3 + rng.normal(size=400), 3 - taste), axis=1)
    people, issues = np.divmod(np.arange(table.size), 4)
    true = Ratings(people, issues, table.ravel())
    hidden = (issues == 0) & (people % 4 == 0)
    noise = true._replace(numbers=rng.permutation(true.numbers))
    good, bad = (judged(each, true, hidden, 400, 4).rmse for each in (true, noise))
    assert good is not None and bad is not None and good < 0.8 * bad
    assert judged(true, true, np.zeros(1600, bool), 400, 4) == recommender.Judged(None, None)


def test_ndcg() -> None:
    people, gains = np.array([0, 0, 0, 1]), np.array([3.0, 2.0, 0.0, 5.0])
    best = 3 + 2 / np.log2(3)
    assert ndcg(people, np.array([9.0, 8.0, 7.0, 0.0]), gains) == 1
    assert ndcg(people, np.array([8.0, 9.0, 7.0, 0.0]), gains) == pytest.approx((2 + 3 / np.log2(3)) / best)
    assert ndcg(np.array([0]), np.array([1.0]), np.array([1.0])) is None


@pytest.mark.slow
@pytest.mark.parametrize("m", [2, 3])
def test_a_log_of_the_shape_of_jester_keeps_most(m: int) -> None:
    made = tacit.anonymize(
        jester_like(), RatingKm(5, m), person="person", items="joke", rating="rating", scale=(-10, 10), step=0, seed=1
    )
    assert made.audit.satisfied and made.utility["kept"] >= 0.8 and 20 * made.utility["mean_width"] <= 6


@pytest.mark.slow
def test_movielens_keeps_more_than_two_fifths() -> None:
    file = DATA / "ratings" / "ml-latest-small" / "ratings.csv.gz"
    if not file.is_file():
        pytest.skip("the data sets are not beside the project")
    table = csv.read_csv(pa.CompressedInputStream(pa.OSFile(str(file)), "gzip")).select(["userId", "movieId", "rating"])
    roles = {"person": "userId", "items": "movieId", "rating": "rating", "scale": (0.5, 5), "step": 0.5}
    made = tacit.anonymize(table, RatingKm(5, 2), **roles, seed=1)
    assert made.audit.satisfied and made.utility["kept"] >= 0.42


def test_what_only_begins_with_rare_ratings_is_looked_at_again() -> None:
    """Where a part of a set is rare the set is left out; once the part is not, it is counted, if nobody is new."""
    rng = np.random.default_rng(29)
    given = rng.integers(1, 6, (60, 5))
    shows = rng.random((60, 5)) < 0.7
    columns = {}
    for i in range(5):
        columns[f"q{i}"] = [int(v) if s else None for v, s in zip(given[:, i], shows[:, i], strict=True)]
    release = tacit.anonymize(pa.table(columns), RatingKm(3, 4), rating=[*columns], scale=(1, 5), step=1, seed=1)
    assert release.audit.satisfied
