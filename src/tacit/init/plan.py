"""The kind of data that a table seems to be, and with it the role of each column.

Records are what a table is unless something speaks against it: a scale that most columns share or a log of ratings,
persons and items with hardly anything beside, or sets of items with hardly anything beside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tacit.errors import InputError
from tacit.init import shapes
from tacit.init.attributes import fits
from tacit.init.columns import Choice, Looked, choice_of, look_at, published
from tacit.init.finding import MOST, NAMES_SOMEBODY, NUMBER, TEXT
from tacit.init.layout import ABOUT_PEOPLE, MOST_OF_A_LOG, find_log, find_orders, find_separator, find_sets, no_sets
from tacit.init.looks import are_citizens
from tacit.init.ratings import RatingLog, guess_log, guess_survey
from tacit.init.source import RawData
from tacit.io.dat import ITEMS
from tacit.job import BLANK
from tacit.job.model import NEVER_PUBLISHED

KINDS_OF_DATA = ("auto", "baskets", "records", "slices", "ratings")
_NO_ISSUES = frozenset(["age", "sex", "birth", "postcode", "household", "weight"])
_NO_KEY = ABOUT_PEOPLE | {"weight"}
ROLES_OF_KIND = {
    "baskets": (*NEVER_PUBLISHED, "items", "person"),
    "records": (*NEVER_PUBLISHED, "person", "quasi", "sensitive", "items", "plain"),
    "slices": (*NEVER_PUBLISHED, "quasi", "sensitive", "plain"),
    "ratings": (*NEVER_PUBLISHED, "items", "person", "rating"),
}
"""The roles that columns of a kind of data can have."""
_FRESH = "fresh numbers are published"
_ANOTHER_KIND = "the promise about {} does not protect it"


@dataclass(frozen=True)
class Plan:
    """What the job file will say: the kind of data, and a choice for every column."""

    kind: str
    choices: tuple[Choice, ...]
    looked: Looked

    def with_role(self, role: str) -> list[Choice]:
        return [choice for choice in self.choices if choice.role == role]

    def changed(self, choices: Sequence[Choice]) -> Plan:
        return replace(self, choices=tuple(choices))


def make_plan(raw: RawData, kind: str) -> Plan:
    """The plan for a table, of the kind that is asked for or of that which it seems to be."""
    looked = look_at(raw.table, raw.labels)
    if raw.is_dat and kind in ("auto", "baskets"):
        separator = find_separator(raw.table[ITEMS]) or BLANK
        return Plan("baskets", (Choice(ITEMS, "items", "a set of items a person", separator=separator),), looked)
    if kind in ("auto", "ratings") and (plan := _ratings(looked, sure=kind == "auto")) is not None:
        return plan
    if kind in ("auto", "baskets") and (plan := _log(looked)) is not None:
        return plan
    sets = find_sets(looked.table, looked.findings, looked.evidence)
    records = _records(looked, sets)
    if kind == "baskets" or (kind == "auto" and sets and (len(published(records)) < 2 or _are_orders(looked, records))):
        return _baskets(looked, sets, raw)
    if kind == "ratings":
        raise InputError(
            "no columns look like ratings, and no three like a person, an issue and a rating",
            file=raw.shown,
            hint='Write the job file by hand: role = "rating" with its scale.',
        )
    if kind in ("auto", "records"):
        return Plan("records", tuple(_with_people(looked, records)), looked)
    return Plan(kind, tuple(records), looked)


def _are_orders(looked: Looked, choices: Sequence[Choice]) -> bool:
    """Whether rows are orders: what was bought in each, when and for how much, and nothing of a person."""
    items = [choice.name for choice in choices if choice.role == "items"]
    others = [choice for choice in published(choices) if choice.name not in items]
    told = {looked.findings[choice.name].topic for choice in others}
    is_bought = any("item" in looked.evidence[name].topics for name in items if name in looked.evidence)
    is_numbered = any(found.topic == NUMBER for found in looked.findings.values())
    of_nobody = not any(looked.evidence[choice.name].topics & ABOUT_PEOPLE - {"money"} for choice in others)
    return is_bought and is_numbered and of_nobody and told <= _OF_AN_ORDER


_OF_AN_ORDER = frozenset(["date", "year", "count", "money", "category", "thing", "item", "conduct", ""])


def _records(looked: Looked, sets: dict[str, str | None]) -> list[Choice]:
    return [
        _set_choice(name, sets[name]) if name in sets else choice_of(looked, name) for name in looked.table.column_names
    ]


_MOST_OF_A_NAMED_LOG = 8
"""Headers that speak of a person, of what is rated and of a rating may have more beside them than others."""
_FEWEST_PEOPLE = 10
_SEVERAL = 1.05
"""Rows of a person, on average, from which on people are counted instead of them."""


def _with_people(looked: Looked, choices: list[Choice]) -> list[Choice]:
    """Whose rows they are, if a number of persons comes back and stands in every row: then people are counted."""
    if any(choice.role == "household" for choice in choices):
        return choices
    back = [choice.name for choice in choices if _comes_back(looked, choice)]
    whose = next((name for name in back if _names_a_person(looked, name)), None) or _told_by_the_rows(looked, back)
    why = "whose row it is: people are counted, for some have several rows"
    return [replace(each, role="person", why=why) if each.name == whose else each for each in choices]


def _comes_back(looked: Looked, choice: Choice) -> bool:
    """Whether a column that is not published has a number or a code in every row, and in some rows the same."""
    column = looked.evidence.get(choice.name)
    if column is None or choice.role != "identifier":
        return False
    several = column.distinct >= _FEWEST_PEOPLE and column.shared_by > _SEVERAL
    is_number = column.share(_is_number_or_code) >= MOST  # two people may have one name, and one address
    return several and is_number and column.filled == looked.table.num_rows


def _is_number_or_code(text: str) -> bool:
    return shapes.holds_digit(text) and shapes.is_code(text) and not shapes.has_decimals(text) and text.count(".") != 1


def _names_a_person(looked: Looked, name: str) -> bool:
    column = looked.evidence[name]
    is_named = "person" in column.topics or name.lower().strip("_ .") == "id"
    return are_citizens(column) or (is_named and looked.findings[name].topic == NUMBER)


def _told_by_the_rows(looked: Looked, numbers: Sequence[str]) -> str | None:
    """The number with which nobody changes: all its rows have one sex and one birth, though rows of others differ. Of
    several such numbers, a person has the fewest; cases and orders are more."""
    fixed = [name for name, found in looked.findings.items() if found.topic in _FIXED and found.role == "quasi"]
    fixed = [name for name in fixed if _differs(looked, name)]
    whose = [name for name in numbers if fixed and all(_decides(looked, name, other) for other in fixed)]
    return min(whose, key=lambda name: looked.evidence[name].distinct, default=None)


_FIXED = frozenset(["sex", "birth"])
"""What is the same for a person in every row; with a sex that by chance is the same in ten groups."""
_REPEATED = 10
_BUT_FOR_SLIPS = 1.01


def _differs(looked: Looked, name: str) -> bool:
    column = looked.evidence.get(name)
    return column is not None and column.distinct > 1 and column.most_frequent < MOST


def _decides(looked: Looked, number: str, other: str) -> bool:
    """Whether each number has one value of another column, in at least ten groups of several rows."""
    pairs = looked.table.select([number, other]).group_by([number, other]).aggregate([([], "count_all")])
    numbers = looked.evidence[number]
    are_repeated = np.count_nonzero(numbers.counts > 1) >= _REPEATED
    return bool(are_repeated and pairs.num_rows <= _BUT_FOR_SLIPS * numbers.distinct)


def _set_choice(name: str, separator: str | None) -> Choice:
    return Choice(name, "items", "a set of items a person", separator=separator)


def _baskets(looked: Looked, sets: dict[str, str | None], raw: RawData) -> Plan:
    if not sets:
        raise no_sets(raw.shown)
    chosen = next(iter(sets))
    return _with_others(looked, "baskets", {chosen: _set_choice(chosen, sets[chosen])})


def _log(looked: Looked) -> Plan | None:
    facts = looked.table, looked.findings, list(looked.evidence.values())
    found = find_log(*facts) or find_orders(*facts)
    if found is None:
        return None
    is_somebody = "person" in looked.evidence[found.person].topics
    person = Choice(found.person, "person", _FRESH if is_somebody else f"{_FRESH}; a basket for each of them")
    return _with_others(looked, "baskets", {found.person: person, found.items: _set_choice(found.items, None)})


def _ratings(looked: Looked, *, sure: bool) -> Plan | None:
    table, missing = looked.plain_table, looked.missing
    issues = guess_survey(table, missing, [name for name in looked.evidence if _may_be_issue(looked, name)])
    has_weights = any(finding.role == "weight" for finding in looked.findings.values())  # people of a sample
    if issues is not None and not (sure and has_weights):
        return _with_others(
            looked, "ratings", {name: Choice(name, "rating", "an answer on the scale") for name in issues}
        )
    candidates = [name for name in looked.evidence if not sure or _may_be_logged(looked, name)]
    log = guess_log(table, missing, candidates)
    tells_of_people = any(column.topics & ABOUT_PEOPLE - {"job"} for column in looked.evidence.values())
    most = MOST_OF_A_LOG if tells_of_people else _MOST_OF_A_NAMED_LOG
    if log is None or (sure and not (log.is_named and table.num_columns <= most)):
        return None
    return _with_others(looked, "ratings", _log_choices(log))


def _log_choices(log: RatingLog) -> dict[str, Choice]:
    return {
        log.person: Choice(log.person, "person", _FRESH),
        log.issue: Choice(log.issue, "items", "what is rated"),
        log.rating: Choice(log.rating, "rating", "the rating"),
    }


def _may_be_issue(looked: Looked, name: str) -> bool:
    finding = looked.findings[name]
    column = looked.evidence[name]
    no_issues = _NO_ISSUES | ({"education"} if len(column.name.split()) == 1 else set())  # `Cheating in school` is one
    return finding.role in ("quasi", "sensitive") and not any(fits(each, column) for each in column.topics & no_issues)


def _may_be_logged(looked: Looked, name: str) -> bool:
    """Names of people can be whose ratings it are, for fresh numbers stand for them; they can be nothing else."""
    finding, topics = looked.findings[name], looked.evidence[name].topics
    if finding.topic in (NAMES_SOMEBODY, TEXT):
        return bool(topics & {"person", "somebody"})
    return not topics & _NO_KEY or bool(topics & {"rating", "item", "person"})


def _with_others(looked: Looked, kind: str, chosen: dict[str, Choice]) -> Plan:
    """The plan with these columns; the others are not published."""
    others = {
        name: choice_of(looked, name, role="identifier", why=_why_not(looked, name, kind))
        for name in looked.table.column_names
    }
    return Plan(kind, tuple({**others, **chosen}[name] for name in looked.table.column_names), looked)


def _why_not(looked: Looked, name: str, kind: str) -> str:
    finding = looked.findings[name]
    return _ANOTHER_KIND.format(kind) if finding.role in ("quasi", "sensitive", "items") else finding.why
