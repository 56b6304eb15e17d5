"""What attackers who want to learn something sensitive have in common: what is believed of a person, and the guess."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.attack.baskets_known import baskets_in, baskets_of, control_of
from tacit.attack.records_known import known_columns, matcher_of
from tacit.attack.scene import Scene
from tacit.attack.slices_known import slices_of
from tacit.audits.views.cells import Cells
from tacit.audits.views.columns import KnownColumn
from tacit.audits.views.spellings import as_one
from tacit.taxonomy import Taxonomy


@dataclass(frozen=True, eq=False)
class SensitiveColumn:
    """A sensitive column: of each published record its value, of each person the true one; −1 if it is not known."""

    name: str
    shown: np.ndarray  # int64 per published record
    true: np.ndarray  # int64 per person
    values: tuple[str, ...]

    def prior(self) -> np.ndarray:
        """How frequent each value is among the people."""
        known = self.true[self.true >= 0]
        return np.bincount(known, minlength=len(self.values)) / max(known.size, 1)

    def above(self, tree: Taxonomy | None) -> SensitiveColumn | None:
        """The same one level up in a hierarchy; None if there is none, or if it says nothing new."""
        if tree is None:
            return None
        node = {name: place for place, name in enumerate(tree.names)}
        parents = [tree.names[max(int(tree.parent[node[v]]), 0)] if v in node else v for v in self.values]
        names = tuple(dict.fromkeys(parents))
        if len(names) in (1, len(self.values)):
            return None
        place = np.array([*(names.index(each) for each in parents), -1])
        return SensitiveColumn(f"{self.name}, one level up", place[self.shown], place[self.true], names)


def sensitive_columns_of(scene: Scene) -> list[SensitiveColumn]:
    """The sensitive columns of records."""
    true = {column.name: column for column in scene.original.sensitive}
    folded = {column.name: column.fold for column in scene.view.columns}
    return [_sensitive_column(cells, true[cells.name], fold=folded[cells.name]) for cells in scene.view.shown]


def _sensitive_column(cells: Cells, original: KnownColumn, *, fold: bool) -> SensitiveColumn:
    """All spellings of a value are one, unless the job takes them apart; those of a number are one in any case."""
    true = _texts(original.cells)
    shown = [true[original.spellings[text]] if text in original.spellings else text for text in _texts(cells)]
    texts = [*shown, *true]
    first = as_one(texts) if fold else [texts.index(text) for text in texts]
    kept, code = np.unique(np.asarray(first, np.int64), return_inverse=True)
    values = tuple(texts[place] for place in kept.tolist())
    return SensitiveColumn(cells.name, code[: len(shown)][cells.codes], code[len(shown) :][original.codes], values)


def _texts(cells: Cells) -> list[str]:
    """What stands in a column; whatever means "no value" is the empty text."""
    return ["" if code == cells.missing else text for code, text in enumerate(cells.texts)]


def sliced_sensitive_columns(scene: Scene, original: Any = None) -> list[tuple[int, SensitiveColumn]]:
    """The sensitive attributes of a sliced table, each with its slice."""
    view, before = scene.view, scene.original if original is None else original
    found = []
    for name in view.sensitive:
        index = next(i for i, names in enumerate(view.slices) if name in names)
        cells = Cells(name, view.column(index, name), view.texts[name])
        found.append((index, _sensitive_column(cells, before.column(name), fold=name not in view.apart)))
    return found


def beliefs_about_records(
    scene: Scene, sensitive: SensitiveColumn, targets: np.ndarray, known: Any = None
) -> Iterator[np.ndarray]:
    """For each person how likely each value is: its share among the records that fit; nothing if none does."""
    matcher = matcher_of(scene)
    width = len(sensitive.values)
    held = matcher.group.astype(np.int64) * width + sensitive.shown
    pairs, counts = np.unique(held, return_counts=True)  # a group has few values
    values, starts = pairs % width, np.searchsorted(pairs, np.arange(matcher.sizes.size + 1) * width)
    for person in targets.tolist():
        groups = matcher.candidates(person, known)
        some = _ranges(starts[groups], starts[groups + 1])
        yield np.bincount(values[some], counts[some], minlength=width)


def _ranges(begin: np.ndarray, end: np.ndarray) -> np.ndarray:
    """The numbers of several ranges, one after the other.

    >>> _ranges(np.array([3, 8]), np.array([5, 9])).tolist()
    [3, 4, 8]
    """
    sizes = end - begin
    first = np.cumsum(sizes) - sizes
    return np.arange(sizes.sum()) + np.repeat(begin - first, sizes)


def beliefs_about_slices(
    scene: Scene, index: int, sensitive: SensitiveColumn, targets: np.ndarray, original: Any = None
) -> Iterator[np.ndarray]:
    """The same for slices: over all buckets that match, by how well they match (Li et al. 2012)."""
    matcher, view = slices_of(scene, original), scene.view
    known = [name for name in view.slices[index] if name in view.known]
    for person in targets.tolist():
        if (index, sensitive.name, person) in matcher.believed:
            yield matcher.believed[index, sensitive.name, person]
            continue
        weight = matcher.weights(person)
        rows = matcher.rows(person, known, index)
        rows = rows[weight[view.bucket[rows]] > 0]
        fits = np.bincount(view.bucket[rows], minlength=weight.size)
        share = (weight / np.maximum(fits, 1))[view.bucket[rows]]
        belief = np.bincount(sensitive.shown[rows], share, minlength=len(sensitive.values))
        yield matcher.believed.setdefault((index, sensitive.name, person), belief)


def best_guess(belief: np.ndarray, true: int) -> float:
    """The chance that the likeliest value is the true one; of several that are equally likely, any is taken."""
    top = belief.max(initial=0.0)
    if top <= 0:
        return 0.0
    best = np.flatnonzero(belief >= top * (1 - 1e-12))
    return float((best == true).any()) / best.size


class SensitiveItems:
    """Sensitive items of baskets: how likely a person has each, by the baskets that may be the person's."""

    def __init__(self, scene: Scene, *, of_control: bool = False) -> None:
        """`of_control`: the people are those who are not in the file."""
        before, after = baskets_in(scene)
        self.matcher = baskets_of(scene)
        if of_control:
            before = scene.control if scene.kind == "baskets" else scene.control.baskets
            strangers = control_of(scene)
            assert strangers is not None
            self.matcher = strangers
        units = self.matcher.unit_of_item[before.held.items]
        is_sensitive = self.matcher.is_sensitive_unit
        self.items, place = _counted_once(is_sensitive, self.matcher.counts_as)
        self.has = _table(before.held.starts, place[units], self.items.size)
        shown = np.full(len(after.labels), -1)
        for name, own in self.matcher.units.items():
            if own.size == 1:
                shown[name] = place[own[0]]
        self.place_of_label = shown
        self.shows = _table(after.starts, shown[after.items], self.items.size)
        if after.group is not None:  # whose items they are inside a group is not told
            _, group, size = np.unique(after.group, return_inverse=True, return_counts=True)
            held = np.zeros((size.size, self.items.size))
            np.add.at(held, group, self.shows)
            self.shows = (held / size[:, None])[group]

    def prior(self) -> np.ndarray:
        return self.has.mean(axis=0) if len(self.has) else np.zeros(self.items.size)

    def belief(self, candidates: np.ndarray) -> np.ndarray:
        return self.shows[candidates].mean(axis=0) if candidates.size else np.zeros(self.items.size)

    def guess(self, belief: np.ndarray, person: int) -> float:
        """The chance that the person has the likeliest item."""
        top = belief.max(initial=0.0)
        if top <= 0:
            return 0.0
        return float(self.has[person][belief >= top * (1 - 1e-12)].mean())


def _counted_once(is_sensitive: np.ndarray, counts_as: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The sensitive units, all spellings of an item as one, and for each unit which of them it is; −1 for none."""
    every = np.flatnonzero(is_sensitive)
    items, which = np.unique(counts_as[every], return_inverse=True)
    place = np.full(is_sensitive.size + 1, -1)
    place[every] = which
    return items, place


def _table(starts: np.ndarray, items: np.ndarray, width: int) -> np.ndarray:
    """For each row which of some items it has."""
    table = np.zeros((starts.size - 1, width))
    row = np.repeat(np.arange(starts.size - 1), np.diff(starts))
    table[row[items >= 0], items[items >= 0]] = 1.0
    return table


def control_columns(scene: Scene) -> Any:
    return None if scene.control is None else known_columns(scene, scene.control)[0]


def has_sensitive(scene: Scene) -> bool:
    """Whether there is anything sensitive to be learnt from the file."""
    if scene.kind == "records":
        return bool(scene.view.shown) or (
            scene.view.baskets is not None and bool(scene.view.baskets.is_sensitive.any())
        )
    if scene.kind == "slices":
        return bool(scene.view.sensitive)
    return scene.kind == "baskets" and bool(scene.view.is_sensitive.any())
