"""Ratings of the shape of the Netflix prize data, from a seed: how long `neighbours` takes, and in how much memory.

480,189 people, 17,770 movies, about 100 million ratings of 1 to 5 stars; few people rate thousands of movies and most
rate tens, few movies are rated by every second person and most by hundreds; people have tastes.

    python -m benchmarks.netflix_like 0.01 0.1 1
"""

from __future__ import annotations

import resource
import sys
import time

import numpy as np

from tacit.ratings.neighbours import neighbours
from tacit.ratings.problem import Problem

PEOPLE, MOVIES, RATINGS, TASTES = 480_189, 17_770, 100_480_507, 12
SEED = 2006
_AT_ONCE = 4_000


def netflix_like(share: float = 1.0, *, k: int = 20, reach: int = 1, seed: int = SEED) -> Problem:
    """A share of the people with their ratings, as a problem for a method; the same for the same seed."""
    rng = np.random.default_rng(seed)
    people = max(k, round(PEOPLE * share))
    wanted = np.exp(rng.normal(4.56, 1.25, people))  # median 96 ratings, as in the prize data
    wanted = np.clip(wanted * RATINGS / PEOPLE / wanted.mean(), 1, MOVIES * 0.9)
    popularity = (1.0 + np.arange(MOVIES) / 60.0) ** -1.35
    taste_of_movie = rng.integers(TASTES, size=MOVIES)
    mean_of_movie = np.clip(rng.normal(2.6, 0.55, MOVIES), 0.4, 3.8)
    indptr, issues, values = [0], [], []
    for start in range(0, people, _AT_ONCE):
        some = wanted[start : start + _AT_ONCE]
        likes = rng.integers(TASTES, size=some.size)
        mood = rng.normal(0, 0.45, some.size)
        for person in range(some.size):
            weight = popularity * np.where(taste_of_movie == likes[person], 4.0, 1.0)
            chance = 1.0 - np.exp(-weight * (some[person] / weight.sum()) * (1.0 + some[person] / 2_000))
            rated = np.flatnonzero(rng.random(MOVIES, np.float32) < chance)
            liked = 0.35 * (taste_of_movie[rated] == likes[person])
            stars = mean_of_movie[rated] + mood[person] + liked + rng.normal(0, 0.9, rated.size)
            issues.append(rated.astype(np.int32))
            values.append(np.clip(np.rint(stars), 0, 4).astype(np.int16))
            indptr.append(indptr[-1] + rated.size)
    every = np.ones(MOVIES, np.int64)
    return Problem(
        np.array(indptr, np.int64), np.concatenate(issues), np.concatenate(values),
        reach * every, -every, 4 * every, k, False,
    )  # fmt: skip


def main() -> None:
    """Prints a line a share: people, ratings, seconds of the search, peak memory, and what is kept."""
    for share in map(float, sys.argv[1:] or ["0.01"]):
        problem = netflix_like(share)
        start = time.perf_counter()
        cells = neighbours(problem)
        seconds = time.perf_counter() - start
        kept = np.diff(cells.indptr)[cells.cell[cells.cell >= 0]].sum() + np.diff(problem.indptr)[cells.cell < 0].sum()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(
            f"{share:>6.1%}  {problem.people:>8,} people  {problem.issues.size:>12,} ratings  {seconds:8.1f} s  "
            f"{peak:5.2f} GiB  {kept / problem.issues.size:.2%} kept",
            flush=True,
        )


if __name__ == "__main__":
    main()
