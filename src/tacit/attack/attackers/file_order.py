"""Does the order of the file, or a number in it, follow the original's?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from tacit.attack.base import BEST, SINGLING_OUT, Attacker, Outcome, nothing

if TYPE_CHECKING:
    import numpy as np

    from tacit.attack.scene import Scene

_SEEDS = 1_000
"""So many seeds are guessable: 0, 1, 2 and so on."""
_ROWS = 2_000
_LARGEST = 50
"""Groups with more people tell nothing by whom they begin with."""
_FEWEST = 10
"""Of fewer groups nothing is said."""


def play(scene: Scene) -> Iterator[Outcome]:
    import numpy as np

    from tacit.attack.scene import NO_ROWS, tally

    if scene.people is None:
        yield nothing("the order of the original", NO_ROWS)
        return
    rows = scene.people if scene.people.ndim == 1 else scene.people[0]
    n = rows.size
    place = np.arange(n)
    same, reverse = rows == place, rows == place[::-1]
    best = max((same, reverse), key=np.count_nonzero)
    yield Outcome("the order of the original; takes the file's for the same", tally(best.astype(float)), scene.nobody)
    if n <= _ROWS:
        hits = (_orders_by_seed(n) == rows).sum(axis=-1).max(axis=-1)
        seed = int(hits.argmax())
        found = int(hits[seed])
        chance = 3.0 / max(n, 1)
        yield Outcome(
            f"the order of the original, and that a generator with a seed below {_SEEDS:,} shuffled it",
            tally((np.arange(n) < found).astype(float)),
            max(chance, _largest_by_chance(n)),
            facts={"seed": seed if found > n * 0.5 else None},
        )
    yield from _first_rows(scene)
    numbers = _numbers(scene)
    if numbers is not None and n > 2:
        rank = np.argsort(np.argsort(numbers, kind="stable"), kind="stable")
        order = np.argsort(np.argsort(rows, kind="stable"), kind="stable")
        orders = [order] if scene.ids is None else [order, _rank(scene.ids[1])[rows]]
        link = max(abs(float(np.corrcoef(rank, each)[0, 1])) for each in orders)
        right = float(link > 4.0 / np.sqrt(n) and link > 0.2)
        yield Outcome(
            f"the {'ids of people' if scene.ids else 'numbers of groups or buckets'}; they follow the original's order",
            tally(np.full(n, right * link)), 0.0, facts={"rank_correlation": link},
        )  # fmt: skip


def _first_rows(scene: Scene) -> Iterator[Outcome]:
    """Whether the first row of a group is the person farthest from the middle: what a search begins a group with."""
    import numpy as np

    from tacit.attack.records_known import known_columns, matcher_of
    from tacit.attack.scene import tally

    if scene.kind != "records" or scene.people is None:
        return
    groups = matcher_of(scene)
    is_small = (groups.sizes > 1) & (groups.sizes <= _LARGEST)
    if np.count_nonzero(is_small) < _FEWEST:
        return
    far = np.zeros(len(scene.original))
    for column in known_columns(scene)[0]:
        if column.numbers is not None:
            known = column.numbers[column.codes]
            spread = float(np.nanstd(known)) or 1.0
            far += np.nan_to_num(np.abs(known - np.nanmean(known)) / spread)
    order, starts = groups.members
    apart = far[scene.people[order]]  # `order` keeps that of the file
    most, least = (each.reduceat(apart, starts[:-1]) for each in (np.maximum, np.minimum))
    is_outermost = apart >= np.repeat(most, groups.sizes) - 1e-12
    share = np.add.reduceat(is_outermost, starts[:-1], dtype=np.int64) / groups.sizes
    some = is_small & (least < most)
    if np.count_nonzero(some) >= _FEWEST:
        yield Outcome(
            "that a search begins groups at the edge; takes the first row of a group for its outermost person",
            tally(is_outermost[starts[:-1]][some].astype(float)), float(share[some].mean()),
        )  # fmt: skip


@lru_cache(maxsize=1)  # the original is as long as the release
def _orders_by_seed(n: int) -> np.ndarray:
    """Where NumPy's shuffle, its inverse, and the shuffle of older versions put n rows, with each seed."""
    import numpy as np

    orders = np.empty((_SEEDS, 3, n), np.int16)
    older = np.random.RandomState()
    for seed in range(_SEEDS):
        order = np.random.default_rng(seed).permutation(n)
        older.seed(seed)
        orders[seed, 0] = order
        orders[seed, 1, order] = np.arange(n)
        orders[seed, 2] = older.permutation(n)
    return orders


def _largest_by_chance(n: int) -> float:
    """The most places that some of a thousand random orders have right: up to about seven."""
    return min(8.0 / max(n, 1), 1.0)


def _numbers(scene: Scene) -> np.ndarray | None:
    """The numbers of buckets or groups, as they are written, or the ids of people in their order."""
    import numpy as np

    if scene.ids is not None:
        return _rank(scene.ids[0])
    if scene.kind == "slices":
        texts = [scene.view.buckets[i] for i in scene.view.bucket.tolist()]
        return np.array([float(text) if text.isdigit() else 0.0 for text in texts])
    if scene.kind == "baskets" and scene.view.group is not None:
        return np.asarray(scene.view.group, float)
    return None


def _rank(ids: Sequence[str]) -> np.ndarray:
    """The place of each id in their order: that of numbers, if all are."""
    import numpy as np

    are_numbers = all(each.isdecimal() for each in ids)
    order = sorted(range(len(ids)), key=lambda i: (int(ids[i]), "") if are_numbers else (0, ids[i]))
    rank = np.empty(len(ids))
    rank[order] = np.arange(len(ids))
    return rank


ATTACKER = Attacker(
    name="file-order",
    heading=SINGLING_OUT,
    story="The attacker knows the order of the original, say by date or by name, and that small seeds are "
    "popular. The file's order, its numbers of buckets or groups, or what a seed makes of them are taken for the "
    "same order.",
    kinds=("baskets", "records", "slices", "ratings"),
    play=play,
    rule=BEST,
    no_control="no control: it is about the record that is published of a person",
    advice="Shuffle by a secret key, as `tacit anonymize` does, never by a seed that somebody can guess.",
    needs="rows",
)
