"""Whose own record says something that is not true, for the judge: what is published of a person beside what is so."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from tacit.attack.baskets_known import baskets_in, baskets_of
from tacit.attack.scene import Scene
from tacit.audits.coverage import Coverage, covers, equals
from tacit.audits.views.columns import KnownColumn

_CLOSE = 1e-9


def is_false(scene: Scene, targets: np.ndarray) -> np.ndarray:
    """Of each of some people whether their published record is false; it must be known which one that is."""
    assert scene.people is not None
    if scene.kind == "ratings":
        return np.array([_is_rated_falsely(scene, person) for person in targets.tolist()], bool)
    found = np.zeros(targets.size, bool)
    columns = _sliced(scene, targets) if scene.kind == "slices" else _recorded(scene, targets)
    for meaning, was, texts, label in columns:
        some, place_of = np.unique(label, return_inverse=True)  # a file has many labels, and few people are looked at
        found |= ~meaning(was, [texts[i] for i in some.tolist()]).holds(was.codes[targets], place_of)
    if _has_baskets(scene):
        matcher, place = baskets_of(scene), _place(scene.people, len(scene.original))
        own = [matcher.exact(place[person, None], matcher.person(person)).size for person in targets.tolist()]
        found |= np.array(own, np.int64) == 0
    return found


def is_found_nowhere(scene: Scene, targets: np.ndarray) -> np.ndarray:
    """Of each whether no record at all may be theirs: all that is certain if nobody knows which row is whose."""
    found = np.zeros(targets.size, bool)
    if scene.kind == "records":
        from tacit.attack.records_known import matcher_of

        records = matcher_of(scene)
        found |= np.array([not records.candidates(person).size for person in targets.tolist()], bool)
    if _has_baskets(scene):
        matcher = baskets_of(scene)
        every = np.arange(matcher.records)
        found |= np.array([not matcher.exact(every, matcher.person(person)).size for person in targets.tolist()], bool)
    return found


def _has_baskets(scene: Scene) -> bool:
    return scene.kind == "baskets" or (scene.kind == "records" and baskets_in(scene)[1] is not None)


_Meaning = Callable[[KnownColumn, Sequence[str]], Coverage]
_Compared = Iterator[tuple[_Meaning, KnownColumn, Sequence[str], np.ndarray]]
"""Of each column what covers a value, the original, the texts of labels, and the label of each person."""


def _recorded(scene: Scene, targets: np.ndarray) -> _Compared:
    if scene.kind != "records":
        return
    assert scene.people is not None
    place = _place(scene.people, len(scene.original))[targets]
    sensitive = {column.name: column for column in scene.original.sensitive}
    for was, now in zip(scene.original.quasi, scene.view.quasi, strict=True):
        yield covers, was, now.texts, now.codes[place]
    for now in scene.view.shown:
        if now.name in sensitive:
            yield equals, sensitive[now.name], now.texts, now.codes[place]


def _sliced(scene: Scene, targets: np.ndarray) -> _Compared:
    view, before = scene.view, scene.original
    assert scene.people is not None
    for index, names in enumerate(view.slices):
        place = _place(scene.people[index], len(before))[targets]
        for name in names:
            meaning = covers if name in before.known else equals
            yield meaning, before.column(name), view.texts[name], view.column(index, name)[place]


def _place(people: np.ndarray, count: int) -> np.ndarray:
    """Where each person of the original is published."""
    place = np.zeros(count, np.int64)
    place[people] = np.arange(people.size)
    return place


def _is_rated_falsely(scene: Scene, person: int) -> bool:
    """Whether a rating is shown that does not cover the one that was given, or one of an issue that was not rated."""
    view, before, place = scene.view, scene.original, scene.place
    assert place is not None
    here = slice(view.starts[place[person]], view.starts[place[person] + 1])
    low = view.numbers_at(None, here)
    high = low if view.tops is None else view.numbers_at(view.tops, here)
    there = slice(before.starts[person], before.starts[person + 1])
    given = dict(zip([before.names[i] for i in before.issues[there]], before.numbers[there].tolist(), strict=True))
    for issue, least, most in zip(view.issues[here].tolist(), low.tolist(), high.tolist(), strict=True):
        value = given.get(view.names[issue])
        if view.is_sensitive[issue]:
            continue
        if value is None and not before.may_fill:
            return True
        if value is not None and not least - _CLOSE <= value <= most + _CLOSE:
            return True
    return False
