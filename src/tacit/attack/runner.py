"""Plays all attackers that fit the data, on the release and on the original, and gives back what they found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from tacit.attack.base import HEADINGS, Attacker, Outcome
from tacit.attack.result import Attack
from tacit.process.memory import give_back

Progress = Callable[[str], None]
NO_CONTROL = "no control: people who are not in the release were not given (--control FILE)"
NO_SUCH_PEOPLE = "no control: nobody of the people given has enough to be known"
_NOBODY = "the file has no record"
_SLOW = "it takes longer: `tacit attack` plays it"


def __getattr__(name: str) -> Any:
    if name == "ATTACKERS":
        return declared()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@cache
def declared() -> dict[str, Attacker]:
    """Every attacker that a file of `tacit.attack.attackers` declares as ATTACKER, by name, heading by heading."""
    package = import_module("tacit.attack.attackers")
    modules = iter_modules(package.__path__, f"{package.__name__}.")
    found = [import_module(each.name).ATTACKER for each in modules]
    return {each.name: each for each in sorted(found, key=lambda one: (HEADINGS.index(one.heading), one.name))}


def play_all(
    after: Any, before: Any = None, *, quick: bool = False, only: Sequence[str] | None = None,
    progress: Progress = lambda message: None,
) -> tuple[tuple[Attack, ...], dict[str, str]]:  # fmt: skip
    """Every attack on the scene `after`, with the same one on the original as if it were published.

    Attackers that are about other data are not mentioned; others that were not played are, with the reason. One scene
    is played to its end before the other begins: what attackers look things up in is in memory for one of them.
    """
    found: dict[str, list[Outcome]] = {}
    left_out: dict[str, str] = {}
    for attacker in declared().values():
        if (only is not None and attacker.name not in only) or after.kind not in attacker.kinds:
            continue
        if not attacker.fits(after):
            continue
        if not len(after.view) or not len(after.original):
            left_out[attacker.name] = _NOBODY
            continue
        if quick and not attacker.quick:
            left_out[attacker.name] = _SLOW
            continue
        progress(f"attack: {attacker.name}")
        found[attacker.name] = [_with_reason(attacker, outcome, after) for outcome in attacker.play(after)]
        give_back()
    after.forget()
    attacks: list[Attack] = []
    for name, outcomes in found.items():
        attacker, was = declared()[name], dict[str, Outcome]()
        if before is not None:
            progress(f"attack on the original: {name}")
            give_back()
            was = {each.knows: each for each in _on_original(attacker, before)}
        attacks += [Attack(attacker, outcome, was.get(outcome.knows)) for outcome in outcomes]
    return tuple(attacks), left_out


def _with_reason(attacker: Attacker, outcome: Outcome, scene: Any) -> Outcome:
    """The outcome with the reason why there is no control, if there is none."""
    if outcome.control is not None or outcome.success is None:
        return outcome
    given = NO_SUCH_PEOPLE if scene.control is not None else NO_CONTROL
    return replace(outcome, no_control=attacker.no_control or outcome.no_control or given)


def _on_original(attacker: Attacker, scene: Any) -> Iterator[Outcome]:
    """What an attack does to the original, which promises nothing."""
    for outcome in attacker.play(scene) if attacker.fits(scene) else ():
        yield replace(outcome, bound=None)
