"""Slices that share attributes can be joined: whose whole record comes out?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tacit.attack.base import LINKABILITY, UNIFORM, Attacker, Outcome

if TYPE_CHECKING:
    import numpy as np

    from tacit.attack.scene import Scene


def play(scene: Scene) -> Iterator[Outcome]:
    import numpy as np

    from tacit.attack.scene import in_words, tally
    from tacit.attack.slices_known import slices_of

    view = scene.view
    matcher = slices_of(scene)
    known = [name for name in view.slices[0] if name in view.known]
    names = [name for one in view.slices for name in one]
    overlap = len(names) > len(set(names))
    targets = scene.sample(len(scene.original), "joined-slices", most=matcher.most)
    joined = _with_overlap if overlap else _without_overlap
    chances = []
    for target in targets.tolist():
        rows = matcher.rows(target, known, 0)
        if scene.place is not None and not (view.bucket[rows] == view.bucket[scene.place[target]]).any():
            chances.append(0.0)  # the person's own bucket was not found
            continue
        chances.append(joined(scene, matcher, target, rows))
    control = None
    if scene.control is not None:
        others = slices_of(scene, scene.control)
        some = scene.sample(len(scene.control), "joined-slices control", most=others.most).tolist()
        control = tally(np.array([joined(scene, others, each, others.rows(each, known, 0)) for each in some]))
    yield Outcome(
        f"{in_words(known)} of the first slice; joins the others", tally(np.array(chances)), scene.nobody, control
    )


def _without_overlap(scene: Scene, matcher: Any, person: int, rows: np.ndarray) -> float:
    """The same for slices that share nothing: within a bucket, every linking is as likely as any other."""
    import numpy as np

    view = scene.view
    weight = np.bincount(view.bucket[rows], minlength=len(view.buckets)).astype(float)
    ways = right = weight
    for index in range(1, len(view.slices)):
        own = np.bincount(matcher.buckets(person, view.slices[index], index), minlength=weight.size)
        ways, right = ways * matcher.sizes, right * own
    return float(right.sum() / ways.sum()) if ways.any() else 0.0


def _with_overlap(scene: Scene, matcher: Any, person: int, rows: np.ndarray) -> float:
    """The share of a person's linkings among all that agree on shared attributes."""
    found = [_linkings(scene, matcher, person, row) for row in rows.tolist()]
    ways = sum(count for count, _ in found)
    return sum(true for _, true in found) / ways if ways else 0.0


def _linkings(scene: Scene, matcher: Any, person: int, row: int) -> tuple[float, float]:
    """In how many ways a row of the first slice goes on through the others, and how many of them are the person's."""

    view = scene.view
    here = matcher.members(int(view.bucket[row]))
    seen = {name: int(view.column(0, name)[row]) for name in view.slices[0]}
    ways, right = 1.0, 1.0
    for index in range(1, len(view.slices)):
        shared = [name for name in view.slices[index] if name in seen]
        fits = here
        for name in shared:
            fits = fits[view.column(index, name)[fits] == seen[name]]
        own = fits
        for name in view.slices[index]:
            own = own[matcher.fitting(person, name)[view.column(index, name)[own]]]
        ways, right = ways * max(fits.size, 1), right * own.size
    return ways, right


def _fits(scene: Scene) -> bool:
    return len(scene.view.slices) > 1


ATTACKER = Attacker(
    name="joined-slices",
    heading=LINKABILITY,
    story="The attacker knows the quasi-identifiers of a person that the first slice has, and joins the rows of "
    "the other slices in the bucket that agree on shared attributes. Any linking is taken for the person's whole "
    "record.",
    kinds=("slices",),
    play=play,
    rule=UNIFORM,
    advice="Raise l, which makes buckets larger, or publish slices without overlap.",
    fits=_fits,
)
