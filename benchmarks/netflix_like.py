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

from tacit.ratings.solvers.neighbours import neighbours
from tacit.ratings.solvers.problem import Problem

PEOPLE, MOVIES, RATINGS, TASTES = 480_189, 17_770, 100_480_507, 12
SEED = 2006
_AT_ONCE = 20_000


def netflix_like(share: float = 1.0, *, k: int = 20, reach: int = 1, seed: int = SEED) -> Problem:
    """A share of the people with their ratings, as a problem for a method; the same for the same seed."""
    rng = np.random.default_rng(seed)
    people = max(k, round(PEOPLE * share))
    wanted = np.exp(rng.normal(4.56, 1.25, people))  # median 96 ratings, as in the prize data
    wanted = np.clip(wanted * RATINGS / PEOPLE / wanted.mean(), 1, MOVIES * 0.6)
    popularity = (1.0 + np.arange(MOVIES) / 60.0) ** -1.35
    taste_of_movie = rng.integers(TASTES, size=MOVIES)
    chances = popularity * np.where(taste_of_movie == np.arange(TASTES)[:, None], 4.0, 1.0)
    chances = np.cumsum(chances / chances.sum(axis=1, keepdims=True), axis=1)
    mean_of_movie = np.clip(rng.normal(2.6, 0.55, MOVIES), 0.4, 3.8)
    lengths, issues, values = [np.zeros(1, np.int64)], [], []
    for start in range(0, people, _AT_ONCE):
        some = wanted[start : start + _AT_ONCE]
        likes = rng.integers(TASTES, size=some.size)
        mood = rng.normal(0, 0.45, some.size)
        draws = np.ceil(some * (1.10 + some / 1_430)).astype(np.int64)  # some movies are drawn twice, and count once
        person = np.repeat(np.arange(some.size), draws)
        lot = rng.random(person.size)
        movie = np.empty(person.size, np.int64)
        for taste in range(TASTES):
            here = likes[person] == taste
            movie[here] = np.searchsorted(chances[taste], lot[here])
        person, movie = np.divmod(np.unique(person * MOVIES + np.minimum(movie, MOVIES - 1)), MOVIES)
        stars = mean_of_movie[movie] + mood[person] + 0.35 * (taste_of_movie[movie] == likes[person])
        values.append(np.clip(np.rint(stars + rng.normal(0, 0.9, movie.size)), 0, 4).astype(np.int16))
        issues.append(movie.astype(np.int32))
        lengths.append(np.bincount(person, minlength=some.size))
    every = np.ones(MOVIES, np.int64)
    return Problem(
        np.cumsum(np.concatenate(lengths)), np.concatenate(issues), np.concatenate(values),
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
