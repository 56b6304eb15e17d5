"""Asking what each column is: the guess with its reason, and an answer that keeps it or says another role."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from tacit.errors import InputError
from tacit.init.columns import Choice
from tacit.init.finding import NAMES_SOMEBODY, NUMBER, TEXT
from tacit.init.layout import find_separator
from tacit.init.plan import KINDS_OF_DATA, ROLES_OF_KIND, Plan
from tacit.init.styles import Style
from tacit.job import BLANK
from tacit.job.model import NEVER_PUBLISHED

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
_KINDS = {
    "records": "a row a person, with what is known of them",
    "baskets": "a set of items a person",
    "ratings": "answers or ratings on one scale",
    "slices": "a row a person, published in parts that do not belong together",
}
_KEEP_ALL, _EXPLAIN, _BACK = "!", "?", "<"


class Asking(NamedTuple):
    """How somebody is asked: `tell` shows a line, `answer` a question, and gives what is said, None at the end."""

    tell: Callable[[str], None]
    answer: Callable[[str], str | None]


def ask_about(plan: Plan, asking: Asking, plan_for: Callable[[str], Plan]) -> Plan:
    """The plan after somebody has seen it, question by question."""
    how = f"Enter keeps a guess, {_KEEP_ALL} all that follow, {_BACK} goes back, {_EXPLAIN} explains."
    asking.tell(f"{len(plan.choices)} columns. {how}")
    kinds = [kind for kind in KINDS_OF_DATA if kind != "auto"]
    number, guesses, choices = -1, plan.choices, list(plan.choices)
    while number < len(choices):
        if number < 0:
            answer = _ask("the kind of data", plan.kind, kinds, asking)
            if answer not in (_KEEP_ALL, _BACK, plan.kind):
                plan = plan_for(answer)
                guesses, choices = plan.choices, list(plan.choices)
        else:
            answer = _about_column(plan, guesses[number], choices, number, asking)
        if answer == _KEEP_ALL:
            break
        number = max(number - 1, -1) if answer == _BACK else number + 1
    return plan.changed(choices)


def _about_column(plan: Plan, guess: Choice, choices: list[Choice], number: int, asking: Asking) -> str:
    """Asks what a column is, and puts it among the choices."""
    what = f"{number + 1}/{len(choices)} {guess.name} ({_facts(plan, guess)}; {guess.why})"
    role = _ask(what, choices[number].role, ROLES_OF_KIND[plan.kind], asking)
    if role in (_KEEP_ALL, _BACK):
        return role
    tells_who = plan.looked.findings[guess.name].topic in (NAMES_SOMEBODY, NUMBER, TEXT)
    if tells_who and role not in (*NEVER_PUBLISHED, guess.role, "person"):
        sure = _ask(f"   it may tell who somebody is: {guess.why}. Publish it all the same", "no", _SURE, asking)
        if sure != "yes":
            return _about_column(plan, guess, choices, number, asking) if sure == "no" else sure
    chosen = guess if role == guess.role else _changed(plan, guess, role)
    if chosen.style.either and role in ("quasi", "sensitive"):
        form = _ask("   how are days written", chosen.style.either[0], chosen.style.either, asking)
        if form in (_KEEP_ALL, _BACK):
            return form
        chosen = replace(chosen, type="date", style=Style(date_format=form))
    choices[number] = chosen
    return role


_SURE = ("no", "yes")


def _facts(plan: Plan, choice: Choice) -> str:
    """What may be shown of a column: how many values it has, and never one of them."""
    column = plan.looked.evidence.get(choice.name)
    return f"{column.distinct:,} values in {column.filled:,} rows" if column is not None else "lists"


def _ask(what: str, guess: str, allowed: Sequence[str], asking: Asking) -> str:
    """One of the words that are allowed, or the mark that keeps all guesses or goes back."""
    while True:
        given = asking.answer(f"{what}: {guess}?")
        if given is None:
            raise InputError(
                f"the answers ended before the question about {what.split(' (')[0].strip()}; nothing was written",
                hint=f"Answer every question, or keep all guesses that are left with {_KEEP_ALL}.",
            )
        word = given.strip()
        fitting = [each for each in allowed if word and each.lower().startswith(word.lower())]
        if word in ("", _KEEP_ALL, _BACK):
            return word or guess
        exact = [each for each in fitting if each.lower() == word.lower()]
        if len(exact or fitting) == 1:
            return (exact or fitting)[0]
        asking.tell("Say one of:")
        for each in allowed:
            meaning = _KINDS.get(each) or _MEANINGS.get(each)
            asking.tell(f"  {each:<11} {meaning}" if meaning else f"  {each}")


def _changed(plan: Plan, choice: Choice, role: str) -> Choice:
    changed = replace(choice, role=role, why="you said so")
    if role != "items" or plan.with_role("person"):
        return changed
    column = plan.looked.table[choice.name]
    is_text = choice.name in plan.looked.evidence
    return replace(changed, separator=(find_separator(column) or BLANK) if is_text else None)
