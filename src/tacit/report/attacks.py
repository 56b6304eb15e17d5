"""What attackers get, before and after, for the report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tacit.attack.base import COMPOSITION, HEADINGS
from tacit.attack.result import Attack, Findings
from tacit.attack.statistics import wilson
from tacit.report.blocks import Block, Folded, Grid, Number, Section, Text

_HEAD = ("attacker", "knows", "before", "after", "95 %", "without the file", "control", "promised")
_TITLES = {"singling-out": "Singling out", "linkability": "Linkability", "inference": "Inference"}


def attack_section(found: Findings) -> Section:
    """Measured success beside baseline, control and bound; and the risk figures."""
    return Section("What attackers get", [*_blocks(found)])


def _blocks(found: Findings) -> Iterator[Block]:
    above = found.above()
    if above:
        yield Text("More often right than promised, beyond chance (95 %), and what to change:", is_note=True)
        for each in above:
            yield Text(f"{each.name} ({each.after.knows}): {each.attacker.advice}", is_note=True)
    elif not found.played:
        yield Text("No attacker was played; these are the risk figures alone.", is_note=True)
    else:
        yield Text("No attacker whom the promise is about is right more often than it allows, but for chance (95 %).")
    yield Text(
        "Risk is that of somebody who knows all that may be known of a person, be it more than the promise is about; "
        "the rows below say what each attacker knows."
    )
    yield Grid([*_risk(found)], ("risk", "before", "after"))
    for heading in HEADINGS:
        some = [each for each in found.under(heading) if each.name != COMPOSITION]
        if some:
            yield Text(f"{_TITLES[heading]}:")
            yield Grid([_row(each) for each in some], _HEAD)
    together = [each for each in found.played if each.name == COMPOSITION]
    tried = [each for each in together if each.after.success is not None]
    if tried:
        yield Text("Several releases over time, for somebody who has them all:")
        head = ("together with", "this release alone", "after", "95 %", "in both")
        yield Grid([_together(each) for each in tried], head)
    elif together:
        for why in dict.fromkeys(each.after.why for each in together):
            yield Text(f"Several releases over time, for somebody who has them all: not tried ({why}).")
    stories = {each.name: f"{each.attacker.story} Guess: {each.attacker.rule}." for each in found.played}
    if stories:
        yield Folded("What these attackers know and guess", [Grid([*stories.items()])])
    left = {each.name: each.after.why for each in found.played if each.after.success is None} | dict(found.left_out)
    if left:
        yield Folded("What was not tried, and why", [Grid([*left.items()])])


def _row(each: Attack) -> tuple[str, ...]:
    now, was = each.after, None if each.before is None else each.before.success
    low, high = wilson(now.success) if now.success else (0.0, 0.0)
    return (
        each.name,
        now.knows,
        percent(was and was.value),
        percent(now.success and now.success.value),
        f"{low:.1%} to {high:.1%}" if now.success else "",
        percent(now.baseline),
        percent(now.control and now.control.value),
        percent(None if now.bound is None else float(now.bound)),
    )


def _together(each: Attack) -> tuple[Any, ...]:
    """What another release adds."""
    now = each.after
    assert now.success is not None
    low, high = wilson(now.success)
    alone, both = percent(now.facts["this_release_alone"]), Number(f"{now.facts['people_in_both']:,}")
    return now.knows, alone, percent(now.success.value), f"{low:.1%} to {high:.1%}", both


def percent(share: float | None) -> Number:
    return Number("" if share is None else f"{share:.2%}" if 0 < share < 0.01 else f"{share:.1%}")


def _risk(found: Findings) -> Iterator[tuple[Any, ...]]:
    was: Mapping[str, Any] = found.before or {}
    for words, key in (("records that are alone", "uniques"), ("different records", "classes")):
        yield words, was.get(key, ""), found.risk[key]
    both = [each["prosecutor"] if each else None for each in (was, found.risk)]
    for words, key in (("highest risk", "highest"), ("average risk", "average")):
        yield (words, *(percent(each and each[key]) for each in both))
    for limit in found.risk["prosecutor"]["above"]:
        yield (
            f"records with a risk above {limit}",
            *(each["records_above"].get(limit, "") if each else "" for each in both),
        )
    everything = [each["all_columns"]["uniques"] if each else "" for each in (was, found.risk)]
    yield ("alone over all published columns", *everything)
