"""deFinetti (Kifer 2009): what buckets say of the whole tells more about each of them than its own shares."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tacit.attack.base import BEST, INFERENCE, Attacker, Outcome

if TYPE_CHECKING:
    import numpy as np

    from tacit.attack.scene import Scene

_ROUNDS = 20
_MOST_ROWS = 50_000
_MOST_VALUES = 60


def play(scene: Scene) -> Iterator[Outcome]:

    from tacit.attack.base import nothing
    from tacit.attack.scene import NO_ROWS, tally

    for name, features, bucket, shown, true in _posed(scene):
        words = f"the rows of each bucket, or group; guesses {name}"
        if scene.people is None:
            yield nothing(words, NO_ROWS)
            continue
        if bucket.size > _MOST_ROWS or not 1 < int(shown.max(initial=0)) + 1 <= _MOST_VALUES:
            yield nothing(words, "there are more rows, or values, than can be re-assigned in seconds")
            continue
        guess = assigned(features, bucket, shown, scene.rng("definetti", name))
        baseline = _shares(bucket, shown)
        yield Outcome(words, tally((guess == true).astype(float)), baseline)


def _shares(bucket: np.ndarray, shown: np.ndarray) -> float:
    """How often a guess is right that knows the bucket and nothing else: its most frequent value."""
    import numpy as np

    width = int(shown.max(initial=0)) + 1
    table = np.bincount(bucket * width + shown, minlength=(int(bucket.max(initial=0)) + 1) * width).reshape(-1, width)
    return float(table.max(axis=1).sum() / max(bucket.size, 1))


def assigned(features: list[np.ndarray], bucket: np.ndarray, shown: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The value of each row: naive Bayes learns from an assignment, and values are dealt anew until it settles."""
    import numpy as np

    width = int(shown.max(initial=0)) + 1
    order = np.argsort(bucket, kind="stable")
    starts = np.concatenate(([0], np.flatnonzero(np.diff(bucket[order])) + 1, [bucket.size]))
    value = np.empty_like(shown)
    for begin, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        value[order[begin:end]] = rng.permutation(shown[order[begin:end]])
    for _ in range(_ROUNDS):
        score = np.zeros((bucket.size, width))
        for column in features:
            size = int(column.max(initial=0)) + 1
            table = np.bincount(column * width + value, minlength=size * width).reshape(size, width) + 1.0
            score += np.log(table / table.sum(axis=0))[column]
        score += np.log(np.bincount(value, minlength=width) + 1.0)
        new = value.copy()
        for begin, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
            rows = order[begin:end]
            new[rows] = _dealt(score[rows], shown[rows])
        if np.array_equal(new, value):
            break
        value = new
    return value


def _dealt(score: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The values of a bucket, each to the row that it fits best: at most total loss."""
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    row, place = linear_sum_assignment(-score[:, values])
    dealt = np.empty_like(values)
    dealt[row] = values[place]
    return dealt


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
    "people. Naive Bayes learns from the dealing of all buckets and deals anew until nothing changes.",
    kinds=("slices", "baskets"),
    play=play,
    rule=BEST,
    no_control="no control: it is about who is in a group, and others are in none",
    advice="Raise l or p; if it is still too high, publish generalized records with t-closeness instead of buckets.",
    needs="rows",
    fits=_fits,
    quick=False,
)
