"""A cut that is as low as the promise allows tells what a lower one would have shown (Cohen 2022, for hierarchies)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tacit.attack.base import BEST, INFERENCE, Attacker, Outcome, nothing

if TYPE_CHECKING:
    from tacit.attack.scene import Scene

_MOST_AUDITS, _STEPS = 200, 20_000_000
"""So many finer files are audited at most; fewer where files are long."""
_WORDS = "all baskets but for one item of a person, and the method, which cuts no higher than it must; guesses the item"


def play(scene: Scene) -> Iterator[Outcome]:
    import numpy as np

    from tacit.attack.finer_cuts import FinerCuts
    from tacit.attack.refuting import chance_to_be_right
    from tacit.attack.scene import NO_ROWS, tally

    if scene.people is None or scene.promise is None or getattr(scene.original, "persons", None) is not None:
        yield nothing(_WORDS, NO_ROWS if scene.people is None else "it is about one record a person, and a promise")
        return
    cuts = FinerCuts(scene)
    if not cuts.names:
        yield nothing(_WORDS, "no name of the file is a node with others below it that could have been published")
        return
    audits = max(min(_MOST_AUDITS, _STEPS // max(cuts.after.items.size, 1)), 8)
    is_name = np.isin(cuts.after.items, list(cuts.names))
    right, by_chance = [], []
    names = set()
    for cell in scene.sample(np.flatnonzero(is_name), "downcoded cuts").tolist():
        name, row = cuts.names[int(cuts.after.items[cell])], int(cuts.row[cell])
        own = cuts.children(name, row)
        if not own.size:
            continue  # published falsely, which another attacker tells
        at = int(scene.rng("downcoded cuts", cell).integers(own.size))
        weights, cost = _weights(cuts, name, row, at, audits)
        audits -= cost
        if weights is None:
            break  # what was tried until then is a sample all the same
        names.add(name.item)
        right.append(chance_to_be_right(weights, int(own[at])))
        by_chance.append(chance_to_be_right(name.shares, int(own[at])))
    if not right:
        yield nothing(_WORDS, "the file is so long that no finer one was audited")
        return
    broken = [cuts.judged(cuts.names[item]).satisfied is False for item in names]
    facts = {"names": len(broken), "finer_refuted": float(np.mean(broken))}
    yield Outcome(_WORDS, tally(np.array(right)), float(np.mean(by_chance)), facts=facts)


def _weights(cuts: Any, name: Any, row: int, at: int, audits: int) -> tuple[Any, int]:
    """How likely each child is, given what is refuted, and how many audits it took; nothing if that are too many."""
    import numpy as np

    cost = 0 if cuts.is_judged(name) else 1
    if cost > audits:
        return None, 0
    if cuts.is_up_to_others(name, row):
        return name.shares, cost  # whatever this person has, others keep the cut where it is
    cost += int(np.count_nonzero(name.shares))
    if cost > audits:
        return None, 0
    weights = name.shares * cuts.allowed(name, row, at)
    return (weights if weights.any() else name.shares), cost


ATTACKER = Attacker(
    name="downcoded-cuts",
    heading=INFERENCE,
    story="The attacker knows all baskets of the file but for one item of one person, and that the method climbs no "
    "higher in the hierarchy than its promise needs. Items with which a finer cut would have kept the promise, too, "
    "are refuted, and of the rest the most frequent is taken for the person's.",
    kinds=("baskets", "records"),
    play=play,
    rule=BEST,
    no_control="no control: it is about people whose basket is in the file",
    advice="Raise k, so that no single person decides how high the cut must be, or fix the cut beforehand "
    "(`tacit apply`, with the recoding of another file).",
    needs="rows",
    fits=lambda scene: scene.kind == "baskets" or scene.view.baskets is not None,
    quick=False,
)
