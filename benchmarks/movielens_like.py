"""Ratings of the shape of MovieLens 20M, from a seed: 138,493 people, 27,278 films, 20 million in half stars."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

PEOPLE, FILMS, RATINGS, TASTES = 138_493, 27_278, 20_000_263, 10
SEED = 2015
_AT_ONCE = 10_000


def movielens_like(share: float = 1.0, *, seed: int = SEED) -> pa.Table:
    """A share of the people with their ratings, a row each; the same for the same seed.

    Everybody rated 20 films at least, most people tens and few thousands; few films are rated by every third person,
    and most by some tens.
    """
    rng = np.random.default_rng(seed)
    people = max(round(PEOPLE * share), 100)
    wanted = 20 + np.exp(rng.normal(4.0, 1.2, people))
    wanted = np.clip(20 + (wanted - 20) * (RATINGS / PEOPLE - 20) / (wanted - 20).mean(), 20, FILMS / 3).astype(
        np.int64
    )
    wanted[: max(round(RATINGS * share) - int(wanted.sum()), 0)] += 1  # what was rounded off
    popularity = (1.0 + np.arange(FILMS) / 40.0) ** -1.6
    taste_of_film = rng.integers(TASTES, size=FILMS)
    chances = popularity * np.where(taste_of_film == np.arange(TASTES)[:, None], 4.0, 1.0)
    chances = np.cumsum(chances / chances.sum(axis=1, keepdims=True), axis=1)
    mean_of_film = np.clip(rng.normal(3.4, 0.5, FILMS), 1, 4.6)
    parts = []
    for start in range(0, people, _AT_ONCE):
        some = wanted[start : start + _AT_ONCE]
        likes, mood = rng.integers(TASTES, size=some.size), rng.normal(0, 0.4, some.size)
        draws = np.ceil(some * (2 + some / 300)).astype(
            np.int64
        )  # films are drawn again and again: the first ones count
        person = np.repeat(np.arange(some.size), draws)
        lot, film = rng.random(person.size), np.empty(person.size, np.int64)
        for taste in range(TASTES):
            here = likes[person] == taste
            film[here] = np.searchsorted(chances[taste], lot[here])
        rated = person * FILMS + np.minimum(film, FILMS - 1)
        rated = rated[np.sort(np.unique(rated, return_index=True)[1])]
        rank = np.arange(rated.size) - np.searchsorted(rated // FILMS, rated // FILMS)
        person, film = np.divmod(np.sort(rated[rank < some[rated // FILMS]]), FILMS)
        stars = mean_of_film[film] + mood[person] + 0.3 * (taste_of_film[film] == likes[person])
        stars = np.clip(np.rint(2 * (stars + rng.normal(0, 0.85, film.size))), 1, 10) / 2
        parts.append((start + person + 1, film + 1, stars))
    person, film, stars = map(np.concatenate, zip(*parts, strict=True))
    return pa.table({"person": person, "film": film, "stars": stars})
