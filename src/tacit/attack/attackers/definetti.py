"""deFinetti (Kifer 2009): what buckets say of the whole tells more about each of them than its own shares."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tacit.attack.base import BEST, INFERENCE, Attacker, Outcome

if TYPE_CHECKING:
    import numpy as np

    from tacit.attack.scene import Scene

_MOST_PAIRS = 4_000_000
"""So many pairs of a row and a value of its bucket are scored; of files with more, some buckets are drawn."""


def play(scene: Scene) -> Iterator[Outcome]:
    from tacit.attack.base import nothing
    from tacit.attack.bucket_learning import values_learnt
    from tacit.attack.scene import NO_ROWS, tally

    for name, features, bucket, shown, true in _posed(scene):
        words = f"the rows of each bucket, or group; guesses {name}"
        if scene.people is None:
            yield nothing(words, NO_ROWS)
            continue
        rows = _drawn(scene, bucket, shown)
        if not rows.size:
            why = "a bucket has more rows than can be dealt anew in minutes: --exact tries it"
            yield nothing(words, why if bucket.size else "the file has no record")
            continue
        bucket, shown = bucket[rows], shown[rows]
        guess = values_learnt([column[rows] for column in features], bucket, shown, scene.rng("definetti", name))
        yield Outcome(words, tally((guess == true[rows]).astype(float)), _shares(bucket, shown))


def _drawn(scene: Scene, bucket: np.ndarray, shown: np.ndarray) -> np.ndarray:
    """The rows of all buckets, or of some that are drawn whole; none if the buckets are too large for any."""
    import numpy as np

    from tacit.attack.dealing import pairs_in

    pairs = pairs_in(bucket, shown)
    if scene.exact or pairs.sum() <= _MOST_PAIRS:
        return np.arange(bucket.size)
    small = np.flatnonzero(pairs <= _MOST_PAIRS)
    order = small[scene.rng("definetti", "buckets").permutation(small.size)]
    taken = np.zeros(pairs.size, bool)
    taken[order[np.cumsum(pairs[order]) <= _MOST_PAIRS]] = True
    return np.flatnonzero(taken[bucket])


def _shares(bucket: np.ndarray, shown: np.ndarray) -> float:
    """How often a guess is right that knows the bucket and nothing else: its most frequent value."""
    import numpy as np

    width = int(shown.max(initial=0)) + 1
    both, counts = np.unique(bucket * width + shown, return_counts=True)
    begin = np.flatnonzero(np.diff(both // width, prepend=-1))
    return float(np.maximum.reduceat(counts, begin).sum() / bucket.size)


def _posed(scene: Scene) -> Iterator[tuple[str, list[np.ndarray], np.ndarray, np.ndarray, np.ndarray]]:
    """For each sensitive thing: what is known of each row, its bucket, the values as they stand, and the true ones."""
    import numpy as np

    if scene.kind == "slices":
        from tacit.attack.learning import sliced_sensitive_columns

        view = scene.view
        for index, sensitive in sliced_sensitive_columns(scene):
            known = [name for name in view.slices[0] if name in view.known]
            if index == 0 or not known:
                continue
            rows = np.arange(len(view)) if scene.people is None else scene.people[0]
            yield (
                sensitive.name, [view.column(0, name).astype(np.int64) for name in known], view.bucket.astype(np.int64),
                sensitive.shown, sensitive.true[rows],
            )  # fmt: skip
        return
    yield from _groups(scene)


def _groups(scene: Scene) -> Iterator[tuple[str, list[Any], Any, Any, Any]]:
    """CAHD: which of a group has the sensitive item."""
    import numpy as np

    from tacit.attack.learning import SensitiveItems

    view = scene.view
    sensitive = SensitiveItems(scene)
    row = np.repeat(np.arange(len(view)), np.diff(view.starts))
    common = np.argsort(-np.bincount(view.items, minlength=len(view.labels)))[:40]
    known = [item for item in common.tolist() if not view.is_sensitive[item]]
    features = []
    for item in known:
        has = np.zeros(len(view), np.int64)
        has[row[view.items == item]] = 1
        features.append(has)
    group = np.unique(view.group, return_inverse=True)[1]
    people = np.arange(len(view)) if scene.people is None else scene.people
    for place in range(sensitive.items.size):
        shown = np.zeros(len(view), np.int64)
        shown[row[sensitive.place_of_label[view.items] == place]] = 1
        if shown.any():
            yield (
                f"a sensitive item, {place + 1} of {sensitive.items.size}",
                features,
                group,
                shown,
                (sensitive.has[people, place].astype(np.int64)),
            )


def _fits(scene: Scene) -> bool:
    if scene.kind == "slices":
        return len(scene.view.slices) > 1 and bool(scene.view.sensitive)
    return scene.view.group is not None and bool(scene.view.is_sensitive.any())


ATTACKER = Attacker(
    name="definetti",
    heading=INFERENCE,
    story="The attacker knows whose rows are in which bucket, and deals the bucket's sensitive values to the "
    "people. Naive Bayes learns from the dealing of all buckets and deals anew; the round that explains the buckets "
    "best is believed.",
    kinds=("slices", "baskets"),
    play=play,
    rule=BEST,
    no_control="no control: it is about who is in a group, and others are in none",
    advice="Raise l or p; if it is still too high, publish generalized records with t-closeness instead of buckets.",
    needs="rows",
    fits=_fits,
)
