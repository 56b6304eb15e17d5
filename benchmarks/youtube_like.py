"""Made-up records in the shape of the YouTube data of Poulis et al. (2013), whose full crawl is not to be had.

131,780 videos with six attributes, and of 936 frequent videos those related to each: 6.5 on average, 37 at most.
Attributes are drawn like those of the crawl's public sample; related videos are alike inside a category.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

RECORDS, ITEMS, CATEGORIES = 131_780, 936, 18
MEAN_LENGTH, LONGEST = 6.51, 37
_MISSES = 0.15  # share of related videos from anywhere
_REPEATS = 1.17  # videos are drawn that often to have one more


def youtube_like(records: int = RECORDS, seed: int = 2013) -> pa.Table:
    """A table with the attributes age, category, length, rate, ratings and comments, and the set-valued `related`."""
    rng = np.random.default_rng(seed)
    popular = rng.dirichlet(np.full(CATEGORIES, 1.2))
    category = rng.choice(CATEGORIES, records, p=popular)
    ratings = np.floor(rng.lognormal(2.7, 2.2, records)).astype(int)
    rate = np.where(ratings == 0, 0, np.clip(rng.normal(4.3, 0.7, records), 1, 5)).round(2)
    comments = np.floor(ratings * rng.lognormal(-0.6, 0.8, records)).astype(int)
    return pa.table(
        {
            "age": np.clip(rng.gamma(6, 130, records), 0, 1136).astype(int),
            "category": [f"category{number:02d}" for number in category],
            "length": np.clip(rng.lognormal(5.1, 0.9, records), 1, 6556).astype(int),
            "rate": rate,
            "ratings": ratings,
            "comments": comments,
            "related": [" ".join(f"v{item:03d}" for item in items) for items in _related(rng, category)],
        }
    )


def _related(rng: np.random.Generator, category: np.ndarray) -> list[np.ndarray]:
    """Items of each record: most out of the category's share of the items, the first ones most often."""
    share = ITEMS // CATEGORIES
    weight = np.cumsum(1 / np.arange(1, share + 1) ** 0.7)
    lengths = np.clip(rng.geometric(1 / (MEAN_LENGTH * _REPEATS), category.size), 1, LONGEST)
    record = np.repeat(np.arange(category.size), lengths)
    near = category[record] * share + np.searchsorted(weight, rng.random(record.size) * weight[-1])
    far = rng.integers(0, ITEMS, record.size)
    drawn = np.where(rng.random(record.size) < _MISSES, far, near)
    return [np.unique(items) for items in np.split(drawn, np.cumsum(lengths)[:-1])]


def write(path: Path, records: int = RECORDS, seed: int = 2013) -> None:
    """The table as a CSV file."""
    from pyarrow import csv

    csv.write_csv(youtube_like(records, seed), path)
