"""Asking what each column is: the guess with its reason, and an answer that keeps it or says another role."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from tacit.errors import InputError
from tacit.init.columns import Choice
from tacit.init.layout import find_separator
from tacit.init.plan import KINDS_OF_DATA, ROLES_OF_KIND, Plan
from tacit.job import BLANK

_MEANINGS = {
    "identifier": "whose record it is: never published",
    "household": "whose home it is: never published",
    "weight": "for how many people the record stands: never published",
    "quasi": "may be known of a person from elsewhere: published in groups",
    "sensitive": "is not to be learnt of a person: published, no group has too much of one value",
    "items": "a set of items",
    "person": "whose row it is, if a person has several: fresh numbers are published",
    "rating": "an answer on a scale",
    "plain": "published as it is: nothing protects it",
}
_KEEP_ALL = "!"
_EXPLAIN = "?"


class Asking(NamedTuple):
    """How somebody is asked: `tell` shows a line, `answer` gives the next answer or None if there are no more."""

    tell: Callable[[str], None]
    answer: Callable[[], str | None]


def ask_about(plan: Plan, asking: Asking, plan_for: Callable[[str], Plan]) -> Plan:
    """The plan after somebody has seen it, question by question."""
    kinds = [kind for kind in KINDS_OF_DATA if kind != "auto"]
    asking.tell(f"{len(plan.choices)} columns. Enter keeps a guess, {_KEEP_ALL} all that follow, {_EXPLAIN} explains.")
    kind = _ask("the kind of data", plan.kind, kinds, asking)
    if kind == _KEEP_ALL:
        return plan
    plan = plan if kind == plan.kind else plan_for(kind)
    choices = list(plan.choices)
    for number, choice in enumerate(choices):
        what = f"{number + 1}/{len(choices)} {choice.name} ({_facts(plan, choice)}; {choice.why})"
        role = _ask(what, choice.role, ROLES_OF_KIND[plan.kind], asking)
        if role == _KEEP_ALL:
            break
        choices[number] = choice if role == choice.role else _changed(plan, choice, role)
    return plan.changed(choices)


def _facts(plan: Plan, choice: Choice) -> str:
    """What may be shown of a column: how many values it has, and never one of them."""
    column = plan.looked.evidence.get(choice.name)
    return f"{column.distinct:,} values in {column.filled:,} rows" if column is not None else "lists"


def _ask(what: str, guess: str, allowed: Sequence[str], asking: Asking) -> str:
    """One of the words that are allowed, or that all guesses that follow are kept."""
    while True:
        asking.tell(f"{what}: {guess}?")
        given = asking.answer()
        if given is None:
            raise InputError(
                f"the answers ended before the question about {what.split(' (')[0]}; nothing was written",
                hint=f"Answer every question, or keep all guesses that are left with {_KEEP_ALL}.",
            )
        word = given.strip().lower()
        fitting = [each for each in allowed if word and each.startswith(word)]
        if not word or word == _KEEP_ALL:
            return word or guess
        if word in allowed or len(fitting) == 1:
            return word if word in allowed else fitting[0]
        asking.tell(
            "Say one of: " + "; ".join(f"{each} ({_MEANINGS[each]})" if each in _MEANINGS else each for each in allowed)
        )


def _changed(plan: Plan, choice: Choice, role: str) -> Choice:
    changed = replace(choice, role=role, why="you said so")
    if role != "items" or plan.with_role("person"):
        return changed
    column = plan.looked.table[choice.name]
    is_text = choice.name in plan.looked.evidence
    return replace(changed, separator=(find_separator(column) or BLANK) if is_text else None)
