"""What attackers get, before and after, for the report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from tacit.attack.base import COMPOSITION, HEADINGS
from tacit.attack.result import Attack, Findings
from tacit.attack.statistics import Share, wilson
from tacit.report.blocks import Block, Folded, Grid, Number, Section, Text

_HEAD = ("attacker", "knows", "before", "after", "95 %", "without the file", "control", "promised")
_CONTROL = _HEAD.index("control")
_MOST = 6
"""Of an attacker who is played more often, as on column after column, `_FIRST` rows are shown and the others folded."""
_FIRST = 3
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
    rows = "; the rows below say what each attacker knows" if found.played else ""
    yield Text(
        "Risk is that of somebody who knows all that may be known of a person, be it more than the promise is "
        f"about{rows}."
    )
    yield Grid([*_risk(found)], ("risk", "before", "after"))
    for heading in HEADINGS:
        some = [each for each in found.under(heading) if each.name != COMPOSITION]
        if some:
            shown, folded = _most_telling(some, above)
            yield Text(f"{_TITLES[heading]}:")
            yield _table(shown)
            if folded:
                yield Folded(f"More of the same attackers, who gain less there: {len(folded)}", [_table(folded)])
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


def _most_telling(some: Sequence[Attack], above: Collection[Attack]) -> tuple[list[Attack], list[Attack]]:
    """Of each attacker the rows that gain most over a guess without the file, or are above their bound; the others."""
    rows, seen = Counter(each.name for each in some), Counter[str]()
    shown = set(map(id, above))
    for each in sorted(some, key=_gain, reverse=True):
        seen[each.name] += 1
        if rows[each.name] <= _MOST or seen[each.name] <= _FIRST:
            shown.add(id(each))
    return [each for each in some if id(each) in shown], [each for each in some if id(each) not in shown]


def _gain(each: Attack) -> float:
    success = each.after.success
    return -1.0 if success is None else success.value - (each.after.baseline or 0.0)


def _table(some: Sequence[Attack]) -> Grid:
    """A row each; nobody need look at a column for people held out where there are none."""
    rows = [_row(each) for each in some]
    if any(row[_CONTROL] for row in rows):
        return Grid(rows, _HEAD)
    return Grid([_without_control(row) for row in rows], _without_control(_HEAD))


def _without_control(row: tuple[str, ...]) -> tuple[str, ...]:
    return row[:_CONTROL] + row[_CONTROL + 1 :]


def _row(each: Attack) -> tuple[str, ...]:
    now, was = each.after, None if each.before is None else each.before.success
    return (
        each.name,
        now.knows,
        percent(was and was.value),
        percent(now.success and now.success.value),
        _interval(now.success) if now.success else "",
        percent(now.baseline),
        percent(now.control and now.control.value),
        percent(None if now.bound is None else float(now.bound)),
    )


def _together(each: Attack) -> tuple[Any, ...]:
    """What another release adds."""
    now = each.after
    assert now.success is not None
    alone, both = percent(now.facts["this_release_alone"]), Number(f"{now.facts['people_in_both']:,}")
    return now.knows, alone, percent(now.success.value), _interval(now.success), both


def _interval(success: Share) -> str:
    """It is not broken over two lines: its blanks are such that hold together."""
    low, high = wilson(success)
    return f"{low:.1%}\u00a0to\u00a0{high:.1%}"


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
