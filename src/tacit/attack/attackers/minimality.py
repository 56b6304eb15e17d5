"""What a method's choice of groups gives away (Wong et al. 2007): it is run again on every way to deal the values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tacit.attack.base import BEST, INFERENCE, Attacker, Outcome, nothing

if TYPE_CHECKING:
    from tacit.attack.scene import Scene

_MOST_PEOPLE, _MOST_WORLDS = 12, 60
"""Up to here every way to deal the values of all groups is tried; in larger files groups are looked at one by one."""
_MOST_RECORDS, _MOST_WAYS = 250_000, 20
_MOST_RUNS, _FEWEST_RUNS, _RECORDS_RUN = 200, 24, 2_000_000
"""How often the method is run again: the larger the file the fewer, so that about as many records are looked at."""

_DRAWN = "the method draws by a key that nobody knows, and how likely it draws just these groups of many is not known"


def play(scene: Scene) -> Iterator[Outcome]:
    from itertools import islice

    from tacit.attack.minimality import posterior, told_by, worlds
    from tacit.attack.scene import NO_ROWS
    from tacit.attack.statistics import Share

    words = "all that is not sensitive, the method and its parameters; runs it again on every way to deal the values"
    if scene.people is None or scene.rerun is None:
        yield nothing(words, NO_ROWS if scene.people is None else "the method that made the file is not known")
        return
    if len(scene.original) > _MOST_RECORDS:
        yield nothing(
            words, f"the file has more than {_MOST_RECORDS:,} records: to run the method again takes too long"
        )
        return
    values = scene.rerun.values
    shown = told_by(scene.rerun.groups(values), values)
    if len(values) > _MOST_PEOPLE or len(list(islice(worlds(shown), _MOST_WORLDS + 1))) > _MOST_WORLDS:
        hangs_on_key = scene.rerun.draws > 1 and told_by(scene.rerun.groups(values, 1), values) != shown
        yield nothing(words, _DRAWN) if hangs_on_key else _by_groups(scene, shown)
        return
    try:
        chances = posterior(shown, scene.rerun.likelihood(shown))
    except ValueError:
        yield nothing(words, "the method never publishes such groups")
        return
    right = prior = 0.0
    for person, of_person in enumerate(chances):
        right += _guessed(of_person, values[person])
        prior += _prior(next(counts for people, counts in shown if person in people))
    yield Outcome(words, Share(right, len(chances)), prior / max(len(chances), 1))


def _by_groups(scene: Scene, shown: Any) -> Outcome:
    """Some small groups, one by one: the values of all others are known, which is more than anybody knows."""
    from tacit.attack.minimality import posterior_within, ways
    from tacit.attack.statistics import Share

    words = "all but the sensitive values of one group, the method and its parameters; runs it again on every way to "
    words += "deal these"
    values = scene.rerun.values
    small = [(people, counts) for people, counts in shown if 1 < ways(counts) <= _MOST_WAYS]
    small.sort(key=lambda group: min(group[0]))
    most = min(_MOST_RUNS, max(_FEWEST_RUNS, _RECORDS_RUN // len(values)))
    if not _is_about_sensitive(scene.promise):  # its methods have no reason to look at these: a few runs would show it
        most = _FEWEST_RUNS
    likelihood, runs, right, prior, tried = scene.rerun.likelihood(shown), 0, 0.0, 0.0, 0
    for place in scene.rng("minimality").permutation(len(small)).tolist():
        people, counts = small[place]
        cost = ways(counts) * scene.rerun.draws
        if runs + cost > most:
            continue
        runs += cost
        try:
            chances = posterior_within(shown, people, values, likelihood)
        except ValueError:
            return nothing(words, "the method never publishes such groups")
        right += sum(_guessed(of_person, values[person]) for person, of_person in chances.items())
        prior += len(people) * _prior(counts)
        tried += len(people)
    if not tried:
        return nothing(words, f"every group has one value, or more than {_MOST_WAYS} ways to deal its values")
    return Outcome(words, Share(right, tried), prior / tried, facts={"groups": len(small), "runs": runs})


def _is_about_sensitive(promise: Any) -> bool:
    return promise is None or promise.about_sensitive_items or "sensitive" in promise.roles


def _guessed(chances: Any, true: Any) -> float:
    """The chance that the likeliest value is the true one."""
    best = max(chances.values())
    likeliest = [value for value, chance in chances.items() if chance == best]
    return float(true in likeliest) / len(likeliest)


def _prior(counts: Any) -> float:
    """How often the most frequent value of a group is right."""
    numbers = [count for _, count in counts]
    return float(max(numbers) / sum(numbers))


ATTACKER = Attacker(
    name="minimality",
    heading=INFERENCE,
    story="The attacker knows who is in which group, the method and its parameters (in files of more than twelve, "
    "also the values outside a group), and runs it again on every way to deal the sensitive values. Ways in which it "
    "would have chosen other groups are out; the likeliest value is taken.",
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
