"""What a method's choice of groups gives away (Wong et al. 2007): it is run again on every way to deal the values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tacit.attack.base import BEST, INFERENCE, Attacker, Outcome, nothing

if TYPE_CHECKING:
    from tacit.attack.scene import Scene

_MOST_PEOPLE, _MOST_WORLDS = 12, 60


def play(scene: Scene) -> Iterator[Outcome]:
    from itertools import islice

    from tacit.attack.minimality import posterior, told_by, worlds
    from tacit.attack.scene import NO_ROWS
    from tacit.attack.statistics import Share

    words = "all that is not sensitive, the method and its parameters; runs it again on every way to deal the values"
    if scene.people is None or scene.rerun is None:
        yield nothing(words, NO_ROWS if scene.people is None else "the method that made the file is not known")
        return
    if len(scene.original) > _MOST_PEOPLE:
        yield nothing(words, f"the file has more than {_MOST_PEOPLE} records: too many ways to deal the values")
        return
    values = scene.rerun.values
    shown = told_by(scene.rerun.groups(values), values)
    if len(list(islice(worlds(shown), _MOST_WORLDS + 1))) > _MOST_WORLDS:
        yield nothing(words, f"there are more than {_MOST_WORLDS} ways to deal the values")
        return
    try:
        chances = posterior(shown, scene.rerun.likelihood(shown))
    except ValueError:
        yield nothing(words, "the method never publishes such groups")
        return
    right = tried = 0.0
    prior = 0.0
    for person, of_person in enumerate(chances):
        best = max(of_person.values())
        likeliest = [value for value, chance in of_person.items() if chance == best]
        right += float(values[person] in likeliest) / len(likeliest)
        tried += 1
        group = next(counts for people, counts in shown if person in people)
        size = sum(count for _, count in group)
        prior += max(count for _, count in group) / size
    yield Outcome(words, Share(right, int(tried)), prior / max(tried, 1))


ATTACKER = Attacker(
    name="minimality",
    heading=INFERENCE,
    story="The attacker knows who is in which group, the method and its parameters, and runs it again on every "
    "way to deal the sensitive values. Ways in which it would have chosen other groups are out; the likeliest "
    "value is taken.",
    kinds=("records", "baskets"),
    play=play,
    rule=BEST,
    no_control="no control: it is about who is in a group, and others are in none",
    advice="Use a method that does not choose groups by sensitive values: `guarded`, or `cahd` without `literal`.",
    needs="rows, and the method that made the file",
    fits=lambda scene: scene.rerun is not None or _has_groups(scene),
    quick=False,
)


def _has_groups(scene: Scene) -> bool:
    return scene.view.group is not None if scene.kind == "baskets" else bool(scene.view.shown)
