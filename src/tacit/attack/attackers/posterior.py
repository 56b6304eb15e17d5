"""Somebody who knows a person wants to learn something sensitive, and takes what is likeliest among those who fit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tacit.attack.base import BEST, INFERENCE, Attacker, Outcome

if TYPE_CHECKING:
    from fractions import Fraction

    from tacit.attack.scene import Scene


def play(scene: Scene) -> Iterator[Outcome]:
    if scene.kind == "slices":
        yield from _slices(scene)
        return
    if scene.kind == "records":
        yield from _records(scene)
    if scene.kind == "baskets" or scene.view.baskets is not None:
        yield from _items(scene)


def _records(scene: Scene) -> Iterator[Outcome]:
    from tacit.attack.learning import beliefs_about_records, control_columns, sensitive_columns_of

    columns = sensitive_columns_of(scene)
    others = control_columns(scene)
    promised = None if getattr(scene.original, "persons", None) is not None else scene.promised("learns", quasi=True)
    if scene.known is not None:
        promised = None
    for sensitive in columns:
        targets = scene.sample(len(scene.original), "people", parts=len(columns))
        upper = sensitive.above(scene.sensitive_trees.get(sensitive.name))
        for each, bound in ((sensitive, promised), (upper, None)):
            if each is None:
                continue
            beliefs = list(beliefs_about_records(scene, each, targets))
            control = None
            if others is not None:
                some = scene.sample(len(scene.control), "posterior control", sensitive.name, parts=len(columns))
                theirs = next(one for one in _of_control(scene) if one.name == sensitive.name)
                if each is upper:
                    theirs = theirs.above(scene.sensitive_trees.get(sensitive.name)) or theirs
                control = _scored(theirs, list(beliefs_about_records(scene, theirs, some, others)), some)
            yield _outcome(each, beliefs, targets, bound, "the quasi-identifiers", control)


def _of_control(scene: Scene) -> list[Any]:
    from dataclasses import replace

    from tacit.attack.learning import sensitive_columns_of

    return sensitive_columns_of(replace(scene, original=scene.control))


def _slices(scene: Scene) -> Iterator[Outcome]:
    from tacit.attack.learning import beliefs_about_slices, sliced_sensitive_columns
    from tacit.attack.slices_known import slices_of

    most = slices_of(scene).most
    found = sliced_sensitive_columns(scene)
    names = [name for one in scene.view.slices for name in one]
    joined = len(names) > len(set(names))
    promised = None if joined or scene.original.persons is not None else scene.promised("learns", quasi=True)
    for index, sensitive in found:
        targets = scene.sample(len(scene.original), "people", most=most, parts=len(found))
        beliefs = list(beliefs_about_slices(scene, index, sensitive, targets))
        control = None
        if scene.control is not None:
            theirs = next(
                one for _, one in sliced_sensitive_columns(scene, scene.control) if one.name == sensitive.name
            )
            some = scene.sample(len(scene.control), "posterior control", most=most, parts=len(found))
            control = _scored(theirs, list(beliefs_about_slices(scene, index, theirs, some, scene.control)), some)
        yield _outcome(sensitive, beliefs, targets, promised, "the quasi-identifiers", control)


def _outcome(
    sensitive: Any, beliefs: list[Any], targets: Any, bound: Fraction | None, knows: str, control: Any
) -> Outcome:
    """The guess, and what is believed: how often it is certain, and how far it moves from what everybody knows."""
    import numpy as np

    prior = sensitive.prior()
    shares = [belief / belief.sum() for belief in beliefs if belief.sum() > 0]
    moved = [0.5 * float(np.abs(share - prior).sum()) for share in shares]
    facts = {
        "gain": float(np.mean([share.max() for share in shares])) - float(prior.max(initial=0.0)) if shares else 0.0,
        "skewness": float(np.mean(moved)) if moved else 0.0,
        "largest_skewness": float(np.max(moved)) if moved else 0.0,
    }
    return Outcome(
        f"{knows}; guesses {sensitive.name}", _scored(sensitive, beliefs, targets), float(prior.max(initial=0.0)),
        control, bound, facts=facts,
    )  # fmt: skip


def _scored(sensitive: Any, beliefs: list[Any], targets: Any) -> Any:
    import numpy as np

    from tacit.attack.learning import best_guess
    from tacit.attack.scene import tally

    true = sensitive.true[targets].tolist()
    return tally(np.array([best_guess(belief, value) for belief, value in zip(beliefs, true, strict=True)]))


def _items(scene: Scene) -> Iterator[Outcome]:
    import math

    import numpy as np

    from tacit.attack.attackers.known_items import sizes
    from tacit.attack.learning import SensitiveItems, control_columns
    from tacit.attack.records_known import matcher_of
    from tacit.attack.scene import tally

    sensitive = SensitiveItems(scene)
    if not sensitive.items.size:
        return
    records = matcher_of(scene) if scene.kind == "records" else None
    strangers = None if scene.control is None else SensitiveItems(scene, of_control=True)
    if strangers is not None and strangers.items.size != sensitive.items.size:
        strangers = None  # other spellings, which the job takes for other items
    columns = control_columns(scene) if records is not None else None
    lengths = sensitive.matcher.lengths()
    baseline = float(sensitive.prior().max(initial=0.0))
    persons = getattr(scene.original, "persons", None)
    for known in (sizes(scene, lengths)[0], math.inf):
        targets = scene.sample(np.flatnonzero(lengths >= min(known, 1)), "posterior items", str(known), parts=2)
        rng = scene.rng("posterior items", str(known))
        right = [_item_guessed(sensitive, sensitive, records, None, each, known, rng) for each in targets.tolist()]
        control = None
        if strangers is not None:
            eligible = np.flatnonzero(strangers.matcher.lengths() >= min(known, 1))
            some = scene.sample(eligible, "posterior items control", str(known), parts=2).tolist()
            found = [_item_guessed(sensitive, strangers, records, columns, each, known, rng) for each in some]
            control = tally(np.array(found)) if found else None
        quasi = "the quasi-identifiers and " * (records is not None)
        items = "all other items" if known == math.inf else f"up to {known} other items"
        bound = None if persons is not None else scene.promised("learns", quasi=records is not None, items=known)
        if right:
            yield Outcome(f"{quasi}{items}; guesses a sensitive item", tally(np.array(right)), baseline, control, bound)


def _item_guessed(sensitive: Any, whose: Any, records: Any, columns: Any, person: int, known: float, rng: Any) -> float:
    """The chance that a guess at a sensitive item of somebody is right; `whose` has the people, inside or outside."""
    import math

    import numpy as np

    from tacit.attack.attackers.known_items import draw

    among = None if records is None else np.sort(records.records(records.candidates(person, columns)))
    matcher = whose.matcher
    units = matcher.person(person) if known == math.inf else draw(matcher, person, int(known), False, rng)
    return float(whose.guess(sensitive.belief(matcher.candidates(units, among)), person))


def _fits(scene: Scene) -> bool:
    from tacit.attack.learning import has_sensitive

    return has_sensitive(scene)


ATTACKER = Attacker(
    name="posterior",
    heading=INFERENCE,
    story="The attacker knows the quasi-identifiers of a person, or items that are not sensitive. Among all "
    "records that fit, the most frequent sensitive value or item is taken for the person's.",
    kinds=("baskets", "records", "slices"),
    play=play,
    rule=BEST,
    advice="Promise l-diversity or t-closeness of that column, or raise l; leave the column out if nobody needs it.",
    fits=_fits,
)
