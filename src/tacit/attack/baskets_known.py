"""What attackers on baskets have in common."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.attack.basket_matching import BasketMatcher
from tacit.attack.scene import Scene
from tacit.audits.views.baskets import BasketOriginal, BasketView


def baskets_in(scene: Scene) -> tuple[BasketOriginal, BasketView]:
    """The baskets of the original and those that were published, be they alone or parts of records."""
    if scene.kind == "baskets":
        return scene.original, scene.view
    return scene.original.baskets, scene.view.baskets


def baskets_of(scene: Scene) -> BasketMatcher:
    """Shared by all attackers."""
    return scene.once("baskets", lambda: BasketMatcher(*baskets_in(scene)))


def control_of(scene: Scene) -> BasketMatcher | None:
    """The baskets of people who are not in the file, against those that were published."""
    if scene.control is None:
        return None
    before = scene.control if scene.kind == "baskets" else scene.control.baskets
    return scene.once("control baskets", lambda: BasketMatcher(before, baskets_in(scene)[1]))


def basket_chances(scene: Scene, targets: np.ndarray, candidates: Sequence[np.ndarray]) -> np.ndarray:
    """For each person the chance that a guess among the candidates is right; persons are counted, not records."""
    persons = getattr(scene.original, "persons", None)
    if scene.people is None:
        return np.array([1.0 / some.size for some in candidates if some.size])
    found = []
    for person, some in zip(targets.tolist(), candidates, strict=True):
        if persons is not None:
            there = np.unique(persons[scene.people[some]])
            found.append(1.0 / there.size if (there == persons[person]).any() else 0.0)
        else:
            place = scene.place[person]  # type: ignore[index]
            at = np.searchsorted(some, place)
            found.append(1.0 / some.size if at < some.size and some[at] == place else 0.0)
    return np.array(found)
